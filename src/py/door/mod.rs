//! The two doors between Python objects and JSON values; nobody else walks either.

mod enter;
mod host;
mod leave;

pub(super) use enter::{At, Door, NODE, is_media, replaced_losses, snapshot, utf16};
pub(super) use host::{answers, dump_without_none, is_mapping, mapping_members};
pub(super) use leave::leave;

use crate::json::MAX_DEPTH;

/// What our own spelling may nest deeper than the body it was read from: it wraps some values once or twice.
const SLACK: usize = 16;

/// The depth limit of our own spelling.
pub(super) const NOUN_DEPTH: usize = MAX_DEPTH + SLACK;
