//! What every writer of this wire carries along: how strict it is, and where losses go.

use super::HERE;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::{self, ids};
use crate::json::{Json, Object, Value};
use crate::message::Extra;
use crate::path::Path;
use std::borrow::Cow;

pub(super) struct Pen<'l> {
    /// The request was read from this wire: it is written back as it was, nothing settled, fitted or dropped.
    pub(super) same: bool,
    pub(super) internal: bool,
    pub(super) losses: &'l mut Losses,
}

fn allowed_in_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Can this id stand on the wire as it is?
pub(super) fn fits(id: &str) -> bool {
    matches!(ids::fit(id, allowed_in_id, usize::MAX), Cow::Borrowed(_))
}

impl Pen<'_> {
    pub(super) fn lose(&mut self, code: Code, path: Path, detail: &str) {
        self.losses.add(code, path, detail);
    }

    /// Reports the fields of another wire; they are not written here.
    pub(super) fn leave(&mut self, extra: &Extra, path: &Path) {
        dialect::leave(HERE, extra, path, self.losses);
    }

    /// A call id, fitted to the characters of this wire where it comes from another one.
    pub(super) fn id<'t>(&mut self, id: &'t str, path: impl FnOnce() -> Path) -> Cow<'t, str> {
        if self.same {
            return Cow::Borrowed(id);
        }
        let fitted = ids::fit(id, allowed_in_id, usize::MAX);
        if matches!(fitted, Cow::Owned(_)) {
            self.lose(Code::IdMapped, path(), "holds characters that Anthropic refuses in an id");
        }
        fitted
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
