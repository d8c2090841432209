//! Server-sent events, <https://html.spec.whatwg.org/multipage/server-sent-events.html>: bytes to events and back.

use super::Framing;
use crate::error::Result;

/// What has come of the event that is not whole yet.
#[derive(Default)]
pub(in crate::dialect) struct Sse {
    rest: Vec<u8>,
}

impl Framing for Sse {
    fn feed(
        &mut self,
        bytes: &[u8],
        _event: &mut dyn FnMut(Option<&str>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

/// One event as bytes.
pub(in crate::dialect) fn write_event(name: Option<&str>, data: &str) -> Vec<u8> {
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    format!("{name}data: {data}\n\n").into_bytes()
}
