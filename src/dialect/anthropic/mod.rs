//! Anthropic Messages: typed blocks, tool results that can say that they failed, and reasoning that is replayed as it is.

mod blocks;
mod events;
mod leave;
mod outcomes;
mod overlay;
mod pen;
mod read;
mod response;
mod results;
mod settings;
mod stream;
mod tools;
mod turn;
mod write;

#[cfg(test)]
mod tests;

pub(super) use events::write_stream;
pub(super) use leave::leave;
pub(super) use outcomes::native_outcome;
pub(super) use overlay::overlay;
pub(super) use read::{read_items, read_request};
pub(super) use response::{leave_response, read_answer, read_response, write_response};
pub(super) use stream::{LAST, assembly, is_terminal};
pub(super) use write::{write_message, write_request};

use crate::dialect::{Mark, ResultForm, Says};
use crate::message::Dialect;

/// The wire of this room.
const HERE: Dialect = Dialect::Anthropic;

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "messages",
    blocks: Some("content"),
    mark: Mark::Word { key: "type", words: &["tool_result"] },
    says: Says::Field { key: "is_error", failed: "true", worked: "false" },
    stored_id: None,
};
