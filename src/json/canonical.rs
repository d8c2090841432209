//! The only bytes of a JSON value that identity sees: keys sorted, no white space, shortest escapes, one number spelling.

use crate::json::{Repeats, Value, canonical_number, parse_text, write_string};

/// The canonical text. A number that no double can hold stands as it was written.
pub fn canonical(value: &Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    put(value, &mut out);
    out
}

/// The canonical text of an object with these members.
pub fn canonical_object(members: Vec<(&str, &Value<'_>)>) -> Vec<u8> {
    let mut out = Vec::new();
    put_object(members, &mut out);
    out
}

/// The canonical text of a JSON text, or none where it counts as raw text: it is not JSON, repeats a key, holds a
/// number that no double can, or nests too deep.
pub fn canonical_text(text: &str) -> Option<Vec<u8>> {
    let parsed = parse_text(text, Repeats::Refused).ok()?;
    holds_only_doubles(&parsed.value).then(|| canonical(&parsed.value))
}

fn holds_only_doubles(value: &Value<'_>) -> bool {
    match value {
        Value::Number(n) => canonical_number(n).is_some(),
        Value::Array(items) => items.iter().all(holds_only_doubles),
        Value::Object(o) => o.iter().all(|(_, v)| holds_only_doubles(v)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

fn put(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(b) => out.extend_from_slice(if *b { b"true" } else { b"false" }),
        Value::Number(n) => {
            let spelled = canonical_number(n);
            out.extend_from_slice(spelled.as_deref().unwrap_or(n).as_bytes());
        }
        Value::String(s) => write_string(s, out),
        Value::Array(items) => {
            out.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                put(item, out);
            }
            out.push(b']');
        }
        Value::Object(object) => {
            put_object(object.iter().map(|(key, member)| (&**key, member)).collect(), out)
        }
    }
}

fn put_object(mut members: Vec<(&str, &Value<'_>)>, out: &mut Vec<u8>) {
    members.sort_unstable_by_key(|(key, _)| *key);
    out.push(b'{');
    for (n, (key, member)) in members.into_iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write_string(key, out);
        out.push(b':');
        put(member, out);
    }
    out.push(b'}');
}
