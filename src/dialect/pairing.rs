//! Which result answers which call, and what may stand between them.

use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::message::{AssistantMessage, Message, ToolMessage};
use crate::path::Path;

/// A message and its place in the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub(super) at: usize,
    pub(super) message: &'a Message,
}

impl Placed<'_> {
    pub(super) fn path(&self) -> Path {
        Path::root().key("messages").index(self.at)
    }
}

/// The messages in an order that every wire accepts: the results of a turn directly behind its calls, in the order
/// they came, then what was said between them. Refuses what no wire can say: a result without its call, a call
/// without its result, one id twice.
pub(super) fn settle<'a>(messages: &'a [Message], losses: &mut Losses) -> Result<Vec<Placed<'a>>> {
    let mut out = Vec::with_capacity(messages.len());
    let mut at = 0;
    while at < messages.len() {
        let end = messages[at + 1..]
            .iter()
            .position(|m| matches!(m, Message::Assistant(_)))
            .map_or(messages.len(), |n| at + 1 + n);
        match &messages[at] {
            Message::Assistant(turn) => {
                out.push(Placed { at, message: &messages[at] });
                answers(turn, at, &messages[at + 1..end], &mut out, losses)?;
                at = end;
            }
            Message::Tool(_) => return Err(orphan(at)),
            Message::System(_) | Message::User(_) => {
                out.push(Placed { at, message: &messages[at] });
                at += 1;
            }
        }
    }
    Ok(out)
}

fn orphan(at: usize) -> Error {
    let path = Path::root().key("messages").index(at).key("tool_call_id");
    Error::pairing(path, "orphan result: it answers no call of the assistant message before it")
}

fn answers<'a>(
    turn: &AssistantMessage,
    turn_at: usize,
    behind: &'a [Message],
    out: &mut Vec<Placed<'a>>,
    losses: &mut Losses,
) -> Result<()> {
    let path = |at: usize| Path::root().key("messages").index(at);
    for (n, call) in turn.tool_calls.iter().enumerate() {
        if turn.tool_calls[..n].iter().any(|earlier| earlier.id == call.id) {
            let path = path(turn_at).key("tool_calls").index(n).key("id");
            return Err(Error::pairing(path, "duplicate call: another call of this message has the same id"));
        }
    }
    let mut results: Vec<(usize, &ToolMessage)> = Vec::new();
    let mut between = Vec::new();
    for (n, message) in behind.iter().enumerate() {
        let at = turn_at + 1 + n;
        let Message::Tool(result) = message else {
            between.push(Placed { at, message });
            continue;
        };
        if !turn.tool_calls.iter().any(|call| call.id == result.tool_call_id) {
            return Err(orphan(at));
        }
        if let Some((_, first)) = results.iter().find(|(_, r)| r.tool_call_id == result.tool_call_id) {
            if first.content != result.content || first.is_error != result.is_error {
                let path = path(at).key("tool_call_id");
                return Err(Error::pairing(
                    path,
                    "duplicate result: another one with this id says something else",
                ));
            }
            losses.add(
                Code::DuplicateDropped,
                path(at),
                "the same result stands there twice and is written once",
            );
            continue;
        }
        results.push((at, result));
        out.push(Placed { at, message });
    }
    if let Some(n) =
        turn.tool_calls.iter().position(|call| !results.iter().any(|(_, r)| r.tool_call_id == call.id))
    {
        let path = path(turn_at).key("tool_calls").index(n);
        return Err(Error::pairing(
            path,
            "missing result: no tool message answers this call before the next turn",
        ));
    }
    let last = results.last().map(|(at, _)| *at);
    for moved in &between {
        if last.is_some_and(|last| moved.at < last) {
            let detail = "stood before a result of the turn and is written behind the results";
            losses.add(Code::OrderUserAfterResults, moved.path(), detail);
        }
    }
    out.extend(between);
    Ok(())
}

/// The name of the tool that a result answers: from the call with its id in the turn before it, else its own.
pub(super) fn tool_name<'a>(before: &'a [Message], result: &'a ToolMessage) -> Option<&'a str> {
    before
        .iter()
        .rev()
        .find_map(|m| match m {
            Message::Assistant(turn) => Some(turn.tool_calls.iter().find(|c| c.id == result.tool_call_id)),
            _ => None,
        })
        .flatten()
        .map(|call| &*call.name)
        .or(result.name.as_deref())
}
