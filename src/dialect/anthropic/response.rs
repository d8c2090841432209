//! An Anthropic answer to the assistant turn that it is.

use super::read::read_turn;
use crate::dialect::Losses;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::message::{AssistantMessage, Response};
use crate::path::Path;

/// The content as a turn. What stands beside it tells of the request, not of the message.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let (role, content) = (fields.need("role")?, fields.need("content")?);
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    read_turn(content, Object::default())
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
