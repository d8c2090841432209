//! A Bedrock answer, in both directions.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseSyntax>

use super::HERE;
use super::pen::{IDS, Pen, text};
use super::read::{beside, read_turn};
use super::turn;
use crate::dialect::Options;
use crate::dialect::beside::leave_beside;
use crate::dialect::counts::count;
use crate::dialect::ids::Table;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::reasons::{Words, word};
use crate::error::Result;
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{AssistantMessage, FinishReason, Message, Response, Text, Usage};
use crate::path::Path;

pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    read_without(body, 0)
}

/// The turn without as many of its last blocks.
fn read_without(body: Cursor<'_>, cut: usize) -> Result<AssistantMessage> {
    let body = body.fields()?;
    let output = body.need("output")?;
    let output = output.fields()?;
    let message = output.need("message")?;
    let message = message.fields()?;
    let (role, content) = (message.need("role")?, message.need("content")?);
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    match content.value {
        Value::Array(blocks) if cut > 0 => {
            let whole = Value::from(blocks[..blocks.len().saturating_sub(cut)].to_vec());
            read_turn(Cursor::root(&whole), beside(&message))
        }
        _ => read_turn(content, beside(&message)),
    }
}

/// The reasons that may end an answer within a call.
const CUTS: [&str; 6] = [
    "max_tokens",
    "model_context_window_exceeded",
    "guardrail_intervened",
    "content_filtered",
    "malformed_model_output",
    "malformed_tool_use",
];

/// An answer has no id, and does not name the model. A call that is the last thing in one that was cut was cut itself,
/// unless that one has been taken out already.
pub(in crate::dialect) fn read_response(body: Cursor<'_>, taken_out: bool) -> Result<Response> {
    let mut message = read_answer(body)?;
    let mut unfinished = Vec::new();
    let native = body.value.get("stopReason").and_then(Value::as_str).map(Text::from);
    if !taken_out && native.as_deref().is_some_and(|word| CUTS.contains(&word)) && ends_in_call(body.value) {
        unfinished.extend(message.tool_calls.pop());
        message = read_without(body, 1)?;
    }
    Ok(Response {
        message,
        finish_reason: native.as_deref().and_then(reason),
        native_finish_reason: native,
        usage: body.value.get("usage").and_then(Value::as_object).and_then(read_usage),
        complete: true,
        unfinished,
        ..Response::default()
    })
}

/// Is the last block a call of a tool that the provider does not run?
fn ends_in_call(body: &Value<'_>) -> bool {
    let message = body.get("output").and_then(|output| output.get("message"));
    let last = message.and_then(|message| message.get("content")?.as_array()?.last());
    let call = last.and_then(|block| block.get("toolUse")).filter(|call| !call.is_null());
    call.is_some_and(|call| call.get("type").is_none_or(Value::is_null))
}

fn reason(word: &str) -> Option<FinishReason> {
    match word {
        "end_turn" | "stop_sequence" => Some(FinishReason::Stop),
        "max_tokens" | "model_context_window_exceeded" => Some(FinishReason::Length),
        "tool_use" => Some(FinishReason::ToolCalls),
        _ => None,
    }
}

/// The input stands in three counts that do not overlap; what was written to a cache is input like any other.
fn read_usage(usage: &Object<'_>) -> Option<Usage> {
    let written = count(usage, "cacheWriteInputTokens").unwrap_or(0);
    Some(Usage {
        prompt_tokens: count(usage, "inputTokens")?.saturating_add(written),
        completion_tokens: count(usage, "outputTokens")?,
        cached_input_tokens: count(usage, "cacheReadInputTokens"),
        reasoning_tokens: None,
    })
}

/// What is typed, what every answer has, what repeats the request, and what SDKs add of their own.
const KNOWN: [&str; 8] = [
    "output",
    "stopReason",
    "usage",
    "metrics",
    "performanceConfig",
    "serviceTier",
    "ResponseMetadata",
    "$metadata",
];

/// Reports what another wire does not get of an answer.
pub(in crate::dialect) fn leave_response(native: &Value<'_>, losses: &mut Losses) {
    let Some(native) = native.as_object() else { return };
    leave_beside(native, &KNOWN, &Path::root(), losses);
}

const WORDS: Words =
    Words { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", filtered: "content_filtered" };

/// How long the model took is only known to the native body; the 0 stands for the number that must be there.
pub(in crate::dialect) fn write_response(
    response: &Response,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let content = write_content(response, losses)?;
    let reason = text(word(response, HERE, reason, WORDS, losses));
    if response.id.is_some() {
        losses.add(Code::ItemIdDropped, Path::root().key("id"), "an answer has no id here");
    }
    if response.model.is_some() {
        losses.add(Code::NameDropped, Path::root().key("model"), "an answer does not name the model here");
    }
    let usage = write_usage(response.usage, losses);
    let message = Object::default().with("role", "assistant").with("content", content);
    Ok(Object::default()
        .with("output", Object::default().with("message", message))
        .with("stopReason", reason)
        .with("usage", usage)
        .with("metrics", Object::default().with("latencyMs", 0_u64)))
}

/// The blocks of the turn; none for one that says nothing, which an answer may.
fn write_content(response: &Response, losses: &mut Losses) -> Result<Vec<Json>> {
    let path = Path::root().key("message");
    let same = response.dialect == Some(HERE);
    let turn = Message::Assistant(response.message.clone());
    let turn = Table::of([(&turn, same)].into_iter(), IDS).applied(&turn, &path, losses).unwrap_or(turn);
    let Message::Assistant(turn) = turn else { return Ok(Vec::new()) };
    turn::write(&turn, &path, &mut Pen::new(same, Options::default(), None, losses))
}

fn write_usage(usage: Option<Usage>, losses: &mut Losses) -> Object<'static> {
    let path = Path::root().key("usage");
    let usage = usage.unwrap_or_else(|| {
        losses.add(Code::UsageAssumed, path.clone(), "Bedrock requires the counts");
        Usage::default()
    });
    if usage.reasoning_tokens.is_some() {
        losses.add(
            Code::FieldDropped,
            path.key("reasoning_tokens"),
            "reasoning is not counted by itself here",
        );
    }
    let cached = usage.cached_input_tokens;
    let total = usage.prompt_tokens.saturating_add(cached.unwrap_or(0));
    Object::default()
        .with("inputTokens", usage.prompt_tokens)
        .with_some("cacheReadInputTokens", cached)
        .with("outputTokens", usage.completion_tokens)
        .with("totalTokens", total.saturating_add(usage.completion_tokens))
}
