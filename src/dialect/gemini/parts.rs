//! Parts of a user content, of the system instruction and of results: text, media inline and by address, and whatever
//! else there is.

use super::HERE;
use super::pen::{Pen, own, text};
use super::read::CONTENT;
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{Content, Extra, FileSource, Part, PartKind, data_url};
use crate::path::Path;
use std::borrow::Cow;

const INLINE: &str = "inlineData";
const BY_ADDRESS: &str = "fileData";
/// The members of which a part has one.
const DATA: [&str; 9] = [
    "text",
    INLINE,
    BY_ADDRESS,
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];
/// Where the Files API keeps what was uploaded to it.
const FILES_API: &str = "https://generativelanguage.googleapis.com/";
const PDF: &str = "application/pdf";

/// Parts as content: a single text part is one text, what else it held is its layout.
pub(super) fn read_parts(parts: &[Cursor<'_>]) -> Result<(Content, Option<Json>)> {
    let mut read = parts.iter().map(|part| read_part(*part)).collect::<Result<Vec<Part>>>()?;
    if let [Part { kind: PartKind::Text(text), extra }] = read.as_mut_slice() {
        let layout = extra.of(HERE).map(|rest| vec![Value::Object(rest.clone())].into());
        return Ok((Content::Text(text.clone()), layout));
    }
    Ok((Content::Parts(read), None))
}

/// One part. A typed form is given only where it can be written back exactly; all others stay native.
pub(super) fn read_part(part: Cursor<'_>) -> Result<Part> {
    let fields = part.fields()?;
    let mut data = DATA.into_iter().filter(|key| fields.some(key).is_some());
    let typed = match (data.next(), data.next()) {
        // Kept as it is, a call would pass for something that was said.
        (Some("functionCall"), _) | (_, Some("functionCall")) => {
            return Err(Error::shape(
                fields.path().key("functionCall"),
                "stands outside a turn of the model",
            ));
        }
        (Some("text"), None) => Some(Part {
            kind: PartKind::Text(fields.need_str("text")?.into()),
            extra: Extra::new(HERE, fields.rest(&["text"])),
        }),
        (Some(INLINE), None) => media(&fields, INLINE, inline),
        (Some(BY_ADDRESS), None) => media(&fields, BY_ADDRESS, by_address),
        _ => None,
    };
    Ok(typed.unwrap_or_else(|| Part::new(PartKind::Native { dialect: HERE, value: part.to_json() })))
}

/// What an object holds, and which of its fields that says.
type Typed = (PartKind, &'static [&'static str]);

fn media(fields: &Fields<'_>, key: &'static str, read: fn(&Object<'_>) -> Option<Typed>) -> Option<Part> {
    let inner = fields.object.get(key)?.as_object()?;
    let (kind, known) = read(inner)?;
    let mut extra = fields.rest(&[key]);
    let rest: Vec<_> = inner.iter().filter(|(name, _)| !known.contains(&name.as_ref())).cloned().collect();
    if !rest.is_empty() {
        extra.0.push((key.into(), Value::Object(Object(rest).into_owned())));
    }
    Some(Part { kind, extra: Extra::new(HERE, extra) })
}

fn inline(blob: &Object<'_>) -> Option<Typed> {
    let string = |key: &str| blob.get(key).and_then(|value| value.as_str());
    let (media_type, data) = (string("mimeType")?, standard(string("data")?));
    // Parameters of the type would not come through a data URL.
    if media_type.contains([';', ',']) {
        return None;
    }
    if media_type.starts_with("image/") {
        let url = format!("data:{media_type};base64,{data}").into();
        return Some((PartKind::Image { url, detail: None }, &["mimeType", "data"]));
    }
    let data = data.as_ref().into();
    if media_type.starts_with("audio/") {
        return Some((PartKind::Audio { data, media_type: media_type.into() }, &["mimeType", "data"]));
    }
    let filename = string("displayName").map(Into::into);
    let known: &[_] =
        if filename.is_some() { &["mimeType", "data", "displayName"] } else { &["mimeType", "data"] };
    let source = FileSource::Data(data);
    Some((PartKind::File { source, media_type: Some(media_type.into()), filename }, known))
}

fn by_address(file: &Object<'_>) -> Option<Typed> {
    let string = |key: &str| file.get(key).and_then(|value| value.as_str());
    let (uri, media_type) = (string("fileUri")?, string("mimeType"));
    if data_url(uri).is_some() {
        return None;
    }
    if media_type.is_some_and(|media_type| media_type.starts_with("image/")) {
        return Some((PartKind::Image { url: uri.into(), detail: None }, &["fileUri"]));
    }
    let filename = string("displayName");
    let known: &[_] = match (media_type, filename) {
        (Some(_), Some(_)) => &["fileUri", "mimeType", "displayName"],
        (Some(_), None) => &["fileUri", "mimeType"],
        (None, Some(_)) => &["fileUri", "displayName"],
        (None, None) => &["fileUri"],
    };
    let source = FileSource::Url(uri.into());
    let (media_type, filename) = (media_type.map(Into::into), filename.map(Into::into));
    Some((PartKind::File { source, media_type, filename }, known))
}

/// Base64 in the alphabet of other wires: Google's own SDK writes the one for URLs, which says the same bytes.
fn standard(data: &str) -> Cow<'_, str> {
    if !data.contains(['-', '_']) {
        return Cow::Borrowed(data);
    }
    let mut data = data.replace('-', "+").replace('_', "/");
    while !data.len().is_multiple_of(4) {
        data.push('=');
    }
    Cow::Owned(data)
}

/// `extra` is that of the message, which holds the layout. Empty text of another wire is left out: the API refuses it.
pub(super) fn write_parts(
    content: &Content,
    extra: &Extra,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<Vec<Json>> {
    let layout = own(extra, CONTENT).and_then(|layout| layout.as_array()?.first()?.as_object());
    let parts = match content {
        Content::Text(said) if !pen.same && said.is_empty() => return Ok(Vec::new()),
        Content::Text(said) => {
            let mut part = Object::default().with("text", text(said));
            part.add_absent(layout.into_iter().flat_map(Object::iter));
            return Ok(vec![part.into()]);
        }
        Content::Parts(parts) => parts,
    };
    if layout.is_some() {
        pen.lose(Code::NativeStale, path.key("content"), "was one text part; its other fields are left out");
    }
    let mut written = Vec::with_capacity(parts.len());
    for (n, part) in parts.iter().enumerate() {
        let path = path.key("content").index(n);
        if !pen.same && part.as_text().is_some_and(|text| text.is_empty()) {
            pen.lose(Code::EmptyDropped, path, "Gemini refuses an empty text part");
            continue;
        }
        written.push(write_part(part, &path, pen)?);
    }
    if !pen.same && written.len() == 1 && written[0].get("text").is_some() {
        let detail = "a list of one text and the text itself are the same to Gemini";
        pen.lose(Code::TextJoined, path.key("content"), detail);
    }
    Ok(written)
}

pub(super) fn write_part(part: &Part, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    let (key, data): (_, Json) = match &part.kind {
        PartKind::Text(said) => ("text", text(said)),
        PartKind::Image { url, detail } => {
            if detail.is_some() {
                pen.lose(Code::ImageDetailDropped, path.key("detail"), "Gemini has no detail level");
            }
            match data_url(url) {
                Some((media_type, data)) => inner(part, INLINE, blob(media_type, data)),
                None => {
                    // Its type, which an image has no place for, stands there.
                    let known = own(&part.extra, BY_ADDRESS).is_some();
                    let media_type = if known { None } else { image_type(url) };
                    inner(part, BY_ADDRESS, address(url, media_type, known, path)?)
                }
            }
        }
        PartKind::Audio { data, media_type } => inner(part, INLINE, blob(media_type, data)),
        PartKind::File { source, media_type, filename } => {
            let name = filename.as_deref().map(text);
            match source {
                FileSource::Data(data) => {
                    // "%PDF" in base64: a PDF says so itself.
                    let media_type = media_type.as_deref().or(data.starts_with("JVBER").then_some(PDF));
                    let Some(media_type) = media_type else {
                        return Err(Error::unsupported(
                            path.clone(),
                            "Gemini takes no bytes without their type",
                        ));
                    };
                    inner(part, INLINE, blob(media_type, data).with_some("displayName", name))
                }
                FileSource::Url(url) => {
                    let known = pen.same || part.extra.of(HERE).is_some();
                    let file = address(url, media_type.as_deref(), known, path)?;
                    inner(part, BY_ADDRESS, file.with_some("displayName", name))
                }
                FileSource::Text(_) => ("text", text(&as_text(part, path, pen).unwrap_or_default())),
                FileSource::Id(_) => {
                    let what = "a file that is stored at another provider";
                    return Err(Error::unsupported(path.clone(), what));
                }
            }
        }
        PartKind::Native { dialect, value } if *dialect == HERE => return Ok(value.clone()),
        PartKind::Native { .. } => {
            return Err(Error::unsupported(path.clone(), "a native block of another wire"));
        }
    };
    let mut written = Object::default().with(key, data);
    pen.extra(&mut written, &part.extra, &[INLINE, BY_ADDRESS], path);
    // Fields that are null, as SDKs dump them, stand beside the one that is not.
    for key in [INLINE, BY_ADDRESS] {
        if own(&part.extra, key).is_some_and(Value::is_null) {
            written.add_absent(&[(key.into(), Value::Null)]);
        }
    }
    Ok(written.into())
}

/// The text of a text document under its name: the API takes text as text.
pub(super) fn as_text(part: &Part, path: &Path, pen: &mut Pen<'_>) -> Option<String> {
    let PartKind::File { source: FileSource::Text(text), media_type: _, filename } = &part.kind else {
        return None;
    };
    pen.lose(Code::DocumentAsText, path.clone(), "a text document is written as text under its name");
    let name = filename.as_deref().map(|name| format!("{name}\n")).unwrap_or_default();
    Some(format!("{name}{text}"))
}

fn blob(media_type: &str, data: &str) -> Object<'static> {
    Object::default().with("mimeType", text(media_type)).with("data", text(data))
}

/// A file by its address. Nothing is fetched: the API itself reads only what Google keeps.
fn address(uri: &str, media_type: Option<&str>, known: bool, path: &Path) -> Result<Object<'static>> {
    if !known && !uri.starts_with("gs://") && !uri.starts_with(FILES_API) {
        let what = "Gemini reads no file from elsewhere: only a gs:// address or one of its Files API";
        return Err(Error::unsupported(path.clone(), what));
    }
    Ok(Object::default().with("fileUri", text(uri)).with_some("mimeType", media_type.map(text)))
}

/// The type that the name of an image file says.
fn image_type(uri: &str) -> Option<&'static str> {
    match uri.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "webp" => Some("image/webp"),
        "heic" => Some("image/heic"),
        "heif" => Some("image/heif"),
        "gif" => Some("image/gif"),
        _ => None,
    }
}

/// The data member of a part, with the fields that it was read with beside those that are typed.
fn inner(part: &Part, key: &'static str, mut data: Object<'static>) -> (&'static str, Json) {
    if let Some(Value::Object(rest)) = own(&part.extra, key) {
        data.add_absent(rest.iter());
    }
    (key, data.into())
}
