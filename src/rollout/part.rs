//! A part of a body that was read, and its messages on the way to their nodes.

use super::shell::Shell;
use super::spellings::{At, Kind};
use crate::graph::{Held, NodeId, Shared};
use crate::identity::{Identity, Print};
use crate::message::Message;
use crate::request::Edit;
use std::ops::Range;
use std::sync::Arc;

/// A part that leads from one place to another by bytes that were not known.
pub(super) struct Met {
    pub(super) from: At,
    pub(super) to: NodeId,
    pub(super) part: Part,
}

/// An element of the list, or the elements of one turn, as they were read; or what stands in front of the list.
pub(super) struct Part<M = (Arc<Message>, Print)> {
    /// None for what does not stand in the list.
    pub(super) range: Option<Range<usize>>,
    pub(super) messages: Vec<M>,
    /// How many of the messages are known.
    pub(super) known: usize,
    /// The place it stands behind, as far as that is known.
    pub(super) from: Option<At>,
    pub(super) behind_result: bool,
    /// By places of the part.
    pub(super) edits: Vec<Edit>,
    pub(super) kind: Kind,
}

/// A message that was read. It is only hashed where it takes a hash to find it.
pub(super) struct Read {
    message: Arc<Message>,
    print: Option<Print>,
    /// The identity of the node that says the same.
    same: Option<Identity>,
}

impl Read {
    pub(super) fn new(message: Message) -> Self {
        Self { message: Arc::new(message), print: None, same: None }
    }

    pub(super) fn all(messages: &[(Arc<Message>, Print)]) -> Vec<Self> {
        let read = |(message, print): &(Arc<Message>, Print)| Self {
            message: message.clone(),
            print: Some(*print),
            same: None,
        };
        messages.iter().map(read).collect()
    }

    fn print(&mut self) -> Print {
        *self.print.get_or_insert_with(|| Print::of(&self.message))
    }

    pub(super) fn own(&mut self) -> Identity {
        self.same.unwrap_or_else(|| self.print().own)
    }

    /// The node of the message behind another one, and its identity. A message is compared several times as fast as it
    /// is hashed; neither is done while the graph is locked.
    pub(super) fn find(
        &mut self,
        graph: &Shared,
        last: Option<NodeId>,
        before: Identity,
    ) -> Option<(NodeId, Identity)> {
        let next = graph.read().next(last, before).map(|(id, node)| (id, node.identity, node.held.clone()));
        self.same = None;
        if let Some((id, identity, Held::Message(message))) = next
            && message == self.message
        {
            self.same = Some(identity);
            return Some((id, identity));
        }
        let print = self.print();
        let nodes = graph.read();
        let id = nodes.child(before, &print)?;
        Some((id, nodes.node(id)?.identity))
    }
}

impl Part<Read> {
    pub(super) fn of_shell(shell: &Shell) -> Self {
        Self {
            range: None,
            messages: Read::all(&shell.messages),
            known: 0,
            from: None,
            behind_result: false,
            edits: Vec::new(),
            kind: Kind::default(),
        }
    }

    /// The part as it leaves here: nothing looks for the known ones of its messages again.
    pub(super) fn printed(self) -> Part {
        let Part { range, messages, known, from, behind_result, edits, kind } = self;
        let messages = messages.into_iter().enumerate().map(|(n, mut read)| {
            let print = if n < known { Print { own: read.own(), failed: None } } else { read.print() };
            (read.message, print)
        });
        Part { range, messages: messages.collect(), known, from, behind_result, edits, kind }
    }
}
