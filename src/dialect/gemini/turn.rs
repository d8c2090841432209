//! Turns of the model: text, calls and thoughts as typed fields, signatures on their parts, and the native turn where
//! the typed fields would not rebuild it.

use super::HERE;
use super::pen::{Pen, own, text};
use super::read::{CONTENT, MINTED};
use super::state::State;
use crate::dialect::arguments;
use crate::dialect::ids::folded;
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value, compact};
use crate::message::{AssistantMessage, CallKind, Extra, Text, ToolCall};
use crate::path::Path;

const SIGNATURE: &str = "thoughtSignature";
pub(super) const CALL: &str = "functionCall";
/// What stands for the signature of a call that another model made, <https://ai.google.dev/gemini-api/docs/thought-signatures>.
const STAND_IN: &str = "skip_thought_signature_validator";

/// The order in which a turn is rebuilt: thoughts, what the provider ran or made, texts, calls.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Rank {
    Thought,
    Native,
    Text,
    Call,
}

pub(super) fn rank(part: &Value<'_>) -> Rank {
    let has = |key: &str| part.get(key).is_some_and(|value| !value.is_null());
    if has(CALL) {
        Rank::Call
    } else if !has("text") {
        Rank::Native
    } else if is_thought(part) {
        Rank::Thought
    } else {
        Rank::Text
    }
}

fn is_thought(part: &Value<'_>) -> bool {
    part.get("thought") == Some(&Value::Bool(true))
}

fn is_signed(part: &Value<'_>) -> bool {
    part.get(SIGNATURE).is_some_and(|signature| !signature.is_null())
}

/// The typed turn, and its native parts where they are more than `write` would make of the typed fields. `mint` gives
/// the id of a call that states none.
pub(super) fn read(
    parts: &[Cursor<'_>],
    mint: &mut dyn FnMut(usize) -> Text,
) -> Result<(AssistantMessage, Option<Json>)> {
    let turn = typed(parts, mint)?;
    let native = (!rebuilds(parts)).then(|| parts.iter().map(Cursor::to_json).collect::<Vec<_>>().into());
    Ok((turn, native))
}

/// Does `write` give exactly these parts back?
fn rebuilds(parts: &[Cursor<'_>]) -> bool {
    let ranks: Vec<Rank> = parts.iter().map(|part| rank(part.value)).collect();
    let (mut texts, mut calls) = (0, 0);
    ranks.is_sorted()
        && parts.iter().zip(ranks).all(|(part, rank)| {
            let signed = is_signed(part.value);
            let members = part.value.as_object().map_or(0, Object::len);
            match rank {
                Rank::Thought | Rank::Native => true,
                Rank::Text => {
                    texts += 1;
                    let said = part.value.get("text").and_then(|text| text.as_str());
                    signed || texts == 1 && members == 1 && said.is_some_and(|said| !said.is_empty())
                }
                Rank::Call => {
                    calls += 1;
                    // A signed call is looked for among all of them.
                    let first = calls == 1 || !signed;
                    let Some(call) = part.value.get(CALL).and_then(|call| call.as_object()) else {
                        return false;
                    };
                    let id = call.get("id").is_some_and(|id| id.as_str().is_some_and(|id| !id.is_empty()));
                    let named = call.get("args").is_some() && call.len() == 2 + usize::from(id);
                    first && named && (signed || members == 1)
                }
            }
        })
}

fn typed(parts: &[Cursor<'_>], mint: &mut dyn FnMut(usize) -> Text) -> Result<AssistantMessage> {
    let mut turn = AssistantMessage::default();
    let (mut said, mut thought) = (None::<String>, String::new());
    for part in parts {
        let fields = part.fields()?;
        if let Some(result) = fields.some("functionResponse") {
            return Err(Error::shape(result.path(), "stands in a turn of the model"));
        }
        let rank = rank(part.value);
        match rank {
            Rank::Thought => thought.push_str(fields.need_str("text")?),
            Rank::Text => said.get_or_insert_default().push_str(fields.need_str("text")?),
            Rank::Call => {
                let call = fields.need(CALL)?;
                turn.tool_calls.push(read_call(&call.fields()?, turn.tool_calls.len(), mint)?);
            }
            Rank::Native => {}
        }
        if matches!(rank, Rank::Thought | Rank::Native) || is_signed(part.value) {
            turn.provider_state.push(part.to_json());
        }
    }
    turn.content = said.map(Into::into);
    turn.reasoning_content = (!thought.is_empty()).then(|| thought.into());
    Ok(turn)
}

fn read_call(call: &Fields<'_>, n: usize, mint: &mut dyn FnMut(usize) -> Text) -> Result<ToolCall> {
    let arguments = match call.some("args") {
        Some(args) => {
            args.fields()?;
            compact(args.value).into()
        }
        None => "{}".into(),
    };
    let (id, extra) = match call.some_str("id")?.filter(|id| !id.is_empty()) {
        Some(id) => (Text::from(id), Extra::none()),
        None => {
            let minted = mint(n);
            let layout = Object::default().with(MINTED, text(&minted));
            (minted, Extra::new(HERE, layout))
        }
    };
    let name = call.need_str("name")?.into();
    Ok(ToolCall { id, name, arguments, kind: CallKind::Function, namespace: None, extra })
}

/// Was this id not stated where the message was read?
pub(super) fn is_unstated(id: &str, extra: &Extra, key: &str) -> bool {
    own(extra, key).and_then(|minted| minted.as_str()) == Some(id)
}

/// The parts of the turn; none where it says nothing.
pub(super) fn write(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    pen.leave(&turn.extra, path);
    let mut stale = false;
    if let Some(Value::Array(native)) = own(&turn.extra, CONTENT) {
        if is_fresh(native, turn) {
            return Ok(native.clone());
        }
        stale = true;
        pen.lose(Code::NativeStale, path.clone(), "the turn was changed after its native form was read");
    }
    let mut state = State::of(turn, path, pen)?;
    let mut calls = Vec::with_capacity(turn.tool_calls.len());
    for (n, call) in turn.tool_calls.iter().enumerate() {
        let path = path.key("tool_calls").index(n);
        let written = write_call(call, &path, pen)?;
        let signed = state.signed_call(call);
        let stand_in = n == 0 && signed.is_none() && pen.stand_in_signatures && !pen.same;
        if n == 0 && signed.is_none() && pen.signed_calls && !stand_in && !pen.same {
            let detail = "this model refuses an unsigned call; the target gemini-3-moved writes a stand-in";
            pen.lose(Code::SignatureMissing, path.clone(), detail);
        }
        if stand_in {
            pen.lose(
                Code::TextPlaceholder,
                path,
                "the documented stand-in for a signature, which no model issued",
            );
        }
        let part =
            || Object::default().with(CALL, written).with_some(SIGNATURE, stand_in.then_some(STAND_IN));
        calls.push(signed.unwrap_or_else(|| part().into()));
    }
    let texts = state.texts(turn.content.as_deref().unwrap_or_default(), path, pen);
    let State { thoughts, native, refusals, calls: left, .. } = state;
    for (at, _) in left {
        let detail = "the call that it signed was changed or taken out";
        pen.lose(Code::ReasoningDropped, path.key("provider_state").index(at), detail);
    }
    if !pen.same && !stale && !thoughts.is_empty() && !texts.is_empty() && !calls.is_empty() {
        let detail = "the order of reasoning, text and calls is not known; they are written in this one";
        pen.lose(Code::ReasoningOrderAssumed, path.clone(), detail);
    }
    let mut parts = thoughts;
    parts.extend(native);
    parts.extend(texts);
    parts.extend(refusals.iter().map(|said| text_part(said)));
    parts.extend(calls);
    Ok(parts)
}

pub(super) fn text_part(said: &str) -> Json {
    Object::default().with("text", text(said)).into()
}

/// Does the native turn still say what the typed fields say?
fn is_fresh(native: &[Json], turn: &AssistantMessage) -> bool {
    let parts: Vec<Cursor<'_>> = native.iter().map(Cursor::root).collect();
    let mut again = |n: usize| turn.tool_calls.get(n).map_or_else(|| "".into(), |call| call.id.clone());
    typed(&parts, &mut again).is_ok_and(|read| read.says_the_same(turn))
}

/// How deep in a body the arguments of a call stand.
const ABOVE_ARGUMENTS: usize = 6;

fn write_call(call: &ToolCall, path: &Path, pen: &mut Pen<'_>) -> Result<Object<'static>> {
    let arguments = match call.kind {
        CallKind::Function => {
            arguments::object(&call.arguments, ABOVE_ARGUMENTS, &path.key("arguments"), pen.losses)?
        }
        CallKind::Custom => {
            let detail = "free-form input is wrapped in an object with the one member input";
            pen.lose(Code::CustomWrapped, path.clone(), detail);
            Object::default().with("input", text(&call.arguments))
        }
    };
    if call.namespace.is_some() {
        pen.lose(Code::NamespaceFolded, path.key("namespace"), "folded into the name");
    }
    pen.leave(&call.extra, path);
    let stated = !is_unstated(&call.id, &call.extra, MINTED);
    if stated && !pen.response_ids && !pen.same {
        let detail = "this server takes no ids: a result belongs to its call by its place";
        pen.lose(Code::ItemIdDropped, path.key("id"), detail);
    }
    let id = (stated && (pen.response_ids || pen.same)).then(|| text(&call.id));
    Ok(Object::default()
        .with_some("id", id)
        .with("name", folded(call.namespace.as_deref(), &call.name))
        .with("args", arguments))
}
