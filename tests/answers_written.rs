//! Answers on their way to a client of another wire: the body, the losses, and the same as a stream.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::option::of;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use toolwire::dialect::{Code, Loss, Losses, StreamParser, read_response, write_response, write_stream};
use toolwire::error::Kind;
use toolwire::json::{Json, Object, Repeats, Value, compact, parse};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
use toolwire::message::{AssistantMessage, CallKind, Extra, FinishReason, Response, ToolCall, Usage};

const DIALECTS: [Dialect; 5] = [Chat, Responses, Anthropic, Gemini, Bedrock];

/// Is this file a stream?
fn streamed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "sse" || e == "bin")
}

fn load(path: &Path) -> Json {
    parse(&fs::read(path).unwrap(), Repeats::Refused).unwrap().value.into_owned()
}

/// The answers of `tests/answers` and of `tests/streams`.
fn recorded(dialect: Dialect) -> Vec<(PathBuf, Response)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let list = |folder: &str| -> Vec<PathBuf> {
        let files = fs::read_dir(tests.join(folder).join(dialect.as_str())).unwrap();
        let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let mut found = Vec::new();
    for path in list("answers") {
        if !path.file_stem().unwrap().to_str().unwrap().contains('.') {
            let response = read_response(dialect, &load(&path)).unwrap();
            found.push((path, response));
        }
    }
    for path in list("streams") {
        if streamed(&path) {
            let response = read_stream(dialect, &[fs::read(&path).unwrap()]);
            if response.complete {
                found.push((path, response));
            }
        }
    }
    assert!(found.len() >= 12, "the answers of {dialect} were found");
    found
}

fn read_stream(dialect: Dialect, events: &[Vec<u8>]) -> Response {
    let mut parser = StreamParser::new(dialect).unwrap();
    // What cannot be read leaves the answer incomplete.
    events.iter().find_map(|event| parser.feed(event).err());
    parser.finish().unwrap()
}

/// Some servers number the calls of a whole message, too; in a stream that number is no field of the call.
fn unnumbered(response: Response) -> Response {
    let Some(Value::Object(mut body)) = response.native.clone() else { return response };
    let Some((_, Value::Array(choices))) = body.0.iter_mut().find(|(key, _)| key == "choices") else {
        return response;
    };
    for choice in choices {
        let Value::Object(choice) = choice else { continue };
        let Some((_, Value::Object(message))) = choice.0.iter_mut().find(|(key, _)| key == "message") else {
            continue;
        };
        let Some((_, Value::Array(calls))) = message.0.iter_mut().find(|(key, _)| key == "tool_calls") else {
            continue;
        };
        for call in calls {
            let Value::Object(call) = call else { continue };
            call.remove("index");
        }
    }
    read_response(Chat, &Value::Object(body)).unwrap()
}

fn has(losses: &Losses, code: Code) -> bool {
    losses.0.iter().any(|loss| loss.code == code)
}

#[test]
fn an_answer_goes_to_a_client_of_another_wire() {
    for dialect in DIALECTS {
        for (path, response) in recorded(dialect) {
            // Recorded streams are written too, but what they become is only looked at below.
            if streamed(&path) {
                continue;
            }
            for target in DIALECTS.into_iter().filter(|target| *target != dialect) {
                let written: Json = match write_response(target, &response) {
                    Ok((body, losses)) => {
                        let losses = losses.0.iter().map(|loss| loss.to_string().into()).collect::<Vec<_>>();
                        Object::default().with("body", body).with("losses", losses).into()
                    }
                    Err(error) => Object::default().with("refused", error.to_string()).into(),
                };
                let beside = path.with_extension(format!("to_{target}.json"));
                if std::env::var_os("WRITE_ANSWERS").is_some() {
                    fs::write(&beside, compact(&written)).unwrap();
                }
                assert_eq!(written, load(&beside), "{}\n{}", beside.display(), compact(&written));
            }
        }
    }
}

#[test]
fn its_own_wire_gets_its_body_back() {
    for dialect in DIALECTS {
        for (path, response) in recorded(dialect) {
            let (body, losses) = write_response(dialect, &response).unwrap();
            assert_eq!(Some(Value::Object(body)), response.native, "{}", path.display());
            assert!(losses.0.is_empty());
            let (events, losses) = write_stream(dialect, &response).unwrap();
            assert_eq!(read_stream(dialect, &events), unnumbered(response), "{}", path.display());
            assert!(losses.0.is_empty());
        }
    }
}

/// What both wires can say, or a loss that says which of it is not said.
fn holds(response: &Response, target: Dialect) {
    let Ok((body, losses)) = write_response(target, response) else { return };
    let read = read_response(target, &Value::Object(body)).unwrap();
    let (events, _) = write_stream(target, response).unwrap();
    assert_eq!(read_stream(target, &events), unnumbered(read.clone()), "the same as a stream");
    let said = |message: &AssistantMessage| message.content.as_deref().unwrap_or_default().to_owned();
    let refused = has(&losses, Code::RefusalAsText) || has(&losses, Code::EmptyDropped);
    if !refused {
        assert_eq!(said(&read.message), said(&response.message), "{losses:?}");
    }
    // A call that may be cut is read as one that is.
    let all = |response: &Response| -> Vec<ToolCall> {
        let mut calls = [&response.message.tool_calls[..], &response.unfinished].concat();
        calls.sort_by(|one, other| (&one.name, &one.arguments).cmp(&(&other.name, &other.arguments)));
        calls
    };
    let calls = |response: &Response| -> Vec<(String, Json)> {
        let arguments = |call: &ToolCall| {
            parse(call.arguments.as_bytes(), Repeats::LastWins)
                .map_or_else(|_| call.arguments.to_string().into(), |parsed| parsed.value.into_owned())
        };
        all(response).iter().map(|call| (call.name.to_string(), arguments(call))).collect()
    };
    if !has(&losses, Code::CustomWrapped) && !has(&losses, Code::ArgumentsReserialised) {
        assert_eq!(calls(&read), calls(response));
    }
    if !has(&losses, Code::IdMapped) {
        let ids = |response: &Response| -> Vec<String> {
            let mut ids: Vec<_> = all(response).iter().map(|call| call.id.to_string()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&read), ids(response));
    }
    if !has(&losses, Code::FinishReasonReduced) {
        assert_eq!(read.finish_reason, response.finish_reason);
    }
    let left = |loss: &Loss| loss.code == Code::FieldDropped && loss.path.to_string().starts_with("usage");
    if !has(&losses, Code::UsageAssumed) && !losses.0.iter().any(left) {
        assert_eq!(read.usage, response.usage);
    }
    if !has(&losses, Code::IdMinted) && !has(&losses, Code::ItemIdDropped) {
        assert_eq!(read.id, response.id);
    }
    if !has(&losses, Code::TextPlaceholder) && !has(&losses, Code::NameDropped) {
        assert_eq!(read.model, response.model);
    }
}

#[test]
fn recorded_answers_keep_what_both_wires_can_say() {
    for dialect in DIALECTS {
        for (_, response) in recorded(dialect) {
            for target in DIALECTS {
                holds(&response, target);
            }
        }
    }
}

fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    let arguments = prop_oneof![
        Just("{}".to_owned()),
        Just(r#"{"path":"/x","n":1}"#.to_owned()),
        "[a-z{}\" \\n]{0,12}",
        ".{0,8}".prop_map(|text| compact(&Object::default().with("text", text).into())),
    ];
    let call = ("[a-zA-Z0-9_-]{1,12}|.{1,6}", "[a-z_]{1,8}", arguments, any::<bool>());
    proptest::collection::vec(call, 0..4).prop_map(|calls| {
        let call = |(n, (id, name, arguments, custom)): (usize, (String, String, String, bool))| ToolCall {
            id: format!("{id}{n}").into(),
            name: name.into(),
            arguments: arguments.into(),
            kind: if custom { CallKind::Custom } else { CallKind::Function },
            namespace: None,
            extra: Extra::none(),
        };
        calls.into_iter().enumerate().map(call).collect()
    })
}

fn usage() -> impl Strategy<Value = Option<Usage>> {
    let counts = (0..1000_u64, 0..1000_u64, of(0..1000_u64), of(0..1000_u64));
    of(counts.prop_map(|(prompt_tokens, completion_tokens, cached_input_tokens, reasoning_tokens)| Usage {
        prompt_tokens,
        completion_tokens,
        cached_input_tokens,
        reasoning_tokens,
    }))
}

fn responses() -> impl Strategy<Value = Response> {
    let message = (of(".{0,20}"), of(".{0,9}"), calls(), of("[a-z ]{1,9}"));
    let ends = (of(prop::sample::select(FinishReason::ALL.to_vec())), of("[a-z_]{3,9}|refusal|SAFETY"));
    let names = (of("[a-z0-9_]{1,9}"), of("[a-z0-9-]{1,9}"));
    (message, ends, names, usage(), of(prop::sample::select(DIALECTS.to_vec()))).prop_map(
        |(
            (content, reasoning, tool_calls, refusal),
            (finish_reason, native),
            (id, model),
            usage,
            dialect,
        )| {
            Response {
                dialect,
                id: id.map(Into::into),
                model: model.map(Into::into),
                message: AssistantMessage {
                    content: content.map(Into::into),
                    reasoning_content: reasoning.map(Into::into),
                    tool_calls,
                    provider_state: refusal.iter().map(|text| AssistantMessage::refusal_item(text)).collect(),
                    extra: Extra::none(),
                },
                finish_reason,
                native_finish_reason: native.map(Into::into),
                usage,
                complete: true,
                ..Response::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_answer_keeps_what_the_wire_can_say(response in responses()) {
        for target in DIALECTS {
            holds(&response, target);
        }
    }
}

#[test]
fn a_changed_answer_is_written_anew() {
    for dialect in DIALECTS {
        let (_, mut response) = recorded(dialect)
            .into_iter()
            .find(|(path, _)| path.file_stem().unwrap() == "text" && streamed(path))
            .unwrap();
        response.message.content = Some("Other words.".into());
        let native = response.native_finish_reason.clone();
        let (body, losses) = write_response(dialect, &response).unwrap();
        assert!(has(&losses, Code::NativeStale));
        let read = read_response(dialect, &Value::Object(body)).unwrap();
        assert_eq!(read.message.content.as_deref(), Some("Other words."));
        assert_eq!((read.finish_reason, read.native_finish_reason), (response.finish_reason, native));
        assert_eq!((read.id, read.model, read.usage), (response.id, response.model, response.usage));
    }
}

#[test]
fn a_cut_answer_is_not_written() {
    let cut = Response::default();
    assert_eq!(write_response(Chat, &cut).unwrap_err().kind, Kind::Shape);
    assert_eq!(write_stream(Chat, &cut).unwrap_err().to_string(), "complete: the answer did not come whole");
}

#[test]
fn why_it_ended_stands_in_the_words_of_the_wire() {
    use FinishReason::{Length, Stop, ToolCalls};
    for (dialect, native, reason, target, word, reduced) in [
        (Anthropic, "end_turn", Some(Stop), Chat, "stop", false),
        (Anthropic, "model_context_window_exceeded", Some(Length), Responses, "max_output_tokens", false),
        (Anthropic, "refusal", None, Chat, "content_filter", true),
        (Anthropic, "refusal", None, Responses, "content_filter", true),
        (Anthropic, "refusal", None, Anthropic, "refusal", false),
        (Anthropic, "pause_turn", None, Chat, "stop", true),
        (Chat, "model_length", Some(Length), Anthropic, "max_tokens", false),
        (Chat, "model_length", Some(Length), Chat, "model_length", false),
        (Chat, "content_filter", None, Anthropic, "refusal", true),
        (Chat, "content_filter", None, Chat, "content_filter", false),
        (Chat, "tool_calls", Some(ToolCalls), Responses, "completed", true),
        // There are no calls in the turn.
        (Chat, "tool_calls", Some(ToolCalls), Anthropic, "end_turn", true),
        (Chat, "tool_calls", Some(ToolCalls), Chat, "stop", true),
        (Responses, "max_messages", None, Responses, "max_messages", false),
        (Responses, "max_messages", None, Anthropic, "end_turn", true),
        (Bedrock, "model_context_window_exceeded", Some(Length), Anthropic, "max_tokens", false),
        (Bedrock, "guardrail_intervened", None, Chat, "content_filter", true),
        (Bedrock, "malformed_tool_use", None, Anthropic, "end_turn", true),
        (Bedrock, "malformed_tool_use", None, Bedrock, "malformed_tool_use", false),
        (Anthropic, "refusal", None, Bedrock, "content_filtered", true),
        (Chat, "tool_calls", Some(ToolCalls), Bedrock, "end_turn", true),
        (Responses, "max_output_tokens", Some(Length), Bedrock, "max_tokens", false),
        // The typed reason decides, not the word.
        (Anthropic, "end_turn", Some(Length), Anthropic, "max_tokens", false),
    ] {
        let response = Response {
            dialect: Some(dialect),
            finish_reason: reason,
            native_finish_reason: Some(native.into()),
            message: AssistantMessage { content: Some("x".into()), ..AssistantMessage::default() },
            complete: true,
            ..Response::default()
        };
        let (body, losses) = write_response(target, &response).unwrap();
        let read = read_response(target, &Value::Object(body)).unwrap();
        assert_eq!(read.native_finish_reason.as_deref(), Some(word), "{dialect} {native} to {target}");
        assert_eq!(has(&losses, Code::FinishReasonReduced), reduced, "{dialect} {native} to {target}");
    }
}

#[test]
fn counts_are_those_of_the_host_framework() {
    let usage = |prompt_tokens, completion_tokens, cached_input_tokens, reasoning_tokens| {
        Some(Usage { prompt_tokens, completion_tokens, cached_input_tokens, reasoning_tokens })
    };
    let of = |dialect, counts: &str| {
        let (content, choices) = ("[]", r#"[{"message":{"role":"assistant","content":"x"}}]"#);
        let output = match dialect {
            Bedrock => r#"{"message":{"role":"assistant","content":[]}}"#,
            _ => "[]",
        };
        let body = format!(
            r#"{{"role":"assistant","content":{content},"choices":{choices},"output":{output},"usage":{counts},"candidates":[{{}}],"usageMetadata":{counts}}}"#
        );
        read_response(dialect, &parse(body.as_bytes(), Repeats::Refused).unwrap().value).unwrap().usage
    };
    assert_eq!(of(Chat, r#"{"prompt_tokens":9,"completion_tokens":2}"#), usage(9, 2, None, None));
    let cached = r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}"#;
    assert_eq!(of(Chat, cached), usage(5, 2, Some(4), None));
    // More from the cache than there was: some servers count it apart.
    let apart = r#"{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}"#;
    assert_eq!(of(Chat, apart), usage(0, 2, Some(4), None));
    let reasoned = r#"{"input_tokens":9,"output_tokens":7.0,"output_tokens_details":{"reasoning_tokens":5}}"#;
    assert_eq!(of(Responses, reasoned), usage(9, 7, None, Some(5)));
    let three =
        r#"{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4}"#;
    assert_eq!(of(Anthropic, three), usage(3, 4, Some(3), None));
    let three = r#"{"inputTokens":1,"cacheWriteInputTokens":2,"cacheReadInputTokens":3,"outputTokens":4,"totalTokens":10}"#;
    assert_eq!(of(Bedrock, three), usage(3, 4, Some(3), None));
    for nothing in ["null", "{}", r#"{"prompt_tokens":1}"#, r#"{"input_tokens":"1","output_tokens":2}"#, "7"]
    {
        assert_eq!(DIALECTS.map(|dialect| of(dialect, nothing)), [None; 5], "{nothing}");
    }
}

/// What stands beside the turn goes to no other wire, and that is said.
#[test]
fn what_stands_beside_the_turn_is_reported() {
    for (dialect, body, said) in [
        (
            Chat,
            r#"{"id":"i","object":"chat.completion","created":1,"model":"m","service_tier":"default","system_fingerprint":"fp","citations":["https://a"],"choices":[{"index":1,"message":{"role":"assistant","content":"y"},"finish_reason":"stop"},{"index":0,"message":{"role":"assistant","content":"x"},"logprobs":{"content":[{"token":"x"}],"refusal":null},"finish_reason":"stop"}]}"#,
            &[
                "system_fingerprint: field.dropped",
                "citations: citations.dropped",
                "choices[1].logprobs: field.dropped",
                "choices[0]: field.dropped",
            ][..],
        ),
        (
            Chat,
            r#"{"id":"i","model":"m","system_fingerprint":null,"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"logprobs":{"content":[],"refusal":null},"stop_reason":null,"finish_reason":"stop"}]}"#,
            &[],
        ),
        (
            Responses,
            r#"{"id":"i","object":"response","created_at":1,"status":"completed","model":"m","instructions":"be brief","tools":[{"type":"web_search"}],"output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"x","annotations":[]}]}],"moderation":{"flagged":false}}"#,
            &["moderation: field.dropped"],
        ),
        (
            Anthropic,
            r#"{"id":"i","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":"stop_sequence","stop_sequence":"END","container":{"id":"c"},"context_management":{"applied_edits":[]}}"#,
            &["stop_sequence: field.dropped", "container: field.dropped"],
        ),
        (
            Gemini,
            r#"{"responseId":"i","model_version":"m","prompt_feedback":{"safetyRatings":[{}],"blockReasonMessage":"b"},"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP","safetyRatings":[{"probability":"LOW"}],"grounding_metadata":{"webSearchQueries":["q"]},"citationMetadata":{"citationSources":[{"uri":"u"}]},"logprobsResult":{"chosenCandidates":[{"token":"x"}]}},{"content":{"role":"model","parts":[{"text":"y"}]},"finishReason":"STOP"}]}"#,
            &[
                "promptFeedback.blockReasonMessage: field.dropped",
                "candidates[0].groundingMetadata: citations.dropped",
                "candidates[0].citationMetadata: citations.dropped",
                "candidates[0].logprobsResult: field.dropped",
                "candidates[1]: field.dropped",
            ],
        ),
        (
            Bedrock,
            r#"{"output":{"message":{"role":"assistant","content":[{"text":"x"}]}},"stopReason":"end_turn","metrics":{"latencyMs":1},"additionalModelResponseFields":{"stop_sequence":"END"},"trace":{"guardrail":{"actionReason":"a"}},"performanceConfig":{"latency":"standard"},"ResponseMetadata":{"HTTPStatusCode":200}}"#,
            &["additionalModelResponseFields: field.dropped", "trace: field.dropped"],
        ),
    ] {
        let response =
            read_response(dialect, &parse(body.as_bytes(), Repeats::Refused).unwrap().value).unwrap();
        for target in DIALECTS {
            let (_, losses) = write_response(target, &response).unwrap();
            let beside = losses
                .0
                .iter()
                .filter(|loss| loss.detail.contains("beside") || loss.detail.contains("another answer"));
            let found: Vec<_> = beside.map(|loss| format!("{}: {}", loss.path, loss.code)).collect();
            let expected = if target == dialect { &[][..] } else { said };
            assert_eq!(found, expected, "{dialect} to {target}");
            assert_eq!(losses.refuse().is_err(), !losses.0.is_empty());
        }
    }
}
