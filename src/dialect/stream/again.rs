//! Events that are the one before them but for the next piece of a text, as nearly all of a stream are: known by their
//! bytes, without being read as JSON.

use crate::json::{Repeats, Value, parse};
use std::borrow::Cow;

/// Of an event that does nothing but append a text, and that may come again with another one: the values in which the
/// two may differ, as they were read from its data.
pub(in crate::dialect) struct Slots<'v> {
    /// The piece of text.
    pub(in crate::dialect) text: &'v str,
    /// A text that says nothing.
    pub(in crate::dialect) padding: Option<&'v str>,
    /// A number, which `again` gets.
    pub(in crate::dialect) number: Option<&'v str>,
}

/// What stands in the slots of an event that fits.
pub(super) struct Fit<'d> {
    pub(super) text: Cow<'d, str>,
    pub(super) number: Option<&'d str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Padding,
    Number,
}

/// The event before, and where in its data the slots are.
#[derive(Default)]
pub(super) struct Pattern {
    name: Option<String>,
    data: Vec<u8>,
    /// In the order in which they stand; none if there is no pattern.
    slots: Vec<(usize, usize, Kind)>,
}

impl Pattern {
    pub(super) fn forget(&mut self) {
        self.slots.clear();
    }

    /// Takes the event for the pattern of those to come. A text with an escape does not lie in the data as it is read:
    /// then there is none.
    pub(super) fn learn(&mut self, name: Option<&str>, data: &[u8], slots: &Slots<'_>) {
        self.slots.clear();
        let base = data.as_ptr() as usize;
        let values =
            [(Some(slots.text), Kind::Text), (slots.padding, Kind::Padding), (slots.number, Kind::Number)];
        for (value, kind) in values {
            let Some(value) = value else { continue };
            let start = (value.as_ptr() as usize).wrapping_sub(base);
            if start > data.len() || data.len() - start < value.len() {
                return self.slots.clear();
            }
            self.slots.push((start, start + value.len(), kind));
        }
        self.slots.sort_unstable_by_key(|slot| slot.0);
        self.data.clear();
        self.data.extend_from_slice(data);
        if self.name.as_deref() != name {
            self.name = name.map(str::to_owned);
        }
    }

    /// What the event says, if it fits the pattern.
    pub(super) fn fit<'d>(&self, name: Option<&str>, data: &'d [u8]) -> Option<Fit<'d>> {
        if self.slots.is_empty() || name != self.name.as_deref() {
            return None;
        }
        let (mut text, mut number, mut done, mut rest) = (None, None, 0, data);
        for (start, end, kind) in &self.slots {
            rest = rest.strip_prefix(&self.data[done..*start])?;
            let len = match kind {
                Kind::Number => digits(rest)?,
                Kind::Text | Kind::Padding => string(rest)?,
            };
            let (value, behind) = rest.split_at(len);
            match kind {
                Kind::Text if value.contains(&b'\\') => {
                    // The quotes around it stand in the pattern.
                    let at = data.len() - rest.len();
                    let parsed = parse(&data[at - 1..=at + len], Repeats::LastWins).ok()?;
                    let Value::String(meant) = parsed.value else { return None };
                    // What is replaced is noted where the whole event is read.
                    text = Some(meant).filter(|_| parsed.replaced.is_empty());
                }
                Kind::Text => text = Some(Cow::Borrowed(std::str::from_utf8(value).ok()?)),
                Kind::Padding if !value.is_ascii() || value.contains(&b'\\') => return None,
                Kind::Padding => {}
                Kind::Number => number = Some(std::str::from_utf8(value).ok()?),
            }
            (rest, done) = (behind, *end);
        }
        let text = text.filter(|_| rest == &self.data[done..])?;
        Some(Fit { text, number })
    }
}

/// The length of the inside of a string that ends in these bytes.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// The length of a whole number.
fn digits(bytes: &[u8]) -> Option<usize> {
    let len = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (len == 1 || len > 1 && bytes[0] != b'0').then_some(len)
}
