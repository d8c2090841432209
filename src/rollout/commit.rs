//! What a committed turn leaves behind: nodes in the graph, and the spellings by which the next body is known.

use super::part::Met;
use super::receive::{Cut, Memory};
use super::spellings::{New, own_identities};
use crate::graph::{Held, NodeId, Origin, Shared, Stamp};
use crate::json::compact;
use crate::message::{Message, message_to_plain};
use std::sync::Arc;

/// Adds the unknown parts of a body to the graph, which from then on reads them from the bytes that are stored here; gives
/// the node of the last message.
pub(super) fn commit(
    memory: &mut Memory,
    graph: &Shared,
    cut: &Cut,
    body: &[u8],
    timestamp: f64,
) -> Option<NodeId> {
    for met in &cut.met {
        learn(memory, graph, met, body);
    }
    let start = memory.spellings.start(cut.shell.tools.start);
    let mut last = cut.tip;
    for part in &cut.tail {
        let from = part.from.or(last).unwrap_or(start);
        let bytes = part.range.clone().and_then(|range| body.get(range));
        let new = bytes.filter(|bytes| !memory.spellings.knows(&memory.texts, from, bytes));
        let id = new.map(|bytes| memory.texts.store(bytes, part.behind_result, true));
        let source = id.map(|id| memory.texts.source(id));
        let mut nodes = graph.write();
        for (nth, (message, print)) in (0..).zip(&part.messages).skip(part.known) {
            let held = match &source {
                Some((source, key)) => Held::Source { source: source.clone(), key: *key, nth },
                None => Held::Message(message.clone()),
            };
            let origin = Origin::behind(last, &cut.shell.tools);
            let stamp = Stamp { timestamp, ..Stamp::default() };
            last = Some(nodes.add(origin, held, print, stamp));
        }
        drop(nodes);
        if let (Some(bytes), Some(to)) = (new, last) {
            let own = own_identities(&graph.read(), to, &part.messages);
            let (edits, kind) = (part.edits.clone(), part.kind);
            memory.spellings.record(New { from, to, bytes, id, edits, own, kind });
        }
    }
    last
}

/// Remembers by which bytes a known part was spelled. A message that the graph holds in its typed form, and that reads
/// from these bytes just so, is held by them from now on.
fn learn(memory: &mut Memory, graph: &Shared, met: &Met, body: &[u8]) {
    let Met { from, to, part } = met;
    let (from, to, messages) = (*from, *to, &part.messages);
    let Some(bytes) = part.range.clone().and_then(|range| body.get(range)) else { return };
    if memory.spellings.knows(&memory.texts, from, bytes) {
        return;
    }
    let mut id = None;
    if !memory.spellings.is_stored(from, to) {
        let ids = graph.read().path_back(to, messages.len());
        let held = |id: NodeId| graph.read().node(id).map(|node| node.held.clone());
        let alike = ids.into_iter().zip(messages).map(|(id, (message, _))| match held(id) {
            Some(Held::Message(typed)) if is_spelled_alike(&typed, message) => Some(id),
            _ => None,
        });
        let alike: Vec<Option<NodeId>> = alike.collect();
        let stored = memory.texts.store(bytes, part.behind_result, alike.iter().any(Option::is_some));
        let (source, key) = memory.texts.source(stored);
        for (nth, node) in (0..).zip(alike) {
            if let Some(node) = node {
                graph.write().hold(node, Held::Source { source: Arc::clone(&source), key, nth });
            }
        }
        id = Some(stored);
    }
    let own = own_identities(&graph.read(), to, messages);
    let (edits, kind) = (part.edits.clone(), part.kind);
    memory.spellings.record(New { from, to, bytes, id, edits, own, kind });
}

/// Are they the same to the letter? Equal opaque fields may differ in the spelling of numbers and the order of keys.
fn is_spelled_alike(one: &Message, other: &Message) -> bool {
    one == other && compact(&message_to_plain(one)) == compact(&message_to_plain(other))
}
