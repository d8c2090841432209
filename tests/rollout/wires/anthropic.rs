//! Anthropic Messages.

use super::{Answer, Call, Manner, id, input, nested, number, object, text, tools, words};
use crate::rng::Rng;
use toolwire::json::{Json, Object, Value};
use toolwire::message::Dialect;
use toolwire::outcome::MARKER;

pub(super) fn opening(rng: &mut Rng) -> Vec<Json> {
    if rng.one_in(12) { vec![object! { "role": "system", "content": text(rng) }] } else { Vec::new() }
}

fn block(rng: &mut Rng) -> Json {
    match rng.below(10) {
        0 => {
            let source = object! { "type": "base64", "media_type": "image/png", "data": "aGk=" };
            object! { "type": "image", "source": source }
        }
        1 => object! { "type": "text", "text": text(rng), "cache_control": object! { "type": "ephemeral" } },
        2 => {
            let source = object! { "type": "url", "url": "https://example.test/a.pdf" };
            object! { "type": "document", "source": source, "title": words(rng) }
        }
        3 => object! { "type": "hologram", "beam": number("7") },
        _ => object! { "type": "text", "text": text(rng) },
    }
}

fn content(rng: &mut Rng) -> Json {
    if rng.one_in(3) {
        (0..rng.below(4)).map(|_| block(rng)).collect::<Vec<_>>().into()
    } else {
        text(rng).into()
    }
}

pub(super) fn user(rng: &mut Rng) -> Json {
    object! { "role": "user", "content": content(rng) }
}

pub(super) fn answer(rng: &mut Rng, calls: Vec<Call>) -> Answer {
    let mut blocks = Vec::new();
    if rng.one_in(3) {
        blocks.push(object! { "type": "thinking", "thinking": text(rng), "signature": words(rng) });
    }
    if rng.one_in(8) {
        blocks.push(object! { "type": "redacted_thinking", "data": words(rng) });
    }
    if rng.one_in(10) {
        let id = id(rng);
        blocks.push(object! { "type": "server_tool_use", "id": id.clone(), "name": "web_search", "input": input(rng) });
        blocks.push(object! { "type": "web_search_tool_result", "tool_use_id": id, "content": vec![] });
    }
    if calls.is_empty() || rng.one_in(3) {
        let mut said = Object::default().with("type", "text").with("text", text(rng));
        if rng.one_in(3) {
            said.set("citations", Value::Null);
        }
        blocks.push(said.into());
    }
    for call in &calls {
        let name = rng.pick(&["look", "run"]);
        blocks.push(object! { "type": "tool_use", "id": call.id.clone(), "name": name, "input": input(rng) });
    }
    if rng.one_in(12) {
        rng.shuffle(&mut blocks);
    }
    let element = object! { "role": "assistant", "content": blocks.clone() };
    let body = object! { "id": "msg_1", "type": "message", "role": "assistant", "content": blocks };
    Answer { body, elements: vec![element], calls }
}

fn result(rng: &mut Rng, call: &Call) -> Json {
    let mut block = Object::default().with("type", "tool_result").with("tool_use_id", call.id.clone());
    match rng.below(10) {
        0 => {}
        1 => block.set("content", Value::Null),
        _ => block.set("content", content(rng)),
    }
    match rng.below(12) {
        0..4 => block.set("is_error", true.into()),
        4..6 => block.set("is_error", false.into()),
        6 => block.set(MARKER, rng.pick(&[true.into(), false.into(), Value::Null])),
        7 => {
            block.set("is_error", true.into());
            block.set(MARKER, true.into());
        }
        _ => {}
    }
    if rng.one_in(10) {
        block.set("cache_control", object! { "type": "ephemeral" });
    }
    block.into()
}

/// Mostly all in one user message, with text behind, between or before them; or each in a message of its own.
pub(super) fn results(rng: &mut Rng, calls: &[Call]) -> Vec<Json> {
    let mut blocks: Vec<Json> = calls.iter().map(|call| result(rng, call)).collect();
    if rng.one_in(6) {
        let message = |block| object! { "role": "user", "content": vec![block] };
        return blocks.into_iter().map(message).collect();
    }
    while rng.one_in(4) {
        let at = if rng.one_in(3) { rng.below(blocks.len() + 1) } else { blocks.len() };
        blocks.insert(at, block(rng));
    }
    vec![object! { "role": "user", "content": blocks }]
}

pub(super) fn stray(rng: &mut Rng) -> Json {
    match rng.below(5) {
        0 => object! { "role": "assistant", "content": text(rng) },
        1 => object! { "role": "system", "content": content(rng) },
        2 => object! { "role": "user", "content": text(rng), "id": id(rng) },
        3 => object! { "role": "user", "content": vec![] },
        _ => object! { "role": "assistant", "content": vec![] },
    }
}

pub(super) fn broken(rng: &mut Rng) -> Json {
    let block = match rng.below(4) {
        0 => return object! { "role": "user" },
        1 => object! { "type": "tool_result", "content": "x" },
        2 => object! { "type": "tool_result", "tool_use_id": "c", "_vf_is_error": number("1") },
        _ => object! { "type": "tool_result", "tool_use_id": "c", "is_error": true, "_vf_is_error": false },
    };
    object! { "role": "user", "content": vec![block] }
}

pub(super) fn settings(rng: &mut Rng) -> Vec<(usize, &'static str, Json)> {
    let marked =
        object! { "type": "text", "text": words(rng), "cache_control": object! { "type": "ephemeral" } };
    let lists =
        rng.pick(&[vec![], vec![marked.clone()], vec![marked, object! { "type": "text", "text": "b" }]]);
    vec![
        (1, "model", rng.pick(&["m", "claude-sonnet-5"]).into()),
        (1, "max_tokens", number("100")),
        (2, "system", {
            let text = words(rng);
            rng.pick(&[text.clone().into(), text.into(), "".into(), lists.into()])
        }),
        (3, "temperature", rng.pick(&[number("0"), number("0.7"), number("1.0")])),
        (2, "tools", tools(Dialect::Anthropic, rng)),
        (6, "output_config", object! { "effort": "low", "format": Value::Null }),
        (6, "stop_sequences", vec!["END".into()].into()),
        (8, "tool_choice", object! { "type": "auto", "disable_parallel_tool_use": true }),
        (8, "metadata", object! { "user_id": text(rng) }),
        (24, "metadata", nested(rng.within(509, 512))),
        (16, MARKER, true.into()),
    ]
}

pub(super) fn dress(members: &mut Object<'static>, manner: Manner) {
    if manner.listed
        && let Some(Value::String(text)) = members.get("content")
    {
        let block = object! { "type": "text", "text": text.to_string() };
        members.set("content", vec![block].into());
    }
    let Some((_, Value::Array(blocks))) = members.0.iter_mut().find(|(key, _)| key == "content") else {
        return;
    };
    for block in blocks {
        let Value::Object(block) = block else { continue };
        if manner.tidy {
            block.remove("citations");
        }
        if manner.silent && block.get("type").and_then(Value::as_str) == Some("tool_result") {
            block.remove("is_error");
            block.remove(MARKER);
        }
    }
}

/// Moves the cache mark to the end of the conversation, as clients do turn after turn.
pub(super) fn mark_last_user(elements: &mut [Json]) {
    let is_user = |element: &&mut Json| element.get("role").and_then(Value::as_str) == Some("user");
    let Some(Value::Object(members)) = elements.iter_mut().rev().find(is_user) else { return };
    if let Some((_, content)) = members.0.iter_mut().find(|(key, _)| key == "content") {
        mark(content);
    }
}

/// Marks the last block of a content; a text is a block of its own then.
pub(super) fn mark(content: &mut Json) {
    if let Value::String(text) = content {
        *content = vec![object! { "type": "text", "text": text.to_string() }].into();
    }
    if let Value::Array(blocks) = content
        && let Some(Value::Object(last)) = blocks.last_mut()
    {
        last.set("cache_control", object! { "type": "ephemeral" });
    }
}
