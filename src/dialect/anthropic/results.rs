//! Tool results: the one place of this wire where an outcome is declared.

use super::HERE;
use super::blocks::{Written, read_content, write_content, write_part};
use super::pen::{Pen, text};
use super::read::{CONTENT, LAYOUT, refuse_layout_names};
use crate::dialect::hoist::hoist;
use crate::dialect::loss::Code;
use crate::error::{Error, Kind, Result};
use crate::json::{Fields, Json, Object, Value};
use crate::message::{Content, Extra, ToolMessage, is_blank};
use crate::outcome::{MARKER, read_marker};
use crate::path::Path;

const ABSENT: &str = "absent";
/// Stands where a failing result says nothing: the API wants some text there.
const NO_OUTPUT: &str = "(no output)";

/// `layout` says where in its native message the result stood.
pub(super) fn read(fields: &Fields<'_>, layout: Object<'static>) -> Result<ToolMessage> {
    refuse_layout_names(fields)?;
    let declared = fields.get("is_error").map(|c| c.bool()).transpose()?;
    let marked = read_marker(fields.get(MARKER))?;
    if let (Some(declared), Some(marked)) = (declared, marked)
        && declared != marked
    {
        let path = fields.path().key(MARKER);
        return Err(Error::new(Kind::Marker, path, "says the opposite of is_error beside it"));
    }
    let (content, spelling) = match fields.get("content") {
        None => (Content::default(), Some(ABSENT.into())),
        Some(content) if content.is_null() => (Content::default(), Some(Value::Null)),
        Some(content) => read_content(content)?,
    };
    let mut extra = fields.rest(&["type", "tool_use_id", "content", "is_error", MARKER]);
    extra.0.extend(layout.with_some(CONTENT, spelling).0);
    Ok(ToolMessage {
        tool_call_id: fields.need_str("tool_use_id")?.into(),
        content,
        name: None,
        is_error: declared.or(marked),
        extra: Extra::new(HERE, extra),
    })
}

/// A result as its block, and the media that had to leave it. `called` is the name of the tool it answers.
pub(super) fn write(
    result: &ToolMessage,
    called: Option<&str>,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<(Json, Vec<Json>)> {
    if result.name.is_some() && (pen.same || result.name.as_deref() != called) {
        pen.lose(Code::NameDropped, path.key("name"), "a tool result has no name on this wire");
    }
    let (content, media) = if pen.same {
        (as_it_was(result, path, pen)?, Vec::new())
    } else {
        fitted(result, called, path, pen)?
    };
    let mut block = Object::default()
        .with("type", "tool_result")
        .with("tool_use_id", text(&result.tool_call_id))
        .with_some("content", content)
        .with_some("is_error", result.is_error);
    pen.extra(&mut block, &result.extra, &LAYOUT, path);
    if result.is_error.is_none() {
        // An outcome stands in the typed field or nowhere.
        block.remove("is_error");
    }
    Ok((block.into(), media))
}

fn as_it_was(result: &ToolMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Option<Json>> {
    if matches!(&result.content, Content::Text(text) if text.is_empty()) {
        match result.extra.of(HERE).and_then(|own| own.get(CONTENT)) {
            Some(Value::String(word)) if word == ABSENT => return Ok(None),
            Some(Value::Null) => return Ok(Some(Value::Null)),
            _ => {}
        }
    }
    Ok(Some(write_content(&result.content, &result.extra, path, pen)?.value()))
}

/// Content by the rules of the API: a failing result holds text, some of it not blank; an empty one is left out.
fn fitted(
    result: &ToolMessage,
    called: Option<&str>,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<(Option<Json>, Vec<Json>)> {
    let mut media = Vec::new();
    let written = if result.failed() && !pen.internal {
        let hoisted = hoist(result, &result.tool_call_id, called, "these results", path, pen.losses);
        for medium in hoisted.media {
            media.push(write_part(&medium.note, &medium.path, pen)?);
            media.push(write_part(&medium.part, &medium.path, pen)?);
        }
        write_content(&text_only(hoisted.content, path, pen)?, &result.extra, path, pen)?
    } else {
        write_content(&result.content, &result.extra, path, pen)?
    };
    let blank = match &written {
        Written::Text(text) => is_blank(text),
        Written::Blocks(blocks) => blocks.is_empty() || result.content.is_blank(),
    };
    if !blank {
        return Ok((Some(written.value()), media));
    }
    let path = path.key("content");
    if result.failed() {
        pen.lose(Code::TextPlaceholder, path, "Anthropic wants some text in a failing result");
        return Ok((Some(NO_OUTPUT.into()), media));
    }
    // Blank parts have been reported one by one.
    if matches!(&result.content, Content::Text(text) if !text.is_empty()) || is_empty_list(&result.content) {
        pen.lose(Code::EmptyDropped, path, "content that says nothing is left out");
    }
    Ok((None, media))
}

fn is_empty_list(content: &Content) -> bool {
    matches!(content, Content::Parts(parts) if parts.is_empty())
}

/// Native blocks by their text stand-in, where they have one.
fn text_only(content: Content, path: &Path, pen: &mut Pen<'_>) -> Result<Content> {
    let Content::Parts(mut parts) = content else { return Ok(content) };
    for (n, part) in parts.iter_mut().enumerate() {
        let path = path.key("content").index(n);
        if part.as_text().is_none() {
            return Err(Error::unsupported(path, "a failing result holds nothing but text on this wire"));
        }
        if part.extra.of(HERE).is_some_and(|own| own.get("type").is_some()) {
            pen.lose(Code::BlockAsText, path, "a failing result holds nothing but text on this wire");
            part.extra = Extra::none();
        }
    }
    Ok(Content::Parts(parts))
}
