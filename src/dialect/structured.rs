//! Structured results: which text is a stand-in for JSON that a wire with a place for it may say as it is.

use crate::dialect::mcp;
use crate::json::{Json, Object, Repeats, Value, parse_text};
use crate::message::{Content, Dialect, Extra, Part};

/// The JSON that the only text of a result stands for, or repeats; `extra` is that of the message.
pub(super) fn value(content: &Content, extra: &Extra) -> Option<Json> {
    let (text, stands_for_json) = match content {
        Content::Text(text) => (text, mcp_fields(extra).is_some_and(mcp::is_structured)),
        Content::Parts(parts) => {
            let mut texts = parts.iter().filter_map(|part| Some((part, part.as_text()?)));
            let (part, text): (&Part, _) = texts.next()?;
            if texts.next().is_some() {
                return None;
            }
            (text, mcp_fields(&part.extra).is_some_and(mcp::is_structured))
        }
    };
    let repeated = mcp_fields(extra).and_then(|fields| fields.get("structuredContent"));
    if !stands_for_json && repeated.is_none() {
        return None;
    }
    let value = parse_text(text, Repeats::Refused).ok()?.value.into_owned();
    (stands_for_json || repeated == Some(&value)).then_some(value)
}

fn mcp_fields(extra: &Extra) -> Option<&Object<'static>> {
    extra.of(Dialect::Mcp)
}

/// What the fields of a message say beside the JSON that is written as it is.
pub(super) fn rest(extra: &Extra) -> Extra {
    match extra.get() {
        Some((Dialect::Mcp, fields)) => {
            let mut fields = fields.clone();
            if fields.get("content").and_then(Value::as_array).is_some() {
                fields.remove("content");
            }
            Extra::new(Dialect::Mcp, fields)
        }
        _ => extra.clone(),
    }
}
