//! The last look at a written body: a private marker leaves it wherever it does not belong.

use crate::dialect::loss::{Code, Losses};
use crate::dialect::{Mark, ResultForm};
use crate::json::{Json, Object, Value};
use crate::outcome::MARKER;
use crate::path::Path;

/// Takes out every marker but, on the internal lane, those of tool results. The fields of one wire that a message
/// keeps could hold one.
pub(super) fn strip(body: &mut Object<'static>, form: ResultForm, internal: bool, losses: &mut Losses) {
    if body.holds_key(MARKER) {
        let keep = |key: &str, object: &Object<'static>| internal && is_result(form.mark, key, object);
        strip_object("", body, &keep, &Path::root(), losses);
    }
}

/// Takes out every marker: an answer holds no results of the client's tools.
pub(super) fn strip_all(body: &mut Object<'static>, losses: &mut Losses) {
    if body.holds_key(MARKER) {
        strip_object("", body, &|_, _| false, &Path::root(), losses);
    }
}

/// `key` is the name in front of the object, where it has one.
fn is_result(mark: Mark, key: &str, object: &Object<'static>) -> bool {
    match mark {
        Mark::Word { key, words } => {
            object.get(key).and_then(Value::as_str).is_some_and(|w| words.contains(&w))
        }
        Mark::Under(names) => names.contains(&key),
    }
}

type Keep<'a> = &'a dyn Fn(&str, &Object<'static>) -> bool;

fn strip_object(key: &str, object: &mut Object<'static>, keep: Keep<'_>, path: &Path, losses: &mut Losses) {
    if !keep(key, object) && object.remove(MARKER).is_some() {
        losses.add(Code::MarkerMisplaced, path.key(MARKER), "not on a tool result: removed");
    }
    for (key, value) in &mut object.0 {
        strip_value(key, value, keep, &path.key(key), losses);
    }
}

fn strip_value(key: &str, value: &mut Json, keep: Keep<'_>, path: &Path, losses: &mut Losses) {
    match value {
        Value::Object(inner) => strip_object(key, inner, keep, path, losses),
        Value::Array(items) => {
            for (n, item) in items.iter_mut().enumerate() {
                strip_value("", item, keep, &path.index(n), losses);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
