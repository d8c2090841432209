//! The last look at a written body: a private marker leaves it wherever it does not belong.

use crate::dialect::ResultForm;
use crate::dialect::loss::{Code, Losses};
use crate::json::{Json, Object, Value};
use crate::outcome::MARKER;
use crate::path::Path;

/// Takes out every marker but, on the internal lane, those of tool results. The fields of one wire that a message
/// keeps could hold one.
pub(super) fn strip(body: &mut Object<'static>, form: ResultForm, internal: bool, losses: &mut Losses) {
    if !body.holds_key(MARKER) {
        return;
    }
    let keep = |object: &Object<'static>| {
        internal
            && object.get(form.key).and_then(Value::as_str).is_some_and(|kind| form.kinds.contains(&kind))
    };
    strip_object(body, &keep, &Path::root(), losses);
}

fn strip_object(
    object: &mut Object<'static>,
    keep: &dyn Fn(&Object<'static>) -> bool,
    path: &Path,
    losses: &mut Losses,
) {
    if !keep(object) && object.remove(MARKER).is_some() {
        losses.add(Code::MarkerMisplaced, path.key(MARKER), "not on a tool result: removed");
    }
    for (key, value) in &mut object.0 {
        strip_value(value, keep, &path.key(key), losses);
    }
}

fn strip_value(value: &mut Json, keep: &dyn Fn(&Object<'static>) -> bool, path: &Path, losses: &mut Losses) {
    match value {
        Value::Object(inner) => strip_object(inner, keep, path, losses),
        Value::Array(items) => {
            for (n, item) in items.iter_mut().enumerate() {
                strip_value(item, keep, &path.index(n), losses);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
