//! A native form is written only while it says what the typed fields say.

use super::{codes, json, messages, read, write};
use crate::dialect::Code;
use crate::message::{Content, Message, PartKind};

const TURN: &str = r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"b"}]}"#;

#[test]
fn a_turn_that_was_edited_is_written_from_its_fields() {
    let mut request = read(&messages(TURN));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.content = Some("c".into());
    let (body, losses) = write(&request);
    let expected = messages(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"c"}]}"#,
    );
    assert_eq!(body, expected);
    assert_eq!(codes(&losses), [(Code::NativeStale, "messages[0]".into())]);
}

#[test]
fn a_call_that_was_edited_is_noticed() {
    let native = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"text","text":"b"}]}"#;
    let mut request = read(&messages(native));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.tool_calls[0].arguments = r#"{"x":1}"#.into();
    let (body, losses) = write(&request);
    let expected = r#"{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"t","name":"f","input":{"x":1}}]}"#;
    assert_eq!(body, messages(expected));
    assert_eq!(codes(&losses), [(Code::NativeStale, "messages[0]".into())]);
}

#[test]
fn a_search_result_that_was_edited_becomes_text() {
    let body = messages(
        r#"{"role":"user","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}]}]}"#,
    );
    let mut request = read(&body);
    assert_eq!(write(&request).0, body);
    let Message::User(user) = &mut request.messages[0] else { panic!() };
    let Content::Parts(parts) = &mut user.content else { panic!() };
    assert_eq!(parts[0].kind, PartKind::Text("t <s>\nx".into()));
    parts[0].kind = PartKind::Text("y".into());
    let (body, losses) = write(&request);
    assert_eq!(body, messages(r#"{"role":"user","content":[{"type":"text","text":"y"}]}"#));
    assert_eq!(codes(&losses), [(Code::NativeStale, "messages[0].content[0]".into())]);
}

#[test]
fn a_text_that_was_edited_keeps_its_cache_mark() {
    let mut request = read(&messages(
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}"#,
    ));
    let Message::User(user) = &mut request.messages[0] else { panic!() };
    user.content = Content::Text("y".into());
    let (body, losses) = write(&request);
    let expected =
        r#"{"role":"user","content":[{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]}"#;
    assert_eq!(body, messages(expected));
    assert!(losses.is_empty());
}

#[test]
fn messages_added_by_hand_find_their_place() {
    let mut request = read(&json(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}]}"#,
    ));
    for id in ["a", "b"] {
        request.messages.push(Message::Tool(crate::message::ToolMessage {
            tool_call_id: id.into(),
            content: Content::Text("r".into()),
            is_error: Some(id == "b"),
            ..Default::default()
        }));
    }
    request.messages.push(Message::User(crate::message::UserMessage {
        content: Content::Text("go on".into()),
        ..Default::default()
    }));
    let (body, losses) = write(&request);
    let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap().clone();
    let expected = json(
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r","is_error":false},{"type":"tool_result","tool_use_id":"b","content":"r","is_error":true},{"type":"text","text":"go on"}]}"#,
    );
    assert_eq!(last, expected);
    assert!(losses.is_empty());
}
