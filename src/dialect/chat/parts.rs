//! Content parts of Chat Completions, in both directions.

use super::{LAYOUT, merge, rest};
use crate::dialect::leave;
use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{Content, Dialect, Extra, FileSource, Part, PartKind, Text, data_url};
use crate::path::Path;

pub(super) fn read_content(cursor: Option<Cursor<'_>>) -> Result<Content> {
    match cursor {
        None => Ok(Content::default()),
        Some(c) if c.is_null() => Ok(Content::default()),
        Some(c) => match c.value {
            Value::String(text) => Ok(Content::Text(text.as_ref().into())),
            Value::Array(_) => Ok(Content::Parts(c.items()?.map(read_part).collect::<Result<_>>()?)),
            _ => Err(c.expected("a string or a list of parts")),
        },
    }
}

fn native(cursor: Cursor<'_>) -> Part {
    Part::new(PartKind::Native { dialect: Dialect::Chat, value: cursor.to_json() })
}

fn read_part(cursor: Cursor<'_>) -> Result<Part> {
    let fields = cursor.fields()?;
    let (kind, mut extra) = match fields.need_str("type")? {
        "text" => (PartKind::Text(fields.need_str("text")?.into()), rest(&fields, &["type", "text"])),
        "image_url" => {
            let image = fields.need("image_url")?;
            let extra = rest(&fields, &["type", "image_url"]);
            // Some senders write the address alone.
            if let Some(url) = image.value.as_str() {
                return Ok(Part {
                    kind: PartKind::Image { url: url.into(), detail: None },
                    extra: Extra::new(Dialect::Chat, extra),
                });
            }
            let image = image.fields()?;
            let kind = PartKind::Image {
                url: image.need_str("url")?.into(),
                detail: image.some_str("detail")?.map(Text::from),
            };
            (kind, within(extra, "image_url", rest(&image, &["url", "detail"])))
        }
        "input_audio" => {
            let audio = fields.need("input_audio")?;
            let audio = audio.fields()?;
            let kind = PartKind::Audio {
                data: audio.need_str("data")?.into(),
                media_type: media_type(audio.need_str("format")?).into(),
            };
            let extra = rest(&fields, &["type", "input_audio"]);
            (kind, within(extra, "input_audio", rest(&audio, &["data", "format"])))
        }
        "file" => {
            let file = fields.need("file")?;
            let file = file.fields()?;
            let (data, id) = (file.some_str("file_data")?, file.some_str("file_id")?);
            let (source, media_type) = match (data, id) {
                (Some(data), None) => match data_url(data) {
                    Some((kind, data)) => (FileSource::Data(data.into()), Some(Text::from(kind))),
                    None => (FileSource::Data(data.into()), None),
                },
                (None, Some(id)) => (FileSource::Id(id.into()), None),
                (Some(_), Some(_)) | (None, None) => return Ok(native(cursor)),
            };
            let filename = file.some_str("filename")?.map(Text::from);
            let extra = rest(&fields, &["type", "file"]);
            (
                PartKind::File { source, media_type, filename },
                within(extra, "file", rest(&file, &["file_data", "file_id", "filename"])),
            )
        }
        // Kept as they are, calls and outcomes would pass for things that were said.
        "tool_use" | "tool_result" => {
            let what = "expected a part of Chat Completions: this body is of another dialect";
            return Err(Error::shape(fields.path().key("type"), what));
        }
        _ => return Ok(native(cursor)),
    };
    extra.0.retain(|(key, _)| key != "type");
    let part = Part { kind, extra: Extra::new(Dialect::Chat, extra) };
    // What a part cannot hold exactly (data URL parameters, an unknown audio format) stays as it is.
    let is_exact = match &part.kind {
        PartKind::Text(_) => true,
        // As long as images are, they are not written to see it.
        PartKind::Image { .. } => !holds_layout(&fields),
        _ => write_part(&part, true, &Path::root(), &mut Losses::default()).is_ok_and(|w| w == *cursor.value),
    };
    Ok(if is_exact { part } else { native(cursor) })
}

/// Does a part have a key, or its image, that is not kept?
fn holds_layout(fields: &Fields<'_>) -> bool {
    let image = fields.object.get("image_url").and_then(Value::as_object);
    let mut keys = std::iter::once(fields.object).chain(image).flat_map(Object::iter);
    keys.any(|(key, _)| LAYOUT.contains(&key.as_ref()))
}

fn within(mut extra: Object<'static>, key: &'static str, inner: Object<'static>) -> Object<'static> {
    if !inner.is_empty() {
        extra.0.push((key.into(), Value::Object(inner)));
    }
    extra
}

fn media_type(format: &str) -> String {
    match format {
        "mp3" => "audio/mpeg".to_owned(),
        other => format!("audio/{other}"),
    }
}

fn format(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

fn is_document(media_type: &str) -> bool {
    media_type == "application/pdf" || media_type == "application/json" || media_type.starts_with("text/")
}

pub(super) fn write_content(content: &Content, same: bool, path: &Path, losses: &mut Losses) -> Result<Json> {
    match content {
        Content::Text(text) => Ok(Value::from(text.to_string())),
        Content::Parts(parts) => {
            let mut written = Vec::with_capacity(parts.len());
            for (n, part) in parts.iter().enumerate() {
                written.push(write_part(part, same, &path.key("content").index(n), losses)?);
            }
            Ok(Value::Array(written))
        }
    }
}

/// Text documents as text parts, so that they stay inside a tool result when its media is moved out.
pub(super) fn documents_as_text(content: &Content, path: &Path, losses: &mut Losses) -> Content {
    let Content::Parts(parts) = content else { return content.clone() };
    let parts = parts.iter().enumerate().map(|(n, part)| match &part.kind {
        PartKind::File { source: FileSource::Text(text), media_type: _, filename } => {
            leave(Dialect::Chat, &part.extra, &path.key("content").index(n), losses);
            Part::text(as_text(text, filename.as_ref(), &path.key("content").index(n), losses))
        }
        _ => part.clone(),
    });
    Content::Parts(parts.collect())
}

fn as_text(text: &Text, filename: Option<&Text>, path: &Path, losses: &mut Losses) -> String {
    losses.add(Code::DocumentAsText, path.clone(), "a text document is written as text under its name");
    let name = filename.map(|name| format!("{name}\n")).unwrap_or_default();
    format!("{name}{text}")
}

/// `same`: the part was read from this wire, whatever its media type.
pub(super) fn write_part(part: &Part, same: bool, path: &Path, losses: &mut Losses) -> Result<Json> {
    leave(Dialect::Chat, &part.extra, path, losses);
    let own = part.extra.of(Dialect::Chat);
    let inner = |key: &str| own.and_then(|fields| fields.get(key)?.as_object());
    let mut written = match &part.kind {
        PartKind::Text(text) => Object::default().with("type", "text").with("text", text.to_string()),
        PartKind::Image { url, detail } => {
            let mut image = Object::default()
                .with("url", url.to_string())
                .with_some("detail", detail.as_deref().map(str::to_owned));
            merge(&mut image, inner("image_url"));
            Object::default().with("type", "image_url").with("image_url", image)
        }
        PartKind::Audio { data, media_type } => {
            let Some(format) = format(media_type) else {
                return Err(Error::unsupported(
                    path.clone(),
                    "Chat Completions takes audio as wav or mp3 only",
                ));
            };
            let mut audio = Object::default().with("data", data.to_string()).with("format", format);
            merge(&mut audio, inner("input_audio"));
            Object::default().with("type", "input_audio").with("input_audio", audio)
        }
        PartKind::File { source, media_type, filename } => {
            let file = Object::default();
            let mut file = match source {
                FileSource::Data(_)
                    if !same && media_type.as_deref().is_some_and(|kind| !is_document(kind)) =>
                {
                    let what = "Chat Completions takes PDF and text documents only";
                    return Err(Error::unsupported(path.clone(), what));
                }
                FileSource::Data(data) => file.with(
                    "file_data",
                    match media_type {
                        Some(kind) => format!("data:{kind};base64,{data}"),
                        None => data.to_string(),
                    },
                ),
                FileSource::Id(id) => file.with("file_id", id.to_string()),
                FileSource::Text(text) => {
                    let text = as_text(text, filename.as_ref(), path, losses);
                    return Ok(Value::from(Object::default().with("type", "text").with("text", text)));
                }
                FileSource::Url(_) => {
                    return Err(Error::unsupported(
                        path.clone(),
                        "Chat Completions takes no document by URL",
                    ));
                }
            }
            .with_some("filename", filename.as_deref().map(str::to_owned));
            merge(&mut file, inner("file"));
            Object::default().with("type", "file").with("file", file)
        }
        PartKind::Native { dialect: Dialect::Chat, value } => return Ok(value.clone()),
        PartKind::Native { dialect, .. } => {
            return Err(Error::unsupported(
                path.clone(),
                format!("a native {dialect} part has no form in Chat Completions"),
            ));
        }
    };
    merge(&mut written, own);
    Ok(Value::Object(written))
}
