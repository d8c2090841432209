//! Chat bodies survive a reading and a writing, and what another wire's conversation becomes here.

use crate::dialect::{Code, Options, read_request, write_request};
use crate::json::{Json, Repeats, Value, compact, parse_text};
use crate::message::{
    AssistantMessage, Content, Dialect, Message, Part, PartKind, Request, ToolCall, ToolMessage,
};
use proptest::prelude::*;

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

fn again(body: &Json, internal: bool) -> Json {
    let request = read_request(Dialect::Chat, body).unwrap();
    Value::from(write_request(Dialect::Chat, &request, Options { internal, target: None }).unwrap().0)
}

fn stays(body: &Json) {
    let once = again(body, true);
    assert_eq!(&once, body);
    assert_eq!(compact(&again(&once, true)), compact(&once));
}

#[test]
fn odd_but_legal_bodies_stay() {
    for message in [
        r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"assistant","content":null,"refusal":"no","tool_calls":null,"audio":null,"name":"a"}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"no"},{"type":"text","text":"b"}]}"#,
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"c","index":0,"type":"custom","custom":{"name":"f","input":"x"}}]}"#,
        r#"{"role":"assistant","content":"a","reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r","signature":"s"}]}"#,
        r#"{"role":"assistant","content":"a","reasoning_content":""}"#,
        r#"{"role":"assistant","content":"a","reasoning_content":"r"}"#,
        r#"{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}],"_vf_is_error":false}"#,
        r#"{"role":"tool","tool_call_id":"c","name":"f","content":"x","_vf_is_error":true}"#,
        r#"{"role":"user","name":"bob","content":[{"type":"image_url","image_url":{"url":"data:image/png;charset=x;base64,aa","detail":"low","x":1}},{"type":"input_audio","input_audio":{"data":"aa","format":"mp3"}},{"type":"input_audio","input_audio":{"data":"aa","format":"flac"}},{"type":"file","file":{"file_data":"data:application/pdf;charset=x;base64,aa","filename":"f.pdf"}},{"type":"file","file":{"file_id":"f1","file_data":"x"}},{"type":"hologram","beam":7}]}"#,
        r#"{"role":"assistant","audio":{"id":"a"}}"#,
        r#"{"role":"assistant","content":null,"audio":{"id":"a"}}"#,
        r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}"#,
        r#"{"role":"assistant","content":[{"type":"refusal","refusal":"a"}],"refusal":"b"}"#,
        r#"{"role":"developer","content":"x"}"#,
    ] {
        stays(&json(&format!(r#"{{"model":"m","messages":[{message}]}}"#)));
    }
    stays(&json(
        r#"{"messages":[],"max_completion_tokens":5,"max_tokens":6,"stop":"a","temperature":1.50,"seed":null,"tools":[],
        "tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"custom","custom":{"name":"q"}}]}},"store":true}"#,
    ));
    stays(&json(
        r#"{"messages":[],"stop":["a"],"tools":[{"type":"custom","custom":{"name":"q","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"d"}}}},
        {"type":"function","function":{"name":"f","strict":null,"description":"","parameters":{"type":"object"}},"x":1},{"type":"hosted","size":3}],"tool_choice":"required"}"#,
    ));
}

fn from_elsewhere(messages: Vec<Message>) -> (Json, Vec<Code>) {
    let request = Request { messages, ..Request::default() };
    let (body, losses) = write_request(Dialect::Chat, &request, Options::default()).unwrap();
    (Value::from(body), losses.0.into_iter().map(|loss| loss.code).collect())
}

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "snap".into(),
        arguments: "{}".into(),
        kind: Default::default(),
        namespace: None,
        extra: Default::default(),
    }
}

#[test]
fn an_image_of_a_failing_result_is_hoisted_behind_all_results() {
    let image = PartKind::Image { url: "data:image/png;base64,aa".into(), detail: None };
    let result = |id: &str, content, is_error| {
        Message::Tool(ToolMessage { tool_call_id: id.into(), content, is_error, ..Default::default() })
    };
    let (body, codes) = from_elsewhere(vec![
        Message::Assistant(AssistantMessage { tool_calls: vec![call("a"), call("b")], ..Default::default() }),
        result("a", Content::Parts(vec![Part::text("half"), Part::new(image)]), Some(true)),
        result("b", Content::Text("fine".into()), Some(false)),
    ]);
    assert_eq!(
        body.get("messages").unwrap().as_array().unwrap()[1..],
        json(
            r#"[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"Tool execution failed:\n"},{"type":"text","text":"half"},
            {"type":"text","text":"[image 1 of a follows in the next user message]"}]},
            {"role":"tool","tool_call_id":"b","content":"fine"},
            {"role":"user","content":[{"type":"text","text":"Image returned by tool call a (snap), which reported a failure:"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,aa"}}]}]"#
        )
        .as_array()
        .unwrap()[..]
    );
    assert_eq!(codes, [Code::ImageHoisted, Code::OutcomeLabelled, Code::OutcomeSuccessUnexpressed]);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("Tool execution failed:\nx".to_owned()), ".{0,12}"]
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        text().prop_map(|t| format!(r#"{{"type":"text","text":{}}}"#, quoted(&t))),
        text().prop_map(|t| format!(r#"{{"type":"image_url","image_url":{{"url":{}}}}}"#, quoted(&t))),
        Just(r#"{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}"#.to_owned()),
        Just(
            r#"{"type":"file","file":{"file_data":"data:application/pdf;base64,aa","filename":"f"}}"#
                .to_owned()
        ),
        Just(r#"{"type":"other","n":[1.0,{"a":null}]}"#.to_owned()),
    ]
}

fn quoted(text: &str) -> String {
    compact(&Value::from(text))
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        text().prop_map(|t| quoted(&t)),
        prop::collection::vec(part(), 0..4).prop_map(|parts| format!("[{}]", parts.join(",")))
    ]
}

fn message() -> impl Strategy<Value = String> {
    let marker = prop_oneof![Just(""), Just(r#","_vf_is_error":true"#), Just(r#","_vf_is_error":false"#)];
    let call = (text(), text()).prop_map(|(name, arguments)| {
        format!(
            r#"{{"id":"c","type":"function","function":{{"name":{},"arguments":{}}}}}"#,
            quoted(&name),
            quoted(&arguments)
        )
    });
    prop_oneof![
        content().prop_map(|c| format!(r#"{{"role":"user","content":{c}}}"#)),
        content().prop_map(|c| format!(r#"{{"role":"system","content":{c},"name":"n"}}"#)),
        (content(), marker)
            .prop_map(|(c, m)| format!(r#"{{"role":"tool","tool_call_id":"c","content":{c}{m}}}"#)),
        (text(), prop::collection::vec(call, 1..3)).prop_map(|(t, calls)| {
            format!(r#"{{"role":"assistant","content":{},"tool_calls":[{}]}}"#, quoted(&t), calls.join(","))
        }),
    ]
}

proptest! {
    #[test]
    fn any_body_stays(messages in prop::collection::vec(message(), 0..6)) {
        stays(&json(&format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","))));
    }

    #[test]
    fn no_marker_leaves(messages in prop::collection::vec(message(), 0..6)) {
        let body = json(&format!(r#"{{"messages":[{}]}}"#, messages.join(",")));
        let out = compact(&again(&body, false));
        prop_assert!(!out.contains("\"_vf_is_error\""));
        prop_assert_eq!(compact(&again(&json(&out), false)), out);
    }
}
