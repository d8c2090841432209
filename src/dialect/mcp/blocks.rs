//! MCP content blocks to parts.

use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Object, Value};
use crate::message::{Dialect, Extra, FileSource, Part, PartKind, Text};

/// A member under its wire name or its Python name.
fn named<'p>(fields: &'p Fields<'p>, wire: &'p str, python: &'p str) -> Option<Cursor<'p>> {
    fields.some(wire).or_else(|| fields.some(python))
}

fn need_named<'p>(fields: &'p Fields<'p>, wire: &'p str, python: &'p str) -> Result<&'p str> {
    match named(fields, wire, python) {
        Some(cursor) => cursor.str(),
        None => Err(Error::shape(fields.path().key(wire), "missing")),
    }
}

/// The whole block in wire spelling, so that the way back gives it unchanged.
fn whole(fields: &Fields<'_>) -> Extra {
    let mut block = wire_named(fields.object, &[]);
    if let Some(Value::Object(resource)) = fields.object.get("resource") {
        block.set("resource", Value::Object(wire_named(resource, &[])));
    }
    Extra::new(Dialect::Mcp, block)
}

/// The members that are not in `known`, in wire spelling. Null is an unset field, as the SDK's Python models dump it.
pub(super) fn wire_named(object: &Object<'_>, known: &[&str]) -> Object<'static> {
    // Where both spellings stand, the wire's counts.
    let is_alias = |key: &str| wire_name(key) != key && object.get(wire_name(key)).is_some();
    let left_out = |key: &str| known.contains(&key) || is_alias(key);
    let members = object.iter().filter(|(key, value)| !value.is_null() && !left_out(key));
    Object(
        members.map(|(key, value)| (wire_name(key).to_owned().into(), value.clone().into_owned())).collect(),
    )
}

pub(super) fn wire_name(key: &str) -> &str {
    match key {
        "mime_type" => "mimeType",
        "meta" => "_meta",
        "is_error" => "isError",
        "structured_content" => "structuredContent",
        "result_type" => "resultType",
        other => other,
    }
}

/// The fields of a block that have no typed form.
fn rest(fields: &Fields<'_>, known: &[&str]) -> Extra {
    Extra::new(Dialect::Mcp, wire_named(fields.object, known))
}

fn data_url(media_type: &str, data: &str) -> Text {
    format!("data:{media_type};base64,{data}").into()
}

pub(super) fn read_block(cursor: Cursor<'_>) -> Result<Part> {
    let fields = cursor.fields()?;
    match fields.need_str("type")? {
        "text" => Ok(Part {
            kind: PartKind::Text(fields.need_str("text")?.into()),
            extra: rest(&fields, &["type", "text"]),
        }),
        "image" => {
            let media_type = need_named(&fields, "mimeType", "mime_type")?;
            Ok(Part {
                kind: PartKind::Image { url: data_url(media_type, fields.need_str("data")?), detail: None },
                extra: rest(&fields, &["type", "data", "mimeType", "mime_type"]),
            })
        }
        "audio" => {
            let media_type = need_named(&fields, "mimeType", "mime_type")?;
            Ok(Part {
                kind: PartKind::Audio {
                    data: fields.need_str("data")?.into(),
                    media_type: media_type.into(),
                },
                extra: rest(&fields, &["type", "data", "mimeType", "mime_type"]),
            })
        }
        "resource_link" => {
            let uri = fields.need_str("uri")?;
            let name = match fields.some_str("title")? {
                Some(title) => title,
                None => fields.some_str("name")?.unwrap_or_default(),
            };
            let line = if name.is_empty() { format!("<{uri}>") } else { format!("{name} <{uri}>") };
            Ok(Part { kind: PartKind::Text(line.into()), extra: whole(&fields) })
        }
        "resource" => Ok(Part { kind: resource(fields.need("resource")?)?, extra: whole(&fields) }),
        _ => Ok(Part::new(PartKind::Native { dialect: Dialect::Mcp, value: cursor.to_json() })),
    }
}

fn resource(cursor: Cursor<'_>) -> Result<PartKind> {
    let fields = cursor.fields()?;
    let uri: Text = fields.need_str("uri")?.into();
    let media_type = named(&fields, "mimeType", "mime_type").map(|c| c.str()).transpose()?;
    if let Some(text) = fields.some_str("text")? {
        return Ok(PartKind::File {
            source: FileSource::Text(text.into()),
            media_type: media_type.map(Text::from),
            filename: Some(uri),
        });
    }
    let blob = match fields.some_str("blob")? {
        Some(blob) => blob,
        None => return Err(cursor.expected("a text or a blob")),
    };
    Ok(match media_type {
        Some(kind) if kind.starts_with("image/") => {
            PartKind::Image { url: data_url(kind, blob), detail: None }
        }
        Some(kind) if kind.starts_with("audio/") => {
            PartKind::Audio { data: blob.into(), media_type: kind.into() }
        }
        _ => PartKind::File {
            source: FileSource::Data(blob.into()),
            media_type: media_type.map(Text::from),
            filename: Some(uri),
        },
    })
}
