//! What every writer of this wire carries along: how strict it is, what the model takes, and where losses go.

use super::HERE;
use crate::dialect::ids::Rule;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::targets::{self, Flags};
use crate::dialect::{self, Options};
use crate::json::{Json, Object, Value};
use crate::message::Extra;
use crate::path::Path;
use std::collections::HashMap;

/// What the API takes as a call id.
pub(super) const IDS: Rule = Rule {
    allowed: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'),
    shortest: 1,
    longest: 64,
};

pub(super) struct Pen<'l> {
    /// What is written was read from this wire: it goes back as it was, nothing fitted or dropped.
    pub(super) same: bool,
    /// For the server beside the program: every outcome is said and media stay where they are.
    pub(super) internal: bool,
    /// Was the target named?
    pub(super) named: bool,
    pub(super) flags: Flags,
    /// The names of documents so far, without case, each with the last number that was put behind it.
    pub(super) documents: HashMap<String, usize>,
    pub(super) losses: &'l mut Losses,
}

impl<'l> Pen<'l> {
    pub(super) fn new(same: bool, options: Options, model: Option<&str>, losses: &'l mut Losses) -> Self {
        let flags = targets::flags(HERE, options.target, model);
        let named = options.target.is_some_and(|target| target.dialect == HERE);
        Self { same, internal: options.internal, named, flags, documents: HashMap::new(), losses }
    }

    pub(super) fn lose(&mut self, code: Code, path: Path, detail: &str) {
        self.losses.add(code, path, detail);
    }

    /// Reports the fields of another wire; they are not written here.
    pub(super) fn leave(&mut self, extra: &Extra, path: &Path) {
        dialect::leave(HERE, extra, path, self.losses);
    }

    /// Adds the fields of this wire in an extra, without those that only lay out the typed form; those of another wire
    /// are reported.
    pub(super) fn extra(
        &mut self,
        object: &mut Object<'static>,
        extra: &Extra,
        layout: &[&str],
        path: &Path,
    ) {
        match extra.of(HERE) {
            Some(fields) => {
                object.add_absent(fields.iter().filter(|(key, _)| !layout.contains(&key.as_ref())))
            }
            None => self.leave(extra, path),
        }
    }
}

/// A member of this wire's fields in an extra.
pub(super) fn own<'a>(extra: &'a Extra, key: &str) -> Option<&'a Json> {
    extra.of(HERE)?.get(key)
}

/// A string value of its own.
pub(super) fn text(text: &str) -> Json {
    Value::String(text.to_owned().into())
}

/// A block: its one member.
pub(super) fn block(member: &'static str, value: impl Into<Json>) -> Json {
    Object::default().with(member, value).into()
}
