//! What comes from this wire goes back to it unchanged, and what cannot be read says where.

mod cross;
mod leave;
mod lint;
mod outcomes;
mod property;
mod settings;
mod stale;

use crate::dialect::{Code, Loss, Losses, Options, anthropic};
use crate::error::{Error, Kind};
use crate::json::{Cursor, Json, Repeats, Value, compact, parse_text};
use crate::message::{Content, Message, PartKind, Request};

pub(super) fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

pub(super) fn read(body: &Json) -> Request {
    anthropic::read_request(Cursor::root(body)).unwrap()
}

pub(super) fn refused(text: &str) -> Error {
    anthropic::read_request(Cursor::root(&json(text))).unwrap_err()
}

pub(super) fn write(request: &Request) -> (Json, Vec<Loss>) {
    let mut losses = Losses::default();
    let body = anthropic::write_request(request, Options::default(), &mut losses).unwrap();
    (Value::Object(body), losses.0)
}

pub(super) fn codes(losses: &[Loss]) -> Vec<(Code, String)> {
    losses.iter().map(|loss| (loss.code, loss.path.to_string())).collect()
}

/// Read and written it is the same to the byte.
pub(super) fn survives(body: &Json) {
    let request = read(body);
    let (written, losses) = write(&request);
    assert_eq!(compact(&written), compact(body));
    assert!(losses.is_empty(), "{losses:?}");
}

/// Read and written it is equal; written again it is the same to the byte.
pub(super) fn equal(body: &Json) {
    let (written, losses) = write(&read(body));
    assert_eq!(written, *body, "\n{}\n{}", compact(&written), compact(body));
    assert!(losses.is_empty(), "{losses:?}");
    let (again, _) = write(&read(&written));
    assert_eq!(compact(&again), compact(&written));
}

fn messages(list: &str) -> Json {
    json(&format!(r#"{{"model":"m","max_tokens":9,"messages":[{list}]}}"#))
}

#[test]
fn every_fixture_survives() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire/anthropic");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.matches('.').count() == 1 {
            equal(&json(&std::fs::read_to_string(&path).unwrap()));
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn a_body_in_our_own_order_keeps_its_bytes() {
    survives(&messages(
        r#"{"role":"user","content":"a"},
           {"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"t","name":"f","input":{"x":1.0}}]},
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"c","is_error":true}]}"#,
    ));
}

#[test]
fn the_three_outcomes_stay_apart() {
    let body = messages(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}},{"type":"tool_use","id":"c","name":"f","input":{}}]},
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"x"},{"type":"tool_result","tool_use_id":"b","is_error":false,"content":"x"},{"type":"tool_result","tool_use_id":"c","content":"Tool execution failed:\nx"}]}"#,
    );
    equal(&body);
    let outcomes: Vec<_> = read(&body)
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::Tool(result) => Some(result.is_error),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Some(true), Some(false), None]);
}

#[test]
fn only_a_bool_is_an_outcome() {
    for wrong in ["null", "\"true\"", "1"] {
        let error = refused(&format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","is_error":{wrong}}}]}}]}}"#
        ));
        assert_eq!(error.to_string(), "messages[0].content[0].is_error: expected true or false");
        assert_eq!(error.kind, Kind::Shape);
    }
}

#[test]
fn a_marker_is_read_and_never_written() {
    let of = |fields: &str| {
        messages(&format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a"{fields}}}]}}"#
        ))
    };
    let (written, losses) = write(&read(&of(r#","_vf_is_error":true"#)));
    assert_eq!(written, of(r#","is_error":true"#));
    assert!(losses.is_empty());
    let (written, _) = write(&read(&of(r#","is_error":false,"_vf_is_error":false"#)));
    assert_eq!(written, of(r#","is_error":false"#));
    let opposed = of(r#","is_error":false,"_vf_is_error":true"#);
    let error = anthropic::read_request(Cursor::root(&opposed)).unwrap_err();
    assert_eq!(
        (error.kind, error.path.to_string().as_str()),
        (Kind::Marker, "messages[0].content[0]._vf_is_error")
    );
}

#[test]
fn a_marker_in_another_place_is_removed_and_reported() {
    let body = messages(
        r#"{"role":"user","_vf_is_error":true,"content":[{"type":"text","text":"a","_vf_is_error":1},{"type":"x","y":[{"_vf_is_error":true}]}]},
           {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"_vf_is_error":true}},{"type":"text","text":"b","_vf_is_error":false}]}"#,
    );
    let (written, losses) =
        crate::dialect::write_request(crate::message::Dialect::Anthropic, &read(&body), Options::default())
            .unwrap();
    let clean = messages(
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"x","y":[{}]}]},
           {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"text","text":"b"}]}"#,
    );
    assert_eq!(Value::from(written), clean);
    assert_eq!(losses.0.len(), 5);
    assert!(losses.0.iter().all(|loss| loss.code == Code::MarkerMisplaced), "{losses:?}");
}

#[test]
fn results_come_first_and_go_back_where_they_were() {
    let body = messages(
        r#"{"role":"user","content":[{"type":"text","text":"before"},{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"tool_result","tool_use_id":"b","content":"2"}]}"#,
    );
    equal(&body);
    let roles: Vec<_> = read(&body).messages.iter().map(Message::role).collect();
    assert_eq!(roles, ["tool", "tool", "user"]);
}

#[test]
fn native_messages_keep_their_boundaries() {
    let result = |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":[]}}"#);
    let text = r#"{"type":"text","text":"x"}"#;
    for contents in [
        vec![format!("[{}]", result("a")), format!("[{}]", result("b")), "\"x\"".to_owned()],
        vec![format!("[{},{}]", result("a"), result("b")), format!("[{text}]")],
        vec![format!("[{},{},{text}]", result("a"), result("b")), format!("[{text}]"), "[]".to_owned()],
        vec![format!("[{}]", result("a")), format!("[{},{text}]", result("b"))],
    ] {
        let list: Vec<_> = contents.iter().map(|c| format!(r#"{{"role":"user","content":{c}}}"#)).collect();
        equal(&messages(&list.join(",")));
    }
}

#[test]
fn the_typed_form_is_the_one_of_the_host() {
    let request = read(&messages(
        r#"{"role":"user","content":[{"type":"text","text":"one"}]},
           {"role":"user","content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
           {"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"thinking","thinking":"b","signature":"t"},{"type":"text","text":"x"},{"type":"text","text":"y"},{"type":"tool_use","id":"t","name":"f","input":{"k": 1.50}}]},
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"r"}]}]}"#,
    ));
    let [Message::User(first), Message::User(second), Message::Assistant(turn), Message::Tool(result)] =
        request.messages.as_slice()
    else {
        panic!("{:?}", request.messages)
    };
    assert_eq!(first.content, Content::Text("one".into()));
    let Content::Parts(parts) = &second.content else { panic!() };
    assert_eq!(parts[1].kind, PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: None });
    assert_eq!(turn.content.as_deref(), Some("xy"));
    assert_eq!(turn.reasoning_content.as_deref(), Some("ab"));
    assert_eq!(&*turn.tool_calls[0].arguments, r#"{"k":1.50}"#);
    assert_eq!(turn.provider_state.len(), 2);
    assert_eq!(result.content, Content::Text("r".into()));
}

#[test]
fn a_turn_is_kept_whole_only_where_it_has_to_be() {
    let kept = |blocks: &str| {
        let request = read(&messages(&format!(r#"{{"role":"assistant","content":{blocks}}}"#)));
        request.messages[0].extra().of(super::HERE).is_some()
    };
    let text = r#"{"type":"text","text":"x"}"#;
    let thinking = r#"{"type":"thinking","thinking":"a","signature":"s"}"#;
    let call = r#"{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"direct"}}"#;
    assert!(!kept("\"x\"") && !kept("[]"));
    assert!(!kept(&format!("[{thinking},{text},{call},{call}]")));
    assert!(!kept(&format!("[{thinking}]")) && !kept(&format!("[{call}]")));
    assert!(kept(&format!("[{text}]")) && kept(&format!("[{text},{text}]")));
    assert!(kept(&format!("[{text},{thinking}]")) && kept(&format!("[{call},{text}]")));
    assert!(kept(r#"[{"type":"text","text":""},{"type":"tool_use","id":"t","name":"f","input":{}}]"#));
}

#[test]
fn nothing_odd_panics_and_errors_name_their_place() {
    for (body, sentence) in [
        ("[]", "$: expected an object"),
        ("{}", "messages: missing"),
        (r#"{"messages":5}"#, "messages: expected a list"),
        (r#"{"messages":[null]}"#, "messages[0]: expected an object"),
        (r#"{"messages":[{"content":"x"}]}"#, "messages[0].role: missing"),
        (
            r#"{"messages":[{"role":"developer","content":"x"}]}"#,
            "messages[0].role: expected user, assistant or system",
        ),
        (r#"{"messages":[{"role":"user"}]}"#, "messages[0].content: missing"),
        (
            r#"{"messages":[{"role":"user","content":null}]}"#,
            "messages[0].content: expected a string or a list of blocks",
        ),
        (r#"{"messages":[{"role":"user","content":[1]}]}"#, "messages[0].content[0]: expected an object"),
        (
            r#"{"messages":[{"role":"user","content":[{"text":"x"}]}]}"#,
            "messages[0].content[0].type: missing",
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"text"}]}]}"#,
            "messages[0].content[0].text: missing",
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]}"#,
            "messages[0].content[0].tool_use_id: missing",
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","joined":true}]}]}"#,
            "messages[0].content[0].joined: unknown field",
        ),
        (
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":"{}"}]}]}"#,
            "messages[0].content[0].input: expected an object",
        ),
        (r#"{"messages":[],"tools":[{"name":"f"}]}"#, "tools[0].input_schema: missing"),
        (r#"{"messages":[],"tool_choice":"auto"}"#, "tool_choice: expected an object"),
        (r#"{"messages":[],"stop_sequences":[1]}"#, "stop_sequences[0]: expected a string"),
    ] {
        assert_eq!(refused(body).to_string(), sentence, "{body}");
    }
}
