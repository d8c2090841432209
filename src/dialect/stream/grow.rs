//! Objects that grow by the pieces of a stream: texts and lists in place, other fields by their last word.

use crate::error::{Error, Result};
use crate::json::{Fields, Object, Value};

/// The member of this name, made as null where there is none.
fn member<'o>(object: &'o mut Object<'static>, key: &str) -> &'o mut Value<'static> {
    let at = object.0.iter().position(|(own, _)| own == key).unwrap_or_else(|| {
        object.0.push((key.to_owned().into(), Value::Null));
        object.len() - 1
    });
    &mut object.0[at].1
}

/// Appends to a text; anything else that stood there gives way.
pub(in crate::dialect) fn append(object: &mut Object<'static>, key: &str, piece: &str) {
    match member(object, key) {
        Value::String(text) => text.to_mut().push_str(piece),
        other => *other = piece.to_owned().into(),
    }
}

/// Appends to a list; anything else that stood there gives way.
pub(in crate::dialect) fn extend(object: &mut Object<'static>, key: &str, items: &[Value<'_>]) {
    let items = items.iter().map(|item| item.clone().into_owned());
    match member(object, key) {
        Value::Array(list) => list.extend(items),
        other => *other = items.collect::<Vec<_>>().into(),
    }
}

/// Sets a field to its last word. Null is one only where nothing was said before.
pub(in crate::dialect) fn keep(object: &mut Object<'static>, key: &str, value: &Value<'_>) {
    let held = member(object, key);
    let is_new = |held: &Value<'_>| held != value;
    if !value.is_null() && is_new(held) {
        *held = value.clone().into_owned();
    }
}

/// Sets a field that is not set to anything yet: the first word counts.
pub(in crate::dialect) fn keep_first(object: &mut Object<'static>, key: &str, value: &Value<'_>) {
    let held = member(object, key);
    if held.is_null() || held.as_str() == Some("") {
        *held = value.clone().into_owned();
    }
}

/// A number that says which of several things a piece belongs to.
pub(in crate::dialect) fn index(fields: &Fields<'_>, key: &str) -> Result<Option<u64>> {
    match fields.object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(literal)) if let Ok(index) = literal.parse() => Ok(Some(index)),
        Some(_) => Err(Error::shape(fields.path().key(key), "expected an index")),
    }
}
