//! Going through the list of a body: elements that are known are passed, the others read and looked up in the graph.

use super::part::{Met, Part, Read};
use super::receive::Memory;
use super::shell::Shell;
use super::spellings::{At, Kind, Spelling, Spellings};
use crate::dialect;
use crate::graph::{NodeId, Shared};
use crate::identity::{self, Identity};
use crate::json::{ELEMENT, Scan, Value};
use crate::message::{Dialect, Message};
use crate::request::{Edit, holds_marker, seal_element};
use std::ops::Range;

/// How far a body was gone through.
#[derive(Default)]
pub(super) struct Walk {
    /// Where the graph knows what was passed; none behind something that it does not know.
    at: Option<At>,
    pub(super) tip: Option<NodeId>,
    pub(super) said: Option<Identity>,
    pub(super) met: Vec<Met>,
    pub(super) tail: Vec<Part<Read>>,
    pub(super) edits: Vec<Edit>,
    guess: u32,
    behind: Kind,
    /// The turn that was passed last, which may go on.
    turn: Option<Passed>,
    /// Nothing in the list was known.
    pub(super) is_all_new: bool,
}

/// An element of the list, and where it stands.
type Element<'a> = (Range<usize>, Value<'a>);

/// How things were before a known turn.
#[derive(Clone, Copy)]
struct Passed {
    pos: usize,
    at: At,
    tip: Option<NodeId>,
    said: Option<Identity>,
    edits: usize,
    behind: Kind,
}

impl Walk {
    /// A walk that stands in front of the list.
    pub(super) fn behind(spellings: &mut Spellings, graph: &Shared, shell: &Shell) -> Self {
        let at = Some(spellings.start(shell.tools.start));
        let mut walk = Walk { at, ..Walk::default() };
        if !shell.messages.is_empty() {
            walk.meet(graph, Some(shell), Part::of_shell(shell));
        }
        walk
    }

    /// The same walk from another start, given that it read everything.
    pub(super) fn again(self, spellings: &mut Spellings, graph: &Shared, shell: &Shell) -> Self {
        let mut walk = Walk { edits: self.edits, ..Walk::behind(spellings, graph, shell) };
        for mut part in self.tail {
            if part.range.is_some() {
                (part.from, part.known) = (walk.at, 0);
                walk.meet(graph, Some(shell), part);
            }
        }
        walk
    }

    /// Passes the elements that are known; tells whether one follows that must be read.
    pub(super) fn pass(
        &mut self,
        memory: &Memory,
        graph: &Shared,
        scan: &mut Scan<'_>,
        start: Option<Identity>,
    ) -> bool {
        let mut texts = memory.texts.read();
        while let Some(at) = self.at {
            scan.peek();
            let pos = scan.pos();
            let Some((number, spelling, len)) =
                memory.spellings.find(&mut texts, at, self.guess, scan.rest())
            else {
                return true;
            };
            if spelling.kind.is_turn {
                let (tip, said, behind) = (self.tip, self.said, self.behind);
                let edits = self.edits.len();
                self.turn = Some(Passed { pos, at, tip, said, edits, behind });
            } else {
                self.turn = None;
            }
            if let Some(edits) = &spelling.edits {
                self.edits.extend(edits.iter().map(|edit| moved(edit, pos)));
            }
            if spelling.own.is_some() || self.said.is_some() {
                self.say(graph, start, spelling);
            }
            self.at = Some(spelling.to);
            self.tip = Some(spelling.to);
            self.guess = number + 1;
            self.behind = spelling.kind;
            self.is_all_new = false;
            scan.go(pos + len);
            if !scan.eat(b',') {
                return false;
            }
        }
        scan.peek();
        true
    }

    /// Goes on with what this body says, where that is not what the nodes say.
    fn say(&mut self, graph: &Shared, start: Option<Identity>, spelling: &Spelling) {
        let nodes = graph.read();
        let conversation = |tip| nodes.node(tip).map(|node| node.conversation);
        let before = self.said.or_else(|| self.tip.map_or(start, conversation));
        let own = match &spelling.own {
            Some(own) => own.to_vec(),
            None => nodes.identities(self.tip, spelling.to),
        };
        self.said = before.map(|before| own.into_iter().fold(before, identity::step));
    }

    /// Reads what is not known: one element, or all that are one turn.
    pub(super) fn read(
        &mut self,
        dialect: Dialect,
        graph: &Shared,
        scan: &mut Scan<'_>,
        shell: Option<&Shell>,
    ) -> Option<()> {
        let (is_turn, items) = self.elements(dialect, scan)?;
        let (start, end) = (items.first()?.0.start, items.last()?.0.end);
        let mut edits = Vec::new();
        for (range, item) in &items {
            if !scan.repeats() && !holds_marker(item) {
                continue;
            }
            let sealed = seal_element(dialect, scan.text(range.clone())?)?;
            edits.extend(sealed.iter().map(|edit| moved(edit, range.start - start)));
        }
        let items = Value::Array(items.into_iter().map(|(_, item)| item).collect());
        let behind_result = self.behind.is_result;
        let messages = dialect::read_items(dialect, &items, behind_result).ok()?;
        let kind = Kind { is_turn, is_result: matches!(messages.last(), Some(Message::Tool(_))) };
        let part = Part {
            range: Some(start..end),
            messages: messages.into_iter().map(Read::new).collect(),
            known: 0,
            from: self.at,
            behind_result,
            edits,
            kind,
        };
        self.edits.extend(part.edits.iter().map(|edit| moved(edit, start)));
        self.turn = None;
        self.behind = kind;
        self.meet(graph, shell, part);
        Some(())
    }

    /// The next element, or, if it is of a turn, all that are; and which of the two.
    fn elements<'a>(&mut self, dialect: Dialect, scan: &mut Scan<'a>) -> Option<(bool, Vec<Element<'a>>)> {
        let start = scan.pos();
        let first = scan.value(ELEMENT).ok()?;
        if !dialect::is_of_turn(dialect, &first) {
            return Some((false, vec![(start..scan.pos(), first)]));
        }
        scan.go(start);
        if let Some(before) = self.turn.take() {
            // The turn that was passed goes on: it is another one, to be read as a whole.
            self.edits.truncate(before.edits);
            (self.at, self.tip, self.said) = (Some(before.at), before.tip, before.said);
            self.behind = before.behind;
            scan.go(before.pos);
        }
        let mut items: Vec<Element<'a>> = Vec::new();
        loop {
            scan.peek();
            let start = scan.pos();
            let item = scan.value(ELEMENT).ok()?;
            if !dialect::is_of_turn(dialect, &item) {
                break;
            }
            items.push((start..scan.pos(), item));
            if !scan.eat(b',') {
                break;
            }
        }
        scan.go(items.last()?.0.end);
        Some((true, items))
    }

    /// Looks up what was read.
    fn meet(&mut self, graph: &Shared, shell: Option<&Shell>, mut part: Part<Read>) {
        if let (Some(at), Some(shell)) = (self.at, shell) {
            for read in &mut part.messages {
                let before = self.before(graph, shell);
                let Some((id, identity)) = read.find(graph, self.tip, before) else { break };
                if self.said.is_some() || read.own() != identity {
                    self.said = Some(identity::step(self.said.unwrap_or(before), read.own()));
                }
                self.tip = Some(id);
                part.known += 1;
            }
            if let (true, Some(to)) = (part.known == part.messages.len(), self.tip) {
                self.at = Some(to);
                if part.range.is_some() {
                    self.is_all_new = false;
                    self.met.push(Met { from: at, to, part: part.printed() });
                }
                return;
            }
        }
        self.at = None;
        self.tail.push(part);
    }

    /// The conversation that has been met so far.
    fn before(&self, graph: &Shared, shell: &Shell) -> Identity {
        let conversation = |tip| graph.read().node(tip).map(|node| node.conversation);
        self.tip.and_then(conversation).unwrap_or(shell.tools.start)
    }
}

/// An edit by the places of a text in which its own text starts at `by`.
fn moved(edit: &Edit, by: usize) -> Edit {
    (edit.0.start + by..edit.0.end + by, edit.1.clone())
}
