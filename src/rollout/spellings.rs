//! How each known part of the conversations was spelled: from one node of the graph to another, by which bytes.

use super::texts::{Reading, TextId, Texts};
use crate::graph::{Graph, NodeId, grow};
use crate::identity::{Identity, Print};
use crate::message::Message;
use crate::request::Edit;
use std::collections::HashMap;
use std::sync::Arc;

/// A place in the graph as a number: a node's id, or, counted from the end, where the conversations of one tool list start.
pub(super) type At = u32;

/// One spelling of an element of the list, or of the elements that are one turn.
pub(super) struct Spelling {
    pub(super) from: At,
    pub(super) to: NodeId,
    text: Text,
    /// The next other spelling from the same place.
    next: Option<u32>,
    /// What the seal changes in it, if anything.
    pub(super) edits: Option<Box<[Edit]>>,
    /// The identities of its messages, where they are not those of the nodes they meet: a result restated in silence.
    pub(super) own: Option<Box<[Identity]>>,
    pub(super) kind: Kind,
}

/// So many spellings from one place are tried. Where there are more, what follows is read and met by its identity.
const TRIED: usize = 16;

/// What the reading of the next element depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// A turn that the next element may belong to as well.
    pub(super) is_turn: bool,
    /// Its last message is a tool result.
    pub(super) is_result: bool,
}

enum Text {
    Stored(TextId),
    /// A second spelling of what is stored already: a third takes its place.
    Own(Box<[u8]>),
}

#[derive(Default)]
pub(super) struct Spellings {
    all: Vec<Spelling>,
    /// The latest spelling from each place.
    latest: HashMap<At, u32>,
    starts: Vec<Identity>,
}

impl Spellings {
    /// The place where the conversations of these tools start.
    pub(super) fn start(&mut self, start: Identity) -> At {
        let known = self.starts.iter().position(|known| *known == start);
        let number = known.unwrap_or_else(|| {
            self.starts.push(start);
            self.starts.len() - 1
        });
        At::MAX - At::try_from(number).unwrap_or(0)
    }

    /// The node at a place; none where the conversations of a tool list start.
    pub(super) fn node(&self, at: At) -> Option<NodeId> {
        let starts = At::try_from(self.starts.len()).unwrap_or(At::MAX);
        (at <= At::MAX - starts).then_some(at)
    }

    fn get(&self, number: u32) -> Option<&Spelling> {
        self.all.get(number as usize)
    }

    /// The spelling from this place that the bytes begin with. The guess is looked at first: conversations grow in the
    /// order of their spellings.
    pub(super) fn find<'a>(
        &'a self,
        texts: &mut Reading<'_>,
        from: At,
        guess: u32,
        bytes: &[u8],
    ) -> Option<(u32, &'a Spelling, usize)> {
        let mut fits = |(number, spelling): (u32, &'a Spelling)| {
            let text = spelling.text(texts);
            bytes.starts_with(text).then_some((number, spelling, text.len()))
        };
        let guessed = self.get(guess).filter(|spelling| spelling.from == from);
        let found = guessed.and_then(|spelling| fits((guess, spelling)));
        match found.or_else(|| self.chain(from).take(TRIED).find_map(&mut fits)) {
            // A turn may begin like a longer one.
            Some((_, turn, _)) if turn.kind.is_turn => {
                self.chain(from).take(TRIED).filter_map(fits).max_by_key(|(_, _, len)| *len)
            }
            found => found,
        }
    }

    /// Is this one of the spellings from this place that are tried?
    pub(super) fn knows(&self, texts: &Texts, from: At, bytes: &[u8]) -> bool {
        let mut texts = texts.read();
        self.chain(from).take(TRIED).any(|(_, known)| known.text(&mut texts) == bytes)
    }

    /// Is the first spelling from one place to another stored?
    pub(super) fn is_stored(&self, from: At, to: NodeId) -> bool {
        self.chain(from).any(|(_, known)| known.to == to)
    }

    /// Remembers a spelling that is not known. The first of a node is stored under `id`; of the others only the last
    /// is kept.
    pub(super) fn record(&mut self, new: New<'_>) {
        let New { from, to, bytes, id, edits, own, kind } = new;
        let edits = (!edits.is_empty()).then(|| edits.into_boxed_slice());
        let text = id.map_or_else(|| Text::Own(bytes.into()), Text::Stored);
        let second = self.chain(from).find(|(_, known)| known.to == to && matches!(known.text, Text::Own(_)));
        if let (Text::Own(_), Some((number, _))) = (&text, second)
            && let Some(spelling) = self.all.get_mut(number as usize)
        {
            *spelling = Spelling { text, edits, own, kind, ..*spelling };
            return;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let next = self.latest.insert(from, number);
        grow(&mut self.all);
        self.all.push(Spelling { from, to, text, next, edits, own, kind });
    }

    fn chain(&self, from: At) -> impl Iterator<Item = (u32, &Spelling)> {
        let first = self.latest.get(&from).copied();
        let numbered = |number: u32| self.get(number).map(|spelling| (number, spelling));
        std::iter::successors(first.and_then(numbered), move |(_, spelling)| spelling.next.and_then(numbered))
    }
}

/// A spelling to remember.
pub(super) struct New<'a> {
    pub(super) from: At,
    pub(super) to: NodeId,
    pub(super) bytes: &'a [u8],
    /// Where its text is stored, if it is the first.
    pub(super) id: Option<TextId>,
    pub(super) edits: Vec<Edit>,
    pub(super) own: Option<Box<[Identity]>>,
    pub(super) kind: Kind,
}

impl Spelling {
    fn text<'a>(&'a self, texts: &'a mut Reading<'_>) -> &'a [u8] {
        match &self.text {
            Text::Stored(id) => texts.text(*id),
            Text::Own(bytes) => bytes,
        }
    }
}

/// The identities of messages that lead to a node, where they are not those of the nodes they met.
pub(super) fn own_identities(
    graph: &Graph,
    to: NodeId,
    messages: &[(Arc<Message>, Print)],
) -> Option<Box<[Identity]>> {
    let nodes = graph.path_back(to, messages.len()).into_iter().filter_map(|id| graph.node(id));
    let own = messages.iter().map(|(_, print)| print.own);
    (!own.clone().eq(nodes.map(|node| node.identity))).then(|| own.collect())
}
