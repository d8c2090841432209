//! An Anthropic answer, <https://docs.anthropic.com/en/api/messages>, in both directions.

use super::HERE;
use super::pen::{IDS, Pen, text_block};
use super::read::read_turn;
use super::turn;
use crate::dialect::beside::leave_beside;
use crate::dialect::counts::{count, count_in};
use crate::dialect::ids::{Table, minted};
use crate::dialect::loss::{Code, Losses};
use crate::dialect::reasons::{Words, word};
use crate::error::Result;
use crate::json::{Cursor, Json, Object, Value, canonical};
use crate::message::{AssistantMessage, FinishReason, Message, Response, Text, Usage};
use crate::path::Path;

/// The content as a turn. What stands beside it tells of the request, not of the message.
pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let fields = body.fields()?;
    let (role, content) = (fields.need("role")?, fields.need("content")?);
    if role.str()? != "assistant" {
        return Err(role.expected("assistant"));
    }
    read_turn(content, Object::default())
}

/// The reasons that may end an answer within a call.
const CUTS: [&str; 3] = ["max_tokens", "model_context_window_exceeded", "refusal"];

/// A call that is the last thing in an answer that was cut was cut itself: the input of one that is whole ends an answer
/// with `tool_use`. <https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons>. That call may have been
/// taken out already.
pub(in crate::dialect) fn read_response(body: Cursor<'_>, taken_out: bool) -> Result<Response> {
    let mut message = read_answer(body)?;
    let mut unfinished = Vec::new();
    let said = |key: &str| body.value.get(key).and_then(Value::as_str).map(Text::from);
    let native = said("stop_reason");
    let blocks = body.value.get("content").and_then(Value::as_array);
    if let Some([whole @ .., last]) = blocks
        && !taken_out
        && last.kind() == Some("tool_use")
        && native.as_deref().is_some_and(|word| CUTS.contains(&word))
    {
        unfinished.extend(message.tool_calls.pop());
        message = read_turn(Cursor::root(&whole.to_vec().into()), Object::default())?;
    }
    Ok(Response {
        id: said("id"),
        model: said("model"),
        message,
        finish_reason: native.as_deref().and_then(reason),
        native_finish_reason: native,
        usage: body.value.get("usage").and_then(Value::as_object).and_then(read_usage),
        complete: true,
        unfinished,
        ..Response::default()
    })
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
    let written = count(usage, "cache_creation_input_tokens").unwrap_or(0);
    Some(Usage {
        prompt_tokens: count(usage, "input_tokens")?.saturating_add(written),
        completion_tokens: count(usage, "output_tokens")?,
        cached_input_tokens: count(usage, "cache_read_input_tokens"),
        reasoning_tokens: count_in(usage, "output_tokens_details", "thinking_tokens"),
    })
}

/// What is typed, and what every answer has.
const KNOWN: [&str; 7] = ["id", "type", "role", "model", "content", "stop_reason", "usage"];

/// Reports what another wire does not get of an answer.
pub(in crate::dialect) fn leave_response(native: &Value<'_>, losses: &mut Losses) {
    let Some(native) = native.as_object() else { return };
    leave_beside(native, &KNOWN, &Path::root(), losses);
}

const WORDS: Words =
    Words { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", filtered: "refusal" };

/// A model that nobody names is written as empty text. A stop sequence that was met is only known to the native body.
pub(in crate::dialect) fn write_response(
    response: &Response,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let content = Value::from(write_content(response, losses)?);
    let reason = word(response, HERE, reason, WORDS, losses).to_owned();
    let id = response.id.as_deref().map(str::to_owned).unwrap_or_else(|| {
        losses.add(Code::IdMinted, Path::root().key("id"), "an answer must have an id");
        minted("msg_", &canonical(&content))
    });
    let model = response.model.as_deref().unwrap_or_else(|| {
        losses.add(Code::TextPlaceholder, Path::root().key("model"), "nobody names the model");
        ""
    });
    let usage = response.usage.unwrap_or_else(|| {
        losses.add(Code::UsageAssumed, Path::root().key("usage"), "Anthropic requires the counts");
        Usage::default()
    });
    Ok(Object::default()
        .with("id", id)
        .with("type", "message")
        .with("role", "assistant")
        .with("model", model.to_owned())
        .with("content", content)
        .with("stop_reason", reason)
        .with("stop_sequence", Value::Null)
        .with("usage", write_usage(&usage)))
}

/// The blocks of the turn; none for one that says nothing, which an answer may.
fn write_content(response: &Response, losses: &mut Losses) -> Result<Vec<Json>> {
    let path = Path::root().key("message");
    let same = response.dialect == Some(HERE);
    let turn = Message::Assistant(response.message.clone());
    let turn = Table::of([(&turn, same)].into_iter(), IDS).applied(&turn, &path, losses).unwrap_or(turn);
    let Message::Assistant(turn) = turn else { return Ok(Vec::new()) };
    let mut pen = Pen { same, internal: false, losses };
    let is_empty = turn.content.as_deref().is_none_or(str::is_empty)
        && turn.tool_calls.is_empty()
        && turn.provider_state.is_empty()
        && turn.reasoning_content.is_none();
    if is_empty {
        pen.leave(&turn.extra, &path);
        return Ok(Vec::new());
    }
    Ok(match turn::write(&turn, &path, &mut pen)? {
        Some(Value::Array(blocks)) => blocks,
        Some(Value::String(text)) => vec![text_block(&text).into()],
        _ => Vec::new(),
    })
}

fn write_usage(usage: &Usage) -> Object<'static> {
    let reasoning = usage.reasoning_tokens.map(|tokens| Object::default().with("thinking_tokens", tokens));
    Object::default()
        .with("input_tokens", usage.prompt_tokens)
        .with_some("cache_read_input_tokens", usage.cached_input_tokens)
        .with("output_tokens", usage.completion_tokens)
        .with_some("output_tokens_details", reasoning)
}
