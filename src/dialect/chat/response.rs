//! A Chat Completions answer to the assistant turn in it.

use super::read::read_assistant;
use crate::dialect::Losses;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::message::{AssistantMessage, Response};
use crate::path::Path;

/// The message of the first choice; the others are other turns.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let choices = fields.need("choices")?;
    let first = choices.items()?.next().ok_or_else(|| Error::shape(choices.path(), "there is none"))?;
    let first = first.fields()?;
    let message = first.need("message")?;
    let message = message.fields()?;
    let role = message.need("role")?;
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    read_assistant(&message)
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
