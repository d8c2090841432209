//! Where a result says that it failed, and what nobody says.

use super::{codes, comes_back_as, equal, json, read, refused, results, write};
use crate::dialect::{Code, Losses, Options, gemini, native_outcomes, response_outcomes};
use crate::error::Kind;
use crate::json::{Cursor, Json, Value, compact};
use crate::message::Dialect::{Anthropic, Chat, Gemini};
use crate::message::{AssistantMessage, Content, Extra, Message, Request, ToolCall, ToolMessage};
use crate::path::Path;

/// A call, and a user content with these parts.
pub(super) fn answered(parts: &str) -> Json {
    json(&format!(
        r#"{{"contents":[{{"role":"model","parts":[{{"functionCall":{{"id":"c","name":"f","args":{{}}}}}}]}},{{"role":"user","parts":[{parts}]}}]}}"#
    ))
}

fn responding(response: &str) -> Json {
    answered(&format!(r#"{{"functionResponse":{{"id":"c","name":"f","response":{response}}}}}"#))
}

fn result(content: &str, is_error: Option<bool>) -> Request {
    let call = ToolCall {
        id: "c".into(),
        name: "f".into(),
        arguments: "{}".into(),
        kind: Default::default(),
        namespace: None,
        extra: Extra::none(),
    };
    let turn = AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() };
    let content = Content::Text(content.into());
    let result = ToolMessage { tool_call_id: "c".into(), content, is_error, ..ToolMessage::default() };
    Request { messages: vec![Message::Assistant(turn), Message::Tool(result)], ..Request::default() }
}

/// The response in the last content that is written.
pub(super) fn response(body: &Json) -> Json {
    let contents = body.get("contents").unwrap().as_array().unwrap();
    let parts = contents.last().unwrap().get("parts").unwrap().as_array().unwrap();
    parts[0].get("functionResponse").unwrap().get("response").unwrap().clone()
}

#[test]
fn only_an_error_declares_an_outcome() {
    for (response, outcome, text) in [
        (r#"{"error":"boom"}"#, Some(true), "boom"),
        (r#"{"error":""}"#, Some(true), ""),
        (r#"{"error":"boom","output":null}"#, Some(true), "boom"),
        (r#"{"error":{"code":5}}"#, Some(true), r#"{"code":5}"#),
        (r#"{"error":false}"#, Some(true), "false"),
        (r#"{"error":"boom","output":"half"}"#, Some(true), r#"{"error":"boom","output":"half"}"#),
        (r#"{"output":"fine"}"#, None, "fine"),
        (r#"{"output":"Tool execution failed:\nfine"}"#, None, "Tool execution failed:\nfine"),
        (r#"{"output":{"error":"of the data"}}"#, None, r#"{"error":"of the data"}"#),
        (r#"{"output":"fine","error":null}"#, None, "fine"),
        (r#"{"error":null}"#, None, r#"{"error":null}"#),
        (r#"{"output":null}"#, None, "null"),
        (r#"{"output":31.50}"#, None, "31.50"),
        (r#"{"result":{"is_error":true}}"#, None, r#"{"result":{"is_error":true}}"#),
        (r#"{"success":false,"exit_code":1}"#, None, r#"{"success":false,"exit_code":1}"#),
        ("{}", None, "{}"),
    ] {
        let body = responding(response);
        let request = read(&body);
        let result = results(&request)[0].clone();
        assert_eq!((result.is_error, &result.content), (outcome, &Content::Text(text.into())), "{response}");
        equal(&body);
    }
}

#[test]
fn what_is_written_is_always_wrapped() {
    for (text, is_error, expected) in [
        ("boom", Some(true), r#"{"error":"boom"}"#),
        ("", Some(true), r#"{"error":""}"#),
        ("fine", None, r#"{"output":"fine"}"#),
        ("fine", Some(false), r#"{"output":"fine"}"#),
        (r#"{"error":"of the data"}"#, None, r#"{"output":"{\"error\":\"of the data\"}"}"#),
        (r#"{"error":"of the data"}"#, Some(true), r#"{"error":"{\"error\":\"of the data\"}"}"#),
        ("", None, r#"{"output":""}"#),
    ] {
        let (body, losses) = write(&result(text, is_error));
        assert_eq!(compact(&response(&body)), expected);
        let told = match is_error {
            Some(false) => vec![(Code::OutcomeSuccessUnexpressed, "messages[1].is_error".to_owned())],
            _ => vec![],
        };
        assert_eq!(codes(&losses), told);
        let request = read(&body);
        let again = results(&request)[0];
        assert_eq!(
            (again.is_error, &again.content),
            (is_error.filter(|failed| *failed), &Content::Text(text.into()))
        );
    }
}

#[test]
fn an_outcome_that_was_changed_is_written_anew() {
    for (native, is_error, expected) in [
        (r#"{"error":{"code":5}}"#, None, r#"{"output":{"code":5}}"#),
        (r#"{"output":{"code":5}}"#, Some(true), r#"{"error":"{\"code\":5}"}"#),
    ] {
        let mut request = read(&responding(native));
        let Message::Tool(result) = &mut request.messages[1] else { panic!() };
        result.is_error = is_error;
        let (body, losses) = write(&request);
        assert_eq!(compact(&response(&body)), expected);
        assert_eq!(codes(&losses), [(Code::NativeStale, "messages[1]".to_owned())]);
    }
}

#[test]
fn a_marker_counts_and_does_not_contradict() {
    let marked = |response: &str, marker: &str| {
        answered(&format!(
            r#"{{"functionResponse":{{"id":"c","name":"f","response":{response},"_vf_is_error":{marker}}}}}"#
        ))
    };
    comes_back_as(&marked(r#"{"output":"x"}"#, "true"), &responding(r#"{"error":"x"}"#));
    comes_back_as(&marked(r#"{"output":{"k":1}}"#, "true"), &responding(r#"{"error":"{\"k\":1}"}"#));
    comes_back_as(&marked(r#"{"error":"x"}"#, "true"), &responding(r#"{"error":"x"}"#));
    comes_back_as(&marked(r#"{"output":"x"}"#, "null"), &responding(r#"{"output":"x"}"#));
    let request = read(&marked(r#"{"output":"x"}"#, "false"));
    assert_eq!(results(&request)[0].is_error, Some(false));
    for (response, marker) in [(r#"{"error":"x"}"#, "false"), (r#"{"output":"x"}"#, "1")] {
        let body = marked(response, marker);
        let error = gemini::read_request(Cursor::root(&body)).unwrap_err();
        let place = "contents[1].parts[0].functionResponse._vf_is_error";
        assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Marker, place));
    }
}

#[test]
fn on_the_internal_lane_a_success_is_said_by_the_marker() {
    let internal = Options { internal: true, ..Options::default() };
    for (is_error, marker) in [(Some(false), Some(false)), (Some(true), None), (None, None)] {
        let mut losses = Losses::default();
        let body = gemini::write_request(&result("x", is_error), internal, &mut losses).unwrap();
        let body = Value::Object(body);
        let part =
            &body.get("contents").unwrap().as_array().unwrap()[1].get("parts").unwrap().as_array().unwrap()
                [0];
        let native = part.get("functionResponse").unwrap();
        assert_eq!(native.get("_vf_is_error"), marker.map(Json::from).as_ref());
        assert!(losses.0.is_empty());
        assert_eq!(results(&read(&body))[0].is_error, is_error);
    }
}

#[test]
fn other_wires_get_the_outcome_and_hear_of_the_rest() {
    let leg = |response: &str, to| {
        let read = read(&responding(response));
        let (body, losses) = crate::dialect::write_request(to, &read, Options::default()).unwrap();
        let told: Vec<_> =
            losses.0.iter().map(|loss| loss.code).filter(|c| *c != Code::MaxTokensAssumed).collect();
        (Value::Object(body), told)
    };
    let (body, losses) = leg(r#"{"error":"boom"}"#, Anthropic);
    assert!(compact(&body).contains(r#""content":"boom","is_error":true"#) && losses.is_empty());
    let (body, losses) = leg(r#"{"error":"boom","code":5}"#, Anthropic);
    assert!(compact(&body).contains(r#""content":"{\"error\":\"boom\",\"code\":5}","is_error":true"#));
    assert_eq!(losses, [Code::StructuredAsText]);
    let (body, losses) = leg(r#"{"output":"x","logs":"y"}"#, Anthropic);
    assert!(compact(&body).contains(r#""content":"x"}"#));
    assert_eq!(losses, [Code::FieldDropped]);
    let (body, losses) = leg(r#"{"output":{"k":[1]}}"#, Chat);
    assert!(compact(&body).contains(r#""content":"{\"k\":[1]}""#));
    assert_eq!(losses, [Code::StructuredAsText]);
    let (body, losses) = leg(r#"{"output":"x"}"#, Anthropic);
    assert!(!compact(&body).contains("is_error") && losses.is_empty());
}

#[test]
fn tools_of_the_provider_declare_their_own() {
    let turn = r#"{"contents":[{"role":"model","parts":[{"executableCode":{"code":"x"}},{"codeExecutionResult":{"id":"1","outcome":"OUTCOME_OK","output":"3"}},{"codeExecutionResult":{"outcome":"OUTCOME_DEADLINE_EXCEEDED"}},{"codeExecutionResult":{"outcome":"OUTCOME_UNSPECIFIED"}},{"toolResponse":{"response":{"error":"x"}}}]}]}"#;
    let request = read(&json(turn));
    let Message::Assistant(turn) = &request.messages[0] else { panic!() };
    let outcomes = native_outcomes(turn, &Path::root());
    let declared: Vec<_> =
        outcomes.iter().map(|o| (o.is_error, o.detail.as_deref(), o.id.as_deref())).collect();
    assert_eq!(declared, [(Some(false), Some("3"), Some("1")), (Some(true), None, None), (None, None, None)]);
    assert_eq!(outcomes[1].path.to_string(), "provider_state[2]");
    let answer = r#"{"candidates":[{"content":{"role":"model","parts":[{"codeExecutionResult":{"outcome":"OUTCOME_FAILED"}}]},"url_context_metadata":{"urlMetadata":[{"retrievedUrl":"https://a.test","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"},{"url_retrieval_status":"URL_RETRIEVAL_STATUS_PAYWALL"},{"urlRetrievalStatus":"URL_RETRIEVAL_STATUS_UNSPECIFIED"}]}}]}"#;
    let response = crate::dialect::read_response(Gemini, &json(answer)).unwrap();
    let outcomes = response_outcomes(&response);
    let declared: Vec<_> = outcomes.iter().map(|o| (o.item.as_str(), o.is_error)).collect();
    let url = "urlMetadata";
    assert_eq!(
        declared,
        [("codeExecutionResult", Some(true)), (url, Some(false)), (url, Some(true)), (url, None)]
    );
    assert_eq!(outcomes[2].path.to_string(), "candidates[0].urlContextMetadata.urlMetadata[1]");
}

#[test]
fn a_response_is_an_object() {
    let error = refused(&compact(&responding("\"x\"")));
    assert_eq!(error.to_string(), "contents[1].parts[0].functionResponse.response: expected an object");
    equal(&answered(r#"{"functionResponse":{"id":"c","name":"f"}}"#));
}
