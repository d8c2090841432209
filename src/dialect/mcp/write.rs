//! A tool message to a `CallToolResult` in wire spelling.

use super::blocks::read_block;
use super::{CONTENT, STRUCTURED};
use crate::dialect::leave;
use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{Content, Dialect, FileSource, Part, PartKind, Text, ToolMessage, data_url};
use crate::path::Path;

/// Writes the result that a tool message stands for. Silence about the outcome stays silence, which a client may
/// read as success (`outcome.implied`).
///
/// `version` is the protocol version of the client: since 2026-07-28 a result must say that it is complete, before it
/// must not, and its structured content is an object. Without a version, what was read is written.
pub fn write_result(message: &ToolMessage, version: Option<&str>) -> Result<(Object<'static>, Losses)> {
    let since_2026 = match version {
        None => None,
        Some("2025-06-18" | "2025-11-25") => Some(false),
        Some("2026-07-28") => Some(true),
        Some(_) => {
            let path = Path::root().key("version");
            return Err(Error::unsupported(path, "expected 2025-06-18, 2025-11-25 or 2026-07-28"));
        }
    };
    let mut losses = Losses::default();
    let path = Path::root().key("content");
    leave(Dialect::Mcp, &message.extra, &Path::root(), &mut losses);
    let own = message.extra.of(Dialect::Mcp);
    let mut content = Vec::new();
    match &message.content {
        Content::Text(text) => {
            let layout = own
                .and_then(|fields| fields.get(CONTENT)?.as_array()?.first()?.as_object().cloned())
                .filter(|fields| fields.get("type").is_none());
            let structured = layout.as_ref().is_some_and(|fields| fields.get(STRUCTURED).is_some());
            if !structured && (layout.is_some() || !text.is_empty()) {
                content.push(Value::Object(text_block(text, layout.as_ref())));
            }
        }
        Content::Parts(parts) => {
            for (n, part) in parts.iter().enumerate() {
                content.extend(write_block(part, &path.index(n), &mut losses)?);
            }
        }
    }
    let mut result = Object::default().with("content", content);
    let own = own.into_iter().flat_map(Object::iter);
    result.add_absent(own.filter(|(key, _)| !matches!(key.as_ref(), CONTENT | "error")));
    match message.is_error {
        Some(outcome) => result.set("isError", outcome.into()),
        None => {
            losses.add(Code::OutcomeImplied, Path::root().key("isError"), "absent reads as success in MCP")
        }
    }
    match since_2026 {
        Some(true) => result.set("resultType", "complete".into()),
        Some(false) => {
            result.remove("resultType");
            if result.get("structuredContent").is_some_and(|value| value.as_object().is_none()) {
                result.remove("structuredContent");
                let detail = "before 2026-07-28 it must be an object: the text says it";
                losses.add(Code::StructuredAsText, Path::root().key("structuredContent"), detail);
            }
        }
        None => {}
    }
    Ok((result, losses))
}

fn text_block(text: &Text, rest: Option<&Object<'static>>) -> Object<'static> {
    let mut block = Object::default().with("type", "text").with("text", text.to_string());
    block.0.extend(rest.into_iter().flat_map(|fields| fields.0.iter().cloned()));
    block
}

fn write_block(part: &Part, path: &Path, losses: &mut Losses) -> Result<Option<Json>> {
    leave(Dialect::Mcp, &part.extra, path, losses);
    let own = part.extra.of(Dialect::Mcp);
    if let Some(fields) = own {
        if fields.get(STRUCTURED).is_some() {
            return Ok(None);
        }
        if fields.get("type").is_some() {
            let block = Value::Object(fields.clone());
            if read_block(Cursor::root(&block)).is_ok_and(|read| read.kind == part.kind) {
                return Ok(Some(block));
            }
            losses.add(Code::NativeStale, path.clone(), "the part was changed after it was read");
        }
    }
    let rest = own.filter(|fields| fields.get("type").is_none());
    let mut block = match &part.kind {
        PartKind::Text(text) => text_block(text, None),
        PartKind::Image { url, detail } => {
            if detail.is_some() {
                losses.add(Code::ImageDetailDropped, path.key("detail"), "MCP images have no detail");
            }
            match data_url(url) {
                Some((media_type, data)) => media("image", media_type, data),
                None => {
                    losses.add(
                        Code::ImageAsLink,
                        path.clone(),
                        "MCP images hold data: the address is written as a link",
                    );
                    link(url, "image")
                }
            }
        }
        PartKind::Audio { data, media_type } => media("audio", media_type, data),
        PartKind::File { source, media_type, filename } => file(source, media_type, filename, path)?,
        PartKind::Native { dialect: Dialect::Mcp, value } => return Ok(Some(value.clone())),
        PartKind::Native { dialect, .. } => {
            return Err(Error::unsupported(
                path.clone(),
                format!("a native {dialect} block has no form in MCP"),
            ));
        }
    };
    block.0.extend(rest.into_iter().flat_map(|fields| fields.0.iter().cloned()));
    Ok(Some(Value::Object(block)))
}

fn media(kind: &'static str, media_type: &str, data: &str) -> Object<'static> {
    Object::default().with("type", kind).with("data", data.to_owned()).with("mimeType", media_type.to_owned())
}

fn link(uri: &str, name: &str) -> Object<'static> {
    Object::default().with("type", "resource_link").with("uri", uri.to_owned()).with("name", name.to_owned())
}

fn file(
    source: &FileSource,
    media_type: &Option<Text>,
    filename: &Option<Text>,
    path: &Path,
) -> Result<Object<'static>> {
    // A resource must have an address: a file name becomes a relative one.
    let uri = filename.as_deref().unwrap_or("document");
    let (key, value) = match source {
        FileSource::Url(url) => return Ok(link(url, uri)),
        FileSource::Id(_) => {
            return Err(Error::unsupported(path.clone(), "a file stored at a provider has no form in MCP"));
        }
        FileSource::Data(data) => ("blob", data),
        FileSource::Text(text) => ("text", text),
    };
    let resource = Object::default()
        .with("uri", uri.to_owned())
        .with_some("mimeType", media_type.as_deref().map(str::to_owned))
        .with(key, value.to_string());
    Ok(Object::default().with("type", "resource").with("resource", resource))
}
