//! JSON text in many spellings. One spelling always writes equal values in equal bytes, as one program does.

use crate::rng::Rng;
use std::hash::{DefaultHasher, Hash, Hasher};
use toolwire::json::{Json, Repeats, Value, compact, parse_text};
use toolwire::outcome::MARKER;

/// Stand for the two halves of a surrogate pair, each of which may come alone.
pub(crate) const HIGH: char = '\u{e000}';
pub(crate) const LOW: char = '\u{e001}';

#[derive(Clone, Copy, Debug, PartialEq)]
enum Space {
    None,
    Python,
    Indented,
    Wild,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Escapes {
    Needed,
    NonAscii,
    Some,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Kept,
    Sorted,
    Reversed,
    Shuffled,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    seed: u64,
    space: Space,
    escapes: Escapes,
    order: Order,
    /// `4` may be `4.0`.
    numbers: bool,
    /// JSON inside of call arguments is respelled, too.
    arguments: bool,
    /// The marker always has an escape in it.
    hidden_marker: bool,
}

impl Spelling {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        Self {
            seed: rng.next(),
            space: rng.weigh(&[(4, Space::None), (4, Space::Python), (1, Space::Indented), (2, Space::Wild)]),
            escapes: rng.weigh(&[(4, Escapes::Needed), (3, Escapes::NonAscii), (2, Escapes::Some)]),
            order: rng.weigh(&[
                (5, Order::Kept),
                (1, Order::Sorted),
                (1, Order::Reversed),
                (1, Order::Shuffled),
            ]),
            numbers: rng.one_in(4),
            arguments: rng.one_in(3),
            hidden_marker: rng.one_in(6),
        }
    }

    pub(crate) fn text(&self, value: &Json) -> String {
        let mut pen = self.pen(&compact(value));
        pen.value(value);
        pen.out
    }

    /// An array of elements that are written already.
    pub(crate) fn list(&self, elements: &[String]) -> String {
        let mut pen = self.pen("[]");
        pen.sequence('[', elements, ']', |pen, element| pen.out.push_str(element));
        pen.out
    }

    /// An object of members that are written already, in this order.
    pub(crate) fn members(&self, members: &[(String, String)]) -> String {
        let mut pen = self.pen("{}");
        pen.sequence('{', members, '}', |pen, (key, value)| {
            pen.out.push_str(key);
            pen.colon();
            pen.out.push_str(value);
        });
        pen.out
    }

    pub(crate) fn key(&self, key: &str) -> String {
        let mut pen = self.pen(key);
        pen.string(key, true);
        pen.out
    }

    /// Puts members in the order that this spelling prefers.
    pub(crate) fn arrange<T: Clone>(&self, members: &mut [T], key: impl Fn(&T) -> String) {
        match self.order {
            Order::Kept => {}
            Order::Sorted => members.sort_by_key(key),
            Order::Reversed => members.reverse(),
            Order::Shuffled => {
                let keys: Vec<String> = members.iter().map(key).collect();
                Rng::new(self.hash(&keys)).shuffle(members);
            }
        }
    }

    fn hash(&self, of: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, of).hash(&mut hasher);
        hasher.finish()
    }

    fn pen(&self, of: &str) -> Pen {
        Pen { spelling: *self, rng: Rng::new(self.hash(of)), out: String::new(), depth: 0 }
    }
}

struct Pen {
    spelling: Spelling,
    rng: Rng,
    out: String,
    depth: usize,
}

impl Pen {
    fn space(&mut self) {
        if self.spelling.space == Space::Wild && self.rng.one_in(4) {
            self.out.push_str(self.rng.pick(&[" ", "\n", "\t", "\r\n", "  "]));
        }
    }

    fn line(&mut self) {
        if self.spelling.space == Space::Indented {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(self.depth.min(8)));
        }
        self.space();
    }

    fn colon(&mut self) {
        self.space();
        self.out.push(':');
        if matches!(self.spelling.space, Space::Python | Space::Indented) {
            self.out.push(' ');
        }
        self.space();
    }

    fn sequence<T>(&mut self, open: char, of: &[T], close: char, mut write: impl FnMut(&mut Self, &T)) {
        self.out.push(open);
        self.depth += 1;
        for (n, element) in of.iter().enumerate() {
            if n > 0 {
                self.space();
                self.out.push(',');
                if self.spelling.space == Space::Python {
                    self.out.push(' ');
                }
            }
            self.line();
            write(self, element);
        }
        self.depth -= 1;
        if !of.is_empty() {
            self.line();
        }
        self.out.push(close);
    }

    fn value(&mut self, value: &Json) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Number(literal) => self.number(literal),
            Value::String(text) => self.string(text, false),
            Value::Array(elements) => self.sequence('[', elements, ']', |pen, element| pen.value(element)),
            Value::Object(object) => {
                let mut members = object.0.clone();
                self.spelling.arrange(&mut members, |(key, _)| key.to_string());
                self.sequence('{', &members, '}', |pen, (key, value)| {
                    pen.string(key, true);
                    pen.colon();
                    match value {
                        Value::String(text) if key == "arguments" && pen.spelling.arguments => {
                            pen.arguments(text);
                        }
                        value => pen.value(value),
                    }
                });
            }
        }
    }

    fn arguments(&mut self, text: &str) {
        match parse_text(text, Repeats::Refused) {
            Ok(parsed) if parsed.value.as_object().is_some() => {
                let text = self.spelling.text(&parsed.value.into_owned());
                self.string(&text, false);
            }
            _ => self.string(text, false),
        }
    }

    fn number(&mut self, literal: &str) {
        let short = literal.len() < 6 && literal.bytes().all(|b| b.is_ascii_digit()) && literal != "0";
        let literal = match self.rng.below(4) {
            0 if self.spelling.numbers && short => format!("{literal}.0"),
            1 if self.spelling.numbers && short => format!("{literal}0e-1"),
            2 if self.spelling.numbers && short => format!("{literal}E+0"),
            _ => literal.to_owned(),
        };
        self.out.push_str(&literal);
    }

    fn string(&mut self, text: &str, key: bool) {
        let hidden =
            (key && text == MARKER && self.spelling.hidden_marker).then(|| self.rng.below(text.len()));
        let often = if key { 24 } else { 10 };
        self.out.push('"');
        for (n, c) in text.chars().enumerate() {
            let some = hidden == Some(n) || self.spelling.escapes == Escapes::Some && self.rng.one_in(often);
            match c {
                HIGH => self.out.push_str("\\ud83d"),
                LOW => self.out.push_str("\\uDE00"),
                _ if some => self.escape(c),
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                c if c < ' ' => self.escape(c),
                c if !c.is_ascii() && self.spelling.escapes == Escapes::NonAscii => self.escape(c),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, c: char) {
        if c == '/' {
            self.out.push_str("\\/");
            return;
        }
        let large = self.rng.one_in(3);
        for unit in c.encode_utf16(&mut [0; 2]) {
            let escaped = if large { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
            self.out.push_str(&escaped);
        }
    }
}
