//! Serving a rollout: its whole history comes again with every request, and only what is new may cost more than a
//! comparison.
//!
//! * `texts`: the raw text of what is known, flat.
//! * `spellings`: by which bytes one node of the graph leads to another.
//! * `shell`: what stands around the list of messages.
//! * `receive`, `walk`, `part`: a body is cut into what is known and what must be read.
//! * `turn`, `upstream`, `commit`: what can be done with it.
//!
//! Locks are taken in one order: memory, graph, texts; so no two threads ever wait for each other.

mod commit;
mod part;
mod receive;
mod shell;
mod spellings;
mod texts;
mod turn;
mod upstream;
mod walk;

pub use shell::Overrides;
pub use turn::{Fresh, Turn};
pub use upstream::{Segment, Upstream};

use crate::error::Result;
use crate::graph::Shared;
use crate::message::Dialect;
use receive::Memory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The requests of one rollout, on one wire.
#[derive(Clone)]
pub struct Rollout(Arc<Inner>);

struct Inner {
    dialect: Dialect,
    graph: Shared,
    memory: Mutex<Memory>,
}

impl Rollout {
    /// A rollout whose messages go into this graph.
    pub fn new(dialect: Dialect, graph: Shared) -> Self {
        let memory = Mutex::new(Memory::new(dialect));
        Self(Arc::new(Inner { dialect, graph, memory }))
    }

    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    pub fn graph(&self) -> &Shared {
        &self.0.graph
    }

    /// How many bytes of text are stored; none while another thread reads or commits a request.
    pub fn stored(&self) -> Option<usize> {
        self.memory().try_lock().ok().map(|memory| memory.texts.size())
    }

    /// Reads a request as far as it is new.
    pub fn receive(&self, body: &[u8]) -> Result<Turn> {
        let cut = locked(self.memory()).cut(self.graph(), body);
        match cut {
            Some(cut) => Ok(Turn::cut(self.clone(), cut)),
            None => Turn::whole(self.clone(), body),
        }
    }

    fn memory(&self) -> &Mutex<Memory> {
        &self.0.memory
    }
}

fn locked(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}
