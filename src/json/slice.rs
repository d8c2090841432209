//! Byte ranges of a JSON text without building values: what is not changed can then be copied as it stands.

use crate::error::Result;
use crate::json::lexer::{Lexer, RawString, unescape, utf8};
use std::borrow::Cow;

/// A value inside a text: its bytes and where they start.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    pub text: &'a str,
    pub start: usize,
}

/// A member of an object, or an element of an array (which has no key).
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub key: Option<RawString<'a>>,
    /// Where the entry starts: its key's quote, or its value.
    pub start: usize,
    pub value: Slice<'a>,
    /// Where the comma in front of it stands, and the one behind it.
    pub comma_before: Option<usize>,
    pub comma_after: Option<usize>,
}

impl<'a> Entry<'a> {
    pub fn key(&self) -> Cow<'a, str> {
        self.key.as_ref().map_or(Cow::Borrowed(""), |key| unescape(key).0)
    }

    pub fn is(&self, key: &str) -> bool {
        self.key.is_some_and(|k| k.is(key))
    }
}

impl<'a> Slice<'a> {
    /// The whole of a text, which is checked to be one JSON value.
    pub fn document(bytes: &'a [u8]) -> Result<Self> {
        let text = utf8(bytes)?;
        let mut lexer = Lexer::new(text);
        let value = lexer.skip(0)?;
        let start = lexer.pos - value.len();
        lexer.end()?;
        Ok(Self { text: value, start })
    }

    /// `document` and its `entries`, in one pass.
    pub fn members(bytes: &'a [u8]) -> Result<(Self, Vec<Entry<'a>>)> {
        let text = utf8(bytes)?;
        let mut lexer = Lexer::new(text);
        if !matches!(lexer.next()?, b'{' | b'[') {
            return Ok((Self::document(bytes)?, Vec::new()));
        }
        let start = lexer.pos;
        let entries = entries(&mut lexer, 0)?;
        let text = &text[start..lexer.pos];
        lexer.end()?;
        Ok((Self { text, start }, entries))
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn first(&self) -> u8 {
        self.text.as_bytes().first().copied().unwrap_or(b' ')
    }

    pub fn is_object(&self) -> bool {
        self.first() == b'{'
    }

    pub fn is_array(&self) -> bool {
        self.first() == b'['
    }

    /// The string token, where this is one.
    pub fn string(&self) -> Option<RawString<'a>> {
        if self.first() != b'"' {
            return None;
        }
        let raw = &self.text[1..self.text.len() - 1];
        Some(RawString { raw, escaped: raw.as_bytes().contains(&b'\\') })
    }

    /// The members or elements, in order; nothing where this is a scalar.
    pub fn entries(&self) -> Result<Vec<Entry<'a>>> {
        if !self.is_object() && !self.is_array() {
            return Ok(Vec::new());
        }
        entries(&mut Lexer::new(self.text), self.start)
    }
}

/// The members or elements of the container that opens here, which is passed. `base` is where the text starts.
fn entries<'a>(lexer: &mut Lexer<'a>, base: usize) -> Result<Vec<Entry<'a>>> {
    let object = lexer.peek() == Some(b'{');
    let close = if object { b'}' } else { b']' };
    lexer.pos += 1;
    let mut entries: Vec<Entry<'a>> = Vec::new();
    if lexer.next()? == close {
        lexer.pos += 1;
        return Ok(entries);
    }
    let mut comma = None;
    loop {
        lexer.space();
        let start = base + lexer.pos;
        let key = if object { Some(lexer.key()?) } else { None };
        let text = lexer.skip(1)?;
        let value = Slice { text, start: base + lexer.pos - text.len() };
        entries.push(Entry { key, start, value, comma_before: comma, comma_after: None });
        match lexer.next()? {
            b',' => {}
            byte if byte == close => {
                lexer.pos += 1;
                return Ok(entries);
            }
            _ => return Err(lexer.error("expected a comma or the end of the container")),
        }
        comma = Some(base + lexer.pos);
        lexer.pos += 1;
        if let Some(last) = entries.last_mut() {
            last.comma_after = comma;
        }
    }
}
