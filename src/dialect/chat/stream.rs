//! The chunks of a streamed answer and the body they add up to.

use super::deltas::{Deltas, Place};
use crate::dialect::stream::{Assembled, Assembly, Slots, extend, index, keep, keep_first};
use crate::error::Result;
use crate::json::{Cursor, Json, Object, Repeats, Value, parse};
use std::collections::BTreeMap;

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    Box::new(Chunks::default())
}

/// The sentinel, or an error, behind which it may be left out.
pub(in crate::dialect) fn is_terminal(name: Option<&str>, data: &[u8]) -> bool {
    data == b"[DONE]"
        || parse(data, Repeats::LastWins).is_ok_and(|parsed| error_in(name, &parsed.value).is_some())
}

/// The error that a chunk is, in the ways in which servers say it.
fn error_in<'v>(name: Option<&str>, chunk: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let is_error = || name == Some("error") || chunk.get("object").and_then(Value::as_str) == Some("error");
    let error = chunk.get("error").filter(|error| !error.is_null());
    error.or_else(|| is_error().then_some(chunk))
}

#[derive(Default)]
struct Chunks {
    /// What stands beside the choices.
    head: Object<'static>,
    choices: BTreeMap<u64, Choice>,
    error: Option<Json>,
    /// `[DONE]` was there; what follows it is not read.
    done: bool,
    /// Where the last chunk appended its text.
    grown: Option<(u64, Place)>,
}

#[derive(Default)]
struct Choice {
    message: Deltas,
    /// What stands beside the message.
    fields: Object<'static>,
}

impl Assembly for Chunks {
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()> {
        if self.done {
            return Ok(());
        }
        if name == Some("[DONE]") {
            self.done = true;
            return Ok(());
        }
        let chunk = Cursor::root(data).fields()?;
        if let Some(error) = error_in(name, data) {
            self.error = Some(error.clone().into_owned());
            return Ok(());
        }
        for (key, field) in chunk.each() {
            match key {
                // The last is padding against those who measure the pieces.
                "object" | "obfuscation" => {}
                "choices" if field.is_null() => {}
                "choices" => {
                    for choice in field.items()? {
                        self.choice(choice)?;
                    }
                }
                // The first chunk of some servers leaves them empty.
                "id" | "model" | "created" => keep_first(&mut self.head, key, field.value),
                _ => keep(&mut self.head, key, field.value),
            }
        }
        Ok(())
    }

    fn slots<'v>(&mut self, data: &'v Value<'_>) -> Option<Slots<'v>> {
        self.grown = None;
        if self.done || self.error.is_some() {
            return None;
        }
        let [choice] = data.get("choices")?.as_array()? else { return None };
        let choice = choice.as_object()?;
        let (mut number, mut delta) = (0, None);
        for (key, value) in choice.iter() {
            match (key.as_ref(), value) {
                ("index", Value::Number(literal)) => number = literal.parse().ok()?,
                ("delta", Value::Object(fields)) => delta = Some(fields),
                (_, Value::Null) => {}
                _ => return None,
            }
        }
        let grown = self.choices.get(&number)?.message.grown(delta?)?;
        self.grown = Some((number, grown.place));
        let padding = data.get("obfuscation").and_then(Value::as_str);
        Some(Slots { text: grown.text, padding, number: grown.index })
    }

    fn again(&mut self, text: &str, index: Option<&str>) -> bool {
        match self.grown.and_then(|(number, place)| Some((self.choices.get_mut(&number)?, place))) {
            Some((choice, place)) => choice.message.append(place, index, text),
            None => false,
        }
    }

    fn assembled(&self) -> Result<Assembled> {
        let mut sum = Assembled { error: self.error.clone(), ..Assembled::default() };
        sum.complete = self.done && !self.choices.is_empty() && self.choices.values().all(Choice::is_over);
        let mut choices = Vec::with_capacity(self.choices.len());
        for (number, choice) in &self.choices {
            let message = choice.message.message(choice.is_over(), &mut sum.unfinished);
            choices.push(choice.body(*number, message));
        }
        if choices.is_empty() {
            choices.push(Choice::default().body(0, Deltas::default().message(false, &mut sum.unfinished)));
        }
        sum.body = Object::default().with("object", "chat.completion").with("choices", choices);
        sum.body.0.extend(self.head.0.iter().cloned());
        Ok(sum)
    }
}

impl Chunks {
    fn choice(&mut self, piece: Cursor<'_>) -> Result<()> {
        let piece = piece.fields()?;
        let choice = self.choices.entry(index(&piece, "index")?.unwrap_or(0)).or_default();
        for (key, field) in piece.each() {
            match (key, field.value) {
                ("index", _) | ("delta" | "message", Value::Null) => {}
                // A server that does not really stream sends the message whole.
                ("delta" | "message", _) => choice.message.take(&field.fields()?)?,
                ("finish_reason", Value::Null) => {}
                ("finish_reason", _) => {
                    field.str()?;
                    keep(&mut choice.fields, key, field.value);
                }
                ("logprobs", Value::Object(logprobs)) => choice.logprobs(logprobs),
                _ => keep(&mut choice.fields, key, field.value),
            }
        }
        Ok(())
    }
}

impl Choice {
    fn is_over(&self) -> bool {
        self.fields.get("finish_reason").is_some()
    }

    /// Lists of tokens, each piece with its own.
    fn logprobs(&mut self, pieces: &Object<'_>) {
        let mut held = match self.fields.remove("logprobs") {
            Some(Value::Object(held)) => held,
            _ => Object::default(),
        };
        for (key, value) in pieces.iter() {
            match value {
                Value::Array(tokens) => extend(&mut held, key, tokens),
                value => keep(&mut held, key, value),
            }
        }
        self.fields.set("logprobs", held.into());
    }

    fn body(&self, number: u64, message: Object<'static>) -> Json {
        let mut body = Object::default().with("index", number).with("message", message);
        body.0.extend(self.fields.0.iter().cloned());
        if !self.is_over() {
            body.set("finish_reason", Value::Null);
        }
        body.into()
    }
}
