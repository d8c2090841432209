//! Anthropic JSON to messages: the system prompt, the turns, and the tool results inside user turns.
//!
//! Layout keys in an `extra` of this wire, beside the fields of the wire itself. They say how the typed form was
//! spelled, so that this wire is written back exactly; no other wire loses anything by them.
//!
//! | key | on | says |
//! |---|---|---|
//! | `content: [{…}]` | system, user, tool | the text was a list of one text block with these other fields |
//! | `content: "absent"`, `content: null` | tool | the result had no `content`, or null |
//! | `content: […]` | assistant | the whole native turn, where the typed fields would not rebuild it |
//! | `joined: true` | user, tool | came from the same native message as the message before |
//! | `joined: false` | user, tool | came from a native message of its own, right behind tool results |
//! | `at: n` | tool | was block n of a native message whose results did not come first |
//! | `in_list: true` | system | stood in `messages`, not in the top-level `system` |
//! | `message: {…}` | any | other fields of the native message that starts here |

use super::HERE;
use super::blocks::{read_blocks, read_content};
use super::{results, settings, turn};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{AssistantMessage, Content, Extra, Message, Request, SystemMessage, UserMessage};

pub(super) const CONTENT: &str = "content";
pub(super) const JOINED: &str = "joined";
pub(super) const AT: &str = "at";
pub(super) const IN_LIST: &str = "in_list";
pub(super) const MESSAGE: &str = "message";
/// All of them.
pub(super) const LAYOUT: [&str; 5] = [CONTENT, JOINED, AT, IN_LIST, MESSAGE];

pub(in crate::dialect) fn read_request(body: Cursor<'_>) -> Result<Request> {
    let fields = body.fields()?;
    let mut request = Request { dialect: Some(HERE), ..Request::default() };
    if let Some(system) = fields.some("system")
        && !says_nothing(system.value)
    {
        let (content, layout) = read_content(system)?;
        let extra = Extra::new(HERE, Object::default().with_some(CONTENT, layout));
        request.messages.push(Message::System(SystemMessage { content, developer: false, extra }));
    }
    request.messages.extend(read_items(fields.need("messages")?, false)?);
    settings::read(&fields, &mut request)?;
    Ok(request)
}

/// A system prompt that is not there as a message: the host framework passes over it too.
pub(super) fn says_nothing(system: &Value<'_>) -> bool {
    match system {
        Value::String(text) => text.is_empty(),
        Value::Array(blocks) => blocks.is_empty(),
        _ => system.is_null(),
    }
}

/// Reads a list of native messages, given whether a tool result stands right before them.
pub(in crate::dialect) fn read_items(items: Cursor<'_>, behind_result: bool) -> Result<Vec<Message>> {
    let mut messages = Vec::new();
    for item in items.items()? {
        let behind_result = messages.last().map_or(behind_result, |last| matches!(last, Message::Tool(_)));
        read_message(item, behind_result, &mut messages)?;
    }
    Ok(messages)
}

fn read_message(message: Cursor<'_>, behind_result: bool, out: &mut Vec<Message>) -> Result<()> {
    let fields = message.fields()?;
    let others = fields.rest(&["role", "content"]);
    let layout = Object::default().with_some(MESSAGE, (!others.is_empty()).then_some(others));
    let (role, content) = (fields.need("role")?, fields.need("content")?);
    match role.str()? {
        "user" => read_user(content, behind_result, layout, out)?,
        "assistant" => out.push(Message::Assistant(read_turn(content, layout)?)),
        "system" => {
            let (content, blocks) = read_content(content)?;
            let extra = Extra::new(HERE, layout.with(IN_LIST, true).with_some(CONTENT, blocks));
            out.push(Message::System(SystemMessage { content, developer: false, extra }));
        }
        _ => return Err(role.expected("user, assistant or system")),
    }
    Ok(())
}

/// `layout` says what else the native message holds.
pub(super) fn read_turn(content: Cursor<'_>, layout: Object<'static>) -> Result<AssistantMessage> {
    let (mut turn, native) = turn::read(content)?;
    turn.extra = Extra::new(HERE, layout.with_some(CONTENT, native));
    Ok(turn)
}

/// The results in block order, then the rest as one user message.
fn read_user(
    content: Cursor<'_>,
    behind_result: bool,
    layout: Object<'static>,
    out: &mut Vec<Message>,
) -> Result<()> {
    // Behind results one would take this for the same native message; say that it is not.
    let apart = behind_result.then_some(false);
    let mut layout = layout.with_some(JOINED, apart);
    let mut next = || std::mem::replace(&mut layout, Object::default().with(JOINED, true));
    let Value::Array(_) = content.value else {
        let text = content.value.as_str().ok_or_else(|| content.expected("a string or a list of blocks"))?;
        let extra = Extra::new(HERE, next());
        out.push(Message::User(UserMessage { content: Content::Text(text.into()), extra }));
        return Ok(());
    };
    let blocks: Vec<Cursor<'_>> = content.items()?.collect();
    let mut rest = Vec::with_capacity(blocks.len());
    let mut results = 0;
    for (n, block) in blocks.iter().enumerate() {
        if block.value.kind() != Some("tool_result") {
            rest.push(*block);
            continue;
        }
        let at = (n != results).then(|| Json::Number(n.to_string().into()));
        out.push(Message::Tool(results::read(&block.fields()?, next().with_some(AT, at))?));
        results += 1;
    }
    if results == 0 || !rest.is_empty() {
        let (content, blocks) = read_blocks(&rest)?;
        let extra = Extra::new(HERE, next().with_some(CONTENT, blocks));
        out.push(Message::User(UserMessage { content, extra }));
    }
    Ok(())
}

/// Refuses fields whose names the layout needs; the wire has none of them.
pub(super) fn refuse_layout_names(fields: &Fields<'_>) -> Result<()> {
    match fields.object.iter().find(|(key, _)| key != CONTENT && LAYOUT.contains(&key.as_ref())) {
        Some((key, _)) => Err(Error::shape(fields.path().key(key), "unknown field")),
        None => Ok(()),
    }
}
