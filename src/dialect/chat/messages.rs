//! One typed message to one chat message.

use super::parts::write_content;
use super::{merge, tools};
use crate::dialect::leave;
use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::json::{Object, Value, canonical};
use crate::message::{AssistantMessage, CallKind, Dialect, Message, ToolCall, ToolMessage, item_kind};
use crate::outcome::{MARKER, labelled};
use crate::path::Path;

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
    Ok(written)
}

fn tool(m: &ToolMessage, lane: Lane, path: &Path, losses: &mut Losses) -> Result<Object<'static>> {
    let content = if m.failed() && !lane.internal {
        losses.add(
            Code::OutcomeLabelled,
            path.key("is_error"),
            "Chat Completions has no field for a failure",
        );
        labelled(&m.content)
    } else {
        m.content.clone()
    };
    if m.is_error == Some(false) && !lane.internal {
        losses.add(
            Code::OutcomeSuccessUnexpressed,
            path.key("is_error"),
            "Chat Completions has no field for a declared success",
        );
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
        (None, Some([])) if !m.tool_calls.is_empty() => {}
        (_, Some(parts)) if !parts.is_empty() && super::read::text_of(parts) == m.content => {
            written.set("content", Value::Array(parts.to_vec()));
        }
        (Some(text), _) => written.set("content", text.to_string().into()),
        // Strict servers refuse null where there is nothing else.
        (None, _) if m.tool_calls.is_empty() && m.refusals().next().is_none() => {
            written.set("content", "".into())
        }
        (None, _) => written.set("content", Value::Null),
    }
    let refusal: Vec<&str> = m.refusals().collect();
    let in_parts = parts.is_some_and(|p| p.iter().any(|part| part.kind() == Some("refusal")));
    if !refusal.is_empty() && !in_parts {
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

fn reasoning(
    m: &AssistantMessage,
    lane: Lane,
    path: &Path,
    written: &mut Object<'static>,
    losses: &mut Losses,
) -> Result<()> {
    let mut details = Vec::new();
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
            "message" => {
                if item.get("phase").is_some_and(|phase| !phase.is_null()) {
                    losses.add(Code::PhaseDropped, path.key("phase"), "Chat Completions has no phases");
                }
            }
            _ if own_state(m, item) => {}
            _ => return Err(Error::unsupported(path, "an item run by another provider has no form here")),
        }
    }
    let own = m.extra.of(Dialect::Chat).and_then(|fields| fields.get("$reasoning")?.as_object());
    if let Some(own) = own {
        if super::read::reasoning_text(own) == m.reasoning_content {
            merge(written, Some(own));
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

/// Is the item one of the reasoning details this message was read with?
fn own_state(m: &AssistantMessage, item: &crate::json::Json) -> bool {
    let details =
        m.extra.of(Dialect::Chat).and_then(|f| f.get("$reasoning")?.get("reasoning_details")?.as_array());
    details.is_some_and(|details| details.iter().any(|d| canonical(d) == canonical(item)))
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
