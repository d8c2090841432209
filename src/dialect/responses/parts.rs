//! Content parts of messages and tool outputs, both ways.

use super::{HERE, Mode, put_back, some_text, text};
use crate::dialect::{Code, Losses};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{Content, Dialect, Extra, FileSource, Part, PartKind, Text, data_url};
use crate::path::Path;

/// What holds a part: not every place takes the same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Message,
    FunctionOutput,
    CustomOutput,
}

/// A string or a list of parts.
pub(super) fn read_content(content: Cursor<'_>) -> Result<Content> {
    match content.value {
        Value::String(s) => Ok(Content::Text(s.as_ref().into())),
        Value::Array(_) => Ok(Content::Parts(content.items()?.map(read_part).collect::<Result<_>>()?)),
        _ => Err(content.expected("a string or a list of parts")),
    }
}

fn read_part(part: Cursor<'_>) -> Result<Part> {
    let fields = part.fields()?;
    match fields.need_str("type")? {
        "input_text" => {
            let kind = PartKind::Text(fields.need_str("text")?.into());
            Ok(Part { kind, extra: Extra::new(HERE, fields.rest(&["type", "text"])) })
        }
        // Not an input part, but what it says is text.
        "output_text" => Ok(Part {
            kind: PartKind::Text(fields.need_str("text")?.into()),
            extra: Extra::new(HERE, fields.rest(&[])),
        }),
        "input_image" => read_image(part, &fields),
        "input_file" => read_file(part, &fields),
        _ => Ok(native(part)),
    }
}

fn native(part: Cursor<'_>) -> Part {
    Part::new(PartKind::Native { dialect: HERE, value: part.to_json() })
}

fn read_image(part: Cursor<'_>, fields: &Fields<'_>) -> Result<Part> {
    let (url, detail) = (fields.some_str("image_url")?, fields.some_str("detail")?);
    let (Some(url), None) = (url, fields.some_str("file_id")?) else { return Ok(native(part)) };
    let mut known = vec!["type", "image_url"];
    if detail.is_some() {
        known.push("detail");
    }
    let kind = PartKind::Image { url: url.into(), detail: detail.map(Text::from) };
    Ok(Part { kind, extra: Extra::new(HERE, fields.rest(&known)) })
}

fn read_file(part: Cursor<'_>, fields: &Fields<'_>) -> Result<Part> {
    let filename = fields.some_str("filename")?;
    let sources = [
        ("file_data", fields.some_str("file_data")?),
        ("file_url", fields.some_str("file_url")?),
        ("file_id", fields.some_str("file_id")?),
    ];
    let mut said = sources.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let (Some((key, value)), None) = (said.next(), said.next()) else { return Ok(native(part)) };
    let mut media_type = None;
    let mut whole = false;
    let source = match key {
        "file_url" => FileSource::Url(value.into()),
        "file_id" => FileSource::Id(value.into()),
        _ => match data_url(value) {
            Some((kind, data)) => {
                // Parameters of the type have no typed form.
                whole = kind.is_empty() || value.len() != "data:;base64,".len() + kind.len() + data.len();
                media_type = (!kind.is_empty()).then(|| Text::from(kind));
                FileSource::Data(data.into())
            }
            None if value.starts_with("data:") => return Ok(native(part)),
            None => FileSource::Data(value.into()),
        },
    };
    let mut known = vec!["type", key];
    if filename.is_some() {
        known.push("filename");
    }
    let kind = PartKind::File { source, media_type, filename: filename.map(Text::from) };
    Ok(Part { kind, extra: Extra::new(HERE, fields.rest(if whole { &[] } else { &known })) })
}

/// The item that stands as the only part of a message and is written in its place.
pub(super) fn whole_item(content: &Content) -> Option<&Json> {
    let Content::Parts(parts) = content else { return None };
    let [Part { kind: PartKind::Native { dialect: Dialect::Responses, value }, extra: _ }] = &parts[..]
    else {
        return None;
    };
    let kind = value.kind()?;
    (value.get("role").is_some() || kind.ends_with("_output") || kind.ends_with("_response")).then_some(value)
}

pub(super) fn write_content(
    content: &Content,
    place: Place,
    mode: Mode,
    path: &Path,
    losses: &mut Losses,
) -> Result<Json> {
    match content {
        Content::Text(t) => Ok(text(t)),
        Content::Parts(parts) => {
            let path = path.key("content");
            let parts = parts
                .iter()
                .enumerate()
                .map(|(n, part)| write_part(part, place, mode, &path.index(n), losses))
                .collect::<Result<Vec<_>>>()?;
            Ok(parts.into())
        }
    }
}

fn write_part(part: &Part, place: Place, mode: Mode, path: &Path, losses: &mut Losses) -> Result<Json> {
    let mut own = true;
    if let Some(fields) =
        part.extra.of(HERE).filter(|fields| fields.get("type").is_some_and(|kind| kind.as_str().is_some()))
    {
        let whole = Value::Object(fields.clone());
        if read_part(Cursor::root(&whole)).is_ok_and(|back| back.kind == part.kind) {
            return Ok(whole);
        }
        own = false;
        losses.add(Code::NativeStale, path.clone(), "the part was changed after it was read");
    }
    crate::dialect::leave(HERE, &part.extra, path, losses);
    let object = Object::default();
    let mut object = match &part.kind {
        PartKind::Text(t) => object.with("type", "input_text").with("text", text(t)),
        PartKind::Image { url, detail } => {
            // Messages and custom outputs must name a detail; `auto` is what its absence means elsewhere.
            let detail = match detail {
                Some(detail) => Some(text(detail)),
                None if mode.same || place == Place::FunctionOutput => None,
                None => Some("auto".into()),
            };
            object.with("type", "input_image").with("image_url", text(url)).with_some("detail", detail)
        }
        PartKind::Audio { data: _, media_type: _ } => {
            return Err(Error::unsupported(path.clone(), "Responses has no form for sound"));
        }
        PartKind::File { source, media_type, filename } => {
            write_file(part, source, media_type.as_ref(), filename.as_ref(), mode, path, losses)?
        }
        PartKind::Native { dialect: Dialect::Responses, value } => return Ok(value.clone()),
        PartKind::Native { dialect, value: _ } => {
            return Err(Error::unsupported(
                path.clone(),
                format!("Responses has no form for this part of {dialect}"),
            ));
        }
    };
    if own {
        put_back(&mut object, &part.extra);
    }
    Ok(object.into())
}

fn write_file(
    part: &Part,
    source: &FileSource,
    media_type: Option<&Text>,
    filename: Option<&Text>,
    mode: Mode,
    path: &Path,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let object = Object::default().with("type", "input_file");
    match source {
        FileSource::Data(data) => {
            if !mode.same && media_type.is_some_and(|kind| !is_document(kind)) {
                return Err(Error::unsupported(path.clone(), "Responses takes no file of this media type"));
            }
            let whole = match media_type {
                Some(kind) => format!("data:{kind};base64,{data}"),
                None => data.to_string(),
            };
            let name = match filename {
                Some(name) => Some(text(name)),
                None if mode.same => None,
                None => {
                    losses.add(
                        Code::TextPlaceholder,
                        path.key("filename"),
                        "the file has no name: one stands in",
                    );
                    Some(stand_in_name(media_type).into())
                }
            };
            Ok(object.with_some("filename", name).with("file_data", whole))
        }
        FileSource::Url(url) => {
            Ok(object.with_some("filename", some_text(filename)).with("file_url", text(url)))
        }
        FileSource::Id(id) => {
            let foreign = |d: Option<Dialect>| matches!(d, Some(Dialect::Anthropic | Dialect::Mcp));
            if foreign(mode.from) || foreign(part.extra.dialect()) {
                return Err(Error::unsupported(
                    path.clone(),
                    "a file id of another provider names nothing here",
                ));
            }
            Ok(object.with_some("filename", some_text(filename)).with("file_id", text(id)))
        }
        FileSource::Text(words) => {
            losses.add(Code::DocumentAsText, path.clone(), "written as plain text under its name");
            let whole = filename.map_or_else(|| words.to_string(), |name| format!("{name}\n{words}"));
            Ok(Object::default().with("type", "input_text").with("text", whole))
        }
    }
}

/// Media types that a file part may have.
fn is_document(media_type: &str) -> bool {
    let known =
        ["application/pdf", "application/json", "application/xml", "application/rtf", "application/msword"];
    let families = [
        "text/",
        "application/vnd.openxmlformats-officedocument.",
        "application/vnd.oasis.opendocument.",
        "application/vnd.ms-",
    ];
    known.contains(&media_type) || families.iter().any(|family| media_type.starts_with(family))
}

fn stand_in_name(media_type: Option<&Text>) -> &'static str {
    match media_type.map(|kind| &**kind) {
        Some("application/pdf") => "document.pdf",
        Some("application/json") => "document.json",
        Some("text/csv") => "document.csv",
        Some("text/html") => "document.html",
        Some("text/markdown") => "document.md",
        Some(kind) if kind.starts_with("text/") => "document.txt",
        _ => "document",
    }
}
