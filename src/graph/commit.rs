//! How nodes come in: what a conversation adds to what is known, and nodes from a record as they stand.

use super::{Graph, Held, Node, NodeId, Origin, Tools};
use crate::error::Result;
use crate::identity::{self, Identity, Print};
use crate::json::{Cursor, Object};
use crate::message::Message;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the caller says of a node that is added.
#[derive(Clone, Debug, Default)]
pub struct Stamp {
    pub sampled: bool,
    /// In seconds since 1970.
    pub timestamp: f64,
    pub metadata: Option<Box<Object<'static>>>,
}

impl Stamp {
    /// The time now, in seconds since 1970.
    pub fn now() -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
    }

    /// Reads a timestamp.
    pub fn seconds(cursor: Cursor<'_>) -> Result<f64> {
        let seconds = cursor.number()?.parse().ok().filter(|seconds: &f64| seconds.is_finite());
        seconds.ok_or_else(|| cursor.expected("a number that a double can hold"))
    }
}

/// A conversation that was looked up: what is known of it, and what is not.
#[derive(Clone, Debug)]
pub struct Pending {
    pub tools: Arc<Tools>,
    /// The nodes of the known messages, from the first on.
    pub known: Vec<NodeId>,
    /// The other messages.
    pub tail: Vec<(Arc<Message>, Print)>,
}

impl Pending {
    /// Looks a conversation up. Takes the prints, so that nothing is hashed while the graph is locked.
    pub fn of(graph: &Graph, tools: Arc<Tools>, mut messages: Vec<(Arc<Message>, Print)>) -> Self {
        let known = graph.known(tools.start, messages.iter().map(|(_, print)| print));
        let tail = messages.split_off(known.len());
        Self { tools, known, tail }
    }

    /// Adds the messages that are not there by now; gives the node of the last one.
    pub fn commit_prompt(&self, graph: &mut Graph, timestamp: f64) -> Option<NodeId> {
        let mut last = self.known.last().copied();
        for (message, print) in &self.tail {
            let stamp = Stamp { timestamp, ..Stamp::default() };
            last = Some(graph.add(
                Origin::behind(last, &self.tools),
                Held::Message(message.clone()),
                print,
                stamp,
            ));
        }
        last
    }

    /// Adds what is missing of the conversation, and the answer; gives the node of the answer.
    pub fn commit(&self, graph: &mut Graph, answer: (Arc<Message>, Print), stamp: Stamp) -> NodeId {
        let last = self.commit_prompt(graph, stamp.timestamp);
        graph.add(Origin::behind(last, &self.tools), Held::Message(answer.0), &answer.1, stamp)
    }
}

impl Graph {
    /// The node of a message behind an origin of this graph; made where there is none. What a node says stays.
    pub(crate) fn add(&mut self, origin: Origin, held: Held, print: &Print, stamp: Stamp) -> NodeId {
        let before = self.before(&origin).unwrap_or(Identity([0; 32]));
        match self.child(before, print) {
            Some(id) => id,
            None => self.push(origin, before, held, print.own, stamp),
        }
    }

    /// Adds a node as a record has it, beside an equal one if the record holds two. None where the origin is not here.
    pub fn restore(&mut self, origin: Origin, held: Held, own: Identity, stamp: Stamp) -> Option<NodeId> {
        let before = self.before(&origin)?;
        Some(self.push(origin, before, held, own, stamp))
    }

    /// Keeps the message of a node in another form, which must give the same message.
    pub(crate) fn hold(&mut self, id: NodeId, held: Held) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.held = held;
        }
    }

    fn push(
        &mut self,
        origin: Origin,
        before: Identity,
        held: Held,
        identity: Identity,
        stamp: Stamp,
    ) -> NodeId {
        let Stamp { sampled, timestamp, metadata } = stamp;
        let conversation = identity::step(before, identity);
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        grow(&mut self.nodes);
        self.nodes.push(Node { origin, held, identity, conversation, sampled, timestamp, metadata });
        self.places.entry(conversation).or_insert(id);
        id
    }
}

/// Makes room for one more. Lists that live as long as a graph grow by an eighth: doubled, they would hold up to as
/// much again in vain.
pub(crate) fn grow<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).max(8));
    }
}

/// A message with what finds it.
pub fn printed(message: Message) -> (Arc<Message>, Print) {
    let print = Print::of(&message);
    (Arc::new(message), print)
}
