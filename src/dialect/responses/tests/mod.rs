//! The hard cases of this wire, one test per promise; here is what they share.

mod bodies;
mod outcomes;
mod property;
mod reading;
mod writing;

use super::{HERE, leave, native_outcome, read_request, write_message, write_request};
use crate::dialect::{Losses, Options};
use crate::error::{Kind, Result};
use crate::json::{Cursor, Json, Object, Repeats, compact, parse_text};
use crate::message::{
    AssistantMessage, CallKind, Content, Dialect, Extra, FileSource, Message, Part, PartKind, Request,
    SystemMessage, Text, Tool, ToolCall, ToolChoice, ToolKind, ToolMessage, UserMessage,
};
use crate::path::Path;

const INTERNAL: Options = Options { internal: true, target: None };
const PROVIDER: Options = Options { internal: false, target: None };

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

fn read(body: &Json) -> Result<Request> {
    read_request(Cursor::root(body))
}

fn write(request: &Request, options: Options) -> (Json, Losses) {
    let (body, losses) = crate::dialect::write_request(HERE, request, options).unwrap();
    (body.into(), losses)
}

fn codes(losses: &Losses) -> Vec<String> {
    losses.0.iter().map(|loss| format!("{} {}", loss.path, loss.code)).collect()
}

fn items(items: &str) -> Json {
    json(&format!(r#"{{"model":"m","input":{items}}}"#))
}

/// Reads and writes, and wants the same value back with nothing lost.
#[track_caller]
fn survives(body: &Json) -> Request {
    let request = read(body).unwrap();
    let (written, losses) = write(&request, PROVIDER);
    assert_eq!(compact(&written), compact(&sorted_like(&written, body)), "value-equal");
    assert_eq!(codes(&losses), [""; 0]);
    request
}

/// The same value as `b` if it equals `a`, spelled like `a`, so that a difference shows in full.
fn sorted_like(a: &Json, b: &Json) -> Json {
    if a == b { a.clone() } else { b.clone() }
}

#[track_caller]
fn turn(request: &Request, at: usize) -> &AssistantMessage {
    match &request.messages[at] {
        Message::Assistant(turn) => turn,
        other => panic!("{} is no assistant message", other.role()),
    }
}

fn by_hand(dialect: Option<Dialect>, messages: Vec<Message>) -> Request {
    Request { dialect, model: Some("m".into()), messages, ..Request::default() }
}

fn user(words: &str) -> Message {
    Message::User(UserMessage { content: Content::Text(words.into()), extra: Extra::none() })
}

fn system(words: &str, developer: bool) -> Message {
    Message::System(SystemMessage { content: Content::Text(words.into()), developer, extra: Extra::none() })
}

fn call(id: &str, kind: CallKind) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "probe".into(),
        arguments: "{}".into(),
        kind,
        namespace: None,
        extra: Extra::none(),
    }
}

fn calls(calls: Vec<ToolCall>) -> Message {
    Message::Assistant(AssistantMessage { tool_calls: calls, ..AssistantMessage::default() })
}

fn result(id: &str, content: Content, is_error: Option<bool>) -> Message {
    Message::Tool(ToolMessage {
        tool_call_id: id.into(),
        content,
        name: None,
        is_error,
        extra: Extra::none(),
    })
}

fn words(text: &str) -> Content {
    Content::Text(text.into())
}

fn image(detail: Option<&str>) -> Part {
    Part::new(PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: detail.map(Text::from) })
}

fn file(source: FileSource, media_type: Option<&str>, filename: Option<&str>) -> Part {
    let (media_type, filename) = (media_type.map(Text::from), filename.map(Text::from));
    Part::new(PartKind::File { source, media_type, filename })
}

fn written_items(request: &Request) -> (Vec<Json>, Losses) {
    let (body, losses) = write(request, PROVIDER);
    (body.get("input").unwrap().as_array().unwrap().to_vec(), losses)
}
