//! A body is cut into what is known, byte for byte, and what must be read.
//!
//! A stored spelling is a whole element of the list (or the whole elements of one turn), and it is only looked for where
//! an element starts, right behind the elements that it was stored behind. So equal bytes are equal messages, and no
//! boundary has to be searched for. Whatever is odd (a second list, an error, a loss) is not decided here: then there is
//! no cut, and the whole body is read.

use super::part::{Met, Part, Read};
use super::shell::{Shell, list_key};
use super::spellings::Spellings;
use super::texts::Texts;
use super::walk::Walk;
use crate::graph::{NodeId, Shared};
use crate::identity::Identity;
use crate::json::{MAX_BYTES, Scan};
use crate::message::Dialect;
use crate::request::Edit;
use std::ops::Range;
use std::sync::Arc;

/// Shells that are kept for the next body.
const SHELLS: usize = 4;

/// What a rollout remembers of the bodies it has seen.
pub(super) struct Memory {
    pub(super) dialect: Dialect,
    pub(super) texts: Texts,
    pub(super) spellings: Spellings,
    /// The last ones first.
    shells: Vec<Arc<Shell>>,
}

/// A body in its parts.
pub(super) struct Cut {
    pub(super) shell: Arc<Shell>,
    /// Where the list stands, between its brackets.
    pub(super) list: Range<usize>,
    /// The last known message.
    pub(super) tip: Option<NodeId>,
    /// The identity of the known messages as this body says them, where it is not that of the nodes they met.
    pub(super) said: Option<Identity>,
    /// What is known under other spellings.
    pub(super) met: Vec<Met>,
    /// What is not known, in order.
    pub(super) tail: Vec<Part>,
    /// What the seal changes in the list, by places of the body.
    pub(super) edits: Vec<Edit>,
}

impl Memory {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, texts: Texts::new(dialect), spellings: Spellings::default(), shells: Vec::new() }
    }

    /// None where the whole body has to be read.
    pub(super) fn cut(&mut self, graph: &Shared, body: &[u8]) -> Option<Cut> {
        if body.len() > MAX_BYTES {
            return None;
        }
        let mut scan = Scan::new(body);
        let fitting = self.shells.iter().find(|shell| shell.may_fit(body)).cloned();
        let start = match &fitting {
            Some(shell) => shell.head().len(),
            None => head(self.dialect, &mut scan)?,
        };
        // Without a shell that fits, the last one tells where the conversation most likely starts.
        let guess = fitting.clone().or_else(|| self.shells.first().cloned());
        let mut walk = self.walk(graph, &mut scan, start, guess.as_deref())?;
        let list = start..scan.pos();
        let shell = match fitting {
            Some(shell) if list.end == body.len() - shell.tail().len() => shell,
            Some(_) | None => self.shell(graph, &mut scan, body, list.clone())?,
        };
        self.shells.retain(|known| !Arc::ptr_eq(known, &shell));
        self.shells.insert(0, shell.clone());
        self.shells.truncate(SHELLS);
        if !guess.is_some_and(|guess| guess.same_start(&shell)) {
            walk = match walk.is_all_new {
                true => walk.again(&mut self.spellings, graph, &shell),
                false => self.walk(graph, &mut scan, start, Some(&shell))?,
            };
        }
        // What the guess had in front of the list is the same here, but may be said in other words.
        if let Some(first) = walk.tail.first_mut().filter(|part| part.range.is_none()) {
            first.messages = Read::all(&shell.messages);
        }
        let Walk { tip, said, met, tail, edits, .. } = walk;
        let tail = tail.into_iter().map(Part::printed).collect();
        Some(Cut { shell, list, tip, said, met, tail, edits })
    }

    /// Reads what stands around the list, or finds that it was read before.
    fn shell(
        &self,
        graph: &Shared,
        scan: &mut Scan<'_>,
        body: &[u8],
        list: Range<usize>,
    ) -> Option<Arc<Shell>> {
        let key = list_key(self.dialect).ok()?;
        scan.go(list.end + 1);
        while scan.eat(b',') {
            let name = scan.key().ok()?;
            if name.is(key) {
                return None;
            }
            scan.skip().ok()?;
        }
        if !scan.eat(b'}') || scan.peek().is_some() {
            return None;
        }
        let (head, tail) = (body.get(..list.start)?, body.get(list.end..)?);
        if let Some(known) = self.shells.iter().find(|shell| shell.is(head, tail)) {
            return Some(known.clone());
        }
        let text = std::str::from_utf8(head).ok()?.to_owned() + std::str::from_utf8(tail).ok()?;
        let first = graph.read().node(0).and_then(|first| first.origin.tools().cloned());
        let tools = self.shells.iter().map(|shell| shell.tools.clone()).chain(first);
        Some(Arc::new(Shell::read(self.dialect, text, head.len(), tools).ok()?))
    }

    /// Goes through the list from its start to its end.
    fn walk(
        &mut self,
        graph: &Shared,
        scan: &mut Scan<'_>,
        start: usize,
        shell: Option<&Shell>,
    ) -> Option<Walk> {
        scan.go(start);
        let mut walk = match shell {
            Some(shell) => Walk::behind(&mut self.spellings, graph, shell),
            None => Walk::default(),
        };
        walk.is_all_new = true;
        if scan.peek() == Some(b']') {
            return Some(walk);
        }
        let tools = shell.map(|shell| shell.tools.start);
        while walk.pass(self, graph, scan, tools) {
            walk.read(self.dialect, graph, scan, shell)?;
            if !scan.eat(b',') {
                break;
            }
        }
        (scan.peek() == Some(b']')).then_some(walk)
    }
}

/// Finds the list; gives the place behind its opening bracket.
fn head(dialect: Dialect, scan: &mut Scan<'_>) -> Option<usize> {
    let key = list_key(dialect).ok()?;
    if !scan.eat(b'{') {
        return None;
    }
    loop {
        let name = scan.key().ok()?;
        if name.is(key) {
            return scan.eat(b'[').then(|| scan.pos());
        }
        scan.skip().ok()?;
        if !scan.eat(b',') {
            return None;
        }
    }
}
