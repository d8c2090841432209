//! The private key that carries an outcome from a harness program to the server beside it, and nowhere else.

use crate::error::{Error, Kind, Result};
use crate::json::Cursor;

pub const MARKER: &str = "_vf_is_error";

/// Reads a marker. `null` says nothing, like no marker at all; anything else but a bool is refused.
pub fn read_marker(marker: Option<Cursor<'_>>) -> Result<Option<bool>> {
    match marker {
        None => Ok(None),
        Some(c) if c.is_null() => Ok(None),
        Some(c) => match c.bool() {
            Ok(outcome) => Ok(Some(outcome)),
            Err(_) => Err(Error::new(Kind::Marker, c.path(), "expected true or false")),
        },
    }
}

/// Can the marker be in this JSON text as a key, in any spelling? No means no; yes may be a false alarm.
pub fn may_hold_marker(json: &[u8]) -> bool {
    marker_places(json).next().is_some()
}

/// The places in a JSON text where the marker may be written as a key. It can only be there as the plain token, or if some
/// character of it is written as a `\u00XX` escape.
pub fn marker_places(json: &[u8]) -> impl Iterator<Item = usize> {
    let is_of_marker = |at: &usize| {
        json.get(at + 4..at + 6).is_some_and(|digits| {
            std::str::from_utf8(digits)
                .ok()
                .and_then(|d| u8::from_str_radix(d, 16).ok())
                .is_some_and(|byte| MARKER.as_bytes().contains(&byte))
        })
    };
    let plain = memchr::memmem::find_iter(json, b"\"_vf_is_error\"");
    plain.chain(memchr::memmem::find_iter(json, b"\\u00").filter(is_of_marker))
}
