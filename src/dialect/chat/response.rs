//! A Chat Completions answer to the assistant turn in it.

use super::read::read_assistant;
use crate::error::{Error, Result};
use crate::json::Cursor;
use crate::message::AssistantMessage;

/// The message of the first choice; the others are other turns.
pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<AssistantMessage> {
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
