//! OpenAI Responses.

use super::{Answer, Call, Manner, arguments, id, marker, nested, number, object, text, tools, words};
use crate::rng::Rng;
use toolwire::json::{Json, Object, Value};
use toolwire::message::Dialect;
use toolwire::outcome::MARKER;

pub(super) fn opening(rng: &mut Rng) -> Vec<Json> {
    let role = rng.pick(&["system", "developer"]);
    vec![object! { "role": role, "content": text(rng) }; rng.pick(&[0, 0, 1])]
}

fn content(rng: &mut Rng) -> Json {
    if !rng.one_in(3) {
        return text(rng).into();
    }
    let part = |rng: &mut Rng| match rng.below(6) {
        0 => object! { "type": "input_image", "image_url": "https://example.test/a.png", "detail": "auto" },
        1 => {
            object! { "type": "input_file", "file_data": "data:application/pdf;base64,aGk=", "filename": "f.pdf" }
        }
        2 => object! { "type": "hologram", "beam": number("7") },
        _ => object! { "type": "input_text", "text": text(rng) },
    };
    (0..rng.below(4)).map(|_| part(rng)).collect::<Vec<_>>().into()
}

pub(super) fn user(rng: &mut Rng) -> Json {
    match rng.below(12) {
        0 => object! { "type": "mcp_approval_response", "approval_request_id": "a", "approve": true },
        1..5 => object! { "type": "message", "role": "user", "content": content(rng) },
        _ => object! { "role": "user", "content": content(rng) },
    }
}

fn reasoning(rng: &mut Rng) -> Json {
    let summary: Vec<Json> =
        (0..rng.below(3)).map(|_| object! { "type": "summary_text", "text": words(rng) }).collect();
    let mut item = Object::default().with("type", "reasoning").with("id", id(rng)).with("summary", summary);
    if rng.one_in(2) {
        item.set("encrypted_content", words(rng).into());
    }
    item.into()
}

fn message(rng: &mut Rng) -> Json {
    let mut part = Object::default().with("type", "output_text").with("text", text(rng));
    if rng.one_in(2) {
        part.set("annotations", vec![].into());
    }
    let part = if rng.one_in(12) {
        object! { "type": "refusal", "refusal": words(rng) }
    } else {
        part.into()
    };
    let mut item = Object::default().with("type", "message").with("id", id(rng)).with("role", "assistant");
    item.set("status", "completed".into());
    if rng.one_in(5) {
        item.set("phase", rng.pick(&["commentary", "final_answer"]).into());
    }
    item.set("content", vec![part].into());
    item.into()
}

fn write_call(rng: &mut Rng, call: &Call) -> Json {
    let mut item = if call.custom {
        Object::default().with("type", "custom_tool_call").with("name", "note").with("input", text(rng))
    } else {
        let name = rng.pick(&["look", "run"]);
        Object::default().with("type", "function_call").with("name", name).with("arguments", arguments(rng))
    };
    item.set("call_id", call.id.clone().into());
    if rng.one_in(2) {
        item.set("id", id(rng).into());
        item.set("status", "completed".into());
    }
    if rng.one_in(12) {
        item.set("namespace", "garden".into());
    }
    item.into()
}

fn searched(rng: &mut Rng) -> Json {
    object! { "type": "web_search_call", "id": id(rng), "status": "completed" }
}

pub(super) fn answer(rng: &mut Rng, calls: Vec<Call>) -> Answer {
    let mut output = Vec::new();
    if rng.one_in(2) {
        output.push(reasoning(rng));
    }
    if rng.one_in(12) {
        output.push(searched(rng));
    }
    if calls.is_empty() || rng.one_in(3) {
        output.push(message(rng));
    }
    output.extend(calls.iter().map(|call| write_call(rng, call)));
    let body =
        object! { "id": "resp_1", "object": "response", "error": Value::Null, "output": output.clone() };
    Answer { body, elements: output, calls }
}

pub(super) fn result(rng: &mut Rng, call: &Call) -> Json {
    let custom = call.custom != rng.one_in(10);
    let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
    let mut item =
        Object::default().with("type", kind).with("call_id", call.id.clone()).with("output", content(rng));
    if rng.one_in(4) {
        item.set("id", id(rng).into());
    }
    if rng.one_in(10) {
        item.set("name", rng.pick(&["look".into(), Value::Null]));
    }
    marker(&mut item, rng);
    item.into()
}

pub(super) fn stray(rng: &mut Rng) -> Json {
    match rng.below(8) {
        0 => message(rng),
        1 => reasoning(rng),
        2 => searched(rng),
        3 => {
            let call = Call { id: id(rng), custom: false };
            write_call(rng, &call)
        }
        4 => object! { "role": "assistant", "content": text(rng) },
        5 => object! { "type": "computer_call_output", "call_id": id(rng), "output": object! {} },
        6 => object! { "type": "item_reference", "id": id(rng) },
        _ => object! { "type": "message", "role": "developer", "content": content(rng) },
    }
}

pub(super) fn broken(rng: &mut Rng) -> Json {
    match rng.below(4) {
        0 => object! { "type": "message", "content": "x" },
        1 => object! { "type": "function_call_output", "output": "x" },
        2 => {
            object! { "type": "function_call_output", "call_id": "c", "output": "x", "_vf_is_error": "true" }
        }
        _ => object! { "type": "function_call", "call_id": "c", "arguments": "{}" },
    }
}

pub(super) fn settings(rng: &mut Rng) -> Vec<(usize, &'static str, Json)> {
    vec![
        (1, "model", rng.pick(&["m", "gpt-5.6-sol"]).into()),
        (2, "instructions", {
            let text = words(rng);
            rng.pick(&[text.into(), "".into(), Value::Null])
        }),
        (3, "temperature", rng.pick(&[number("0"), number("0.7"), number("1.0")])),
        (2, "tools", tools(Dialect::Responses, rng)),
        (4, "max_output_tokens", number("100")),
        (
            4,
            "reasoning",
            rng.pick(&[object! { "effort": "low" }, object! { "summary": "auto" }, Value::Null]),
        ),
        (6, "include", rng.pick(&[vec![].into(), vec!["reasoning.encrypted_content".into()].into()])),
        (4, "store", rng.pick(&[true, false]).into()),
        (8, "tool_choice", rng.pick(&["auto", "required", "none"]).into()),
        (8, "metadata", object! { "note": text(rng) }),
        (24, "metadata", nested(rng.within(509, 512))),
        (16, MARKER, true.into()),
    ]
}

pub(super) fn dress(members: &mut Object<'static>, manner: Manner) {
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if manner.silent && kind.ends_with("_output") {
        members.remove(MARKER);
    }
    if manner.tidy {
        members.0.retain(|(key, value)| !value.is_null() && key != "status" && key != "id");
    }
    if manner.listed
        && members.get("role").and_then(Value::as_str) == Some("assistant")
        && let Some(Value::Array(parts)) = members.get("content")
        && let [part] = parts.as_slice()
        && let Some(Value::String(text)) = part.get("text")
    {
        // The short form of the same turn.
        let text = text.clone();
        members.set("content", Value::String(text));
    }
}
