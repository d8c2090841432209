//! Provider state on its way back: what is this wire's own, on which part a signature belongs, and what another wire
//! cannot have back here.

use super::HERE;
use super::pen::Pen;
use super::read::MINTED;
use super::turn::{CALL, Rank, is_unstated, rank, text_part};
use crate::dialect::leave_message_item;
use crate::dialect::loss::Code;
use crate::dialect::untyped::{Untyped, untyped};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Repeats, Value, parse_text};
use crate::message::{AssistantMessage, Dialect, ToolCall, item_kind};
use crate::path::Path;
use std::collections::VecDeque;

/// The provider state as this wire writes it; signed texts and calls with their places in it.
#[derive(Default)]
pub(super) struct State {
    pub(super) thoughts: Vec<Json>,
    pub(super) native: Vec<Json>,
    texts: Vec<(usize, Json)>,
    pub(super) calls: VecDeque<(usize, Json)>,
    pub(super) refusals: Vec<String>,
}

/// Whose an item of provider state is.
enum Owner {
    Here,
    /// A message item of Responses, also the form of any refusal.
    Message,
    /// Opaque reasoning that only its own provider can read.
    Reasoning,
    Elsewhere,
}

fn owner(item: &Json, turn: &AssistantMessage, same: bool) -> Owner {
    match untyped(item) {
        Some((Dialect::Gemini, _)) => return Owner::Here,
        Some((_, Untyped::Opaque)) => return Owner::Reasoning,
        Some((_, Untyped::Hosted)) => return Owner::Elsewhere,
        None => {}
    }
    match item_kind(item) {
        "message" => Owner::Message,
        "reasoning" | "thinking" | "redacted_thinking" | "compaction" => Owner::Reasoning,
        kind if kind.starts_with("reasoning.") => Owner::Reasoning,
        "function_call" | "custom_tool_call" if turn.has_call_of(item) => Owner::Reasoning,
        "" if same || turn.extra.of(HERE).is_some() => Owner::Here,
        _ => Owner::Elsewhere,
    }
}

impl State {
    pub(super) fn of(turn: &AssistantMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Self> {
        let mut state = Self::default();
        let mut thought = String::new();
        for (n, item) in turn.provider_state.iter().enumerate() {
            let path = path.key("provider_state").index(n);
            match owner(item, turn, pen.same) {
                Owner::Here => {}
                Owner::Message => {
                    state.foreign_message(turn, item, &path, pen);
                    continue;
                }
                Owner::Reasoning => {
                    pen.lose(Code::ReasoningDropped, path, "only the provider that made it can read it");
                    continue;
                }
                Owner::Elsewhere => {
                    let what = "an item of another wire that has no form here";
                    return Err(Error::unsupported(path, what));
                }
            }
            match rank(item) {
                Rank::Thought => {
                    thought.push_str(item.get("text").and_then(|text| text.as_str()).unwrap_or_default());
                    state.thoughts.push(item.clone());
                }
                Rank::Native => state.native.push(item.clone()),
                Rank::Text => state.texts.push((n, item.clone())),
                Rank::Call => state.calls.push_back((n, item.clone())),
            }
        }
        if turn.reasoning_content.as_deref().is_some_and(|text| !text.is_empty() && text != thought) {
            let detail = "reasoning without the signature of its provider cannot be replayed";
            pen.lose(Code::ReasoningDropped, path.key("reasoning_content"), detail);
        }
        Ok(state)
    }

    fn foreign_message(&mut self, turn: &AssistantMessage, item: &Json, path: &Path, pen: &mut Pen<'_>) {
        leave_message_item(turn, item, path, pen.losses);
        let only = AssistantMessage { provider_state: vec![item.clone()], ..AssistantMessage::default() };
        for refusal in only.refusals().filter(|refusal| !refusal.is_empty()) {
            pen.lose(Code::RefusalAsText, path.clone(), "a refusal is written as plain text");
            self.refusals.push(refusal.to_owned());
        }
    }

    /// The signed part of a call, as long as it says what the call says.
    pub(super) fn signed_call(&mut self, call: &ToolCall) -> Option<Json> {
        let input = parse_text(&call.arguments, Repeats::LastWins).map(|parsed| parsed.value).ok();
        let says = |part: &Json| {
            let native = part.get(CALL)?;
            let id = native.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
            let same_id = id.map_or_else(|| is_unstated(&call.id, &call.extra, MINTED), |id| id == &*call.id);
            let same_name = native.get("name")?.as_str()? == &*call.name && call.namespace.is_none();
            let empty = Value::Object(Object::default());
            let signed = native.get("args").filter(|args| !args.is_null()).unwrap_or(&empty);
            let same_input = || input.as_ref() == Some(signed);
            (same_id && same_name && same_input()).then_some(())
        };
        let at = self.calls.iter().position(|(_, part)| says(part).is_some())?;
        self.calls.remove(at).map(|(_, part)| part)
    }

    /// What was said: the part that nobody signed, then the signed ones. Where the text was changed, no signature of
    /// it is worth anything.
    pub(super) fn texts(&mut self, content: &str, path: &Path, pen: &mut Pen<'_>) -> Vec<Json> {
        let signed: String = self.texts.iter().filter_map(|(_, part)| part.get("text")?.as_str()).collect();
        let mut texts = Vec::new();
        match content.strip_suffix(&signed) {
            Some(before) => {
                texts.extend((!before.is_empty()).then(|| text_part(before)));
                texts.extend(self.texts.drain(..).map(|(_, part)| part));
            }
            None => {
                for (at, _) in self.texts.drain(..) {
                    let path = path.key("provider_state").index(at);
                    pen.lose(Code::ReasoningDropped, path, "the text that it signed was changed");
                }
                texts.extend((!content.is_empty()).then(|| text_part(content)));
            }
        }
        texts
    }
}
