//! Assistant turns: text, calls and reasoning as typed fields, and the native turn where these would not rebuild it.

use super::HERE;
use super::blocks::{CACHE_POINT, member};
use super::pen::{Pen, block, own, text};
use super::read::CONTENT;
use crate::dialect::ids::folded;
use crate::dialect::loss::Code;
use crate::dialect::untyped::{Untyped, untyped};
use crate::dialect::{arguments, leave_message_item};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value, compact};
use crate::message::{AssistantMessage, CallKind, Dialect, Extra, ToolCall, is_blank, item_kind};
use crate::path::Path;

const REASONING: &str = "reasoningContent";
const CALL: &str = "toolUse";
const CITED: &str = "citationsContent";

/// The order in which a turn is rebuilt: reasoning, what the provider ran or made, one text, calls.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    Reasoning,
    Native,
    Text,
    Call,
    /// Only the native turn can say it.
    Mark,
}

fn rank(block: &Value<'_>) -> Rank {
    let has = |key: &str| block.get(key).is_some();
    if has("text") || has(CITED) {
        Rank::Text
    } else if has(REASONING) {
        Rank::Reasoning
    } else if has(CACHE_POINT) {
        Rank::Mark
    } else if block.get(CALL).is_some_and(|call| call.get("type").is_none_or(Value::is_null)) {
        Rank::Call
    } else {
        Rank::Native
    }
}

/// The typed turn, and its native content where that is more than `write` would make of the typed fields.
pub(super) fn read(content: Cursor<'_>) -> Result<(AssistantMessage, Option<Json>)> {
    let turn = typed(content)?;
    let blocks = content.value.as_array().unwrap_or_default();
    Ok((turn, (!rebuilds(blocks)).then(|| content.to_json())))
}

/// Does `write` give exactly these blocks back?
fn rebuilds(blocks: &[Value<'_>]) -> bool {
    let ranks: Vec<Rank> = blocks.iter().map(rank).collect();
    ranks.is_sorted()
        && ranks.iter().filter(|rank| **rank == Rank::Text).count() <= 1
        && blocks.iter().zip(ranks).all(|(block, rank)| match rank {
            Rank::Text => block.get("text").and_then(|t| t.as_str()).is_some_and(|t| !t.is_empty()),
            Rank::Reasoning | Rank::Native | Rank::Call => true,
            Rank::Mark => false,
        })
}

fn typed(content: Cursor<'_>) -> Result<AssistantMessage> {
    let mut turn = AssistantMessage::default();
    let (mut said, mut thought) = (None::<String>, String::new());
    for block in content.items()? {
        let name = member(block)?;
        let fields = block.fields()?;
        let value = fields.need(name)?;
        match rank(block.value) {
            Rank::Text if name == CITED => {
                let said = said.get_or_insert_default();
                let parts = value.value.get("content").and_then(|parts| parts.as_array()).unwrap_or_default();
                parts
                    .iter()
                    .filter_map(|part| part.get("text")?.as_str())
                    .for_each(|text| said.push_str(text));
            }
            Rank::Text => said.get_or_insert_default().push_str(value.str()?),
            Rank::Call => turn.tool_calls.push(read_call(&value.fields()?)?),
            Rank::Reasoning => {
                thought.push_str(reasoning(block.value));
                turn.provider_state.push(block.to_json());
            }
            Rank::Native => turn.provider_state.push(block.to_json()),
            Rank::Mark => {}
        }
    }
    turn.content = said.map(Into::into);
    turn.reasoning_content = (!thought.is_empty()).then(|| thought.into());
    Ok(turn)
}

/// The readable text of a block of reasoning.
fn reasoning<'a>(block: &'a Value<'_>) -> &'a str {
    let text = || block.get(REASONING)?.get("reasoningText")?.get("text")?.as_str();
    text().unwrap_or_default()
}

fn read_call(fields: &Fields<'_>) -> Result<ToolCall> {
    Ok(ToolCall {
        id: fields.need_str("toolUseId")?.into(),
        name: fields.need_str("name")?.into(),
        arguments: compact(fields.need("input")?.value).into(),
        kind: CallKind::Function,
        namespace: None,
        extra: Extra::new(HERE, fields.rest(&["toolUseId", "name", "input"])),
    })
}

/// The content of the turn; none where it says nothing.
pub(super) fn write(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    pen.leave(&turn.extra, path);
    let mut stale = false;
    if let Some(native @ Value::Array(blocks)) = own(&turn.extra, CONTENT) {
        if is_fresh(native, turn) {
            return Ok(blocks.clone());
        }
        stale = true;
        pen.lose(Code::NativeStale, path.clone(), "the turn was changed after its native form was read");
    }
    let State { mut blocks, reasons, refusals } = State::of(turn, path, pen)?;
    let content = turn.content.as_deref().unwrap_or_default();
    let blank = if pen.same { content.is_empty() } else { is_blank(content) };
    if blank && !content.is_empty() {
        pen.lose(Code::EmptyDropped, path.key("content"), "a blank text block is refused");
    }
    if !pen.same && !stale && reasons && !blank && !turn.tool_calls.is_empty() {
        let detail = "the order of reasoning, text and calls is not known; they are written in this one";
        pen.lose(Code::ReasoningOrderAssumed, path.clone(), detail);
    }
    if !blank {
        blocks.push(block("text", text(content)));
    }
    blocks.extend(refusals.iter().map(|said| block("text", text(said))));
    for (n, call) in turn.tool_calls.iter().enumerate() {
        blocks.push(write_call(call, &path.key("tool_calls").index(n), pen)?);
    }
    Ok(blocks)
}

/// Does the native turn still say what the typed fields say?
fn is_fresh(native: &Json, turn: &AssistantMessage) -> bool {
    typed(Cursor::root(native)).is_ok_and(|read| read.says_the_same(turn))
}

/// The provider state as this wire writes it.
#[derive(Default)]
struct State {
    /// Reasoning, then what the provider ran.
    blocks: Vec<Json>,
    reasons: bool,
    refusals: Vec<String>,
}

impl State {
    fn of(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Self> {
        let mut state = Self::default();
        let mut thought = String::new();
        let mut native = Vec::new();
        for (n, item) in turn.provider_state.iter().enumerate() {
            let path = path.key("provider_state").index(n);
            match (untyped(item), item_kind(item)) {
                (Some((Dialect::Bedrock, _)), _) => {}
                (Some((_, Untyped::Opaque)), _) => {
                    pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                    continue;
                }
                (None, "message") => {
                    state.foreign_message(turn, item, &path, pen);
                    continue;
                }
                (None, "reasoning" | "thinking" | "redacted_thinking" | "compaction") => {
                    pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                    continue;
                }
                (None, kind) if kind.starts_with("reasoning.") => {
                    pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                    continue;
                }
                (None, "function_call" | "custom_tool_call") if turn.has_call_of(item) => {
                    pen.lose(Code::ReasoningDropped, path, "the opaque state of a call of another wire");
                    continue;
                }
                (None, "") if pen.same || turn.extra.of(HERE).is_some() => {}
                (Some((_, Untyped::Hosted)) | None, _) => {
                    return Err(Error::unsupported(path, "an item of another wire that has no form here"));
                }
            }
            if rank(item) == Rank::Reasoning {
                thought.push_str(reasoning(item));
                state.blocks.push(item.clone());
            } else {
                native.push(item.clone());
            }
        }
        if turn.reasoning_content.as_deref().is_some_and(|text| !text.is_empty() && text != thought) {
            let detail = "reasoning without the signature of its provider cannot be replayed";
            pen.lose(Code::ReasoningDropped, path.key("reasoning_content"), detail);
        }
        state.reasons = !state.blocks.is_empty();
        state.blocks.extend(native);
        Ok(state)
    }

    fn foreign_message(&mut self, turn: &AssistantMessage, item: &Json, path: &Path, pen: &mut Pen<'_>) {
        leave_message_item(turn, item, path, pen.losses);
        let only = AssistantMessage { provider_state: vec![item.clone()], ..AssistantMessage::default() };
        for refusal in only.refusals() {
            pen.lose(Code::RefusalAsText, path.clone(), "a refusal is written as plain text");
            if !is_blank(refusal) {
                self.refusals.push(refusal.to_owned());
            }
        }
    }
}

/// How deep in a body the input of a call stands.
const ABOVE_INPUT: usize = 6;

fn write_call(call: &ToolCall, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    let input: Json = match call.kind {
        CallKind::Function if pen.same => {
            match crate::json::parse_text(&call.arguments, crate::json::Repeats::LastWins) {
                // This wire takes any JSON; what was read from it goes back.
                Ok(parsed) => parsed.value.into_owned(),
                Err(_) => {
                    arguments::object(&call.arguments, ABOVE_INPUT, &path.key("arguments"), pen.losses)?
                        .into()
                }
            }
        }
        CallKind::Function => {
            arguments::object(&call.arguments, ABOVE_INPUT, &path.key("arguments"), pen.losses)?.into()
        }
        CallKind::Custom => {
            let detail = "free-form input is wrapped in an object with the one member input";
            pen.lose(Code::CustomWrapped, path.clone(), detail);
            Object::default().with("input", text(&call.arguments)).into()
        }
    };
    if call.namespace.is_some() {
        pen.lose(Code::NamespaceFolded, path.key("namespace"), "folded into the name");
    }
    let mut object = Object::default()
        .with("toolUseId", text(&call.id))
        .with("name", folded(call.namespace.as_deref(), &call.name))
        .with("input", input);
    pen.extra(&mut object, &call.extra, &[], path);
    Ok(block(CALL, object))
}
