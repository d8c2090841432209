//! The model and the sampling knobs that an evaluation owns, laid over a program's own body; then the seal.

use super::edit::Edits;
use super::{Sealed, seal};
use crate::dialect;
use crate::dialect::targets::Target;
use crate::error::{Error, Result};
use crate::json::{Object, Repeats, Slice, Value, compact, parse_text, write_string};
use crate::message::Dialect;
use crate::path::Path;
use std::borrow::Cow;
use std::collections::HashMap;

/// Sets `model`, lays `sampling` over the body by the rules of its wire and of the server that was named, and seals it. A null knob is not set.
pub fn apply_overrides<'a>(
    dialect: Dialect,
    target: Option<&'static Target>,
    body: &'a [u8],
    model: &str,
    sampling: &Object<'_>,
) -> Result<Sealed<'a>> {
    let (document, entries) = Slice::members(body)?;
    if !document.is_object() {
        return Err(Error::shape(Path::root(), "expected an object"));
    }
    let current = |key: &str| {
        let entry = entries.iter().rfind(|e| e.is(key))?;
        parse_text(entry.value.text, Repeats::LastWins).ok().map(|parsed| parsed.value.into_owned())
    };
    let overlay = dialect::overlay(dialect, target, &current, model, normalized(sampling))?;
    let mut edits = Edits::default();
    // The last of a repeated key is the one that counts; the others must not outlive an override.
    let last: HashMap<Cow<'_, str>, usize> = entries.iter().enumerate().map(|(n, e)| (e.key(), n)).collect();
    let place = |key: &str| last.get(key).copied();
    edits.remove(&entries, |n| {
        let key = entries[n].key();
        overlay.set.get(&key).map_or(overlay.drop.contains(&key.as_ref()), |_| place(&key) != Some(n))
    });
    let mut added = Vec::new();
    for (key, value) in overlay.set.iter() {
        match place(key) {
            Some(n) => {
                let old = entries[n].value;
                edits.replace(old.start..old.end(), compact(value));
            }
            None => added.push((key, value)),
        }
    }
    let stays = entries.iter().any(|e| {
        let key = e.key();
        overlay.set.get(&key).is_some() || !overlay.drop.contains(&key.as_ref())
    });
    for (n, (key, value)) in added.into_iter().enumerate() {
        let mut member = Vec::new();
        if stays || n > 0 {
            member.push(b',');
        }
        write_string(key, &mut member);
        member.push(b':');
        let member = String::from_utf8_lossy(&member).into_owned() + &compact(value);
        edits.insert(document.end() - 1, member);
    }
    let overlaid = edits.apply(body);
    let sealed = seal(dialect, target, &overlaid)?;
    Ok(Sealed { body: Cow::Owned(sealed.body.into_owned()), losses: sealed.losses })
}

/// One name per knob: `extra_body` is laid under the rest, `max_completion_tokens` is `max_tokens`, null is unset.
fn normalized(sampling: &Object<'_>) -> Object<'static> {
    let mut out = Object::default();
    let inner = sampling.get("extra_body").and_then(Value::as_object);
    for layer in inner.into_iter().chain([sampling]) {
        let limited = layer.get("max_tokens").is_some_and(|limit| !limit.is_null());
        out.set_all(layer.iter().filter_map(|(key, value)| {
            let key = match key.as_ref() {
                "extra_body" => return None,
                "max_completion_tokens" if limited => return None,
                "max_completion_tokens" => "max_tokens",
                other => other,
            };
            Some((key.to_owned().into(), value.clone().into_owned()))
        }));
    }
    out.0.retain(|(_, value)| !value.is_null());
    out
}
