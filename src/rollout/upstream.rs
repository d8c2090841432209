//! The provider's body as pieces: ranges of the body that was received, and the few bytes that are new.

use crate::dialect::Loss;
use crate::request::{Edit, Sealed};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A provider body in pieces, and what had to be left out of it.
#[derive(Clone, Debug)]
pub struct Upstream {
    pub segments: Vec<Segment>,
    pub losses: Vec<Loss>,
}

#[derive(Clone, Debug)]
pub enum Segment {
    /// A range of the body that was received.
    Body(Range<usize>),
    Bytes(Arc<[u8]>),
}

impl Upstream {
    pub(super) fn whole(sealed: Sealed<'_>) -> Self {
        let segment = match sealed.body {
            Cow::Borrowed(body) => Segment::Body(0..body.len()),
            Cow::Owned(body) => Segment::Bytes(body.into()),
        };
        Self { segments: vec![segment], losses: sealed.losses }
    }

    /// A range of the body with edits, between other bytes.
    pub(super) fn spliced(head: Segment, list: Range<usize>, edits: &[Edit], tail: Segment) -> Self {
        let mut segments = Vec::with_capacity(3 + 2 * edits.len());
        segments.push(head);
        let mut at = list.start;
        for (range, text) in edits {
            segments.push(Segment::Body(at..range.start));
            if !text.is_empty() {
                segments.push(Segment::Bytes(text.as_bytes().into()));
            }
            at = at.max(range.end);
        }
        segments.push(Segment::Body(at..list.end));
        segments.push(tail);
        segments.retain(|segment| !segment.is_empty());
        segments.dedup_by(|next, last| match (last, next) {
            (Segment::Body(last), Segment::Body(next)) if last.end == next.start => {
                last.end = next.end;
                true
            }
            _ => false,
        });
        Self { segments, losses: Vec::new() }
    }

    /// Is it the body that was received, unchanged?
    pub fn is_received(&self, body: &[u8]) -> bool {
        matches!(self.segments.as_slice(), [Segment::Body(range)] if *range == (0..body.len()))
    }

    /// The length of the whole, in bytes.
    pub fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces as bytes, given the body that was received.
    pub fn pieces<'a>(&'a self, body: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.segments.iter().map(move |segment| match segment {
            Segment::Body(range) => body.get(range.clone()).unwrap_or_default(),
            Segment::Bytes(bytes) => bytes,
        })
    }

    /// The whole, copied once.
    pub fn bytes(&self, body: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        self.pieces(body).for_each(|piece| out.extend_from_slice(piece));
        out
    }
}

impl Segment {
    pub fn len(&self) -> usize {
        match self {
            Segment::Body(range) => range.len(),
            Segment::Bytes(bytes) => bytes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
