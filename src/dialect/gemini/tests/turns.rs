//! Turns of the model, the contents around them, and what has no place in a body.

use super::{codes, comes_back_as, equal, json, read, refused, write};
use crate::dialect::{Code, Losses, Options, gemini};
use crate::error::Kind;
use crate::json::{Json, MAX_DEPTH, Object, Value, compact};
use crate::message::{
    AssistantMessage, CallKind, Content, Extra, Message, Request, SystemMessage, ToolCall, UserMessage,
};

fn model(parts: &str) -> Json {
    json(&format!(r#"{{"contents":[{{"role":"model","parts":[{parts}]}}]}}"#))
}

fn turn(parts: &str) -> AssistantMessage {
    let Message::Assistant(turn) = read(&model(parts)).messages.remove(0) else { panic!() };
    turn
}

fn foreign(messages: Vec<Message>) -> Request {
    Request { messages, ..Request::default() }
}

fn said(text: &str) -> Message {
    Message::User(UserMessage { content: Content::Text(text.into()), extra: Extra::none() })
}

const THOUGHT: &str = r#"{"text":"hm","thought":true}"#;
const TEXT: &str = r#"{"text":"x"}"#;
const CALL: &str = r#"{"functionCall":{"id":"1","name":"f","args":{"k":1.50}}}"#;
const SIGNED: &str =
    r#"{"functionCall":{"id":"1","name":"f","args":{"k":1.50}},"thoughtSignature":"c2ln_w"}"#;

#[test]
fn what_a_turn_says_is_typed_and_the_rest_is_state() {
    let read = turn(&[THOUGHT, TEXT, SIGNED, CALL].join(","));
    assert_eq!((read.content.as_deref(), read.reasoning_content.as_deref()), (Some("x"), Some("hm")));
    assert_eq!(&*read.tool_calls[0].arguments, r#"{"k":1.50}"#);
    assert_eq!(read.provider_state, [json(THOUGHT), json(SIGNED)]);
    let empty = turn(r#"{"text":"a"},{"text":"b"},{"text":"","thoughtSignature":"c2ln"}"#);
    assert_eq!(empty.content.as_deref(), Some("ab"));
    assert_eq!(compact(&empty.provider_state[0]), r#"{"text":"","thoughtSignature":"c2ln"}"#);
}

#[test]
fn a_turn_is_kept_whole_only_where_it_has_to_be() {
    let kept = |parts: &[&str]| {
        equal(&model(&parts.join(",")));
        turn(&parts.join(",")).extra.of(super::super::HERE).is_some()
    };
    let code = r#"{"executableCode":{"code":"x"}}"#;
    let end = r#"{"text":"","thoughtSignature":"c2ln"}"#;
    let second = r#"{"functionCall":{"id":"2","name":"f","args":{"k":1.50}},"thoughtSignature":"c2ln"}"#;
    assert!(!kept(&[]) && !kept(&[TEXT]) && !kept(&[CALL, CALL]) && !kept(&[code]) && !kept(&[end]));
    assert!(!kept(&[THOUGHT, code, TEXT, end, SIGNED, CALL]));
    // Without an id, and with no arguments, a call is still a call.
    assert!(!kept(&[r#"{"functionCall":{"name":"f","args":{}}}"#]));
    assert!(kept(&[r#"{"functionCall":{"name":"f"}}"#]));
    assert!(kept(&[TEXT, TEXT]) && kept(&[CALL, TEXT]) && kept(&[TEXT, THOUGHT]) && kept(&[CALL, second]));
    assert!(kept(&[r#"{"text":""}"#]) && kept(&[r#"{"text":"x","partMetadata":{}}"#]));
}

/// They are found again where only the typed fields and the state came back.
#[test]
fn signatures_stay_on_their_parts_without_the_native_turn() {
    let second = r#"{"functionCall":{"id":"2","name":"f","args":{"k":1.50}}}"#;
    for parts in [
        [THOUGHT, TEXT, SIGNED, second].join(","),
        [TEXT, r#"{"text":"","thoughtSignature":"c2ln"}"#].join(","),
        [TEXT, r#"{"text":"y","thoughtSignature":"c2ln"}"#].join(","),
    ] {
        let mut turn = turn(&parts);
        turn.extra = Extra::none();
        let message = Message::Assistant(turn);
        let (written, losses) =
            crate::dialect::write_message(crate::message::Dialect::Gemini, &message, Options::default())
                .unwrap();
        let contents = Object::default().with("contents", written);
        assert_eq!(Value::from(contents), model(&parts));
        assert!(losses.0.iter().all(|loss| loss.code == Code::ReasoningOrderAssumed), "{losses:?}");
    }
}

#[test]
fn a_signature_goes_with_what_it_signed() {
    let parts = [SIGNED, CALL].join(",");
    let mut request = read(&model(&parts));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.tool_calls[0].arguments = "{}".into();
    turn.tool_calls.pop();
    let (body, losses) = write(&request);
    assert_eq!(body, model(r#"{"functionCall":{"id":"1","name":"f","args":{}}}"#));
    assert_eq!(codes(&losses), [(Code::ReasoningDropped, "messages[0].provider_state[0]".to_owned())]);
    let mut request = read(&model(r#"{"text":"x","thoughtSignature":"c2ln"}"#));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.content = Some("y".into());
    let (body, losses) = write(&request);
    assert_eq!(body, model(r#"{"text":"y"}"#));
    assert_eq!(codes(&losses), [(Code::ReasoningDropped, "messages[0].provider_state[0]".to_owned())]);
    let mut request = read(&model(&[CALL, TEXT].join(",")));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.content = None;
    let (body, losses) = write(&request);
    assert_eq!(body, model(CALL));
    assert_eq!(codes(&losses), [(Code::NativeStale, "messages[0]".to_owned())]);
}

#[test]
fn a_call_of_another_model_gets_a_stand_in_where_that_is_asked_for() {
    let chat = json(
        r#"{"model":"gemini-3-pro","messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"},{"role":"tool","tool_call_id":"2","content":"y"}]}"#,
    );
    let request = crate::dialect::read_request(crate::message::Dialect::Chat, &chat).unwrap();
    let signed = |target| {
        let options = Options { target, ..Options::default() };
        let mut losses = Losses::default();
        let body = Value::Object(gemini::write_request(&request, options, &mut losses).unwrap());
        (
            compact(&body).matches(r#""thoughtSignature":"skip_thought_signature_validator""#).count(),
            losses.0.len(),
        )
    };
    // Nothing is made up unless it is asked for; but it is said that something is missing.
    assert_eq!(signed(None), (0, 1));
    assert_eq!(signed(crate::dialect::targets::named("gemini-3-moved")), (1, 1));
}

#[test]
fn state_of_other_wires_is_left_or_refused() {
    let with = |item: &str| {
        let turn = AssistantMessage {
            content: Some("x".into()),
            provider_state: vec![json(item)],
            ..AssistantMessage::default()
        };
        let mut losses = Losses::default();
        let body =
            gemini::write_request(&foreign(vec![Message::Assistant(turn)]), Options::default(), &mut losses);
        body.map(|body| (Value::Object(body), losses.0.iter().map(|loss| loss.code).collect::<Vec<_>>()))
    };
    for opaque in [
        r#"{"type":"thinking","thinking":"a","signature":"s"}"#,
        r#"{"type":"reasoning","id":"rs","encrypted_content":"e"}"#,
        r#"{"type":"reasoning.encrypted","data":"e"}"#,
        r#"{"reasoningContent":{"redactedContent":"e"}}"#,
    ] {
        assert_eq!(with(opaque).unwrap(), (model(TEXT), vec![Code::ReasoningDropped]), "{opaque}");
    }
    let refusal = compact(&AssistantMessage::refusal_item("no"));
    assert_eq!(with(&refusal).unwrap(), (model(r#"{"text":"x"},{"text":"no"}"#), vec![Code::RefusalAsText]));
    for hosted in [r#"{"type":"web_search_call","id":"ws"}"#, r#"{"toolUse":{}}"#, r#"{"new":1}"#] {
        assert_eq!(with(hosted).unwrap_err().kind, Kind::Unsupported, "{hosted}");
    }
    let code = r#"{"executableCode":{"code":"x"}}"#;
    assert_eq!(with(code).unwrap(), (model(&[code, TEXT].join(",")), vec![]));
}

#[test]
fn arguments_are_an_object() {
    let with = |arguments: &str, kind| {
        let call = ToolCall {
            id: "1".into(),
            name: "f".into(),
            arguments: arguments.into(),
            kind,
            namespace: Some("ns".into()),
            extra: Extra::none(),
        };
        let turn = AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() };
        crate::dialect::write_message(
            crate::message::Dialect::Gemini,
            &Message::Assistant(turn),
            Options::default(),
        )
    };
    let (written, losses) = with(r#"{ "a": 1.0 }"#, CallKind::Function).unwrap();
    let expected =
        r#"{"role":"model","parts":[{"functionCall":{"id":"1","name":"ns__f","args":{"a":1.0}}}]}"#;
    assert_eq!(compact(&written[0]), expected);
    let told = [Code::ArgumentsReserialised, Code::NamespaceFolded];
    assert_eq!(losses.0.iter().map(|loss| loss.code).collect::<Vec<_>>(), told);
    let (written, _) = with("raw { text", CallKind::Custom).unwrap();
    assert!(compact(&written[0]).contains(r#""args":{"input":"raw { text"}"#));
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(MAX_DEPTH - 6), "]".repeat(MAX_DEPTH - 6));
    for arguments in ["[1]", "{\"cut", "null", &deep] {
        let error = with(arguments, CallKind::Function).unwrap_err();
        assert_eq!(
            (error.kind, error.path.to_string().as_str()),
            (Kind::Arguments, "tool_calls[0].arguments")
        );
    }
}

#[test]
fn contents_of_one_role_become_one() {
    let turn = |text: &str| {
        Message::Assistant(AssistantMessage { content: Some(text.into()), ..AssistantMessage::default() })
    };
    let (body, losses) =
        write(&foreign(vec![said("a"), said(""), said("b"), turn("c"), turn("d"), turn(""), said("e")]));
    let expected = r#"{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"model","parts":[{"text":"c"},{"text":"d"}]},{"role":"user","parts":[{"text":"e"}]}]}"#;
    assert_eq!(compact(&body), expected);
    let at = |code, n: usize| (code, format!("messages[{n}]"));
    let told =
        [at(Code::EmptyDropped, 1), at(Code::Merged, 2), at(Code::Merged, 4), at(Code::EmptyDropped, 5)];
    assert_eq!(codes(&losses), told);
    // Those that were read apart stay apart.
    let user = r#"{"role":"user","parts":[{"text":"a"}]}"#;
    equal(&json(&format!(r#"{{"contents":[{user},{user}]}}"#)));
}

#[test]
fn there_is_one_system_instruction_and_it_comes_first() {
    let system = |text: &str, developer| {
        let content = Content::Text(text.into());
        Message::System(SystemMessage { content, developer, extra: Extra::none() })
    };
    let (body, losses) = write(&foreign(vec![system("a", false), system("b", true), said("x")]));
    let expected = r#"{"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]},"contents":[{"role":"user","parts":[{"text":"x"}]}]}"#;
    assert_eq!(compact(&body), expected);
    let told =
        [(Code::Merged, "messages[1]".to_owned()), (Code::DeveloperAsSystem, "messages[1]".to_owned())];
    assert_eq!(codes(&losses), told);
    let late = foreign(vec![said("x"), system("a", false)]);
    let error = gemini::write_request(&late, Options::default(), &mut Losses::default()).unwrap_err();
    assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Unsupported, "messages[1]"));
    for says_nothing in ["null", "\"\"", r#"{"parts":[]}"#, "{}"] {
        let body = json(&format!(r#"{{"contents":[],"systemInstruction":{says_nothing}}}"#));
        equal(&body);
        assert!(read(&body).messages.is_empty());
    }
    let as_text = json(r#"{"contents":"hello","systemInstruction":"rules"}"#);
    let whole = r#"{"systemInstruction":{"parts":[{"text":"rules"}]},"contents":[{"role":"user","parts":[{"text":"hello"}]}]}"#;
    comes_back_as(&as_text, &json(whole));
}

#[test]
fn older_roles_are_those_of_the_user() {
    for role in [r#""role":"function","#, r#""role":"tool","#, r#""role":"user","#, ""] {
        let body = json(&format!(
            r#"{{"contents":[{{{role}"parts":[{{"functionResponse":{{"name":"f","response":{{"output":"x"}}}}}},{{"text":"y"}}]}}]}}"#
        ));
        equal(&body);
        let roles: Vec<_> = read(&body).messages.iter().map(Message::role).collect();
        assert_eq!(roles, ["tool", "user"]);
    }
    equal(&json(
        r#"{"contents":[{"role":"user"},{"role":"model"},{"role":"user","parts":[]},{"role":"model","parts":[]}]}"#,
    ));
}

#[test]
fn nothing_odd_panics_and_errors_name_their_place() {
    for (body, sentence) in [
        ("[]", "$: expected an object"),
        ("{}", "contents: missing"),
        (r#"{"contents":5}"#, "contents: expected a list"),
        (r#"{"contents":[null]}"#, "contents[0]: expected an object"),
        (r#"{"contents":[{"role":5}]}"#, "contents[0].role: expected a string"),
        (r#"{"contents":[{"role":"assistant","parts":[]}]}"#, "contents[0].role: expected user or model"),
        (r#"{"contents":[{"parts":{}}]}"#, "contents[0].parts: expected a list"),
        (r#"{"contents":[{"parts":[1]}]}"#, "contents[0].parts[0]: expected an object"),
        (r#"{"contents":[{"parts":[{"text":5}]}]}"#, "contents[0].parts[0].text: expected a string"),
        (
            r#"{"contents":[{"parts":[{"functionCall":{"name":"f"}}]}]}"#,
            "contents[0].parts[0].functionCall: stands outside a turn of the model",
        ),
        (
            r#"{"contents":[{"role":"model","parts":[{"functionResponse":{"name":"f"}}]}]}"#,
            "contents[0].parts[0].functionResponse: stands in a turn of the model",
        ),
        (
            r#"{"contents":[{"role":"model","parts":[{"functionCall":{}}]}]}"#,
            "contents[0].parts[0].functionCall.name: missing",
        ),
        (
            r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":"{}"}}]}]}"#,
            "contents[0].parts[0].functionCall.args: expected an object",
        ),
        (
            r#"{"contents":[{"parts":[{"functionResponse":5}]}]}"#,
            "contents[0].parts[0].functionResponse: expected an object",
        ),
        (
            r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","joined":true}}]}]}"#,
            "contents[0].parts[0].functionResponse.joined: unknown field",
        ),
        (r#"{"contents":[],"systemInstruction":{"parts":5}}"#, ""),
        (r#"{"contents":[],"systemInstruction":5}"#, "systemInstruction: expected an object"),
    ] {
        if sentence.is_empty() {
            equal(&json(body));
        } else {
            assert_eq!(refused(body).to_string(), sentence, "{body}");
        }
    }
}

#[test]
fn a_model_that_wants_signatures_is_told_where_there_are_none() {
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#
        )
    };
    for (model, expected) in [("gemini-3-pro", vec!["messages[4].tool_calls[0]"]), ("gemini-2.5-pro", vec![])]
    {
        let body = format!(
            r#"{{"model":"{model}","messages":[{{"role":"user","content":"a"}},{},{{"role":"user","content":"b"}},{}]}}"#,
            call("1"),
            call("2")
        );
        let request = crate::dialect::read_request(crate::message::Dialect::Chat, &json(&body)).unwrap();
        let (_, losses) =
            crate::dialect::write_request(crate::message::Dialect::Gemini, &request, Options::default())
                .unwrap();
        let missing = losses.0.iter().filter(|loss| loss.code == Code::SignatureMissing);
        assert_eq!(missing.map(|loss| loss.path.to_string()).collect::<Vec<_>>(), expected);
    }
}
