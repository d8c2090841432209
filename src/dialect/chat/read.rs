//! A Chat Completions request body to typed messages.

use super::parts::read_content;
use super::tools::{WEB_SEARCH, read_choice, read_tool, web_search};
use super::{rest, without};
use crate::error::{Error, Kind, Result};
use crate::json::{Cursor, Fields, Json, Object, Value, compact};
use crate::message::{
    AssistantMessage, CallKind, Dialect, Extra, Message, Request, SystemMessage, Text, Tool, ToolCall,
    ToolMessage, UserMessage,
};
use crate::outcome::{MARKER, read_marker};

const REASONING: [&str; 3] = ["reasoning", "reasoning_content", "reasoning_details"];

pub(in crate::dialect) fn read_request(body: Cursor<'_>) -> Result<Request> {
    let fields = body.fields()?;
    let messages = fields.need("messages")?;
    let tools = fields.some("tools");
    let mut extra = rest(
        &fields,
        &[
            "model",
            "messages",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "stream",
            "temperature",
            "top_p",
            "max_tokens",
            "max_completion_tokens",
            "stop",
            "reasoning_effort",
            WEB_SEARCH,
        ],
    );
    let sampling = read_sampling(&fields, &mut extra)?;
    Ok(Request {
        dialect: Some(Dialect::Chat),
        model: fields.some_str("model")?.map(Text::from),
        messages: read_items(messages)?,
        tools: {
            let mut all: Vec<Tool> = match &tools {
                Some(tools) => tools.items()?.map(read_tool).collect::<Result<_>>()?,
                None => Vec::new(),
            };
            all.extend(fields.some(WEB_SEARCH).map(web_search));
            all
        },
        tool_choice: fields.some("tool_choice").map(read_choice).transpose()?,
        parallel_tool_calls: fields.some("parallel_tool_calls").map(|c| c.bool()).transpose()?,
        stream: fields.some("stream").map(|c| c.bool()).transpose()?,
        sampling,
        extra: {
            if tools.is_some_and(|tools| tools.value.as_array().is_some_and(<[_]>::is_empty)) {
                extra.set("tools", Value::Array(Vec::new()));
            }
            Extra::new(Dialect::Chat, extra)
        },
        added: None,
        replaced: Vec::new(),
    })
}

fn read_sampling(fields: &Fields<'_>, extra: &mut Object<'static>) -> Result<Object<'static>> {
    let mut sampling = Object::default();
    for key in ["temperature", "top_p"] {
        if let Some(knob) = fields.some(key) {
            knob.number()?;
            sampling.set(key, knob.to_json());
        }
    }
    if let Some(effort) = fields.some_str("reasoning_effort")? {
        sampling.set("reasoning_effort", effort.to_owned().into());
    }
    let (limit, older) = (fields.some("max_completion_tokens"), fields.some("max_tokens"));
    for limit in [&limit, &older].into_iter().flatten() {
        limit.number()?;
    }
    match (limit, older) {
        (Some(limit), older) => {
            sampling.set("max_tokens", limit.to_json());
            extra.set("$limit", "max_completion_tokens".into());
            if let Some(older) = older {
                extra.set("max_tokens", older.to_json());
            }
        }
        (None, Some(limit)) => sampling.set("max_tokens", limit.to_json()),
        (None, None) => {}
    }
    if let Some(stop) = fields.some("stop") {
        if stop.value.as_str().is_some() {
            sampling.set("stop", Value::Array(vec![stop.to_json()]));
            extra.set("$stop", "string".into());
        } else {
            stop.strings()?;
            sampling.set("stop", stop.to_json());
        }
    }
    Ok(sampling)
}

/// Reads a list of messages, each by itself.
pub(in crate::dialect) fn read_items(items: Cursor<'_>) -> Result<Vec<Message>> {
    items.items()?.map(read_message).collect()
}

fn read_message(cursor: Cursor<'_>) -> Result<Message> {
    let fields = cursor.fields()?;
    let role = fields.need_str("role")?;
    let extra = |known: &[&str]| Extra::new(Dialect::Chat, rest(&fields, known));
    Ok(match role {
        "system" | "developer" => Message::System(SystemMessage {
            content: read_content(fields.get("content"))?,
            developer: role == "developer",
            extra: extra(&["role", "content"]),
        }),
        "user" => Message::User(UserMessage {
            content: read_content(fields.get("content"))?,
            extra: extra(&["role", "content"]),
        }),
        "assistant" => Message::Assistant(read_assistant(&fields)?),
        "tool" => Message::Tool(read_tool_message(&fields)?),
        "function" => {
            return Err(Error::unsupported(
                fields.path().key("role"),
                "function messages are deprecated and have no call id: use a tool message",
            ));
        }
        _ => {
            return Err(Error::shape(
                fields.path().key("role"),
                "expected system, developer, user, assistant or tool",
            ));
        }
    })
}

fn read_tool_message(fields: &Fields<'_>) -> Result<ToolMessage> {
    let mut extra = rest(fields, &["role", "tool_call_id", "content", "name", MARKER, "is_error"]);
    for key in [MARKER, "is_error", "content"] {
        extra.remove(key);
    }
    // Some gateways write an outcome of their own here; it is read, and never written.
    let (marked, said) = (read_marker(fields.get(MARKER))?, read_marker(fields.get("is_error"))?);
    if let (Some(marked), Some(said)) = (marked, said)
        && marked != said
    {
        let path = fields.path().key(MARKER);
        return Err(Error::new(Kind::Marker, path, "says the opposite of is_error beside it"));
    }
    let is_error = marked.or(said);
    Ok(ToolMessage {
        tool_call_id: fields.need_str("tool_call_id")?.into(),
        content: read_content(fields.get("content"))?,
        name: fields.some_str("name")?.map(Text::from),
        is_error,
        extra: Extra::new(Dialect::Chat, extra),
    })
}

pub(super) fn read_assistant(fields: &Fields<'_>) -> Result<AssistantMessage> {
    let mut extra = rest(fields, &["role", "content", "tool_calls", "refusal"]);
    extra.remove("content");
    let mut provider_state = Vec::new();
    let content = match fields.get("content") {
        None => {
            extra.set("$content", Value::Array(Vec::new()));
            None
        }
        Some(c) => match c.value {
            Value::Null => None,
            Value::String(text) => Some(Text::from(text.as_ref())),
            Value::Array(parts) => {
                for part in c.items()? {
                    let part = part.fields()?;
                    part.need_str("type")?;
                    if let Some(refusal) = part.some_str("refusal")? {
                        provider_state.push(AssistantMessage::refusal_item(refusal));
                    }
                }
                let parts: Vec<Json> = parts.iter().map(|p| p.clone().into_owned()).collect();
                let text = text_of(&parts);
                extra.set("$content", Value::Array(parts));
                text
            }
            _ => return Err(c.expected("a string, a list of parts or null")),
        },
    };
    if let Some(refusal) = fields.some_str("refusal")? {
        provider_state.push(AssistantMessage::refusal_item(refusal));
    }
    let reasoning =
        Object(extra.0.iter().filter(|(k, _)| REASONING.contains(&k.as_ref())).cloned().collect());
    extra = without(&extra, &REASONING);
    let reasoning_content = reasoning_text(&reasoning);
    provider_state.extend(read_reasoning(reasoning, &mut extra));
    let calls = fields.some("tool_calls");
    let tool_calls = match &calls {
        Some(calls) => calls.items()?.map(read_call).collect::<Result<Vec<_>>>()?,
        None => Vec::new(),
    };
    if calls.is_some() && tool_calls.is_empty() {
        extra.set("tool_calls", Value::Array(Vec::new()));
    }
    Ok(AssistantMessage {
        content,
        reasoning_content,
        tool_calls,
        provider_state,
        extra: Extra::new(Dialect::Chat, extra),
    })
}

/// The text of assistant parts, joined with nothing; none where there is no text part.
pub(super) fn text_of(parts: &[Json]) -> Option<Text> {
    let mut texts =
        parts.iter().filter(|p| p.kind() == Some("text")).filter_map(|p| p.get("text")?.as_str()).peekable();
    texts.peek()?;
    Some(texts.collect::<String>().into())
}

/// The readable reasoning: the first of the fields that servers use which holds text, else what the details hold.
pub(super) fn reasoning_text(fields: &Object<'_>) -> Option<Text> {
    for key in ["reasoning", "reasoning_content"] {
        if let Some(text) = fields.get(key).and_then(|v| v.as_str()).filter(|text| !text.is_empty()) {
            return Some(text.into());
        }
    }
    let details = fields.get("reasoning_details")?.as_array()?;
    let texts: Vec<&str> = details
        .iter()
        .filter_map(|detail| {
            ["text", "summary"]
                .into_iter()
                .find_map(|key| detail.get(key)?.as_str().filter(|t| !t.is_empty()))
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n").into())
}

/// The details as provider state; every reasoning field is kept as it was where the typed ones do not say it all.
fn read_reasoning(reasoning: Object<'static>, extra: &mut Object<'static>) -> Vec<Json> {
    let details: Vec<Json> = match reasoning.get("reasoning_details") {
        Some(Value::Array(details)) => details.iter().filter(|d| d.as_object().is_some()).cloned().collect(),
        _ => Vec::new(),
    };
    let typed = match reasoning.0.as_slice() {
        [] => true,
        [(key, Value::String(text))] => key == "reasoning_content" && !text.is_empty(),
        [(key, Value::Array(all))] => {
            key == "reasoning_details"
                && !all.is_empty()
                && all.iter().all(|d| d.kind().is_some_and(|kind| kind.starts_with("reasoning.")))
        }
        _ => false,
    };
    if !typed {
        extra.set("$reasoning", Value::Object(reasoning));
    }
    details
}

fn read_call(cursor: Cursor<'_>) -> Result<ToolCall> {
    let fields = cursor.fields()?;
    let kind = match fields.some_str("type")? {
        Some("function") => CallKind::Function,
        Some("custom") => CallKind::Custom,
        Some(_) => return Err(Error::shape(fields.path().key("type"), "expected function or custom")),
        None if fields.some("custom").is_some() => CallKind::Custom,
        None => CallKind::Function,
    };
    let key = kind.as_str();
    let text_key = if kind == CallKind::Custom { "input" } else { "arguments" };
    let inner = fields.need(key)?;
    let inner = inner.fields()?;
    let mut extra = rest(&fields, &["id", "type", key]);
    let mut left = rest(&inner, &["name", "namespace", text_key]);
    left.remove(text_key);
    if !left.is_empty() {
        extra.set(key, Value::Object(left));
    }
    Ok(ToolCall {
        id: fields.need_str("id")?.into(),
        name: inner.need_str("name")?.into(),
        arguments: match inner.get(text_key) {
            None => "".into(),
            Some(c) => match c.value {
                Value::Null => "".into(),
                Value::String(text) => text.as_ref().into(),
                // Some senders write the object itself.
                Value::Object(_) => compact(c.value).into(),
                _ => return Err(c.expected("a string")),
            },
        },
        kind,
        namespace: inner.some_str("namespace")?.map(Text::from),
        extra: Extra::new(Dialect::Chat, extra),
    })
}
