//! A whole answer as the chunks of a stream, one delta for each thing it says.

use crate::dialect::stream::write_event;
use crate::error::Result;
use crate::json::{Cursor, Object, Value, compact};

/// The role and what has no pieces, then each text, each call, the end of each choice, and the usage.
pub(in crate::dialect) fn write_stream(body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    let body = Value::Object(body.clone());
    let body = Cursor::root(&body);
    let body = body.fields()?;
    let mut head = body.rest(&["object", "choices", "usage"]);
    head.set("object", "chat.completion.chunk".into());
    let mut events = Vec::new();
    let mut put = |choices: Vec<Value<'_>>, usage: Option<&Value<'_>>| {
        let mut chunk: Object<'_> = head.clone().with("choices", choices);
        if let Some(usage) = usage {
            chunk.set("usage", usage.clone());
        }
        events.push(write_event(None, &compact(&chunk.into())));
    };
    let choices = body.need("choices")?;
    for choice in choices.items()? {
        let choice = choice.fields()?;
        let number = choice.object.get("index").cloned().unwrap_or_else(|| 0_u64.into());
        let message = choice.need("message")?;
        let message = message.fields()?;
        let mut deltas = vec![Object(
            message.object.iter().filter(|(key, value)| !comes_later(key, value)).cloned().collect(),
        )];
        for (key, value) in message.object.iter().filter(|(key, value)| comes_later(key, value)) {
            match value {
                Value::Array(calls) => {
                    deltas.extend(calls.iter().enumerate().map(|(n, call)| {
                        let mut piece = Object::default().with("index", n);
                        let fields = call.as_object().into_iter().flat_map(Object::iter);
                        piece.add_absent(fields);
                        Object::default().with("tool_calls", vec![piece.into()])
                    }));
                }
                value => deltas.push(Object(vec![(key.clone(), value.clone())])),
            }
        }
        for delta in deltas {
            let piece = Object::default().with("index", number.clone()).with("delta", delta);
            put(vec![piece.with("finish_reason", Value::Null).into()], None);
        }
        let mut last = Object::default().with("index", number).with("delta", Object::default());
        last.0.extend(choice.rest(&["index", "message"]).0);
        put(vec![last.into()], None);
    }
    if let Some(usage) = body.get("usage") {
        put(Vec::new(), Some(usage.value));
    }
    events.push(write_event(None, "[DONE]"));
    Ok(events)
}

/// The texts and the calls; all else stands in the first delta.
fn comes_later(key: &str, value: &Value<'_>) -> bool {
    match value {
        Value::String(_) => matches!(key, "content" | "refusal" | "reasoning" | "reasoning_content"),
        Value::Array(calls) => key == "tool_calls" && !calls.is_empty(),
        _ => false,
    }
}
