//! PLACEHOLDER Gemini.

use crate::dialect::stream::{Assembly, Framing, Sse};
use crate::dialect::{Losses, Mark, NativeOutcome, Options, Overlay, ResultForm, Says};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object};
use crate::message::{AssistantMessage, Message, Request, Response};
use crate::path::Path;

pub(super) const OVERLAY_READS: &[&str] = &[];

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "contents",
    blocks: Some("parts"),
    mark: Mark::Under(&["functionResponse", "function_response"]),
    says: Says::Wrap { object: "response", failed: "error", worked: "output" },
    stored_id: None,
};

fn not_yet() -> Error {
    Error::unsupported(Path::root(), "not there yet")
}

pub(super) fn read_request(_body: Cursor<'_>) -> Result<Request> {
    Err(not_yet())
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

pub(super) fn write_request(
    _request: &Request,
    _options: Options,
    _losses: &mut Losses,
) -> Result<Object<'static>> {
    Err(not_yet())
}

pub(super) fn write_message(_message: &Message, _options: Options, _losses: &mut Losses) -> Result<Json> {
    Err(not_yet())
}

pub(super) fn overlay(
    _current: &dyn Fn(&str) -> Option<Json>,
    _sampling: Object<'static>,
) -> Result<Overlay> {
    Err(not_yet())
}

pub(super) fn leave(_fields: &Object<'_>, _path: &Path, _losses: &mut Losses) {}

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
