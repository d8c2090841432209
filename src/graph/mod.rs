//! Every message of a rollout once: a tree in which a node is keyed by the conversation that ends with it.
//!
//! A conversation has an identity (`identity::start` of its tools, then one `identity::step` per message), and each
//! identity has one node. Nodes are only ever added, so a node's id, its place in the list, holds for good.

mod commit;
mod node;
mod walk;

pub(crate) use commit::grow;
pub use commit::{Pending, Stamp, printed};
pub use node::{Held, Node, NodeId, Origin, Source, Tools};

use crate::identity::Identity;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    /// The node of each conversation; of several that a record brought along, the first.
    places: HashMap<Identity, NodeId, BuildHasherDefault<Leading>>,
}

/// Equal nodes in the same order, with equal stamps and metadata.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

/// An identity is a digest already: its first bytes are its hash. (Its length is written before it, and passes.)
#[derive(Default)]
struct Leading(u64);

impl Hasher for Leading {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A graph that several threads use. Nothing waits for anything else while it holds the lock.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<RwLock<Graph>>);

impl Shared {
    pub fn new(graph: Graph) -> Self {
        Self(Arc::new(RwLock::new(graph)))
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Graph> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, Graph> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn mark(&self) -> Mark {
        Mark(Arc::downgrade(&self.0))
    }

    pub fn is(&self, mark: &Mark) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.0), mark.0.as_ptr())
    }
}

/// Says which graph it was. Keeps none of its nodes alive, and no later graph is taken for it.
#[derive(Clone, Debug)]
pub struct Mark(Weak<RwLock<Graph>>);
