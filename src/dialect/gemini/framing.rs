//! The two forms of a stream: server-sent events (`alt=sse`), and without that one JSON array whose elements come one
//! after another. The first byte that is not blank tells which.

use crate::dialect::stream::{Braces, Events, Framing};
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
        match &mut self.form {
            Form::Events(events) => events.feed(bytes, event),
            Form::Values(values) => values.feed(bytes, event),
            Form::Unknown => Ok(()),
        }
    }
}

/// The elements of an array, or values that stand for themselves, each handed on when its last brace is there.
#[derive(Default)]
struct Values {
    /// What has come of the value that is not whole yet.
    value: Vec<u8>,
    braces: Braces,
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
            if self.braces.are_open() {
                if self.braces.end_with(*byte) {
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
        if self.braces.are_open() {
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
                self.braces.end_with(byte);
                Place::Bare
            }
            (Place::Opened | Place::Next, b'{') => {
                self.braces.end_with(byte);
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
