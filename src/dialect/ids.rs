//! Call ids for a wire that allows fewer characters, and names for a wire without namespaces.

use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// The id if the wire allows it, else a sanitised prefix and eight hex digits of its SHA-256: the same id always
/// gives the same one, and different ids different ones.
pub(super) fn fit(id: &str, allowed: impl Fn(char) -> bool, longest: usize) -> Cow<'_, str> {
    if !id.is_empty() && id.len() <= longest && id.chars().all(&allowed) {
        return Cow::Borrowed(id);
    }
    let digest = Sha256::digest(id.as_bytes());
    let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let keep = longest.min(40) - hex.len() - 1;
    let prefix: String = id.chars().filter(|c| c.is_ascii()).filter(|c| allowed(*c)).take(keep).collect();
    Cow::Owned(if prefix.is_empty() { format!("call_{hex}") } else { format!("{prefix}_{hex}") })
}

/// A namespaced name where the wire has no namespaces.
pub(super) fn folded(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}__{name}"),
        None => name.to_owned(),
    }
}
