//! The one spelling of a number that identity sees.

use std::borrow::Cow;

/// An integer literal keeps every digit; a literal with `.`, `e` or `E` is read as a double and written the
/// ECMAScript way, so `1.0`, `1e0` and `1` agree. None where no double can hold it (`1e400`).
pub fn canonical(literal: &str) -> Option<Cow<'_, str>> {
    if !literal.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return Some(Cow::Borrowed(if literal == "-0" { "0" } else { literal }));
    }
    let double: f64 = literal.parse().ok()?;
    if !double.is_finite() {
        return None;
    }
    Some(Cow::Owned(ryu_js::Buffer::new().format_finite(double).to_owned()))
}
