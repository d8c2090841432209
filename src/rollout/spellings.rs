//! How each known part of the conversations was spelled: from one node of the graph to another, by which bytes.

use super::texts::{Stored, Texts};
use crate::graph::{NodeId, grow};
use crate::identity::Identity;
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
    pub(super) kind: Kind,
}

/// What the reading of the next element depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// A turn that the next element may belong to as well.
    pub(super) is_turn: bool,
    /// Its last message is a tool result.
    pub(super) is_result: bool,
}

enum Text {
    Stored(u32),
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

    fn get(&self, number: u32) -> Option<&Spelling> {
        self.all.get(number as usize)
    }

    /// The spelling from this place that the bytes begin with. The guess is looked at first: conversations grow in the
    /// order of their spellings.
    pub(super) fn find<'a>(
        &'a self,
        stored: &Stored,
        from: At,
        guess: u32,
        bytes: &[u8],
    ) -> Option<(u32, &'a Spelling, usize)> {
        let fits = |(number, spelling): (u32, &'a Spelling)| {
            let text = spelling.text(stored);
            bytes.starts_with(text).then_some((number, spelling, text.len()))
        };
        let guessed = self.get(guess).filter(|spelling| spelling.from == from);
        guessed.and_then(|spelling| fits((guess, spelling))).or_else(|| self.chain(from).find_map(fits))
    }

    /// Remembers a spelling. The first of a node is stored for good (`number` is its place among the texts, which is made
    /// here if it has none yet); of the others only the last is kept.
    pub(super) fn record(&mut self, texts: &Arc<Texts>, new: New<'_>) -> Option<u32> {
        if self.knows(texts, new.from, new.bytes) {
            return None;
        }
        let mut twins = self.chain(new.from).filter(|(_, twin)| twin.to == new.to);
        let (first, second) =
            (twins.next().map(|(number, _)| number), twins.next().map(|(number, _)| number));
        drop(twins);
        let New { from, to, bytes, behind_result, number, edits, kind } = new;
        let edits = (!edits.is_empty()).then(|| edits.into_boxed_slice());
        // The chain goes from the latest spelling to the first one.
        if let (Some(latest), Some(_)) = (first, second) {
            if let Some(spelling) = self.all.get_mut(latest as usize) {
                *spelling = Spelling { text: Text::Own(bytes.into()), edits, kind, ..*spelling };
            }
            return None;
        }
        let (text, stored) = match first {
            None => {
                let number = number.unwrap_or_else(|| texts.store(bytes, behind_result));
                (Text::Stored(number), Some(number))
            }
            Some(_) => (Text::Own(bytes.into()), None),
        };
        let place = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let next = self.latest.insert(from, place);
        grow(&mut self.all);
        self.all.push(Spelling { from, to, text, next, edits, kind });
        stored
    }

    /// Is there this spelling from this place?
    pub(super) fn knows(&self, texts: &Texts, from: At, bytes: &[u8]) -> bool {
        self.chain(from).any(|(_, known)| known.text(&texts.read()) == bytes)
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
    pub(super) behind_result: bool,
    /// The number of its text, where that is stored already.
    pub(super) number: Option<u32>,
    pub(super) edits: Vec<Edit>,
    pub(super) kind: Kind,
}

impl Spelling {
    fn text<'a>(&'a self, stored: &'a Stored) -> &'a [u8] {
        match &self.text {
            Text::Stored(number) => stored.text(*number),
            Text::Own(bytes) => bytes,
        }
    }
}
