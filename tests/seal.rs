//! The seal and the overlay on bytes: what changes, and that nothing else does.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use std::borrow::Cow;
use toolwire::dialect::Code;
use toolwire::error::Kind;
use toolwire::json::{Object, Repeats, Value, parse_text};
use toolwire::message::Dialect::{Anthropic, Chat, Responses};
use toolwire::request::{apply_overrides, seal};

fn sealed(body: &str) -> String {
    String::from_utf8(seal(Chat, body.as_bytes()).unwrap().body.into_owned()).unwrap()
}

fn object(text: &str) -> Object<'static> {
    match parse_text(text, Repeats::Refused).unwrap().value.into_owned() {
        Value::Object(object) => object,
        _ => panic!("not an object"),
    }
}

#[test]
fn without_a_marker_the_input_is_handed_back() {
    let body = br#" { "messages" : [ {"role":"tool","content":"say _vf_is_error"} ] } "#;
    assert!(matches!(seal(Chat, body).unwrap().body, Cow::Borrowed(same) if same == body));
}

#[test]
fn the_marker_goes_and_a_failure_is_labelled() {
    for (body, expected) in [
        (
            r#"{"messages": [ {"role":"tool", "_vf_is_error": true , "content":"bad","tool_call_id":"c"} ], "n": 1.0}"#,
            r#"{"messages": [ {"role":"tool" , "content":"Tool execution failed:\nbad","tool_call_id":"c"} ], "n": 1.0}"#,
        ),
        (
            r#"{"messages":[{"_vf_is_error":true,"role":"tool","content":"bad"}]}"#,
            r#"{"messages":[{"role":"tool","content":"Tool execution failed:\nbad"}]}"#,
        ),
        (
            r#"{"messages":[{"role":"tool","content":"good","_vf_is_error":false}]}"#,
            r#"{"messages":[{"role":"tool","content":"good"}]}"#,
        ),
        (
            r#"{"messages":[{"role":"tool","content":"good","_vf_is_error":null}]}"#,
            r#"{"messages":[{"role":"tool","content":"good"}]}"#,
        ),
        // Any spelling of the key; a key that stands twice.
        (
            r#"{"messages":[{"role":"tool","content":"x","_vf\u005fis_error":false,"\u005fvf_is_error":true}]}"#,
            r#"{"messages":[{"role":"tool","content":"Tool execution failed:\nx"}]}"#,
        ),
        // Labelled already, also where the line break is written as an escape of another kind.
        (
            r#"{"messages":[{"role":"tool","content":"Tool execution failed:\u000ax","_vf_is_error":true}]}"#,
            r#"{"messages":[{"role":"tool","content":"Tool execution failed:\u000ax"}]}"#,
        ),
        // Lists, empty and missing content.
        (
            r#"{"messages":[{"role":"tool","content":[{"type":"text","text":"a"}],"_vf_is_error":true}]}"#,
            r#"{"messages":[{"role":"tool","content":[{"type":"text","text":"Tool execution failed:\n"},{"type":"text","text":"a"}]}]}"#,
        ),
        (
            r#"{"messages":[{"role":"tool","content":[],"_vf_is_error":true}]}"#,
            r#"{"messages":[{"role":"tool","content":[{"type":"text","text":"Tool execution failed:\n"}]}]}"#,
        ),
        (
            r#"{"messages":[{"role":"tool","content":null,"_vf_is_error":true}]}"#,
            r#"{"messages":[{"role":"tool","content":"Tool execution failed:\n"}]}"#,
        ),
        (
            r#"{"messages":[{"role":"tool","_vf_is_error":true}]}"#,
            r#"{"messages":[{"content":"Tool execution failed:\n","role":"tool"}]}"#,
        ),
    ] {
        let once = sealed(body);
        assert_eq!(once, expected);
        assert_eq!(sealed(&once), once);
    }
}

#[test]
fn a_misplaced_marker_goes_and_is_reported() {
    let body = r#"{"_vf_is_error":true,"messages":[{"role":"user","_vf_is_error":3,"content":[{"type":"text","text":"a","_vf_is_error":true}]}]}"#;
    let out = seal(Chat, body.as_bytes()).unwrap();
    assert_eq!(
        out.body.as_ref(),
        br#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}"#
    );
    let paths: Vec<String> = out.losses.iter().map(|loss| loss.path.to_string()).collect();
    assert!(out.losses.iter().all(|loss| loss.code == Code::MarkerMisplaced));
    assert_eq!(paths, ["_vf_is_error", "messages[0]._vf_is_error", "messages[0].content[0]._vf_is_error"]);
}

#[test]
fn a_marker_must_be_a_bool() {
    let body = br#"{"messages":[{"role":"user"},{"role":"tool","content":"x","_vf_is_error":"true"}]}"#;
    let error = seal(Chat, body).unwrap_err();
    assert_eq!(error.kind, Kind::Marker);
    assert_eq!(error.to_string(), "messages[1]._vf_is_error: expected true or false");
}

#[test]
fn the_other_wires() {
    let body =
        r#"{"input":[{"type":"custom_tool_call_output","call_id":"c","output":"x","_vf_is_error":true}]}"#;
    let out = seal(Responses, body.as_bytes()).unwrap();
    assert_eq!(
        out.body.as_ref(),
        br#"{"input":[{"type":"custom_tool_call_output","call_id":"c","output":"Tool execution failed:\nx"}]}"#
    );
    // An edited item must not be read from the provider's store.
    let body = r#"{"input":[{"id":"fc_1","type":"function_call_output","call_id":"c","output":"x","_vf_is_error":true}]}"#;
    let out = seal(Responses, body.as_bytes()).unwrap();
    assert_eq!(
        out.body.as_ref(),
        br#"{"input":[{"type":"function_call_output","call_id":"c","output":"Tool execution failed:\nx"}]}"#
    );
    assert_eq!(out.losses[0].code, Code::ItemIdDropped);
    // Anthropic has a field: the marker becomes it.
    let block = |fields: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","content":"x"{fields}}}]}}]}}"#
        )
    };
    let run = |fields: &str| {
        let body = block(fields);
        seal(Anthropic, body.as_bytes()).map(|s| String::from_utf8(s.body.into_owned()).unwrap())
    };
    assert_eq!(run(r#","_vf_is_error":true"#).unwrap(), block(r#","is_error":true"#));
    assert_eq!(run(r#","_vf_is_error":false"#).unwrap(), block(r#","is_error":false"#));
    assert_eq!(run(r#","_vf_is_error":true,"is_error":true"#).unwrap(), block(r#","is_error":true"#));
    assert_eq!(run(r#","_vf_is_error":true,"is_error":false"#).unwrap_err().kind, Kind::Marker);
}

#[test]
fn overrides_change_their_own_keys_only() {
    let run = |dialect, body: &str, sampling: &str| {
        let out = apply_overrides(dialect, body.as_bytes(), "m2", &object(sampling)).unwrap();
        String::from_utf8(out.body.into_owned()).unwrap()
    };
    assert_eq!(
        run(
            Chat,
            r#"{"model":"m1", "max_completion_tokens": 5, "temperature":0.10, "messages":[] }"#,
            r#"{"max_tokens":7,"top_p":null}"#
        ),
        r#"{"model":"m2", "temperature":0.10, "messages":[] ,"max_tokens":7}"#
    );
    assert_eq!(
        run(
            Anthropic,
            r#"{"temperature":1,"max_tokens":9,"messages":[],"model":"a","model":"b"}"#,
            r#"{"reasoning_effort":"low"}"#
        ),
        r#"{"max_tokens":9,"messages":[],"model":"m2","output_config":{"effort":"low"}}"#
    );
    assert_eq!(
        run(Responses, r#"{"temperature":1,"input":"x"}"#, r#"{"extra_body":{"max_completion_tokens":3}}"#),
        r#"{"input":"x","max_output_tokens":3,"model":"m2"}"#
    );
    assert_eq!(run(Chat, "{}", "{}"), r#"{"model":"m2"}"#);
    assert_eq!(
        run(Chat, r#"{"max_completion_tokens":1}"#, r#"{"max_tokens":2}"#),
        r#"{"max_tokens":2,"model":"m2"}"#
    );
}

#[test]
fn a_body_of_another_wire_is_refused() {
    let chat = br#"{"messages":[{"role":"tool","content":"x","_vf_is_error":true}]}"#;
    let error = seal(Responses, chat).unwrap_err();
    assert_eq!(error.to_string(), "input: missing: this body is of another dialect");
    assert_eq!(seal(Chat, br#"{"input":[],"x":{"_vf_is_error":1}}"#).unwrap_err().kind, Kind::Shape);
}
