//! AWS event stream framing, <https://smithy.io/2.0/aws/amazon-eventstream.html>: bytes in any pieces to frames, and back.
//!
//! A frame is two lengths and their checksum, headers, a payload, and a checksum of all of it.

use crate::dialect::stream::{Framing, OnEvent};
use crate::error::{Error, Kind, Result};
use crate::json::{Object, Repeats, Value, compact, parse};
use crate::path::Path;
use std::str::from_utf8;

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
/// What AWS's own clients take at most, in bytes.
const LONGEST_HEADERS: usize = 128 << 10;
const LONGEST_PAYLOAD: usize = 24 << 20;

/// The event that an exception or an error of the stream is handed on as: its name, and what else it says.
pub(super) const FAILED: &str = "exception";

/// The types of a header's value that are looked at or that say their own length.
const BYTES: u8 = 6;
const STRING: u8 = 7;

pub(in crate::dialect) fn framing() -> Box<dyn Framing> {
    Box::new(Frames::default())
}

#[derive(Default)]
struct Frames {
    /// The start of a frame that is not whole yet.
    held: Vec<u8>,
}

impl Framing for Frames {
    fn feed(&mut self, mut bytes: &[u8], event: OnEvent<'_>) -> Result<()> {
        while !bytes.is_empty() {
            if self.held.is_empty()
                && let Some(lengths) = Lengths::of(bytes)?
                && let Some((frame, rest)) = bytes.split_at_checked(lengths.frame())
            {
                read(frame, &lengths, event)?;
                bytes = rest;
                continue;
            }
            let whole = Lengths::of(&self.held)?.map_or(PRELUDE, |lengths| lengths.frame());
            let (piece, rest) = bytes.split_at(bytes.len().min(whole - self.held.len()));
            self.held.extend_from_slice(piece);
            bytes = rest;
            if let Some(lengths) = Lengths::of(&self.held)?
                && lengths.frame() == self.held.len()
            {
                read(&self.held, &lengths, event)?;
                self.held.clear();
            }
        }
        Ok(())
    }
}

struct Lengths {
    headers: usize,
    payload: usize,
}

impl Lengths {
    /// What the start of a frame says; none as long as it is cut.
    fn of(start: &[u8]) -> Result<Option<Self>> {
        let Some((prelude, _)) = start.split_first_chunk::<PRELUDE>() else { return Ok(None) };
        let [frame, headers, checksum] = [0, 4, 8].map(|at| number(&prelude[at..]));
        if crc32fast::hash(&prelude[..8]) != checksum {
            return Err(refused("the checksum of a frame's lengths does not match"));
        }
        let (frame, headers) = (frame as usize, headers as usize);
        let Some(payload) = frame.checked_sub(PRELUDE + CHECKSUM).and_then(|n| n.checked_sub(headers)) else {
            return Err(refused("a frame is shorter than what it holds"));
        };
        if headers > LONGEST_HEADERS || payload > LONGEST_PAYLOAD {
            return Err(too_long());
        }
        Ok(Some(Self { headers, payload }))
    }

    fn frame(&self) -> usize {
        PRELUDE + self.headers + self.payload + CHECKSUM
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn refused(what: &str) -> Error {
    Error::shape(Path::root(), what)
}

fn too_long() -> Error {
    let what = format!("a frame holds more than {LONGEST_PAYLOAD} bytes, or {LONGEST_HEADERS} of headers");
    Error::new(Kind::Limit, Path::root(), what)
}

/// Hands on a whole frame.
fn read(frame: &[u8], lengths: &Lengths, event: OnEvent<'_>) -> Result<()> {
    let (said, checksum) = frame.split_at(frame.len() - CHECKSUM);
    if crc32fast::hash(said) != number(checksum) {
        return Err(refused("the checksum of a frame does not match"));
    }
    let (headers, payload) = said[PRELUDE..].split_at(lengths.headers);
    let headers = Headers::of(headers).ok_or_else(|| refused("the headers of a frame cannot be read"))?;
    match headers.message_type {
        Some("exception" | "error") => event(Some(FAILED), &headers.failure(payload)),
        _ if payload.is_empty() => event(headers.event_type, b"{}"),
        _ => event(headers.event_type, payload),
    }
}

#[derive(Default)]
struct Headers<'f> {
    message_type: Option<&'f str>,
    event_type: Option<&'f str>,
    /// The name of an exception that the service declares, or the code of any other error.
    failure: Option<&'f str>,
    error_message: Option<&'f str>,
}

impl<'f> Headers<'f> {
    /// None where the bytes are not headers.
    fn of(mut bytes: &'f [u8]) -> Option<Self> {
        let mut headers = Self::default();
        while let Some((length, rest)) = bytes.split_first() {
            let (name, rest) = rest.split_at_checked((*length).into())?;
            let (kind, rest) = rest.split_first()?;
            let (length, rest) = match *kind {
                0 | 1 => (0, rest),
                2 => (1, rest),
                3 => (2, rest),
                4 => (4, rest),
                5 | 8 => (8, rest),
                9 => (16, rest),
                BYTES | STRING => {
                    let (length, rest) = rest.split_first_chunk::<2>()?;
                    (u16::from_be_bytes(*length).into(), rest)
                }
                _ => return None,
            };
            let (value, rest) = rest.split_at_checked(length)?;
            bytes = rest;
            let known = match name {
                b":message-type" => &mut headers.message_type,
                b":event-type" => &mut headers.event_type,
                b":exception-type" | b":error-code" => &mut headers.failure,
                b":error-message" => &mut headers.error_message,
                _ => continue,
            };
            if *kind == STRING {
                *known = Some(from_utf8(value).ok()?);
            }
        }
        Some(headers)
    }

    /// The name, and beside it what the payload says: an object, or text.
    fn failure(&self, payload: &[u8]) -> Vec<u8> {
        let mut failure = Object::default().with_some("name", self.failure);
        let text = String::from_utf8_lossy(payload);
        let parsed = parse(payload, Repeats::LastWins).map(|parsed| parsed.value);
        match &parsed {
            Ok(Value::Object(said)) => failure.add_absent(said.iter()),
            _ if !payload.is_empty() => failure.set("message", Value::String(text)),
            _ => {}
        }
        if let (None, Some(message)) = (failure.get("message"), self.error_message) {
            failure.set("message", message.into());
        }
        compact(&failure.into()).into_bytes()
    }
}

/// An event as a frame.
pub(super) fn write(event_type: &str, payload: &Object<'_>) -> Result<Vec<u8>> {
    let payload = compact(&payload.clone().into());
    if payload.len() > LONGEST_PAYLOAD {
        return Err(too_long());
    }
    let mut headers = Vec::new();
    for (name, value) in
        [(":event-type", event_type), (":content-type", "application/json"), (":message-type", "event")]
    {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name.as_bytes());
        headers.push(STRING);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let lengths = Lengths { headers: headers.len(), payload: payload.len() };
    let mut frame = Vec::with_capacity(lengths.frame());
    frame.extend_from_slice(&(lengths.frame() as u32).to_be_bytes());
    frame.extend_from_slice(&(lengths.headers as u32).to_be_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&headers);
    frame.extend_from_slice(payload.as_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_HEADERS, LONGEST_PAYLOAD, framing, write};
    use crate::error::Kind;
    use crate::json::Object;

    /// Lengths with their checksum.
    fn prelude(frame: usize, headers: usize) -> Vec<u8> {
        let mut bytes = [(frame as u32).to_be_bytes(), (headers as u32).to_be_bytes()].concat();
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes
    }

    fn refused(bytes: &[u8]) -> Option<Kind> {
        framing().feed(bytes, &mut |_, _| Ok(())).err().map(|error| error.kind)
    }

    /// A known frame: <https://github.com/awslabs/aws-c-event-stream> checks its own code with these bytes, too.
    #[test]
    fn the_checksums_are_those_of_aws() {
        let frame = b"\0\0\0\x1d\0\0\0\0\xfd\x52\x8c\x5a{'foo':'bar'}\xc3\x65\x39\x36";
        let mut seen = Vec::new();
        let fed = framing().feed(frame, &mut |name, data| {
            seen.push((name.map(str::to_owned), data.to_vec()));
            Ok(())
        });
        assert!(fed.is_ok());
        assert_eq!(seen, [(None, b"{'foo':'bar'}".to_vec())]);
    }

    #[test]
    fn absurd_lengths_are_refused_before_anything_is_kept() {
        assert_eq!(refused(&prelude(16 + LONGEST_PAYLOAD, 0)), None, "more is to come");
        assert_eq!(refused(&prelude(17 + LONGEST_PAYLOAD, 0)), Some(Kind::Limit));
        assert_eq!(refused(&prelude(16 + LONGEST_HEADERS, LONGEST_HEADERS)), None);
        assert_eq!(refused(&prelude(17 + LONGEST_HEADERS, LONGEST_HEADERS + 1)), Some(Kind::Limit));
        assert_eq!(refused(&prelude(u32::MAX as usize, 0)), Some(Kind::Limit));
        for (frame, headers) in [(0, 0), (15, 0), (16, 1), (20, u32::MAX as usize)] {
            assert_eq!(refused(&prelude(frame, headers)), Some(Kind::Shape), "{frame} {headers}");
        }
    }

    #[test]
    fn headers_that_do_not_end_where_they_say_are_refused() {
        for headers in [
            &b"\x05ab"[..],
            b"\x01a",
            b"\x01a\x0a",
            b"\x01a\x07\x00",
            b"\x01a\x07\x00\x02b",
            b"\x01a\x05\x00",
        ] {
            let mut frame = prelude(16 + headers.len(), headers.len());
            frame.extend_from_slice(headers);
            frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
            assert_eq!(refused(&frame), Some(Kind::Shape), "{headers:?}");
        }
    }

    #[test]
    fn a_payload_that_nobody_would_take_is_not_written() {
        let longest = "x".repeat(LONGEST_PAYLOAD - r#"{"text":""}"#.len());
        let text = |text: String| Object::default().with("text", text);
        assert!(write("x", &text(longest.clone())).is_ok_and(|frame| refused(&frame).is_none()));
        assert_eq!(write("x", &text(longest + "x")).err().map(|error| error.kind), Some(Kind::Limit));
    }
}
