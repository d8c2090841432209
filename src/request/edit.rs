//! Changes to a JSON text as byte ranges, applied in one copy; all other bytes stay.

use crate::json::Entry;
use std::borrow::Cow;
use std::ops::Range;

/// A range of a text, and what stands in its place.
pub type Edit = (Range<usize>, Cow<'static, str>);

/// Ranges and what stands in their place. Ranges must not overlap; empty ones insert.
#[derive(Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<Cow<'static, str>>) {
        self.0.push((range, text.into()));
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<Cow<'static, str>>) {
        self.replace(at..at, text);
    }

    /// Takes members out of an object together with one comma each.
    pub(super) fn remove(&mut self, entries: &[Entry<'_>], gone: impl Fn(usize) -> bool) {
        let mut kept_before = false;
        for (n, entry) in entries.iter().enumerate() {
            if !gone(n) {
                kept_before = true;
                continue;
            }
            let end = entry.value.end();
            let range = match (kept_before, entry.comma_before, entries.get(n + 1)) {
                (true, Some(comma), _) => comma..end,
                (_, _, Some(next)) => entry.start..next.start,
                (_, _, None) => entry.start..end,
            };
            self.replace(range, "");
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order of the text. Stable: an insertion stays in front of what is replaced at the same place.
    pub(super) fn sorted(mut self) -> Vec<Edit> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        self.0
    }

    pub(super) fn apply(self, text: &[u8]) -> Vec<u8> {
        let added: usize = self.0.iter().map(|(_, text)| text.len()).sum();
        let mut out = Vec::with_capacity(text.len() + added);
        let mut at = 0;
        for (range, replacement) in self.sorted() {
            out.extend_from_slice(text.get(at..range.start).unwrap_or_default());
            out.extend_from_slice(replacement.as_bytes());
            at = at.max(range.end);
        }
        out.extend_from_slice(text.get(at..).unwrap_or_default());
        out
    }
}
