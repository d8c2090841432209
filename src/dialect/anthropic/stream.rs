//! The events of a streamed answer and the message they add up to.

use crate::dialect::stream::{Assembled, Assembly, Slots, append, extend, index, keep};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, MAX_DEPTH, Object, Repeats, Value, parse, parse_within};
use crate::message::{CallKind, Extra, ToolCall};
use std::collections::BTreeMap;

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    Box::new(Events::default())
}

/// The events behind which nothing comes.
pub(in crate::dialect) const LAST: [&str; 2] = ["message_stop", "error"];

pub(in crate::dialect) fn is_terminal(name: Option<&str>, data: &[u8]) -> bool {
    name.is_some_and(|name| LAST.contains(&name))
        || parse(data, Repeats::LastWins).is_ok_and(|parsed| match parsed.value.kind() {
            Some(kind) => LAST.contains(&kind),
            None => parsed.value.get("error").is_some_and(|error| !error.is_null()),
        })
}

#[derive(Default)]
struct Events {
    message: Object<'static>,
    blocks: BTreeMap<u64, Block>,
    error: Option<Json>,
    /// `message_start` and `message_stop` were there.
    began: bool,
    over: bool,
    /// It began anew: which block is of which answer, nobody can tell.
    twice: bool,
    /// Where the last event appended its text: the block, and its field or its input.
    grown: Option<(u64, Option<&'static str>)>,
}

#[derive(Default)]
struct Block {
    fields: Object<'static>,
    /// The input as JSON text, as far as it came.
    input: Option<String>,
    over: bool,
}

impl Assembly for Events {
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()> {
        if self.over || data.is_null() {
            return Ok(());
        }
        let data = Cursor::root(data);
        let event = data.fields()?;
        match event.some_str("type")?.or(name) {
            Some("message_start") => {
                let message = event.need("message")?;
                self.message = message.fields()?.rest(&[]);
                self.twice = self.began;
                self.began = true;
            }
            Some("content_block_start") => {
                let block = event.need("content_block")?;
                let block = block.fields()?;
                let kind = block.need_str("type")?;
                let mut fields = block.rest(&[]);
                if let "text" | "thinking" = kind {
                    append(&mut fields, kind, "");
                }
                self.blocks.insert(number(&event)?, Block { fields, ..Block::default() });
            }
            Some("content_block_delta") => {
                let delta = event.need("delta")?;
                self.delta(&event, &delta.fields()?)?;
            }
            Some("content_block_stop") => {
                if let Some(block) = self.blocks.get_mut(&number(&event)?) {
                    block.stop();
                }
            }
            Some("message_delta") => self.message_delta(&event),
            Some("message_stop") => self.over = true,
            Some("error") => self.error = Some(event.some("error").unwrap_or(data).to_json()),
            None if let Some(error) = event.some("error") => self.error = Some(error.to_json()),
            // `ping`, and what may come.
            _ => {}
        }
        Ok(())
    }

    fn slots<'v>(&mut self, data: &'v Value<'_>) -> Option<Slots<'v>> {
        self.grown = None;
        if self.over || data.kind()? != "content_block_delta" {
            return None;
        }
        let (delta, Value::Number(number)) = (data.get("delta")?, data.get("index")?) else { return None };
        let (key, place) = match delta.kind()? {
            "text_delta" => ("text", Some("text")),
            "thinking_delta" => ("thinking", Some("thinking")),
            "input_json_delta" => ("partial_json", None),
            _ => return None,
        };
        self.grown = Some((number.parse().ok()?, place));
        Some(Slots { text: delta.get(key)?.as_str()?, padding: None, number: None })
    }

    fn again(&mut self, text: &str, _number: Option<&str>) -> bool {
        let Some((number, place)) = self.grown else { return false };
        let Some(block) = self.blocks.get_mut(&number) else { return false };
        match place {
            Some(key) => append(&mut block.fields, key, text),
            None => block.input.get_or_insert_default().push_str(text),
        }
        true
    }

    fn assembled(&self) -> Result<Assembled> {
        let mut sum = Assembled { error: self.error.clone(), ..Assembled::default() };
        sum.complete = self.began && !self.twice && self.over && self.blocks.values().all(Block::is_whole);
        let mut content = Vec::with_capacity(self.blocks.len());
        for block in self.blocks.values() {
            match block.kind() {
                "tool_use" if !block.is_whole() || !block.is_call() => {
                    sum.unfinished.push(block.unfinished());
                }
                // Of what the provider ran, too, only what came whole.
                kind if kind.ends_with("tool_use") && !block.is_whole() => {}
                _ => content.push(block.fields.clone().into()),
            }
        }
        sum.body = self.message.clone();
        sum.body.set("role", "assistant".into());
        // A server that does not really stream sends the content with the message.
        if !self.blocks.is_empty()
            || sum.body.get("content").is_none_or(|content| content.as_array().is_none())
        {
            sum.body.set("content", content.into());
        }
        Ok(sum)
    }
}

fn number(event: &Fields<'_>) -> Result<u64> {
    index(event, "index")?.ok_or_else(|| Error::shape(event.path().key("index"), "missing"))
}

impl Events {
    /// A piece of a block. One whose start is not known is what its pieces say.
    fn delta(&mut self, event: &Fields<'_>, delta: &Fields<'_>) -> Result<()> {
        let kind = delta.need_str("type")?;
        let Block { fields, input, over: _ } = self.blocks.entry(number(event)?).or_insert_with(|| {
            let fields = match kind {
                "thinking_delta" | "signature_delta" => {
                    Object::default().with("type", "thinking").with("thinking", "")
                }
                "input_json_delta" => Object::default().with("type", "tool_use"),
                _ => Object::default().with("type", "text").with("text", ""),
            };
            Block { fields, ..Block::default() }
        });
        match kind {
            "text_delta" => append(fields, "text", delta.need_str("text")?),
            "thinking_delta" => append(fields, "thinking", delta.need_str("thinking")?),
            "input_json_delta" => input.get_or_insert_default().push_str(delta.need_str("partial_json")?),
            // A later signature is the signature.
            "signature_delta" => keep(fields, "signature", delta.need("signature")?.value),
            "citations_delta" => {
                let citation = delta.need("citation")?.value;
                extend(fields, "citations", std::slice::from_ref(citation));
            }
            "compaction_delta" => {
                for key in ["content", "encrypted_content"] {
                    if let Some(value) = delta.get(key) {
                        keep(fields, key, value.value);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is only known at the end. The counts are those of the whole answer.
    fn message_delta(&mut self, event: &Fields<'_>) {
        for (key, value) in event.object.iter() {
            match (key.as_ref(), value) {
                ("delta", Value::Object(delta)) => {
                    for (key, value) in delta.iter() {
                        keep(&mut self.message, key, value);
                    }
                }
                ("usage", Value::Object(counts)) => {
                    let mut usage = match self.message.remove("usage") {
                        Some(Value::Object(usage)) => usage,
                        _ => Object::default(),
                    };
                    for (key, value) in counts.iter() {
                        keep(&mut usage, key, value);
                    }
                    self.message.set("usage", usage.into());
                }
                ("type", _) => {}
                (key, value) => keep(&mut self.message, key, value),
            }
        }
    }
}

/// How deep in a body the input of a call stands.
const ABOVE_INPUT: usize = 3;

impl Block {
    fn kind(&self) -> &str {
        self.fields.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// Reads the input, which is whole now. What is no JSON object stays as it came.
    fn stop(&mut self) {
        self.over = true;
        let text = self.input.as_deref().unwrap_or_default();
        if text.is_empty() {
            self.input = None;
            if self.kind().ends_with("tool_use") && self.fields.get("input").is_none() {
                self.fields.set("input", Object::default().into());
            }
            return;
        }
        let parsed = parse_within(text.as_bytes(), Repeats::LastWins, MAX_DEPTH - ABOVE_INPUT);
        if let Ok(parsed) = parsed
            && parsed.value.as_object().is_some()
        {
            self.fields.set("input", parsed.value.into_owned());
            self.input = None;
        }
    }

    fn is_whole(&self) -> bool {
        self.over && self.input.is_none()
    }

    /// Can it be read as a call?
    fn is_call(&self) -> bool {
        let is_text = |key: &str| self.fields.get(key).is_some_and(|value| value.as_str().is_some());
        is_text("id") && is_text("name") && self.fields.get("input").is_some_and(|v| v.as_object().is_some())
    }

    fn unfinished(&self) -> ToolCall {
        let said = |key: &str| self.fields.get(key).and_then(Value::as_str).unwrap_or_default();
        ToolCall {
            id: said("id").into(),
            name: said("name").into(),
            arguments: self.input.as_deref().unwrap_or_default().into(),
            kind: CallKind::Function,
            namespace: None,
            extra: Extra::none(),
        }
    }
}
