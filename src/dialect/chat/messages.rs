//! One typed message to one chat message.

use super::parts::write_content;
use super::{merge, tools};
use crate::dialect::loss::{Code, Loss, Losses};
use crate::dialect::untyped::{Untyped, untyped};
use crate::dialect::{leave, leave_message_item};
use crate::error::{Error, Result};
use crate::json::{Object, Value, canonical};
use crate::message::{AssistantMessage, CallKind, Dialect, Message, ToolCall, ToolMessage, item_kind};
use crate::outcome::{MARKER, labelled};
use crate::path::Path;
use std::collections::HashSet;

/// What may stand in the message that is written.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// Tool results keep the name of their tool.
    pub(super) names: bool,
    /// The marker instead of the label; readable reasoning is kept.
    pub(super) internal: bool,
    /// The message was read from this wire.
    pub(super) same: bool,
}

pub(super) fn write(
    message: &Message,
    lane: Lane,
    path: &Path,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    leave(Dialect::Chat, message.extra(), path, losses);
    let mut written = match message {
        Message::System(m) => Object::default()
            .with("role", if m.developer { "developer" } else { "system" })
            .with("content", write_content(&m.content, lane.same, path, losses)?),
        Message::User(m) => Object::default()
            .with("role", "user")
            .with("content", write_content(&m.content, lane.same, path, losses)?),
        Message::Assistant(m) => assistant(m, lane, path, losses)?,
        Message::Tool(m) => tool(m, lane, path, losses)?,
    };
    merge(&mut written, message.extra().of(Dialect::Chat));
    if let Message::Tool(m) = message {
        // An outcome stands in the typed field or nowhere.
        written.remove("is_error");
        if m.is_error.is_none() {
            written.remove(MARKER);
        }
    }
    Ok(written)
}

/// What becomes of a declared outcome.
pub(in crate::dialect) fn outcome_loss(is_error: bool, path: &Path) -> Loss {
    let (code, detail) = if is_error {
        (Code::OutcomeLabelled, "Chat Completions has no field for a failure")
    } else {
        (Code::OutcomeSuccessUnexpressed, "Chat Completions has no field for a declared success")
    };
    Loss { code, path: path.key("is_error"), detail: detail.to_owned() }
}

fn tool(m: &ToolMessage, lane: Lane, path: &Path, losses: &mut Losses) -> Result<Object<'static>> {
    let content = if m.failed() && !lane.internal {
        losses.0.push(outcome_loss(true, path));
        labelled(&m.content)
    } else {
        m.content.clone()
    };
    if m.is_error == Some(false) && !lane.internal {
        losses.0.push(outcome_loss(false, path));
    }
    let mut written = Object::default()
        .with("role", "tool")
        .with("tool_call_id", m.tool_call_id.to_string())
        .with("content", write_content(&content, lane.same, path, losses)?);
    if let Some(name) = &m.name {
        if lane.names {
            written.set("name", name.to_string().into());
        } else {
            losses.add(Code::NameDropped, path.key("name"), "tool results of Chat Completions have no name");
        }
    }
    if lane.internal
        && let Some(outcome) = m.is_error
    {
        written.set(MARKER, outcome.into());
    }
    Ok(written)
}

fn assistant(m: &AssistantMessage, lane: Lane, path: &Path, losses: &mut Losses) -> Result<Object<'static>> {
    let own = m.extra.of(Dialect::Chat);
    let mut written = Object::default().with("role", "assistant");
    let parts = own.and_then(|fields| fields.get("$content")?.as_array());
    match (&m.content, parts) {
        (None, Some([])) if !says_nothing_else(m) => {}
        (_, Some(parts)) if !parts.is_empty() && super::read::text_of(parts) == m.content => {
            written.set("content", Value::Array(parts.to_vec()));
        }
        (Some(text), _) => written.set("content", text.to_string().into()),
        // Strict servers refuse null where there is nothing else.
        (None, _) if says_nothing_else(m) => written.set("content", "".into()),
        (None, _) => written.set("content", Value::Null),
    }
    let in_parts = |text: &str| {
        parts.is_some_and(|p| p.iter().any(|part| part.get("refusal").and_then(Value::as_str) == Some(text)))
    };
    let refusal: Vec<&str> = m.refusals().filter(|text| !in_parts(text)).collect();
    if !refusal.is_empty() {
        written.set("refusal", refusal.join("\n").into());
    }
    reasoning(m, lane, path, &mut written, losses)?;
    if !m.tool_calls.is_empty() {
        let mut calls = Vec::with_capacity(m.tool_calls.len());
        for (n, call) in m.tool_calls.iter().enumerate() {
            calls.push(Value::Object(write_call(call, lane, &path.key("tool_calls").index(n), losses)));
        }
        written.set("tool_calls", Value::Array(calls));
    }
    Ok(written)
}

/// Is there neither a call nor a refusal, nor what this wire has besides?
fn says_nothing_else(m: &AssistantMessage) -> bool {
    let own = m.extra.of(Dialect::Chat);
    let has = |key: &str| own.and_then(|own| own.get(key)).is_some_and(|value| !value.is_null());
    m.tool_calls.is_empty() && m.refusals().next().is_none() && !has("audio") && !has("function_call")
}

fn reasoning(
    m: &AssistantMessage,
    lane: Lane,
    path: &Path,
    written: &mut Object<'static>,
    losses: &mut Losses,
) -> Result<()> {
    let mut details = Vec::new();
    let own = own_details(m);
    for (n, item) in m.provider_state.iter().enumerate() {
        let path = path.key("provider_state").index(n);
        match item_kind(item) {
            kind if kind.starts_with("reasoning.") => details.push(item.clone()),
            // The state of another provider, or of another form of this one.
            "thinking" | "redacted_thinking" | "reasoning" | "compaction" => {
                losses.add(
                    Code::ReasoningDropped,
                    path,
                    "opaque reasoning goes back to its own provider only",
                );
            }
            "message" => leave_message_item(m, item, &path, losses),
            "function_call" | "custom_tool_call" if m.has_call_of(item) => {
                losses.add(Code::ReasoningDropped, path, "opaque state goes back to its own provider only");
            }
            _ if own.contains(&canonical(item)) => {}
            _ if matches!(untyped(item), Some((_, Untyped::Opaque))) => {
                losses.add(
                    Code::ReasoningDropped,
                    path,
                    "opaque reasoning goes back to its own provider only",
                );
            }
            _ => return Err(Error::unsupported(path, "an item run by another provider has no form here")),
        }
    }
    let kept = m.extra.of(Dialect::Chat).and_then(|fields| fields.get("$reasoning")?.as_object());
    if let Some(kept) = kept {
        if super::read::reasoning_text(kept) == m.reasoning_content {
            merge(written, Some(kept));
            return Ok(());
        }
        losses.add(
            Code::NativeStale,
            path.key("reasoning_content"),
            "the reasoning was changed after it was read",
        );
    }
    if !details.is_empty() {
        written.set("reasoning_details", Value::Array(details));
    } else if let Some(text) = &m.reasoning_content {
        if lane.same || lane.internal {
            written.set("reasoning_content", text.to_string().into());
        } else {
            losses.add(
                Code::ReasoningDropped,
                path.key("reasoning_content"),
                "Chat Completions has no field for reasoning",
            );
        }
    }
    Ok(())
}

/// The reasoning details that this message was read with.
fn own_details(m: &AssistantMessage) -> HashSet<Vec<u8>> {
    let details =
        m.extra.of(Dialect::Chat).and_then(|f| f.get("$reasoning")?.get("reasoning_details")?.as_array());
    details.unwrap_or_default().iter().map(canonical).collect()
}

fn write_call(call: &ToolCall, lane: Lane, path: &Path, losses: &mut Losses) -> Object<'static> {
    leave(Dialect::Chat, &call.extra, path, losses);
    let own = call.extra.of(Dialect::Chat);
    let (key, arguments) = match call.kind {
        CallKind::Function => ("function", "arguments"),
        CallKind::Custom => ("custom", "input"),
    };
    let mut inner = Object::default();
    match call.namespace.as_deref() {
        Some(namespace) if lane.internal => {
            inner.set("name", call.name.to_string().into());
            inner.set("namespace", namespace.to_owned().into());
        }
        namespace => inner.set("name", tools::fold(namespace, &call.name, path, losses).into()),
    }
    inner.set(arguments, call.arguments.to_string().into());
    merge(&mut inner, own.and_then(|fields| fields.get(key)?.as_object()));
    let mut written =
        Object::default().with("id", call.id.to_string()).with("type", call.kind.as_str()).with(key, inner);
    merge(&mut written, own);
    written
}
