//! The message of one choice as it grows by deltas: texts, reasoning, and calls by their index.

use super::calls::{Call, grown_call};
use crate::dialect::blob;
use crate::dialect::stream::{append, extend, index, keep, keep_first};
use crate::error::Result;
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::ToolCall;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Deltas {
    /// All but the calls.
    fields: Object<'static>,
    calls: Vec<Call>,
    /// Where the call with an index stands.
    places: BTreeMap<u64, usize>,
    /// The older form of a single call.
    function_call: Option<Object<'static>>,
}

/// The text that grows by a delta.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Field(&'static str),
    /// The arguments of the call with an index.
    Call,
}

/// The one text of a delta, where it goes, and the index of the call it belongs to.
pub(super) struct Grown<'v> {
    pub(super) place: Place,
    pub(super) text: &'v str,
    pub(super) index: Option<&'v str>,
}

/// The fields that are texts which come in pieces.
const TEXTS: [&str; 4] = ["content", "reasoning_content", "reasoning", "refusal"];

impl Deltas {
    pub(super) fn take(&mut self, delta: &Fields<'_>) -> Result<()> {
        for (key, field) in delta.each() {
            match (key, field.value) {
                ("role", Value::Null) => {}
                ("role", role) if matches!(role.as_str(), Some("" | "assistant")) => {}
                ("role", _) => return Err(field.expected("assistant")),
                ("content", _) => self.content(field)?,
                ("reasoning_content" | "reasoning", Value::String(piece)) => {
                    append(&mut self.fields, key, piece);
                }
                ("refusal", value) if !value.is_null() => append(&mut self.fields, key, field.str()?),
                ("reasoning_details", Value::Array(details)) => self.details(details),
                ("annotations", Value::Array(items)) => extend(&mut self.fields, key, items),
                ("tool_calls", value) if !value.is_null() => self.calls(field)?,
                ("function_call", Value::Object(call)) => {
                    pieces(self.function_call.get_or_insert_default(), call, "arguments");
                }
                ("audio", Value::Object(_)) => self.audio(field)?,
                (_, value) => keep(&mut self.fields, key, value),
            }
        }
        Ok(())
    }

    /// The text of a delta that was taken; none if the same delta would do more than append to it.
    pub(super) fn grown<'v>(&self, delta: &'v Object<'_>) -> Option<Grown<'v>> {
        let mut grown = None;
        for (key, value) in delta.iter() {
            let this = match (key.as_ref(), value) {
                ("role", _) | (_, Value::Null) => continue,
                ("tool_calls", Value::Array(calls)) => grown_call(calls)?,
                (key, Value::String(text)) => {
                    let field = TEXTS.iter().find(|field| **field == key)?;
                    self.fields.get(field)?.as_str()?;
                    Grown { place: Place::Field(field), text, index: None }
                }
                _ => return None,
            };
            if grown.replace(this).is_some() {
                return None;
            }
        }
        grown
    }

    /// Appends to a text that `grown` has told; says whether there is one.
    pub(super) fn append(&mut self, place: Place, index: Option<&str>, text: &str) -> bool {
        match place {
            Place::Field(key) => append(&mut self.fields, key, text),
            Place::Call => {
                let index = index.and_then(|index| index.parse().ok());
                let Some(place) = index.and_then(|index: u64| self.places.get(&index)) else { return false };
                self.calls[*place].arguments.push_str(text);
            }
        }
        true
    }

    /// Text; a few servers send lists of parts.
    fn content(&mut self, piece: Cursor<'_>) -> Result<()> {
        match piece.value {
            Value::Null => keep(&mut self.fields, "content", piece.value),
            Value::Array(_) => {
                for part in piece.items()? {
                    let part = part.fields()?;
                    part.need_str("type")?;
                    part.some_str("refusal")?;
                }
                if let Some(Value::String(text)) = self.fields.get("content") {
                    let text = text_part(text.clone().into_owned());
                    self.fields.set("content", vec![text].into());
                }
                extend(&mut self.fields, "content", piece.value.as_array().unwrap_or_default());
            }
            _ => {
                let text = piece.str()?;
                match self.fields.get("content") {
                    Some(Value::Array(_)) => {
                        extend(&mut self.fields, "content", &[text_part(text.to_owned())]);
                    }
                    _ => append(&mut self.fields, "content", text),
                }
            }
        }
        Ok(())
    }

    /// A detail goes on with the one before it where it is of the same kind and nothing tells the two apart.
    fn details(&mut self, details: &[Value<'_>]) {
        for detail in details {
            let text_key = match detail.kind() {
                Some("reasoning.text") => "text",
                Some("reasoning.summary") => "summary",
                _ => "",
            };
            let list = self.fields.0.iter_mut().find(|(key, _)| key == "reasoning_details");
            let last = match list {
                Some((_, Value::Array(list))) => list.last_mut(),
                _ => None,
            };
            match (last, detail) {
                (Some(Value::Object(last)), Value::Object(detail))
                    if !text_key.is_empty() && goes_on(last, detail) =>
                {
                    for (key, value) in detail.iter() {
                        match value {
                            Value::String(piece) if key == text_key => append(last, key, piece),
                            value => keep_first(last, key, value),
                        }
                    }
                }
                _ => extend(&mut self.fields, "reasoning_details", std::slice::from_ref(detail)),
            }
        }
    }

    /// The pieces of the sound are each encoded for themselves.
    fn audio(&mut self, audio: Cursor<'_>) -> Result<()> {
        let mut held = match self.fields.remove("audio") {
            Some(Value::Object(held)) => held,
            _ => Object::default(),
        };
        for (key, field) in audio.fields()?.each() {
            match (key, field.value) {
                ("data", Value::String(_)) => blob::append_to(&mut held, key, field)?,
                ("transcript", Value::String(text)) => append(&mut held, key, text),
                (_, value) => keep(&mut held, key, value),
            }
        }
        self.fields.set("audio", held.into());
        Ok(())
    }

    fn calls(&mut self, calls: Cursor<'_>) -> Result<()> {
        for piece in calls.items()? {
            let piece = piece.fields()?;
            let place = self.place(&piece)?;
            self.calls[place].take(&piece)?;
        }
        if self.calls.is_empty() {
            keep(&mut self.fields, "tool_calls", calls.value);
        }
        Ok(())
    }

    /// Which call a piece belongs to. Some servers give no index, others the same one to several calls: there a new
    /// id with a name begins another call.
    fn place(&mut self, piece: &Fields<'_>) -> Result<usize> {
        let id = piece.some_str("id")?.unwrap_or_default();
        let index = index(piece, "index")?;
        let known = match index {
            Some(index) => self.places.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        };
        let named = || {
            ["function", "custom"].iter().any(|kind| {
                let inner = piece.object.get(kind);
                inner.and_then(|inner| inner.get("name")?.as_str()).is_some_and(|name| !name.is_empty())
            })
        };
        let place = match known {
            Some(place) => {
                let held = &self.calls[place].id;
                let another = !id.is_empty() && !held.is_empty() && id != held && named();
                if another { self.calls.len() } else { place }
            }
            None => self.calls.len(),
        };
        if place == self.calls.len() {
            self.calls.push(Call::default());
        }
        if let Some(index) = index {
            self.places.insert(index, place);
        }
        Ok(place)
    }

    /// The message as far as it came. Calls are in it once the choice is over; else they are unfinished.
    pub(super) fn message(&self, over: bool, unfinished: &mut Vec<ToolCall>) -> Object<'static> {
        let mut message = Object::default().with("role", "assistant");
        if self.fields.get("content").is_none() {
            message.set("content", Value::Null);
        }
        message.0.extend(self.fields.0.iter().cloned());
        let mut calls = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            match call.whole().filter(|_| over) {
                Some(call) => calls.push(call),
                None => unfinished.push(call.unfinished()),
            }
        }
        if !calls.is_empty() {
            message.set("tool_calls", calls.into());
        }
        match &self.function_call {
            Some(call) if over => message.set("function_call", call.clone().into()),
            Some(call) => unfinished.push(Call { inner: call.clone(), ..Call::default() }.unfinished()),
            None => {}
        }
        message
    }
}

/// Adds to an object whose one text comes in pieces.
fn pieces(held: &mut Object<'static>, piece: &Object<'_>, text_key: &str) {
    for (key, value) in piece.iter() {
        match value {
            Value::String(text) if key == text_key => append(held, key, text),
            value => keep(held, key, value),
        }
    }
}

fn text_part(text: String) -> Json {
    Object::default().with("type", "text").with("text", text).into()
}

fn goes_on(last: &Object<'_>, detail: &Object<'_>) -> bool {
    last.get("type") == detail.get("type")
        && ["id", "index", "format"].iter().all(|key| match (last.get(key), detail.get(key)) {
            (Some(held), Some(new)) => held.is_null() || new.is_null() || held == new,
            _ => true,
        })
}
