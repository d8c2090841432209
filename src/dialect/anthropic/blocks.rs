//! Content blocks and the typed parts they become: text, images, documents, search results, and whatever else there is.

use super::HERE;
use super::pen::{Pen, text, text_block};
use super::read::CONTENT;
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{Content, Extra, FileSource, Part, PartKind, data_url, is_blank};
use crate::path::Path;

/// The image types the API takes.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const PDF: &str = "application/pdf";
const PLAIN: &str = "text/plain";

fn is_link(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// A string or a list of blocks, and the layout of a list that became one text.
pub(super) fn read_content(content: Cursor<'_>) -> Result<(Content, Option<Json>)> {
    match content.value {
        Value::String(text) => Ok((Content::Text(text.as_ref().into()), None)),
        Value::Array(_) => read_blocks(&content.items()?.collect::<Vec<_>>()),
        _ => Err(content.expected("a string or a list of blocks")),
    }
}

/// Blocks as content: a single text block is one text, as the host framework reads it; what else the block held is
/// its layout.
pub(super) fn read_blocks(blocks: &[Cursor<'_>]) -> Result<(Content, Option<Json>)> {
    if let [only] = blocks
        && only.value.kind() == Some("text")
    {
        let fields = only.fields()?;
        let layout = vec![Value::Object(fields.rest(&["type", "text"]))];
        return Ok((Content::Text(fields.need_str("text")?.into()), Some(layout.into())));
    }
    let parts = blocks.iter().map(|block| read_part(*block)).collect::<Result<_>>()?;
    Ok((Content::Parts(parts), None))
}

/// One block. A typed form is given only where it can be written back exactly; all others stay native.
pub(super) fn read_part(block: Cursor<'_>) -> Result<Part> {
    let fields = block.fields()?;
    let part = match fields.need_str("type")? {
        "text" => Some(Part {
            kind: PartKind::Text(fields.need_str("text")?.into()),
            extra: Extra::new(HERE, fields.rest(&["type", "text"])),
        }),
        "image" => image(&fields),
        "document" => document(&fields),
        "search_result" => search_result(&fields),
        _ => None,
    };
    Ok(part.unwrap_or_else(|| Part::new(PartKind::Native { dialect: HERE, value: block.to_json() })))
}

/// The string members of a source, if it has exactly these and its type.
fn source<'f, const N: usize>(fields: &Fields<'f>, kind: &str, keys: [&str; N]) -> Option<[&'f str; N]> {
    let source = fields.object.get("source")?;
    if source.kind() != Some(kind) || source.as_object()?.len() != N + 1 {
        return None;
    }
    let mut values = [""; N];
    for (value, key) in values.iter_mut().zip(keys) {
        *value = source.get(key)?.as_str()?;
    }
    Some(values)
}

fn image(fields: &Fields<'_>) -> Option<Part> {
    let url = if let Some([media_type, data]) = source(fields, "base64", ["media_type", "data"]) {
        if !IMAGES.contains(&media_type) {
            return None;
        }
        format!("data:{media_type};base64,{data}").into()
    } else {
        let [url] = source(fields, "url", ["url"])?;
        if !is_link(url) {
            return None;
        }
        url.into()
    };
    let extra = Extra::new(HERE, fields.rest(&["type", "source"]));
    Some(Part { kind: PartKind::Image { url, detail: None }, extra })
}

fn document(fields: &Fields<'_>) -> Option<Part> {
    let (from, media_type) = if let Some([PDF, data]) = source(fields, "base64", ["media_type", "data"]) {
        (FileSource::Data(data.into()), Some(PDF.into()))
    } else if let Some([PLAIN, data]) = source(fields, "text", ["media_type", "data"]) {
        (FileSource::Text(data.into()), Some(PLAIN.into()))
    } else {
        let [url] = source(fields, "url", ["url"])?;
        if !is_link(url) {
            return None;
        }
        (FileSource::Url(url.into()), None)
    };
    let title = fields.object.get("title").and_then(|title| title.as_str());
    let known: &[&str] = if title.is_some() { &["type", "source", "title"] } else { &["type", "source"] };
    let extra = Extra::new(HERE, fields.rest(known));
    Some(Part { kind: PartKind::File { source: from, media_type, filename: title.map(Into::into) }, extra })
}

/// A text stand-in, with the whole block kept beside it.
fn search_result(fields: &Fields<'_>) -> Option<Part> {
    let (title, source) = (fields.object.get("title")?.as_str()?, fields.object.get("source")?.as_str()?);
    let mut stand_in = format!("{title} <{source}>");
    for block in fields.object.get("content")?.as_array()? {
        stand_in.push('\n');
        stand_in.push_str(block.get("text")?.as_str()?);
    }
    let whole = fields.rest(&[]);
    Some(Part { kind: PartKind::Text(stand_in.into()), extra: Extra::new(HERE, whole) })
}

/// Content on its way out: the two spellings of the wire.
pub(super) enum Written {
    Text(String),
    Blocks(Vec<Json>),
}

impl Written {
    pub(super) fn blocks(self) -> Vec<Json> {
        match self {
            Written::Text(text) => vec![text_block(&text).into()],
            Written::Blocks(blocks) => blocks,
        }
    }

    pub(super) fn value(self) -> Json {
        match self {
            Written::Text(text) => text.into(),
            Written::Blocks(blocks) => blocks.into(),
        }
    }
}

impl From<&str> for Written {
    fn from(text: &str) -> Self {
        Written::Text(text.to_owned())
    }
}

/// The fields of the one text block that a text was read from.
fn one_block(extra: &Extra) -> Option<&Object<'static>> {
    match extra.of(HERE)?.get(CONTENT)?.as_array()? {
        [only] => only.as_object(),
        _ => None,
    }
}

/// `extra` is that of the message, which holds the layout. Blank text blocks of another wire are left out: the API
/// refuses them.
pub(super) fn write_content(
    content: &Content,
    extra: &Extra,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<Written> {
    let layout = one_block(extra);
    let parts = match content {
        Content::Text(text) => {
            let Some(fields) = layout else { return Ok(Written::Text(text.to_string())) };
            let mut block = text_block(text);
            pen.put(&mut block, fields, &[]);
            return Ok(Written::Blocks(vec![block.into()]));
        }
        Content::Parts(parts) => parts,
    };
    if layout.is_some_and(|fields| !fields.is_empty()) {
        pen.lose(Code::NativeStale, path.key("content"), "was one text block; its other fields are left out");
    }
    let mut blocks = Vec::with_capacity(parts.len());
    for (n, part) in parts.iter().enumerate() {
        let path = path.key("content").index(n);
        if !pen.same && part.as_text().is_some_and(|text| is_blank(text)) {
            pen.lose(Code::EmptyDropped, path, "Anthropic refuses a blank text block");
            continue;
        }
        blocks.push(write_part(part, &path, pen)?);
    }
    if !pen.same && blocks.len() == 1 && blocks[0].kind() == Some("text") {
        let detail = "a list of one text and the text itself are the same to Anthropic";
        pen.lose(Code::TextJoined, path.key("content"), detail);
    }
    Ok(Written::Blocks(blocks))
}

pub(super) fn write_part(part: &Part, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    let mut stale = false;
    if let Some(own) = part.extra.of(HERE)
        && own.get("type").is_some()
    {
        let block = Value::Object(own.clone());
        if read_part(Cursor::root(&block)).is_ok_and(|read| read.kind == part.kind) {
            return Ok(block.clone());
        }
        stale = true;
        pen.lose(Code::NativeStale, path.clone(), "the part was changed after its native block was read");
    }
    let mut block = match &part.kind {
        PartKind::Text(text) => text_block(text),
        PartKind::Image { url, detail } => {
            if detail.is_some() {
                pen.lose(Code::ImageDetailDropped, path.key("detail"), "Anthropic has no detail level");
            }
            Object::default().with("type", "image").with("source", image_source(url, path)?)
        }
        PartKind::Audio { .. } => return Err(Error::unsupported(path.clone(), "Anthropic takes no sound")),
        PartKind::File { source, media_type, filename } => Object::default()
            .with("type", "document")
            .with("source", document_source(source, media_type.as_deref(), path, pen)?)
            .with_some("title", filename.as_deref().map(text)),
        PartKind::Native { dialect, value } if *dialect == HERE => return Ok(value.clone()),
        PartKind::Native { .. } => {
            return Err(Error::unsupported(path.clone(), "a native block of another wire"));
        }
    };
    if !stale {
        pen.extra(&mut block, &part.extra, &[], path);
    }
    Ok(block.into())
}

fn image_source(url: &str, path: &Path) -> Result<Object<'static>> {
    match data_url(url) {
        Some((media_type, data)) if IMAGES.contains(&media_type) => Ok(base64(media_type, data)),
        Some(_) => {
            Err(Error::unsupported(path.clone(), "Anthropic takes jpeg, png, gif and webp images only"))
        }
        None if is_link(url) => Ok(Object::default().with("type", "url").with("url", text(url))),
        None => Err(Error::unsupported(path.clone(), "expected a base64 data URL or an http(s) URL")),
    }
}

fn base64(media_type: &str, data: &str) -> Object<'static> {
    Object::default().with("type", "base64").with("media_type", text(media_type)).with("data", text(data))
}

fn document_source(
    source: &FileSource,
    media_type: Option<&str>,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<Object<'static>> {
    match source {
        // "%PDF" in base64: a PDF says so itself.
        FileSource::Data(data) if media_type.map_or(data.starts_with("JVBER"), |kind| kind == PDF) => {
            Ok(base64(PDF, data))
        }
        FileSource::Data(_) => {
            Err(Error::unsupported(path.clone(), "of documents by bytes Anthropic takes PDF only"))
        }
        FileSource::Text(data) => {
            if media_type.is_some_and(|kind| kind != PLAIN) {
                pen.lose(
                    Code::DocumentAsText,
                    path.clone(),
                    "written as text/plain, the only text type there is",
                );
            }
            Ok(Object::default().with("type", "text").with("media_type", PLAIN).with("data", text(data)))
        }
        FileSource::Url(url) if is_link(url) && media_type.is_none_or(|kind| kind == PDF) => {
            Ok(Object::default().with("type", "url").with("url", text(url)))
        }
        FileSource::Url(_) => {
            Err(Error::unsupported(path.clone(), "of documents by URL Anthropic takes PDF over http(s) only"))
        }
        FileSource::Id(_) => {
            Err(Error::unsupported(path.clone(), "a file that is stored at another provider"))
        }
    }
}
