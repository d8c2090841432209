//! Our own JSON spelling of answers and of what they cost.

use super::plain::{
    dialect_from, list, message_from_plain, message_to_plain, object_member, only, opt_bool, opt_text,
    some_text, tool_call_from_plain, tool_call_to_plain,
};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{FinishReason, Message, Response, Usage};

pub fn usage_to_plain(usage: &Usage) -> Json {
    let Usage { prompt_tokens, completion_tokens, cached_input_tokens, reasoning_tokens } = *usage;
    let number = |count: u64| Value::Number(count.to_string().into());
    Value::from(
        Object::default()
            .with("prompt_tokens", number(prompt_tokens))
            .with("completion_tokens", number(completion_tokens))
            .with_some("cached_input_tokens", cached_input_tokens.map(number))
            .with_some("reasoning_tokens", reasoning_tokens.map(number)),
    )
}

pub fn usage_from_plain(cursor: Cursor<'_>) -> Result<Usage> {
    let fields = cursor.fields()?;
    only(&fields, &["prompt_tokens", "completion_tokens", "cached_input_tokens", "reasoning_tokens"])?;
    let count =
        |c: Cursor<'_>| c.number()?.parse::<u64>().map_err(|_| c.expected("a whole number of tokens"));
    Ok(Usage {
        prompt_tokens: count(fields.need("prompt_tokens")?)?,
        completion_tokens: count(fields.need("completion_tokens")?)?,
        cached_input_tokens: fields.some("cached_input_tokens").map(count).transpose()?,
        reasoning_tokens: fields.some("reasoning_tokens").map(count).transpose()?,
    })
}

pub fn response_to_plain(response: &Response) -> Json {
    let Response {
        dialect,
        id,
        model,
        message,
        finish_reason,
        native_finish_reason,
        usage,
        complete,
        unfinished,
        error,
        native,
    } = response;
    Value::from(
        Object::default()
            .with_some("dialect", dialect.map(|d| Value::from(d.as_str())))
            .with_some("id", some_text(id.as_ref()))
            .with_some("model", some_text(model.as_ref()))
            .with("message", message_to_plain(&Message::Assistant(message.clone())))
            .with_some("finish_reason", finish_reason.map(FinishReason::as_str))
            .with_some("native_finish_reason", some_text(native_finish_reason.as_ref()))
            .with_some("usage", usage.as_ref().map(usage_to_plain))
            .with_some("complete", (!complete).then_some(false))
            .with_some("unfinished", list(unfinished, tool_call_to_plain))
            .with_some("error", error.clone())
            .with_some("native", native.clone()),
    )
}

pub fn response_from_plain(cursor: Cursor<'_>) -> Result<Response> {
    let fields = cursor.fields()?;
    only(
        &fields,
        &[
            "dialect",
            "id",
            "model",
            "message",
            "finish_reason",
            "native_finish_reason",
            "usage",
            "complete",
            "unfinished",
            "error",
            "native",
        ],
    )?;
    let message = fields.need("message")?;
    let Message::Assistant(message) = message_from_plain(message)? else {
        return Err(Error::shape(message.path().key("role"), "expected assistant"));
    };
    let unfinished = match fields.some("unfinished") {
        Some(calls) => calls.items()?.map(tool_call_from_plain).collect::<Result<_>>()?,
        None => Vec::new(),
    };
    let response = Response {
        dialect: fields.some("dialect").map(dialect_from).transpose()?,
        id: opt_text(&fields, "id")?,
        model: opt_text(&fields, "model")?,
        message,
        finish_reason: fields.some("finish_reason").map(finish_reason_from).transpose()?,
        native_finish_reason: opt_text(&fields, "native_finish_reason")?,
        usage: fields.some("usage").map(usage_from_plain).transpose()?,
        complete: opt_bool(&fields, "complete")?.unwrap_or(true),
        unfinished,
        error: fields.some("error").map(|error| error.to_json()),
        native: object_member(&fields, "native")?,
    };
    if response.complete && (!response.unfinished.is_empty() || response.error.is_some()) {
        let what = "expected false: a call is unfinished, or the answer ended in an error";
        return Err(Error::shape(fields.path().key("complete"), what));
    }
    Ok(response)
}

fn finish_reason_from(cursor: Cursor<'_>) -> Result<FinishReason> {
    let word = cursor.str()?;
    let known = FinishReason::ALL.into_iter().find(|reason| reason.as_str() == word);
    known.ok_or_else(|| cursor.expected("stop, length or tool_calls"))
}
