//! What goes wrong with a body, or is changed in it: elements, top-level members, bytes.

use crate::rng::Rng;
use crate::spell::HIGH;
use crate::wires::{self, list_key};
use toolwire::json::{Json, Value};
use toolwire::message::Dialect;

/// Changes the list in one place, so that it still is one.
pub(crate) fn edit(elements: &mut Vec<Json>, dialect: Dialect, rng: &mut Rng) {
    if elements.is_empty() {
        return;
    }
    let at = rng.below(elements.len());
    match rng.below(10) {
        0 => drop(elements.remove(at)),
        1 => elements.insert(at, wires::user(dialect, rng)),
        2 => {
            let other = rng.below(elements.len());
            elements.swap(at, other);
        }
        3 => elements.insert(rng.below(elements.len() + 1), elements[at].clone()),
        4 => member(&mut elements[at], rng),
        5 => parts(&mut elements[at], rng),
        _ => {
            let mut texts = Vec::new();
            collect(&mut elements[at], "", &mut texts);
            if !texts.is_empty() {
                let n = rng.below(texts.len());
                change(texts.swap_remove(n), rng);
            }
        }
    }
}

/// Adds a member that changes little: one of no wire, or one that stands in front of another with its key.
fn member(element: &mut Json, rng: &mut Rng) {
    let Value::Object(members) = element else { return };
    if members.is_empty() {
        return;
    }
    let key = match rng.below(3) {
        0 => format!("key{HIGH}").into(),
        1 => "note".into(),
        _ => rng.pick(&members.0).0,
    };
    let value = rng.pick(&[Value::Null, "decoy".into(), true.into(), wires::number("1e400")]);
    members.0.insert(0, (key, value));
}

/// Takes a part out of a list of parts, says it twice, or moves it.
fn parts(element: &mut Json, rng: &mut Rng) {
    let Value::Object(members) = element else { return };
    let lists = members.0.iter_mut().filter(|(key, _)| matches!(key.as_ref(), "content" | "output"));
    for (_, list) in lists {
        let Value::Array(parts) = list else { continue };
        if parts.is_empty() {
            continue;
        }
        let (at, to) = (rng.below(parts.len()), rng.below(parts.len()));
        match rng.below(3) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(to, parts[at].clone()),
            _ => parts.swap(at, to),
        }
    }
}

/// The texts in a value; not those that say what it is.
fn collect<'v>(value: &'v mut Json, key: &str, out: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) if !matches!(key, "role" | "type") => out.push(text.to_mut()),
        Value::Array(elements) => elements.iter_mut().for_each(|element| collect(element, "", out)),
        Value::Object(object) => {
            for (key, value) in &mut object.0 {
                collect(value, key, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One character becomes another one; the length may stay the same.
fn change(text: &mut String, rng: &mut Rng) {
    let mut chars: Vec<char> = text.chars().collect();
    if chars.is_empty() || rng.one_in(4) {
        chars.push('!');
    } else {
        let at = rng.below(chars.len());
        chars[at] = rng.pick(&['x', 'y', 'é', '"']);
    }
    *text = chars.into_iter().collect();
}

/// Breaks the list in one place, mostly.
pub(crate) fn spoil(elements: &mut Vec<Json>, dialect: Dialect, rng: &mut Rng) {
    let at = rng.below(elements.len() + 1);
    if rng.one_in(2) || at == elements.len() {
        return elements.insert(at, wires::broken(dialect, rng));
    }
    if let Value::Object(members) = &mut elements[at]
        && !members.is_empty()
    {
        let n = rng.below(members.len());
        match rng.below(4) {
            0 => drop(members.0.remove(n)),
            1 => members.0[n].1 = rng.pick(&[Value::Null, wires::number("7"), vec![].into(), "x".into()]),
            2 => members.0.push((members.0[n].0.clone(), rng.pick(&["twice".into(), Value::Null]))),
            _ => members.0.insert(n, ("_vf_is_error".into(), rng.pick(&["true".into(), true.into()]))),
        }
    }
}

/// Adds top-level members that hide, repeat or resemble others; they are written already, the keys with their quotes.
pub(crate) fn members(members: &mut Vec<(String, String)>, dialect: Dialect, rng: &mut Rng) -> &'static str {
    let list = list_key(dialect);
    let (what, key, value) = match rng.below(10) {
        0 => {
            let decoy = rng.pick(&["[]", "null", "7", "[{}]", r#"[{"role":"user","content":"decoy"}]"#]);
            (" second list", format!("\"{list}\""), decoy.to_owned())
        }
        1 => {
            let decoy = r#"[{"role":"user","content":"decoy"}]"#;
            (" escaped second list", escaped(list, rng), decoy.to_owned())
        }
        2 => {
            // The one and only, but escaped.
            for (key, _) in members.iter_mut().filter(|(key, _)| *key == format!("\"{list}\"")) {
                *key = escaped(list, rng);
            }
            return " escaped list";
        }
        3 => {
            members.retain(|(key, _)| *key != format!("\"{list}\""));
            return " no list";
        }
        4 => {
            let (key, value) = rng.pick(members);
            (" the same member twice", key, value)
        }
        5 => (" a member twice", rng.pick(members).0, rng.pick(&["null", "[]", "\"x\"", "{}"]).to_owned()),
        6 => (" lone surrogate", r#""user\ud83d""#.to_owned(), r#""a\udE00b""#.to_owned()),
        7 => {
            let value = rng.pick(&["1", "true", r#"{"_vf_is_error":"x"}"#]);
            (" marker", escaped("_vf_is_error", rng), value.to_owned())
        }
        8 => {
            let decoy = r#"{"messages":[],"input":[],"_vf_is_error":true}"#;
            (" nested list", r#""metadata""#.to_owned(), decoy.to_owned())
        }
        _ => (" the other list", r#""input""#.to_owned(), r#"[{"role":"user"}]"#.to_owned()),
    };
    let at = match rng.below(3) {
        0 => 0,
        1 => members.len(),
        _ => rng.below(members.len() + 1),
    };
    members.insert(at, (key, value));
    what
}

/// A key with one character of it escaped, with its quotes.
fn escaped(key: &str, rng: &mut Rng) -> String {
    let at = rng.below(key.len());
    let escaped: String = key
        .char_indices()
        .map(|(n, c)| if n == at { format!("\\u{:04x}", c as u32) } else { c.to_string() })
        .collect();
    format!("\"{escaped}\"")
}

/// Changes the text of a body in one place.
pub(crate) fn bytes(body: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let at = rng.below(body.len());
    let tokens: Vec<usize> = (0..body.len()).filter(|n| b"[]{},:".contains(&body[*n])).collect();
    match rng.below(14) {
        0 => {
            body.truncate(at);
            " cut"
        }
        1 => {
            body.splice(0..0, *b"\xef\xbb\xbf");
            " byte order mark"
        }
        2 => {
            body.extend_from_slice(rng.pick(&[&b" x"[..], b"}", b",", b"\0", b" {}"]));
            " trailing text"
        }
        3 => {
            body.splice(0..0, *b"\r\n ");
            body.extend_from_slice(b"\n\n");
            " white space"
        }
        4 => {
            body[at] = rng.next() as u8;
            " any byte"
        }
        5 => {
            body[at] = rng.pick(b"\"\\{}[],:1ntf \x01\x7f\xff");
            " a telling byte"
        }
        6 => {
            body.remove(at);
            " a byte less"
        }
        7 => {
            body.insert(at, rng.pick(b"\"\\{}[],: 0a"));
            " a byte more"
        }
        8 => {
            body.remove(rng.pick(&tokens));
            " a token less"
        }
        9 => {
            let at = rng.pick(&tokens);
            body.insert(at, body[at]);
            " a token twice"
        }
        10 => {
            *body = rng.pick(&[&b""[..], b" ", b"7", b"{}", b"[]", b"null"]).to_vec();
            " another body"
        }
        // A letter of a text, most likely: a body that is read, but says something else.
        _ => {
            let letters: Vec<usize> = (0..body.len()).filter(|n| body[*n].is_ascii_lowercase()).collect();
            body[rng.pick(&letters)] = b'z';
            " a letter"
        }
    }
}
