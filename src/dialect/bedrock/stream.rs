//! The events of a streamed answer and the answer they add up to.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>

use super::frames::FAILED;
use crate::dialect::blob;
use crate::dialect::stream::{Assembled, Assembly, append, extend, index, keep};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, MAX_DEPTH, Object, Repeats, Value, parse_within};
use crate::message::{CallKind, Extra, ToolCall};
use std::collections::BTreeMap;

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    Box::new(Events::default())
}

/// The counts come last, behind the reason to end, unless the stream fails.
pub(in crate::dialect) fn is_terminal(name: Option<&str>, _data: &[u8]) -> bool {
    matches!(name, Some("metadata" | FAILED))
}

#[derive(Default)]
struct Events {
    /// The members of the body that stand beside the message.
    body: Object<'static>,
    /// The blocks of each index. It is one, unless a server numbers reasoning and text alike.
    blocks: BTreeMap<u64, Vec<Block>>,
    error: Option<Json>,
    /// `messageStart`, `messageStop` and `metadata` were there.
    began: bool,
    stopped: bool,
    counted: bool,
    /// It or a block of it began anew, or went on behind its end: what is of which answer, nobody can tell.
    twice: bool,
}

/// The member of a content block, with its fields as their pieces have them.
struct Block {
    kind: String,
    fields: Object<'static>,
    /// The input of a call as JSON text, as far as it came.
    input: Option<String>,
    over: bool,
}

/// A text that makes events of equal length, so that the length does not tell what is in them.
const PADDING: &str = "p";

impl Assembly for Events {
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()> {
        if self.stopped && self.counted {
            // What follows is of another answer.
            return Ok(());
        }
        let data = Cursor::root(data);
        let event = data.fields()?;
        self.twice |= self.stopped && name.is_some_and(|name| name.starts_with("contentBlock"));
        match name {
            Some("messageStart") => {
                self.twice |= self.began;
                if let Some(role) = event.some("role").filter(|role| role.value.as_str() != Some("assistant"))
                {
                    return Err(role.expected("assistant"));
                }
                self.began = true;
            }
            Some("contentBlockStart") => {
                let start = event.need("start")?;
                let start = start.fields()?;
                let blocks = self.blocks.entry(number(&event)?).or_default();
                for (kind, block) in start.each().filter(|(_, block)| !block.is_null()) {
                    self.twice |= blocks.iter().any(|block| block.kind == kind);
                    let mut block = Block::new(kind, block.fields()?.rest(&[]));
                    if kind == "toolResult" {
                        extend(&mut block.fields, "content", &[]);
                    }
                    blocks.push(block);
                }
            }
            Some("contentBlockDelta") => {
                let delta = event.need("delta")?;
                let delta = delta.fields()?;
                let blocks = self.blocks.entry(number(&event)?).or_default();
                for (kind, piece) in delta.each().filter(|(_, piece)| !piece.is_null()) {
                    add(blocks, kind, piece)?;
                }
            }
            Some("contentBlockStop") => {
                let blocks = self.blocks.get_mut(&number(&event)?);
                blocks.into_iter().flatten().for_each(Block::stop);
            }
            Some("messageStop") => {
                self.beside(&event);
                self.stopped = true;
            }
            Some("metadata") => {
                self.beside(&event);
                self.counted = true;
            }
            Some(FAILED) => self.error = Some(data.to_json()),
            // What may come.
            _ => {}
        }
        Ok(())
    }

    fn assembled(&self) -> Result<Assembled> {
        let mut sum = Assembled { error: self.error.clone(), ..Assembled::default() };
        let blocks = || self.blocks.values().flatten();
        sum.complete =
            self.began && !self.twice && self.stopped && self.counted && blocks().all(Block::is_whole);
        let mut content = Vec::new();
        for block in blocks() {
            match &*block.kind {
                "toolUse" if block.is_server_tool() && !block.is_whole() => {}
                "toolUse" if !block.is_whole() || !block.is_call() => sum.unfinished.push(block.unfinished()),
                "text" | "reasoningContent" | "toolUse" => block.write(&mut content),
                // Of what the provider ran or made, only what came whole.
                _ if block.is_whole() => block.write(&mut content),
                _ => {}
            }
        }
        let message = Object::default().with("role", "assistant").with("content", content);
        sum.body = Object::default().with("output", Object::default().with("message", message));
        sum.body.set_all(self.body.iter().cloned());
        Ok(sum)
    }
}

fn number(event: &Fields<'_>) -> Result<u64> {
    let key = "contentBlockIndex";
    index(event, key)?.ok_or_else(|| Error::shape(event.path().key(key), "missing"))
}

/// Adds a piece to the last block, or to a new one where that is of another kind.
fn add(blocks: &mut Vec<Block>, kind: &str, piece: Cursor<'_>) -> Result<()> {
    let kind = if kind == "citation" { "text" } else { kind };
    if blocks.last().is_none_or(|block| block.kind != kind || block.over) {
        blocks.push(Block::new(kind, Object::default()));
    }
    match blocks.last_mut() {
        Some(block) => block.add(piece),
        None => Ok(()),
    }
}

/// How deep in a body the input of a call stands.
const ABOVE_INPUT: usize = 6;

impl Events {
    fn beside(&mut self, event: &Fields<'_>) {
        for (key, value) in event.object.iter().filter(|(key, _)| key != PADDING && key != "output") {
            keep(&mut self.body, key, value);
        }
    }
}

impl Block {
    fn new(kind: &str, fields: Object<'static>) -> Self {
        Self { kind: kind.to_owned(), fields, input: None, over: false }
    }

    /// A piece: texts and lists grow, other fields are what was said last.
    fn add(&mut self, piece: Cursor<'_>) -> Result<()> {
        let fields = &mut self.fields;
        match (&*self.kind, piece.value) {
            ("text", Value::String(text)) => append(fields, "text", text),
            ("text", citation) => extend(fields, "citations", std::slice::from_ref(citation)),
            ("toolUse", _) => {
                self.input.get_or_insert_default().push_str(piece.fields()?.need_str("input")?);
            }
            ("toolResult", Value::Array(blocks)) => extend(fields, "content", blocks),
            _ => {
                for (key, value) in piece.fields()?.each() {
                    match value.value {
                        _ if key == "redactedContent" => blob::append_to(fields, key, value)?,
                        Value::Object(source) if source.get("bytes").is_some() => {
                            let mut held = match fields.remove(key) {
                                Some(Value::Object(held)) => held,
                                _ => Object::default(),
                            };
                            blob::append_to(&mut held, "bytes", value.fields()?.need("bytes")?)?;
                            fields.set(key, held.into());
                        }
                        Value::String(text) => append(fields, key, text),
                        Value::Array(items) => extend(fields, key, items),
                        other => keep(fields, key, other),
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the input, which is whole now. What is not JSON stays as it came.
    fn stop(&mut self) {
        self.over = true;
        if self.kind != "toolUse" {
            return;
        }
        let text = self.input.as_deref().unwrap_or_default();
        if text.is_empty() {
            self.input = None;
            if self.fields.get("input").is_none() {
                self.fields.set("input", Object::default().into());
            }
        } else if let Ok(parsed) = parse_within(text.as_bytes(), Repeats::LastWins, MAX_DEPTH - ABOVE_INPUT) {
            self.fields.set("input", parsed.value.into_owned());
            self.input = None;
        }
    }

    fn is_whole(&self) -> bool {
        self.over && self.input.is_none()
    }

    fn is_server_tool(&self) -> bool {
        self.fields.get("type").is_some_and(|kind| !kind.is_null())
    }

    /// Can it be read as a call?
    fn is_call(&self) -> bool {
        let is_text = |key: &str| self.fields.get(key).is_some_and(|value| value.as_str().is_some());
        is_text("toolUseId") && is_text("name")
    }

    fn unfinished(&self) -> ToolCall {
        let said = |key: &str| self.fields.get(key).and_then(Value::as_str).unwrap_or_default();
        ToolCall {
            id: said("toolUseId").into(),
            name: said("name").into(),
            arguments: self.input.as_deref().unwrap_or_default().into(),
            kind: CallKind::Function,
            namespace: None,
            extra: Extra::none(),
        }
    }

    /// The block as it stands in a body.
    fn write(&self, out: &mut Vec<Json>) {
        let mut put = |kind: &str, value: Json| {
            let mut block = Object::default();
            block.set(kind, value);
            out.push(block.into());
        };
        let mut fields = self.fields.clone();
        match &*self.kind {
            "text" => {
                let text = fields.remove("text").unwrap_or_else(|| "".into());
                match fields.remove("citations") {
                    Some(citations) => {
                        let said = Object::default().with("text", text);
                        let cited =
                            Object::default().with("content", vec![said.into()]).with("citations", citations);
                        put("citationsContent", cited.into());
                    }
                    None => put("text", text),
                }
            }
            "reasoningContent" => {
                let redacted = fields.remove("redactedContent");
                if !fields.is_empty() {
                    append(&mut fields, "text", "");
                    put("reasoningContent", Object::default().with("reasoningText", fields).into());
                }
                if let Some(redacted) = redacted {
                    put("reasoningContent", Object::default().with("redactedContent", redacted).into());
                }
            }
            kind => put(kind, fields.into()),
        }
    }
}
