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
    for (n, item) in items.as_array().unwrap_or_default().iter().enumerate() {
        let path = path.index(n);
        let item: Json = item.clone().into_owned();
        let (Some(object), "message") = (item.as_object(), item_kind(&item)) else { continue };
        for (key, value) in object.iter() {
            match key.as_ref() {
                "type" | "role" | "content" => {}
                _ if is_nothing(value) => {}
                MARKER => {
                    losses.add(Code::MarkerMisplaced, path.key(key), "stands on no tool result; left out")
                }
                key => losses.add(code_of_field(key), path.key(key), "only Responses has this field"),
            }
        }
        let parts = object.get("content").and_then(|content| content.as_array()).unwrap_or_default();
        for (n, part) in parts.iter().enumerate() {
            let path = path.key("content").index(n);
            if let (Some(part), Some("output_text" | "input_text")) = (part.as_object(), part.kind()) {
                leave_part(part, &path, losses);
            }
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
