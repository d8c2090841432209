//! Sampling, tools and the choice among them, and what an evaluation lays over a body.

use super::{converted, json, read};
use crate::dialect::{Code, Options, overlay, write_request};
use crate::error::Kind;
use crate::json::{Json, Value, compact};
use crate::message::Dialect;

const ANTHROPIC: &str = r#""max_tokens":9,"messages":[{"role":"user","content":"q"}]"#;

fn sampled(model: &str, settings: &str) -> Result<(Json, Vec<(Code, String)>), Kind> {
    let body = json(&format!(r#"{{"model":"{model}",{ANTHROPIC},{settings}}}"#));
    converted(Dialect::Anthropic, &body).map_err(|error| error.kind)
}

#[test]
fn settings_stand_where_wire_or_model_has_them() {
    let settings = r#""temperature":0.5,"top_p":0.9,"top_k":3,"stop_sequences":["a"]"#;
    let inference = r#"{"maxTokens":9,"temperature":0.5,"topP":0.9,"stopSequences":["a"]}"#;
    for (model, more) in [
        ("anthropic.claude-x", Some(r#"{"top_k":3}"#)),
        ("us.amazon.nova-x", Some(r#"{"inferenceConfig":{"topK":3}}"#)),
        ("meta.llama-x", None),
    ] {
        let (body, losses) = sampled(model, settings).unwrap();
        assert_eq!(body.get("inferenceConfig").map(compact).as_deref(), Some(inference));
        assert_eq!(body.get("additionalModelRequestFields").map(compact).as_deref(), more, "{model}");
        let dropped = vec![(Code::SamplingDropped, "sampling.top_k".to_owned())];
        assert_eq!(losses, if more.is_some() { vec![] } else { dropped }, "{model}");
    }
}

#[test]
fn an_effort_is_one_that_the_model_knows() {
    let effort = |model: &str, word: &str| {
        let (body, losses) = sampled(model, &format!(r#""output_config":{{"effort":"{word}"}}"#))?;
        assert!(losses.is_empty(), "{losses:?}");
        let group = |name: &str| body.get(name).map(compact).unwrap_or_default();
        Ok(group("outputConfig") + &group("additionalModelRequestFields"))
    };
    assert_eq!(effort("anthropic.claude-x", "xhigh").as_deref(), Ok(r#"{"effort":"xhigh"}"#));
    assert_eq!(effort("openai.gpt-oss-x", "low").as_deref(), Ok(r#"{"reasoning_effort":"low"}"#));
    assert_eq!(effort("qwen.qwen3-x", "high").as_deref(), Ok(r#"{"reasoning_config":"high"}"#));
    assert_eq!(effort("openai.gpt-oss-x", "xhigh"), Err(Kind::Unsupported));
    assert_eq!(effort("qwen.qwen3-x", "medium"), Err(Kind::Unsupported));
    // What the wire itself said stays where it was.
    let own = json(r#"{"modelId":"openai.gpt-oss-x","messages":[],"outputConfig":{"effort":"max"}}"#);
    super::survives(&own);
}

#[test]
fn a_setting_joins_what_the_body_says_of_its_own() {
    let body = r#"{"modelId":"amazon.nova-x","messages":[],"additionalModelRequestFields":{"inferenceConfig":{"topK":1,"x":2},"y":3}}"#;
    let mut request = read(&json(body));
    request.sampling.set("top_k", Value::Number("5".into()));
    let (body, losses) = write_request(Dialect::Bedrock, &request, Options::default()).unwrap();
    let more = json(r#"{"inferenceConfig":{"topK":5,"x":2},"y":3}"#);
    assert_eq!(body.get("additionalModelRequestFields"), Some(&more));
    assert!(losses.0.is_empty());
}

/// What an evaluation with this sampling sets over a body, beside the model.
fn laid(model: &str, sampling: &str, body: &str) -> Result<String, (Kind, String)> {
    let (body, Value::Object(sampling)) = (json(body), json(sampling)) else { panic!() };
    let laid = overlay(Dialect::Bedrock, None, &|key| body.get(key).cloned(), model, sampling)
        .map_err(|error| (error.kind, error.path.to_string()))?;
    assert!(laid.drop.is_empty());
    let mut set = laid.set;
    assert_eq!(set.remove("modelId").as_ref().and_then(Value::as_str), Some(model));
    Ok(compact(&set.into()))
}

#[test]
fn an_evaluation_lays_its_settings_over_those_of_the_program() {
    let body = r#"{"modelId":"p","inferenceConfig":{"temperature":1,"maxTokens":9},"outputConfig":{"effort":"low","textFormat":{}},
        "additionalModelRequestFields":{"inferenceConfig":{"x":1}},"messages":[]}"#;
    for (model, sampling, expected) in [
        ("m", "{}", "{}"),
        (
            "m",
            r#"{"temperature":0.5,"stop":["s"],"top_p":0.9}"#,
            r#"{"inferenceConfig":{"temperature":0.5,"maxTokens":9,"stopSequences":["s"],"topP":0.9}}"#,
        ),
        ("m", r#"{"max_tokens":9}"#, "{}"),
        ("m", r#"{"reasoning_effort":"max"}"#, r#"{"outputConfig":{"effort":"max","textFormat":{}}}"#),
        (
            "m",
            r#"{"min_p":0.1,"top_k":4}"#,
            r#"{"additionalModelRequestFields":{"inferenceConfig":{"x":1},"min_p":0.1,"top_k":4}}"#,
        ),
        (
            "amazon.nova-x",
            r#"{"top_k":4}"#,
            r#"{"additionalModelRequestFields":{"inferenceConfig":{"x":1,"topK":4}}}"#,
        ),
        (
            "openai.gpt-oss-x",
            r#"{"reasoning_effort":"low"}"#,
            r#"{"additionalModelRequestFields":{"inferenceConfig":{"x":1},"reasoning_effort":"low"}}"#,
        ),
        (
            "m",
            r#"{"inferenceConfig":{"maxTokens":5},"additionalModelRequestFields":{"inferenceConfig":null}}"#,
            r#"{"inferenceConfig":{"temperature":1,"maxTokens":5},"additionalModelRequestFields":{"inferenceConfig":null}}"#,
        ),
    ] {
        assert_eq!(laid(model, sampling, body).as_deref(), Ok(expected), "{model} {sampling}");
    }
    // A body that says nothing of a group, or null.
    for body in ["{}", r#"{"inferenceConfig":null}"#] {
        let expected = r#"{"inferenceConfig":{"temperature":0}}"#;
        assert_eq!(laid("m", r#"{"temperature":0}"#, body).as_deref(), Ok(expected));
    }
    let refused = laid("m", r#"{"reasoning_effort":"minimal"}"#, body);
    assert_eq!(refused, Err((Kind::Unsupported, "sampling.reasoning_effort".into())));
    let refused = laid("m", r#"{"outputConfig":1}"#, body);
    assert_eq!(refused, Err((Kind::Shape, "sampling.outputConfig".into())));
}

/// The tool configuration of a request of chat, with or without tools and calls.
fn configured(tools: &str, choice: &str, called: bool) -> Result<(String, Vec<(Code, String)>), String> {
    let calls = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"t 1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"t 1","content":"x"}"#;
    let messages =
        if called { calls } else { r#"{"role":"assistant","content":"a"},{"role":"user","content":"q"}"# };
    let tools = if tools.is_empty() { String::new() } else { format!(r#""tools":[{tools}],"#) };
    let body = json(&format!(
        r#"{{"messages":[{{"role":"user","content":"go"}},{messages}],{tools}"tool_choice":{choice}}}"#
    ));
    let (body, losses) = converted(Dialect::Chat, &body).map_err(|error| error.to_string())?;
    Ok((body.get("toolConfig").map(compact).unwrap_or_default(), losses))
}

const TOOL: &str = r#"{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}"#;

#[test]
fn choices() {
    let declared = r#""tools":[{"toolSpec":{"name":"g","inputSchema":{"json":{"type":"object"}}}}]"#;
    let reduced = vec![(Code::ToolChoiceReduced, "tool_choice".to_owned())];
    for (choice, written, told) in [
        (r#""auto""#, r#","toolChoice":{"auto":{}}"#, vec![]),
        (r#""required""#, r#","toolChoice":{"any":{}}"#, vec![]),
        (r#"{"type":"function","function":{"name":"g"}}"#, r#","toolChoice":{"tool":{"name":"g"}}"#, vec![]),
        (r#""none""#, "", reduced.clone()),
        (
            r#"{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}}]}}"#,
            r#","toolChoice":{"any":{}}"#,
            reduced,
        ),
    ] {
        let expected = (format!("{{{declared}{written}}}"), told);
        assert_eq!(configured(TOOL, choice, false), Ok(expected), "{choice}");
    }
    // Without a tool there is nothing to choose.
    for choice in [r#""auto""#, r#""none""#] {
        assert_eq!(configured("", choice, false), Ok((String::new(), vec![])));
    }
    let required = configured("", r#""required""#, false);
    assert_eq!(required, Err("tool_choice: a call is required, and there is no tool".to_owned()));
}

#[test]
fn undeclared_tools_are_declared_where_they_are_called() {
    let declared = r#"{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}"#;
    let (config, losses) = configured("", r#""none""#, true).unwrap();
    assert_eq!(config, declared);
    let told: Vec<_> = losses.iter().map(|(code, path)| format!("{path}: {code}")).collect();
    let expected = [
        "messages[1].tool_calls[0].id: id.mapped",
        "messages[2].tool_call_id: id.mapped",
        "messages[1].tool_calls[0].name: tool.assumed",
        "tool_choice: tool_choice.reduced",
    ];
    assert_eq!(told, expected);
    // A request that declares tools says itself which there are.
    let (config, losses) = configured(TOOL, "null", true).unwrap();
    assert!(config.contains(r#""name":"g""#) && !config.contains(r#""name":"f""#), "{config}");
    assert!(losses.iter().all(|(code, _)| *code == Code::IdMapped), "{losses:?}");
}

#[test]
fn members_of_no_typed_form_are_kept() {
    for body in [
        r#"{"messages":[],"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}},{"cachePoint":{"type":"default"}}],"toolChoice":{"tool":{"name":"a","later":1}}}}"#,
        r#"{"messages":[],"system":[{"text":"a"},{"guardContent":{"text":{"text":"b"}}},{"cachePoint":{"type":"default"}}]}"#,
        r#"{"messages":[],"system":[],"inferenceConfig":null,"outputConfig":null,"toolConfig":null}"#,
        r#"{"messages":[],"promptVariables":{"x":{"text":"y"}},"performanceConfig":{"latency":"optimized"}}"#,
    ] {
        super::survives(&json(body));
    }
    let hosted = json(r#"{"messages":[],"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}}]}}"#);
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini] {
        let error = write_request(dialect, &read(&hosted), Options::default()).unwrap_err();
        assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Unsupported, "tools[0]"));
    }
}
