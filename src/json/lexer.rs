//! The tokens of RFC 8259, checked as they are passed over; nothing here allocates but `unescape`.

use crate::error::{Error, Kind, Result};
use crate::json::{MAX_BYTES, MAX_DEPTH};
use crate::path::Path;
use std::borrow::Cow;

/// A string token: what stands between the quotes, and whether it holds an escape.
#[derive(Clone, Copy, Debug)]
pub struct RawString<'a> {
    pub raw: &'a str,
    pub escaped: bool,
}

impl RawString<'_> {
    /// Does the token mean this text?
    pub fn is(&self, text: &str) -> bool {
        if self.escaped { unescape(self).0 == text } else { self.raw == text }
    }
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
}

/// Checks size, encoding and the byte order mark once, before anything is read.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(Kind::Limit, Path::root(), format!("longer than {MAX_BYTES} bytes")));
    }
    let text = simdutf8::compat::from_utf8(bytes).map_err(|e| {
        Error::new(Kind::Syntax, Path::root(), format!("not valid UTF-8 at byte {}", e.valid_up_to()))
    })?;
    if text.starts_with('\u{feff}') {
        return Err(Error::new(Kind::Syntax, Path::root(), "starts with a byte order mark"));
    }
    Ok(text)
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bits of the bytes that are zero. Where there are several, only the lowest is sure.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// A text that goes on for so many bytes without a special one is most likely long.
const SHORT: usize = 128;

/// The next quote, backslash or control character at or behind `at`.
pub(super) fn next_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    let long = at + SHORT;
    loop {
        let rest = bytes.get(at..)?;
        let (word, len) = match rest.first_chunk::<8>() {
            Some(chunk) => (u64::from_le_bytes(*chunk), 8),
            None => {
                let mut chunk = [b' '; 8];
                chunk[..rest.len()].copy_from_slice(rest);
                (u64::from_le_bytes(chunk), rest.len())
            }
        };
        let control = word.wrapping_sub(LOW * 0x20) & !word & HIGH;
        let quote = zeros(word ^ (LOW * u64::from(b'"')));
        match control | quote | zeros(word ^ (LOW * u64::from(b'\\'))) {
            0 if len < 8 => return None,
            0 => at += 8,
            found => return Some(at + found.trailing_zeros() as usize / 8),
        }
        if at == long {
            at += plain_blocks(&bytes[at..]);
        }
    }
}

/// A length of this text within which no byte is special. Compilers make parallel comparisons of it.
#[inline(never)]
fn plain_blocks(text: &[u8]) -> usize {
    let is_special = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    let (blocks, _) = text.as_chunks::<64>();
    64 * blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |any, byte| any | is_special(byte)))
        .count()
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, pos: 0 }
    }

    pub(super) fn error(&self, what: &str) -> Error {
        Error::new(Kind::Syntax, Path::root(), format!("{what} at byte {}", self.pos))
    }

    pub(super) fn too_deep(limit: usize) -> Error {
        Error::new(Kind::Limit, Path::root(), format!("nested deeper than {limit} levels"))
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.pos += 1;
        }
    }

    /// The next byte that is not white space, which stays unread.
    pub(super) fn next(&mut self) -> Result<u8> {
        self.space();
        self.peek().ok_or_else(|| self.error("unexpected end"))
    }

    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.next()? != byte {
            return Err(self.error(what));
        }
        self.pos += 1;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<()> {
        self.space();
        if self.pos < self.text.len() {
            return Err(self.error("unexpected text after the value"));
        }
        Ok(())
    }

    pub(super) fn literal(&mut self, word: &str) -> Result<()> {
        if !self.text.as_bytes()[self.pos..].starts_with(word.as_bytes()) {
            return Err(self.error("expected a value"));
        }
        self.pos += word.len();
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == start { Err(self.error("expected a digit")) } else { Ok(()) }
    }

    pub(super) fn number(&mut self) -> Result<&'a str> {
        let start = self.pos;
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        if self.peek() == Some(b'0') {
            self.pos += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.pos += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.pos])
    }

    /// A string; the position is on its opening quote.
    pub(super) fn string(&mut self) -> Result<RawString<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.pos + 1;
        let (mut at, mut escaped) = (start, false);
        loop {
            at = next_special(bytes, at).unwrap_or(bytes.len());
            match bytes.get(at) {
                Some(b'"') => {
                    self.pos = at + 1;
                    return Ok(RawString { raw: &self.text[start..at], escaped });
                }
                Some(b'\\') if let Some((_, len)) = escape(bytes, at) => at += len,
                _ => return Err(self.broken_string(at)),
            }
            escaped = true;
        }
    }

    /// What a string means, and how many lone surrogates were read as U+FFFD; the position is on its opening quote.
    /// `room` is where a text with escapes is put together.
    pub(super) fn meaning(&mut self, room: &mut String) -> Result<(Cow<'a, str>, usize)> {
        let bytes = self.text.as_bytes();
        let start = self.pos + 1;
        let (mut from, mut replaced) = (start, 0);
        room.clear();
        loop {
            let at = next_special(bytes, from).unwrap_or(bytes.len());
            let run = &self.text[from..at];
            match bytes.get(at) {
                Some(b'"') => {
                    self.pos = at + 1;
                    if from == start {
                        return Ok((Cow::Borrowed(run), 0));
                    }
                    room.push_str(run);
                    return Ok((Cow::Owned(room.clone()), replaced));
                }
                Some(b'\\') if let Some((c, len)) = escape(bytes, at) => {
                    room.push_str(run);
                    room.push(c.unwrap_or('\u{fffd}'));
                    replaced += usize::from(c.is_none());
                    from = at + len;
                }
                _ => return Err(self.broken_string(at)),
            }
        }
    }

    /// What is wrong where a string neither ends nor has a valid escape.
    #[cold]
    fn broken_string(&mut self, at: usize) -> Error {
        self.pos = at;
        self.error(match self.peek() {
            None => "unterminated string",
            Some(b'\\') => "invalid escape",
            Some(_) => "control character in a string",
        })
    }

    /// Passes over one value of any kind without recursion and gives its text. It stands in this many containers.
    pub(super) fn skip(&mut self, depth: usize) -> Result<&'a str> {
        self.next()?;
        let start = self.pos;
        let mut open: Vec<bool> = Vec::new(); // true: inside an object
        loop {
            match self.next()? {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.pos += 1;
                    if self.next()? == b'}' {
                        self.pos += 1;
                    } else {
                        if depth + open.len() == MAX_DEPTH {
                            return Err(Self::too_deep(MAX_DEPTH));
                        }
                        open.push(true);
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.pos += 1;
                    if self.next()? == b']' {
                        self.pos += 1;
                    } else {
                        if depth + open.len() == MAX_DEPTH {
                            return Err(Self::too_deep(MAX_DEPTH));
                        }
                        open.push(false);
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            loop {
                let Some(&object) = open.last() else {
                    return Ok(&self.text[start..self.pos]);
                };
                let byte = self.next()?;
                self.pos += 1;
                match (byte, object) {
                    (b',', true) => {
                        self.key()?;
                        break;
                    }
                    (b',', false) => break,
                    (b'}', true) | (b']', false) => {
                        open.pop();
                    }
                    _ => {
                        self.pos -= 1;
                        return Err(self.error("expected a comma or the end of the container"));
                    }
                }
            }
        }
    }

    fn scalar(&mut self) -> Result<()> {
        match self.peek() {
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            _ => Err(self.error("expected a value")),
        }
    }

    /// A key and its colon.
    pub(super) fn key(&mut self) -> Result<RawString<'a>> {
        if self.next()? != b'"' {
            return Err(self.error("expected a key"));
        }
        let key = self.string()?;
        self.expect(b':', "expected a colon")?;
        Ok(key)
    }
}

fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0u16, |n, d| Some(n << 4 | (*d as char).to_digit(16)? as u16))
}

/// What a string token means, and how many lone surrogates were read as U+FFFD.
pub fn unescape<'a>(token: &RawString<'a>) -> (Cow<'a, str>, usize) {
    if !token.escaped {
        return (Cow::Borrowed(token.raw), 0);
    }
    let bytes = token.raw.as_bytes();
    let mut out = String::with_capacity(token.raw.len());
    let (mut at, mut replaced) = (0, 0);
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]).map(|found| at + found) {
        out.push_str(&token.raw[at..next]);
        let (c, len) = escape(bytes, next).unwrap_or((None, 1));
        out.push(c.unwrap_or('\u{fffd}'));
        replaced += usize::from(c.is_none());
        at = next + len;
    }
    out.push_str(&token.raw[at..]);
    (Cow::Owned(out), replaced)
}

/// Does a JSON text hold half of a surrogate pair in a string?
pub fn holds_lone_surrogate(text: &[u8]) -> bool {
    let mut at = 0;
    for next in memchr::memmem::find_iter(text, b"\\u") {
        if next < at {
            continue;
        }
        let backslashes = text[..next].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0
            && let Some((c, len)) = unicode_escape(text, next)
        {
            if c.is_none() {
                return true;
            }
            at = next + len;
        }
    }
    false
}

/// The character of an escape, none for a lone surrogate, and the length of what it takes.
type Escape = (Option<char>, usize);

/// The escape whose backslash is at `at`, if it is a valid one.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Option<Escape> {
    let letter = *bytes.get(at + 1)?;
    match SHORT_ESCAPES[usize::from(letter)] {
        0 if letter == b'u' => unicode_escape(bytes, at),
        0 => None,
        short => Some((Some(char::from(short)), 2)),
    }
}

/// What a letter behind a backslash means; zero if it is no escape of two characters.
const SHORT_ESCAPES: [u8; 256] = {
    let mut meanings = [0; 256];
    let mut n = 0;
    let pairs = *b"\"\"\\\\//b\x08f\x0cn\nr\rt\t";
    while n < pairs.len() {
        meanings[pairs[n] as usize] = pairs[n + 1];
        n += 2;
    }
    meanings
};

/// `escape` for a `\u` escape.
#[inline(never)]
fn unicode_escape(bytes: &[u8], at: usize) -> Option<Escape> {
    let unit = hex4(bytes, at + 2)?;
    if (0xd800..0xdc00).contains(&unit) && bytes.get(at + 6..at + 8) == Some(b"\\u") {
        let low = hex4(bytes, at + 8).unwrap_or(0);
        if (0xdc00..0xe000).contains(&low) {
            let code = 0x10000 + ((u32::from(unit) - 0xd800) << 10) + (u32::from(low) - 0xdc00);
            return Some((char::from_u32(code), 12));
        }
    }
    Some((char::from_u32(u32::from(unit)), 6))
}
