//! Binary content as base64, which a stream may bring in pieces that each end on their own.

use crate::error::Result;
use crate::json::{Cursor, Object, Value};
use std::iter::once;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends a piece to the base64 of a field.
pub(super) fn append_to(fields: &mut Object<'static>, key: &str, piece: Cursor<'_>) -> Result<()> {
    let mut held = match fields.remove(key) {
        Some(Value::String(held)) => held.into_owned(),
        _ => String::new(),
    };
    let fits = append(&mut held, piece.str()?);
    fields.set(key, held.into());
    if fits { Ok(()) } else { Err(piece.expected("base64")) }
}

/// Appends the bytes of a piece to those that are there; false if one of them is not base64. Only the end of what is
/// there is read again.
fn append(held: &mut String, piece: &str) -> bool {
    if !held.ends_with('=') {
        held.push_str(piece);
        return held.len().is_multiple_of(4);
    }
    let Some(end) = held.len().checked_sub(4).filter(|end| held.is_char_boundary(*end)) else { return false };
    let (Some(mut bytes), Some(more)) = (decoded(&held[end..]), decoded(piece)) else { return false };
    bytes.extend(more);
    held.truncate(end);
    encode(&bytes, held);
    true
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let (quads, []) = text.as_bytes().as_chunks::<4>() else { return None };
    let mut bytes = Vec::with_capacity(quads.len() * 3);
    for (n, quad) in quads.iter().enumerate() {
        let padding = quad.iter().rev().take_while(|letter| **letter == b'=').count();
        if padding > 2 || padding > 0 && n + 1 < quads.len() {
            return None;
        }
        let mut bits = 0_u32;
        for letter in &quad[..4 - padding] {
            bits = bits << 6 | LETTERS.iter().position(|known| known == letter)? as u32;
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

fn encode(bytes: &[u8], out: &mut String) {
    for triple in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, n| bits << 8 | u32::from(triple.get(n).copied().unwrap_or(0)));
        let letter = |n: u32| char::from(LETTERS[(bits >> (18 - 6 * n) & 63) as usize]);
        let letters = (0..=triple.len() as u32).map(letter);
        out.extend(letters.chain(once('=').cycle()).take(4));
    }
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn pieces_are_the_bytes_of_all_of_them() {
        // The bytes 0, 1, 2, … in pieces of these sizes.
        let piece = |from: u8, size: u8| {
            let mut text = String::new();
            super::encode(&(from..from + size).collect::<Vec<_>>(), &mut text);
            text
        };
        for sizes in [[3, 3, 3], [1, 1, 1], [2, 5, 4], [1, 0, 2], [0, 2, 2], [4, 3, 1]] {
            let (mut held, mut from) = (String::new(), 0);
            for size in sizes {
                assert!(append(&mut held, &piece(from, size)));
                from += size;
            }
            assert_eq!(held, piece(0, from), "{sizes:?}");
        }
        let mut known = "+/==".to_owned();
        assert!(append(&mut known, "AA=="));
        assert_eq!(known, "+wA=");
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for (held, piece) in
            [("", "AAA"), ("AA==", "AAA"), ("AA==", "A==="), ("AA==", "A_AA"), ("AA==", "AA==AAAA")]
        {
            assert!(!append(&mut held.to_owned(), piece), "{held} {piece}");
        }
    }
}
