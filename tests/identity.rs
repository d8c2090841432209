//! Identity against the vectors that the plain-Python reference wrote; Python reads the same file.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use toolwire::identity;
use toolwire::json::{Cursor, Json, Repeats, Value, canonical_number, canonical_text, parse_text};
use toolwire::message::{AssistantMessage, Message, Tool, ToolCall, message_from_plain, tool_from_plain};

fn vectors() -> Json {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/identity.json");
    let text = std::fs::read_to_string(path).unwrap();
    parse_text(&text, Repeats::Refused).unwrap().value.into_owned()
}

fn each(vectors: &Json, group: &str, mut check: impl FnMut(&str, &Json)) {
    let group = vectors.get(group).and_then(Value::as_array).unwrap();
    assert!(!group.is_empty());
    for vector in group {
        check(text(vector, "name"), vector);
    }
}

fn text<'a>(vector: &'a Json, key: &str) -> &'a str {
    vector.get(key).and_then(Value::as_str).unwrap_or("")
}

fn message(plain: &Value<'_>) -> Message {
    message_from_plain(Cursor::root(plain)).unwrap()
}

#[test]
fn messages() {
    let vectors = vectors();
    each(&vectors, "messages", |name, vector| {
        let identity = identity::of(&message(vector.get("message").unwrap())).to_string();
        assert_eq!(identity, text(vector, "identity"), "{name}");
    });
    each(&vectors, "texts", |name, vector| {
        let parsed = parse_text(text(vector, "text"), Repeats::LastWins).unwrap();
        assert_eq!(identity::of(&message(&parsed.value)).to_string(), text(vector, "identity"), "{name}");
    });
}

#[test]
fn numbers() {
    each(&vectors(), "numbers", |_, vector| {
        let literal = text(vector, "literal");
        let expected = vector.get("canonical").and_then(Value::as_str);
        assert_eq!(canonical_number(literal).as_deref(), expected, "{literal}");
    });
}

/// A text, or pieces that are repeated so that the file stays small.
fn spelled(text: &Json) -> String {
    if let Some(text) = text.as_str() {
        return text.to_owned();
    }
    let pieces = text.get("repeat").and_then(Value::as_array).unwrap();
    pieces
        .iter()
        .map(|piece| {
            let piece = piece.as_array().unwrap();
            piece[0].as_str().unwrap().repeat(count(&piece[1]))
        })
        .collect()
}

fn count(value: &Json) -> usize {
    match value {
        Value::Number(n) => n.parse().unwrap(),
        _ => panic!("not a number"),
    }
}

#[test]
fn arguments() {
    each(&vectors(), "arguments", |name, vector| {
        let arguments = spelled(vector.get("text").unwrap());
        let canonical = canonical_text(&arguments);
        match vector.get("canonical").unwrap() {
            Value::Null => assert!(canonical.is_none(), "{name}"),
            Value::String(expected) => {
                assert_eq!(canonical.as_deref(), Some(expected.as_bytes()), "{name}");
            }
            long => assert_eq!(canonical.map(|c| c.len()), Some(count(long.get("bytes").unwrap())), "{name}"),
        }
        let call = ToolCall {
            id: "call_1".into(),
            name: "f".into(),
            arguments: arguments.into(),
            kind: Default::default(),
            namespace: None,
            extra: Default::default(),
        };
        let message = Message::Assistant(AssistantMessage { tool_calls: vec![call], ..Default::default() });
        assert_eq!(identity::of(&message).to_string(), text(vector, "identity"), "{name}");
    });
}

#[test]
fn tools() {
    each(&vectors(), "tools", |name, vector| {
        let tools: Vec<Tool> = match vector.get("tools").unwrap() {
            Value::Array(tools) => {
                tools.iter().map(|tool| tool_from_plain(Cursor::root(tool)).unwrap()).collect()
            }
            _ => Vec::new(),
        };
        assert_eq!(identity::of_tools(&tools).to_string(), text(vector, "identity"), "{name}");
    });
}

#[test]
fn prefixes() {
    each(&vectors(), "prefixes", |name, vector| {
        let messages: Vec<Message> =
            vector.get("messages").and_then(Value::as_array).unwrap().iter().map(message).collect();
        let identities: Vec<String> = identity::prefixes(&messages).iter().map(ToString::to_string).collect();
        let expected: Vec<&str> = vector
            .get("identities")
            .and_then(Value::as_array)
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(identities, expected, "{name}");
    });
}
