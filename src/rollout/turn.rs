//! One request of a rollout: what of it is known, what goes to the provider, and how it is committed.

use super::commit::commit;
use super::receive::Cut;
use super::shell::{Overrides, list_of, settings};
use super::upstream::{Segment, Upstream};
use super::{Rollout, locked};
use crate::dialect;
use crate::error::Result;
use crate::graph::{Held, NodeId, Origin, Pending, Stamp, Tools, printed};
use crate::identity::{self, Identity, Print};
use crate::json::{Repeats, parse};
use crate::message::{Dialect, Message, Request};
use crate::request::seal;
use std::ops::Range;
use std::sync::Arc;

/// A body that was received. Whoever holds it gives the same body to each method that takes one.
pub struct Turn {
    rollout: Rollout,
    way: Way,
    tail: Vec<(Arc<Message>, Print)>,
}

/// What of a body was not there before, byte for byte.
pub struct Fresh<'a> {
    /// The node of the last message that stands in front of it; none at the start.
    pub behind: Option<NodeId>,
    /// Its elements, with the commas between them.
    pub elements: &'a [u8],
}

/// How the body was read.
enum Way {
    Cut(Cut),
    Whole { pending: Pending, end: Identity, settings: Identity },
}

impl Turn {
    pub(super) fn cut(rollout: Rollout, cut: Cut) -> Self {
        let unknown = cut.tail.iter().flat_map(|part| part.messages.iter().skip(part.known));
        Self { rollout, tail: unknown.cloned().collect(), way: Way::Cut(cut) }
    }

    /// Reads the whole body, as it is read where nothing is remembered.
    pub(super) fn whole(rollout: Rollout, body: &[u8]) -> Result<Self> {
        let dialect = rollout.dialect();
        let request = dialect::read_request(dialect, &parse(body, Repeats::LastWins)?.value)?;
        let tools = Tools::of(request.tools);
        let messages: Vec<_> = request.messages.into_iter().map(printed).collect();
        let end = said(tools.start, &messages);
        let pending = Pending::of(&rollout.graph().read(), tools, messages);
        let settings = match list_of(dialect, body) {
            Some(list) => settings(dialect, &[&body[..list.start], &body[list.end..]].concat()),
            None => settings(dialect, body),
        };
        Ok(Self { rollout, tail: pending.tail.clone(), way: Way::Whole { pending, end, settings } })
    }

    pub fn dialect(&self) -> Dialect {
        self.rollout.dialect()
    }

    /// How many bytes of the body a commit stores.
    pub fn new_bytes(&self) -> usize {
        match &self.way {
            Way::Cut(cut) => {
                let parts = cut.met.iter().map(|met| &met.part).chain(&cut.tail);
                parts.filter_map(|part| part.range.as_ref()).map(Range::len).sum()
            }
            Way::Whole { .. } => 0,
        }
    }

    /// How many bytes of a body of this length are read to seal it.
    pub fn sealed_bytes(&self, body: usize) -> usize {
        match &self.way {
            Way::Cut(cut) => body.saturating_sub(cut.list.len()),
            Way::Whole { .. } => body,
        }
    }

    /// The nodes of the messages that the graph knew when the body came, from the first one on.
    pub fn known(&self) -> Vec<NodeId> {
        match &self.way {
            Way::Cut(cut) => cut.tip.map(|tip| self.rollout.graph().read().path(tip)).unwrap_or_default(),
            Way::Whole { pending, .. } => pending.known.clone(),
        }
    }

    /// What this body adds to the bytes that were known; none where the whole body had to be read.
    pub fn fresh<'a>(&self, body: &'a [u8]) -> Option<Fresh<'a>> {
        let Way::Cut(cut) = &self.way else { return None };
        let met = cut.met.first().map(|met| (Some(met.from), &met.part));
        let first =
            met.or_else(|| cut.tail.iter().find(|part| part.range.is_some()).map(|part| (part.from, part)));
        Some(match first.and_then(|(from, part)| Some((from, part.range.clone()?))) {
            Some((from, range)) => Fresh {
                behind: from.and_then(|at| locked(self.rollout.memory()).spellings.node(at)),
                elements: body.get(range.start..cut.list.end)?,
            },
            None => Fresh { behind: cut.tip, elements: &[] },
        })
    }

    /// The body with an empty list, as it was received; none where the whole body had to be read.
    pub fn around(&self) -> Option<&str> {
        match &self.way {
            Way::Cut(cut) => Some(cut.shell.text()),
            Way::Whole { .. } => None,
        }
    }

    /// The messages behind them.
    pub fn tail(&self) -> &[(Arc<Message>, Print)] {
        &self.tail
    }

    /// The same for a request that says the same: wire, conversation, tools and settings. A repeated body has it before
    /// and after the commit.
    pub fn retry_key(&self) -> Identity {
        match &self.way {
            Way::Cut(cut) => {
                let met = |tip| self.rollout.graph().read().node(tip).map(|node| node.conversation);
                let known = cut.said.or_else(|| cut.tip.and_then(met));
                identity::step(said(known.unwrap_or(cut.shell.tools.start), &self.tail), cut.shell.settings)
            }
            Way::Whole { end, settings, .. } => identity::step(*end, *settings),
        }
    }

    /// The whole request, typed.
    pub fn request(&self, body: &[u8]) -> Result<Request> {
        dialect::read_parsed(self.rollout.dialect(), &parse(body, Repeats::LastWins)?)
    }

    /// The provider's body: sealed, and with the overrides, if there are any, laid over it.
    pub fn upstream(&self, body: &[u8], overrides: Option<&Arc<Overrides>>) -> Result<Upstream> {
        let dialect = self.rollout.dialect();
        if let Way::Cut(cut) = &self.way
            && let Some(sealed) = cut.shell.sealed(dialect, overrides)
        {
            let unchanged = *sealed.head == *cut.shell.head() && *sealed.tail == *cut.shell.tail();
            let (head, tail) = match unchanged {
                true => (Segment::Body(0..cut.list.start), Segment::Body(cut.list.end..body.len())),
                false => (Segment::Bytes(sealed.head), Segment::Bytes(sealed.tail)),
            };
            return Ok(Upstream::spliced(head, cut.list.clone(), &cut.edits, tail));
        }
        let sealed = match overrides {
            Some(overrides) => overrides.apply(dialect, body)?,
            None => seal(dialect, None, body)?,
        };
        Ok(Upstream::whole(sealed))
    }

    /// Adds the messages that are not in the graph by now; gives the node of the last one.
    pub fn commit_prompt(&self, body: &[u8], timestamp: f64) -> Option<NodeId> {
        match &self.way {
            Way::Cut(cut) => {
                let mut memory = locked(self.rollout.memory());
                commit(&mut memory, self.rollout.graph(), cut, body, timestamp)
            }
            Way::Whole { pending, .. } => pending.commit_prompt(&mut self.rollout.graph().write(), timestamp),
        }
    }

    /// Adds what is missing of the request, and the answer; gives the node of the answer.
    pub fn commit(&self, body: &[u8], answer: Arc<Message>, stamp: Stamp) -> NodeId {
        let print = Print::of(&answer);
        let last = self.commit_prompt(body, stamp.timestamp);
        let tools = match &self.way {
            Way::Cut(cut) => &cut.shell.tools,
            Way::Whole { pending, .. } => &pending.tools,
        };
        let origin = Origin::behind(last, tools);
        self.rollout.graph().write().add(origin, Held::Message(answer), &print, stamp)
    }
}

/// The identity of a conversation that goes on with these messages.
fn said(before: Identity, messages: &[(Arc<Message>, Print)]) -> Identity {
    messages.iter().fold(before, |before, (_, print)| identity::step(before, print.own))
}
