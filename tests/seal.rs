//! The seal and the overlay on bytes: what changes, and that nothing else does.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::borrow::Cow;
use toolwire::dialect::Code;
use toolwire::error::Kind;
use toolwire::json::{Object, Repeats, Value, parse_text};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
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

/// A result of a grouped wire in its body, and what the seal makes of it.
fn sealed_result(
    dialect: Dialect,
    list: &str,
    blocks: &str,
    name: &str,
    fields: &str,
) -> Result<String, (Kind, String)> {
    let head =
        format!(r#"{{ "n": 1.0, "{list}":[{{"role":"user","{blocks}":[{{"text":"hi"}}, {{"{name}": {{"#);
    let tail = r#"} }]} ]} "#;
    let body = format!("{head}{fields}{tail}");
    let sealed = seal(dialect, body.as_bytes()).map_err(|error| (error.kind, error.to_string()))?;
    assert!(sealed.losses.is_empty(), "{:?}", sealed.losses);
    let once = String::from_utf8(sealed.body.into_owned()).unwrap();
    assert!(matches!(seal(dialect, once.as_bytes()).unwrap().body, Cow::Borrowed(_)));
    // Nothing outside the result changes.
    Ok(once.strip_prefix(&head).unwrap().strip_suffix(tail).unwrap().to_owned())
}

#[test]
fn bedrock_gets_a_status() {
    let run = |fields: &str| sealed_result(Bedrock, "messages", "content", "toolResult", fields);
    for (fields, expected) in [
        (
            r#""toolUseId":"c", "content":[{"text":"x"}] , "_vf_is_error" : true"#,
            r#""toolUseId":"c", "content":[{"text":"x"}] , "status":"error""#,
        ),
        (r#""_vf_is_error":false,"content":[]"#, r#""status":"success","content":[]"#),
        (r#""content":[],"_vf_is_error":null"#, r#""content":[]"#),
        (r#""_vf_is_error":true"#, r#""status":"error""#),
        // The status says so already, in whatever spelling; the marker is spelled in another one.
        (r#""status":"error","\u005fvf_is_error":true"#, r#""status":"error""#),
        (r#""stat\u0075s":"\u0065rror","_vf_is_error":true"#, r#""stat\u0075s":"\u0065rror""#),
        (r#""_vf_is_error":false,"status":"success""#, r#""status":"success""#),
        (r#""_vf_is_error":true,"x":1,"_vf_is_error":false"#, r#""x":1,"status":"success""#),
    ] {
        assert_eq!(run(fields).unwrap(), expected);
    }
    for fields in [
        r#""status":"success","_vf_is_error":true"#,
        r#""status":"error","_vf_is_error":false"#,
        r#""status":null,"_vf_is_error":false"#,
        r#""status":true,"_vf_is_error":true"#,
    ] {
        let said = "messages[0].content[1].toolResult._vf_is_error: says something else than status";
        assert_eq!(run(fields).unwrap_err(), (Kind::Marker, said.to_owned()));
    }
}

#[test]
fn gemini_gets_an_error_or_an_output() {
    let failed = |fields: &str| format!(r#"{fields}, "_vf_is_error":true"#);
    let worked = |fields: &str| format!(r#""_vf_is_error" : false,{fields}"#);
    for name in ["functionResponse", "function_response", r"function\u005fresponse"] {
        let run = |fields: &str| sealed_result(Gemini, "contents", "parts", name, fields);
        for (fields, expected) in [
            (r#""name":"f", "response": {"output" : "x" }"#, r#""name":"f", "response": {"error" : "x" }"#),
            (
                r#""response":{"a":1,"output":[1.0, {"b":null}],"c":2}"#,
                r#""response":{"a":1,"error":[1.0, {"b":null}],"c":2}"#,
            ),
            (r#""response":{"\u006futput":"x"}"#, r#""response":{"error":"x"}"#),
            (r#""response":{"error":null,"output":"x"}"#, r#""response":{"error":"x"}"#),
            (r#""response":{"output":"x","error":null}"#, r#""response":{"error":"x"}"#),
            (r#""response": { "a": 1 }"#, r#""response": {"error":{ "a": 1 }}"#),
            (r#""response":{}"#, r#""response":{"error":{}}"#),
            (r#""response":{"error":null}"#, r#""response":{"error":{"error":null}}"#),
            (r#""response":null"#, r#""response":{"error":""}"#),
            (r#""response":{"error":"x","output":"y"}"#, r#""response":{"error":"x","output":"y"}"#),
            (r#""name":"f""#, r#""name":"f", "response":{"error":""}"#),
        ] {
            assert_eq!(run(&failed(fields)).unwrap(), expected);
        }
        for (fields, expected) in [
            (r#""response": {"output" : "x" }"#, None),
            (r#""response":{"output":"x","error":null}"#, None),
            (r#""response":null"#, None),
            (r#""name":"f""#, None),
            (r#""response":{"a":1}"#, Some(r#""response":{"output":{"a":1}}"#)),
            (r#""response":{"error":null}"#, Some(r#""response":{"output":{"error":null}}"#)),
        ] {
            assert_eq!(run(&worked(fields)).unwrap(), expected.unwrap_or(fields));
        }
        assert_eq!(run(r#""_vf_is_error":true"#).unwrap(), r#""response":{"error":""}"#);
        assert_eq!(run(r#""response":{"a":1},"_vf_is_error":null"#).unwrap(), r#""response":{"a":1}"#);
        let said = |path: &str, what: &str| {
            let name = name.replace(r"\u005f", "_");
            format!("contents[0].parts[1].{name}.{path}: {what}")
        };
        let error = run(&worked(r#""response":{"error":"","output":"x"}"#)).unwrap_err();
        assert_eq!(error, (Kind::Marker, said("_vf_is_error", "says something else than error")));
        let error = run(&failed(r#""response":"x""#)).unwrap_err();
        assert_eq!(error, (Kind::Shape, said("response", "expected an object")));
    }
}

#[test]
fn a_marker_beside_a_result_of_a_grouped_wire_is_misplaced() {
    for (dialect, body, expected, path) in [
        (
            Gemini,
            r#"{"contents":[{"parts":[{"functionResponse":{"response":{"output":1}},"_vf_is_error":true}]}]}"#,
            r#"{"contents":[{"parts":[{"functionResponse":{"response":{"output":1}}}]}]}"#,
            "contents[0].parts[0]._vf_is_error",
        ),
        // What a tool returned may hold anything.
        (
            Gemini,
            r#"{"contents":[{"parts":[{"functionResponse":{"response":{"a":[{"_vf_is_error":true}]},"_vf_is_error":true}}]}]}"#,
            r#"{"contents":[{"parts":[{"functionResponse":{"response":{"error":{"a":[{}]}}}}]}]}"#,
            "contents[0].parts[0].functionResponse.response.a[0]._vf_is_error",
        ),
        (
            Gemini,
            r#"{"contents":[{"parts":[{"functionCall":{"args":{"functionResponse":{"_vf_is_error":true}}}}]}]}"#,
            r#"{"contents":[{"parts":[{"functionCall":{"args":{"functionResponse":{}}}}]}]}"#,
            "contents[0].parts[0].functionCall.args.functionResponse._vf_is_error",
        ),
        (
            Bedrock,
            r#"{"messages":[{"toolResult":{"_vf_is_error":true},"content":[]}]}"#,
            r#"{"messages":[{"toolResult":{},"content":[]}]}"#,
            "messages[0].toolResult._vf_is_error",
        ),
    ] {
        let out = seal(dialect, body.as_bytes()).unwrap();
        assert_eq!(out.body.as_ref(), expected.as_bytes());
        let said: Vec<_> = out.losses.iter().map(|loss| (loss.code, loss.path.to_string())).collect();
        assert_eq!(said, [(Code::MarkerMisplaced, path.to_owned())]);
    }
    let chat = br#"{"messages":[{"role":"tool","content":"x","_vf_is_error":true}]}"#;
    assert_eq!(
        seal(Gemini, chat).unwrap_err().to_string(),
        "contents: missing: this body is of another dialect"
    );
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

/// What a tool may have returned, with the keys that mean something to Gemini among others.
fn response() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("1.50".to_owned()),
        Just("[ ]".to_owned()),
        Just(r#"{"output": {"error":null}}"#.to_owned()),
        "[a-z ]{0,4}".prop_map(|text| format!("\"{text}\"")),
    ];
    prop::collection::vec((prop::sample::select(vec!["error", "output", "a", "b"]), value), 0..4)
}

fn spelled(members: &[(&str, String)], pretty: bool, escaped: bool) -> String {
    let (colon, comma) = if pretty { (" : ", " ,\n ") } else { (":", ",") };
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| {
            let key = if escaped {
                key.replacen('_', "\\u005f", 1).replacen('o', "\\u006f", 1)
            } else {
                (*key).to_owned()
            };
            format!("\"{key}\"{colon}{value}")
        })
        .collect();
    format!("{{{}}}", members.join(comma))
}

fn tree(text: &str) -> Object<'static> {
    match parse_text(text, Repeats::LastWins).unwrap().value.into_owned() {
        Value::Object(object) => object,
        _ => panic!("not an object"),
    }
}

fn inner<'a>(body: &'a Object<'static>, list: &str, blocks: &str, name: &str) -> &'a Object<'static> {
    let message = &body.get(list).unwrap().as_array().unwrap()[0];
    message.get(blocks).unwrap().as_array().unwrap()[0].get(name).unwrap().as_object().unwrap()
}

proptest! {
    #[test]
    fn a_gemini_result_says_its_outcome_once(
        members in response(),
        marker in prop::sample::select(vec!["true", "false", "null"]),
        first in any::<bool>(),
        pretty in any::<bool>(),
        escaped in any::<bool>(),
    ) {
        let response = spelled(&members, pretty, escaped);
        let mut fields = vec![("name", "\"f\"".to_owned()), ("response", response.clone())];
        fields.insert(if first { 0 } else { 2 }, ("_vf_is_error", marker.to_owned()));
        let body = format!(r#"{{"contents":[{{"parts":[{{"functionResponse":{}}}]}}]}}"#, spelled(&fields, pretty, escaped));
        let before = tree(&response);
        let said = before.get("error").is_some_and(|error| !error.is_null());
        let sealed = match seal(Gemini, body.as_bytes()) {
            Ok(sealed) => String::from_utf8(sealed.body.into_owned()).unwrap(),
            Err(error) => {
                prop_assert!(said && marker == "false" && error.kind == Kind::Marker, "{error}");
                return Ok(());
            }
        };
        prop_assert!(!(said && marker == "false"));
        prop_assert!(matches!(seal(Gemini, sealed.as_bytes()).unwrap().body, Cow::Borrowed(_)));
        let body = tree(&sealed);
        let result = inner(&body, "contents", "parts", "functionResponse");
        prop_assert_eq!(result.len(), 2);
        let after = result.get("response").unwrap().as_object().unwrap();
        let holds = before.get("output");
        let expected = match (marker, holds) {
            ("null", _) => before.clone(),
            ("true", _) if said => before.clone(),
            ("false", Some(_)) => before.clone(),
            ("true", Some(output)) => {
                let mut expected = before.clone();
                expected.remove("output");
                expected.set("error", output.clone());
                expected
            }
            (word, _) => {
                Object::default().with(if word == "true" { "error" } else { "output" }, before.clone())
            }
        };
        prop_assert_eq!(after.len(), expected.len());
        for (key, value) in expected.iter() {
            prop_assert_eq!(after.get(key), Some(value));
        }
    }

    #[test]
    fn a_bedrock_result_says_its_outcome_once(
        status in prop::option::of(prop::sample::select(vec!["success", "error"])),
        marker in prop::sample::select(vec!["true", "false", "null"]),
        place in 0..4usize,
        pretty in any::<bool>(),
        escaped in any::<bool>(),
    ) {
        let mut fields = vec![("toolUseId", "\"c\"".to_owned()), ("content", "[ {\"text\":\"x\"}]".to_owned())];
        fields.extend(status.map(|word| ("status", format!("\"{word}\""))));
        fields.insert(place.min(fields.len()), ("_vf_is_error", marker.to_owned()));
        let body = format!(r#"{{"messages":[{{"content":[{{"toolResult":{}}}]}}]}}"#, spelled(&fields, pretty, escaped));
        let word = match marker { "true" => Some("error"), "false" => Some("success"), _ => None };
        let differ = word.zip(status).is_some_and(|(word, status)| word != status);
        let sealed = match seal(Bedrock, body.as_bytes()) {
            Ok(sealed) => String::from_utf8(sealed.body.into_owned()).unwrap(),
            Err(error) => {
                prop_assert!(differ && error.kind == Kind::Marker, "{error}");
                return Ok(());
            }
        };
        prop_assert!(!differ);
        prop_assert!(matches!(seal(Bedrock, sealed.as_bytes()).unwrap().body, Cow::Borrowed(_)));
        let body = tree(&sealed);
        let result = inner(&body, "messages", "content", "toolResult");
        prop_assert_eq!(result.get("status").and_then(Value::as_str), word.or(status));
        prop_assert_eq!(result.len(), 2 + usize::from(word.or(status).is_some()));
    }
}
