//! Server-sent events, <https://html.spec.whatwg.org/multipage/server-sent-events.html>: bytes to events and back.

use super::{Framing, OnEvent};
use crate::error::{Error, Kind, Result};
use crate::json::MAX_BYTES;
use crate::path::Path;
use std::borrow::Cow;

/// What has come of the event that is not whole yet. An event that comes in one piece is handed on from where it lies.
pub(in crate::dialect) struct Sse {
    /// The longest event that is read, in bytes.
    longest: usize,
    /// The line that is not whole yet.
    line: Vec<u8>,
    event: Event,
    /// The first line has been read: only there may a byte order mark stand.
    begun: bool,
    /// The last line ended in a CR at the very end of the bytes: a line feed would still belong to it.
    after_cr: bool,
    /// The last line ended in CR and LF.
    crlf: bool,
    /// The event ends once the line feed of its blank line is there.
    waits: bool,
}

impl Default for Sse {
    fn default() -> Self {
        Self {
            longest: MAX_BYTES,
            line: Vec::new(),
            event: Event::default(),
            begun: false,
            after_cr: false,
            crlf: false,
            waits: false,
        }
    }
}

/// The lines of the event so far.
#[derive(Default)]
struct Event {
    /// That of the last event that had one.
    name: String,
    named: bool,
    /// The data, joined by line feeds; none where no line of the event has any.
    data: Option<Vec<u8>>,
}

impl Framing for Sse {
    fn feed(&mut self, bytes: &[u8], event: &mut dyn FnMut(Option<&str>, &[u8]) -> Result<()>) -> Result<()> {
        let mut pos = 0;
        // The data of the event where it is one whole line of these bytes.
        let mut held: Option<&[u8]> = None;
        if let (true, Some(first)) = (self.after_cr, bytes.first()) {
            self.after_cr = false;
            self.crlf = *first == b'\n';
            pos += usize::from(self.crlf);
            if std::mem::take(&mut self.waits) {
                self.event.end(None, event)?;
            }
        }
        while let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[pos..]) {
            let (part, end) = (&bytes[pos..pos + found], pos + found);
            pos = end + 1;
            let lone = bytes[end] == b'\n' || bytes.get(pos).is_some_and(|next| *next != b'\n');
            if bytes[end] == b'\r' && pos == bytes.len() {
                self.after_cr = true;
                // A stream whose lines end in CR and LF is not over before the last LF.
                if self.crlf && part.is_empty() && self.line.is_empty() {
                    self.waits = true;
                    break;
                }
            } else {
                self.crlf = !lone;
                pos += usize::from(self.crlf);
            }
            if self.line.is_empty() {
                self.event.line(unmarked(&mut self.begun, part), &mut held, event)?;
            } else {
                self.line.extend_from_slice(part);
                self.event.line_of_pieces(unmarked(&mut self.begun, &self.line), event)?;
                self.line.clear();
            }
        }
        self.event.keep(held);
        let rest = &bytes[pos..];
        if self.line.len() + self.event.data.as_ref().map_or(0, Vec::len) + rest.len() > self.longest {
            let what = format!("an event of more than {} bytes", self.longest);
            return Err(Error::new(Kind::Limit, Path::root(), what));
        }
        self.line.extend_from_slice(rest);
        Ok(())
    }
}

/// The line without a byte order mark, if it is the first.
fn unmarked<'l>(begun: &mut bool, line: &'l [u8]) -> &'l [u8] {
    match std::mem::replace(begun, true) {
        false => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
        true => line,
    }
}

impl Event {
    /// A line that lies in the bytes that are being read; its data are held there as long as they are all there is.
    fn line<'b>(&mut self, line: &'b [u8], held: &mut Option<&'b [u8]>, event: OnEvent<'_>) -> Result<()> {
        if line.is_empty() {
            return self.end(held.take(), event);
        }
        match field(line) {
            (b"data", value) if self.data.is_none() && held.is_none() => *held = Some(value),
            (name, value) => {
                self.keep(held.take());
                self.field(name, value);
            }
        }
        Ok(())
    }

    /// A line that was put together.
    fn line_of_pieces(&mut self, line: &[u8], event: OnEvent<'_>) -> Result<()> {
        if line.is_empty() {
            return self.end(None, event);
        }
        let (name, value) = field(line);
        self.field(name, value);
        Ok(())
    }

    /// `id` and `retry` say how to connect again; comments have no name.
    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" => {
                self.named = !value.is_empty();
                if value != self.name.as_bytes() {
                    self.name = String::from_utf8_lossy(value).into_owned();
                }
            }
            _ => {}
        }
    }

    fn keep(&mut self, held: Option<&[u8]>) {
        if let Some(value) = held {
            self.data = Some(value.to_vec());
        }
    }

    /// A blank line: the event is over. One without data says nothing.
    fn end(&mut self, held: Option<&[u8]>, event: OnEvent<'_>) -> Result<()> {
        let data = held.map(Cow::Borrowed).or(self.data.take().map(Cow::Owned)).unwrap_or_default();
        let name = std::mem::take(&mut self.named).then_some(self.name.as_str());
        if data.trim_ascii().is_empty() { Ok(()) } else { event(name, &data) }
    }
}

/// The name and the value of a line.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', line) {
        None => (line, b""),
        Some(colon) => {
            let value = &line[colon + 1..];
            (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
        }
    }
}

/// One event as bytes.
pub(in crate::dialect) fn write_event(name: Option<&str>, data: &str) -> Vec<u8> {
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    format!("{name}data: {data}\n\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::Framing;
    use super::Sse;
    use crate::error::{Kind, Result};

    type Events = Vec<(Option<String>, String)>;

    fn events<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Events {
        let (mut sse, mut seen) = (Sse::default(), Vec::new());
        let mut take = |name: Option<&str>, data: &[u8]| -> Result<()> {
            seen.push((name.map(str::to_owned), String::from_utf8_lossy(data).into_owned()));
            Ok(())
        };
        for chunk in chunks {
            sse.feed(chunk, &mut take).expect("within the limit");
        }
        seen
    }

    /// The events, which are the same for every cut in two and byte by byte.
    fn read(bytes: &[u8]) -> Vec<(Option<String>, String)> {
        let whole = events([bytes]);
        for cut in 0..=bytes.len() {
            assert_eq!(events([&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
        }
        assert_eq!(events(bytes.chunks(1)), whole);
        whole
    }

    fn said(name: &str, data: &str) -> (Option<String>, String) {
        ((!name.is_empty()).then(|| name.to_owned()), data.to_owned())
    }

    #[test]
    fn lines_end_in_three_ways() {
        for end in ["\n", "\r\n", "\r"] {
            let stream =
                "event: a\ndata: 1\n\ndata:2\ndata: 3\nid: 7\n\n: word\n\ndata:  4\n\n".replace('\n', end);
            let expected = [said("a", "1"), said("", "2\n3"), said("", " 4")];
            assert_eq!(read(stream.as_bytes()), expected, "{end:?}");
        }
        assert_eq!(
            read(b"data: 1\r\n\ndata: 2\n\r\ndata: 3\r\r\n"),
            ["1", "2", "3"].map(|data| said("", data))
        );
    }

    #[test]
    fn only_a_blank_line_ends_an_event() {
        assert!(read(b"data: 1\n").is_empty());
        assert!(read(b"data: 1\r").is_empty());
        assert!(read(b"data: 1\r\n\r").is_empty(), "the last line feed is missing");
        assert_eq!(read(b"data: 1\r\n\rdata: 2\r\r"), [said("", "1"), said("", "2")]);
        assert_eq!(read("data: \u{2028}\u{85}\u{b}\n\n".as_bytes()), [said("", "\u{2028}\u{85}\u{b}")]);
    }

    #[test]
    fn an_event_without_end_is_refused() {
        for endless in ["x", "data: x\n"] {
            let mut sse = Sse { longest: 64, ..Sse::default() };
            let fed = (0..65).find_map(|_| sse.feed(endless.as_bytes(), &mut |_, _| Ok(())).err());
            assert_eq!(fed.map(|error| error.kind), Some(Kind::Limit));
        }
    }

    #[test]
    fn what_says_nothing_is_passed_over() {
        assert!(
            read(b"\n\n: comment\n\nevent: ping\n\ndata\n\ndata: \nretry: 3\n\nwhatever: 1\n\n").is_empty()
        );
        assert_eq!(read(b"event: a\n\ndata: 1\n\n"), [said("", "1")], "a name without data is forgotten");
    }

    #[test]
    fn a_byte_order_mark_stands_at_the_start_only() {
        assert_eq!(read("\u{feff}data: 1\n\n".as_bytes()), [said("", "1")]);
        assert!(read("\n\u{feff}data: 1\n\n".as_bytes()).is_empty());
        assert_eq!(read("data: \u{feff}\n\n".as_bytes()), [said("", "\u{feff}")]);
    }
}
