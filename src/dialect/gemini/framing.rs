//! The two forms of a stream: server-sent events (`alt=sse`), and without that one JSON array whose elements come one
//! after another. The first byte that is not blank tells which.

use crate::dialect::stream::{Framing, Sse};
use crate::error::{Error, Kind, Result};
use crate::json::MAX_BYTES;
use crate::path::Path;

/// The names under which the assembly gets to know of the array.
pub(super) const ELEMENT: &str = "[]";
pub(super) const END: &str = "]";
/// An element of an array whose beginning is not there.
pub(super) const HEADLESS: &str = ",";

/// Takes an event, or an element under one of these names.
type OnEvent<'e> = &'e mut dyn FnMut(Option<&str>, &[u8]) -> Result<()>;

#[derive(Default)]
pub(super) struct Either {
    form: Form,
}

#[derive(Default)]
enum Form {
    /// Nothing yet but blanks and a byte order mark.
    #[default]
    Unknown,
    Events(Events),
    Values(Values),
}

impl Framing for Either {
    fn feed(&mut self, bytes: &[u8], event: OnEvent<'_>) -> Result<()> {
        let mut bytes = bytes;
        if let Form::Unknown = self.form {
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf);
            let Some(start) = bytes.iter().position(|byte| !blank(byte)) else { return Ok(()) };
            bytes = &bytes[start..];
            self.form = match bytes[0] {
                b'[' | b'{' | b',' => Form::Values(Values::default()),
                _ => Form::Events(Events::default()),
            };
        }
        let rest = match &mut self.form {
            Form::Events(events) => match events.feed(bytes, event)? {
                Some(rest) => rest,
                None => return Ok(()),
            },
            Form::Values(values) => return values.feed(bytes, event),
            Form::Unknown => return Ok(()),
        };
        let mut values = Values::default();
        let fed = values.feed(rest, event);
        self.form = Form::Values(values);
        fed
    }
}

/// Events, until a line begins with a brace: that is an error, which the API sends as it is. No line of an event does.
#[derive(Default)]
struct Events {
    sse: Sse,
    within_line: bool,
}

impl Events {
    /// Gives what stands behind the events.
    fn feed<'b>(&mut self, bytes: &'b [u8], event: OnEvent<'_>) -> Result<Option<&'b [u8]>> {
        let begins = |at: &usize| match at.checked_sub(1) {
            Some(before) => matches!(bytes[before], b'\n' | b'\r'),
            None => !self.within_line,
        };
        let brace = memchr::memchr_iter(b'{', bytes).find(begins);
        let (events, rest) = bytes.split_at(brace.unwrap_or(bytes.len()));
        if let Some(last) = events.last() {
            self.within_line = !matches!(last, b'\n' | b'\r');
        }
        self.sse.feed(events, event)?;
        Ok(brace.map(|_| rest))
    }
}

/// The elements of an array, or values that stand for themselves, each handed on when its last brace is there.
#[derive(Default)]
struct Values {
    /// What has come of the value that is not whole yet.
    value: Vec<u8>,
    depth: usize,
    within_text: bool,
    escaped: bool,
    place: Place,
    headless: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Start,
    /// Behind the bracket: an element may come, or the end.
    Opened,
    /// Behind an element.
    Behind,
    /// Behind a comma.
    Next,
    /// Behind the array.
    Over,
    /// There is no array around the values.
    Bare,
}

impl Framing for Values {
    fn feed(&mut self, bytes: &[u8], event: OnEvent<'_>) -> Result<()> {
        // Where in these bytes the value begins, of which the rest is held.
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if self.depth > 0 {
                if self.within(*byte) {
                    let piece = &bytes[from..=at];
                    let name = match self.place {
                        Place::Bare => None,
                        _ if self.headless => Some(HEADLESS),
                        _ => Some(ELEMENT),
                    };
                    if self.value.is_empty() {
                        event(name, piece)?;
                    } else {
                        self.value.extend_from_slice(piece);
                        event(name, &std::mem::take(&mut self.value))?;
                    }
                }
                continue;
            }
            from = at;
            self.between(*byte, event)?;
        }
        if self.depth > 0 {
            let rest = &bytes[from..];
            if self.value.len() + rest.len() > MAX_BYTES {
                let what = format!("an element of more than {MAX_BYTES} bytes");
                return Err(Error::new(Kind::Limit, Path::root(), what));
            }
            self.value.extend_from_slice(rest);
        }
        Ok(())
    }
}

impl Values {
    /// A byte of a value; tells whether it is the last one.
    fn within(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.within_text => self.escaped = true,
            b'"' => self.within_text = !self.within_text,
            _ if self.within_text => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }

    /// A byte between values.
    fn between(&mut self, byte: u8, event: OnEvent<'_>) -> Result<()> {
        self.place = match (self.place, byte) {
            (place, b' ' | b'\t' | b'\r' | b'\n') => place,
            (Place::Start, b'[') => Place::Opened,
            (Place::Start, b',') => {
                self.headless = true;
                Place::Next
            }
            (Place::Start | Place::Bare, b'{') => {
                self.depth = 1;
                Place::Bare
            }
            (Place::Opened | Place::Next, b'{') => {
                self.depth = 1;
                Place::Behind
            }
            (Place::Behind, b',') => Place::Next,
            (Place::Opened | Place::Behind, b']') => {
                event(Some(END), b"null")?;
                Place::Over
            }
            _ => return Err(Error::new(Kind::Syntax, Path::root(), "not the next element of an array")),
        };
        Ok(())
    }
}
