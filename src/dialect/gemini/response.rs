//! A Gemini answer, <https://ai.google.dev/api/generate-content#generatecontentresponse>, in both directions.

use super::HERE;
use super::pen::{Pen, text};
use super::read::read_turn;
use super::spelling::camel;
use super::turn;
use crate::dialect::beside::{leave_beside, leave_others};
use crate::dialect::counts::count;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::reasons::{Words, word};
use crate::dialect::{Options, targets};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{AssistantMessage, FinishReason, Response, Text, Usage};
use crate::path::Path;

pub(in crate::dialect) fn read_answer(body: Cursor<'_>) -> Result<AssistantMessage> {
    let body = camel(body.value)?;
    read_candidate(&Cursor::root(&body).fields()?)
}

/// Where the candidate stands that has the index 0; the first one, if none has.
fn chosen(candidates: &Value<'_>) -> usize {
    let zero = |candidate: &Value<'_>| candidate.get("index") == Some(&0_u64.into());
    candidates.as_array().unwrap_or_default().iter().position(zero).unwrap_or(0)
}

/// The turn of the candidate that counts. An answer without any, whose prompt was blocked, says nothing.
fn read_candidate(body: &Fields<'_>) -> Result<AssistantMessage> {
    if blocked(body.object).is_some() && body.some("candidates").is_none() {
        return Ok(AssistantMessage::default());
    }
    let candidates = body.need("candidates")?;
    let Some(first) = candidates.items()?.nth(chosen(candidates.value)) else {
        return match blocked(body.object) {
            Some(_) => Ok(AssistantMessage::default()),
            None => Err(Error::shape(candidates.path(), "there is none")),
        };
    };
    let first = first.fields()?;
    let content = first.some("content");
    if let Some(role) = content.and_then(|content| content.value.get("role")).filter(|role| !role.is_null())
        && role.as_str() != Some("model")
    {
        let path = first.path().key("content").key("role");
        return Err(Error::shape(path, "expected model"));
    }
    read_turn(content, body.object)
}

/// Why the prompt was not answered.
fn blocked<'b>(body: &'b Object<'_>) -> Option<&'b str> {
    body.get("promptFeedback")?.get("blockReason")?.as_str()
}

pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<Response> {
    let body = camel(body.value)?;
    let body = Cursor::root(&body).fields()?;
    let mut message = read_candidate(&body)?;
    let said = |key: &str| body.object.get(key).and_then(Value::as_str).map(Text::from);
    let candidate = body.object.get("candidates").and_then(|all| all.as_array()?.get(chosen(all)));
    let mut unfinished = Vec::new();
    if let Some(content) = candidate.and_then(|candidate| candidate.get("content")?.as_object()) {
        let calls: Vec<bool> = parts_of(content).iter().filter_map(goes_on).collect();
        if calls.contains(&true) {
            let mut open = calls.iter();
            let (cut, _): (Vec<_>, Vec<_>) =
                message.tool_calls.into_iter().partition(|_| open.next() == Some(&true));
            unfinished = cut;
            let whole =
                parts_of(content).iter().filter(|part| goes_on(part) != Some(true)).cloned().collect();
            let mut content = content.clone();
            content.set("parts", Value::Array(whole));
            message = read_turn(Some(Cursor::root(&content.into())), body.object)?;
        }
    }
    let word = candidate.and_then(|candidate| candidate.get("finishReason")?.as_str());
    Ok(Response {
        id: said("responseId"),
        model: said("modelVersion"),
        finish_reason: word.and_then(|word| reason(word, &message)),
        native_finish_reason: word.or(blocked(body.object)).map(Text::from),
        usage: body.object.get("usageMetadata").and_then(Value::as_object).and_then(read_usage),
        message,
        complete: true,
        unfinished,
        ..Response::default()
    })
}

fn parts_of<'c, 'v>(content: &'c Object<'v>) -> &'c [Value<'v>] {
    content.get("parts").and_then(Value::as_array).unwrap_or_default()
}

/// Of a call: does it say that its arguments are not all there?
fn goes_on(part: &Value<'_>) -> Option<bool> {
    let call = part.get("functionCall").filter(|call| !call.is_null())?;
    Some(call.get("willContinue") == Some(&Value::Bool(true)))
}

/// There is no word for a turn that ends with calls: it just stops.
fn reason(word: &str, message: &AssistantMessage) -> Option<FinishReason> {
    match word {
        "STOP" if message.tool_calls.is_empty() => Some(FinishReason::Stop),
        "STOP" => Some(FinishReason::ToolCalls),
        "MAX_TOKENS" => Some(FinishReason::Length),
        _ => None,
    }
}

/// The prompt includes what was cached and not what tools of the provider put into it; the candidates do not include
/// the thoughts. A count that is zero is left out by the API.
fn read_usage(usage: &Object<'_>) -> Option<Usage> {
    let of = |key: &str| count(usage, key);
    if of("promptTokenCount").is_none() && of("candidatesTokenCount").is_none() {
        return None;
    }
    let (cached, thoughts) = (of("cachedContentTokenCount"), of("thoughtsTokenCount"));
    let sum = |one: Option<u64>, other: Option<u64>| one.unwrap_or(0).saturating_add(other.unwrap_or(0));
    let prompt = sum(of("promptTokenCount"), of("toolUsePromptTokenCount"));
    Some(Usage {
        prompt_tokens: prompt.saturating_sub(cached.unwrap_or(0)),
        completion_tokens: sum(of("candidatesTokenCount"), thoughts),
        cached_input_tokens: cached,
        reasoning_tokens: thoughts,
    })
}

/// What is typed, and what every answer has.
const KNOWN: [&str; 6] =
    ["candidates", "usageMetadata", "modelVersion", "responseId", "createTime", "promptFeedback"];
const KNOWN_OF_CANDIDATE: [&str; 5] = ["content", "finishReason", "index", "safetyRatings", "tokenCount"];
const KNOWN_OF_FEEDBACK: [&str; 2] = ["blockReason", "safetyRatings"];

/// Reports what another wire does not get of an answer.
pub(in crate::dialect) fn leave_response(native: &Value<'_>, losses: &mut Losses) {
    let Ok(native) = camel(native) else { return };
    let Some(native) = native.as_object() else { return };
    leave_beside(native, &KNOWN, &Path::root(), losses);
    if let Some(feedback) = native.get("promptFeedback").and_then(Value::as_object) {
        leave_beside(feedback, &KNOWN_OF_FEEDBACK, &Path::root().key("promptFeedback"), losses);
    }
    let Some(candidates) = native.get("candidates") else { return };
    let (at, path) = (chosen(candidates), Path::root().key("candidates"));
    if let Some(candidate) = candidates.as_array().and_then(|candidates| candidates.get(at)?.as_object()) {
        leave_beside(candidate, &KNOWN_OF_CANDIDATE, &path.index(at), losses);
    }
    leave_others(candidates, at, &path, losses);
}

const WORDS: Words = Words { stop: "STOP", length: "MAX_TOKENS", tool_calls: "STOP", filtered: "SAFETY" };

pub(in crate::dialect) fn write_response(
    response: &Response,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let flags = targets::flags(HERE, None, None);
    let mut pen = Pen::new(response.dialect == Some(HERE), Options::default(), flags, losses);
    let parts = turn::write(&response.message, &Path::root().key("message"), &mut pen)?;
    let read = |word: &str| reason(word, &response.message);
    let reason = word(response, HERE, read, WORDS, losses);
    if response.finish_reason.is_some() && read(reason) != response.finish_reason {
        let detail = "whether a turn ends with calls is said by its parts alone";
        losses.add(Code::FinishReasonReduced, Path::root().key("finish_reason"), detail);
    }
    let candidate = Object::default()
        .with("content", Object::default().with("role", "model").with("parts", parts))
        .with("finishReason", text(reason))
        .with("index", Json::Number("0".into()));
    let usage = response.usage.as_ref().map(|usage| write_usage(usage, losses));
    Ok(Object::default()
        .with("candidates", vec![candidate.into()])
        .with_some("usageMetadata", usage)
        .with_some("modelVersion", response.model.as_deref().map(text))
        .with_some("responseId", response.id.as_deref().map(text)))
}

/// The counts of this wire do not overlap.
fn write_usage(usage: &Usage, losses: &mut Losses) -> Object<'static> {
    let prompt = usage.prompt_tokens.saturating_add(usage.cached_input_tokens.unwrap_or(0));
    let thoughts = usage.reasoning_tokens.filter(|tokens| *tokens <= usage.completion_tokens);
    if thoughts != usage.reasoning_tokens {
        let path = Path::root().key("usage").key("reasoning_tokens");
        losses.add(Code::FieldDropped, path, "more than the output that it is a part of");
    }
    Object::default()
        .with("promptTokenCount", prompt)
        .with_some("cachedContentTokenCount", usage.cached_input_tokens)
        .with("candidatesTokenCount", usage.completion_tokens - thoughts.unwrap_or(0))
        .with_some("thoughtsTokenCount", thoughts)
        .with("totalTokenCount", prompt.saturating_add(usage.completion_tokens))
}
