//! From every other wire to this one and back, and what others lose of this one.

use super::{converted, fixtures, json, read, write};
use crate::dialect::{Code, Options, convert, read_request, write_request};
use crate::json::{Json, Parsed, Repeats, Value, compact, parse_text};
use crate::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
use crate::message::{Content, Message, PartKind, Request, ToolMessage};

const OTHERS: [Dialect; 4] = [Chat, Responses, Anthropic, Gemini];

fn text_of(content: &Content) -> String {
    match content {
        Content::Text(text) => text.to_string(),
        Content::Parts(parts) => {
            let shown = parts.iter().map(|part| match &part.kind {
                PartKind::Text(text) => text.to_string(),
                PartKind::Image { url, .. } => format!("<{url}>"),
                PartKind::File { source, media_type, .. } => format!("<{media_type:?} {source:?}>"),
                other => format!("<{other:?}>"),
            });
            shown.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Who said what, which calls with which ids and arguments, and the results with their outcomes.
fn told(request: &Request) -> Vec<String> {
    let mut told = Vec::new();
    for message in &request.messages {
        match message {
            Message::Assistant(turn) => {
                told.push(format!("assistant {:?}", turn.content.as_deref().unwrap_or_default()));
                for call in &turn.tool_calls {
                    let arguments = parse_text(&call.arguments, Repeats::LastWins).unwrap().value;
                    told.push(format!("call {} {} {}", call.id, call.name, compact(&arguments)));
                }
            }
            Message::Tool(ToolMessage { tool_call_id, content, is_error, .. }) => {
                told.push(format!("result {tool_call_id} {is_error:?} {:?}", text_of(content)));
            }
            Message::User(user) if !user.content.is_blank() => {
                told.push(format!("user {:?}", text_of(&user.content)));
            }
            Message::System(system) => told.push(format!("system {:?}", text_of(&system.content))),
            Message::User(_) => {}
        }
    }
    told
}

fn parsed(body: &Json) -> Parsed<'_> {
    Parsed { value: body.clone(), replaced: Vec::new() }
}

/// Losses after which a conversation does not read the same.
const MOVED: [Code; 13] = [
    Code::OutcomeLabelled,
    Code::OutcomeSuccessUnexpressed,
    Code::ImageHoisted,
    Code::DocumentHoisted,
    Code::TextJoined,
    Code::TextPlaceholder,
    Code::TurnReordered,
    Code::CustomWrapped,
    Code::RefusalAsText,
    Code::EmptyDropped,
    Code::Merged,
    Code::DeveloperAsSystem,
    Code::IdMapped,
];

#[test]
fn samples_of_other_wires_come_back() {
    let mut whole = 0;
    for dialect in OTHERS {
        for (name, body) in fixtures(dialect) {
            let source = read_request(dialect, &body).unwrap();
            let Ok((middle, losses)) = converted(dialect, &body) else { continue };
            // What was written is a body of this wire like any other.
            let there = read(&middle);
            let (again, more) = write(&there);
            assert_eq!((again, more), (middle.clone(), vec![]), "{name}");
            let joined = |code: &Code| *code == Code::TextJoined;
            if losses.iter().any(|(code, _)| MOVED.contains(code) && !joined(code)) {
                continue;
            }
            assert_eq!(told(&there), told(&source), "{name}");
            let (back, more) = convert(Bedrock, dialect, &parsed(&middle)).unwrap();
            if more.0.iter().any(|loss| MOVED.contains(&loss.code)) {
                continue;
            }
            whole += 1;
            let back = read_request(dialect, &Value::Object(back)).unwrap();
            assert_eq!(told(&back), told(&source), "{name}");
        }
    }
    assert!(whole >= 10, "{whole}");
}

#[test]
fn samples_of_this_wire_come_back() {
    let mut whole = 0;
    for (name, body) in fixtures(Bedrock) {
        for dialect in OTHERS {
            let Ok((middle, losses)) = convert(Bedrock, dialect, &parsed(&body)) else { continue };
            // A system message in the conversation goes to models that are named for it only.
            let Ok((back, more)) = converted(dialect, &Value::Object(middle)) else { continue };
            let codes = losses.0.iter().map(|loss| loss.code).chain(more.iter().map(|(code, _)| *code));
            if codes.into_iter().any(|code| MOVED.contains(&code)) {
                continue;
            }
            whole += 1;
            assert_eq!(told(&read(&back)), told(&read(&body)), "{name} by {dialect}");
        }
    }
    assert!(whole >= 10, "{whole}");
}

/// What another wire loses of a conversation in which this turn, or this user content, stands.
fn lost(target: Dialect, turn: &str, user: &str) -> Result<Vec<String>, String> {
    let body = json(&format!(
        r#"{{"modelId":"m","messages":[{{"role":"user","content":[{{"text":"go"}}]}},
        {{"role":"assistant","content":[{turn}{{"toolUse":{{"toolUseId":"t1","name":"f","input":{{}}}}}}]}},
        {{"role":"user","content":[{user}]}}],"inferenceConfig":{{"maxTokens":9}}}}"#
    ));
    let (_, losses) = write_request(target, &read(&body), Options::default()).map_err(|e| e.to_string())?;
    Ok(losses.0.iter().map(|loss| format!("{}: {}", loss.path, loss.code)).collect())
}

#[test]
fn what_only_this_wire_says_is_reported_elsewhere() {
    let plain = r#"{"toolResult":{"toolUseId":"t1","content":[{"text":"x"}]}}"#;
    for (turn, user, expected) in [
        ("", plain, vec![]),
        (
            "",
            r#"{"toolResult":{"toolUseId":"t1","content":[{"text":"x"}]}},{"cachePoint":{"type":"default"}}"#,
            vec!["messages[2].cachePoint: cache.dropped"],
        ),
        (
            r#"{"text":"a"},{"cachePoint":{"type":"default"}},"#,
            plain,
            vec!["messages[1].content[1]: cache.dropped"],
        ),
        (
            r#"{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},"#,
            plain,
            vec!["messages[1].provider_state[0]: reasoning.dropped"],
        ),
        (
            r#"{"citationsContent":{"content":[{"text":"a"}],"citations":[{"title":"t"}]}},"#,
            plain,
            vec!["messages[1].content[0]: citations.dropped"],
        ),
        (
            "",
            r#"{"toolResult":{"toolUseId":"t1","content":[{"json":{"a":1}}]}}"#,
            vec!["messages[2].content: structured.as_text"],
        ),
        (
            "",
            r#"{"toolResult":{"toolUseId":"t1","content":[{"searchResult":{"source":"s","title":"t","content":[]}}]}}"#,
            vec!["messages[2].content[0]: block.as_text"],
        ),
    ] {
        for dialect in [Chat, Responses, Anthropic] {
            let reported = lost(dialect, turn, user).unwrap();
            for loss in &expected {
                assert!(reported.iter().any(|told| told == loss), "{dialect} {loss}: {reported:?}");
            }
            let known = ["reasoning", "text.joined"];
            let others = reported.iter().filter(|told| !known.iter().any(|known| told.contains(known)));
            assert!(others.clone().count() <= expected.len(), "{dialect}: {reported:?}");
        }
    }
    let ran = r#"{"toolUse":{"toolUseId":"s","name":"nova_grounding","input":{},"type":"server_tool_use"}},"#;
    for (turn, user) in [
        (ran, plain),
        ("", &*format!(r#"{plain},{{"video":{{"format":"mp4","source":{{"bytes":"AA=="}}}}}}"#)),
        (
            "",
            &*format!(
                r#"{plain},{{"image":{{"format":"png","source":{{"s3Location":{{"uri":"s3://b/k"}}}}}}}}"#
            ),
        ),
    ] {
        for dialect in OTHERS {
            assert!(lost(dialect, turn, user).is_err(), "{dialect} {turn} {user}");
        }
    }
}
