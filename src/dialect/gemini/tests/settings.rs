//! Tools, the choice among them, the generation settings, and what an evaluation lays over them.

use super::{codes, equal, json, read, refused, write};
use crate::dialect::{Code, Options, gemini, write_request};
use crate::json::{Json, Object, Value, compact};
use crate::message::Dialect::{Anthropic, Chat, Responses};
use crate::message::{Request, ToolChoice, ToolKind};

fn with(settings: &str) -> Json {
    json(&format!(r#"{{"contents":[],{settings}}}"#))
}

#[test]
fn an_older_schema_is_json_schema_elsewhere() {
    let body = with(
        r#""tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"TYPE":{"type":"STRING","nullable":true},"n":{"type":"ARRAY","minItems":"2","items":{"anyOf":[{"type":"INTEGER"},{"type":"TYPE_UNSPECIFIED","enum":["A"]}]}}},"required":["n"]}}]}]"#,
    );
    equal(&body);
    let mut request = read(&body);
    let expected = r#"{"type":"object","properties":{"TYPE":{"type":["string","null"]},"n":{"type":"array","minItems":2,"items":{"anyOf":[{"type":"integer"},{"enum":["A"]}]}}},"required":["n"]}"#;
    assert_eq!(compact(request.tools[0].parameters.as_ref().unwrap()), expected);
    let (chat, losses) = write_request(Chat, &request, Options::default()).unwrap();
    assert!(compact(&chat.into()).contains(expected) && losses.0.is_empty());
    request.tools[0].parameters = Some(json(r#"{"type":"object"}"#));
    let changed =
        with(r#""tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object"}}]}]"#);
    assert_eq!(write(&request).0, changed);
}

#[test]
fn tools_keep_their_company() {
    for tools in [
        r#"[{"functionDeclarations":[{"name":"f"},{"name":"g"}]},{"googleSearch":{}},{"codeExecution":{}}]"#,
        r#"[{"functionDeclarations":[{"name":"f"}]},{"functionDeclarations":[{"name":"g"}],"googleSearch":{"x":1}}]"#,
        r#"[{"googleSearch":{},"functionDeclarations":[{"name":"f"},{"name":"g"}]},{"functionDeclarations":[{"name":"h"}]}]"#,
        r#"[{"googleSearch":{},"codeExecution":{}},{"googleSearch":{}}]"#,
        "[]",
    ] {
        equal(&with(&format!(r#""tools":{tools}"#)));
    }
    let hosted = read(&with(r#""tools":[{"googleSearch":{}}]"#));
    assert_eq!(hosted.tools[0].kind, ToolKind::Native("googleSearch".into()));
    for wire in [Chat, Responses, Anthropic] {
        let error = write_request(wire, &hosted, Options::default()).unwrap_err();
        assert_eq!(
            (error.kind, error.path.to_string().as_str()),
            (crate::error::Kind::Unsupported, "tools[0]")
        );
    }
}

#[test]
fn every_choice_has_its_mode() {
    for (mode, choice) in [
        (r#"{"mode":"AUTO"}"#, Some(ToolChoice::Auto)),
        (r#"{"mode":"NONE"}"#, Some(ToolChoice::None)),
        (r#"{"mode":"ANY"}"#, Some(ToolChoice::Required)),
        (
            r#"{"mode":"ANY","allowedFunctionNames":["f"]}"#,
            Some(ToolChoice::Tool { kind: Default::default(), name: "f".into() }),
        ),
        (
            r#"{"mode":"ANY","allowedFunctionNames":["f","g"]}"#,
            Some(ToolChoice::Allowed {
                required: true,
                tools: vec![(Default::default(), "f".into()), (Default::default(), "g".into())],
            }),
        ),
        (r#"{"mode":"VALIDATED"}"#, None),
        (r#"{"mode":"AUTO","streamFunctionCallArguments":true}"#, None),
        ("{}", None),
    ] {
        let body =
            with(&format!(r#""toolConfig":{{"functionCallingConfig":{mode},"retrievalConfig":{{}}}}"#));
        equal(&body);
        let request = read(&body);
        match choice {
            Some(choice) => assert_eq!(request.tool_choice, Some(choice.clone())),
            None => {
                assert!(matches!(request.tool_choice, Some(ToolChoice::Native { .. })), "{mode}");
                assert!(write_request(Chat, &request, Options::default()).is_err());
            }
        }
    }
    equal(&with(r#""toolConfig":{"retrievalConfig":{}}"#));
    equal(&with(r#""toolConfig":{}"#));
    let tools = vec![(Default::default(), "f".into())];
    let among = Some(ToolChoice::Allowed { required: false, tools });
    let (body, losses) = write(&Request { tool_choice: among, ..Request::default() });
    assert_eq!(body, with(r#""toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}"#));
    assert_eq!(codes(&losses), [(Code::ToolChoiceReduced, "tool_choice".to_owned())]);
}

#[test]
fn settings_have_neutral_names() {
    let body = with(
        r#""generationConfig":{"temperature":0.70,"topP":1.0,"topK":40,"maxOutputTokens":9,"stopSequences":["a"],"thinkingConfig":{"thinkingLevel":"XHIGH","includeThoughts":true},"seed":7}"#,
    );
    equal(&body);
    let sampling = r#"{"temperature":0.70,"top_p":1.0,"top_k":40,"max_tokens":9,"stop":["a"],"reasoning_effort":"xhigh"}"#;
    let request = read(&body);
    assert_eq!(compact(&Value::Object(request.sampling.clone())), sampling);
    let (_, losses) = write_request(Anthropic, &request, Options::default()).unwrap();
    let dropped = |field: &str| (Code::FieldDropped, format!("generationConfig.{field}"));
    assert_eq!(codes(&losses.0), [dropped("seed"), dropped("thinkingConfig.includeThoughts")]);
    // A word that the API does not know is not rounded.
    for word in ["none", "max"] {
        let sampling = Object::default().with("reasoning_effort", word);
        let request = Request { sampling, ..Request::default() };
        let error = gemini::write_request(&request, Options::default(), &mut Default::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sampling.reasoning_effort: Gemini knows minimal, low, medium, high and xhigh"
        );
    }
    let sampling = Object::default().with("top_logprobs", Json::Number("2".into()));
    let (body, losses) = write(&Request { sampling, ..Request::default() });
    assert_eq!(body, json(r#"{"contents":[]}"#));
    assert_eq!(codes(&losses), [(Code::SamplingDropped, "sampling.top_logprobs".to_owned())]);
}

#[test]
fn the_model_stands_in_the_address() {
    equal(&with(r#""model":"models/gemini-3-pro""#));
    let (body, losses) =
        write(&Request { model: Some("m".into()), stream: Some(true), ..Request::default() });
    assert_eq!(body, json(r#"{"contents":[]}"#));
    assert!(losses.is_empty());
}

fn overlaid(body: &str, sampling: &str) -> crate::error::Result<String> {
    let body = json(body);
    let Value::Object(sampling) = json(sampling) else { panic!() };
    let current = |key: &str| body.get(key).cloned();
    let overlay = gemini::overlay(&current, sampling)?;
    let Value::Object(mut members) = body.clone() else { panic!() };
    for key in overlay.drop {
        members.remove(key);
    }
    members.set_all(overlay.set.0);
    Ok(compact(&Value::Object(members)))
}

#[test]
fn an_evaluation_lays_its_settings_over_the_programs() {
    for (body, sampling, expected) in [
        ("{}", "{}", "{}"),
        ("{}", r#"{"model":"x"}"#, "{}"),
        (
            "{}",
            r#"{"temperature":1.0,"max_tokens":5,"top_p":0.5,"stop":"x"}"#,
            r#"{"generationConfig":{"temperature":1.0,"maxOutputTokens":5,"topP":0.5,"stopSequences":["x"]}}"#,
        ),
        (
            r#"{"generationConfig":{"temperature":0,"seed":1,"thinkingConfig":{"thinkingBudget":9,"includeThoughts":true}}}"#,
            r#"{"reasoning_effort":"high","presence_penalty":1}"#,
            r#"{"generationConfig":{"temperature":0,"seed":1,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"},"presencePenalty":1}}"#,
        ),
        (
            r#"{"generation_config":{"top_p":0.1,"thinking_config":{"thinking_level":"LOW"}}}"#,
            r#"{"top_p":0.2,"thinkingConfig":{"thinkingBudget":0}}"#,
            r#"{"generationConfig":{"topP":0.2,"thinkingConfig":{"thinkingBudget":0}}}"#,
        ),
        (
            "{}",
            r#"{"generationConfig":{"response_mime_type":"application/json"},"topK":3}"#,
            r#"{"generationConfig":{"responseMimeType":"application/json","topK":3}}"#,
        ),
    ] {
        assert_eq!(overlaid(body, sampling).unwrap(), expected);
    }
    let unknown = overlaid("{}", r#"{"min_p":0.1}"#).unwrap_err();
    assert_eq!(unknown.to_string(), "sampling.min_p: generationConfig has no such setting");
    assert!(overlaid("{}", r#"{"reasoning_effort":"max"}"#).is_err());
}

#[test]
fn what_is_no_setting_says_where() {
    for (settings, sentence) in [
        (r#""generationConfig":5"#, "generationConfig: expected an object"),
        (r#""generationConfig":{"topK":"x"}"#, "generationConfig.topK: expected a number"),
        (
            r#""generationConfig":{"stopSequences":[1]}"#,
            "generationConfig.stopSequences[0]: expected a string",
        ),
        (r#""tools":[{"functionDeclarations":[{}]}]"#, "tools[0].functionDeclarations[0].name: missing"),
        (r#""tools":[5]"#, "tools[0]: expected an object"),
        (
            r#""tools":[{"functionDeclarations":[{"name":"f","parameters":{},"parametersJsonSchema":{}}]}]"#,
            "tools[0].functionDeclarations[0].parameters: stands beside parametersJsonSchema, which says the same",
        ),
        (
            r#""toolConfig":{"functionCallingConfig":"AUTO"}"#,
            "toolConfig.functionCallingConfig: expected an object",
        ),
        (r#""model":5"#, "model: expected a string"),
    ] {
        assert_eq!(refused(&format!(r#"{{"contents":[],{settings}}}"#)).to_string(), sentence);
    }
}
