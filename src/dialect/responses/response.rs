//! A Responses answer to the assistant turn that its output items are.

use super::turn;
use crate::dialect::Losses;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::message::{AssistantMessage, Response};
use crate::path::Path;

/// All output items are the turn, those too that would be a result in a request: here the provider ran the tool.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let output = fields.need("output")?;
    let items: Vec<Cursor<'_>> = output.items()?.collect();
    for item in &items {
        let fields = item.fields()?;
        if fields.some_str("type")? == Some("message") {
            fields.need_str("role")?;
        }
        if let Some(role) = fields.some("role")
            && role.str()? != "assistant"
        {
            return Err(role.expected("assistant"));
        }
    }
    turn::read_turn(&items)
}

pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<Response> {
    Ok(Response { message: read_answer(body)?, ..Response::default() })
}

pub(in crate::dialect) fn write_response(
    _response: &Response,
    _losses: &mut Losses,
) -> Result<Object<'static>> {
    Err(Error::unsupported(Path::root(), "not there yet"))
}

/// Is the answer still being made?
pub(in crate::dialect) fn is_under_way(response: &Response) -> bool {
    matches!(response.native_finish_reason.as_deref(), Some("queued" | "in_progress"))
}
