//! The seal: no marker leaves, a failed result says so in its text once, everything else keeps its bytes.

use super::Sealed;
use super::edit::{Edit, Edits};
use super::outcome::{self, Public};
use crate::dialect::targets::Target;
use crate::dialect::{self, Code, Losses, Mark, ResultForm};
use crate::error::{Error, Result};
use crate::json::{Entry, Slice, Value, unescape};
use crate::message::Dialect;
use crate::outcome::{MARKER, marker_places};
use crate::path::Path;
use std::borrow::Cow;

/// Seals a request body for the server that was named, else for that of the model in the body. Without a marker in it the
/// input comes back as it is, unread.
pub fn seal<'a>(dialect: Dialect, target: Option<&'static Target>, body: &'a [u8]) -> Result<Sealed<'a>> {
    let Some(mut walk) = Walk::of(dialect, target, body)? else {
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
    let Some(mut walk) = Walk::of(dialect, None, element.as_bytes()).ok()? else { return Some(Vec::new()) };
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
    /// Behind the name that stands in front of a result.
    Result,
    Elsewhere,
}

struct Walk {
    dialect: Dialect,
    target: Option<&'static Target>,
    form: ResultForm,
    /// Where the marker may be, ascending: nothing else is looked into.
    places: Vec<usize>,
    edits: Edits,
    losses: Losses,
}

impl Walk {
    /// A walk through a text; none where there cannot be a marker in it.
    fn of(dialect: Dialect, target: Option<&'static Target>, text: &[u8]) -> Result<Option<Self>> {
        let mut places: Vec<usize> = marker_places(text).collect();
        if places.is_empty() {
            return Ok(None);
        }
        places.sort_unstable();
        let form = dialect::result_form_for(dialect, target, None)?;
        Ok(Some(Self { dialect, target, form, places, edits: Edits::default(), losses: Losses::default() }))
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
            Place::Body | Place::Message | Place::Block | Place::Result | Place::Elsewhere => {
                Place::Elsewhere
            }
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
        if place == Place::Body {
            let model = entries.iter().rfind(|e| e.is(dialect::model_key(self.dialect)));
            let model = model.and_then(|e| e.value.string()).map(|token| unescape(&token).0);
            self.form = dialect::result_form_for(self.dialect, self.target, model.as_deref())?;
        }
        let mut public = Public::default();
        if !markers.is_empty() {
            if self.is_result(entries, place) {
                public = outcome::publish(self.form.says, object, entries, &markers, path, &mut self.edits)?;
            } else {
                for _ in &markers {
                    self.losses.add(Code::MarkerMisplaced, path.key(MARKER), "not on a tool result: removed");
                }
            }
            let Public { field, edited, refused } = public;
            let is_stored_id = |n: usize| edited && self.form.stored_id.is_some_and(|id| entries[n].is(id));
            if (0..entries.len()).any(is_stored_id) {
                let detail = "a result with its stored id would be read from the store, without the label";
                self.losses.add(Code::ItemIdDropped, path.key("id"), detail);
            }
            self.edits.remove(entries, |n| {
                is_marker[n] && Some(n) != field
                    || is_stored_id(n)
                    || refused.is_some_and(|key| entries[n].is(key))
            });
        }
        for (n, entry) in entries.iter().enumerate() {
            if !is_marker[n] && self.may_hold_marker(entry.value) {
                let inner = match place {
                    Place::Body if entry.is(self.form.messages) => Place::Messages,
                    Place::Message if self.form.blocks.is_some_and(|key| entry.is(key)) => Place::Blocks,
                    Place::Block if self.is_in_front(entry) => Place::Result,
                    _ => Place::Elsewhere,
                };
                self.value(entry.value, inner, &path.key(&entry.key()))?;
            }
        }
        Ok(())
    }

    /// Does the value of this member of a block have to be a result?
    fn is_in_front(&self, entry: &Entry<'_>) -> bool {
        matches!(self.form.mark, Mark::Under(names) if names.iter().any(|name| entry.is(name)))
    }

    fn is_result(&self, entries: &[Entry<'_>], place: Place) -> bool {
        match self.form.mark {
            Mark::Under(_) => place == Place::Result,
            Mark::Word { key, words } => {
                let here = if self.form.blocks.is_some() { Place::Block } else { Place::Message };
                let word = entries.iter().rfind(|e| e.is(key)).and_then(|e| e.value.string());
                place == here && word.is_some_and(|token| words.contains(&unescape(&token).0.as_ref()))
            }
        }
    }
}
