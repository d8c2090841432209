//! A Responses answer to the assistant turn that its output items are.

use super::turn;
use crate::error::Result;
use crate::json::Cursor;
use crate::message::AssistantMessage;

/// All output items are the turn, those too that would be a result in a request: here the provider ran the tool.
pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<AssistantMessage> {
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
