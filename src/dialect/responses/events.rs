//! A whole response as the events of a stream, one delta for each text in it.

use crate::dialect::stream::write_event;
use crate::error::Result;
use crate::json::{Object, Value, compact};

/// It begins, each item comes with what is in it, and it ends with the whole response.
pub(in crate::dialect) fn write_stream(body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    let mut writer = Writer { events: Vec::new() };
    let mut begun = body.clone();
    begun.set("status", "in_progress".into());
    begun.set("output", Vec::new().into());
    for key in ["usage", "incomplete_details", "error", "completed_at"] {
        if body.get(key).is_some() {
            begun.set(key, Value::Null);
        }
    }
    for kind in ["response.created", "response.in_progress"] {
        writer.put(kind, Object::default().with("response", begun.clone()));
    }
    let items = body.get("output").and_then(Value::as_array).unwrap_or_default();
    for (n, item) in items.iter().enumerate() {
        if let Some(item) = item.as_object() {
            writer.item(n, item);
        }
    }
    let last = match body.get("status").and_then(Value::as_str) {
        Some("incomplete" | "cancelled") => "response.incomplete",
        Some("failed") => "response.failed",
        _ => "response.completed",
    };
    writer.put(last, Object::default().with("response", body.clone()));
    Ok(writer.events)
}

struct Writer {
    events: Vec<Vec<u8>>,
}

impl Writer {
    fn put(&mut self, kind: &'static str, fields: Object<'_>) {
        let mut event = Object::default().with("type", kind).with("sequence_number", self.events.len());
        event.0.extend(fields.0);
        self.events.push(write_event(Some(kind), &compact(&event.into())));
    }

    fn item(&mut self, n: usize, item: &Object<'_>) {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut empty = item.clone();
        if item.get("status").is_some() {
            empty.set("status", "in_progress".into());
        }
        for key in ["content", "summary", "arguments", "input"] {
            match item.get(key) {
                Some(Value::Array(_)) => empty.set(key, Vec::new().into()),
                Some(Value::String(_)) if kind.ends_with("_call") => empty.set(key, "".into()),
                _ => {}
            }
        }
        self.put("response.output_item.added", Object::default().with("output_index", n).with("item", empty));
        let at = Object::default()
            .with("item_id", item.get("id").and_then(Value::as_str).unwrap_or_default().to_owned())
            .with("output_index", n);
        let parts = |key: &str| item.get(key).and_then(Value::as_array).unwrap_or_default();
        for (n, part) in parts("summary").iter().enumerate() {
            self.part(part, at.clone().with("summary_index", n), &SUMMARY);
        }
        for (n, part) in parts("content").iter().enumerate() {
            self.part(part, at.clone().with("content_index", n), &CONTENT);
        }
        for (owner, key, delta, done) in INPUTS {
            if let (true, Some(text)) = (kind == owner, item.get(key)) {
                self.put(delta, at.clone().with("delta", text.clone()));
                let mut whole = at.clone();
                whole.set(key, text.clone());
                if let (true, Some(name)) = (owner == "function_call", item.get("name")) {
                    whole.set("name", name.clone());
                }
                self.put(done, whole);
            }
        }
        let done = Object::default().with("output_index", n).with("item", item.clone());
        self.put("response.output_item.done", done);
    }

    /// A part of a list: its beginning, its text, and its end.
    fn part(&mut self, part: &Value<'_>, at: Object<'_>, events: &PartEvents) {
        let (Some(fields), Some(kind)) = (part.as_object(), part.kind()) else { return };
        let text = events.texts.iter().find(|text| text.0 == kind);
        let mut empty = fields.clone();
        if let Some((_, key, ..)) = text {
            empty.set(key, "".into());
            if kind == "output_text" {
                empty.set("annotations", Vec::new().into());
            }
        }
        self.put(events.added, at.clone().with("part", empty));
        if let Some((_, key, delta, done)) = text
            && let Some(text) = fields.get(key)
        {
            let logprobs = |event: Object<'static>| match kind {
                "output_text" => event.with("logprobs", Vec::new()),
                _ => event,
            };
            self.put(delta, logprobs(at.clone().into_owned()).with("delta", text.clone()));
            let mut whole = logprobs(at.clone().into_owned());
            whole.set(key, text.clone().into_owned());
            self.put(done, whole);
        }
        self.put(events.done, at.with("part", part.clone()));
    }
}

/// The names of the events of a part; of a text also its type and its key.
struct PartEvents {
    added: &'static str,
    done: &'static str,
    texts: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

const SUMMARY: PartEvents = PartEvents {
    added: "response.reasoning_summary_part.added",
    done: "response.reasoning_summary_part.done",
    texts: &[(
        "summary_text",
        "text",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
    )],
};

const CONTENT: PartEvents = PartEvents {
    added: "response.content_part.added",
    done: "response.content_part.done",
    texts: &[
        ("output_text", "text", "response.output_text.delta", "response.output_text.done"),
        ("refusal", "refusal", "response.refusal.delta", "response.refusal.done"),
        ("reasoning_text", "text", "response.reasoning_text.delta", "response.reasoning_text.done"),
    ],
};

const INPUTS: [(&str, &str, &str, &str); 2] = [
    (
        "function_call",
        "arguments",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
    ),
    (
        "custom_tool_call",
        "input",
        "response.custom_tool_call_input.delta",
        "response.custom_tool_call_input.done",
    ),
];
