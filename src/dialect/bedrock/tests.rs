//! Converse bodies there and back, what each model family takes, and the outcome in `status`.

use crate::dialect::{Options, convert, read_request, targets, write_message, write_request};
use crate::error::Kind;
use crate::json::{Json, Repeats, compact, parse};
use crate::message::{Dialect, Message, Request};
use std::fs;
use std::path::{Path, PathBuf};

fn json(text: &str) -> Json {
    parse(text.as_bytes(), Repeats::Refused).unwrap().value.into_owned()
}

fn read(body: &str) -> Request {
    read_request(Dialect::Bedrock, &json(body)).unwrap()
}

fn samples(dialect: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire").join(dialect);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut inputs: Vec<_> =
        files.filter(|path| !path.file_stem().unwrap().to_str().unwrap().contains('.')).collect();
    inputs.sort();
    assert!(inputs.len() > 4);
    inputs
}

/// A turn with one call, and its result with these further members.
fn exchange(result: &str, model: &str) -> String {
    format!(
        r#"{{"modelId":"{model}","messages":[{{"role":"user","content":[{{"text":"go"}}]}},
        {{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"t1","name":"f","input":{{}}}}}}]}},
        {{"role":"user","content":[{{"toolResult":{{"toolUseId":"t1",{result}}}}}]}}],
        "toolConfig":{{"tools":[{{"toolSpec":{{"name":"f","inputSchema":{{"json":{{"type":"object"}}}}}}}}]}}}}"#
    )
}

fn outcome(request: &Request) -> Option<bool> {
    request.messages.iter().find_map(|message| match message {
        Message::Tool(result) => Some(result.is_error),
        _ => None,
    })?
}

#[test]
fn a_body_comes_back_as_it_was() {
    for path in samples("bedrock") {
        let body = json(&fs::read_to_string(&path).unwrap());
        let request = read_request(Dialect::Bedrock, &body).unwrap();
        let (written, losses) = write_request(Dialect::Bedrock, &request, Options::default()).unwrap();
        assert_eq!(Json::from(written), body, "{}", path.display());
        assert!(losses.0.is_empty(), "{:?}", losses.0);
    }
}

#[test]
fn spellings_of_this_wire_come_back() {
    for content in [
        r#"[{"text":"a"},{"cachePoint":{"type":"default"}}]"#,
        r#"[{"text":"a"},{"text":"b"}]"#,
        r#"[{"text":""}]"#,
        r#"[]"#,
        r#"[{"cachePoint":{"type":"default"}},{"text":"b"}]"#,
        r#"[{"image":{"format":"png","source":{"bytes":"AAAA"}}},{"text":"b"}]"#,
        r#"[{"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/k"}}}}]"#,
        r#"[{"document":{"format":"pdf","name":"n","source":{"bytes":"JVBERi0="},"citations":{"enabled":true}}},{"text":"b"}]"#,
        r#"[{"document":{"name":"n","source":{"text":"words"}}},{"text":"b"}]"#,
        r#"[{"audio":{"format":"mp3","source":{"bytes":"AAAA"}}}]"#,
        r#"[{"guardContent":{"text":{"text":"x"}}}]"#,
        r#"[{"toolResult":{"toolUseId":"x","content":[{"json":{"a":1}}]}},{"cachePoint":{"type":"default"}},{"toolResult":{"toolUseId":"y","content":[]}},{"text":"z"}]"#,
        r#"[{"text":"z"},{"toolResult":{"toolUseId":"x","status":"error","content":[{"text":"a"},{"json":[1]}]}}]"#,
        r#"[{"toolResult":{"toolUseId":"x","status":"success","content":[{"searchResult":{"source":"s","title":"t","content":[{"text":"u"}]}}]}}]"#,
    ] {
        let body = json(&format!(
            r#"{{"messages":[{{"role":"user","content":{content}}},{{"role":"user","content":[{{"text":"more"}}]}}],"inferenceConfig":{{}},"toolConfig":{{"tools":[]}}}}"#
        ));
        let request = read_request(Dialect::Bedrock, &body).unwrap();
        let (written, losses) = write_request(Dialect::Bedrock, &request, Options::default()).unwrap();
        assert_eq!(Json::from(written), body);
        assert!(losses.0.is_empty(), "{:?}", losses.0);
    }
    for content in [
        r#"[{"text":"a"}]"#,
        r#"[]"#,
        r#"[{"text":"a"},{"text":"b"}]"#,
        r#"[{"toolUse":{"toolUseId":"x","name":"f","input":[1]}},{"text":"b"}]"#,
        r#"[{"text":"a"},{"cachePoint":{"type":"default"}},{"toolUse":{"toolUseId":"x","name":"f","input":{}}}]"#,
        r#"[{"citationsContent":{"content":[{"text":"a"}],"citations":[]}}]"#,
        r#"[{"reasoningContent":{"redactedContent":"AA=="}},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"text":"a"}]"#,
        r#"[{"text":"a"},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}}]"#,
    ] {
        let body = json(&format!(r#"{{"messages":[{{"role":"assistant","content":{content}}}]}}"#));
        let request = read_request(Dialect::Bedrock, &body).unwrap();
        let (written, losses) = write_request(Dialect::Bedrock, &request, Options::default()).unwrap();
        assert_eq!(Json::from(written), body);
        assert!(losses.0.is_empty(), "{:?}", losses.0);
    }
}

#[test]
fn every_other_wire_gets_there_and_its_outcomes_come_back() {
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic] {
        for path in samples(dialect.as_str()) {
            let text = fs::read_to_string(&path).unwrap();
            let parsed = parse(text.as_bytes(), Repeats::Refused).unwrap();
            let request = read_request(dialect, &parsed.value).unwrap();
            match convert(dialect, Dialect::Bedrock, &parsed) {
                Ok((body, _)) => {
                    let again = read_request(Dialect::Bedrock, &body.into()).unwrap();
                    assert_eq!(outcome(&again), outcome(&request), "{}", path.display());
                }
                Err(error) => assert_eq!(error.kind, Kind::Unsupported, "{}: {error}", path.display()),
            }
        }
    }
}

#[test]
fn the_status_is_the_outcome() {
    for (members, expected) in [
        (r#""content":[{"text":"x"}],"status":"error""#, Some(true)),
        (r#""content":[{"text":"x"}],"status":"success""#, Some(false)),
        (r#""content":[{"text":"x"}]"#, None),
        (r#""content":[{"text":"x"}],"status":null"#, None),
        (r#""content":[{"text":"x"}],"_vf_is_error":true"#, Some(true)),
    ] {
        assert_eq!(outcome(&read(&exchange(members, "m"))), expected, "{members}");
    }
    for (members, kind) in [
        (r#""content":[],"status":"failed""#, Kind::Shape),
        (r#""content":[],"status":true"#, Kind::Shape),
        (r#""content":[],"status":"success","_vf_is_error":true"#, Kind::Marker),
        (r#""content":[],"_vf_is_error":"true""#, Kind::Marker),
        (r#""status":"error""#, Kind::Shape),
    ] {
        let error = read_request(Dialect::Bedrock, &json(&exchange(members, "m"))).unwrap_err();
        assert_eq!(error.kind, kind, "{members}");
        assert!(error.path.to_string().starts_with("messages[2].content[0].toolResult"), "{error}");
    }
}

/// What a failed result of chat becomes for a model.
fn failed(model: &str, content: &str, behind: &str) -> Result<(String, Vec<&'static str>), String> {
    let body = format!(
        r#"{{"model":"{model}","messages":[{{"role":"user","content":"go"}},
        {{"role":"assistant","content":null,"tool_calls":[{{"id":"t1","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"t1","content":{content},"_vf_is_error":true}}{behind}],
        "tools":[{{"type":"function","function":{{"name":"f"}}}}]}}"#
    );
    let parsed = parse(body.as_bytes(), Repeats::Refused).unwrap();
    let (body, losses) =
        convert(Dialect::Chat, Dialect::Bedrock, &parsed).map_err(|error| error.to_string())?;
    let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap();
    Ok((compact(last.get("content").unwrap()), losses.0.iter().map(|loss| loss.code.as_str()).collect()))
}

#[test]
fn each_family_gets_what_it_takes() {
    let image = r#"[{"type":"text","text":"dark"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]"#;
    let (body, losses) = failed("amazon.nova-pro-v1:0", image, "").unwrap();
    assert_eq!(
        body,
        r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"dark"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}],"status":"error"}}]"#
    );
    assert!(losses.is_empty(), "{losses:?}");
    let (body, losses) = failed("us.anthropic.claude-sonnet-4-5-20250929-v1:0", image, "").unwrap();
    assert!(body.ends_with(r#"{"image":{"format":"png","source":{"bytes":"AAAA"}}}]"#), "{body}");
    assert_eq!(losses, ["image.hoisted"]);
    let (body, losses) = failed("writer.palmyra-x5-v1:0", r#""no""#, "").unwrap();
    assert_eq!(
        body,
        r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"Tool execution failed:\nno"}]}}]"#
    );
    assert_eq!(losses, ["outcome.labelled"]);
    let behind = r#",{"role":"user","content":"and?"}"#;
    assert!(failed("m", r#""no""#, behind).is_ok());
    for model in ["meta.llama3-3-70b-instruct-v1:0", "mistral.mistral-large-2407-v1:0"] {
        let refused = failed(model, r#""no""#, behind).unwrap_err();
        assert!(refused.starts_with("messages[3]: "), "{refused}");
    }
    let (body, losses) = failed("m", r#""""#, "").unwrap();
    assert_eq!(
        body,
        r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"(no output)"}],"status":"error"}}]"#
    );
    assert_eq!(losses, ["text.placeholder"]);
}

#[test]
fn a_named_target_counts_whatever_the_model() {
    let request = read(&exchange(r#""content":[{"text":"x"}],"status":"error""#, "m"));
    let request = Request { dialect: None, ..request };
    let options = Options { target: targets::named("palmyra"), ..Options::default() };
    let (body, losses) = write_request(Dialect::Bedrock, &request, options).unwrap();
    assert!(!Json::from(body).holds_key("status"));
    assert_eq!(losses.0.len(), 1);
}

#[test]
fn undeclared_tools_are_declared_where_they_are_called() {
    let body = r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"t 1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"t 1","content":"x"}],"tool_choice":"none","temperature":1,"max_tokens":5,"stop":"s"}"#;
    let parsed = parse(body.as_bytes(), Repeats::Refused).unwrap();
    let (body, losses) = convert(Dialect::Chat, Dialect::Bedrock, &parsed).unwrap();
    let body = Json::from(body);
    assert_eq!(
        compact(body.get("toolConfig").unwrap()),
        r#"{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}"#
    );
    assert_eq!(
        compact(body.get("inferenceConfig").unwrap()),
        r#"{"temperature":1,"maxTokens":5,"stopSequences":["s"]}"#
    );
    let codes: Vec<_> = losses.0.iter().map(|loss| loss.code.as_str()).collect();
    assert_eq!(codes, ["id.mapped", "id.mapped", "tool.assumed", "tool_choice.reduced"]);
}

#[test]
fn a_message_by_itself() {
    let request = read(&exchange(r#""content":[{"text":"x"}],"status":"error""#, "m"));
    let (items, _) = write_message(Dialect::Bedrock, &request.messages[2], Options::default()).unwrap();
    assert_eq!(
        compact(&items[0]),
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"x"}],"status":"error"}}]}"#
    );
}

#[test]
fn a_choice_without_tools_is_left_out() {
    for choice in [r#""auto""#, r#""required""#, r#"{"type":"function","function":{"name":"f"}}"#] {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"go"}}],"tool_choice":{choice}}}"#);
        let parsed = parse(body.as_bytes(), Repeats::Refused).unwrap();
        let (body, losses) = convert(Dialect::Chat, Dialect::Bedrock, &parsed).unwrap();
        assert!(body.get("toolConfig").is_none());
        assert_eq!(losses.0.len(), 1);
        assert_eq!(
            losses.0[0].to_string(),
            "tool_choice: tool_choice.reduced: there is no tool to choose: it is left out"
        );
    }
}
