//! What a model answered: text, reasoning, calls, and the opaque state a provider wants back.

use crate::json::{Json, Value, canonical_number};
use crate::message::{Extra, Text};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssistantMessage {
    pub content: Option<Text>,
    /// The readable reasoning, where there is any.
    pub reasoning_content: Option<Text>,
    pub tool_calls: Vec<ToolCall>,
    /// Native items that a provider must get back as they are (signatures, encrypted content, items without a typed
    /// form), each an object. Items that say nothing beyond the typed fields are not listed. A refusal stands here in
    /// the form of a Responses message item.
    pub provider_state: Vec<Json>,
    /// Fields of one wire; a turn that the typed fields cannot rebuild is kept whole under its own name.
    pub extra: Extra,
}

/// A call of a tool that the client runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    pub id: Text,
    pub name: Text,
    /// JSON text for a function, any text for a custom tool, exactly as the model wrote it.
    pub arguments: Text,
    pub kind: CallKind,
    pub namespace: Option<Text>,
    pub extra: Extra,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallKind {
    #[default]
    Function,
    Custom,
}

impl CallKind {
    pub fn as_str(self) -> &'static str {
        match self {
            CallKind::Function => "function",
            CallKind::Custom => "custom",
        }
    }
}

impl AssistantMessage {
    /// The refusal texts in the provider state, in order.
    pub fn refusals(&self) -> impl Iterator<Item = &str> {
        self.provider_state
            .iter()
            .filter(|item| item_kind(item) == "message")
            .filter_map(|item| item.get("content")?.as_array())
            .flatten()
            .filter(|part| part.kind() == Some("refusal"))
            .filter_map(|part| part.get("refusal")?.as_str())
    }

    /// Do the typed fields of the two say the same, however their wires spelled them?
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.content == other.content
            && self.reasoning_content == other.reasoning_content
            && self.tool_calls == other.tool_calls
            && self.provider_state == other.provider_state
    }

    /// The provider-state item that stands for a refusal.
    pub fn refusal_item(text: &str) -> Json {
        let part = crate::json::Object::default().with("type", "refusal").with("refusal", text.to_owned());
        let item = crate::json::Object::default()
            .with("type", "message")
            .with("role", "assistant")
            .with("content", vec![Value::from(part)]);
        Value::from(item).into_owned()
    }

    /// Is the provider-state item one of the typed calls?
    pub fn has_call_of(&self, item: &Json) -> bool {
        let id = item.get("call_id").and_then(Value::as_str);
        self.tool_calls.iter().any(|call| Some(&*call.id) == id)
    }
}

/// The fields of a provider-state item that no typed field says, and that its provider needs back.
pub const OPAQUE_FIELDS: [&str; 4] = ["encrypted_content", "signature", "data", "phase"];

/// The kind of a provider-state item: its `type`, or `message` for an assistant message without one. As in the host
/// framework, a `type` of null, false, 0 or nothing is none; any other value that is no text names nothing.
pub fn item_kind(item: &Json) -> &str {
    let absent = match item.get("type") {
        None | Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::String(kind)) if !kind.is_empty() => return kind,
        Some(Value::String(_)) => true,
        Some(Value::Number(n)) => canonical_number(n).as_deref() == Some("0"),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(object)) => object.is_empty(),
        Some(Value::Bool(true)) => false,
    };
    let assistant = item.get("role").and_then(Value::as_str) == Some("assistant");
    if absent && assistant { "message" } else { "" }
}
