//! The events of a streamed answer and the response they add up to.

use super::turn;
use crate::dialect::stream::{Assembled, Assembly, Slots, append, extend, index, keep};
use crate::error::Result;
use crate::json::{Cursor, Fields, Json, Object, Repeats, Value, parse};
use std::collections::BTreeMap;

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    Box::new(Events::default())
}

/// The events behind which nothing comes: those that carry the whole response, and an error.
pub(in crate::dialect) const LAST: [&str; 4] =
    ["response.completed", "response.incomplete", "response.failed", "error"];

pub(in crate::dialect) fn is_terminal(name: Option<&str>, data: &[u8]) -> bool {
    match name {
        Some(name) if name.starts_with("response.") => LAST.contains(&name),
        _ => parse(data, Repeats::LastWins).is_ok_and(|parsed| match parsed.value.kind().or(name) {
            Some(kind) => LAST.contains(&kind),
            None => parsed.value.get("error").is_some_and(|error| !error.is_null()),
        }),
    }
}

/// Texts in the parts of an item: the events' stem, the list and the index of the part, its type, and the key.
const TEXTS: [(&str, &str, &str, &str, &str); 4] = [
    ("response.output_text", "content", "content_index", "output_text", "text"),
    ("response.refusal", "content", "content_index", "refusal", "refusal"),
    ("response.reasoning_text", "content", "content_index", "reasoning_text", "text"),
    ("response.reasoning_summary_text", "summary", "summary_index", "summary_text", "text"),
];

/// Texts of an item itself: the events' stem, the item's type, and the key.
const INPUTS: [(&str, &str, &str); 4] = [
    ("response.function_call_arguments", "function_call", "arguments"),
    ("response.custom_tool_call_input", "custom_tool_call", "input"),
    ("response.mcp_call_arguments", "mcp_call", "arguments"),
    ("response.code_interpreter_call_code", "code_interpreter_call", "code"),
];

#[derive(Default)]
struct Events {
    /// The response as it was when it began.
    first: Object<'static>,
    items: BTreeMap<u64, Item>,
    /// The response as it ended.
    last: Option<Last>,
    error: Option<Json>,
    /// Where the last event appended its text.
    grown: Option<Grown>,
}

/// A text of an item: in a part of a list, or in the item itself.
struct Grown {
    item: u64,
    part: Option<(&'static str, u64)>,
    key: &'static str,
}

#[derive(Default)]
struct Item {
    fields: Object<'static>,
    /// It came whole.
    over: bool,
}

struct Last {
    response: Object<'static>,
    failed: bool,
}

impl Assembly for Events {
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()> {
        if self.last.is_some() || name == Some("[DONE]") {
            return Ok(());
        }
        let data = Cursor::root(data);
        let event = data.fields()?;
        let Some(kind) = event.some_str("type")?.or(name) else {
            // As servers say it that speak Chat Completions too.
            self.error = event.some("error").map(|error| error.to_json()).or(self.error.take());
            return Ok(());
        };
        match kind {
            "error" => self.error = Some(data.to_json()),
            "response.created" | "response.queued" | "response.in_progress" => {
                self.first = event.need("response")?.fields()?.rest(&[]);
            }
            kind if LAST.contains(&kind) => {
                let response = event.need("response")?.fields()?.rest(&[]);
                // Some servers do not repeat in it what they have streamed.
                if response.get("output").and_then(Value::as_array).is_some_and(|output| !output.is_empty()) {
                    self.items.clear();
                }
                self.last = Some(Last { response, failed: kind == "response.failed" });
            }
            "response.output_item.added" | "response.output_item.done" => {
                let fields = event.need("item")?.fields()?.rest(&[]);
                *self.item(&event, "")? = Item { fields, over: kind.ends_with("done") };
            }
            "response.content_part.added" | "response.content_part.done" => {
                self.part(&event, "content", "content_index")?;
            }
            "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done" => {
                self.part(&event, "summary", "summary_index")?;
            }
            "response.output_text.annotation.added" => {
                let (annotation, at) = (event.need("annotation")?, index(&event, "content_index")?);
                let part = self.item(&event, "message")?.part("content", at, "output_text");
                extend(part, "annotations", std::slice::from_ref(annotation.value));
            }
            kind => self.piece(&event, kind)?,
        }
        Ok(())
    }

    fn slots<'v>(&mut self, data: &'v Value<'_>) -> Option<Slots<'v>> {
        self.grown = None;
        if self.last.is_some() {
            return None;
        }
        let stem = data.kind()?.strip_suffix(".delta")?;
        let number = |key: &str| match data.get(key) {
            Some(Value::Number(literal)) => Some(literal.as_ref()),
            _ => None,
        };
        let item = number("output_index")?.parse().ok()?;
        let (part, key) = match TEXTS.iter().find(|text| text.0 == stem) {
            Some((_, list, at, _, key)) => {
                let at = number(at)?.parse().ok()?;
                let parts = self.items.get(&item)?.fields.get(list)?.as_array()?;
                if parts.len() <= usize::try_from(at).ok()? {
                    return None;
                }
                (Some((*list, at)), *key)
            }
            None => (None, INPUTS.iter().find(|input| input.0 == stem)?.2),
        };
        self.grown = Some(Grown { item, part, key });
        Some(Slots {
            text: data.get("delta")?.as_str()?,
            padding: data.get("obfuscation").and_then(Value::as_str),
            number: number("sequence_number"),
        })
    }

    fn again(&mut self, text: &str, _sequence_number: Option<&str>) -> bool {
        let Some(Grown { item, part, key }) = &self.grown else { return false };
        let Some(item) = self.items.get_mut(item) else { return false };
        let fields = match part {
            Some((list, at)) => item.part(list, Some(*at), ""),
            None => &mut item.fields,
        };
        append(fields, key, text);
        true
    }

    fn assembled(&self) -> Result<Assembled> {
        let mut sum = Assembled { error: self.error.clone(), ..Assembled::default() };
        let mut output = Vec::with_capacity(self.items.len());
        for item in self.items.values() {
            let mut fields = item.fields.clone();
            if !item.over {
                // Only the one of the whole item can be sent back.
                fields.remove("encrypted_content");
            }
            let fields = Value::from(fields);
            let readable = turn::read_turn(&[Cursor::root(&fields)]).is_ok();
            match turn::call_kind(&fields).filter(|_| !item.over || !readable) {
                Some(kind) => sum.unfinished.push(turn::unfinished(&fields, kind)),
                // Of what the provider ran, as much as was told.
                None if readable => output.push(fields),
                None => {}
            }
        }
        let Some(Last { response, failed }) = &self.last else {
            sum.body = self.first.clone();
            sum.body.set("output", output.into());
            return Ok(sum);
        };
        sum.body = response.clone();
        if !self.items.is_empty() || response.get("output").is_none() {
            sum.body.set("output", output.into());
        }
        sum.complete = !failed;
        sum.error = response.get("error").filter(|error| !error.is_null()).cloned().or(sum.error);
        Ok(sum)
    }
}

impl Events {
    /// The item an event belongs to; of this type, where nobody has said what it is.
    fn item(&mut self, event: &Fields<'_>, kind: &'static str) -> Result<&mut Item> {
        let number = index(event, "output_index")?.unwrap_or(0);
        Ok(self.items.entry(number).or_insert_with(|| {
            let mut fields = Object::default().with("type", kind);
            if kind == "message" {
                fields = fields.with("role", "assistant").with("content", Vec::new());
            }
            Item { fields, over: false }
        }))
    }

    fn part(&mut self, event: &Fields<'_>, list: &str, at: &'static str) -> Result<()> {
        let part = event.need("part")?.fields()?.rest(&[]);
        let at = index(event, at)?;
        *self.item(event, "message")?.part(list, at, "") = part;
        Ok(())
    }

    /// A piece of a text, or the whole text at its end. Any other event says nothing that the response will not say.
    fn piece(&mut self, event: &Fields<'_>, kind: &str) -> Result<()> {
        let Some((stem, step @ ("delta" | "done"))) = kind.rsplit_once('.') else { return Ok(()) };
        let text = TEXTS.iter().find(|text| text.0 == stem);
        let input = INPUTS.iter().find(|input| input.0 == stem);
        let (place, key) = match (text, input) {
            (Some((_, list, at, kind, key)), _) => {
                let owner =
                    if kind.starts_with("reasoning") || *list == "summary" { "reasoning" } else { "message" };
                let at = index(event, at)?;
                (self.item(event, owner)?.part(list, at, kind), *key)
            }
            (None, Some((_, owner, key))) => (&mut self.item(event, owner)?.fields, *key),
            (None, None) => return Ok(()),
        };
        match step {
            "delta" => append(place, key, event.need_str("delta")?),
            _ => {
                if let Some(whole) = event.some(key) {
                    whole.str()?;
                    keep(place, key, whole.value);
                }
            }
        }
        Ok(())
    }
}

impl Item {
    /// The part at this place of a list, made if it is not there.
    fn part(&mut self, list: &str, at: Option<u64>, kind: &'static str) -> &mut Object<'static> {
        extend(&mut self.fields, list, &[]);
        let place = self.fields.0.iter_mut().find_map(|(key, value)| match value {
            Value::Array(parts) if key == list => Some(parts),
            _ => None,
        });
        let parts = place.expect("made just now");
        let at = at.and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        let at = if at < parts.len() {
            at
        } else {
            parts.push(Object::default().with("type", kind).into());
            parts.len() - 1
        };
        if parts[at].as_object().is_none() {
            parts[at] = Object::default().into();
        }
        match &mut parts[at] {
            Value::Object(part) => part,
            _ => unreachable!("an object"),
        }
    }
}
