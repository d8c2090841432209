//! Reading a graph: nodes, paths, branches, and how far a conversation is known.

use super::{Graph, Node, NodeId, Origin};
use crate::identity::{self, Identity, Print};

impl Graph {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The identity of the conversation behind which a node of this origin stands; none where the origin is not here.
    pub fn before(&self, origin: &Origin) -> Option<Identity> {
        match origin {
            Origin::Root(tools) => Some(tools.start),
            Origin::Child(parent) => self.node(*parent).map(|node| node.conversation),
        }
    }

    /// The node of a message right behind a conversation. A result that says nothing of its outcome meets the node
    /// that declared one; of two that it could be, the older, so that what it met once it meets for good.
    pub fn child(&self, before: Identity, print: &Print) -> Option<NodeId> {
        let of = |message: Identity| self.places.get(&identity::step(before, message)).copied();
        let own = of(print.own);
        match print.failed.and_then(of) {
            Some(failed) => Some(own.map_or(failed, |own| own.min(failed))),
            None => own,
        }
    }

    /// The oldest node behind another one, or behind tools of this start, if it is the next in the list: there it stands
    /// where a conversation was taken down in one go.
    pub fn next(&self, last: Option<NodeId>, start: Identity) -> Option<(NodeId, &Node)> {
        let id = last.map_or(0, |last| last.saturating_add(1));
        let node = self.node(id)?;
        let is_behind = match &node.origin {
            Origin::Root(tools) => last.is_none() && tools.start == start,
            Origin::Child(parent) => last == Some(*parent),
        };
        is_behind.then_some((id, node))
    }

    /// The nodes of the messages that are known, from the first one on.
    pub fn known<'a>(&self, start: Identity, prints: impl IntoIterator<Item = &'a Print>) -> Vec<NodeId> {
        let mut before = start;
        let mut ids = Vec::new();
        for print in prints {
            let Some(id) = self.child(before, print) else { break };
            let Some(node) = self.node(id) else { break };
            before = node.conversation;
            ids.push(id);
        }
        ids
    }

    /// From the root to this node; empty where there is no such node.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        self.node(id).map(|_| self.path_back(id, usize::MAX)).unwrap_or_default()
    }

    /// The last nodes of the path to this one, at most so many.
    pub fn path_back(&self, id: NodeId, count: usize) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = self.upward(id).take(count).collect();
        path.reverse();
        path
    }

    /// This node, the one that it stands behind, and so on.
    fn upward(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |id| self.node(*id)?.parent())
    }

    /// The identities of the messages behind one node, or from the root on, up to another one.
    pub fn identities(&self, behind: Option<NodeId>, to: NodeId) -> Vec<Identity> {
        let between = self.upward(to).take_while(|id| Some(*id) != behind);
        let nodes = between.filter_map(|id| self.node(id));
        let mut identities: Vec<Identity> = nodes.map(|node| node.identity).collect();
        identities.reverse();
        identities
    }

    /// The nodes that nothing stands behind, in the order of their ids.
    pub fn leaves(&self) -> Vec<NodeId> {
        let mut is_leaf = vec![true; self.nodes.len()];
        for parent in self.nodes.iter().filter_map(Node::parent) {
            if let Some(flag) = is_leaf.get_mut(parent as usize) {
                *flag = false;
            }
        }
        (0..).zip(is_leaf).filter_map(|(id, leaf)| leaf.then_some(id)).collect()
    }
}
