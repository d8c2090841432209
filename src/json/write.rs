//! Values to compact JSON text.

use crate::json::Value;

/// Appends a string token.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing a str to a Vec cannot fail");
}

/// Appends a value: no white space, numbers as they were written, keys in their order.
pub fn write(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(b) => out.extend_from_slice(if *b { b"true" } else { b"false" }),
        Value::Number(n) => out.extend_from_slice(n.as_bytes()),
        Value::String(s) => write_string(s, out),
        Value::Array(items) => {
            out.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Value::Object(object) => {
            out.push(b'{');
            for (n, (key, member)) in object.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                write_string(key, out);
                out.push(b':');
                write(member, out);
            }
            out.push(b'}');
        }
    }
}

/// The compact text of a value.
pub fn compact(value: &Value<'_>) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).expect("JSON written from str is UTF-8")
}
