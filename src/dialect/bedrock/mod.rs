//! Bedrock Converse: blocks with one member each, tool results that can say `status`, and no media by URL.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>
//!
//! The body is that of the REST service: what boto3 takes as `bytes` stands in it as base64. `modelId` stands beside the
//! conversation, as boto3 has it.

mod blocks;
mod leave;
mod media;
mod overlay;
mod pen;
mod read;
mod results;
mod settings;
mod tools;
mod turn;
mod write;

#[cfg(test)]
mod tests;

use crate::dialect::stream::{Assembly, Framing, Sse};
use crate::dialect::{Losses, Mark, NativeOutcome, ResultForm, Says};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object};
use crate::message::{AssistantMessage, Dialect, Response};
use crate::path::Path;

pub(super) use leave::leave;
pub(super) use overlay::overlay;
pub(super) use read::read_request;
pub(super) use write::{write_message, write_request};

/// The wire of this room.
const HERE: Dialect = Dialect::Bedrock;

pub(super) const OVERLAY_READS: &[&str] =
    &["inferenceConfig", "outputConfig", "additionalModelRequestFields"];

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "messages",
    blocks: Some("content"),
    mark: Mark::Under(&["toolResult"]),
    says: Says::Field { key: "status", failed: "\"error\"", worked: "\"success\"" },
    stored_id: None,
};

fn not_yet() -> Error {
    Error::unsupported(Path::root(), "not there yet")
}

pub(super) fn read_answer(_body: Cursor<'_>) -> Result<AssistantMessage> {
    Err(not_yet())
}

pub(super) fn read_response(_body: Cursor<'_>) -> Result<Response> {
    Err(not_yet())
}

pub(super) fn write_response(_response: &Response, _losses: &mut Losses) -> Result<Object<'static>> {
    Err(not_yet())
}

pub(super) fn write_stream(_body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    Err(not_yet())
}

pub(super) fn native_outcome(_item: &Json, _path: &Path) -> Option<NativeOutcome> {
    None
}

pub(super) fn framing() -> Box<dyn Framing> {
    Box::new(Sse::default())
}

pub(super) fn assembly() -> Box<dyn Assembly> {
    unimplemented!()
}

pub(super) fn is_terminal(_name: Option<&str>, _data: &[u8]) -> bool {
    false
}
