//! Results: the response of a function as its text and its media, and whether it says `error`.
//! <https://ai.google.dev/api/caching#FunctionResponse>

use super::HERE;
use super::parts::{as_text, read_part, write_part};
use super::pen::{Pen, own, text};
use super::read::{LAYOUT, MATCHED, MINTED, PART, RESPONSE, refuse_layout_names};
use super::turn::is_unstated;
use crate::dialect::hoist::hoist;
use crate::dialect::loss::Code;
use crate::dialect::structured;
use crate::error::{Error, Kind, Result};
use crate::json::{Fields, Json, MAX_DEPTH, Object, Value, compact};
use crate::message::{Content, Extra, Part, PartKind, Text, ToolMessage};
use crate::outcome::{MARKER, read_marker};
use crate::path::Path;

const OUTPUT: &str = "output";
const ERROR: &str = "error";

/// What a response says.
struct Said {
    failed: bool,
    text: String,
    /// Is this all of it, as `write` would say it?
    plain: bool,
}

/// `error` declares a failure. Nothing declares a success: `output` also stands where nobody said. Without either key
/// the whole response is the output.
fn said(response: &Object<'_>) -> Said {
    let is_all = |text: &Value<'_>| text.as_str().is_some() && response.len() == 1;
    let of = |failed: bool, value: &Value<'_>| Said {
        failed,
        text: value.as_str().map_or_else(|| compact(value), str::to_owned),
        plain: is_all(value),
    };
    let whole = |failed: bool| Said { text: compact(&response.clone().into()), failed, plain: false };
    match (response.get(ERROR).filter(|error| !error.is_null()), response.get(OUTPUT)) {
        (Some(error), _) => {
            let alone = response.iter().all(|(key, value)| key == ERROR || value.is_null());
            if alone { of(true, error) } else { whole(true) }
        }
        (None, Some(output)) => of(false, output),
        (None, None) => whole(false),
    }
}

/// `layout` says where in its native content the result stood.
pub(super) fn read(fields: &Fields<'_>, id: Text, layout: Object<'static>) -> Result<ToolMessage> {
    refuse_layout_names(fields)?;
    let marked = read_marker(fields.get(MARKER))?;
    let mut known = vec!["name", "response", MARKER];
    let (mut declared, mut said_text, mut native) = (None, String::new(), Some(Value::Null));
    if let Some(response) = fields.some("response") {
        let said = said(response.fields()?.object);
        declared = said.failed.then_some(true);
        native = (!said.plain).then(|| response.to_json());
        said_text = said.text;
    }
    if declared.is_some() && marked == Some(false) {
        let path = fields.path().key(MARKER);
        return Err(Error::new(Kind::Marker, path, "says the opposite of the error beside it"));
    }
    if marked == Some(true) && declared.is_none() {
        // The response does not say what the marker does: it is written anew.
        native = None;
    }
    let mut parts = Vec::new();
    if let Some(list) =
        fields.some("parts").filter(|list| list.value.as_array().is_none_or(|l| !l.is_empty()))
    {
        known.push("parts");
        for item in list.items()? {
            let part = read_part(item)?;
            // Text has no place there.
            parts.push(if part.as_text().is_some() {
                Part::new(PartKind::Native { dialect: HERE, value: item.to_json() })
            } else {
                part
            });
        }
    }
    if fields.get("id").is_some_and(|own| own.value.as_str() == Some(&*id)) {
        known.push("id");
    }
    let content = if parts.is_empty() {
        Content::Text(said_text.into())
    } else {
        if !said_text.is_empty() {
            parts.insert(0, Part::text(said_text));
        }
        Content::Parts(parts)
    };
    let mut extra = fields.rest(&known);
    extra.0.extend(layout.with_some(RESPONSE, native).0);
    Ok(ToolMessage {
        tool_call_id: id,
        content,
        name: fields.some_str("name")?.map(Into::into),
        is_error: declared.or(marked),
        extra: Extra::new(HERE, extra),
    })
}

/// Was the id not stated where the result was read?
pub(super) fn says_no_id(result: &ToolMessage) -> bool {
    [MINTED, MATCHED].into_iter().any(|key| is_unstated(&result.tool_call_id, &result.extra, key))
}

/// A call that a result may answer.
pub(super) struct Called {
    /// Its place in its turn.
    pub(super) place: usize,
    /// The name of the tool as it is written.
    pub(super) name: String,
    /// Does it say its id?
    pub(super) stated: bool,
}

/// A result as its part, and the media that had to leave it. `call` is the one it answers.
pub(super) fn write(
    result: &ToolMessage,
    call: Option<&Called>,
    path: &Path,
    pen: &mut Pen<'_>,
) -> Result<(Json, Vec<Json>)> {
    let called = call.map(|call| &*call.name);
    let name = match (&result.name, called) {
        (Some(name), _) if pen.same => Some(&**name),
        (Some(name), Some(called)) => {
            if &**name != called {
                pen.lose(
                    Code::NameDropped,
                    path.key("name"),
                    "a result has the name of the tool that was called",
                );
            }
            Some(called)
        }
        (name, called) => called.or(name.as_deref()),
    };
    if name.is_none_or(str::is_empty) && !pen.same {
        return Err(Error::shape(path.key("name"), "a result of Gemini needs the name of its tool"));
    }
    if result.is_error == Some(false) && !pen.internal {
        let detail = "Gemini has no field for a declared success";
        pen.lose(Code::OutcomeSuccessUnexpressed, path.key("is_error"), detail);
    }
    let mut written = written(result, called, path, pen)?;
    // An id that its call does not say would answer none.
    let unstated = says_no_id(result) || !pen.same && call.is_some_and(|call| !call.stated);
    let id = (!unstated && (pen.response_ids || pen.same)).then(|| text(&result.tool_call_id));
    let mut response = Object::default().with_some("id", id).with_some("name", name.map(text));
    response = response.with_some(RESPONSE, written.response);
    if !written.parts.is_empty() {
        response.set("parts", written.parts.into());
    }
    if let Some(outcome) = result.is_error.filter(|failed| pen.internal && !failed) {
        response.set(MARKER, outcome.into());
    }
    let extra = written.rest.take().unwrap_or_else(|| result.extra.clone());
    pen.extra(&mut response, &extra, &LAYOUT, path);
    let mut part = Object::default().with("functionResponse", response);
    if let Some(Value::Object(others)) = own(&result.extra, PART) {
        part.add_absent(others.iter());
    }
    Ok((part.into(), written.hoisted))
}

/// The content of a result on its way out.
#[derive(Default)]
struct Written {
    response: Option<Json>,
    parts: Vec<Json>,
    /// What stands behind all results instead.
    hoisted: Vec<Json>,
    /// The fields of another wire that the response does not say, where it says some of them.
    rest: Option<Extra>,
}

fn written(result: &ToolMessage, called: Option<&str>, path: &Path, pen: &mut Pen<'_>) -> Result<Written> {
    let mut written = Written::default();
    let mut content = result.content.clone();
    if let Content::Parts(parts) = &mut content {
        for (n, part) in parts.iter_mut().enumerate() {
            if let Some(said) = as_text(part, &path.key("content").index(n), pen) {
                *part = Part { kind: PartKind::Text(said.into()), extra: part.extra.clone() };
            }
        }
        if !pen.same && !pen.internal && !pen.response_parts {
            let fitted = ToolMessage { content, ..result.clone() };
            let hoisted = hoist(&fitted, &result.tool_call_id, called, "these results", path, pen.losses);
            for medium in hoisted.media {
                written.hoisted.push(write_part(&medium.note, &medium.path, pen)?);
                written.hoisted.push(write_part(&medium.part, &medium.path, pen)?);
            }
            content = hoisted.content;
        }
    }
    let structured = match result.failed() {
        true => None,
        false => structured::value(&content, &result.extra).filter(is_sendable),
    };
    let mut texts: Vec<&str> = Vec::new();
    match &content {
        Content::Text(text) => texts.push(text),
        Content::Parts(parts) => {
            let mut after_media = false;
            for (n, part) in parts.iter().enumerate() {
                let path = path.key("content").index(n);
                if let Some(text) = part.as_text() {
                    after_media |= !written.parts.is_empty();
                    texts.push(text);
                    match structured {
                        Some(_) => pen.leave(&structured::rest(&part.extra), &path),
                        None => pen.leave(&part.extra, &path),
                    }
                } else {
                    written.parts.push(write_part(part, &path, pen)?);
                }
            }
            report_joined(&texts, &written.parts, after_media, path, pen);
        }
    }
    let said_text = texts.join("\n");
    if let Some(native) = own(&result.extra, RESPONSE) {
        match native {
            Value::Null if said_text.is_empty() && !result.failed() && pen.same => return Ok(written),
            Value::Null => {}
            Value::Object(response) => {
                let said = said(response);
                if said.text == said_text && said.failed == result.failed() {
                    written.response = Some(native.clone());
                    return Ok(written);
                }
                let detail = "the result was changed after its response was read";
                pen.lose(Code::NativeStale, path.clone(), detail);
            }
            _ => {}
        }
    }
    let (key, value) = if result.failed() {
        (ERROR, said_text.into())
    } else {
        if structured.is_some() {
            written.rest = Some(structured::rest(&result.extra));
        }
        (OUTPUT, structured.unwrap_or(said_text.into()))
    };
    written.response = Some(Object::default().with(key, value).into());
    Ok(written)
}

/// Where in a body the output of a result stands.
const ABOVE_OUTPUT: usize = 7;

/// May structured output go as it is? A `$ref` in it would be read as a pointer to a part: such a value goes as its
/// text, as does one that nests too deep.
fn is_sendable(value: &Json) -> bool {
    !value.holds_key("$ref") && value.nests_within(MAX_DEPTH - ABOVE_OUTPUT)
}

fn report_joined(texts: &[&str], media: &[Json], after_media: bool, path: &Path, pen: &mut Pen<'_>) {
    let path = path.key("content");
    match texts.len() {
        _ if pen.same => {}
        0 if media.is_empty() => {
            pen.lose(Code::EmptyDropped, path, "an empty list and an empty text are the same to Gemini");
        }
        0 => {}
        1 if media.is_empty() => {
            let detail = "a list of one text and the text itself are the same to Gemini";
            pen.lose(Code::TextJoined, path, detail);
        }
        _ if after_media => pen.lose(Code::TextJoined, path, "the text of a result stands before its media"),
        1 if texts[0].is_empty() => pen.lose(Code::EmptyDropped, path, "an empty text beside media"),
        1 => {}
        _ => pen.lose(Code::TextJoined, path, "several texts of a result are one, on lines of their own"),
    }
}
