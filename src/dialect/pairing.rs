//! Which result answers which call, what may stand between them, and under which ids.

use crate::dialect::ids::{Rule, Table};
use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::message::{AssistantMessage, Dialect, Message, Request, Text, ToolMessage};
use crate::path::Path;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A message in its place in what is written.
pub(super) struct Placed<'a> {
    /// Its place in the request.
    pub(super) at: usize,
    pub(super) message: Cow<'a, Message>,
    /// The name of the tool whose call a result answers.
    pub(super) called: Option<&'a str>,
    /// Is it written back as it was read?
    pub(super) same: bool,
}

impl Placed<'_> {
    pub(super) fn path(&self) -> Path {
        Path::root().key("messages").index(self.at)
    }
}

/// The messages as they are written. A conversation that was read from this wire stays as it is. Any other one comes
/// into an order that every wire accepts: the results of a turn directly behind its calls, in the order they came,
/// then what was said between them; and its ids become ones that the wire allows. Refuses what no wire can say: a
/// result without its call, a call without its result, one id twice.
pub(super) fn place<'a>(
    request: &'a Request,
    wire: Dialect,
    rule: Option<Rule>,
    losses: &mut Losses,
) -> Result<Vec<Placed<'a>>> {
    let messages = &request.messages;
    let mut placed = Vec::with_capacity(messages.len());
    let place = |at: usize, called| Placed {
        at,
        message: Cow::Borrowed(&messages[at]),
        called,
        same: request.is_read_from(wire, at),
    };
    if request.is_whole(wire) {
        let mut names: HashMap<&str, &str> = HashMap::new();
        for (at, message) in messages.iter().enumerate() {
            let called = match message {
                Message::Assistant(turn) => {
                    names = turn.tool_calls.iter().map(|call| (&*call.id, &*call.name)).collect();
                    None
                }
                Message::Tool(result) => names.get(&*result.tool_call_id).copied(),
                Message::System(_) | Message::User(_) => None,
            };
            placed.push(place(at, called));
        }
        return Ok(placed);
    }
    let mut at = 0;
    while at < messages.len() {
        match &messages[at] {
            Message::Assistant(turn) => {
                let behind = messages[at + 1..].iter().take_while(|m| !matches!(m, Message::Assistant(_)));
                placed.push(place(at, None));
                let end = at + 1 + behind.count();
                let answers = answers(turn, at, &messages[at + 1..end], losses)?;
                placed.extend(answers.into_iter().map(|(at, called)| place(at, called)));
                at = end;
            }
            Message::Tool(_) => return Err(orphan(at)),
            Message::System(_) | Message::User(_) => {
                placed.push(place(at, None));
                at += 1;
            }
        }
    }
    if let Some(rule) = rule {
        let table =
            Table::of(messages.iter().enumerate().map(|(at, m)| (m, request.is_read_from(wire, at))), rule);
        for place in &mut placed {
            if let Some(changed) = table.applied(&place.message, &place.path(), losses) {
                place.message = Cow::Owned(changed);
            }
        }
    }
    Ok(placed)
}

fn orphan(at: usize) -> Error {
    let path = Path::root().key("messages").index(at).key("tool_call_id");
    Error::pairing(path, "orphan result: it answers no call of the assistant message before it")
}

/// The messages behind a turn: its results with the names of their tools, then the others.
fn answers<'a>(
    turn: &'a AssistantMessage,
    turn_at: usize,
    behind: &'a [Message],
    losses: &mut Losses,
) -> Result<Vec<(usize, Option<&'a str>)>> {
    let path = |at: usize| Path::root().key("messages").index(at);
    let mut calls: HashMap<&Text, &str> = HashMap::with_capacity(turn.tool_calls.len());
    for (n, call) in turn.tool_calls.iter().enumerate() {
        if calls.insert(&call.id, &call.name).is_some() {
            let path = path(turn_at).key("tool_calls").index(n).key("id");
            return Err(Error::pairing(path, "duplicate call: another call of this message has the same id"));
        }
    }
    let mut results: HashMap<&Text, &ToolMessage> = HashMap::with_capacity(calls.len());
    let mut out = Vec::with_capacity(behind.len());
    let mut between = Vec::new();
    let mut last = turn_at;
    for (n, message) in behind.iter().enumerate() {
        let at = turn_at + 1 + n;
        let Message::Tool(result) = message else {
            between.push(at);
            continue;
        };
        let Some(called) = calls.get(&result.tool_call_id) else { return Err(orphan(at)) };
        if let Some(first) = results.insert(&result.tool_call_id, result) {
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
        last = at;
        out.push((at, Some(*called)));
    }
    let answered: HashSet<&Text> = results.into_keys().collect();
    if let Some(n) = turn.tool_calls.iter().position(|call| !answered.contains(&call.id)) {
        let path = path(turn_at).key("tool_calls").index(n);
        return Err(Error::pairing(
            path,
            "missing result: no tool message answers this call before the next turn",
        ));
    }
    for at in &between {
        if *at < last {
            let detail = "stood before a result of the turn and is written behind the results";
            losses.add(Code::OrderUserAfterResults, path(*at), detail);
        }
    }
    out.extend(between.into_iter().map(|at| (at, None)));
    Ok(out)
}
