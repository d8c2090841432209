//! What another wire loses when it leaves out the fields of this one.

use super::is_layout;
use crate::dialect::loss::code_of_field;
use crate::dialect::{Code, Losses};
use crate::json::{Json, Object, Value};
use crate::message::item_kind;
use crate::outcome::MARKER;
use crate::path::Path;

pub(in crate::dialect) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    if fields.get("type").is_some_and(|kind| kind.as_str().is_some()) {
        return leave_part(fields, path, losses);
    }
    let of_request = *path == Path::root();
    let of_tool = path.to_string().starts_with("tools[");
    for (key, value) in fields.iter() {
        match key.as_ref() {
            "items" => leave_items(value, &path.key("items"), losses),
            "$group" => leave_group(value, &path.key("namespace"), losses),
            // How a string was spelled, not what it says.
            "input" if of_request => {}
            key if is_layout(key) || is_nothing(value) => {}
            MARKER => losses.add(Code::MarkerMisplaced, path.key(key), "stands on no tool result; left out"),
            // Its effort is among the sampling.
            "reasoning" if of_request => {
                for (key, value) in value.as_object().into_iter().flat_map(|fields| fields.iter()) {
                    if !is_nothing(value) {
                        let path = path.key("reasoning").key(key);
                        losses.add(Code::FieldDropped, path, "only Responses has this field");
                    }
                }
            }
            "previous_response_id" | "conversation" | "prompt" if of_request => {
                losses.add(Code::FieldDropped, path.key(key), "what it names stands only at the source");
            }
            key => {
                let code = match code_of_field(key) {
                    Code::FieldDropped if of_tool => Code::ToolFieldDropped,
                    code => code,
                };
                losses.add(code, path.key(key), "only Responses has this field");
            }
        }
    }
}

fn is_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(s) => s.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A part that its typed kind stands in for.
fn leave_part(part: &Object<'_>, path: &Path, losses: &mut Losses) {
    let file = part.get("file_data").is_some();
    for (key, value) in part.iter() {
        match key.as_ref() {
            "type" | "text" | "filename" => {}
            "file_data" => {
                losses.add(
                    Code::FieldDropped,
                    path.key(key),
                    "the parameters of its media type have no typed form",
                );
            }
            _ if is_nothing(value) => {}
            "annotations" if !file => {
                losses.add(Code::CitationsDropped, path.key(key), "only Responses has them")
            }
            MARKER => losses.add(Code::MarkerMisplaced, path.key(key), "stands on no tool result; left out"),
            key => losses.add(code_of_field(key), path.key(key), "only Responses has this field"),
        }
    }
}

/// The items of a turn. Calls and provider state are reported by the one who leaves those out.
fn leave_items(items: &Value<'_>, path: &Path, losses: &mut Losses) {
    let (mut called, mut texts) = (false, 0);
    for (n, item) in items.as_array().unwrap_or_default().iter().enumerate() {
        let path = path.index(n);
        let item: Json = item.clone().into_owned();
        match item_kind(&item) {
            "message" => {
                if called {
                    losses.add(Code::TurnReordered, path.clone(), "stood behind a call of its turn");
                }
                texts += texts_of(&item);
                leave_message_item(&item, &path, losses);
            }
            "reasoning" if says_nothing(&item) => {
                losses.add(Code::ReasoningDropped, path, "an item that only marks where the model reasoned");
            }
            "function_call" | "custom_tool_call" => called = true,
            _ => {}
        }
    }
    if texts > 1 {
        losses.add(Code::TextJoined, path.clone(), "several texts of a turn, written as one");
    }
}

fn texts_of(message: &Json) -> usize {
    match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().filter(|part| part.get("text").is_some()).count(),
        Some(Value::String(_)) => 1,
        _ => 0,
    }
}

/// A reasoning item without text and without anything opaque.
fn says_nothing(item: &Json) -> bool {
    ["summary", "content", "encrypted_content"].iter().all(|key| item.get(key).is_none_or(is_nothing))
}

/// A message of an assistant: what its text and its refusals do not say.
pub(in crate::dialect) fn leave_message_item(item: &Json, path: &Path, losses: &mut Losses) {
    for (key, value) in item.as_object().into_iter().flat_map(Object::iter) {
        match key.as_ref() {
            "type" | "role" | "content" => {}
            _ if is_nothing(value) => {}
            MARKER => losses.add(Code::MarkerMisplaced, path.key(key), "stands on no tool result; left out"),
            key => losses.add(code_of_field(key), path.key(key), "only Responses has this field"),
        }
    }
    let parts = item.get("content").and_then(|content| content.as_array()).unwrap_or_default();
    for (n, part) in parts.iter().enumerate() {
        let path = path.key("content").index(n);
        match (part.as_object(), part.kind()) {
            (Some(part), Some("output_text" | "input_text")) => leave_part(part, &path, losses),
            (_, Some("refusal")) => {}
            _ => losses.add(Code::FieldDropped, path, "a part that only Responses has"),
        }
    }
}

fn leave_group(group: &Value<'_>, path: &Path, losses: &mut Losses) {
    for (key, value) in group.as_object().into_iter().flat_map(|group| group.iter()) {
        if !is_nothing(value) {
            losses.add(Code::ToolFieldDropped, path.key(key), "only Responses describes a group of tools");
        }
    }
}
