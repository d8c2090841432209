//! A provider's answer: the message it holds, and that a request which restates it holds the same one.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use std::fs;
use std::path::{Path, PathBuf};
use toolwire::dialect::{read_answer, read_request, read_response, write_response};
use toolwire::error::Kind;
use toolwire::identity;
use toolwire::json::{Json, Object, Repeats, Value, compact, parse};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Mcp, Responses};
use toolwire::message::{Message, message_to_plain};

fn load(path: &Path) -> Json {
    parse(&fs::read(path).unwrap(), Repeats::Refused).unwrap().value.into_owned()
}

/// The samples of a wire, without what stands beside them.
fn samples(dialect: Dialect) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers").join(dialect.as_str());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        files.filter(|path| !path.file_stem().unwrap().to_str().unwrap().contains('.')).collect();
    found.sort();
    assert!(found.len() >= 4, "the samples of {dialect} were found");
    found
}

/// The turn of an answer as the messages or items of a request, as they stand.
fn verbatim(dialect: Dialect, answer: &Json) -> Json {
    match dialect {
        Chat => {
            let choices = answer.get("choices").unwrap().as_array().unwrap();
            vec![choices[0].get("message").unwrap().clone()].into()
        }
        Anthropic => {
            let message = Object::default().with("role", "assistant");
            vec![Value::from(message.with("content", answer.get("content").unwrap().clone()))].into()
        }
        Responses => answer.get("output").unwrap().clone(),
        Bedrock => vec![answer.get("output").unwrap().get("message").unwrap().clone()].into(),
        Gemini => {
            let candidates = answer.get("candidates").unwrap().as_array().unwrap();
            vec![candidates[0].get("content").unwrap().clone()].into()
        }
        Mcp => panic!("no such samples"),
    }
}

fn restated(dialect: Dialect, messages: Json) -> Message {
    let key = match dialect {
        Responses => "input",
        Gemini => "contents",
        _ => "messages",
    };
    let body = Object::default().with(key, messages);
    let messages = read_request(dialect, &body.into()).unwrap().messages;
    assert_eq!(messages.len(), 1);
    messages.into_iter().next().unwrap()
}

#[test]
fn an_answer_is_the_message_that_a_request_restates() {
    for dialect in [Chat, Responses, Anthropic, Gemini, Bedrock] {
        for path in samples(dialect) {
            let answer = load(&path);
            let message = Message::Assistant(read_answer(dialect, &answer).unwrap());
            let plain = message_to_plain(&message);
            let expected = load(&path.with_extension("message.json"));
            assert_eq!(plain, expected, "{}\n{}", path.display(), compact(&plain));
            assert_eq!(restated(dialect, verbatim(dialect, &answer)), message, "{}", path.display());
            let by_a_client = restated(dialect, load(&path.with_extension("restated.json")));
            assert_eq!(identity::of(&by_a_client), identity::of(&message), "{}", path.display());
        }
    }
}

#[test]
fn an_answer_without_a_turn_is_refused_by_path() {
    for (dialect, answer, sentence) in [
        (Chat, r#"[]"#, "$: expected an object"),
        (Chat, r#"{}"#, "choices: missing"),
        (Chat, r#"{"choices":null}"#, "choices: expected a list"),
        (Chat, r#"{"choices":[]}"#, "choices: there is none"),
        (Chat, r#"{"choices":[{"delta":{}}]}"#, "choices[0].message: missing"),
        (Chat, r#"{"choices":[{"message":null}]}"#, "choices[0].message: expected an object"),
        (Chat, r#"{"choices":[{"message":{"content":"x"}}]}"#, "choices[0].message.role: missing"),
        (Chat, r#"{"choices":[{"message":{"role":"user"}}]}"#, "choices[0].message.role: expected assistant"),
        (
            Chat,
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f"}}]}}]}"#,
            "choices[0].message.tool_calls[0].id: missing",
        ),
        (
            Chat,
            r#"{"error":{"message":"slow down"}}"#,
            "error: the provider answered with an error, not with a turn",
        ),
        (Responses, r#"{"output":"x"}"#, "output: expected a list"),
        (Responses, r#"{"output":[7]}"#, "output[0]: expected an object"),
        (Responses, r#"{"output":[{"type":"message","content":[]}]}"#, "output[0].role: missing"),
        (Responses, r#"{"output":[{"role":"user","content":"x"}]}"#, "output[0].role: expected assistant"),
        (
            Responses,
            r#"{"output":[{"type":"reasoning","summary":[]},{"type":"function_call","name":"f","arguments":""}]}"#,
            "output[1].call_id: missing",
        ),
        (
            Responses,
            r#"{"status":"failed","error":{"code":"server_error"},"output":[]}"#,
            "error: the provider answered with an error, not with a turn",
        ),
        (Anthropic, r#"{"content":[]}"#, "role: missing"),
        (Anthropic, r#"{"role":"assistant"}"#, "content: missing"),
        (Anthropic, r#"{"role":"user","content":[]}"#, "role: expected assistant"),
        (Anthropic, r#"{"role":"assistant","content":[{"text":"x"}]}"#, "content[0].type: missing"),
        (Bedrock, r#"{"message":"slow down"}"#, "output: missing"),
        (Bedrock, r#"{"output":{}}"#, "output.message: missing"),
        (Bedrock, r#"{"output":{"message":{"content":[]}}}"#, "output.message.role: missing"),
        (
            Bedrock,
            r#"{"output":{"message":{"role":"user","content":[]}}}"#,
            "output.message.role: expected assistant",
        ),
        (
            Bedrock,
            r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f"}}]}}}"#,
            "output.message.content[0].toolUse.input: missing",
        ),
        (
            Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
            "error: the provider answered with an error, not with a turn",
        ),
    ] {
        let answer = parse(answer.as_bytes(), Repeats::Refused).unwrap().value;
        let error = read_answer(dialect, &answer).unwrap_err();
        assert_eq!((error.kind, error.to_string().as_str()), (Kind::Shape, sentence));
    }
    let nothing = Object::default().into();
    assert_eq!(read_answer(Mcp, &nothing).unwrap_err().kind, Kind::Unsupported);
}

/// What the provider ran and answered itself stands in the turn, although a request would hold it as a result.
#[test]
fn items_that_the_provider_answered_stay_in_the_turn() {
    let answer = br#"{"output":[{"type":"tool_search_call","execution":"server"},{"type":"tool_search_output","tools":[]},
        {"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#;
    let turn = read_answer(Responses, &parse(answer, Repeats::Refused).unwrap().value).unwrap();
    assert_eq!((turn.provider_state.len(), turn.tool_calls.len()), (2, 1));
}

/// The names of the calls in the message, and the arguments of those that are not whole.
fn calls_of(dialect: Dialect, body: &str) -> (Vec<String>, Vec<String>, bool) {
    let response = read_response(dialect, &parse(body.as_bytes(), Repeats::Refused).unwrap().value).unwrap();
    if !response.complete {
        assert_eq!(write_response(dialect, &response).unwrap_err().kind, Kind::Shape);
        // Nor does what was kept of the native turn hold them.
        let plain = compact(&message_to_plain(&Message::Assistant(response.message.clone())));
        assert!(response.unfinished.iter().all(|call| !plain.contains(&*call.id)), "{plain}");
    }
    let whole = response.message.tool_calls.iter().map(|call| call.name.to_string()).collect();
    (whole, response.unfinished.iter().map(|call| call.arguments.to_string()).collect(), response.complete)
}

#[test]
fn a_call_that_was_cut_is_not_in_the_message() {
    let chat = |reason: &str, arguments: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"id_a","type":"function","function":{{"name":"f","arguments":"{{}}"}}}},{{"id":"id_b","type":"function","function":{{"name":"g","arguments":{arguments}}}}},{{"id":"id_c","type":"custom","custom":{{"name":"h","input":"free"}}}}]}},"finish_reason":"{reason}"}}]}}"#
        )
    };
    let responses = |status: &str, item: &str| {
        format!(
            r#"{{"status":"{status}","error":null,"output":[{{"type":"function_call","id":"fc_1","call_id":"id_a","name":"f","arguments":"{{}}","status":"completed"}},{{"type":"function_call","id":"fc_2","call_id":"id_b","name":"g","arguments":"{{\"a","status":"{item}"}}]}}"#
        )
    };
    let anthropic = |reason: &str, behind: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"id_a","name":"f","input":{{}}}},{{"type":"tool_use","id":"id_b","name":"g","input":{{"a":"b"}}}}{behind}],"stop_reason":"{reason}"}}"#
        )
    };
    let bedrock = |reason: &str, more: &str| {
        format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"id_a","name":"f","input":{{}}}}}},{{"toolUse":{{"toolUseId":"id_b","name":"g","input":{{"a":"b"}}{more}}}}}]}}}},"stopReason":"{reason}"}}"#
        )
    };
    let gemini = |more: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{{"id":"id_a","name":"f","args":{{}}}}}},{{"functionCall":{{"id":"id_b","name":"g","args":{{"a":"b"}}{more}}}}}]}},"finishReason":"MAX_TOKENS"}}]}}"#
        )
    };
    let cut = r#""{\"a""#;
    for (dialect, body, whole, open) in [
        (Chat, chat("length", cut), &["f", "h"][..], Some(r#"{"a"#)),
        (Chat, chat("content_filter", cut), &["f", "h"], Some(r#"{"a"#)),
        (Chat, chat("model_length", "\"[]\""), &["f", "h"], Some("[]")),
        (Chat, chat("length", "\"\""), &["f", "h"], Some("")),
        (Chat, chat("length", "\"{}\""), &["f", "g", "h"], None),
        // The model itself said so: what it says is the business of whoever runs it.
        (Chat, chat("tool_calls", cut), &["f", "g", "h"], None),
        (Responses, responses("incomplete", "incomplete"), &["f"], Some(r#"{"a"#)),
        (Responses, responses("completed", "in_progress"), &["f"], Some(r#"{"a"#)),
        (Responses, responses("incomplete", "completed"), &["f", "g"], None),
        (Anthropic, anthropic("max_tokens", ""), &["f"], Some(r#"{"a":"b"}"#)),
        (Anthropic, anthropic("model_context_window_exceeded", ""), &["f"], Some(r#"{"a":"b"}"#)),
        (Anthropic, anthropic("refusal", ""), &["f"], Some(r#"{"a":"b"}"#)),
        (Anthropic, anthropic("tool_use", ""), &["f", "g"], None),
        (Anthropic, anthropic("max_tokens", r#",{"type":"text","text":"x"}"#), &["f", "g"], None),
        (Bedrock, bedrock("max_tokens", ""), &["f"], Some(r#"{"a":"b"}"#)),
        (Bedrock, bedrock("malformed_tool_use", ""), &["f"], Some(r#"{"a":"b"}"#)),
        (Bedrock, bedrock("max_tokens", r#","type":"server_tool_use""#), &["f"], None),
        (Bedrock, bedrock("tool_use", ""), &["f", "g"], None),
        // There, a call is sent when it is whole, unless it says otherwise.
        (Gemini, gemini(""), &["f", "g"], None),
        (Gemini, gemini(r#","willContinue":true"#), &["f"], Some(r#"{"a":"b"}"#)),
    ] {
        let open: Vec<String> = open.into_iter().map(str::to_owned).collect();
        let complete = open.is_empty();
        assert_eq!(
            calls_of(dialect, &body),
            (whole.iter().map(|name| name.to_string()).collect(), open, complete),
            "{body}"
        );
    }
}

#[test]
fn a_response_that_has_not_ended_well_is_not_complete() {
    for (status, complete) in [
        (r#""completed""#, true),
        (r#""incomplete""#, true),
        (r#""failed""#, false),
        (r#""cancelled""#, false),
        (r#""queued""#, false),
        (r#""in_progress""#, false),
        ("null", true),
    ] {
        let body = format!(r#"{{"status":{status},"output":[]}}"#);
        let body = parse(body.as_bytes(), Repeats::Refused).unwrap().value;
        assert_eq!(read_response(Responses, &body).unwrap().complete, complete, "{status}");
    }
}

#[test]
fn the_choice_with_the_index_0_counts() {
    let choice = |at: &str, text: &str| {
        format!(
            r#"{{{at}"message":{{"role":"assistant","content":"{text}"}},"content":{{"role":"model","parts":[{{"text":"{text}"}}]}},"finish_reason":"{text}","finishReason":"{text}"}}"#
        )
    };
    for (first, second, said) in
        [(r#""index":1,"#, r#""index":0,"#, "b"), (r#""index":1,"#, r#""index":2,"#, "a"), ("", "", "a")]
    {
        let choices = format!("[{},{}]", choice(first, "a"), choice(second, "b"));
        for (dialect, key) in [(Chat, "choices"), (Gemini, "candidates")] {
            let body = format!(r#"{{"{key}":{choices}}}"#);
            let body = parse(body.as_bytes(), Repeats::Refused).unwrap().value;
            let response = read_response(dialect, &body).unwrap();
            assert_eq!(response.message.content.as_deref(), Some(said), "{first} {second}");
            assert_eq!(response.native_finish_reason.as_deref(), Some(said));
            assert_eq!(read_answer(dialect, &body).unwrap(), response.message);
        }
    }
}
