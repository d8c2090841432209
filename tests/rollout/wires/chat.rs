//! Chat Completions.

use super::{Answer, Call, Manner, arguments, marker, nested, nothing, number, object, text, tools, words};
use crate::rng::Rng;
use toolwire::json::{Json, Object, Value};
use toolwire::outcome::MARKER;

pub(super) fn opening(rng: &mut Rng) -> Vec<Json> {
    let role = rng.pick(&["system", "developer"]);
    let system = object! { "role": role, "content": content(rng, false) };
    vec![system; rng.pick(&[0, 1, 1, 1, 1])]
}

fn content(rng: &mut Rng, media: bool) -> Json {
    if !rng.one_in(4) {
        return text(rng).into();
    }
    let part = |rng: &mut Rng| match rng.below(8) {
        0 if media => {
            let url = rng.pick(&["https://example.test/a.png", "data:image/png;base64,aGk="]);
            object! { "type": "image_url", "image_url": object! { "url": url, "detail": "low" } }
        }
        1 if media => object! {
            "type": "file", "file": object! { "file_data": "data:application/pdf;base64,aGk=", "filename": "f.pdf" },
        },
        2 => {
            object! { "type": "text", "text": text(rng), "prompt_cache_breakpoint": object! { "mode": "explicit" } }
        }
        3 => object! { "type": "hologram", "beam": number("7") },
        _ => object! { "type": "text", "text": text(rng) },
    };
    (0..rng.below(4)).map(|_| part(rng)).collect::<Vec<_>>().into()
}

pub(super) fn user(rng: &mut Rng) -> Json {
    let mut user = object! { "role": "user", "content": content(rng, true) };
    if rng.one_in(10)
        && let Value::Object(members) = &mut user
    {
        members.set("name", "bob".into());
    }
    user
}

pub(super) fn answer(rng: &mut Rng, calls: Vec<Call>) -> Answer {
    let said = if calls.is_empty() || rng.one_in(3) { text(rng).into() } else { Value::Null };
    let mut message = Object::default().with("role", "assistant").with("content", said);
    match rng.below(8) {
        0 => message.set("refusal", words(rng).into()),
        1 => message.set("content", vec![object! { "type": "text", "text": text(rng) }].into()),
        2 | 3 => message.set("refusal", Value::Null),
        _ => {}
    }
    match rng.below(8) {
        0 => message.set("reasoning_content", text(rng).into()),
        1 => message.set("reasoning", words(rng).into()),
        2 => {
            let detail = object! { "type": "reasoning.encrypted", "data": words(rng), "index": number("0") };
            message.set("reasoning_details", vec![detail].into());
        }
        _ => {}
    }
    if rng.one_in(3) {
        message.set("annotations", vec![].into());
        message.set("audio", Value::Null);
        message.set("function_call", Value::Null);
    }
    if !calls.is_empty() {
        let calls: Vec<Json> = calls.iter().map(|call| write_call(rng, call)).collect();
        message.set("tool_calls", calls.into());
    } else if rng.one_in(6) {
        message.set("tool_calls", rng.pick(&[Value::Null, vec![].into()]));
    }
    let message = Value::Object(message);
    let choice = object! { "index": number("0"), "message": message.clone(), "finish_reason": "stop" };
    let body = object! { "id": "chatcmpl-1", "object": "chat.completion", "choices": vec![choice] };
    Answer { body, elements: vec![message], calls }
}

fn write_call(rng: &mut Rng, call: &Call) -> Json {
    let id = call.id.clone();
    if call.custom {
        return object! { "id": id, "type": "custom", "custom": object! { "name": "note", "input": text(rng) } };
    }
    let function = object! { "name": rng.pick(&["look", "run"]), "arguments": arguments(rng) };
    object! { "id": id, "type": "function", "function": function }
}

pub(super) fn result(rng: &mut Rng, call: &Call) -> Json {
    let mut result = Object::default()
        .with("role", "tool")
        .with("tool_call_id", call.id.clone())
        .with("content", content(rng, false));
    if rng.one_in(6) {
        result.set("name", "look".into());
    }
    if rng.one_in(20) {
        result.set("is_error", rng.pick(&[true, false]).into());
    }
    marker(&mut result, rng);
    result.into()
}

pub(super) fn stray(rng: &mut Rng) -> Json {
    match rng.below(4) {
        0 => object! { "role": "assistant", "content": text(rng) },
        1 => object! { "role": "assistant" },
        2 => object! { "role": "user" },
        _ => object! { "role": "system", "content": text(rng) },
    }
}

pub(super) fn broken(rng: &mut Rng) -> Json {
    match rng.below(4) {
        0 => object! { "role": "function", "name": "look", "content": "x" },
        1 => object! { "role": "tool", "content": text(rng) },
        2 => object! { "role": "tool", "tool_call_id": "c", "content": "x", "_vf_is_error": number("1") },
        _ => object! { "role": "tool", "tool_call_id": "c", "is_error": true, "_vf_is_error": false },
    }
}

pub(super) fn settings(rng: &mut Rng) -> Vec<(usize, &'static str, Json)> {
    vec![
        (1, "model", rng.pick(&["m", "gpt-5.6-sol"]).into()),
        (2, "temperature", rng.pick(&[number("0"), number("0.7"), number("1.0")])),
        (2, "tools", tools(toolwire::message::Dialect::Chat, rng)),
        (4, "max_tokens", number("100")),
        (6, "max_completion_tokens", number("200")),
        (6, "stop", rng.pick(&["END".into(), vec!["a".into(), "b".into()].into()])),
        (4, "stream", rng.pick(&[true, false]).into()),
        (8, "reasoning_effort", "low".into()),
        (8, "tool_choice", rng.pick(&["auto", "required", "none"]).into()),
        (8, "metadata", object! { "note": text(rng) }),
        (16, "web_search_options", object! {}),
        (24, "metadata", nested(rng.within(509, 512))),
        (16, MARKER, true.into()),
    ]
}

pub(super) fn dress(members: &mut Object<'static>, manner: Manner) {
    let role = members.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    if manner.silent && role == "tool" {
        members.remove(MARKER);
        members.remove("is_error");
    }
    if role == "tool" || role == "assistant" && members.get("tool_calls").is_some() {
        nothing(members, "content", manner);
    }
    if manner.tidy && role == "assistant" {
        members.0.retain(|(key, value)| !value.is_null() || key == "content");
        members.remove("annotations");
    }
}
