//! An Anthropic answer to the assistant turn that it is.

use super::read::read_turn;
use crate::error::Result;
use crate::json::{Cursor, Object};
use crate::message::AssistantMessage;

/// The content as a turn. What stands beside it tells of the request, not of the message.
pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let (role, content) = (fields.need("role")?, fields.need("content")?);
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    read_turn(content, Object::default())
}
