//! The table of what is part of a message's identity, in the order it is hashed; what is not here is not part of it.

use super::Fields;
use crate::json::{Json, Object, Value, canonical, canonical_object, canonical_text};
use crate::message::{
    AssistantMessage, CallKind, Content, Message, OPAQUE_FIELDS, Part, PartKind, Tool, ToolKind, ToolMessage,
    extra_to_plain, item_kind, part_to_plain,
};

pub(super) fn message(message: &Message, out: &mut Fields) {
    out.add(message.role());
    match message {
        Message::System(m) => content(&m.content, out),
        Message::User(m) => content(&m.content, out),
        Message::Assistant(m) => assistant(m, out),
        Message::Tool(m) => tool(m, out),
    }
}

fn text(text: &str, out: &mut Fields) {
    out.add("text");
    out.add(text);
}

fn content(content: &Content, out: &mut Fields) {
    match content {
        Content::Text(t) => text(t, out),
        Content::Parts(parts) => {
            out.add("parts");
            out.add(parts.len().to_string());
            for p in parts {
                part(p, out);
            }
        }
    }
}

fn part(part: &Part, out: &mut Fields) {
    match &part.kind {
        PartKind::Text(t) => {
            out.add("text");
            out.add(&**t);
        }
        // How closely a model should look (`detail`) is a setting, not what was said.
        PartKind::Image { url, detail: _ } => {
            out.add("image_url");
            out.add(&**url);
        }
        kind @ (PartKind::Audio { .. } | PartKind::File { .. } | PartKind::Native { .. }) => {
            let plain = part_to_plain(&Part::new(kind.clone()));
            out.add(plain.kind().unwrap_or(""));
            out.add(canonical(&plain));
        }
    }
}

fn assistant(m: &AssistantMessage, out: &mut Fields) {
    text(m.content.as_deref().unwrap_or(""), out);
    if let Some(reasoning) = &m.reasoning_content {
        out.add("reasoning");
        out.add(&**reasoning);
    }
    for item in &m.provider_state {
        if let Some((kind, state)) = state(item, m) {
            out.add("state");
            out.add(kind);
            out.add(canonical(&state));
        }
    }
    for call in &m.tool_calls {
        out.add("call");
        out.add(call.kind.as_str());
        out.add(&*call.id);
        out.add(&*call.name);
        out.add(call.namespace.as_deref().unwrap_or(""));
        match call.kind {
            CallKind::Custom => out.add(&*call.arguments),
            CallKind::Function => match canonical_text(&call.arguments) {
                Some(canonical) => out.add(canonical),
                None => out.add(&*call.arguments),
            },
        }
    }
}

/// What a provider-state item adds to the identity: nothing where the typed fields say it all, the opaque fields
/// where they say the rest, else the whole item. The rule is the host framework's own.
fn state<'a>(item: &'a Json, turn: &AssistantMessage) -> Option<(&'a str, Json)> {
    let kind = item_kind(item);
    let represented = match kind {
        "message" | "reasoning" => true,
        "function_call" | "custom_tool_call" => turn.has_call_of(item),
        _ => false,
    };
    if !represented {
        return Some((kind, item.clone()));
    }
    let mut held = Object::default();
    for key in OPAQUE_FIELDS {
        if let Some(value) = item.get(key).filter(|v| !v.is_null()) {
            held.set(key, value.clone());
        }
    }
    if kind == "message"
        && let Some(parts) = item.get("content").and_then(|c| c.as_array())
    {
        let untyped: Vec<Json> = parts
            .iter()
            .filter(|p| !matches!(p.kind(), Some("input_text" | "output_text")))
            .cloned()
            .collect();
        if !untyped.is_empty() {
            held.set("content", Value::Array(untyped));
        }
    }
    (!held.is_empty()).then_some((kind, Value::Object(held)))
}

fn tool(m: &ToolMessage, out: &mut Fields) {
    content(&m.content, out);
    out.add("tool_call_id");
    out.add(&*m.tool_call_id);
    // Only failure: a declared success and silence are the same message.
    if m.failed() {
        declare_failed(out);
    }
}

/// The last field of a tool result.
pub(super) fn declare_failed(out: &mut Fields) {
    out.add("is_error");
}

/// Is it a tool result of which nobody said whether it failed?
pub(super) fn is_silent(message: &Message) -> bool {
    matches!(message, Message::Tool(m) if m.is_error.is_none())
}

pub(super) fn tools(tools: &[Tool], out: &mut Fields) {
    out.add(tools.len().to_string());
    for tool in tools {
        out.add(declaration(tool));
    }
}

/// The tool as `tool_to_plain` gives it, but never without a description and parameters.
fn declaration(tool: &Tool) -> Vec<u8> {
    let none = Value::Object(Object::default());
    let (kind, name) = (Value::from(tool.kind.as_str()), Value::from(&*tool.name));
    let namespace = tool.namespace.as_deref().map(Value::from);
    let description = Value::from(tool.description.as_deref().unwrap_or(""));
    let strict = tool.strict.map(Value::from);
    // A provider's own tool is its declaration; elsewhere, fields of one wire are not part of it.
    let extra = if matches!(tool.kind, ToolKind::Native(_)) { extra_to_plain(&tool.extra) } else { None };
    let members = [
        ("type", Some(&kind)),
        ("name", Some(&name)),
        ("namespace", namespace.as_ref()),
        ("description", Some(&description)),
        ("parameters", Some(tool.parameters.as_ref().unwrap_or(&none))),
        ("strict", strict.as_ref()),
        ("format", tool.format.as_ref()),
        ("extra", extra.as_ref()),
    ];
    canonical_object(members.into_iter().filter_map(|(key, member)| Some((key, member?))).collect())
}
