//! What every writer of this wire carries along: how strict it is, what the server takes, and where losses go.

use super::HERE;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::targets::Flags;
use crate::dialect::{self, Options};
use crate::json::{Json, Object, Value};
use crate::message::Extra;
use crate::path::Path;

pub(super) struct Pen<'l> {
    /// What is written was read from this wire: it goes back as it was, nothing fitted or dropped.
    pub(super) same: bool,
    pub(super) internal: bool,
    /// May a result hold media?
    pub(super) response_parts: bool,
    /// May calls and results say their ids?
    pub(super) response_ids: bool,
    /// Must the first call of a turn be signed?
    pub(super) signed_calls: bool,
    /// Does the first call of a turn that another model made get the stand-in for its signature?
    pub(super) stand_in_signatures: bool,
    pub(super) losses: &'l mut Losses,
}

impl<'l> Pen<'l> {
    pub(super) fn new(same: bool, options: Options, flags: Flags, losses: &'l mut Losses) -> Self {
        Self {
            same,
            internal: options.internal,
            response_parts: flags.is("response_parts"),
            response_ids: flags.is("response_ids"),
            signed_calls: flags.is("signed_calls"),
            stand_in_signatures: flags.is("stand_in_signatures"),
            losses,
        }
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
                object.add_absent(fields.iter().filter(|(key, _)| !layout.contains(&key.as_ref())));
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
