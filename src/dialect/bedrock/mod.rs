//! Bedrock Converse: blocks with one member each, tool results that can say `status`, and no media by URL.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>
//!
//! The body is that of the REST service: what boto3 takes as `bytes` stands in it as base64. `modelId` stands beside the
//! conversation, as boto3 has it.

mod blocks;
mod events;
mod frames;
mod leave;
mod media;
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

use crate::dialect::targets::Flags;
use crate::dialect::{Mark, Refused, ResultForm, Says};
use crate::message::Dialect;

pub(super) use events::write_stream;
pub(super) use frames::framing;
pub(super) use leave::{leave, structured};
pub(super) use outcomes::native_outcome;
pub(super) use overlay::overlay;
pub(super) use read::read_request;
pub(super) use response::{leave_response, read_answer, read_response, write_response};
pub(super) use stream::{assembly, is_terminal};
pub(super) use write::{write_message, write_request};

/// The wire of this room.
const HERE: Dialect = Dialect::Bedrock;

pub(super) const OVERLAY_READS: &[&str] = &[settings::INFERENCE, settings::OUTPUT, settings::MORE];

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "messages",
    blocks: Some("content"),
    mark: Mark::Under(&["toolResult"]),
    says: Says::Field { key: "status", failed: "\"error\"", worked: "\"success\"" },
    stored_id: None,
};

/// The form for a model: a label, where that one takes no status.
pub(super) fn result_form(flags: Flags) -> ResultForm {
    if flags.is("status") {
        return RESULT;
    }
    let refused = Refused { key: "status", failed: "\"error\"", worked: "\"success\"" };
    ResultForm { says: Says::Label { content: "content", text_part: None, refused: Some(refused) }, ..RESULT }
}
