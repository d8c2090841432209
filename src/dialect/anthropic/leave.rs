//! What another wire loses of the fields that only this one has.

use super::read::{AT, CONTENT, IN_LIST, JOINED, MESSAGE};
use crate::dialect::loss::{Code, Losses, code_of_field};
use crate::json::{Object, Value};
use crate::path::Path;

pub(in crate::dialect) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, value) in fields.iter() {
        match (key.as_ref(), value) {
            (_, Value::Null) | (JOINED | IN_LIST, _) => {}
            (AT, _) => {
                let detail = "stood behind what else its message says, and is written before it";
                losses.add(Code::OrderUserAfterResults, path.clone(), detail);
            }
            (MESSAGE, Value::Object(others)) => each(others, path, losses),
            (CONTENT, Value::Array(blocks)) => leave_blocks(blocks, path, losses),
            (CONTENT, _) => {}
            ("type", Value::String(kind)) if kind == "search_result" => {
                // The whole block stands here; its text goes on.
                losses.add(Code::BlockAsText, path.clone(), "a search result, written as its text");
                return;
            }
            // Of a tool: it says what goes without saying.
            ("type", _) => {}
            ("system" | "tools", value) if is_empty(value) => {}
            ("caller", value) if value.kind() == Some("direct") => {}
            ("defer_loading" | "input_examples" | "allowed_callers" | "eager_input_streaming", _) => {
                losses.add(Code::ToolFieldDropped, path.key(key), "only Anthropic has this field");
            }
            (key, _) => losses.add(code_of_field(key), path.key(key), "only Anthropic has this field"),
        }
    }
}

fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Fields without a layout of their own.
fn each(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, _) in fields.iter().filter(|(_, value)| !value.is_null()) {
        losses.add(code_of_field(key), path.key(key), "only Anthropic has this field");
    }
}

/// The list that a text was read from, or a whole turn. Its calls and opaque blocks are told of where they are typed.
fn leave_blocks(blocks: &[Value<'_>], path: &Path, losses: &mut Losses) {
    let path = path.key("content");
    let (mut texts, mut called) = (0, false);
    for (n, block) in blocks.iter().enumerate() {
        let Some(fields) = block.as_object() else { continue };
        match block.kind() {
            None => each(fields, &path.index(n), losses),
            Some("text") => {
                texts += 1;
                if called {
                    losses.add(Code::TurnReordered, path.index(n), "stood behind a call of its turn");
                }
                let rest = fields.iter().filter(|(key, _)| key != "type" && key != "text");
                each(&Object(rest.cloned().collect()), &path.index(n), losses);
            }
            Some(kind) => called |= kind == "tool_use",
        }
    }
    if texts > 1 {
        losses.add(Code::TextJoined, path, "several text blocks, written as one text");
    }
}
