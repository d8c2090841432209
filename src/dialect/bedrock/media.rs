//! Images, sound and documents: bytes as base64 under a format, never by URL.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html>

use super::HERE;
use super::pen::{Pen, block, text};
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::message::{Extra, FileSource, Part, PartKind, Text, data_url};
use crate::path::Path;

/// Formats and the media types they stand for. Of several types of one format the first is written.
const IMAGES: [(&str, &str); 4] =
    [("png", "image/png"), ("jpeg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp")];
const SOUNDS: [(&str, &str); 7] = [
    ("mp3", "audio/mpeg"),
    ("mp3", "audio/mp3"),
    ("wav", "audio/wav"),
    ("wav", "audio/x-wav"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("aac", "audio/aac"),
];
const DOCUMENTS: [(&str, &str); 9] = [
    ("pdf", "application/pdf"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("html", "text/html"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
];

fn type_of(table: &[(&str, &'static str)], format: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == format).map(|(_, media_type)| *media_type)
}

fn format_of(table: &[(&'static str, &str)], media_type: &str) -> Option<&'static str> {
    table.iter().find(|(_, known)| *known == media_type).map(|(format, _)| *format)
}

/// The only member of a source, if it is text under this name.
fn source<'a>(value: &'a Value<'_>, key: &str) -> Option<&'a str> {
    let source = value.get("source")?;
    source.get(key)?.as_str().filter(|_| source.as_object().is_some_and(|object| object.len() == 1))
}

/// What else stands in the member of a block, under the member's name.
fn others(member: &'static str, value: &Value<'_>, known: &[&str]) -> Extra {
    let rest = value.as_object().into_iter().flat_map(Object::iter);
    let rest: Vec<_> = rest.filter(|(key, _)| !known.contains(&key.as_ref())).cloned().collect();
    let rest = Object(rest).into_owned();
    Extra::new(HERE, Object::default().with_some(member, (!rest.is_empty()).then_some(rest)))
}

fn with_others(mut object: Object<'static>, member: &'static str, extra: &Extra) -> Json {
    let rest = extra.of(HERE).and_then(|own| own.get(member)?.as_object());
    object.add_absent(rest.into_iter().flat_map(Object::iter));
    block(member, object)
}

fn bytes(data: &str) -> Object<'static> {
    Object::default().with("bytes", text(data))
}

pub(super) fn image(value: &Value<'_>) -> Option<Part> {
    let media_type = type_of(&IMAGES, value.get("format")?.as_str()?)?;
    let url = format!("data:{media_type};base64,{}", source(value, "bytes")?);
    let extra = others("image", value, &["format", "source"]);
    Some(Part { kind: PartKind::Image { url: url.into(), detail: None }, extra })
}

pub(super) fn write_image(url: &str, extra: &Extra, path: &Path) -> Result<Json> {
    let Some((media_type, data)) = data_url(url) else {
        return Err(Error::unsupported(path.clone(), "Bedrock takes no image by URL: its bytes are needed"));
    };
    let format = format_of(&IMAGES, media_type).ok_or_else(|| {
        Error::unsupported(path.clone(), "Bedrock takes png, jpeg, gif and webp images only")
    })?;
    let image = Object::default().with("format", format).with("source", bytes(data));
    Ok(with_others(image, "image", extra))
}

pub(super) fn audio(value: &Value<'_>) -> Option<Part> {
    let media_type = type_of(&SOUNDS, value.get("format")?.as_str()?)?;
    let data: Text = source(value, "bytes")?.into();
    let extra = others("audio", value, &["format", "source"]);
    Some(Part { kind: PartKind::Audio { data, media_type: media_type.into() }, extra })
}

pub(super) fn write_audio(data: &str, media_type: &str, extra: &Extra, path: &Path) -> Result<Json> {
    let format = format_of(&SOUNDS, media_type)
        .ok_or_else(|| Error::unsupported(path.clone(), "Bedrock takes no sound of this type"))?;
    let audio = Object::default().with("format", format).with("source", bytes(data));
    Ok(with_others(audio, "audio", extra))
}

/// A document whose format is known, or a text without one.
pub(super) fn document(value: &Value<'_>) -> Option<Part> {
    let format = value.get("format").map(|format| format.as_str());
    let media_type: Option<Text> = match format {
        None => None,
        Some(format) => Some(type_of(&DOCUMENTS, format?)?.into()),
    };
    let source = match (source(value, "bytes"), source(value, "text")) {
        (Some(data), _) if media_type.is_some() => FileSource::Data(data.into()),
        (_, Some(words)) => FileSource::Text(words.into()),
        _ => return None,
    };
    let filename = Some(value.get("name")?.as_str()?.into());
    let extra = others("document", value, &["format", "name", "source"]);
    Some(Part { kind: PartKind::File { source, media_type, filename }, extra })
}

/// The format under which a document is written.
pub(super) fn format_of_document(source: &FileSource, media_type: Option<&str>) -> Option<&'static str> {
    match (source, media_type) {
        (FileSource::Data(data), None) => data.starts_with("JVBER").then_some("pdf"),
        (FileSource::Text(_), None) => Some(PLAIN),
        (FileSource::Text(_), Some(media_type)) => Some(format_of(&DOCUMENTS, media_type).unwrap_or(PLAIN)),
        (_, media_type) => format_of(&DOCUMENTS, media_type?),
    }
}

const PLAIN: &str = "txt";

/// What is known of a document beside its bytes.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) media_type: Option<&'a str>,
    pub(super) filename: Option<&'a str>,
}

pub(super) fn write_document(
    source: &FileSource,
    named: Named<'_>,
    extra: &Extra,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<Json> {
    let refuse = |what: &str| Err(Error::unsupported(path.clone(), what));
    let format = format_of_document(source, named.media_type);
    let (source, format) = match (source, named.media_type) {
        (FileSource::Data(data), _) if format.is_some() => (bytes(data), format),
        (FileSource::Data(_), Some(_)) => return refuse("Bedrock takes no document of this type"),
        (FileSource::Data(_), None) => return refuse("a document whose type nobody says"),
        (FileSource::Text(words), media_type) => {
            if media_type.is_some_and(|media_type| format_of(&DOCUMENTS, media_type).is_none()) {
                pen.lose(Code::DocumentAsText, path.clone(), "written as plain text");
            }
            (Object::default().with("text", text(words)), media_type.and(format))
        }
        (FileSource::Url(_), _) => return refuse("Bedrock takes no document by URL: its bytes are needed"),
        (FileSource::Id(_), _) => return refuse("a file that is stored at another provider"),
    };
    let name = name(named.filename, path, pen);
    let document = Object::default().with_some("format", format).with("name", name).with("source", source);
    Ok(with_others(document, "document", extra))
}

/// The name of a document. The service wants one of certain characters, and no two of a request alike.
fn name(said: Option<&str>, path: &Path, pen: &mut Pen<'_>) -> String {
    if let Some(said) = said.filter(|_| pen.same) {
        pen.documents.entry(said.to_lowercase()).or_insert(1);
        return said.to_owned();
    }
    let wanted = said.map_or_else(|| UNNAMED.to_owned(), fitted);
    let mut name = wanted.clone();
    let mut number = pen.documents.get(&wanted.to_lowercase()).copied().unwrap_or(1);
    while pen.documents.contains_key(&name.to_lowercase()) {
        number += 1;
        let end = format!("-{number}");
        name = wanted.chars().take(LONGEST_NAME - end.len()).collect::<String>() + &end;
    }
    pen.documents.insert(wanted.to_lowercase(), number);
    pen.documents.entry(name.to_lowercase()).or_insert(1);
    match said {
        None => pen.lose(Code::IdMinted, path.key("filename"), "Bedrock wants a name for every document"),
        Some(said) if said != name => {
            let detail = "Bedrock takes certain characters in the name of a document, and no name twice";
            pen.lose(Code::NameDropped, path.key("filename"), detail);
        }
        Some(_) => {}
    }
    name
}

const UNNAMED: &str = "document";
/// The longest name of a document, in characters.
const LONGEST_NAME: usize = 200;

/// A name of letters, digits, hyphens, brackets and single spaces.
fn fitted(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().take(LONGEST_NAME) {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']') => out.push(c),
            c if c.is_whitespace() && !out.ends_with(' ') => out.push(' '),
            c if c.is_whitespace() => {}
            _ => out.push('-'),
        }
    }
    if out.trim().is_empty() { UNNAMED.to_owned() } else { out }
}
