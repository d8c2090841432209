//! A Chat Completions answer, <https://platform.openai.com/docs/api-reference/chat/object>, in both directions.

use super::messages::{self, Lane};
use super::read::read_assistant;
use crate::dialect::beside::{leave_beside, leave_others};
use crate::dialect::counts::{count, count_in};
use crate::dialect::ids::minted;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::reasons::{Words, word};
use crate::error::{Error, Result};
use crate::json::{Cursor, Object, Repeats, Value, canonical, parse_text};
use crate::message::{
    AssistantMessage, CallKind, Dialect, FinishReason, Message, Response, Text, ToolCall, Usage,
};
use crate::path::Path;

/// The message of the choice that counts; the others are other turns.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let choices = fields.need("choices")?;
    let at = chosen(choices.value);
    let choice = choices.items()?.nth(at).ok_or_else(|| Error::shape(choices.path(), "there is none"))?;
    let choice = choice.fields()?;
    let message = choice.need("message")?;
    let message = message.fields()?;
    let role = message.need("role")?;
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    read_assistant(&message)
}

/// Where the choice stands that has the index 0; the first one, if none has.
fn chosen(choices: &Value<'_>) -> usize {
    let zero = |choice: &Value<'_>| choice.get("index") == Some(&0_u64.into());
    choices.as_array().unwrap_or_default().iter().position(zero).unwrap_or(0)
}

pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<Response> {
    let mut message = read_answer(body)?;
    let said = |key: &str| body.value.get(key).and_then(Value::as_str).map(Text::from);
    let choice = body.value.get("choices").and_then(|choices| choices.as_array()?.get(chosen(choices)));
    let native = choice.and_then(|choice| choice.get("finish_reason")?.as_str());
    let calls = std::mem::take(&mut message.tool_calls);
    let cuts =
        native.is_some_and(|word| reason(word) == Some(FinishReason::Length) || word == WORDS.filtered);
    let (unfinished, whole) = calls.into_iter().partition(|call| cuts && !has_object(call));
    message.tool_calls = whole;
    Ok(Response {
        id: said("id"),
        model: said("model"),
        message,
        finish_reason: native.and_then(reason),
        native_finish_reason: native.map(Text::from),
        usage: body.value.get("usage").and_then(Value::as_object).and_then(read_usage),
        complete: true,
        unfinished,
        ..Response::default()
    })
}

/// Are the arguments as those of a function must be? Where an answer was cut, they may end anywhere.
fn has_object(call: &ToolCall) -> bool {
    let is_object =
        |text: &str| parse_text(text, Repeats::LastWins).is_ok_and(|p| p.value.as_object().is_some());
    call.kind == CallKind::Custom || is_object(&call.arguments)
}

fn reason(word: &str) -> Option<FinishReason> {
    // As Mistral says that the context was full.
    if word == "model_length" {
        return Some(FinishReason::Length);
    }
    FinishReason::ALL.into_iter().find(|reason| reason.as_str() == word)
}

/// The prompt is counted with what was read from a cache.
fn read_usage(usage: &Object<'_>) -> Option<Usage> {
    let cached = count_in(usage, "prompt_tokens_details", "cached_tokens");
    Some(Usage {
        prompt_tokens: count(usage, "prompt_tokens")?.saturating_sub(cached.unwrap_or(0)),
        completion_tokens: count(usage, "completion_tokens")?,
        cached_input_tokens: cached,
        reasoning_tokens: count_in(usage, "completion_tokens_details", "reasoning_tokens"),
    })
}

/// What is typed, what repeats the request, and what some servers say of every answer.
const KNOWN: [&str; 8] =
    ["id", "object", "created", "model", "choices", "usage", "service_tier", "prompt_filter_results"];
const KNOWN_OF_CHOICE: [&str; 5] =
    ["index", "message", "finish_reason", "native_finish_reason", "content_filter_results"];

/// Reports what another wire does not get of an answer.
pub(in crate::dialect) fn leave_response(native: &Value<'_>, losses: &mut Losses) {
    let Some(native) = native.as_object() else { return };
    leave_beside(native, &KNOWN, &Path::root(), losses);
    let Some(choices) = native.get("choices") else { return };
    let (at, path) = (chosen(choices), Path::root().key("choices"));
    if let Some(choice) = choices.as_array().and_then(|choices| choices.get(at)?.as_object()) {
        leave_beside(choice, &KNOWN_OF_CHOICE, &path.index(at), losses);
    }
    leave_others(choices, at, &path, losses);
}

const WORDS: Words =
    Words { stop: "stop", length: "length", tool_calls: "tool_calls", filtered: "content_filter" };

/// One choice. Nobody states when the answer was made, which is written as 0, and a model that nobody names as
/// empty text.
pub(in crate::dialect) fn write_response(
    response: &Response,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let same = response.dialect == Some(Dialect::Chat);
    let lane = Lane { names: false, internal: false, same };
    let turn = Message::Assistant(response.message.clone());
    let mut message = messages::write(&turn, lane, &Path::root().key("message"), losses)?;
    for key in ["content", "refusal"] {
        if message.get(key).is_none() {
            message.set(key, Value::Null);
        }
    }
    let reason = word(response, Dialect::Chat, reason, WORDS, losses).to_owned();
    let choice = Object::default()
        .with("index", 0_u64)
        .with("message", message)
        .with("logprobs", Value::Null)
        .with("finish_reason", reason);
    let choices = Value::from(vec![choice.into()]);
    let id = response.id.as_deref().map(str::to_owned).unwrap_or_else(|| {
        losses.add(Code::IdMinted, Path::root().key("id"), "an answer must have an id");
        minted("chatcmpl-", &canonical(&choices))
    });
    let model = response.model.as_deref().unwrap_or_else(|| {
        losses.add(Code::TextPlaceholder, Path::root().key("model"), "nobody names the model");
        ""
    });
    Ok(Object::default()
        .with("id", id)
        .with("object", "chat.completion")
        .with("created", 0_u64)
        .with("model", model.to_owned())
        .with("choices", choices)
        .with_some("usage", response.usage.as_ref().map(write_usage)))
}

fn write_usage(usage: &Usage) -> Object<'static> {
    let prompt = usage.prompt_tokens.saturating_add(usage.cached_input_tokens.unwrap_or(0));
    let cached = usage.cached_input_tokens.map(|cached| Object::default().with("cached_tokens", cached));
    let reasoning = usage.reasoning_tokens.map(|tokens| Object::default().with("reasoning_tokens", tokens));
    Object::default()
        .with("prompt_tokens", prompt)
        .with("completion_tokens", usage.completion_tokens)
        .with("total_tokens", prompt.saturating_add(usage.completion_tokens))
        .with_some("prompt_tokens_details", cached)
        .with_some("completion_tokens_details", reasoning)
}
