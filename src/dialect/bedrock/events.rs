//! A whole answer as the events of a stream, one delta for each thing that a block says in pieces.

use super::frames;
use crate::error::Result;
use crate::json::{Object, Value, compact};

/// The message begins, its blocks come one by one, and its end brings why it ended, then what it cost.
pub(in crate::dialect) fn write_stream(body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    let mut events = Vec::new();
    let mut put = |kind: &str, event: Object<'_>| -> Result<()> {
        events.push(frames::write(kind, &event)?);
        Ok(())
    };
    put("messageStart", Object::default().with("role", "assistant"))?;
    let message = body.get("output").and_then(|output| output.get("message"));
    let blocks = message.and_then(|message| message.get("content")?.as_array()).unwrap_or_default();
    for (n, block) in blocks.iter().enumerate() {
        let Some((kind, value)) = block.as_object().and_then(|block| block.0.first()) else { continue };
        let (start, deltas) = pieces(kind, value);
        let numbered = |event: Object<'_>| event.into_owned().with("contentBlockIndex", n);
        if let Some(start) = start {
            let start = Object(vec![(kind.clone(), start.into())]);
            put("contentBlockStart", numbered(Object::default().with("start", start)))?;
        }
        for (kind, piece) in deltas {
            let delta = Object::default().with(kind, piece);
            put("contentBlockDelta", numbered(Object::default().with("delta", delta)))?;
        }
        put("contentBlockStop", numbered(Object::default()))?;
    }
    let (mut end, mut metadata) = (Object::default(), Object::default());
    for (key, value) in body.iter().filter(|(key, _)| key != "output") {
        let event = if AT_THE_END.contains(&key.as_ref()) { &mut end } else { &mut metadata };
        event.set(key, value.clone());
    }
    put("messageStop", end)?;
    put("metadata", metadata)?;
    Ok(events)
}

const AT_THE_END: [&str; 2] = ["stopReason", "additionalModelResponseFields"];

type Deltas<'a> = Vec<(&'static str, Value<'a>)>;

/// What a block begins with, where its kind begins with anything, and its deltas.
fn pieces<'a>(kind: &str, value: &Value<'a>) -> (Option<Object<'a>>, Deltas<'a>) {
    let list = |key: &str| value.get(key).and_then(Value::as_array).unwrap_or_default();
    let mut fields = value.as_object().cloned().unwrap_or_default();
    let mut deltas: Deltas<'a> = Vec::new();
    match kind {
        "text" => (None, vec![("text", value.clone())]),
        "citationsContent" => {
            deltas
                .extend(list("content").iter().filter_map(|part| Some(("text", part.get("text")?.clone()))));
            deltas.extend(list("citations").iter().map(|citation| ("citation", citation.clone())));
            (None, deltas)
        }
        "reasoningContent" => {
            let said = value.get("reasoningText").and_then(Value::as_object);
            let said = said.map_or(fields.iter(), Object::iter);
            deltas.extend(said.map(|piece| ("reasoningContent", Object(vec![piece.clone()]).into())));
            (None, deltas)
        }
        "toolUse" => {
            let input = fields.remove("input").map(|input| compact(&input));
            deltas.extend(input.map(|input| ("toolUse", Object::default().with("input", input).into())));
            (Some(fields), deltas)
        }
        "toolResult" => {
            deltas.extend(fields.remove("content").map(|content| ("toolResult", content)));
            (Some(fields), deltas)
        }
        "image" => {
            let parts: Vec<_> = ["source", "error"]
                .into_iter()
                .filter_map(|key| Some(Object::default().with(key, fields.remove(key)?)))
                .collect();
            deltas.extend(parts.into_iter().map(|part| ("image", part.into())));
            (Some(fields), deltas)
        }
        // A kind that is not streamed begins as it is.
        _ => (Some(fields), deltas),
    }
}
