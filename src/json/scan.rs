//! A body read from left to right by someone who knows some of its bytes: those are passed, only the others are read.

use crate::error::Result;
use crate::json::lexer::{Lexer, RawString, utf8};
use crate::json::tree::{Reader, Repeats, Value};

/// The container levels around an element of a list that is a member of the body.
pub const ELEMENT: usize = 2;

pub struct Scan<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// The text behind a place, once it was checked to be UTF-8.
    text: Option<(usize, &'a str)>,
    /// For texts with escapes, which are put together here.
    room: String,
    repeats: bool,
}

impl<'a> Scan<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0, text: None, room: String::new(), repeats: false }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Goes to a place: behind bytes that are known to be whole tokens, or back to where it was.
    pub fn go(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// What has not been passed yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// The next byte that is not white space, which stays unread; none at the end.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.pos) {
            self.pos += 1;
        }
        self.bytes.get(self.pos).copied()
    }

    /// Passes this byte if it is the next one that is not white space.
    pub fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.pos += usize::from(is_next);
        is_next
    }

    /// A key and its colon.
    pub fn key(&mut self) -> Result<RawString<'a>> {
        self.lex(Lexer::key)
    }

    /// Passes a value.
    pub fn skip(&mut self) -> Result<&'a str> {
        self.lex(|lexer| lexer.skip(0))
    }

    /// Reads a value that stands in this many containers. Of a repeated key the last value counts.
    pub fn value(&mut self, depth: usize) -> Result<Value<'a>> {
        let mut room = std::mem::take(&mut self.room);
        let read = self.lex(|lexer| Reader::read(lexer, &mut room, depth, Repeats::LastWins));
        self.room = room;
        let (value, repeats) = read?;
        self.repeats |= repeats;
        Ok(value)
    }

    /// Was a key repeated in a value that was read, so that the value does not hold all that was written?
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// The text of a range that was read; none where it was only passed.
    pub fn text(&self, range: std::ops::Range<usize>) -> Option<&'a str> {
        let (start, text) = self.text?;
        text.get(range.start.checked_sub(start)?..range.end.checked_sub(start)?)
    }

    fn lex<T>(&mut self, work: impl FnOnce(&mut Lexer<'a>) -> Result<T>) -> Result<T> {
        let (start, text) = match self.text {
            Some(known) if known.0 <= self.pos => known,
            _ => *self.text.insert((self.pos, utf8(self.rest())?)),
        };
        let mut lexer = Lexer::new(text);
        lexer.pos = self.pos - start;
        let value = work(&mut lexer);
        self.pos = start + lexer.pos;
        value
    }
}
