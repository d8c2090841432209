//! Tool results: their status, and what their content may hold.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html>

use super::HERE;
use super::blocks::{caches, read_blocks, write_content, write_part};
use super::media::format_of_document;
use super::pen::{Pen, block, own, text};
use super::read::{CONTENT, LAYOUT, refuse_layout_names};
use crate::dialect::hoist::hoist;
use crate::dialect::loss::Code;
use crate::dialect::structured;
use crate::error::{Error, Kind, Result};
use crate::json::{Cursor, Fields, Json, MAX_DEPTH, Object};
use crate::message::{Content, Extra, PartKind, ToolMessage};
use crate::outcome::{MARKER, labelled, read_marker};
use crate::path::Path;

const STATUS: &str = "status";
const ERROR: &str = "error";
const SUCCESS: &str = "success";
/// Stands where a failing result says nothing: some text is wanted there.
const NO_OUTPUT: &str = "(no output)";

/// What `status` declares.
fn status(fields: &Fields<'_>) -> Result<Option<bool>> {
    let Some(status) = fields.some(STATUS) else { return Ok(None) };
    match status.str()? {
        ERROR => Ok(Some(true)),
        SUCCESS => Ok(Some(false)),
        _ => Err(status.expected("error or success")),
    }
}

/// `layout` says where in its native message the result stood.
pub(super) fn read(fields: &Fields<'_>, layout: Object<'static>) -> Result<ToolMessage> {
    refuse_layout_names(fields)?;
    let (declared, marked) = (status(fields)?, read_marker(fields.get(MARKER))?);
    if let (Some(declared), Some(marked)) = (declared, marked)
        && declared != marked
    {
        let path = fields.path().key(MARKER);
        return Err(Error::new(Kind::Marker, path, "says the opposite of the status beside it"));
    }
    let content = fields.need("content")?;
    let blocks: Vec<Cursor<'_>> = content.items()?.collect();
    let (content, spelling) = match blocks.is_empty() {
        true => (Content::default(), Some(Vec::new().into())),
        false => read_blocks(&blocks)?,
    };
    let mut extra = fields.rest(&["toolUseId", "content", STATUS, MARKER]);
    extra.0.extend(layout.with_some(CONTENT, spelling).0);
    Ok(ToolMessage {
        tool_call_id: fields.need_str("toolUseId")?.into(),
        content,
        name: None,
        is_error: declared.or(marked),
        extra: Extra::new(HERE, extra),
    })
}

/// A result as its block, what stands right behind it, and the media that had to leave it. `called` is the name of the
/// tool it answers.
pub(super) fn write(
    result: &ToolMessage,
    called: Option<&str>,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<(Vec<Json>, Vec<Json>)> {
    if result.name.is_some() && (pen.same || result.name.as_deref() != called) {
        pen.lose(Code::NameDropped, path.key("name"), "a tool result has no name on this wire");
    }
    // A request that was read from this wire has no status for a model that takes none, unless it goes to another one.
    let says_status = pen.flags.is("status") || pen.same && !(pen.internal && pen.named);
    let marked = result.is_error.filter(|_| !says_status && pen.internal);
    let labelled_content;
    let content = if result.failed() && !says_status && !pen.internal {
        let detail = "this model takes no status of a result";
        pen.lose(Code::OutcomeLabelled, path.key("is_error"), detail);
        labelled_content = labelled(&result.content);
        &labelled_content
    } else {
        &result.content
    };
    if result.is_error == Some(false) && !says_status && !pen.internal {
        let detail = "this model takes no status of a result";
        pen.lose(Code::OutcomeSuccessUnexpressed, path.key("is_error"), detail);
    }
    let mut extra = result.extra.clone();
    let (content, media) = if pen.same {
        (as_it_was(content, result, path, pen)?, Vec::new())
    } else {
        fitted(content, result, called, &mut extra, path, pen)?
    };
    let status = result.is_error.filter(|_| says_status).map(|failed| if failed { ERROR } else { SUCCESS });
    let mut object = Object::default()
        .with("toolUseId", text(&result.tool_call_id))
        .with("content", content)
        .with_some(STATUS, status)
        .with_some(MARKER, marked);
    pen.extra(&mut object, &extra, &LAYOUT, path);
    if status.is_none() {
        // An outcome stands in the typed field or nowhere.
        object.remove(STATUS);
    }
    let mut blocks = vec![block("toolResult", object)];
    blocks.extend(caches(&result.extra));
    Ok((blocks, media))
}

fn as_it_was(content: &Content, result: &ToolMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    let bare = own(&result.extra, CONTENT).and_then(|layout| layout.as_array()).is_some_and(<[_]>::is_empty);
    if bare && content.is_empty() {
        return Ok(Vec::new());
    }
    write_content(content, &result.extra, path, pen)
}

/// Where in a body the JSON of a result stands.
const ABOVE_JSON: usize = 8;

/// Content by the rules of the service: media only where the model takes it, JSON only as an object, and some text in a
/// failing result.
fn fitted(
    content: &Content,
    result: &ToolMessage,
    called: Option<&str>,
    extra: &mut Extra,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<(Vec<Json>, Vec<Json>)> {
    let mut media = Vec::new();
    let mut content = content.clone();
    if !pen.internal && must_leave(&content, result.failed(), pen) {
        let whole = ToolMessage { content, ..result.clone() };
        let hoisted = hoist(&whole, &result.tool_call_id, called, "these results", path, pen.losses);
        for medium in hoisted.media {
            media.push(write_part(&medium.note, &medium.path, pen)?);
            media.push(write_part(&medium.part, &medium.path, pen)?);
        }
        content = hoisted.content;
    }
    let json = structured::value(&content, &result.extra)
        .filter(|value| value.as_object().is_some() && value.nests_within(MAX_DEPTH - ABOVE_JSON));
    let blocks = match json {
        Some(json) => {
            *extra = structured::rest(&result.extra);
            let parts = match &content {
                Content::Text(_) => &[][..],
                Content::Parts(parts) => parts,
            };
            let mut blocks = vec![block("json", json)];
            for (n, part) in parts.iter().enumerate().filter(|(_, part)| part.as_text().is_none()) {
                blocks.push(write_part(part, &path.key("content").index(n), pen)?);
            }
            blocks
        }
        None => write_content(&content, &result.extra, path, pen)?,
    };
    if !blocks.is_empty() {
        return Ok((blocks, media));
    }
    let path = path.key("content");
    if result.failed() {
        pen.lose(Code::TextPlaceholder, path, "some text is wanted in a failing result");
        return Ok((vec![block("text", NO_OUTPUT)], media));
    }
    if matches!(&content, Content::Parts(parts) if parts.is_empty()) {
        pen.lose(Code::EmptyDropped, path, "an empty list and an empty text are the same to Bedrock");
    }
    Ok((Vec::new(), media))
}

/// Is there something in a result that the model does not take there?
fn must_leave(content: &Content, failed: bool, pen: &Pen<'_>) -> bool {
    let Content::Parts(parts) = content else { return false };
    parts.iter().any(|part| match &part.kind {
        PartKind::Text(_) | PartKind::Native { .. } => false,
        PartKind::Audio { .. } => true,
        PartKind::Image { .. } => !pen.flags.is("result_images") || failed && !pen.flags.is("error_media"),
        PartKind::File { source, media_type, .. } => {
            let format = format_of_document(source, media_type.as_deref());
            let known = pen.flags.words("result_documents").any(|known| Some(known) == format);
            !known || failed && !pen.flags.is("error_media")
        }
    })
}
