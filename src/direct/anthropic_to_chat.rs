//! An Anthropic body to a Chat Completions body, stretch by stretch.

use super::Pieces;
use super::read::{self, Block, Content, Input, Message, Role, Texts, Token};
use crate::dialect::{self, Loss, Losses, Options};
use crate::json::{Repeats, Scan, Slice, holds_lone_surrogate, parse, write, write_string};
use crate::message::Dialect;
use crate::outcome::LABEL;
use crate::path::{Path, Step};

/// None where the typed messages have to decide: they also say what is wrong with a body that is refused.
pub(super) fn convert(body: &[u8]) -> Option<(Pieces, Losses)> {
    if holds_lone_surrogate(body) {
        return None;
    }
    let mut scan = Scan::new(body);
    let mut rest = String::from("{");
    let mut writer = None;
    if !scan.eat(b'{') {
        return None;
    }
    loop {
        let key = scan.key().ok()?;
        if key.escaped {
            return None;
        }
        if key.raw == "messages" {
            if writer.is_some() {
                return None;
            }
            writer = Some(Writer::of_messages(&mut scan, body)?);
        } else {
            rest += "\"";
            rest += key.raw;
            rest += "\":";
            rest += scan.skip().ok()?;
            rest += ",";
        }
        if !scan.eat(b',') {
            break;
        }
    }
    if !scan.eat(b'}') || scan.peek().is_some() {
        return None;
    }
    rest += "\"messages\":[]}";
    writer?.finish(&rest)
}

/// More calls in one turn are left to the typed messages.
const MANY: usize = 64;

/// The messages of the other body, and what they lose.
struct Writer<'a> {
    body: &'a [u8],
    out: Vec<u8>,
    /// For the text of arguments.
    scratch: Vec<u8>,
    /// The paths count the messages from the first one of the list.
    losses: Vec<Loss>,
    /// How many typed messages have been written.
    typed: usize,
    stretch: Stretch<'a>,
}

/// An assistant turn and what follows it, or what stands before the first one.
#[derive(Default)]
struct Stretch<'a> {
    /// Where it starts in the body and how far it has come.
    start: usize,
    end: usize,
    /// How far the writer had come before it.
    out: usize,
    losses: usize,
    typed: usize,
    /// Does something in it need the typed messages?
    is_odd: bool,
    calls: Vec<Token<'a>>,
    answers: Vec<Token<'a>>,
    /// How many messages it has.
    messages: usize,
}

impl<'a> Writer<'a> {
    fn of_messages(scan: &mut Scan<'a>, body: &'a [u8]) -> Option<Self> {
        let mut writer = Self {
            body,
            out: Vec::with_capacity(body.len() + body.len() / 8),
            scratch: Vec::new(),
            losses: Vec::new(),
            typed: 0,
            stretch: Stretch::default(),
        };
        if !scan.eat(b'[') {
            return None;
        }
        if scan.eat(b']') {
            return Some(writer);
        }
        loop {
            scan.peek();
            let start = scan.pos();
            let message = read::message(scan).ok()?;
            let role = match &message {
                Some(message) => Some(message.role),
                None => {
                    scan.go(start);
                    role_of(scan.skip().ok()?)?
                }
            };
            if role == Some(Role::Assistant) || writer.stretch.messages == 0 {
                writer.close()?;
                writer.open(start);
            }
            let stretch = &mut writer.stretch;
            stretch.end = scan.pos();
            stretch.messages += 1;
            if !writer.stretch.is_odd {
                writer.stretch.is_odd = !message.is_some_and(|message| writer.message(message));
            }
            if !scan.eat(b',') {
                break;
            }
        }
        writer.close()?;
        scan.eat(b']').then_some(writer)
    }

    fn open(&mut self, start: usize) {
        let (mut calls, mut answers) =
            (std::mem::take(&mut self.stretch.calls), std::mem::take(&mut self.stretch.answers));
        calls.clear();
        answers.clear();
        self.stretch = Stretch {
            start,
            end: start,
            out: self.out.len(),
            losses: self.losses.len(),
            typed: self.typed,
            is_odd: false,
            calls,
            answers,
            messages: 0,
        };
    }

    /// Ends a stretch; an odd one is written anew out of its typed messages.
    fn close(&mut self) -> Option<()> {
        let Stretch { start, end, out, losses, typed, is_odd, ref calls, ref answers, .. } = self.stretch;
        if !is_odd && calls.len() == answers.len() {
            return Some(());
        }
        self.out.truncate(out);
        self.losses.truncate(losses);
        let text = [b"{\"messages\":[", self.body.get(start..end)?, b"]}"].concat();
        let parsed = parse(&text, Repeats::LastWins).ok()?;
        let request = dialect::read_request(Dialect::Anthropic, &parsed.value).ok()?;
        let (body, lost) = dialect::write_request(Dialect::Chat, &request, Options::default()).ok()?;
        for message in body.get("messages")?.as_array()? {
            self.comma();
            write(message, &mut self.out);
        }
        self.losses.extend(lost.0.into_iter().map(|loss| moved(loss, typed)));
        self.typed = typed + request.messages.len();
        Some(())
    }

    /// The whole body, given the text of what stands beside the conversation.
    fn finish(self, rest: &str) -> Option<(Pieces, Losses)> {
        let parsed = parse(rest.as_bytes(), Repeats::LastWins).ok()?;
        let request = dialect::read_request(Dialect::Anthropic, &parsed.value).ok()?;
        let (body, lost) = dialect::write_request(Dialect::Chat, &request, Options::default()).ok()?;
        let system = request.messages.len();
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let mut out = &mut before;
        let mut mark = b'{';
        for (key, value) in body.iter() {
            out.push(mark);
            mark = b',';
            write_string(key, out);
            out.push(b':');
            if key != "messages" {
                write(value, out);
                continue;
            }
            out.push(b'[');
            for (n, message) in value.as_array()?.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                write(message, out);
            }
            if out.last() != Some(&b'[') && !self.out.is_empty() {
                out.push(b',');
            }
            out = &mut behind;
            out.push(b']');
        }
        out.push(b'}');
        // In the order in which a whole body reports them: the messages first.
        let of_messages = |loss: &Loss| loss.path.steps().first() == Some(&Step::Key("messages".into()));
        let (mut losses, others): (Vec<Loss>, Vec<Loss>) = lost.0.into_iter().partition(of_messages);
        losses.extend(self.losses.into_iter().map(|loss| moved(loss, system)));
        losses.extend(others);
        Some(([before, self.out, behind], Losses(losses)))
    }

    fn comma(&mut self) {
        if !self.out.is_empty() {
            self.out.push(b',');
        }
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Writes a message; false where the typed ones have to. What was written till then is taken back.
    fn message(&mut self, message: Message<'a>) -> bool {
        match (message.role, message.content) {
            (Role::User, Content::Text(text)) => {
                self.said("user", &[text]);
                true
            }
            (Role::Assistant, Content::Text(text)) => {
                self.said("assistant", &[text]);
                true
            }
            (Role::User, Content::Blocks(blocks)) => self.user(blocks),
            (Role::Assistant, Content::Blocks(blocks)) => self.turn(blocks),
        }
    }

    /// A message that holds text alone.
    fn said(&mut self, role: &str, texts: &[Token<'a>]) {
        self.comma();
        self.put("{\"role\":\"");
        self.put(role);
        self.put("\",\"content\":");
        self.content(texts, false);
        self.put("}");
        self.typed += 1;
    }

    /// One text as it stands, or several as parts, with or without the label in front.
    fn content(&mut self, texts: &[Token<'a>], labelled: bool) {
        if let [text] = texts {
            if labelled {
                let mut label = Vec::with_capacity(LABEL.len() + 3);
                write_string(LABEL, &mut label);
                label.pop();
                self.out.extend_from_slice(&label);
                self.put(&text[1..]);
            } else {
                self.put(text);
            }
            return;
        }
        let mut label = Vec::new();
        if labelled {
            write_string(LABEL, &mut label);
        }
        let label = std::str::from_utf8(&label).ok().filter(|label| !label.is_empty());
        let mut mark = "[";
        for text in label.into_iter().chain(texts.iter().copied()) {
            self.put(mark);
            self.put("{\"type\":\"text\",\"text\":");
            self.put(text);
            self.put("}");
            mark = ",";
        }
        self.put("]");
    }

    /// Results, then texts.
    fn user(&mut self, blocks: Vec<Block<'a>>) -> bool {
        let mut said: Vec<Token<'a>> = Vec::new();
        let is_behind_calls = self.stretch.messages == 2 && !self.stretch.calls.is_empty();
        for block in blocks {
            match block {
                Block::Text(text) => said.push(text),
                // Only the message right behind the calls may hold results, and these first.
                Block::Result { id, texts, is_error } if is_behind_calls && said.is_empty() => {
                    if !self.result(id, &texts, is_error) {
                        return false;
                    }
                }
                Block::Result { .. } | Block::Call { .. } => return false,
            }
        }
        if said.is_empty() {
            // A list without a block is content of its own.
            return is_behind_calls && !self.stretch.answers.is_empty();
        }
        self.said("user", &said);
        true
    }

    fn result(&mut self, id: Token<'a>, texts: &Texts<'a>, is_error: Option<bool>) -> bool {
        let stretch = &mut self.stretch;
        if !stretch.calls.contains(&id) || stretch.answers.contains(&id) {
            return false;
        }
        stretch.answers.push(id);
        let texts = match texts {
            Texts::One(text) => std::slice::from_ref(text),
            Texts::Many(texts) => texts,
        };
        // A text that may have the label already.
        if is_error == Some(true)
            && texts[0].as_bytes().get(1).is_some_and(|byte| matches!(byte, b'T' | b'\\'))
        {
            return false;
        }
        self.comma();
        self.put("{\"role\":\"tool\",\"tool_call_id\":");
        self.put(id);
        self.put(",\"content\":");
        self.content(texts, is_error == Some(true));
        self.put("}");
        let path = Path::root().key("messages").index(self.typed);
        self.losses.extend(is_error.and_then(|failed| dialect::outcome_loss(Dialect::Chat, failed, &path)));
        self.typed += 1;
        true
    }

    /// At most one text, then calls.
    fn turn(&mut self, blocks: Vec<Block<'a>>) -> bool {
        let mut blocks = blocks.into_iter().peekable();
        let text = match blocks.peek() {
            Some(Block::Text("\"\"")) | None => return false,
            Some(Block::Text(text)) => Some(*text),
            Some(_) => None,
        };
        if text.is_some() {
            blocks.next();
        }
        self.comma();
        self.put("{\"role\":\"assistant\",\"content\":");
        self.put(text.unwrap_or("null"));
        let mut mark = ",\"tool_calls\":[";
        for block in blocks {
            let Block::Call { id, name, input } = block else { return false };
            // An id that is spelled in two ways would look like two ids. Many calls are looked up in a table instead.
            let many = self.stretch.calls.len() == MANY;
            if many || id.contains('\\') || self.stretch.calls.contains(&id) {
                return false;
            }
            self.stretch.calls.push(id);
            self.put(mark);
            mark = ",";
            self.put("{\"id\":");
            self.put(id);
            self.put(",\"type\":\"function\",\"function\":{\"name\":");
            self.put(name);
            self.put(",\"arguments\":");
            self.arguments(&input);
            self.put("}}");
        }
        if !self.stretch.calls.is_empty() {
            self.put("]");
        }
        self.put("}");
        self.typed += 1;
        true
    }
}

impl Writer<'_> {
    /// The compact text of an input, as a string.
    fn arguments(&mut self, input: &Input<'_>) {
        let members = match input {
            Input::Flat(members) => members,
            Input::Tree(value) => {
                self.scratch.clear();
                write(value, &mut self.scratch);
                write_string(std::str::from_utf8(&self.scratch).unwrap_or_default(), &mut self.out);
                return;
            }
        };
        let mut mark = "\"{\\\"";
        for (key, value) in members {
            self.put(mark);
            mark = ",\\\"";
            self.put(key);
            self.put("\\\":");
            match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
                Some(text) => {
                    self.put("\\\"");
                    self.put(text);
                    self.put("\\\"");
                }
                None => self.put(value),
            }
        }
        self.put("}\"");
    }
}

/// The role of a message that holds more than is read here; of a repeated key the last one counts.
fn role_of(message: &str) -> Option<Option<Role>> {
    let entries = Slice { text: message, start: 0 }.entries().ok()?;
    let role = entries.iter().rfind(|entry| entry.is("role"))?.value.string()?;
    Some(role.is("assistant").then_some(Role::Assistant))
}

/// A loss whose message stands this many messages further on.
fn moved(mut loss: Loss, by: usize) -> Loss {
    let steps = loss.path.steps().iter().enumerate().map(|(n, step)| match step {
        Step::Index(at) if n == 1 => Step::Index(at + by),
        step => step.clone(),
    });
    let mut path = Path::root();
    for step in steps {
        path.push(step);
    }
    loss.path = path;
    loss
}
