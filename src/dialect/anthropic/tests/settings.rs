//! Tools, the choice among them, and sampling, as another wire says them.

use super::cross::{body, request, try_body, user};
use super::json;
use crate::dialect::Code;
use crate::error::Kind;
use crate::message::{CallKind, Dialect, Extra, Tool, ToolChoice, ToolKind};

#[test]
fn tools_and_settings() {
    let mut request = request(vec![user("q")]);
    let tool = |parameters: Option<&str>, strict: Option<bool>| Tool {
        kind: ToolKind::Function,
        name: "f".into(),
        namespace: None,
        description: None,
        parameters: parameters.map(json),
        strict,
        format: None,
        extra: Extra::none(),
    };
    request.tools = vec![
        tool(None, Some(true)),
        tool(Some("{}"), None),
        tool(Some(r#"{"properties":{"a":{}}}"#), Some(false)),
    ];
    request.parallel_tool_calls = Some(false);
    request.stream = Some(true);
    request.model = Some("m".into());
    request.sampling = json(
        r#"{"temperature":0.5,"top_p":0.9,"top_k":3,"stop":["a"],"reasoning_effort":"low","min_p":0.1}"#,
    )
    .as_object()
    .unwrap()
    .clone();
    let (body, losses) = body(&request);
    let expected = json(
        r#"{"model":"m","max_tokens":4096,"temperature":0.5,"top_p":0.9,"top_k":3,"stop_sequences":["a"],
            "output_config":{"effort":"low"},"stream":true,
            "messages":[{"role":"user","content":"q"}],
            "tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"strict":true},
                     {"name":"f","input_schema":{"type":"object","properties":{}}},
                     {"name":"f","input_schema":{"type":"object","properties":{"a":{}}},"strict":false}],
            "tool_choice":{"type":"auto","disable_parallel_tool_use":true}}"#,
    );
    assert_eq!(body, expected);
    let expected = [(Code::MaxTokensAssumed, "max_tokens"), (Code::SamplingDropped, "sampling.min_p")];
    assert_eq!(losses, expected.map(|(code, path)| (code, path.to_owned())));
    for word in ["none", "minimal"] {
        request.sampling.set("reasoning_effort", word.into());
        let error = try_body(&request).unwrap_err();
        assert_eq!(
            (error.kind, error.path.to_string().as_str()),
            (Kind::Unsupported, "sampling.reasoning_effort")
        );
    }
}

#[test]
fn choices() {
    let choose = |choice: ToolChoice, parallel: Option<bool>| {
        let mut request = request(vec![user("q")]);
        (request.tool_choice, request.parallel_tool_calls) = (Some(choice), parallel);
        try_body(&request).map(|(body, losses)| (body.get("tool_choice").unwrap().clone(), losses))
    };
    assert_eq!(choose(ToolChoice::Auto, None).unwrap(), (json(r#"{"type":"auto"}"#), vec![]));
    assert_eq!(choose(ToolChoice::None, None).unwrap(), (json(r#"{"type":"none"}"#), vec![]));
    let required = json(r#"{"type":"any","disable_parallel_tool_use":false}"#);
    assert_eq!(choose(ToolChoice::Required, Some(true)).unwrap(), (required, vec![]));
    let allowed = ToolChoice::Allowed { required: true, tools: vec![(CallKind::Function, "f".into())] };
    let reduced = (Code::ToolChoiceReduced, "tool_choice".to_owned());
    assert_eq!(choose(allowed, None).unwrap(), (json(r#"{"type":"any"}"#), vec![reduced]));
    let hosted = ToolChoice::Native { dialect: Dialect::Responses, value: json(r#"{"type":"web_search"}"#) };
    assert_eq!(choose(hosted, None).unwrap_err().kind, Kind::Unsupported);
}

#[test]
fn a_typed_tool_of_another_wire_is_refused() {
    let declaration = json(r#"{"type":"web_search"}"#).as_object().unwrap().clone();
    let mut request = request(vec![user("q")]);
    request.tools.push(Tool {
        kind: ToolKind::Native("web_search".into()),
        name: "web_search".into(),
        namespace: None,
        description: None,
        parameters: None,
        strict: None,
        format: None,
        extra: Extra::new(Dialect::Responses, declaration),
    });
    let error = try_body(&request).unwrap_err();
    assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Unsupported, "tools[0]"));
}
