//! What every writer of this wire carries along: how strict it is, and where losses go.

use super::HERE;
use crate::dialect;
use crate::dialect::ids::Rule;
use crate::dialect::loss::{Code, Losses};
use crate::json::{Json, Object, Value};
use crate::message::Extra;
use crate::path::Path;
use std::borrow::Cow;

pub(super) struct Pen<'l> {
    /// What is written was read from this wire: it goes back as it was, nothing fitted or dropped.
    pub(super) same: bool,
    pub(super) internal: bool,
    pub(super) losses: &'l mut Losses,
}

/// What the API takes as a call id.
pub(super) const IDS: Rule =
    Rule { allowed: |c| c.is_ascii_alphanumeric() || c == '_' || c == '-', shortest: 1, longest: usize::MAX };

impl Pen<'_> {
    pub(super) fn lose(&mut self, code: Code, path: Path, detail: &str) {
        self.losses.add(code, path, detail);
    }

    /// Reports the fields of another wire; they are not written here.
    pub(super) fn leave(&mut self, extra: &Extra, path: &Path) {
        dialect::leave(HERE, extra, path, self.losses);
    }

    /// Adds fields of this wire, without those that only lay out the typed form.
    pub(super) fn put(&self, object: &mut Object<'static>, fields: &Object<'static>, layout: &[&str]) {
        object.add_absent(fields.iter().filter(|(key, _)| !layout.contains(&key.as_ref())));
    }

    /// `put` for the fields of this wire in an extra; those of another wire are reported.
    pub(super) fn extra(
        &mut self,
        object: &mut Object<'static>,
        extra: &Extra,
        layout: &[&str],
        path: &Path,
    ) {
        match extra.of(HERE) {
            Some(fields) => self.put(object, fields, layout),
            None => self.leave(extra, path),
        }
    }
}

/// A string value of its own.
pub(super) fn text(text: &str) -> Json {
    Value::String(Cow::Owned(text.to_owned()))
}

/// A text block.
pub(super) fn text_block(content: &str) -> Object<'static> {
    Object::default().with("type", "text").with("text", text(content))
}
