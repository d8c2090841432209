//! Bedrock JSON to messages: the system prompt, the turns, and the tool results inside user messages.
//!
//! Layout keys in an `extra` of this wire, beside the fields of the wire itself. They say how the typed form was
//! spelled, so that this wire is written back exactly; no other wire loses anything by them, but where it is said.
//!
//! | key | on | says |
//! |---|---|---|
//! | `content: [{…}]` | system, user, tool | the text was a list of one block with these other fields |
//! | `content: []` | tool | the result had no block at all |
//! | `content: […]` | assistant | the whole native turn, where the typed fields would not rebuild it |
//! | `$cache: […]` | part, tool, tool declaration | the cache points right behind it, which others lose |
//! | `joined: true` | user, tool | came from the same native message as the message before |
//! | `joined: false` | user, tool | came from a native message of its own, right behind tool results |
//! | `at: n` | tool | was block n of a native message whose results did not come first |
//! | `in_list: true` | system | stood in `messages`, not in the top-level `system` |
//! | `message: {…}` | any | other fields of the native message that starts here |

use super::blocks::{CACHE_POINT, member, read_blocks};
use super::{HERE, results, settings, turn};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object};
use crate::message::{AssistantMessage, Extra, Message, Request, SystemMessage, UserMessage};

pub(super) const CONTENT: &str = "content";
pub(super) const CACHE: &str = "$cache";
pub(super) const JOINED: &str = "joined";
pub(super) const AT: &str = "at";
pub(super) const IN_LIST: &str = "in_list";
pub(super) const MESSAGE: &str = "message";
/// All of them.
pub(super) const LAYOUT: [&str; 6] = [CONTENT, CACHE, JOINED, AT, IN_LIST, MESSAGE];

pub(in crate::dialect) fn read_request(body: Cursor<'_>) -> Result<Request> {
    let fields = body.fields()?;
    let mut request = Request { dialect: Some(HERE), ..Request::default() };
    if let Some(system) = fields.some("system").filter(|s| s.value.as_array().is_none_or(|s| !s.is_empty())) {
        let blocks: Vec<Cursor<'_>> = system.items()?.collect();
        let (content, layout) = read_blocks(&blocks)?;
        let extra = Extra::new(HERE, Object::default().with_some(CONTENT, layout));
        request.messages.push(Message::System(SystemMessage { content, developer: false, extra }));
    }
    for message in fields.need("messages")?.items()? {
        let behind_result = matches!(request.messages.last(), Some(Message::Tool(_)));
        read_message(message, behind_result, &mut request.messages)?;
    }
    settings::read(&fields, &mut request)?;
    Ok(request)
}

fn read_message(message: Cursor<'_>, behind_result: bool, out: &mut Vec<Message>) -> Result<()> {
    let fields = message.fields()?;
    let layout = beside(&fields);
    let (role, content) = (fields.need("role")?, fields.need("content")?);
    match role.str()? {
        "user" => read_user(content, behind_result, layout, out)?,
        "assistant" => out.push(Message::Assistant(read_turn(content, layout)?)),
        "system" => {
            let blocks: Vec<Cursor<'_>> = content.items()?.collect();
            let (content, blocks) = read_blocks(&blocks)?;
            let extra = Extra::new(HERE, layout.with(IN_LIST, true).with_some(CONTENT, blocks));
            out.push(Message::System(SystemMessage { content, developer: false, extra }));
        }
        _ => return Err(role.expected("user, assistant or system")),
    }
    Ok(())
}

/// The layout of a native message: its fields beside role and content.
pub(super) fn beside(message: &Fields<'_>) -> Object<'static> {
    let others = message.rest(&["role", "content"]);
    Object::default().with_some(MESSAGE, (!others.is_empty()).then_some(others))
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
    let mut layout = layout.with_some(JOINED, behind_result.then_some(false));
    let mut next = || std::mem::replace(&mut layout, Object::default().with(JOINED, true));
    let blocks: Vec<Cursor<'_>> = content.items()?.collect();
    let mut rest = Vec::with_capacity(blocks.len());
    let (mut results, mut marks) = (0, 0);
    for (n, block) in blocks.iter().enumerate() {
        let name = member(*block)?;
        if name == CACHE_POINT
            && rest.is_empty()
            && results > 0
            && let Some(Message::Tool(result)) = out.last_mut()
        {
            // A cache point behind a result belongs to it.
            add_cache(&mut result.extra, block.to_json());
            marks += 1;
            continue;
        }
        if name != "toolResult" {
            rest.push(*block);
            continue;
        }
        let at = (n != results + marks).then(|| Json::Number(n.to_string().into()));
        let fields = block.fields()?;
        let result = fields.need(name)?;
        out.push(Message::Tool(results::read(&result.fields()?, next().with_some(AT, at))?));
        results += 1;
    }
    if results == 0 || !rest.is_empty() {
        let (content, blocks) = read_blocks(&rest)?;
        let extra = Extra::new(HERE, next().with_some(CONTENT, blocks));
        out.push(Message::User(UserMessage { content, extra }));
    }
    Ok(())
}

/// Keeps a cache point with what stands before it.
pub(super) fn add_cache(extra: &mut Extra, point: Json) {
    let mut fields = extra.of(HERE).cloned().unwrap_or_default();
    let mut points = match fields.remove(CACHE) {
        Some(Json::Array(points)) => points,
        _ => Vec::new(),
    };
    points.push(point);
    fields.set(CACHE, points.into());
    *extra = Extra::new(HERE, fields);
}

/// Refuses fields whose names the layout needs; the wire has none of them.
pub(super) fn refuse_layout_names(fields: &Fields<'_>) -> Result<()> {
    match fields.object.iter().find(|(key, _)| key != CONTENT && LAYOUT.contains(&key.as_ref())) {
        Some((key, _)) => Err(Error::shape(fields.path().key(key), "unknown field")),
        None => Ok(()),
    }
}
