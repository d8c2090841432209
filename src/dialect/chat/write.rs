//! Typed messages to a Chat Completions request body.

use super::messages::{self, Lane};
use super::parts::{documents_as_text, write_part};
use super::{merge, tools};
use crate::dialect::loss::{Code, Losses};
use crate::dialect::{Options, dropped_knob, hoist, ids, leave, pairing};
use crate::error::Result;
use crate::json::{Json, Object, Value};
use crate::message::{Dialect, Message, Request};
use crate::path::Path;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let mut body = Object::default().with_some("model", request.model.as_deref().map(str::to_owned));
    let messages = write_messages(request, options, losses)?;
    body.set("messages", Value::Array(messages));
    ids::distinct_when_folded(&request.tools)?;
    let mut written = Vec::with_capacity(request.tools.len());
    for (n, tool) in request.tools.iter().enumerate() {
        match tool.extra.of(Dialect::Chat).and_then(|own| own.get(tools::WEB_SEARCH)) {
            Some(options) if &*tool.name == tools::WEB_SEARCH => body.set(tools::WEB_SEARCH, options.clone()),
            _ => written.push(tools::write_tool(tool, &Path::root().key("tools").index(n), losses)?),
        }
    }
    if !written.is_empty() {
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

/// The messages, with the media that no result may hold in a user message behind the results of the turn.
fn write_messages(request: &Request, options: Options, losses: &mut Losses) -> Result<Vec<Json>> {
    let placed = pairing::place(request, Dialect::Chat, None, losses)?;
    let mut written = Vec::with_capacity(placed.len());
    let mut media: Vec<Json> = Vec::new();
    for (n, place) in placed.iter().enumerate() {
        let path = place.path();
        let inline_media = place.same || options.internal;
        let lane = Lane { names: inline_media, internal: options.internal, same: place.same };
        let message = match &*place.message {
            Message::Tool(result) if !inline_media => {
                let mut result = result.clone();
                result.content = documents_as_text(&result.content, &path, losses);
                let to = "in the next user message";
                let hoisted = hoist::hoist(&result, &result.tool_call_id, place.called, to, &path, losses);
                for medium in hoisted.media {
                    media.push(write_part(&medium.note, lane.same, &medium.path, losses)?);
                    media.push(write_part(&medium.part, lane.same, &medium.path, losses)?);
                }
                result.content = hoisted.content;
                messages::write(&Message::Tool(result), lane, &path, losses)?
            }
            message => messages::write(message, lane, &path, losses)?,
        };
        written.push(Value::Object(message));
        let last = !matches!(placed.get(n + 1).map(|p| &*p.message), Some(Message::Tool(_)));
        if last && !media.is_empty() {
            let content = Value::Array(std::mem::take(&mut media));
            written.push(Value::from(Object::default().with("role", "user").with("content", content)));
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
                dropped_knob(other),
            ),
        }
    }
}
