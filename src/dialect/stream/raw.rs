//! Server-sent events between whose lines JSON may stand as it is: so servers and proxies say that they failed in the
//! middle of a stream.

use super::{Framing, OnEvent, Sse};
use crate::error::{Error, Kind, Result};
use crate::json::MAX_BYTES;
use crate::path::Path;
use memchr::memmem;

/// Events, but a line that begins with a brace is the beginning of a value, which is handed on as an event without a
/// name. No line of an event begins so.
#[derive(Default)]
pub(in crate::dialect) struct Events {
    sse: Sse,
    within_line: bool,
    /// What has come of a value, which is not whole.
    value: Option<(Vec<u8>, Braces)>,
}

impl Framing for Events {
    fn feed(&mut self, bytes: &[u8], event: OnEvent<'_>) -> Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = match &mut self.value {
                Some((value, braces)) => {
                    let end = rest.iter().position(|byte| braces.end_with(*byte));
                    let (piece, behind) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
                    value.extend_from_slice(piece);
                    if value.len() > MAX_BYTES {
                        let what = format!("a value of more than {MAX_BYTES} bytes");
                        return Err(Error::new(Kind::Limit, Path::root(), what));
                    }
                    if end.is_some()
                        && let Some((value, _)) = self.value.take()
                    {
                        event(None, &value)?;
                    }
                    behind
                }
                None => {
                    let brace = value_in(rest, self.within_line);
                    let (events, behind) = rest.split_at(brace.unwrap_or(rest.len()));
                    self.within_line = events.last().is_some_and(|last| !matches!(last, b'\n' | b'\r'));
                    self.value = brace.map(|_| Default::default());
                    self.sse.feed(events, event)?;
                    behind
                }
            };
        }
        Ok(())
    }
}

/// Where a line begins with a brace.
fn value_in(bytes: &[u8], within_line: bool) -> Option<usize> {
    if !within_line && bytes.first() == Some(&b'{') {
        return Some(0);
    }
    [b"\n{", b"\r{"].into_iter().filter_map(|begin| memmem::find(bytes, begin)).min().map(|at| at + 1)
}

/// How deep in a JSON value its bytes stand.
#[derive(Default)]
pub(in crate::dialect) struct Braces {
    depth: usize,
    within_text: bool,
    escaped: bool,
}

impl Braces {
    /// Is there a value that has begun and not ended?
    pub(in crate::dialect) fn are_open(&self) -> bool {
        self.depth > 0
    }

    /// Takes a byte of a value, the first of which is a brace; tells whether it is the last one.
    pub(in crate::dialect) fn end_with(&mut self, byte: u8) -> bool {
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
}

#[cfg(test)]
mod tests {
    use super::{Events, Framing};

    fn read<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
        let (mut events, mut seen) = (Events::default(), Vec::new());
        for chunk in chunks {
            let mut take = |name: Option<&str>, data: &[u8]| {
                seen.push(format!("{} {}", name.unwrap_or("-"), String::from_utf8_lossy(data)));
                Ok(())
            };
            events.feed(chunk, &mut take).expect("within the limit");
        }
        seen
    }

    #[test]
    fn a_value_stands_among_events() {
        for end in ["\n", "\r\n", "\r"] {
            let stream =
                "data: {\"a\":1}\n\n{\"x\": \"}\\\"{\",\n  \"y\": [{}]\n}\n\nevent: b\ndata: 2\n\n{}"
                    .replace('\n', end);
            let value = "- {\"x\": \"}\\\"{\",\n  \"y\": [{}]\n}".replace('\n', end);
            let expected = ["- {\"a\":1}", value.as_str(), "b 2", "- {}"];
            let stream = stream.as_bytes();
            assert_eq!(read([stream]), expected, "{end:?}");
            assert_eq!(read(stream.chunks(1)), expected, "{end:?}");
            for cut in 0..=stream.len() {
                assert_eq!(read([&stream[..cut], &stream[cut..]]), expected, "{end:?} cut at {cut}");
            }
        }
        assert_eq!(read([&b"{\"error\":{}}"[..]]), ["- {\"error\":{}}"]);
        assert!(read([&b"data {}\n\n: {\n\n {}\n\n"[..]]).is_empty(), "no line begins with a brace");
        assert!(read([&b"{\"error\":{}"[..]]).is_empty(), "it is not whole");
    }
}
