//! A `CallToolResult`, or the JSON-RPC response around it, to a tool message.

use super::blocks::{read_block, wire_named};
use super::{CONTENT, STRUCTURED};
use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Kind, Result};
use crate::json::{Cursor, Fields, Object, Repeats, Value, compact, parse_text};
use crate::message::{Content, Dialect, Extra, Part, PartKind, Text, ToolMessage};
use crate::path::Path;

fn refused(path: Path, what: &str) -> Error {
    Error::new(Kind::Result, path, what)
}

/// A member under its wire name or its Python name, null included; both at once contradict each other.
fn either<'p>(fields: &'p Fields<'p>, wire: &'p str, python: &'p str) -> Result<Option<Cursor<'p>>> {
    match (fields.get(wire), fields.get(python)) {
        (Some(_), Some(second)) => {
            Err(refused(second.path(), &format!("stands beside {wire}: one outcome, one spelling")))
        }
        (first, second) => Ok(first.or(second)),
    }
}

/// Reads the result of a completed call. `isError` absent means that nobody said, although the specification lets
/// a client assume success.
pub fn read_result(result: Cursor<'_>, tool_call_id: Text, name: Option<Text>) -> Result<ToolMessage> {
    let fields = result.fields()?;
    if fields.get("jsonrpc").is_some() {
        if let (Some(_), Some(error)) = (fields.get("result"), fields.get("error")) {
            return Err(refused(error.path(), "stands beside a result: a call has one or the other"));
        }
        if let Some(inner) = fields.get("result") {
            return read_result(inner, tool_call_id, name);
        }
        if let Some(error) = fields.get("error") {
            return protocol_error(error, tool_call_id, name);
        }
    }
    let kind = either(&fields, "resultType", "result_type")?.filter(|kind| !kind.is_null());
    if let Some(kind) = &kind
        && kind.value.as_str() != Some("complete")
    {
        return Err(refused(kind.path(), "not a completed call: only a `complete` result has an outcome"));
    }
    let is_error = match either(&fields, "isError", "is_error")? {
        None => None,
        Some(flag) => Some(flag.bool().map_err(|_| refused(flag.path(), "expected true or false"))?),
    };
    // Null is a value since 2026-07-28, which has a `resultType`; in a model's dump it is one unset field of several.
    let is_null = |key: &str| fields.object.get(key).is_some_and(Value::is_null);
    let null_says_nothing = kind.is_none() || is_null("_meta") || is_null("meta");
    let structured = either(&fields, "structuredContent", "structured_content")?
        .filter(|value| !(value.is_null() && null_says_nothing));
    let mut parts = Vec::new();
    match fields.some("content") {
        Some(content) => {
            for block in content.items()? {
                parts.push(read_block(block)?);
            }
        }
        None if is_error.is_none() && structured.is_none() => {
            return Err(refused(fields.path().key("content"), "missing: this is no tool result"));
        }
        None => {}
    }
    if let Some(value) = structured.map(|c| c.value)
        && !is_repeated(value, &parts)
    {
        let mut part = Part::text(compact(value));
        part.extra = Extra::new(Dialect::Mcp, Object::default().with(STRUCTURED, true));
        parts.push(part);
    }
    let mut extra = wire_named(fields.object, &["content", "isError", "is_error", "jsonrpc"]);
    if structured.is_some_and(|c| c.is_null()) {
        extra.set("structuredContent", Value::Null);
    }
    let content = collapse(parts, &mut extra);
    Ok(ToolMessage { tool_call_id, content, name, is_error, extra: Extra::new(Dialect::Mcp, extra) })
}

/// An error answer to the call itself (unknown tool, bad request): the protocol declares the failure.
fn protocol_error(error: Cursor<'_>, tool_call_id: Text, name: Option<Text>) -> Result<ToolMessage> {
    let fields = error.fields()?;
    let message: Text = fields.need_str("message")?.into();
    let extra = Object::default().with("error", error.to_json());
    Ok(ToolMessage {
        tool_call_id,
        content: Content::Text(message),
        name,
        is_error: Some(true),
        extra: Extra::new(Dialect::Mcp, extra),
    })
}

/// One text block is plain text to every wire; what else it held is kept beside the message.
fn collapse(mut parts: Vec<Part>, extra: &mut Object<'static>) -> Content {
    if parts.is_empty() {
        return Content::default();
    }
    let whole_block = parts[0].extra.of(Dialect::Mcp).is_some_and(|fields| fields.get("type").is_some());
    if parts.len() > 1 || whole_block {
        return Content::Parts(parts);
    }
    let part = parts.remove(0);
    let PartKind::Text(text) = part.kind else { return Content::Parts(vec![part]) };
    let rest = part.extra.of(Dialect::Mcp).cloned().unwrap_or_default();
    // Empty text and no block at all differ.
    if text.is_empty() || !rest.is_empty() {
        extra.set(CONTENT, Value::Array(vec![Value::Object(rest)]));
    }
    Content::Text(text)
}

/// Do the blocks already say what `structuredContent` says? Servers repeat it as JSON text; those that wrap a bare
/// value as `{"result": value}` repeat the value, or one block per element of a list.
fn is_repeated(structured: &Value<'_>, parts: &[Part]) -> bool {
    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).map(|t| &**t).collect();
    let says = |text: &str, value: &Value<'_>| {
        value.as_str() == Some(text)
            || parse_text(text, Repeats::LastWins).is_ok_and(|parsed| parsed.value == *value)
    };
    if texts.iter().any(|text| says(text, structured)) {
        return true;
    }
    let Some(object) = structured.as_object().filter(|o| o.len() == 1) else { return false };
    let Some(inner) = object.get("result") else { return false };
    match inner {
        Value::Array(items)
            if items.len() == texts.len() && texts.iter().zip(items).all(|(t, i)| says(t, i)) =>
        {
            true
        }
        _ => texts.iter().any(|text| says(text, inner)),
    }
}

/// Reports what other wires do not get of an MCP result.
pub(in crate::dialect) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    match fields.get("type").and_then(|kind| kind.as_str()) {
        Some("resource_link") => {
            losses.add(Code::BlockAsText, path.clone(), "a resource link is written as a line")
        }
        Some("resource") => losses.add(Code::MetaDropped, path.key("resource"), "the resource's address"),
        _ => {}
    }
    for (key, value) in fields.iter() {
        match key.as_ref() {
            STRUCTURED => {
                losses.add(Code::StructuredAsText, path.clone(), "structured content is written as JSON text")
            }
            CONTENT => {
                for inner in value.as_array().unwrap_or_default().iter().filter_map(Value::as_object) {
                    leave(inner, &path.key("content").index(0), losses);
                }
            }
            "annotations" | "_meta" | "error" => {
                losses.add(Code::MetaDropped, path.key(key), "only MCP has this field");
            }
            // Said by the content as well, by the stand-in, or by nothing but the protocol.
            "type" | "structuredContent" | "resultType" | "uri" | "name" | "title" | "description"
            | "mimeType" | "size" | "icons" | "resource" => {}
            other => losses.add(Code::FieldDropped, path.key(other), "only MCP has this field"),
        }
    }
}
