//! A whole answer as the chunks of a stream.

use crate::dialect::stream::write_event;
use crate::error::Result;
use crate::json::{Json, Object, Value, compact};

/// The text of a part that holds nothing else, and whether it is a thought: such texts go on from chunk to chunk.
pub(super) fn plain_text<'p>(part: &'p Value<'_>) -> Option<(&'p str, bool)> {
    let fields = part.as_object()?;
    let thought = match fields.get("thought") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return None,
    };
    (fields.len() == 1 + usize::from(thought)).then_some((fields.get("text")?.as_str()?, thought))
}

/// What every chunk says of the answer.
const OF_ALL: [&str; 3] = ["modelVersion", "responseId", "createTime"];

/// A chunk for every part, the last one with why the answer ends and what it cost. Texts that would run into each other
/// stand in one chunk.
pub(in crate::dialect) fn write_stream(body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    let mut last = body.clone().into_owned();
    let shared = Object(last.iter().filter(|(key, _)| OF_ALL.contains(&key.as_ref())).cloned().collect());
    let mut events = Vec::new();
    for candidate in but_the_last(&mut last) {
        let mut chunk = Object::default().with("candidates", vec![candidate]);
        chunk.0.extend(Object::clone(&shared).0);
        events.push(write_event(None, &compact(&chunk.into())));
    }
    events.push(write_event(None, &compact(&last.into())));
    Ok(events)
}

/// Takes all parts but those of the last chunk out of the first candidate, those of each chunk as a candidate.
fn but_the_last(body: &mut Object<'static>) -> Vec<Json> {
    fn member<'o>(object: &'o mut Object<'static>, name: &str) -> Option<&'o mut Json> {
        object.0.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }
    let Some(Value::Array(candidates)) = member(body, "candidates") else { return Vec::new() };
    let Some(Value::Object(candidate)) = candidates.first_mut() else { return Vec::new() };
    let index = candidate.get("index").cloned();
    let Some(Value::Object(content)) = member(candidate, "content") else { return Vec::new() };
    let role = content.get("role").cloned();
    let Some(Value::Array(parts)) = member(content, "parts") else { return Vec::new() };
    let mut chunks: Vec<Vec<Json>> = Vec::new();
    for part in parts.drain(..) {
        let before = chunks.last().and_then(|chunk| chunk.last());
        let apart = match (before.map(plain_text), plain_text(&part)) {
            (Some(_), Some(("", _))) => false,
            (Some(Some((_, before))), Some((_, thought))) => before != thought,
            _ => true,
        };
        match chunks.last_mut() {
            Some(chunk) if !apart => chunk.push(part),
            _ => chunks.push(vec![part]),
        }
    }
    *parts = chunks.pop().unwrap_or_default();
    let one = |parts: Vec<Json>| {
        let content = Object::default().with_some("role", role.clone()).with("parts", parts);
        Object::default().with("content", content).with_some("index", index.clone()).into()
    };
    chunks.into_iter().map(one).collect()
}
