//! Typed messages to a Chat Completions request body.

use super::messages::{self, Lane};
use super::parts::documents_as_text;
use super::{merge, tools};
use crate::dialect::loss::{Code, Losses};
use crate::dialect::{Options, hoist, leave, pairing};
use crate::error::Result;
use crate::json::{Json, Object, Value};
use crate::message::{Content, Dialect, Message, Part, Request, UserMessage};
use crate::path::Path;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let same = request.dialect == Some(Dialect::Chat);
    let lane = Lane {
        inline_media: same || options.internal,
        names: same || options.internal,
        internal: options.internal,
        same,
    };
    let mut body = Object::default().with_some("model", request.model.as_deref().map(str::to_owned));
    let messages = if same { in_place(request, lane, losses)? } else { settled(request, lane, losses)? };
    body.set("messages", Value::Array(messages));
    if !request.tools.is_empty() {
        let mut written = Vec::with_capacity(request.tools.len());
        for (n, tool) in request.tools.iter().enumerate() {
            written.push(tools::write_tool(tool, &Path::root().key("tools").index(n), losses)?);
        }
        body.set("tools", Value::Array(written));
    }
    tools::write_choice(request, &mut body)?;
    body = body
        .with_some("parallel_tool_calls", request.parallel_tool_calls)
        .with_some("stream", request.stream);
    write_sampling(request, &mut body, losses);
    leave(Dialect::Chat, &request.extra, &Path::root(), losses);
    merge(&mut body, request.extra.of(Dialect::Chat));
    Ok(body)
}

fn in_place(request: &Request, lane: Lane, losses: &mut Losses) -> Result<Vec<Json>> {
    let path = Path::root().key("messages");
    let messages = request.messages.iter().enumerate();
    messages.map(|(n, m)| messages::write(m, lane, &path.index(n), losses).map(Value::Object)).collect()
}

/// For a conversation of another wire: results directly behind their calls, media behind the results of the turn.
fn settled(request: &Request, lane: Lane, losses: &mut Losses) -> Result<Vec<Json>> {
    let placed = pairing::settle(&request.messages, losses)?;
    let mut written = Vec::with_capacity(placed.len());
    let mut media: Vec<Part> = Vec::new();
    for (n, place) in placed.iter().enumerate() {
        let path = place.path();
        let message = match place.message {
            Message::Tool(result) if !lane.inline_media => {
                let name = pairing::tool_name(&request.messages[..place.at], result);
                let to = "in the next user message";
                let mut result = result.clone();
                result.content = documents_as_text(&result.content, &path, losses);
                let hoisted = hoist::hoist(&result, &result.tool_call_id, name, to, &path, losses);
                media.extend(hoisted.media);
                result.content = hoisted.content;
                messages::write(&Message::Tool(result), lane, &path, losses)?
            }
            message => messages::write(message, lane, &path, losses)?,
        };
        written.push(Value::Object(message));
        let last = !matches!(placed.get(n + 1).map(|p| p.message), Some(Message::Tool(_)));
        if last && !media.is_empty() {
            let carrier =
                UserMessage { content: Content::Parts(std::mem::take(&mut media)), ..Default::default() };
            written.push(Value::Object(messages::write(&Message::User(carrier), lane, &path, losses)?));
        }
    }
    Ok(written)
}

fn write_sampling(request: &Request, body: &mut Object<'static>, losses: &mut Losses) {
    let own = request.extra.of(Dialect::Chat);
    let older_limit = request.dialect == Some(Dialect::Chat) && own.and_then(|o| o.get("$limit")).is_none();
    for (key, value) in request.sampling.iter() {
        match key.as_ref() {
            "temperature" | "top_p" | "reasoning_effort" => body.set(key, value.clone()),
            "max_tokens" => {
                body.set(if older_limit { "max_tokens" } else { "max_completion_tokens" }, value.clone());
            }
            "stop" => {
                let one =
                    own.and_then(|o| o.get("$stop")).and(value.as_array()).filter(|list| list.len() == 1);
                body.set("stop", one.map_or_else(|| value.clone(), |list| list[0].clone()));
            }
            other => losses.add(
                Code::SamplingDropped,
                Path::root().key("sampling").key(other),
                "Chat Completions has no such setting",
            ),
        }
    }
}
