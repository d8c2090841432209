//! What an item of provider state without a `type` is: a part of Gemini or a block of Bedrock, and of what kind.

use crate::json::{Json, Value};
use crate::message::Dialect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untyped {
    /// Reasoning or a signature: another wire can do without it.
    Opaque,
    /// Something the provider ran or made: another wire cannot say it.
    Hosted,
}

/// Whose it is and what; none for an item that has a type or that nobody knows.
pub(super) fn untyped(item: &Json) -> Option<(Dialect, Untyped)> {
    let has = |key: &str| item.get(key).is_some();
    if has("type") {
        return None;
    }
    if has("reasoningContent") {
        return Some((Dialect::Bedrock, Untyped::Opaque));
    }
    if ["toolUse", "toolResult", "image", "audio", "video", "document", "guardContent"].into_iter().any(has) {
        return Some((Dialect::Bedrock, Untyped::Hosted));
    }
    let hosted =
        ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "inlineData", "fileData"];
    if hosted.into_iter().any(has) {
        return Some((Dialect::Gemini, Untyped::Hosted));
    }
    let opaque = item.get("thought") == Some(&Value::Bool(true)) || has("thoughtSignature");
    opaque.then_some((Dialect::Gemini, Untyped::Opaque))
}
