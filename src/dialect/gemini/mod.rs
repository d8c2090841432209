//! Gemini generateContent, <https://ai.google.dev/api/generate-content>: parts, responses of functions that can say
//! `error`, and signatures that stay on their parts. Both spellings of a field are read; camelCase is written.

mod chunks;
mod fragments;
mod framing;
mod leave;
mod outcomes;
mod overlay;
mod parts;
mod pen;
mod read;
mod response;
mod results;
mod settings;
mod spelling;
mod state;
mod stream;
mod tools;
mod turn;
mod write;

#[cfg(test)]
mod tests;

pub(super) use chunks::write_stream;
pub(super) use leave::{leave, structured};
pub(super) use outcomes::{candidate_outcomes, native_outcome};
pub(super) use overlay::{OVERLAY_READS, overlay};
pub(super) use read::{mint_behind, read_request};
pub(super) use response::{leave_response, read_answer, read_response, write_response};
pub(super) use stream::{assembly, framing, is_terminal};
pub(super) use write::{write_message, write_request};

use crate::dialect::{Mark, ResultForm, Says};
use crate::message::Dialect;

/// The wire of this room.
const HERE: Dialect = Dialect::Gemini;

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "contents",
    blocks: Some("parts"),
    mark: Mark::Under(&["functionResponse", "function_response"]),
    says: Says::Wrap { object: "response", failed: "error", worked: "output" },
    stored_id: None,
};
