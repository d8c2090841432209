//! A request that was read from a wire and then changed: the rest goes back as it was, what was added obeys the rules.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use toolwire::dialect::{Code, Losses, Options, read_request, write_request};
use toolwire::error::Kind;
use toolwire::json::{Json, Repeats, Value, parse_text};
use toolwire::message::{
    Content, Dialect, Message, Part, PartKind, Request, Tool, ToolChoice, ToolKind, ToolMessage,
};

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

fn with(mut request: Request, message: Message) -> Request {
    request.added = Some(vec![request.messages.len()]);
    request.messages.push(message);
    request
}

fn failing_image(id: &str) -> Message {
    let image = PartKind::Image { url: "data:image/png;base64,aGk=".into(), detail: None };
    Message::Tool(ToolMessage {
        tool_call_id: id.into(),
        content: Content::Parts(vec![Part::new(image)]),
        name: Some("snap".into()),
        is_error: Some(true),
        extra: Default::default(),
    })
}

fn write(dialect: Dialect, request: &Request) -> (Json, Losses) {
    let (body, losses) = write_request(dialect, request, Options::default()).unwrap();
    (Value::from(body), losses)
}

#[test]
fn an_added_result_obeys_the_rules_of_chat() {
    let body = json(
        r#"{"messages":[{"role":"assistant","content":null,"reasoning_content":"hm",
        "tool_calls":[{"id":"c","type":"function","function":{"name":"snap","arguments":"{}"}}]}]}"#,
    );
    let request = with(read_request(Dialect::Chat, &body).unwrap(), failing_image("c"));
    let (written, losses) = write(Dialect::Chat, &request);
    let messages = written.get("messages").unwrap().as_array().unwrap();
    assert_eq!(messages[0], body.get("messages").unwrap().as_array().unwrap()[0]);
    assert_eq!(messages[1].get("name"), None);
    assert_eq!(messages[1].get("content").unwrap().as_array().unwrap().len(), 2);
    assert_eq!(messages[2].get("role").and_then(Value::as_str), Some("user"));
    assert!(losses.0.iter().any(|loss| loss.code == Code::ImageHoisted));
    let orphan = with(read_request(Dialect::Chat, &body).unwrap(), failing_image("nobody"));
    assert_eq!(write_request(Dialect::Chat, &orphan, Options::default()).unwrap_err().kind, Kind::Pairing);
}

#[test]
fn an_added_result_obeys_the_rules_of_anthropic() {
    let body = json(
        r#"{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"snap","input":{}}]}]}"#,
    );
    let request = with(read_request(Dialect::Anthropic, &body).unwrap(), failing_image("c"));
    let (written, _) = write(Dialect::Anthropic, &request);
    let messages = written.get("messages").unwrap().as_array().unwrap();
    assert_eq!(messages[..2], body.get("messages").unwrap().as_array().unwrap()[..]);
    let blocks = messages[2].get("content").unwrap().as_array().unwrap();
    assert_eq!(blocks[0].get("is_error"), Some(&Value::Bool(true)));
    assert!(
        blocks[0].get("content").unwrap().as_array().unwrap().iter().all(|part| part.kind() == Some("text"))
    );
    assert_eq!(blocks.last().unwrap().kind(), Some("image"));
}

#[test]
fn an_added_result_obeys_the_rules_of_responses() {
    let body = json(
        r#"{"input":[{"type":"function_call","id":"fc_1","call_id":"c","name":"snap","arguments":"{}"}]}"#,
    );
    let request = with(read_request(Dialect::Responses, &body).unwrap(), failing_image("c"));
    let (written, losses) = write(Dialect::Responses, &request);
    let items = written.get("input").unwrap().as_array().unwrap();
    assert_eq!(items[0], body.get("input").unwrap().as_array().unwrap()[0]);
    assert_eq!(items[1].get("output").unwrap().as_array().unwrap().len(), 2);
    assert!(losses.0.iter().any(|loss| loss.code == Code::OutcomeLabelled));
}

#[test]
fn ids_that_would_meet_are_told_apart() {
    let call = |id: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let convert = |other: &str| {
        let body = format!(
            r#"{{"messages":[{{"role":"assistant","tool_calls":[{},{}]}},{},{}]}}"#,
            call("a b"),
            call(other),
            result("a b"),
            result(other)
        );
        let (written, _) = write(Dialect::Anthropic, &read_request(Dialect::Chat, &json(&body)).unwrap());
        let blocks = written.get("messages").unwrap().as_array().unwrap()[0].get("content").unwrap().clone();
        let ids: Vec<String> = blocks
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block.get("id").unwrap().as_str().unwrap().to_owned())
            .collect();
        ids
    };
    let first = convert("z").remove(0);
    let both = convert(&first);
    assert_eq!(both[1], first);
    assert_ne!(both[0], both[1]);
}

fn tool(namespace: Option<&str>, name: &str) -> Tool {
    Tool {
        kind: ToolKind::Function,
        name: name.into(),
        namespace: namespace.map(Into::into),
        description: None,
        parameters: None,
        strict: None,
        format: None,
        extra: Default::default(),
    }
}

#[test]
fn a_choice_names_a_tool_as_it_is_written() {
    let choice = ToolChoice::Tool { kind: Default::default(), name: "f".into() };
    let mut request =
        Request { tools: vec![tool(Some("ns"), "f")], tool_choice: Some(choice), ..Request::default() };
    let name =
        |body: &Json| body.get("tool_choice").unwrap().get("function").unwrap().get("name").unwrap().clone();
    assert_eq!(name(&write(Dialect::Chat, &request).0), "ns__f".into());
    let (anthropic, _) = write(Dialect::Anthropic, &request);
    assert_eq!(anthropic.get("tool_choice").unwrap().get("name"), Some(&"ns__f".into()));
    // Two tools must not become one.
    request.tools.push(tool(None, "ns__f"));
    for wire in [Dialect::Chat, Dialect::Anthropic] {
        assert_eq!(write_request(wire, &request, Options::default()).unwrap_err().kind, Kind::Unsupported);
    }
}

#[test]
fn a_hosted_search_is_not_dropped() {
    let body = json(r#"{"messages":[],"web_search_options":{"search_context_size":"low"}}"#);
    let request = read_request(Dialect::Chat, &body).unwrap();
    assert_eq!(write(Dialect::Chat, &request).0, body);
    for wire in [Dialect::Responses, Dialect::Anthropic] {
        assert_eq!(write_request(wire, &request, Options::default()).unwrap_err().kind, Kind::Unsupported);
    }
}
