//! A body is cut into what is known, byte for byte, and what must be read.
//!
//! A stored spelling is a whole element of the list (or the whole elements of one turn), and it is only looked for where
//! an element starts, right behind the elements that it was stored behind. So equal bytes are equal messages, and no
//! boundary has to be searched for. Whatever is odd (a second list, an error, a loss) is not decided here: then there is
//! no cut, and the whole body is read.

use super::shell::{Shell, list_key};
use super::spellings::{At, Kind, Spelling, Spellings};
use super::texts::Texts;
use crate::dialect;
use crate::graph::{Held, NodeId, Shared};
use crate::identity::{self, Identity, Print};
use crate::json::{ELEMENT, MAX_BYTES, Scan, Value};
use crate::message::{Dialect, Message};
use crate::outcome::MARKER;
use crate::request::{Edit, seal_element};
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
            Some(_) | None => self.shell(&mut scan, body, list.clone())?,
        };
        self.shells.retain(|known| !Arc::ptr_eq(known, &shell));
        self.shells.insert(0, shell.clone());
        self.shells.truncate(SHELLS);
        if !guess.is_some_and(|guess| guess.same_start(&shell)) {
            walk = match walk.is_all_new {
                true => walk.again(self, graph, &shell),
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
    fn shell(&self, scan: &mut Scan<'_>, body: &[u8], list: Range<usize>) -> Option<Arc<Shell>> {
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
        Some(Arc::new(Shell::read(self.dialect, text, head.len()).ok()?))
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
            Some(shell) => Walk::behind(self, graph, shell),
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

#[derive(Default)]
struct Walk {
    /// Where the graph knows what was passed; none behind something that it does not know.
    at: Option<At>,
    tip: Option<NodeId>,
    said: Option<Identity>,
    met: Vec<Met>,
    tail: Vec<Part<Read>>,
    edits: Vec<Edit>,
    guess: u32,
    behind: Kind,
    /// The turn that was passed last, which may go on.
    turn: Option<Passed>,
    /// Nothing in the list was known.
    is_all_new: bool,
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
    fn behind(memory: &mut Memory, graph: &Shared, shell: &Shell) -> Self {
        let at = Some(memory.spellings.start(shell.tools.start));
        let mut walk = Walk { at, ..Walk::default() };
        if !shell.messages.is_empty() {
            walk.meet(graph, Some(shell), Part::of_shell(shell));
        }
        walk
    }

    /// The same walk from another start, given that it read everything.
    fn again(self, memory: &mut Memory, graph: &Shared, shell: &Shell) -> Self {
        let mut walk = Walk { edits: self.edits, ..Walk::behind(memory, graph, shell) };
        for mut part in self.tail {
            if part.range.is_some() {
                (part.from, part.known) = (walk.at, 0);
                walk.meet(graph, Some(shell), part);
            }
        }
        walk
    }

    /// Passes the elements that are known; tells whether one follows that must be read.
    fn pass(
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
    fn read(
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
            if !scan.repeats() && !item.holds_key(MARKER) {
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

/// A message that was read. It is only hashed where it takes a hash to find it.
struct Read {
    message: Arc<Message>,
    print: Option<Print>,
    /// The identity of the node that says the same.
    same: Option<Identity>,
}

impl Read {
    fn new(message: Message) -> Self {
        Self { message: Arc::new(message), print: None, same: None }
    }

    fn all(messages: &[(Arc<Message>, Print)]) -> Vec<Self> {
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

    fn own(&mut self) -> Identity {
        self.same.unwrap_or_else(|| self.print().own)
    }

    /// The node of the message behind another one, and its identity. A message is compared several times as fast as it
    /// is hashed; neither is done while the graph is locked.
    fn find(&mut self, graph: &Shared, last: Option<NodeId>, before: Identity) -> Option<(NodeId, Identity)> {
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
    fn of_shell(shell: &Shell) -> Self {
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
    fn printed(self) -> Part {
        let Part { range, messages, known, from, behind_result, edits, kind } = self;
        let messages = messages.into_iter().enumerate().map(|(n, mut read)| {
            let print = if n < known { Print { own: read.own(), failed: None } } else { read.print() };
            (read.message, print)
        });
        Part { range, messages: messages.collect(), known, from, behind_result, edits, kind }
    }
}

/// An edit by the places of a text in which its own text starts at `by`.
fn moved(edit: &Edit, by: usize) -> Edit {
    (edit.0.start + by..edit.0.end + by, edit.1.clone())
}
