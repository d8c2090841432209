//! MCP tool results: `CallToolResult` in, a tool message out, and back.
//!
//! Versions 2025-06-18, 2025-11-25 and 2026-07-28 of <https://modelcontextprotocol.io/specification>. The wire is
//! camelCase; the SDK 2.x dumps its models in snake_case unless told otherwise, so both spellings are read and
//! only the wire's is written.

mod blocks;
mod read;
mod write;

use crate::json::{Object, Value};

pub use read::read_result;
pub use write::write_result;

pub(super) use read::leave;

/// Layout keys in the extra fields of a message: how a content that was collapsed to one text was written.
const CONTENT: &str = "content";
/// Layout key of a text part that was made from `structuredContent`, because no block repeated it.
const STRUCTURED: &str = "structured";

/// What else the fields of a text part, or of a message that is one text, say, if they say that the text was made from
/// `structuredContent`.
pub(super) fn structured(fields: &Object<'static>) -> Option<Object<'static>> {
    let mut rest = fields.clone();
    let collapsed = |layout: Value<'_>| layout.as_array()?.first()?.get(STRUCTURED).map(|_| ());
    (rest.remove(STRUCTURED).is_some() || rest.remove(CONTENT).and_then(collapsed).is_some()).then_some(rest)
}
