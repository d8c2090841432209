//! Typed messages to a Chat Completions request body.

use super::messages::{self, Lane};
use super::parts::{documents_as_text, write_part};
use super::{fit, merge, tools};
use crate::dialect::loss::{Code, Losses};
use crate::dialect::targets::{self, Flags};
use crate::dialect::{Options, dropped_knob, hoist, ids, leave, pairing};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::message::{Dialect, Message, Request};
use crate::path::Path;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let named = fit::named(options);
    let fitted = named.map(|flags| fit::request(request, flags, losses)).transpose()?;
    let request = fitted.as_ref().unwrap_or(request);
    let flags = named.unwrap_or_else(|| targets::flags(Dialect::Chat, None, None));
    let mut body = Object::default().with_some("model", request.model.as_deref().map(str::to_owned));
    let messages = write_messages(request, options, flags, losses)?;
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
    fit::spell_choice(&mut body, flags);
    body = body
        .with_some("parallel_tool_calls", request.parallel_tool_calls)
        .with_some("stream", request.stream);
    write_sampling(request, flags, &mut body, losses);
    leave(Dialect::Chat, &request.extra, &Path::root(), losses);
    merge(&mut body, request.extra.of(Dialect::Chat));
    Ok(body)
}

/// The messages, with the media that no result may hold in a user message behind the results of the turn.
fn write_messages(
    request: &Request,
    options: Options,
    flags: Flags,
    losses: &mut Losses,
) -> Result<Vec<Json>> {
    let placed = pairing::place(request, Dialect::Chat, fit::ids(flags), losses)?;
    let (inline, names) = (flags.word("tool_images") == "inline", flags.is("result_names"));
    let parted = !flags.is("user_after_results");
    let mut written = Vec::with_capacity(placed.len());
    let mut media: Vec<Json> = Vec::new();
    for (n, place) in placed.iter().enumerate() {
        let path = place.path();
        let as_it_is = place.same || options.internal;
        let lane = Lane { names: as_it_is || names, internal: options.internal, same: place.same };
        let message = match &*place.message {
            Message::User(_) if parted && n > 0 && matches!(&*placed[n - 1].message, Message::Tool(_)) => {
                let what = "the server that was named takes no user message directly behind tool results";
                return Err(Error::unsupported(path, what));
            }
            Message::Tool(result) if !as_it_is && !inline => {
                let mut result = result.clone();
                // The call says it.
                result.name = result.name.filter(|name| Some(&**name) != place.called);
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

fn write_sampling(request: &Request, flags: Flags, body: &mut Object<'static>, losses: &mut Losses) {
    let own = request.extra.of(Dialect::Chat);
    let older_limit = request.dialect == Some(Dialect::Chat) && own.and_then(|o| o.get("$limit")).is_none();
    for (key, value) in request.sampling.iter() {
        let name = flags.name("names", key);
        match key.as_ref() {
            "temperature" | "top_p" | "reasoning_effort" => body.set(name.unwrap_or(key), value.clone()),
            "max_tokens" => {
                body.set(if older_limit { "max_tokens" } else { flags.word("limit") }, value.clone());
            }
            "stop" => {
                let one =
                    own.and_then(|o| o.get("$stop")).and(value.as_array()).filter(|list| list.len() == 1);
                body.set(name.unwrap_or("stop"), one.map_or_else(|| value.clone(), |list| list[0].clone()));
            }
            other if name.is_some() => body.set(name.unwrap_or(other), value.clone()),
            other => losses.add(
                Code::SamplingDropped,
                Path::root().key("sampling").key(other),
                dropped_knob(other),
            ),
        }
    }
}
