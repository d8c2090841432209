//! Whatever another wire said: what is written keeps the rules of the API that its types do not show.

use super::{read, write};
use crate::dialect::{Losses, Options, anthropic};
use crate::json::{Json, Value, compact};
use crate::message::{
    AssistantMessage, CallKind, Content, Extra, FileSource, Message, Part, PartKind, Request, ToolCall,
    ToolMessage, UserMessage,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just(" \n".to_owned()), "[a-z ]{1,5}"]
}

fn part() -> impl Strategy<Value = Part> {
    let image = Just(PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: None });
    let file = Just(PartKind::File {
        source: FileSource::Url("https://a.test/x.pdf".into()),
        media_type: None,
        filename: None,
    });
    let kind = prop_oneof![2 => text().prop_map(|t| PartKind::Text(t.into())), 1 => image, 1 => file];
    kind.prop_map(Part::new)
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![text().prop_map(|t| Content::Text(t.into())), vec(part(), 0..4).prop_map(Content::Parts),]
}

fn user() -> impl Strategy<Value = Message> {
    content().prop_map(|content| Message::User(UserMessage { content, extra: Extra::none() }))
}

/// A turn with its results in any order, and what was said among them.
fn exchange() -> impl Strategy<Value = Vec<Message>> {
    let results = vec((content(), option::of(any::<bool>())), 0..4);
    (option::of(text()), results, vec(user(), 0..3)).prop_flat_map(|(content, results, said)| {
        let id = |n: usize| format!("call.{n}");
        let calls = results.iter().enumerate().map(|(n, _)| ToolCall {
            id: id(n).into(),
            name: "f".into(),
            arguments: "".into(),
            kind: if n == 1 { CallKind::Custom } else { CallKind::Function },
            namespace: None,
            extra: Extra::none(),
        });
        let turn = AssistantMessage {
            content: content.map(Into::into),
            tool_calls: calls.collect(),
            ..Default::default()
        };
        let results = results.into_iter().enumerate().map(|(n, (content, is_error))| {
            Message::Tool(ToolMessage { tool_call_id: id(n).into(), content, is_error, ..Default::default() })
        });
        let behind: Vec<Message> = results.chain(said).collect();
        Just(behind).prop_shuffle().prop_map(move |mut messages| {
            messages.insert(0, Message::Assistant(turn.clone()));
            messages
        })
    })
}

fn blocks(message: &Json) -> Vec<Json> {
    match message.get("content").unwrap() {
        Value::Array(blocks) => blocks.clone(),
        text => vec![super::json(&format!(r#"{{"type":"text","text":{}}}"#, compact(text)))],
    }
}

fn of(block: &Json, key: &str) -> String {
    block.get(key).unwrap().as_str().unwrap().to_owned()
}

/// The rules, and the outcomes in order of the results.
fn lint(body: &Json) -> Vec<Option<bool>> {
    let messages = body.get("messages").unwrap().as_array().unwrap();
    let mut outcomes = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        let blocks = blocks(message);
        assert!(!blocks.is_empty());
        let results = blocks.iter().take_while(|b| b.kind() == Some("tool_result")).count();
        let mut answered: Vec<String> = blocks[..results].iter().map(|b| of(b, "tool_use_id")).collect();
        answered.sort();
        assert_eq!(answered, open);
        open = blocks.iter().filter(|b| b.kind() == Some("tool_use")).map(|b| of(b, "id")).collect();
        open.sort();
        assert!(open.iter().all(|id| !id.contains('.')));
        for (n, block) in blocks.iter().enumerate() {
            match block.kind().unwrap() {
                "text" => assert!(!of(block, "text").trim().is_empty()),
                "tool_result" => {
                    assert!(n < results, "a result behind other content");
                    outcomes.push(block.get("is_error").map(|outcome| *outcome == Value::Bool(true)));
                    lint_result(block);
                }
                _ => {}
            }
        }
    }
    assert!(open.is_empty());
    outcomes
}

fn lint_result(block: &Json) {
    let failed = block.get("is_error") == Some(&Value::Bool(true));
    if block.get("content").is_none() {
        assert!(!failed);
        return;
    }
    let inner = blocks(block);
    assert!(!inner.is_empty());
    for part in inner {
        match part.kind() {
            Some("text") => assert!(!of(&part, "text").trim().is_empty()),
            _ => assert!(!failed, "a failing result with more than text"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_keeps_the_rules(first in user(), turns in vec(exchange(), 0..4)) {
        let messages: Vec<Message> = std::iter::once(first).chain(turns.into_iter().flatten()).collect();
        let expected: Vec<Option<bool>> = messages
            .iter()
            .filter_map(|m| match m {
                Message::Tool(result) => Some(result.is_error),
                _ => None,
            })
            .collect();
        let request = Request { messages, ..Request::default() };
        let mut losses = Losses::default();
        let body = Value::Object(anthropic::write_request(&request, Options::default(), &mut losses).unwrap());
        prop_assert_eq!(lint(&body), expected);
        // It is a body of this wire like any other.
        let (again, more) = write(&read(&body));
        prop_assert_eq!(compact(&again), compact(&body));
        prop_assert!(more.is_empty());
    }
}
