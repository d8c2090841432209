//! Content blocks and the parts they become: text, media, search results, and whatever else there is.

use super::HERE;
use super::media;
use super::pen::{Pen, block, own, text};
use super::read::{CACHE, CONTENT, add_cache};
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value, compact};
use crate::message::{Content, Extra, Part, PartKind, is_blank};
use crate::outcome::MARKER;
use crate::path::Path;

pub(super) const CACHE_POINT: &str = "cachePoint";
const SEARCH_RESULT: &str = "searchResult";
pub(super) const JSON: &str = "json";

/// The name of the one member of a block.
pub(super) fn member<'p>(block: Cursor<'p>) -> Result<&'p str> {
    match block.fields()?.object.0.as_slice() {
        // A marker would not be written, and leave nothing.
        [(name, value)] if !value.is_null() && name != MARKER => Ok(name),
        _ => Err(block.expected("a block with exactly one member")),
    }
}

/// Blocks as content: a single text block is one text; what else stood with it is its layout.
pub(super) fn read_blocks(blocks: &[Cursor<'_>]) -> Result<(Content, Option<Json>)> {
    let mut parts: Vec<Part> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match parts.last_mut() {
            Some(last) if member(*block)? == CACHE_POINT => add_cache(&mut last.extra, block.to_json()),
            _ => parts.push(read_part(*block)?),
        }
    }
    if let [only] = parts.as_slice()
        && let Some(words) = only.as_text()
        && own(&only.extra, SEARCH_RESULT).is_none()
    {
        let layout = only.extra.of(HERE).cloned().unwrap_or_default();
        return Ok((Content::Text(words.clone()), Some(vec![Value::Object(layout)].into())));
    }
    Ok((Content::Parts(parts), None))
}

/// One block. A typed form is given only where it can be written back exactly; all others stay native.
fn read_part(cursor: Cursor<'_>) -> Result<Part> {
    let name = member(cursor)?;
    let fields = cursor.fields()?;
    let value = fields.need(name)?;
    let part = match name {
        "text" => Some(Part::text(value.str()?)),
        JSON => {
            let extra = Object::default().with(JSON, value.to_json());
            Some(Part { kind: PartKind::Text(compact(value.value).into()), extra: Extra::new(HERE, extra) })
        }
        "image" => media::image(value.value),
        "audio" => media::audio(value.value),
        "document" => media::document(value.value),
        SEARCH_RESULT => search_result(value.value),
        "toolUse" | "toolResult" => return Err(value.expected("no call and no result here")),
        _ => None,
    };
    Ok(part.unwrap_or_else(|| Part::new(PartKind::Native { dialect: HERE, value: cursor.to_json() })))
}

/// A text stand-in, with the whole block kept beside it.
fn search_result(value: &Value<'_>) -> Option<Part> {
    let (title, source) = (value.get("title")?.as_str()?, value.get("source")?.as_str()?);
    let mut stand_in = format!("{title} <{source}>");
    for block in value.get("content")?.as_array()? {
        stand_in.push('\n');
        stand_in.push_str(block.get("text")?.as_str()?);
    }
    let whole = Object::default().with(SEARCH_RESULT, value.clone().into_owned());
    Some(Part { kind: PartKind::Text(stand_in.into()), extra: Extra::new(HERE, whole) })
}

/// The cache points kept behind something.
pub(super) fn caches(extra: &Extra) -> impl Iterator<Item = Json> {
    own(extra, CACHE).and_then(|points| points.as_array()).unwrap_or_default().iter().cloned()
}

/// `extra` is that of the message, which holds the layout. Blank texts of another wire are left out: models refuse them.
pub(super) fn write_content(
    content: &Content,
    extra: &Extra,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<Vec<Json>> {
    let layout = match own(extra, CONTENT).and_then(|layout| layout.as_array()) {
        Some([Value::Object(only)]) => Extra::new(HERE, only.clone()),
        _ => Extra::none(),
    };
    let one;
    let parts = match content {
        Content::Text(words) => {
            one = [Part { kind: PartKind::Text(words.clone()), extra: layout }];
            &one[..]
        }
        Content::Parts(parts) => {
            if !layout.is_none() {
                let detail = "was one text block; its other fields are left out";
                pen.lose(Code::NativeStale, path.key("content"), detail);
            }
            parts
        }
    };
    let mut blocks = Vec::with_capacity(parts.len());
    for (n, part) in parts.iter().enumerate() {
        let path = match content {
            Content::Text(_) => path.key("content"),
            Content::Parts(_) => path.key("content").index(n),
        };
        if !pen.same && part.as_text().is_some_and(|text| is_blank(text)) {
            if part.as_text().is_some_and(|text| !text.is_empty()) || matches!(content, Content::Parts(_)) {
                pen.lose(Code::EmptyDropped, path, "a blank text block is refused");
            }
            continue;
        }
        blocks.push(write_part(part, &path, pen)?);
        blocks.extend(caches(&part.extra));
    }
    if !pen.same
        && matches!(content, Content::Parts(_))
        && matches!(blocks.as_slice(), [only] if only.get("text").is_some())
    {
        let detail = "a list of one text and the text itself are the same to Bedrock";
        pen.lose(Code::TextJoined, path.key("content"), detail);
    }
    Ok(blocks)
}

pub(super) fn write_part(part: &Part, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    pen.leave(&part.extra, path);
    for kept in [JSON, SEARCH_RESULT] {
        let Some(value) = own(&part.extra, kept) else { continue };
        let native = Value::Object(Object(vec![(kept.into(), value.clone())]));
        if read_part(Cursor::root(&native)).is_ok_and(|read| read.kind == part.kind) {
            return Ok(native);
        }
        pen.lose(Code::NativeStale, path.clone(), "the part was changed after its native block was read");
    }
    match &part.kind {
        PartKind::Text(words) => Ok(block("text", text(words))),
        PartKind::Image { url, detail } => {
            if detail.is_some() {
                pen.lose(Code::ImageDetailDropped, path.key("detail"), "Bedrock has no detail level");
            }
            media::write_image(url, &part.extra, path)
        }
        PartKind::Audio { data, media_type } => media::write_audio(data, media_type, &part.extra, path),
        PartKind::File { source, media_type, filename } => {
            let named = media::Named { media_type: media_type.as_deref(), filename: filename.as_deref() };
            media::write_document(source, named, &part.extra, path, pen)
        }
        PartKind::Native { dialect, value } if *dialect == HERE => Ok(value.clone()),
        PartKind::Native { .. } => Err(Error::unsupported(path.clone(), "a native block of another wire")),
    }
}
