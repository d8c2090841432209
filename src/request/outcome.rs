//! The marker of a tool result becomes the outcome as its wire says it.

use super::edit::Edits;
use crate::dialect::{Refused, Says};
use crate::error::{Error, Kind, Result};
use crate::json::{Entry, Object, Slice, compact, unescape, write_string};
use crate::outcome::{LABEL, MARKER, starts_with_label};
use crate::path::Path;

/// What a result's outcome became: the marker that turned into a native field, and whether the content changed.
#[derive(Default)]
pub(super) struct Public {
    pub(super) field: Option<usize>,
    pub(super) edited: bool,
    /// The key of a field that the server does not take, and that said the same.
    pub(super) refused: Option<&'static str>,
}

/// The outcome of a tool result takes its public form.
pub(super) fn publish(
    says: Says,
    object: Slice<'_>,
    entries: &[Entry<'_>],
    markers: &[usize],
    path: &Path,
    edits: &mut Edits,
) -> Result<Public> {
    let mut outcome = None;
    for &n in markers {
        outcome = match entries[n].value.text {
            "true" => Some(true),
            "false" => Some(false),
            "null" => None,
            _ => return Err(Error::new(Kind::Marker, path.key(MARKER), "expected true or false")),
        };
    }
    let Some(outcome) = outcome else { return Ok(Public::default()) };
    let field = match says {
        Says::Label { content, text_part, refused } => {
            if let Some(Refused { key, failed, worked }) = refused {
                let said = if outcome { failed } else { worked };
                if entries.iter().rfind(|e| e.is(key)).is_some_and(|entry| !is_same(entry.value, said)) {
                    return Err(contradiction(path, key));
                }
            }
            let edited = outcome && label(content, text_part, object, entries, path, edits)?;
            return Ok(Public { field: None, edited, refused: refused.map(|field| field.key) });
        }
        Says::Field { key, failed, worked } => {
            let said = if outcome { failed } else { worked };
            match entries.iter().rfind(|e| e.is(key)) {
                Some(entry) if is_same(entry.value, said) => None,
                Some(_) => return Err(contradiction(path, key)),
                None => Some(format!("\"{key}\":{said}")),
            }
        }
        Says::Wrap { object, failed, worked } => {
            let mut missing = true;
            for entry in entries.iter().filter(|e| e.is(object)) {
                missing = false;
                wrap(entry.value, outcome, (failed, worked), &path.key(object), path, edits)?;
            }
            (missing && outcome).then(|| format!("\"{object}\":{{\"{failed}\":\"\"}}"))
        }
    };
    // The marker makes room for it.
    let Some((field, &n)) = field.zip(markers.last()) else { return Ok(Public::default()) };
    edits.replace(entries[n].start..entries[n].value.end(), field);
    Ok(Public { field: Some(n), ..Public::default() })
}

/// Puts what a result holds under the key that says its outcome, unless it is there.
fn wrap(
    response: Slice<'_>,
    outcome: bool,
    (failed, worked): (&str, &str),
    place: &Path,
    path: &Path,
    edits: &mut Edits,
) -> Result<()> {
    if response.text == "null" {
        if outcome {
            edits.replace(response.start..response.end(), format!("{{\"{failed}\":\"\"}}"));
        }
        return Ok(());
    }
    if !response.is_object() {
        return Err(Error::shape(place.clone(), "expected an object"));
    }
    let members = response.entries()?;
    let said = members.iter().rfind(|m| m.is(failed)).is_some_and(|m| m.value.text != "null");
    let holds = members.iter().any(|m| m.is(worked));
    match (said, holds, outcome) {
        (true, _, false) => return Err(contradiction(path, failed)),
        (true, _, true) | (false, true, false) => {}
        (false, true, true) => {
            // A null under the other key said nothing, and would now stand there twice.
            edits.remove(&members, |n| members[n].is(failed));
            for member in members.iter().filter(|m| m.is(worked)) {
                let key = member.key.map_or(0, |key| key.raw.len() + 2);
                edits.replace(member.start..member.start + key, format!("\"{failed}\""));
            }
        }
        (false, false, _) => {
            let key = if outcome { failed } else { worked };
            edits.insert(response.start, format!("{{\"{key}\":"));
            edits.insert(response.end(), "}");
        }
    }
    Ok(())
}

/// Puts the label in front of the content, where it is not there yet; tells whether it did.
fn label(
    key: &str,
    text_part: Option<&'static str>,
    object: Slice<'_>,
    entries: &[Entry<'_>],
    path: &Path,
    edits: &mut Edits,
) -> Result<bool> {
    let mut edited = false;
    let mut token = Vec::new();
    write_string(LABEL, &mut token);
    let token = String::from_utf8_lossy(&token).into_owned();
    let part = compact(&Object::default().with_some("type", text_part).with("text", LABEL).into());
    let alone = if text_part.is_some() { token.clone() } else { format!("[{part}]") };
    let mut missing = true;
    // A key that stands twice is labelled twice: which one a server takes is its own affair.
    for entry in entries.iter().filter(|e| e.is(key)) {
        missing = false;
        let value = entry.value;
        match value.first() {
            b'n' => {
                edits.replace(value.start..value.end(), alone.clone());
                edited = true;
            }
            b'"' => {
                let text = value.string().map(|token| unescape(&token).0).unwrap_or_default();
                if !starts_with_label(&text) {
                    edits.insert(value.start + 1, token.trim_matches('"').to_owned());
                    edited = true;
                }
            }
            b'[' => {
                let parts = value.entries()?;
                if !parts.first().is_some_and(|part| is_labelled(part.value)) {
                    let comma = if parts.is_empty() { "" } else { "," };
                    edits.insert(value.start + 1, part.clone() + comma);
                    edited = true;
                }
            }
            _ => return Err(Error::shape(path.key(key), "expected a string or a list of parts")),
        }
    }
    if missing {
        // The object holds at least the key that makes it a tool result.
        edits.insert(object.start + 1, format!("\"{key}\":{alone},"));
    }
    Ok(edited || missing)
}

/// Does a field say this JSON value? A word may be spelled with escapes.
fn is_same(value: Slice<'_>, json: &str) -> bool {
    match value.string() {
        Some(token) => unescape(&token).0 == json.trim_matches('"') && json.starts_with('"'),
        None => value.text == json,
    }
}

fn contradiction(path: &Path, field: &str) -> Error {
    Error::new(Kind::Marker, path.key(MARKER), format!("says something else than {field}"))
}

fn is_labelled(part: Slice<'_>) -> bool {
    part.is_object()
        && part.entries().is_ok_and(|fields| {
            let text = fields.iter().rfind(|f| f.is("text")).and_then(|f| f.value.string());
            text.is_some_and(|token| starts_with_label(&unescape(&token).0))
        })
}
