//! A Responses answer, <https://platform.openai.com/docs/api-reference/responses/object>, in both directions.

use super::{HERE, Mode, text, turn, write::IDS};
use crate::dialect::beside::leave_beside;
use crate::dialect::counts::{count, count_in};
use crate::dialect::ids::{Table, minted};
use crate::dialect::reasons::{Words, word};
use crate::dialect::{Code, Losses};
use crate::error::Result;
use crate::json::{Cursor, Json, Object, Value, canonical};
use crate::message::{AssistantMessage, FinishReason, Message, Response, Text, ToolCall, Usage};
use crate::path::Path;

/// All output items are the turn, those too that would be a result in a request: here the provider ran the tool.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let output = fields.need("output")?;
    turn::read_turn(&items_of(&output)?)
}

fn items_of<'o>(output: &'o Cursor<'o>) -> Result<Vec<Cursor<'o>>> {
    let items: Vec<Cursor<'_>> = output.items()?.collect();
    for item in &items {
        let fields = item.fields()?;
        if fields.some_str("type")? == Some("message") {
            fields.need_str("role")?;
        }
        if let Some(role) = fields.some("role")
            && role.str()? != "assistant"
        {
            return Err(role.expected("assistant"));
        }
    }
    Ok(items)
}

pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<Response> {
    let fields = body.fields()?;
    let output = fields.need("output")?;
    let (mut whole, mut unfinished) = (Vec::new(), Vec::new());
    for item in items_of(&output)? {
        match cut_call(item.value) {
            Some(call) => unfinished.push(call),
            None => whole.push(item),
        }
    }
    let message = turn::read_turn(&whole)?;
    let said = |key: &str| body.value.get(key).and_then(Value::as_str).map(Text::from);
    let native = native_reason(body.value);
    let status = body.value.get("status").and_then(Value::as_str);
    Ok(Response {
        id: said("id"),
        model: said("model"),
        finish_reason: native.and_then(|word| reason(word, &message)),
        native_finish_reason: native.map(Text::from),
        usage: body.value.get("usage").and_then(Value::as_object).and_then(read_usage),
        message,
        complete: !matches!(status, Some("failed" | "cancelled" | "queued" | "in_progress")),
        unfinished,
        ..Response::default()
    })
}

/// The status, or why the answer is incomplete.
fn native_reason<'v>(body: &'v Value<'_>) -> Option<&'v str> {
    match body.get("status")?.as_str()? {
        "incomplete" => {
            let reason = body.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
            Some(reason.unwrap_or("incomplete"))
        }
        status => Some(status),
    }
}

/// A response that is completed does not say whether it waits for calls: its items do.
fn reason(word: &str, message: &AssistantMessage) -> Option<FinishReason> {
    match word {
        "completed" if message.tool_calls.is_empty() => Some(FinishReason::Stop),
        "completed" => Some(FinishReason::ToolCalls),
        "max_output_tokens" => Some(FinishReason::Length),
        _ => None,
    }
}

/// The call in an item that says itself that it is not whole.
fn cut_call(item: &Value<'_>) -> Option<ToolCall> {
    let kind = turn::call_kind(item)?;
    let status = item.get("status")?.as_str()?;
    matches!(status, "incomplete" | "in_progress").then(|| turn::unfinished(item, kind))
}

/// The input is counted with what was read from a cache.
fn read_usage(usage: &Object<'_>) -> Option<Usage> {
    let cached = count_in(usage, "input_tokens_details", "cached_tokens");
    Some(Usage {
        prompt_tokens: count(usage, "input_tokens")?.saturating_sub(cached.unwrap_or(0)),
        completion_tokens: count(usage, "output_tokens")?,
        cached_input_tokens: cached,
        reasoning_tokens: count_in(usage, "output_tokens_details", "reasoning_tokens"),
    })
}

/// What is typed, and what repeats the request.
const KNOWN: [&str; 36] = [
    "id",
    "object",
    "created_at",
    "completed_at",
    "status",
    "error",
    "incomplete_details",
    "model",
    "output",
    "output_text",
    "usage",
    "background",
    "conversation",
    "frequency_penalty",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// Reports what another wire does not get of an answer.
pub(in crate::dialect) fn leave_response(native: &Value<'_>, losses: &mut Losses) {
    let Some(native) = native.as_object() else { return };
    leave_beside(native, &KNOWN, &Path::root(), losses);
}

const WORDS: Words = Words {
    stop: "completed",
    length: "max_output_tokens",
    tool_calls: "completed",
    filtered: "content_filter",
};

/// A body here repeats settings of the request; they are written as the API's own defaults, the time as 0, and a model
/// that nobody names as empty text.
pub(in crate::dialect) fn write_response(
    response: &Response,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let message = &response.message;
    let word = word(response, HERE, |word| reason(word, message), WORDS, losses);
    if response.finish_reason.is_some() && response.finish_reason != reason(word, message) {
        let why = "a completed response waits for calls if it has any, and else has stopped";
        losses.add(Code::FinishReasonReduced, Path::root().key("finish_reason"), why);
    }
    let (status, details) = match word {
        "completed" | "failed" | "cancelled" | "incomplete" => (word, Value::Null),
        reason => ("incomplete", Object::default().with("reason", reason.to_owned()).into()),
    };
    let output = Value::from(write_output(response, losses)?);
    let id = response.id.as_deref().map(str::to_owned).unwrap_or_else(|| {
        losses.add(Code::IdMinted, Path::root().key("id"), "an answer must have an id");
        minted("resp_", &canonical(&output))
    });
    let model = response.model.as_deref().unwrap_or_else(|| {
        losses.add(Code::TextPlaceholder, Path::root().key("model"), "nobody names the model");
        ""
    });
    let usage = response.usage.as_ref().map(|usage| write_usage(usage, losses));
    Ok(Object::default()
        .with("id", id)
        .with("object", "response")
        .with("created_at", 0_u64)
        .with("status", status.to_owned())
        .with("error", Value::Null)
        .with("incomplete_details", details)
        .with("instructions", Value::Null)
        .with("metadata", Object::default())
        .with("model", model.to_owned())
        .with("output", output)
        .with("parallel_tool_calls", true)
        .with("temperature", Value::Null)
        .with("tool_choice", "auto")
        .with("tools", Vec::new())
        .with("top_p", Value::Null)
        .with("usage", usage.map_or(Value::Null, Value::from)))
}

/// The items of the turn, each with what an item of an answer must have.
fn write_output(response: &Response, losses: &mut Losses) -> Result<Vec<Json>> {
    let path = Path::root().key("message");
    let same = response.dialect == Some(HERE);
    let turn = Message::Assistant(response.message.clone());
    let turn = Table::of([(&turn, same)].into_iter(), IDS).applied(&turn, &path, losses).unwrap_or(turn);
    let Message::Assistant(turn) = turn else { return Ok(Vec::new()) };
    let mode = Mode { same, from: response.dialect, internal: false };
    let mut items = turn::write_turn(&turn, mode, 0, &path, losses)?;
    let nothing = |item: &Json| item.get("content").and_then(Value::as_str) == Some("");
    items.retain(|item| !nothing(item));
    let mut made = false;
    for (n, item) in items.iter_mut().enumerate() {
        made |= complete(item, n);
    }
    if made {
        losses.add(Code::IdMinted, path, "output items must have ids: they are derived from what they say");
    }
    Ok(items)
}

/// Gives an item the fields that one of an answer must have; says whether an id had to be made.
fn complete(item: &mut Json, n: usize) -> bool {
    let seed = canonical(item);
    let Value::Object(fields) = item else { return false };
    let prefix = match fields.get("type").and_then(Value::as_str) {
        Some("message") => "msg_",
        Some("function_call") => "fc_",
        Some("custom_tool_call") => "ctc_",
        Some("reasoning") => "rs_",
        _ => return false,
    };
    let mut made = Object::default();
    if prefix == "msg_" {
        if let Some(words) = fields.get("content").and_then(Value::as_str).map(text) {
            let part = Object::default().with("type", "output_text").with("text", words);
            fields.set("content", vec![part.into()].into());
        }
        let parts = fields.0.iter_mut().find(|(key, _)| key == "content");
        if let Some((_, Value::Array(parts))) = parts {
            for part in parts.iter_mut().filter(|part| part.kind() == Some("output_text")) {
                if let Value::Object(part) = part {
                    part.add_absent(&[("annotations".into(), Vec::new().into())]);
                }
            }
        }
    }
    if prefix == "rs_" {
        made.set("summary", Vec::new().into());
    }
    if matches!(prefix, "msg_" | "fc_") {
        made.set("status", "completed".into());
    }
    let lacks_id = fields.get("id").is_none_or(Value::is_null);
    if lacks_id {
        let id = minted(prefix, &[&n.to_be_bytes()[..], &seed].concat());
        fields.set("id", id.into());
    }
    fields.add_absent(made.iter());
    lacks_id
}

/// What was written to a cache is counted with the input. Counts that nobody states are required here.
fn write_usage(usage: &Usage, losses: &mut Losses) -> Object<'static> {
    let mut assumed = |count: Option<u64>, key: &str| {
        count.unwrap_or_else(|| {
            let path = Path::root().key("usage").key(key);
            losses.add(Code::UsageAssumed, path, "Responses requires this count");
            0
        })
    };
    let cached = assumed(usage.cached_input_tokens, "cached_input_tokens");
    let reasoning = assumed(usage.reasoning_tokens, "reasoning_tokens");
    let input = usage.prompt_tokens.saturating_add(cached);
    let of_input = Object::default().with("cached_tokens", cached).with("cache_write_tokens", 0_u64);
    Object::default()
        .with("input_tokens", input)
        .with("input_tokens_details", of_input)
        .with("output_tokens", usage.completion_tokens)
        .with("output_tokens_details", Object::default().with("reasoning_tokens", reasoning))
        .with("total_tokens", input.saturating_add(usage.completion_tokens))
}
