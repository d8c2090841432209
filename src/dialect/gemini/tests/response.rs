//! Answers: the turn, why it ended, what it cost, and the way back.

use super::json;
use crate::dialect::{Code, read_answer, read_response, write_response};
use crate::json::{Json, Value, compact};
use crate::message::Dialect::{Anthropic, Chat, Gemini, Responses};
use crate::message::{FinishReason, Response, Usage};

fn answer(candidate: &str) -> Json {
    json(&format!(r#"{{"candidates":[{candidate}],"modelVersion":"gemini-3-pro","responseId":"r-1"}}"#))
}

fn read(body: &Json) -> Response {
    read_response(Gemini, body).unwrap()
}

fn ending(reason: &str, parts: &str) -> Response {
    read(&answer(&format!(r#"{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"{reason}"}}"#)))
}

#[test]
fn why_it_ended() {
    let call = r#"{"functionCall":{"name":"f","args":{}}}"#;
    let text = r#"{"text":"x"}"#;
    for (reason, parts, finish) in [
        ("STOP", text, Some(FinishReason::Stop)),
        ("STOP", call, Some(FinishReason::ToolCalls)),
        ("MAX_TOKENS", call, Some(FinishReason::Length)),
        ("SAFETY", text, None),
        ("MALFORMED_FUNCTION_CALL", "", None),
        ("SOMETHING_NEW", text, None),
    ] {
        let response = ending(reason, parts);
        assert_eq!(
            (response.finish_reason, response.native_finish_reason.as_deref()),
            (finish, Some(reason))
        );
        assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("r-1"), Some("gemini-3-pro")));
        assert!(response.complete);
    }
    let blocked = read(&json(r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#));
    assert_eq!((blocked.finish_reason, blocked.native_finish_reason.as_deref()), (None, Some("SAFETY")));
    assert_eq!(blocked.message, Default::default());
}

#[test]
fn the_counts_are_those_of_the_host() {
    let usage =
        |counts: &str| read(&json(&format!(r#"{{"candidates":[{{}}],"usageMetadata":{counts}}}"#))).usage;
    let all = r#"{"promptTokenCount":100,"toolUsePromptTokenCount":7,"cachedContentTokenCount":60,"candidatesTokenCount":20,"thoughtsTokenCount":30,"totalTokenCount":157}"#;
    let counted = Usage {
        prompt_tokens: 47,
        completion_tokens: 50,
        cached_input_tokens: Some(60),
        reasoning_tokens: Some(30),
    };
    assert_eq!(usage(all), Some(counted));
    let few = Usage { prompt_tokens: 9, ..Usage::default() };
    assert_eq!(usage(r#"{"promptTokenCount":9,"totalTokenCount":9}"#), Some(few));
    assert_eq!(usage(r#"{"trafficType":"ON_DEMAND"}"#), None);
    // And back, without the native body.
    let mut response = ending("STOP", r#"{"text":"x"}"#);
    (response.native, response.usage) = (None, Some(counted));
    let (body, losses) = write_response(Gemini, &response).unwrap();
    let written = r#"{"promptTokenCount":107,"cachedContentTokenCount":60,"candidatesTokenCount":20,"thoughtsTokenCount":30,"totalTokenCount":157}"#;
    assert_eq!(compact(body.get("usageMetadata").unwrap()), written);
    assert!(losses.0.is_empty());
    assert_eq!(read(&Value::Object(body)).usage, Some(counted));
}

#[test]
fn an_answer_goes_back_as_it_came() {
    let body = answer(
        r#"{"content":{"role":"model","parts":[{"text":"a"},{"text":"b","thoughtSignature":"c2ln"}]},"finishReason":"STOP","groundingMetadata":{},"avgLogprobs":-0.10}"#,
    );
    let response = read(&body);
    let (written, losses) = write_response(Gemini, &response).unwrap();
    assert_eq!(Value::Object(written), body);
    assert!(losses.0.is_empty());
    assert_eq!(read_answer(Gemini, &body).unwrap(), response.message);
    let snake = json(
        r#"{"candidates":[{"content":{"parts":[{"function_call":{"name":"f"}}]},"finish_reason":"STOP"}],"response_id":"x y"}"#,
    );
    let response = read(&snake);
    assert_eq!(response.finish_reason, Some(FinishReason::ToolCalls));
    // The id of an answer tells its calls apart, as far as it can be part of one.
    assert_eq!(&*response.message.tool_calls[0].id, "call_0_0");
    assert_eq!(&*ending("STOP", r#"{"functionCall":{"name":"f"}}"#).message.tool_calls[0].id, "call_r-1_0");
}

#[test]
fn answers_of_other_wires_are_answers_of_this_one() {
    let chat = json(
        r#"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"x","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}"#,
    );
    let response = read_response(Chat, &chat).unwrap();
    let (body, losses) = write_response(Gemini, &response).unwrap();
    assert_eq!(
        compact(&Value::Object(body.clone())),
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"x"},{"functionCall":{"id":"call_1","name":"f","args":{"a":1}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15},"modelVersion":"gpt","responseId":"chatcmpl-1"}"#
    );
    assert!(losses.0.is_empty(), "{losses:?}");
    let again = read(&Value::Object(body));
    assert_eq!(again.message, response.message);
    assert_eq!((again.finish_reason, again.usage), (response.finish_reason, response.usage));
    // An empty turn, and a reason that is none of the three.
    let filtered = Response {
        native_finish_reason: Some("content_filter".into()),
        complete: true,
        ..Response::default()
    };
    let (body, losses) = write_response(Gemini, &filtered).unwrap();
    let written =
        r#"{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"SAFETY","index":0}]}"#;
    assert_eq!(compact(&Value::Object(body)), written);
    assert_eq!(losses.0.iter().map(|loss| loss.code).collect::<Vec<_>>(), [Code::FinishReasonReduced]);
}

#[test]
fn an_answer_without_a_turn_is_refused_by_path() {
    for (body, sentence) in [
        ("[]", "$: expected an object"),
        ("{}", "candidates: missing"),
        (r#"{"candidates":5}"#, "candidates: expected a list"),
        (r#"{"candidates":[]}"#, "candidates: there is none"),
        (r#"{"candidates":[5]}"#, "candidates[0]: expected an object"),
        (r#"{"candidates":[{"content":{"role":"user"}}]}"#, "candidates[0].content.role: expected model"),
        (
            r#"{"candidates":[{"content":{"parts":[7]}}]}"#,
            "candidates[0].content.parts[0]: expected an object",
        ),
        (r#"{"error":{"code":503}}"#, "error: the provider answered with an error, not with a turn"),
    ] {
        assert_eq!(read_answer(Gemini, &json(body)).unwrap_err().to_string(), sentence);
    }
    assert_eq!(read_answer(Gemini, &json(r#"{"candidates":[{"content":{}}]}"#)).unwrap().content, None);
}

#[test]
fn an_answer_of_this_wire_is_one_of_the_others() {
    let response = ending("STOP", r#"{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}"#);
    for wire in [Chat, Responses, Anthropic] {
        let Ok((body, losses)) = write_response(wire, &response) else { continue };
        assert!(compact(&Value::Object(body)).contains("call_r-1_0"), "{wire}");
        let told: Vec<_> = losses.0.iter().map(|loss| loss.code).collect();
        assert!(told.contains(&Code::IdMinted) && told.contains(&Code::ReasoningDropped), "{wire}: {told:?}");
    }
}
