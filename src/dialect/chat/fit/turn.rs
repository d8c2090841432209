//! An assistant turn as the server that was named takes it: refusals, reasoning, calls.

use super::{HERE, NOT_THERE, without};
use crate::dialect::leave;
use crate::dialect::loss::{Code, Losses, code_of_field};
use crate::dialect::targets::Flags;
use crate::json::{Json, Object, Value, compact};
use crate::message::{AssistantMessage, CallKind, Extra, OPAQUE_FIELDS, ToolCall, item_kind};
use crate::path::Path;

pub(super) fn turn(m: &mut AssistantMessage, flags: Flags, path: &Path, losses: &mut Losses) {
    texts(m, flags, path, losses);
    if !flags.is("refusals") {
        refusals(m, path, losses);
    }
    reasoning(m, flags, path, losses);
    for (n, call) in m.tool_calls.iter_mut().enumerate() {
        self::call(call, flags, &path.key("tool_calls").index(n), losses);
    }
}

/// The parts that the text of a turn was written as stay, where they are nothing but text.
fn texts(m: &mut AssistantMessage, flags: Flags, path: &Path, losses: &mut Losses) {
    let Some(own) = m.extra.of(HERE) else { return };
    let Some(Value::Array(parts)) = own.get("$content") else { return };
    let mut own = own.clone();
    if parts.iter().all(|part| part.kind() == Some("text")) {
        let mut parts = parts.clone();
        for (n, part) in parts.iter_mut().enumerate() {
            let Value::Object(part) = part else { continue };
            part.0.retain(|(key, value)| {
                let stays = !flags.words("leave_parts").any(|word| word == key);
                if !stays && !value.is_null() {
                    losses.add(code_of_field(key), path.key("content").index(n).key(key), NOT_THERE);
                }
                stays
            });
        }
        own.set("$content", Value::Array(parts));
    } else {
        // Its texts and refusals are typed as well.
        super::super::leave(&Object::default().with("$content", parts.clone()), path, losses);
        own.remove("$content");
    }
    m.extra = Extra::new(HERE, own);
}

fn refusals(m: &mut AssistantMessage, path: &Path, losses: &mut Losses) {
    let mut said: Vec<String> = m.content.iter().map(|text| text.to_string()).collect();
    for (n, item) in m.provider_state.iter_mut().enumerate().filter(|(_, item)| item_kind(item) == "message")
    {
        let Value::Object(item) = item else { continue };
        let Some(Value::Array(parts)) = item.get("content") else { continue };
        let mut parts = parts.clone();
        parts.retain(|part| match part.get("refusal").and_then(Value::as_str) {
            Some(text) => {
                losses.add(
                    Code::RefusalAsText,
                    path.key("provider_state").index(n),
                    "a refusal is written as plain text",
                );
                said.push(text.to_owned());
                false
            }
            None => true,
        });
        item.set("content", Value::Array(parts));
    }
    if !said.is_empty() {
        m.content = Some(said.join("\n").into());
    }
}

/// The reasoning goes under the key that the server reads, as far as it is readable there; else it is dropped.
fn reasoning(m: &mut AssistantMessage, flags: Flags, path: &Path, losses: &mut Losses) {
    let key = flags.word("reasoning");
    let kept = m.extra.of(HERE).and_then(|own| own.get("$reasoning")?.get("reasoning_details")?.as_array());
    let kept: Vec<Json> = kept.unwrap_or_default().to_vec();
    let mut details = Vec::new();
    for (n, item) in std::mem::take(&mut m.provider_state).into_iter().enumerate() {
        if !item_kind(&item).starts_with("reasoning.") && !kept.contains(&item) {
            m.provider_state.push(item);
        } else if key == "reasoning_details" {
            details.push(item);
        } else if key == "none" || OPAQUE_FIELDS.iter().any(|field| item.get(field).is_some()) {
            let path = path.key("provider_state").index(n);
            losses.add(Code::ReasoningDropped, path, "opaque reasoning goes back to its own provider only");
        }
    }
    let text = if key == "none" { None } else { m.reasoning_content.take() };
    let written = match (key, text) {
        ("reasoning_details", _) if !details.is_empty() => Some(Value::Array(details)),
        ("reasoning_details", Some(text)) => {
            let detail = Object::default().with("type", "reasoning.text").with("text", text.to_string());
            Some(Value::Array(vec![detail.into()]))
        }
        (_, text) => text.map(|text| Value::from(text.to_string())),
    };
    if written.is_none() && m.extra.of(HERE).is_none_or(|own| own.get("$reasoning").is_none()) {
        return;
    }
    leave(HERE, &m.extra, path, losses);
    let mut own = m.extra.of(HERE).cloned().unwrap_or_default();
    own.remove("$reasoning");
    if let Some(written) = written {
        own.set(key, written);
    }
    m.extra = Extra::new(HERE, own);
}

fn call(call: &mut ToolCall, flags: Flags, path: &Path, losses: &mut Losses) {
    let gone: Vec<&str> = flags.words("leave_calls").collect();
    without(&mut call.extra, call.kind.as_str(), &gone, None, path, losses);
    if call.kind == CallKind::Custom && !flags.is("custom_tools") {
        without(&mut call.extra, "", &["custom"], None, path, losses);
        losses.add(Code::CustomWrapped, path.clone(), "its text is the one input of a function");
        call.kind = CallKind::Function;
        call.arguments = compact(&Object::default().with("input", call.arguments.to_string()).into()).into();
    }
}
