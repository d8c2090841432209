//! What a node carries, and where its message is kept.

use crate::identity::{self, Identity};
use crate::json::Object;
use crate::message::{Message, Tool};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The place of a node in its graph.
pub type NodeId = u32;

#[derive(Clone, Debug)]
pub struct Node {
    pub origin: Origin,
    pub held: Held,
    /// Of the message.
    pub identity: Identity,
    /// Of the conversation that ends here.
    pub conversation: Identity,
    /// Did a model produce it, as an answer that was committed?
    pub sampled: bool,
    /// When the node was made, in seconds since 1970.
    pub timestamp: f64,
    /// Whatever the caller wants to keep with it.
    pub metadata: Option<Box<Object<'static>>>,
}

/// What a node stands behind: the tools, or another node.
#[derive(Clone, Debug)]
pub enum Origin {
    Root(Arc<Tools>),
    Child(NodeId),
}

/// The tools that a conversation was opened with.
#[derive(Clone, Debug)]
pub struct Tools {
    pub list: Vec<Tool>,
    pub identity: Identity,
    /// The identity of the conversation before its first message.
    pub start: Identity,
}

/// A message, or where to read it.
#[derive(Clone)]
pub enum Held {
    Message(Arc<Message>),
    /// The message that a source keeps under a number, as one of those that stand there.
    Source {
        source: Arc<dyn Source>,
        key: u32,
        nth: u32,
    },
}

/// Keeps messages in a smaller form than the typed one. It gives the same message under the same numbers for good.
pub trait Source: Send + Sync {
    fn message(&self, key: u32, nth: u32) -> Arc<Message>;

    /// The bytes of what stands under a number.
    fn size(&self, key: u32) -> usize;
}

impl Held {
    /// The message. May have to read it: not to be called while the graph is locked.
    pub fn message(&self) -> Arc<Message> {
        match self {
            Held::Message(message) => message.clone(),
            Held::Source { source, key, nth } => source.message(*key, *nth),
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.message() == other.message()
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.origin == other.origin
            && self.identity == other.identity
            && self.sampled == other.sampled
            && self.timestamp == other.timestamp
            && self.metadata == other.metadata
            && self.held == other.held
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Origin::Root(a), Origin::Root(b)) => {
                a.identity == b.identity && (Arc::ptr_eq(a, b) || a.list == b.list)
            }
            (Origin::Child(a), Origin::Child(b)) => a == b,
            (Origin::Root(_), Origin::Child(_)) | (Origin::Child(_), Origin::Root(_)) => false,
        }
    }
}

impl Tools {
    pub fn of(list: Vec<Tool>) -> Arc<Self> {
        let identity = identity::of_tools(&list);
        Arc::new(Self { list, identity, start: identity::start(identity) })
    }

    /// No tools at all.
    pub fn none() -> Arc<Self> {
        static NONE: LazyLock<Arc<Tools>> = LazyLock::new(|| Tools::of(Vec::new()));
        NONE.clone()
    }
}

impl Origin {
    /// Behind the last node of a conversation, or, where there is none, its tools.
    pub fn behind(last: Option<NodeId>, tools: &Arc<Tools>) -> Self {
        last.map_or_else(|| Origin::Root(tools.clone()), Origin::Child)
    }

    /// The tools, where they are what a node stands behind.
    pub fn tools(&self) -> Option<&Arc<Tools>> {
        match self {
            Origin::Root(tools) => Some(tools),
            Origin::Child(_) => None,
        }
    }
}

impl Node {
    pub fn parent(&self) -> Option<NodeId> {
        match self.origin {
            Origin::Root(_) => None,
            Origin::Child(parent) => Some(parent),
        }
    }
}
