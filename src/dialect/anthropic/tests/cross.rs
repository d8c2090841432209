//! What another wire said, in the one form that this API accepts.

use super::{codes, json};
use crate::dialect::{Code, Losses, Options, anthropic};
use crate::error::{Error, Kind};
use crate::json::{Json, Object, Value};
use crate::message::{
    AssistantMessage, CallKind, Content, Dialect, Extra, FileSource, Message, Part, PartKind, Request,
    SystemMessage, Tool, ToolCall, ToolChoice, ToolKind, ToolMessage, UserMessage,
};

const PNG: &str = "data:image/png;base64,AA==";

pub(super) fn user(text: &str) -> Message {
    Message::User(UserMessage { content: Content::Text(text.into()), extra: Extra::none() })
}

fn system(text: &str) -> Message {
    Message::System(SystemMessage { content: Content::Text(text.into()), ..Default::default() })
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "probe".into(),
        arguments: arguments.into(),
        kind: CallKind::Function,
        namespace: None,
        extra: Extra::none(),
    }
}

fn calls(ids: &[&str]) -> Message {
    let tool_calls = ids.iter().map(|id| call(id, "{}")).collect();
    Message::Assistant(AssistantMessage { tool_calls, ..Default::default() })
}

fn result(id: &str, content: Content, is_error: Option<bool>) -> Message {
    Message::Tool(ToolMessage { tool_call_id: id.into(), content, is_error, ..Default::default() })
}

fn said(text: &str) -> Content {
    Content::Text(text.into())
}

fn image(url: &str) -> Part {
    Part::new(PartKind::Image { url: url.into(), detail: None })
}

pub(super) fn request(messages: Vec<Message>) -> Request {
    let sampling = Object::default().with("max_tokens", Value::Number("9".into()));
    Request { dialect: Some(Dialect::Chat), messages, sampling, ..Request::default() }
}

pub(super) type Report = Vec<(Code, String)>;

pub(super) fn try_body(request: &Request) -> Result<(Json, Report), Error> {
    let mut losses = Losses::default();
    let body = anthropic::write_request(request, Options::default(), &mut losses)?;
    Ok((Value::Object(body), codes(&losses.0)))
}

pub(super) fn body(request: &Request) -> (Json, Report) {
    try_body(request).unwrap()
}

/// The messages of a request, and the report.
fn written(messages: Vec<Message>) -> (Json, Report) {
    let (body, losses) = body(&request(messages));
    (body.get("messages").unwrap().clone(), losses)
}

fn refused(messages: Vec<Message>) -> (Kind, String) {
    let error = try_body(&request(messages)).unwrap_err();
    (error.kind, error.path.to_string())
}

/// One call and its result: the result's block and what follows it.
fn answered(content: Content, is_error: Option<bool>) -> (Json, Report) {
    let (messages, losses) = written(vec![user("q"), calls(&["a"]), result("a", content, is_error)]);
    (messages.as_array().unwrap()[2].get("content").unwrap().clone(), losses)
}

#[test]
fn results_of_a_turn_stand_in_one_message_before_what_was_said() {
    let (messages, losses) = written(vec![
        user("q"),
        calls(&["a", "b"]),
        result("b", said("B"), Some(false)),
        user("between"),
        result("a", said("A"), None),
        user("after"),
        user(" "),
    ]);
    let expected = json(
        r#"[{"role":"user","content":"q"},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"probe","input":{}},{"type":"tool_use","id":"b","name":"probe","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"B","is_error":false},{"type":"tool_result","tool_use_id":"a","content":"A"},{"type":"text","text":"between"},{"type":"text","text":"after"}]}]"#,
    );
    assert_eq!(messages, expected);
    assert_eq!(
        losses,
        [
            (Code::OrderUserAfterResults, "messages[3]".into()),
            (Code::Merged, "messages[5]".into()),
            (Code::EmptyDropped, "messages[6]".into())
        ]
    );
}

#[test]
fn the_image_of_a_failing_result_goes_behind_all_results() {
    let content = Content::Parts(vec![Part::text("link dropped"), image(PNG)]);
    let (messages, losses) = written(vec![
        user("q"),
        calls(&["a", "b"]),
        result("a", content, Some(true)),
        result("b", Content::Parts(vec![image(PNG)]), None),
        user("well?"),
    ]);
    let expected = json(
        r#"{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"link dropped"},{"type":"text","text":"[image 1 of a follows these results]"}]},
            {"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
            {"type":"text","text":"Image returned by tool call a (probe), which reported a failure:"},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},
            {"type":"text","text":"well?"}]}"#,
    );
    assert_eq!(messages.as_array().unwrap()[2], expected);
    assert_eq!(losses, [(Code::ImageHoisted, "messages[2].content[1]".into())]);
}

#[test]
fn native_blocks_of_a_failing_result_go_by_their_text() {
    let own = r#"{"type":"search_result","source":"s","title":"t","content":[]}"#;
    let found = Part {
        kind: PartKind::Text("t <s>".into()),
        extra: Extra::new(Dialect::Anthropic, json(own).as_object().unwrap().clone()),
    };
    let (blocks, losses) = answered(Content::Parts(vec![found.clone()]), Some(false));
    let kept = r#"[{"type":"tool_result","tool_use_id":"a","is_error":false,"content":[OWN]}]"#;
    assert_eq!((blocks, losses), (json(&kept.replace("OWN", own)), vec![]));
    let (blocks, losses) = answered(Content::Parts(vec![found]), Some(true));
    let text = r#"[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"t <s>"}]}]"#;
    assert_eq!(blocks, json(text));
    let codes: Vec<Code> = losses.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Code::BlockAsText, Code::TextJoined]);
    let reference = json(r#"{"type":"tool_reference","tool_name":"f"}"#);
    let reference = Part::new(PartKind::Native { dialect: Dialect::Anthropic, value: reference });
    let failed = result("a", Content::Parts(vec![reference]), Some(true));
    assert_eq!(refused(vec![calls(&["a"]), failed]), (Kind::Unsupported, "messages[1].content[0]".into()));
}

#[test]
fn between_program_and_server_the_image_stays() {
    let content = Content::Parts(vec![image(PNG)]);
    let request = request(vec![calls(&["a"]), result("a", content, Some(true))]);
    let mut losses = Losses::default();
    let body =
        anthropic::write_request(&request, Options { internal: true, target: None }, &mut losses).unwrap();
    let block =
        &body.get("messages").unwrap().as_array().unwrap()[1].get("content").unwrap().as_array().unwrap()[0];
    assert_eq!(block.get("content").unwrap().as_array().unwrap()[0].kind(), Some("image"));
    assert!(losses.0.is_empty());
}

#[test]
fn a_failing_result_is_never_blank() {
    for content in [
        said(""),
        said(" \n"),
        Content::Parts(vec![]),
        Content::Parts(vec![Part::text("")]),
        Content::Parts(vec![Part::text(" "), Part::text("")]),
    ] {
        let blanks = match &content {
            Content::Parts(parts) => parts.len(),
            Content::Text(_) => 0,
        };
        let (blocks, losses) = answered(content, Some(true));
        let expected =
            json(r#"[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"(no output)"}]"#);
        assert_eq!(blocks, expected);
        assert_eq!(losses.len(), blanks + 1);
        assert_eq!(losses[blanks], (Code::TextPlaceholder, "messages[2].content".into()));
    }
}

#[test]
fn an_empty_result_has_no_content() {
    for (content, lost) in [
        (said(""), 0),
        (Content::Parts(vec![]), 1),
        (said("\n"), 1),
        (Content::Parts(vec![Part::text("")]), 1),
    ] {
        let (blocks, losses) = answered(content, None);
        assert_eq!(blocks, json(r#"[{"type":"tool_result","tool_use_id":"a"}]"#));
        assert_eq!(losses.len(), lost, "{losses:?}");
        assert!(losses.iter().all(|(code, _)| *code == Code::EmptyDropped));
    }
}

#[test]
fn a_label_in_the_text_is_no_failure() {
    let (blocks, losses) = answered(said("Tool execution failed:\nyesterday"), None);
    let expected =
        json(r#"[{"type":"tool_result","tool_use_id":"a","content":"Tool execution failed:\nyesterday"}]"#);
    assert_eq!(blocks, expected);
    assert!(losses.is_empty());
}

#[test]
fn ids_are_fitted_on_both_sides() {
    let (messages, losses) = written(vec![
        calls(&["call:1", "call-1"]),
        result("call:1", said("x"), None),
        result("call-1", said("y"), None),
    ]);
    let (turn, answer) = (&messages.as_array().unwrap()[0], &messages.as_array().unwrap()[1]);
    let id = |message: &Json, n: usize, key: &str| {
        message.get("content").unwrap().as_array().unwrap()[n].get(key).unwrap().as_str().unwrap().to_owned()
    };
    assert_eq!(id(turn, 0, "id"), id(answer, 0, "tool_use_id"));
    assert!(id(turn, 0, "id").starts_with("call1_"));
    assert_eq!((id(turn, 1, "id"), id(answer, 1, "tool_use_id")), ("call-1".into(), "call-1".into()));
    let paths = ["messages[0].tool_calls[0].id", "messages[1].tool_call_id"];
    assert_eq!(losses, paths.map(|path| (Code::IdMapped, path.to_owned())));
}

#[test]
fn arguments_become_an_object_or_nothing() {
    let input = |arguments: &str| {
        let turn = AssistantMessage { tool_calls: vec![call("a", arguments)], ..Default::default() };
        try_body(&request(vec![Message::Assistant(turn), result("a", said("x"), None)])).map(
            |(body, losses)| {
                let turn = body.get("messages").unwrap().as_array().unwrap()[0].clone();
                (turn.get("content").unwrap().as_array().unwrap()[0].get("input").unwrap().clone(), losses)
            },
        )
    };
    let path = "messages[0].tool_calls[0].arguments";
    for nothing in ["", " \n"] {
        assert_eq!(input(nothing).unwrap(), (json("{}"), vec![(Code::ArgumentsReserialised, path.into())]));
    }
    assert_eq!(input(r#"{"b":1.0,"a":2}"#).unwrap(), (json(r#"{"b":1.0,"a":2}"#), vec![]));
    assert_eq!(input(r#"{"a": 2}"#).unwrap().1, [(Code::ArgumentsReserialised, path.into())]);
    let surrogate = input(r#"{"a":"\ud800"}"#).unwrap();
    assert_eq!(surrogate.0, json("{\"a\":\"\u{fffd}\"}"));
    assert_eq!(surrogate.1[0], (Code::SurrogateReplaced, path.into()));
    let deep = format!("{}0{}", r#"{"x":"#.repeat(509), "}".repeat(509));
    for refused in ["[1]", "null", "{\"a\":", "NaN", deep.as_str()] {
        let error = input(refused).unwrap_err();
        assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Arguments, path));
    }
}

#[test]
fn a_custom_call_is_wrapped_and_so_is_its_tool() {
    let custom = ToolCall { kind: CallKind::Custom, namespace: Some("ns".into()), ..call("a", "raw { text") };
    let turn = AssistantMessage { tool_calls: vec![custom], ..Default::default() };
    let mut request = request(vec![Message::Assistant(turn), result("a", said("x"), None)]);
    request.tools.push(Tool {
        kind: ToolKind::Custom,
        name: "probe".into(),
        namespace: Some("ns".into()),
        description: Some("d".into()),
        parameters: None,
        strict: None,
        format: Some(json(r#"{"type":"grammar","syntax":"regex","definition":"a"}"#)),
        extra: Extra::none(),
    });
    request.tool_choice = Some(ToolChoice::Tool { kind: CallKind::Custom, name: "probe".into() });
    let (body, losses) = body(&request);
    let expected = json(
        r#"{"max_tokens":9,
            "messages":[
              {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ns__probe","input":{"input":"raw { text"}}]},
              {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}],
            "tools":[{"name":"ns__probe","description":"d","input_schema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}],
            "tool_choice":{"type":"tool","name":"ns__probe"}}"#,
    );
    assert_eq!(body, expected);
    let expected = [
        (Code::CustomWrapped, "messages[0].tool_calls[0]"),
        (Code::NamespaceFolded, "messages[0].tool_calls[0].namespace"),
        (Code::NamespaceFolded, "tools[0].namespace"),
        (Code::CustomWrapped, "tools[0]"),
        (Code::ToolFieldDropped, "tools[0].format"),
    ];
    assert_eq!(losses, expected.map(|(code, path)| (code, path.to_owned())));
}

#[test]
fn system_messages_lead_or_are_refused() {
    let mut rule = SystemMessage { content: said("two"), developer: true, extra: Extra::none() };
    let (first, losses) =
        body(&request(vec![system("one"), Message::System(rule.clone()), system(""), user("q")]));
    assert_eq!(
        *first.get("system").unwrap(),
        json(r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#)
    );
    assert_eq!(
        losses,
        [
            (Code::DeveloperAsSystem, "messages[1]".into()),
            (Code::Merged, "messages[1]".into()),
            (Code::EmptyDropped, "messages[2]".into())
        ]
    );
    let (one, _) = body(&request(vec![system("one"), user("q")]));
    assert_eq!(*one.get("system").unwrap(), json("\"one\""));
    assert_eq!(refused(vec![user("q"), system("late")]), (Kind::Unsupported, "messages[1]".into()));
    rule.content = Content::Parts(vec![image(PNG)]);
    assert_eq!(
        refused(vec![Message::System(rule), user("q")]),
        (Kind::Unsupported, "messages[0].content[0]".into())
    );
}

#[test]
fn blank_turns_are_left_out() {
    let blank = |text: Option<&str>| {
        Message::Assistant(AssistantMessage { content: text.map(Into::into), ..Default::default() })
    };
    let (messages, losses) =
        written(vec![user("a"), blank(None), user(""), blank(Some(" ")), user("b"), blank(Some("c "))]);
    let expected = r#"[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":"c "}]"#;
    assert_eq!(messages, json(expected));
    assert_eq!(losses, [1, 2, 3].map(|n| (Code::EmptyDropped, format!("messages[{n}]"))));
}

#[test]
fn pairs_that_do_not_fit_are_refused() {
    assert_eq!(refused(vec![user("a"), result("x", said("r"), None)]).0, Kind::Pairing);
    assert_eq!(refused(vec![calls(&["x"]), user("a")]).0, Kind::Pairing);
    assert_eq!(refused(vec![calls(&["x", "x"]), result("x", said("r"), None)]).0, Kind::Pairing);
    assert_eq!(refused(vec![calls(&["x"]), calls(&["y"])]).0, Kind::Pairing);
}

#[test]
fn media_of_a_user_message() {
    let of = |kind: PartKind| {
        let message = UserMessage { content: Content::Parts(vec![Part::new(kind)]), extra: Extra::none() };
        try_body(&request(vec![Message::User(message)])).map(|(body, losses)| {
            let message = body.get("messages").unwrap().as_array().unwrap()[0].clone();
            (message.get("content").unwrap().as_array().unwrap()[0].clone(), losses)
        })
    };
    let file = |source: FileSource, media_type: Option<&str>| PartKind::File {
        source,
        media_type: media_type.map(Into::into),
        filename: Some("plan".into()),
    };
    let pdf = r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"plan"}"#;
    let data = || FileSource::Data("JVBERi0=".into());
    assert_eq!(of(file(data(), None)).unwrap(), (json(pdf), vec![]));
    assert_eq!(of(file(data(), Some("application/pdf"))).unwrap(), (json(pdf), vec![]));
    let text = r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"},"title":"plan"}"#;
    let lost = (Code::DocumentAsText, "messages[0].content[0]".to_owned());
    assert_eq!(of(file(FileSource::Text("a,b".into()), Some("text/csv"))).unwrap(), (json(text), vec![lost]));
    let url = r#"{"type":"document","source":{"type":"url","url":"https://a.test/p"},"title":"plan"}"#;
    assert_eq!(of(file(FileSource::Url("https://a.test/p".into()), None)).unwrap(), (json(url), vec![]));
    let detailed = PartKind::Image { url: "https://a.test/i".into(), detail: Some("high".into()) };
    let lost = (Code::ImageDetailDropped, "messages[0].content[0].detail".to_owned());
    let image = r#"{"type":"image","source":{"type":"url","url":"https://a.test/i"}}"#;
    assert_eq!(of(detailed).unwrap(), (json(image), vec![lost]));
    for kind in [
        PartKind::Audio { data: "AA==".into(), media_type: "audio/wav".into() },
        PartKind::Image { url: "data:image/svg+xml;base64,AA==".into(), detail: None },
        PartKind::Image { url: "gs://bucket/i".into(), detail: None },
        PartKind::Native { dialect: Dialect::Chat, value: json(r#"{"type":"x"}"#) },
        file(FileSource::Id("file_1".into()), None),
        file(FileSource::Data("AA==".into()), Some("application/zip")),
        file(FileSource::Url("https://a.test/p".into()), Some("text/html")),
    ] {
        let error = of(kind).unwrap_err();
        assert_eq!(
            (error.kind, error.path.to_string().as_str()),
            (Kind::Unsupported, "messages[0].content[0]")
        );
    }
}

#[test]
fn reasoning_of_another_provider_is_dropped() {
    let turn = AssistantMessage {
        content: Some("x".into()),
        reasoning_content: Some("hm".into()),
        provider_state: vec![
            json(r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}"#),
            json(r#"{"type":"reasoning.encrypted","data":"d"}"#),
            AssistantMessage::refusal_item("I will not."),
        ],
        ..Default::default()
    };
    let (messages, losses) = written(vec![user("q"), Message::Assistant(turn)]);
    let expected =
        r#"{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"text","text":"I will not."}]}"#;
    assert_eq!(messages.as_array().unwrap()[1], json(expected));
    let expected = [
        (Code::ReasoningDropped, "messages[1].provider_state[0]"),
        (Code::ReasoningDropped, "messages[1].provider_state[1]"),
        (Code::RefusalAsText, "messages[1].provider_state[2]"),
        (Code::ReasoningDropped, "messages[1].reasoning_content"),
    ];
    assert_eq!(losses, expected.map(|(code, path)| (code, path.to_owned())));
}

#[test]
fn provider_items_of_another_wire_are_refused() {
    for item in [
        r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#,
        r#"{"type":"compaction","encrypted_content":"e"}"#,
        r#"{"type":"function_call","call_id":"nowhere","encrypted_content":"e"}"#,
        r#"{"no":"type"}"#,
    ] {
        let turn = AssistantMessage { provider_state: vec![json(item)], ..Default::default() };
        assert_eq!(
            refused(vec![Message::Assistant(turn)]),
            (Kind::Unsupported, "messages[0].provider_state[0]".into()),
            "{item}"
        );
    }
}

#[test]
fn our_own_state_comes_back_reasoning_first() {
    let turn = AssistantMessage {
        content: Some("x".into()),
        reasoning_content: Some("t".into()),
        tool_calls: vec![call("a", "{}")],
        provider_state: vec![
            json(r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#),
            json(r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[]}"#),
            json(r#"{"type":"thinking","thinking":"t","signature":"s"}"#),
        ],
        ..Default::default()
    };
    let (messages, losses) = written(vec![Message::Assistant(turn), result("a", said("r"), None)]);
    let kinds = messages.as_array().unwrap()[0].get("content").unwrap().as_array().unwrap().iter();
    let kinds: Vec<_> = kinds.map(|block| block.kind().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["thinking", "server_tool_use", "web_search_tool_result", "text", "tool_use"]);
    assert_eq!(losses, [(Code::ReasoningOrderAssumed, "messages[0]".into())]);
}

#[test]
fn a_name_is_lost_only_where_the_call_does_not_say_it() {
    let named = |name: &str| {
        Message::Tool(ToolMessage {
            tool_call_id: "a".into(),
            content: said("x"),
            name: Some(name.into()),
            ..Default::default()
        })
    };
    assert_eq!(written(vec![calls(&["a"]), named("probe")]).1, []);
    let lost = (Code::NameDropped, "messages[1].name".to_owned());
    assert_eq!(written(vec![calls(&["a"]), named("other")]).1, [lost]);
}

#[test]
fn one_message_by_itself() {
    let one =
        |message: &Message| anthropic::write_message(message, Options::default(), &mut Losses::default());
    let failed = result("a", said("x"), Some(true));
    let expected = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","is_error":true}]}"#;
    assert_eq!(one(&failed).unwrap(), json(expected));
    assert_eq!(one(&system("s")).unwrap(), json(r#"{"role":"system","content":"s"}"#));
    assert_eq!(one(&user("u")).unwrap(), json(r#"{"role":"user","content":"u"}"#));
    assert_eq!(one(&user(" ")).unwrap_err().kind, Kind::Unsupported);
}
