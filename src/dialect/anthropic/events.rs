//! A whole message as the events of a stream, one delta for each thing that a block says in pieces.

use crate::dialect::stream::write_event;
use crate::error::Result;
use crate::json::{Object, Value, compact};

/// The message begins empty, its blocks come one by one, and its end brings why it ended and what it cost.
pub(in crate::dialect) fn write_stream(body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    let mut events = Vec::new();
    let mut put = |kind: &'static str, fields: Object<'_>| {
        let mut event = Object::default().with("type", kind);
        event.0.extend(fields.0);
        events.push(write_event(Some(kind), &compact(&event.into())));
    };
    let mut begun = body.clone();
    begun.set("content", Vec::new().into());
    let mut delta = Object::default();
    for key in AT_THE_END {
        if let Some(value) = body.get(key) {
            begun.set(key, Value::Null);
            delta.set(key, value.clone());
        }
    }
    put("message_start", Object::default().with("message", begun));
    let blocks = body.get("content").and_then(Value::as_array).unwrap_or_default();
    for (n, block) in blocks.iter().enumerate() {
        let Some(block) = block.as_object() else { continue };
        let (start, deltas) = pieces(block);
        put("content_block_start", Object::default().with("index", n).with("content_block", start));
        for delta in deltas {
            put("content_block_delta", Object::default().with("index", n).with("delta", delta));
        }
        put("content_block_stop", Object::default().with("index", n));
    }
    let end = Object::default().with("delta", delta).with_some("usage", body.get("usage").cloned());
    put("message_delta", end);
    put("message_stop", Object::default());
    Ok(events)
}

const AT_THE_END: [&str; 4] = ["stop_reason", "stop_sequence", "stop_details", "container"];

/// The block as it begins, and its deltas.
fn pieces<'a>(block: &Object<'a>) -> (Object<'a>, Vec<Object<'a>>) {
    let (mut start, mut deltas) = (block.clone(), Vec::new());
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let texts: &[(&str, &'static str)] = match kind {
        "text" => &[("text", "text_delta")],
        "thinking" => &[("thinking", "thinking_delta"), ("signature", "signature_delta")],
        _ => &[],
    };
    for (key, delta) in texts {
        if let Some(Value::String(text)) = block.get(key) {
            start.set(key, "".into());
            let mut piece = Object::default().with("type", *delta);
            piece.set(key, Value::String(text.clone()));
            deltas.push(piece);
        }
    }
    if let ("text", Some(Value::Array(citations))) = (kind, block.get("citations"))
        && !citations.is_empty()
    {
        start.set("citations", Vec::new().into());
        deltas.extend(citations.iter().map(|citation| {
            Object::default().with("type", "citations_delta").with("citation", citation.clone())
        }));
    }
    if let (true, Some(input @ Value::Object(_))) = (kind.ends_with("tool_use"), block.get("input")) {
        start.set("input", Object::default().into());
        deltas.push(Object::default().with("type", "input_json_delta").with("partial_json", compact(input)));
    }
    (start, deltas)
}
