//! Assistant turns: text, calls and reasoning as typed fields, and the native turn where these would not rebuild it.

use super::HERE;
use super::pen::{Pen, text, text_block};
use super::read::CONTENT;
use crate::dialect::arguments;
use crate::dialect::ids::folded;
use crate::dialect::leave_message_item;
use crate::dialect::loss::Code;
use crate::dialect::untyped::{Untyped, untyped};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value, compact};
use crate::message::{AssistantMessage, CallKind, Extra, ToolCall, is_blank, item_kind};
use crate::path::Path;

/// The order in which a turn is rebuilt: reasoning, other native blocks, one text, calls. Reasoning has an order of
/// its own, because the same turn comes back with its redacted blocks in other places: see `typed`.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    Redacted,
    Thinking,
    Native,
    Text,
    Call,
}

fn rank(kind: &str) -> Rank {
    match kind {
        "redacted_thinking" => Rank::Redacted,
        "thinking" => Rank::Thinking,
        "text" => Rank::Text,
        "tool_use" => Rank::Call,
        _ => Rank::Native,
    }
}

/// The typed turn, and its native content where that is more than `write` would make of the typed fields.
pub(super) fn read(content: Cursor<'_>) -> Result<(AssistantMessage, Option<Json>)> {
    let turn = typed(content)?;
    let native = match content.value {
        Value::Array(blocks) if !rebuilds(blocks) => Some(content.to_json()),
        _ => None,
    };
    Ok((turn, native))
}

/// Does `write` give exactly these blocks back?
fn rebuilds(blocks: &[Value<'_>]) -> bool {
    let ranks: Vec<Rank> = blocks.iter().map(|block| rank(block.kind().unwrap_or_default())).collect();
    let texts = ranks.iter().filter(|rank| **rank == Rank::Text).count();
    // Text alone is written as a string.
    ranks.is_sorted()
        && texts <= 1
        && !(texts == 1 && blocks.len() == 1)
        && blocks.iter().all(|block| match rank(block.kind().unwrap_or_default()) {
            Rank::Text => {
                block.as_object().is_some_and(|o| o.len() == 2)
                    && block.get("text").and_then(|t| t.as_str()).is_some_and(|t| !t.is_empty())
            }
            Rank::Native => owner(block.kind().unwrap_or_default(), true) == Owner::Here,
            Rank::Redacted | Rank::Thinking | Rank::Call => true,
        })
}

fn typed(content: Cursor<'_>) -> Result<AssistantMessage> {
    let mut turn = AssistantMessage::default();
    let blocks = match content.value {
        Value::String(text) => {
            turn.content = Some(text.as_ref().into());
            return Ok(turn);
        }
        Value::Array(_) => content.items()?,
        _ => return Err(content.expected("a string or a list of blocks")),
    };
    let (mut said, mut thought) = (None::<String>, String::new());
    for block in blocks {
        let fields = block.fields()?;
        let kind = fields.need_str("type")?;
        match rank(kind) {
            Rank::Text => said.get_or_insert_default().push_str(fields.need_str("text")?),
            Rank::Call => {
                let input = fields.need("input")?;
                input.fields()?;
                turn.tool_calls.push(ToolCall {
                    id: fields.need_str("id")?.into(),
                    name: fields.need_str("name")?.into(),
                    arguments: compact(input.value).into(),
                    kind: CallKind::Function,
                    namespace: None,
                    extra: Extra::new(HERE, fields.rest(&["type", "id", "name", "input"])),
                });
            }
            Rank::Redacted | Rank::Thinking | Rank::Native => {
                if kind == "thinking" {
                    thought.push_str(fields.need_str("thinking")?);
                }
                turn.provider_state.push(block.to_json());
            }
        }
    }
    // A replay may order the kinds of reasoning otherwise than the answer did, and is still the same message.
    turn.provider_state.sort_by_key(|block| match rank(item_kind(block)) {
        Rank::Redacted => 0,
        Rank::Thinking => 1,
        Rank::Native | Rank::Text | Rank::Call => 2,
    });
    turn.content = said.map(Into::into);
    turn.reasoning_content = (!thought.is_empty()).then(|| thought.into());
    Ok(turn)
}

/// Whose an item of provider state is.
#[derive(PartialEq)]
enum Owner {
    Here,
    /// A message item of Responses, also the form of any refusal.
    Message,
    /// Opaque reasoning that only its own provider can read.
    Reasoning,
    /// A call that also stands in `tool_calls`.
    Call,
    Elsewhere,
}

/// On the same wire every type that is not known to be another's is this one's.
fn owner(kind: &str, same: bool) -> Owner {
    match kind {
        "message" => Owner::Message,
        "reasoning" => Owner::Reasoning,
        kind if kind.starts_with("reasoning.") => Owner::Reasoning,
        "function_call" | "custom_tool_call" => Owner::Call,
        "thinking" | "redacted_thinking" | "server_tool_use" | "mcp_tool_use" | "mcp_tool_listing"
        | "container_upload" | "fallback" | "tool_reference" | "search_result" | "browser_state"
        | "tool_addition" | "tool_removal" => Owner::Here,
        kind if kind.ends_with("_tool_result") => Owner::Here,
        "" => Owner::Elsewhere,
        _ if same => Owner::Here,
        _ => Owner::Elsewhere,
    }
}

/// Two wires have an item of this name; here it holds a summary or a signature.
fn is_own_compaction(item: &Json) -> bool {
    item_kind(item) == "compaction" && (item.get("content").is_some() || item.get("signature").is_some())
}

/// The content of the turn, or nothing where another wire's turn says nothing.
pub(super) fn write(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Option<Json>> {
    pen.leave(&turn.extra, path);
    let mut stale = false;
    if let Some(native) = turn.extra.of(HERE).and_then(|own| own.get(CONTENT)) {
        stale = !is_fresh(native, turn);
        if stale {
            pen.lose(Code::NativeStale, path.clone(), "the turn was changed after its native form was read");
        } else {
            return Ok(Some(native.clone()));
        }
    }
    let state = state(turn, path, pen)?;
    let content = turn.content.as_deref().unwrap_or_default();
    let blank = if pen.same { content.is_empty() } else { is_blank(content) };
    let mut calls = Vec::with_capacity(turn.tool_calls.len());
    for (n, call) in turn.tool_calls.iter().enumerate() {
        calls.push(write_call(call, &path.key("tool_calls").index(n), pen)?);
    }
    if state.is_empty() && calls.is_empty() {
        return Ok(match (&turn.content, blank) {
            (Some(text), _) if pen.same => Some(self::text(text)),
            (None, _) if pen.same => Some(Vec::new().into()),
            (_, true) => {
                pen.lose(Code::EmptyDropped, path.clone(), "the turn says nothing, which Anthropic refuses");
                None
            }
            (_, false) => Some(self::text(content)),
        });
    }
    if blank && !content.is_empty() {
        pen.lose(Code::EmptyDropped, path.key("content"), "Anthropic refuses a blank text block");
    }
    let State { reasoning, native: mut blocks, refusals } = state;
    if !pen.same && !stale && !reasoning.is_empty() && !blank && !calls.is_empty() {
        let detail = "the order of reasoning, text and calls is not known; they are written in this one";
        pen.lose(Code::ReasoningOrderAssumed, path.clone(), detail);
    }
    blocks.splice(0..0, reasoning);
    if !blank {
        blocks.push(text_block(content).into());
    }
    blocks.extend(refusals.iter().map(|text| text_block(text).into()));
    blocks.extend(calls);
    Ok(Some(blocks.into()))
}

/// Does the native turn still say what the typed fields say?
fn is_fresh(native: &Json, turn: &AssistantMessage) -> bool {
    typed(Cursor::root(native)).is_ok_and(|read| read.says_the_same(turn))
}

/// The provider state as this wire writes it.
struct State {
    reasoning: Vec<Json>,
    native: Vec<Json>,
    refusals: Vec<String>,
}

impl State {
    fn is_empty(&self) -> bool {
        self.reasoning.is_empty() && self.native.is_empty() && self.refusals.is_empty()
    }
}

fn state(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<State> {
    let mut state = State { reasoning: Vec::new(), native: Vec::new(), refusals: Vec::new() };
    let mut thought = String::new();
    for (n, item) in turn.provider_state.iter().enumerate() {
        let path = path.key("provider_state").index(n);
        let kind = item_kind(item);
        match untyped(item) {
            Some((_, Untyped::Opaque)) => {
                pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                continue;
            }
            Some((_, Untyped::Hosted)) => {
                return Err(Error::unsupported(path, "an item of another wire that has no form here"));
            }
            None => {}
        }
        match owner(kind, pen.same) {
            Owner::Here => {}
            Owner::Elsewhere if is_own_compaction(item) => {}
            Owner::Message => {
                foreign_message(turn, item, &path, &mut state, pen);
                continue;
            }
            Owner::Reasoning => {
                pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                continue;
            }
            Owner::Call if turn.has_call_of(item) => {
                pen.lose(Code::ReasoningDropped, path, "the opaque state of a call of another wire");
                continue;
            }
            Owner::Call | Owner::Elsewhere => {
                return Err(Error::unsupported(path, "an item of another wire that has no form here"));
            }
        }
        if kind == "thinking" {
            thought.push_str(item.get("thinking").and_then(|t| t.as_str()).unwrap_or_default());
        }
        let block = item.clone();
        match rank(kind) {
            Rank::Redacted | Rank::Thinking => state.reasoning.push(block),
            Rank::Native | Rank::Text | Rank::Call => state.native.push(block),
        }
    }
    if turn.reasoning_content.as_deref().is_some_and(|text| !text.is_empty() && text != thought) {
        let detail = "reasoning without the signature of its provider cannot be replayed";
        pen.lose(Code::ReasoningDropped, path.key("reasoning_content"), detail);
    }
    Ok(state)
}

fn foreign_message(turn: &AssistantMessage, item: &Json, path: &Path, state: &mut State, pen: &mut Pen<'_>) {
    leave_message_item(turn, item, path, pen.losses);
    let only = AssistantMessage { provider_state: vec![item.clone()], ..AssistantMessage::default() };
    for refusal in only.refusals() {
        pen.lose(Code::RefusalAsText, path.clone(), "a refusal is written as plain text");
        if !is_blank(refusal) {
            state.refusals.push(refusal.to_owned());
        }
    }
}

fn write_call(call: &ToolCall, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    let input = match call.kind {
        CallKind::Function => {
            arguments::object(&call.arguments, ABOVE_INPUT, &path.key("arguments"), pen.losses)?
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
    let name = folded(call.namespace.as_deref(), &call.name);
    let mut block = Object::default()
        .with("type", "tool_use")
        .with("id", text(&call.id))
        .with("name", name)
        .with("input", input);
    pen.extra(&mut block, &call.extra, &[], path);
    Ok(block.into())
}

/// How deep in a body the input of a call stands.
const ABOVE_INPUT: usize = 5;
