//! What another wire loses of the fields that only this one has.

use super::read::{AT, CONTENT, JOINED, MATCHED, MESSAGE, MINTED, PART, RESPONSE, ROLE};
use crate::dialect::loss::{Code, Losses, code_of_field};
use crate::json::{Object, Value};
use crate::path::{Path, Step};

const ONLY: &str = "only Gemini has this field";

pub(in crate::dialect) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    let of_tool = matches!(path.steps().first(), Some(Step::Key(key)) if key.as_ref() == "tools");
    for (key, value) in fields.iter() {
        match (key.as_ref(), value) {
            (CONTENT, Value::Array(parts)) => leave_parts(parts, path, losses),
            (_, Value::Null) | (JOINED | ROLE | MATCHED | "$joined", _) => {}
            (AT, _) => {
                let detail = "stood behind what else its message says, and is written before it";
                losses.add(Code::OrderUserAfterResults, path.clone(), detail);
            }
            (MINTED, _) => losses.add(Code::IdMinted, path.clone(), "the source states no id for it"),
            (RESPONSE, Value::Object(response)) => leave_response(response, path, losses),
            (MESSAGE | PART, Value::Object(others)) => each(others, &[], path, losses),
            // The part itself is typed, and the image of a file has no type of its own elsewhere.
            ("inlineData" | "fileData", Value::Object(inner)) => {
                each(inner, &["mimeType"], &path.key(key), losses);
            }
            ("generationConfig" | "toolConfig" | "thinkingConfig", Value::Object(inner)) => {
                leave(inner, &path.key(key), losses);
            }
            ("systemInstruction" | "tools", value) if says_nothing(value) => {}
            // Of a tool: its schema is typed.
            ("parameters", _) if of_tool => {}
            (_, _) if of_tool => losses.add(Code::ToolFieldDropped, path.key(key), ONLY),
            (key, _) => losses.add(code_of_field(key), path.key(key), ONLY),
        }
    }
}

fn says_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        other => super::read::says_nothing(other),
    }
}

/// Fields without a layout of their own, but those that are typed.
fn each(fields: &Object<'_>, typed: &[&str], path: &Path, losses: &mut Losses) {
    for (key, _) in fields.iter().filter(|(key, value)| !value.is_null() && !typed.contains(&key.as_ref())) {
        let code = match key.as_ref() {
            "thoughtSignature" => Code::ReasoningDropped,
            key => code_of_field(key),
        };
        losses.add(code, path.key(key), ONLY);
    }
}

/// A response that says more than a text.
fn leave_response(response: &Object<'_>, path: &Path, losses: &mut Losses) {
    if is_structured(response) {
        losses.add(Code::StructuredAsText, path.key("content"), "structured output is written as JSON text");
    }
    each(&beside_output(response), &[], &path.key(RESPONSE), losses);
}

/// Is the text of a result the JSON text of what its response says?
fn is_structured(response: &Object<'_>) -> bool {
    let siblings = response.iter().any(|(key, value)| key != "error" && !value.is_null());
    match (response.get("error").filter(|error| !error.is_null()), response.get("output")) {
        (Some(error), _) => siblings || error.as_str().is_none(),
        (None, Some(output)) => output.as_str().is_none(),
        (None, None) => true,
    }
}

/// What stands beside an output, which the API itself does not read.
fn beside_output(response: &Object<'_>) -> Object<'static> {
    let failed = response.get("error").is_some_and(|error| !error.is_null());
    if failed || response.get("output").is_none() {
        return Object::default();
    }
    Object(response.iter().filter(|(key, _)| key != "output").cloned().collect()).into_owned()
}

/// What else the fields of a result say, if they say that its text stands for JSON.
pub(in crate::dialect) fn structured(fields: &Object<'static>) -> Option<Object<'static>> {
    let response = fields.get(RESPONSE)?.as_object().filter(|response| is_structured(response))?;
    let beside = beside_output(response);
    let mut rest = fields.clone();
    match beside.is_empty() {
        true => drop(rest.remove(RESPONSE)),
        false => rest.set(RESPONSE, Object(beside.0).with("output", "").into()),
    }
    Some(rest)
}

/// The parts of a turn, or the other fields of the one text part. Calls and opaque parts are told of where they are
/// typed.
fn leave_parts(parts: &[Value<'_>], path: &Path, losses: &mut Losses) {
    let path = path.key("content");
    let (mut texts, mut called) = (0, false);
    for (n, part) in parts.iter().enumerate() {
        let path = path.index(n);
        let Some(fields) = part.as_object() else { continue };
        let has = |key: &str| fields.get(key).is_some_and(|value| !value.is_null());
        if let Some(call) = fields.get("functionCall").and_then(Value::as_object) {
            called = true;
            each(call, &["id", "name", "args"], &path.key("functionCall"), losses);
            each(fields, &["functionCall", "thoughtSignature"], &path, losses);
        } else if has("text") {
            let thought = fields.get("thought") == Some(&Value::Bool(true));
            if !thought {
                texts += 1;
                if called {
                    losses.add(Code::TurnReordered, path.clone(), "stood behind a call of its turn");
                }
                each(fields, &["text", "thought", "thoughtSignature"], &path, losses);
            }
        } else if !is_data(fields) {
            each(fields, &[], &path, losses);
        }
    }
    if texts > 1 {
        losses.add(Code::TextJoined, path, "several text parts, written as one text");
    }
}

/// Does the part stand in the provider state?
fn is_data(part: &Object<'_>) -> bool {
    let data =
        ["inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
    data.into_iter().any(|key| part.get(key).is_some_and(|value| !value.is_null()))
}
