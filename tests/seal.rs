//! The seal and the overlay on bytes: what changes, and that nothing else does.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::borrow::Cow;
use toolwire::dialect::{Code, Options, read_request, targets, write_request};
use toolwire::error::Kind;
use toolwire::json::{Object, Repeats, Value, parse_text};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
use toolwire::request::{apply_overrides, seal};

fn sealed(body: &str) -> String {
    String::from_utf8(seal(Chat, None, body.as_bytes()).unwrap().body.into_owned()).unwrap()
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
    assert!(matches!(seal(Chat, None, body).unwrap().body, Cow::Borrowed(same) if same == body));
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
    let out = seal(Chat, None, body.as_bytes()).unwrap();
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
    let error = seal(Chat, None, body).unwrap_err();
    assert_eq!(error.kind, Kind::Marker);
    assert_eq!(error.to_string(), "messages[1]._vf_is_error: expected true or false");
}

#[test]
fn the_other_wires() {
    let body =
        r#"{"input":[{"type":"custom_tool_call_output","call_id":"c","output":"x","_vf_is_error":true}]}"#;
    let out = seal(Responses, None, body.as_bytes()).unwrap();
    assert_eq!(
        out.body.as_ref(),
        br#"{"input":[{"type":"custom_tool_call_output","call_id":"c","output":"Tool execution failed:\nx"}]}"#
    );
    // An edited item must not be read from the provider's store.
    let body = r#"{"input":[{"id":"fc_1","type":"function_call_output","call_id":"c","output":"x","_vf_is_error":true}]}"#;
    let out = seal(Responses, None, body.as_bytes()).unwrap();
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
        seal(Anthropic, None, body.as_bytes()).map(|s| String::from_utf8(s.body.into_owned()).unwrap())
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
    let sealed = seal(dialect, None, body.as_bytes()).map_err(|error| (error.kind, error.to_string()))?;
    assert!(sealed.losses.is_empty(), "{:?}", sealed.losses);
    let once = String::from_utf8(sealed.body.into_owned()).unwrap();
    assert!(matches!(seal(dialect, None, once.as_bytes()).unwrap().body, Cow::Borrowed(_)));
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
        let out = seal(dialect, None, body.as_bytes()).unwrap();
        assert_eq!(out.body.as_ref(), expected.as_bytes());
        let said: Vec<_> = out.losses.iter().map(|loss| (loss.code, loss.path.to_string())).collect();
        assert_eq!(said, [(Code::MarkerMisplaced, path.to_owned())]);
    }
    let chat = br#"{"messages":[{"role":"tool","content":"x","_vf_is_error":true}]}"#;
    assert_eq!(
        seal(Gemini, None, chat).unwrap_err().to_string(),
        "contents: missing: this body is of another dialect"
    );
}

#[test]
fn overrides_change_their_own_keys_only() {
    let run = |dialect, body: &str, sampling: &str| {
        let out = apply_overrides(dialect, None, body.as_bytes(), "m2", &object(sampling)).unwrap();
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
    let error = seal(Responses, None, chat).unwrap_err();
    assert_eq!(error.to_string(), "input: missing: this body is of another dialect");
    assert_eq!(seal(Chat, None, br#"{"input":[],"x":{"_vf_is_error":1}}"#).unwrap_err().kind, Kind::Shape);
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

/// A Converse body with one result.
fn answered(model: &str, fields: &str) -> String {
    format!(
        r#"{{"messages":[{{"role":"user","content":[{{"toolResult":{{"toolUseId":"c"{fields}}}}}]}}],"modelId":"{model}"}}"#
    )
}

#[test]
fn a_model_without_a_status_gets_the_label() {
    let label = r#"{"text":"Tool execution failed:\n"}"#;
    let palmyra = targets::named("palmyra");
    for (target, model) in [(palmyra, "m"), (None, "us.writer.palmyra-x5-v1:0")] {
        let run = |fields: &str| {
            let body = answered(model, fields);
            let sealed =
                seal(Bedrock, target, body.as_bytes()).map_err(|error| error.to_string())?.body.into_owned();
            assert!(matches!(seal(Bedrock, target, &sealed).unwrap().body, Cow::Borrowed(_)));
            let laid = apply_overrides(Bedrock, target, body.as_bytes(), model, &Object::default()).unwrap();
            assert_eq!(
                tree(std::str::from_utf8(&laid.body).unwrap()),
                tree(std::str::from_utf8(&sealed).unwrap())
            );
            Ok::<_, String>(String::from_utf8(sealed).unwrap())
        };
        for (given, written) in [
            (
                r#","content":[{"text":"x"}],"_vf_is_error":true"#,
                format!(r#","content":[{label},{{"text":"x"}}]"#),
            ),
            (r#","content":[],"_vf_is_error":true"#, format!(r#","content":[{label}]"#)),
            (r#","content":null,"_vf_is_error":true"#, format!(r#","content":[{label}]"#)),
            (r#","content":[{"text":"x"}],"_vf_is_error":false"#, r#","content":[{"text":"x"}]"#.to_owned()),
            (r#","content":[],"_vf_is_error":true,"status":"error""#, format!(r#","content":[{label}]"#)),
            (r#","status":"success","content":[],"_vf_is_error":false"#, r#","content":[]"#.to_owned()),
            (r#","content":[],"_vf_is_error":null"#, r#","content":[]"#.to_owned()),
        ] {
            assert_eq!(run(given).unwrap(), answered(model, &written));
        }
        let twice = run(r#","content":[],"_vf_is_error":true,"status":"success""#).unwrap_err();
        assert_eq!(twice, "messages[0].content[0].toolResult._vf_is_error: says something else than status");
    }
    // The target that was named counts, whatever the model.
    let body = answered("writer.palmyra-x5", r#","content":[],"_vf_is_error":true"#);
    let sealed = seal(Bedrock, targets::named("bedrock-nova"), body.as_bytes()).unwrap().body;
    assert!(tree(std::str::from_utf8(&sealed).unwrap()).holds_key("status"));
    // The overlay's model is the one that the body goes to.
    let laid =
        apply_overrides(Bedrock, None, body.as_bytes(), "amazon.nova-pro", &Object::default()).unwrap();
    assert!(tree(std::str::from_utf8(&laid.body).unwrap()).holds_key("status"));
}

#[test]
fn the_internal_lane_ends_in_the_same_body() {
    let body = tree(
        r#"{"modelId":"m","messages":[{"role":"user","content":[{"text":"q"}]},
        {"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]},
        {"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"x"}],"status":"error"}}]}]}"#,
    );
    let request = read_request(Bedrock, &body.into()).unwrap();
    for target in [None, targets::named("palmyra")] {
        let run = |internal| write_request(Bedrock, &request, Options { internal, target }).unwrap().0;
        let sealed = toolwire::json::compact(&run(true).into());
        let sealed = seal(Bedrock, target, sealed.as_bytes()).unwrap().body;
        let texts = |body: &Object<'static>| {
            let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap().clone();
            let Value::Object(last) = last else { panic!("not an object") };
            let result = Object::default().with("messages", vec![last.into()]);
            let content = inner(&result, "messages", "content", "toolResult").get("content").unwrap();
            let texts =
                content.as_array().unwrap().iter().map(|part| part.get("text").unwrap().as_str().unwrap());
            texts.collect::<String>()
        };
        let (sealed, plain) = (tree(std::str::from_utf8(&sealed).unwrap()), run(false));
        assert_eq!(sealed.holds_key("status"), target.is_none());
        assert_eq!(plain.holds_key("status"), target.is_none());
        assert_eq!(texts(&sealed), texts(&plain));
    }
}

#[test]
fn knobs_get_the_names_that_the_server_knows() {
    let run = |target: &str, body: &str, sampling: &str| {
        let target = targets::named(target);
        let laid = apply_overrides(Chat, target, body.as_bytes(), "m", &object(sampling)).unwrap();
        String::from_utf8(laid.body.into_owned()).unwrap()
    };
    let body = r#"{"messages":[],"top_p":1,"stop":["a"],"max_completion_tokens":9,"seed":1}"#;
    let sampling = r#"{"top_p":0.5,"stop":"x","top_k":3,"max_tokens":5,"seed":7,"temperature":0}"#;
    for (target, expected) in [
        (
            "cohere",
            r#"{"messages":[],"seed":7,"temperature":0,"stop_sequences":["x"],"k":3,"p":0.5,"max_tokens":5,"model":"m"}"#,
        ),
        (
            "mistral",
            r#"{"messages":[],"top_p":0.5,"stop":"x","top_k":3,"temperature":0,"random_seed":7,"max_tokens":5,"model":"m"}"#,
        ),
        (
            "vllm",
            r#"{"messages":[],"top_p":0.5,"stop":"x","max_completion_tokens":5,"seed":7,"top_k":3,"temperature":0,"model":"m"}"#,
        ),
    ] {
        assert_eq!(tree(&run(target, body, sampling)), tree(expected), "{target}");
    }
    // The program's own limit goes under the name that the server knows; one that stands there is replaced.
    let limits = r#"{"max_tokens":8,"max_completion_tokens":9}"#;
    assert_eq!(run("mistral", limits, "{}"), r#"{"max_tokens":9,"model":"m"}"#);
    assert_eq!(run("mistral", r#"{"max_completion_tokens":null}"#, "{}"), r#"{"model":"m"}"#);
    assert_eq!(run("vllm", limits, "{}"), r#"{"max_tokens":8,"max_completion_tokens":9,"model":"m"}"#);
    assert_eq!(
        run("vllm", limits, r#"{"max_completion_tokens":5}"#),
        r#"{"max_completion_tokens":5,"model":"m"}"#
    );
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
        let sealed = match seal(Gemini, None, body.as_bytes()) {
            Ok(sealed) => String::from_utf8(sealed.body.into_owned()).unwrap(),
            Err(error) => {
                prop_assert!(said && marker == "false" && error.kind == Kind::Marker, "{error}");
                return Ok(());
            }
        };
        prop_assert!(!(said && marker == "false"));
        prop_assert!(matches!(seal(Gemini, None, sealed.as_bytes()).unwrap().body, Cow::Borrowed(_)));
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
        let sealed = match seal(Bedrock, None, body.as_bytes()) {
            Ok(sealed) => String::from_utf8(sealed.body.into_owned()).unwrap(),
            Err(error) => {
                prop_assert!(differ && error.kind == Kind::Marker, "{error}");
                return Ok(());
            }
        };
        prop_assert!(!differ);
        prop_assert!(matches!(seal(Bedrock, None, sealed.as_bytes()).unwrap().body, Cow::Borrowed(_)));
        let body = tree(&sealed);
        let result = inner(&body, "messages", "content", "toolResult");
        prop_assert_eq!(result.get("status").and_then(Value::as_str), word.or(status));
        prop_assert_eq!(result.len(), 2 + usize::from(word.or(status).is_some()));
    }
}
