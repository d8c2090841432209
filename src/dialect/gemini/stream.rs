//! The chunks of a streamed answer, each an answer of its own, and the one they add up to.

use super::HERE;
use super::chunks::plain_text;
use super::fragments::Arguments;
use super::framing::{ELEMENT, END, Either, HEADLESS};
use super::pen::text;
use super::read::{MINTED, minted_of};
use super::spelling::camel;
use crate::dialect::stream::{Assembled, Assembly, Framing, index, keep};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Repeats, Value, parse};
use crate::message::{CallKind, Extra, Text, ToolCall};
use crate::path::Path;
use std::collections::BTreeMap;

pub(in crate::dialect) fn framing() -> Box<dyn Framing> {
    Box::new(Either::default())
}

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    Box::new(Answer::default())
}

/// Does the chunk say why the answer, which is the first candidate, ends? Nothing else does but an error.
pub(in crate::dialect) fn is_terminal(_name: Option<&str>, data: &[u8]) -> bool {
    // The words in either spelling.
    if !["inish", "lock", "error"].iter().any(|part| memchr::memmem::find(data, part.as_bytes()).is_some()) {
        return false;
    }
    let Ok(parsed) = parse(data, Repeats::LastWins) else { return false };
    let Ok(chunk) = camel(&parsed.value) else { return false };
    let candidates = chunk.get("candidates").and_then(Value::as_array).unwrap_or_default();
    let ended = |candidate: &Value<'_>| {
        let first = candidate.get("index").is_none_or(|n| *n == Json::Number("0".into()));
        first && has_ended(candidate.get("finishReason"))
    };
    chunk.get("error").is_some_and(|error| !error.is_null())
        || candidates.iter().any(ended)
        || candidates.is_empty() && is_blocked(chunk.as_object())
}

fn has_ended(reason: Option<&Value<'_>>) -> bool {
    reason.and_then(Value::as_str).is_some_and(|word| word != "FINISH_REASON_UNSPECIFIED")
}

fn is_blocked(body: Option<&Object<'_>>) -> bool {
    let reason = |body: &Object<'_>| body.get("promptFeedback")?.get("blockReason")?.as_str().map(|_| ());
    body.and_then(reason).is_some()
}

#[derive(Default)]
struct Answer {
    /// What stands beside the candidates.
    body: Object<'static>,
    candidates: BTreeMap<u64, Candidate>,
    error: Option<Json>,
    /// The chunks are elements of an array, which has ended.
    in_array: bool,
    over: bool,
    /// A chunk was of another answer.
    twice: bool,
}

#[derive(Default)]
struct Candidate {
    fields: Object<'static>,
    /// What the content holds beside its parts; none as long as there is no content.
    content: Option<Object<'static>>,
    /// There were parts, be it none.
    listed: bool,
    parts: Vec<Piece>,
    /// The first part was a text that says nothing.
    blank: bool,
    /// The call whose arguments are coming.
    open: Option<OpenCall>,
    /// Calls that another one came in between of: they will not be whole.
    abandoned: Vec<OpenCall>,
    ended: bool,
}

enum Piece {
    Text { said: String, thought: bool },
    Whole(Json),
}

impl Piece {
    fn is_call(&self) -> bool {
        matches!(self, Piece::Whole(part) if part.get("functionCall").is_some_and(|call| !call.is_null()))
    }

    fn to_json(&self) -> Json {
        match self {
            Piece::Whole(part) => part.clone(),
            Piece::Text { said, thought } => Object::default()
                .with("text", text(said))
                .with_some("thought", thought.then_some(true))
                .into(),
        }
    }
}

struct OpenCall {
    /// What stands beside the call, such as its signature.
    part: Object<'static>,
    id: Option<String>,
    name: String,
    arguments: Arguments,
}

impl Assembly for Answer {
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()> {
        match name {
            Some("[DONE]") => return Ok(()),
            Some(END) => {
                self.over = true;
                self.in_array = true;
                return Ok(());
            }
            Some(HEADLESS) => return Err(Error::shape(Path::root(), "the stream does not begin here")),
            name => self.in_array |= name == Some(ELEMENT),
        }
        let chunk = camel(data)?;
        let fields = Cursor::root(&chunk);
        let fields = fields.fields()?;
        if let (Some(id), Some(own)) = (fields.some_str("responseId")?, self.body.get("responseId")) {
            self.twice |= own.as_str().is_some_and(|own| own != id);
        }
        for (key, value) in fields.each() {
            match (key, value.value) {
                ("candidates", Value::Null) => {}
                ("candidates", _) => {
                    for candidate in value.items()? {
                        let candidate = candidate.fields()?;
                        let at = index(&candidate, "index")?.unwrap_or(0);
                        self.candidates.entry(at).or_default().add(&candidate)?;
                    }
                }
                ("error", Value::Null) => {}
                ("error", _) => self.error = Some(value.to_json()),
                // The counts are those of the whole answer, as far as a chunk states them.
                ("usageMetadata", Value::Object(counts)) => {
                    let mut usage = match self.body.remove(key) {
                        Some(Value::Object(usage)) => usage,
                        _ => Object::default(),
                    };
                    for (key, value) in counts.iter() {
                        keep(&mut usage, key, value);
                    }
                    self.body.set(key, usage.into());
                }
                (key, value) => keep(&mut self.body, key, value),
            }
        }
        Ok(())
    }

    fn assembled(&self) -> Result<Assembled> {
        let mut sum = Assembled { error: self.error.clone(), ..Assembled::default() };
        let ended = match self.candidates.is_empty() {
            true => is_blocked(Some(&self.body)),
            false => self.candidates.values().all(|candidate| candidate.ended),
        };
        sum.complete = ended && !self.twice && (self.over || !self.in_array);
        let mut candidates: Vec<Json> = self.candidates.values().map(Candidate::to_json).collect();
        for candidate in self.candidates.values() {
            let whole = candidate.parts.iter().filter(|piece| piece.is_call()).count();
            for (n, call) in candidate.abandoned.iter().chain(&candidate.open).enumerate() {
                sum.unfinished.push(call.unfinished(|| minted_of(&self.body, whole + n)));
            }
        }
        if candidates.is_empty() && !is_blocked(Some(&self.body)) {
            candidates.push(Candidate::default().to_json());
        }
        if !candidates.is_empty() {
            sum.body.set("candidates", candidates.into());
        }
        sum.body.add_absent(self.body.iter());
        Ok(sum)
    }
}

impl Candidate {
    fn add(&mut self, chunk: &Fields<'_>) -> Result<()> {
        self.ended |= has_ended(chunk.object.get("finishReason"));
        for (key, value) in chunk.each() {
            if key != "content" {
                keep(&mut self.fields, key, value.value);
            }
        }
        let Some(content) = chunk.some("content") else { return Ok(()) };
        let content = content.fields()?;
        let held = self.content.get_or_insert_default();
        for (key, value) in content.each().filter(|(key, _)| *key != "parts") {
            keep(held, key, value.value);
        }
        if let Some(parts) = content.some("parts") {
            self.listed = true;
            for (n, part) in parts.items()?.enumerate() {
                self.part(part, n == 0)?;
            }
        }
        Ok(())
    }

    /// A text goes on with the first part of the next chunk. What one chunk holds apart stays apart.
    fn part(&mut self, part: Cursor<'_>, first: bool) -> Result<()> {
        let fields = part.fields()?;
        if let Some(call) = fields.some("functionCall") {
            return self.call(part, &fields, &call.fields()?);
        }
        let Some((piece, is_thought)) = plain_text(part.value) else {
            self.parts.push(Piece::Whole(part.to_json()));
            return Ok(());
        };
        match self.parts.last_mut() {
            None if first && piece.is_empty() => self.blank = true,
            Some(_) if first && piece.is_empty() => {}
            Some(Piece::Text { said, thought }) if first && *thought == is_thought => said.push_str(piece),
            _ => self.parts.push(Piece::Text { said: piece.to_owned(), thought: is_thought }),
        }
        Ok(())
    }

    /// A call that is whole, or the next piece of one: only the first piece names the tool.
    fn call(&mut self, part: Cursor<'_>, fields: &Fields<'_>, call: &Fields<'_>) -> Result<()> {
        let continues = call.some("willContinue").map(|more| more.bool()).transpose()?.unwrap_or(false);
        let pieces = call.some("partialArgs");
        let name = call.some_str("name")?.filter(|name| !name.is_empty());
        if let Some(name) = name {
            self.abandoned.extend(self.open.take());
            if pieces.is_none() && !continues {
                self.parts.push(Piece::Whole(part.to_json()));
                return Ok(());
            }
            self.open = Some(OpenCall {
                part: Object::default(),
                id: call.some_str("id")?.map(str::to_owned),
                name: name.to_owned(),
                arguments: Arguments::new(call.some("args").and_then(|args| args.value.as_object())),
            });
        }
        let Some(open) = &mut self.open else {
            return Err(Error::shape(
                call.path().key("name"),
                "missing: there is no call that this continues",
            ));
        };
        for (key, value) in fields.each().filter(|(key, _)| *key != "functionCall") {
            keep(&mut open.part, key, value.value);
        }
        if let Some(pieces) = pieces {
            for piece in pieces.items()? {
                open.arguments.add(piece)?;
            }
        }
        if !continues && let Some(open) = self.open.take() {
            if open.arguments.are_whole() {
                self.parts.push(Piece::Whole(open.into_part()));
            } else {
                self.abandoned.push(open);
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Json {
        let mut parts: Vec<Json> = self.parts.iter().map(Piece::to_json).collect();
        if parts.is_empty() && self.blank {
            parts.push(Object::default().with("text", "").into());
        }
        let content = self.content.as_ref().map(|held| {
            let mut content = held.clone();
            if self.listed {
                content.set("parts", parts.into());
            }
            content
        });
        let mut candidate = Object::default().with_some("content", content);
        candidate.add_absent(self.fields.iter());
        candidate.into()
    }
}

impl OpenCall {
    fn into_part(self) -> Json {
        let call = Object::default()
            .with_some("id", self.id)
            .with("name", self.name)
            .with("args", self.arguments.to_json());
        let mut part = Object::default().with("functionCall", call);
        part.0.extend(self.part.0);
        part.into()
    }

    /// The call as far as it came.
    fn unfinished(&self, mint: impl Fn() -> Text) -> ToolCall {
        let (id, extra) = match &self.id {
            Some(id) => (Text::from(id.as_str()), Extra::none()),
            None => {
                let id = mint();
                let layout = Object::default().with(MINTED, text(&id));
                (id, Extra::new(HERE, layout))
            }
        };
        ToolCall {
            id,
            name: self.name.as_str().into(),
            arguments: self.arguments.so_far().into(),
            kind: CallKind::Function,
            namespace: None,
            extra,
        }
    }
}
