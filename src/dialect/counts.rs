//! Token counts in a body: whole numbers, and none where the provider states none.

use crate::json::{Object, Value};

/// The count under a key. Some servers write whole numbers with a fraction of zero.
pub(super) fn count(usage: &Object<'_>, key: &str) -> Option<u64> {
    let Value::Number(literal) = usage.get(key)? else { return None };
    literal.strip_suffix(".0").unwrap_or(literal).parse().ok()
}

/// The count under a key of an object that stands under another one.
pub(super) fn count_in(usage: &Object<'_>, details: &str, key: &str) -> Option<u64> {
    count(usage.get(details)?.as_object()?, key)
}
