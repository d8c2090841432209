//! The seal: no marker leaves, a failed result says so in its text once, everything else keeps its bytes.

use super::Sealed;
use super::edit::{Edit, Edits};
use crate::dialect::{self, Code, Losses, ResultForm};
use crate::error::{Error, Kind, Result};
use crate::json::{Entry, Slice, Value, compact, unescape, write_string};
use crate::message::Dialect;
use crate::outcome::{LABEL, MARKER, marker_places, starts_with_label};
use crate::path::Path;
use std::borrow::Cow;

/// Seals a request body. Without a marker in it the input comes back as it is, unread.
pub fn seal(dialect: Dialect, body: &[u8]) -> Result<Sealed<'_>> {
    let Some(mut walk) = Walk::of(dialect, body)? else {
        return Ok(Sealed { body: Cow::Borrowed(body), losses: Vec::new() });
    };
    let document = Slice::document(body)?;
    walk.value(document, Place::Body, &Path::root())?;
    let body = if walk.edits.is_empty() { Cow::Borrowed(body) } else { Cow::Owned(walk.edits.apply(body)) };
    Ok(Sealed { body, losses: walk.losses.0 })
}

/// Is there a marker in a value that was read? An element without one needs no seal.
pub fn holds_marker(value: &Value<'_>) -> bool {
    value.holds_key(MARKER)
}

/// What the seal changes in one element of the list that holds the conversation, in the order of its text. None where
/// it would be refused or lose something: then the whole body has to be sealed, which says so by path.
pub fn seal_element(dialect: Dialect, element: &str) -> Option<Vec<Edit>> {
    let Some(mut walk) = Walk::of(dialect, element.as_bytes()).ok()? else { return Some(Vec::new()) };
    walk.value(Slice { text: element, start: 0 }, Place::Message, &Path::root()).ok()?;
    walk.losses.0.is_empty().then(|| walk.edits.sorted())
}

/// Where in the body we are: only there can a tool result stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Messages,
    Message,
    Blocks,
    Block,
    Elsewhere,
}

/// What a result's outcome became: the marker that turned into a native field, and whether the content changed.
#[derive(Default)]
struct Public {
    field: Option<usize>,
    edited: bool,
}

struct Walk {
    form: ResultForm,
    /// Where the marker may be, ascending: nothing else is looked into.
    places: Vec<usize>,
    edits: Edits,
    losses: Losses,
}

impl Walk {
    /// A walk through a text; none where there cannot be a marker in it.
    fn of(dialect: Dialect, text: &[u8]) -> Result<Option<Self>> {
        let mut places: Vec<usize> = marker_places(text).collect();
        if places.is_empty() {
            return Ok(None);
        }
        places.sort_unstable();
        let form = dialect::result_form(dialect)?;
        Ok(Some(Self { form, places, edits: Edits::default(), losses: Losses::default() }))
    }

    fn may_hold_marker(&self, value: Slice<'_>) -> bool {
        let first = self.places.partition_point(|place| *place < value.start);
        self.places.get(first).is_some_and(|place| *place < value.end())
    }

    fn value(&mut self, value: Slice<'_>, place: Place, path: &Path) -> Result<()> {
        let entries = value.entries()?;
        if value.is_object() {
            return self.object(value, &entries, place, path);
        }
        let inner = match place {
            Place::Messages => Place::Message,
            Place::Blocks => Place::Block,
            Place::Body | Place::Message | Place::Block | Place::Elsewhere => Place::Elsewhere,
        };
        for (n, entry) in entries.iter().enumerate() {
            if self.may_hold_marker(entry.value) {
                self.value(entry.value, inner, &path.index(n))?;
            }
        }
        Ok(())
    }

    fn object(&mut self, object: Slice<'_>, entries: &[Entry<'_>], place: Place, path: &Path) -> Result<()> {
        let is_marker: Vec<bool> = entries.iter().map(|entry| entry.is(MARKER)).collect();
        let markers: Vec<usize> = (0..entries.len()).filter(|n| is_marker[*n]).collect();
        if place == Place::Body && !entries.iter().any(|e| e.is(self.form.messages)) {
            // Its markers would go without a word: this is a body of another wire.
            let path = path.key(self.form.messages);
            return Err(Error::shape(path, "missing: this body is of another dialect"));
        }
        let mut public = Public::default();
        if !markers.is_empty() {
            if self.is_result(entries, place) {
                public = self.result(object, entries, &markers, path)?;
            } else {
                for _ in &markers {
                    self.losses.add(Code::MarkerMisplaced, path.key(MARKER), "not on a tool result: removed");
                }
            }
            let Public { field, edited } = public;
            let is_stored_id = |n: usize| edited && self.form.stored_id.is_some_and(|id| entries[n].is(id));
            if (0..entries.len()).any(is_stored_id) {
                let detail = "a result with its stored id would be read from the store, without the label";
                self.losses.add(Code::ItemIdDropped, path.key("id"), detail);
            }
            self.edits.remove(entries, |n| is_marker[n] && Some(n) != field || is_stored_id(n));
        }
        for (n, entry) in entries.iter().enumerate() {
            if !is_marker[n] && self.may_hold_marker(entry.value) {
                let inner = match place {
                    Place::Body if entry.is(self.form.messages) => Place::Messages,
                    Place::Message if entry.is("content") => Place::Blocks,
                    _ => Place::Elsewhere,
                };
                self.value(entry.value, inner, &path.key(&entry.key()))?;
            }
        }
        Ok(())
    }

    fn is_result(&self, entries: &[Entry<'_>], place: Place) -> bool {
        let here = if self.form.in_blocks { Place::Block } else { Place::Message };
        let last = entries.iter().rfind(|e| e.is(self.form.key)).and_then(|e| e.value.string());
        place == here && last.is_some_and(|token| self.form.kinds.contains(&unescape(&token).0.as_ref()))
    }

    /// The outcome of a tool result takes its public form.
    fn result(
        &mut self,
        object: Slice<'_>,
        entries: &[Entry<'_>],
        markers: &[usize],
        path: &Path,
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
        let Some(field) = self.form.native_field else {
            let edited = outcome && self.label(object, entries, path)?;
            return Ok(Public { field: None, edited });
        };
        match entries.iter().rfind(|e| e.is(field)).map(|e| e.value.text) {
            Some(native) if native == if outcome { "true" } else { "false" } => Ok(Public::default()),
            Some(_) => {
                Err(Error::new(Kind::Marker, path.key(MARKER), format!("says something else than {field}")))
            }
            None => {
                let last = markers.last().copied();
                if let Some(entry) = last.and_then(|n| entries.get(n)) {
                    self.edits.replace(entry.start..entry.value.end(), format!("\"{field}\":{outcome}"));
                }
                Ok(Public { field: last, edited: false })
            }
        }
    }

    /// Puts the label in front of the content, where it is not there yet; tells whether it did.
    fn label(&mut self, object: Slice<'_>, entries: &[Entry<'_>], path: &Path) -> Result<bool> {
        let mut edited = false;
        let mut token = Vec::new();
        write_string(LABEL, &mut token);
        let token = String::from_utf8_lossy(&token).into_owned();
        let key = self.form.content;
        let mut missing = true;
        // A key that stands twice is labelled twice: which one a server takes is its own affair.
        for entry in entries.iter().filter(|e| e.is(key)) {
            missing = false;
            let value = entry.value;
            match value.first() {
                b'n' => {
                    self.edits.replace(value.start..value.end(), token.clone());
                    edited = true;
                }
                b'"' => {
                    let text = value.string().map(|token| unescape(&token).0).unwrap_or_default();
                    if !starts_with_label(&text) {
                        self.edits.insert(value.start + 1, token.trim_matches('"').to_owned());
                        edited = true;
                    }
                }
                b'[' => {
                    let parts = value.entries()?;
                    if !parts.first().is_some_and(|part| is_labelled(part.value)) {
                        let part = crate::json::Object::default()
                            .with("type", self.form.text_part)
                            .with("text", LABEL);
                        let comma = if parts.is_empty() { "" } else { "," };
                        self.edits.insert(value.start + 1, compact(&part.into()) + comma);
                        edited = true;
                    }
                }
                _ => return Err(Error::shape(path.key(key), "expected a string or a list of parts")),
            }
        }
        if missing {
            // The object holds at least the key that makes it a tool result.
            self.edits.insert(object.start + 1, format!("\"{key}\":{token},"));
        }
        Ok(edited || missing)
    }
}

fn is_labelled(part: Slice<'_>) -> bool {
    part.is_object()
        && part.entries().is_ok_and(|fields| {
            let text = fields.iter().rfind(|f| f.is("text")).and_then(|f| f.value.string());
            text.is_some_and(|token| starts_with_label(&unescape(&token).0))
        })
}
