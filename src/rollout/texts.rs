//! The raw text of every stored part of the conversations, flat: what the next body is compared with, and what the
//! graph's messages are read from when somebody asks for them.

use crate::dialect;
use crate::graph::{Source, grow};
use crate::json::{ELEMENT, Scan, Value};
use crate::message::{Dialect, Message};
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Smallest and largest block that is set aside for text to come.
const BLOCK: (usize, usize) = (4 << 10, 1 << 20);

pub(super) struct Texts {
    dialect: Dialect,
    stored: RwLock<Stored>,
}

/// Texts by number. Blocks are never moved and hold little more than what is in them: one that grew by doubling would
/// cost a second transcript.
#[derive(Default)]
pub(super) struct Stored {
    blocks: Vec<Vec<u8>>,
    places: Vec<Place>,
    size: usize,
}

struct Place {
    block: u32,
    start: u32,
    len: u32,
    /// Does a tool result stand right before it? Some wires read it by that.
    behind_result: bool,
}

impl Texts {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, stored: RwLock::default() }
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Stored> {
        self.stored.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores elements of the list as they stand in a body; gives their number.
    pub(super) fn store(&self, text: &[u8], behind_result: bool) -> u32 {
        let mut stored = self.stored.write().unwrap_or_else(PoisonError::into_inner);
        let room = stored.blocks.last().map_or(0, |block| block.capacity() - block.len());
        if room < text.len() {
            if let Some(full) = stored.blocks.last_mut() {
                full.shrink_to_fit();
            }
            let block = (stored.size / 16).clamp(BLOCK.0, BLOCK.1).max(text.len());
            stored.blocks.push(Vec::with_capacity(block));
        }
        stored.size += text.len();
        let block = stored.blocks.len().saturating_sub(1);
        let start = stored.blocks.last_mut().map_or(0, |last| {
            last.extend_from_slice(text);
            last.len() - text.len()
        });
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        grow(&mut stored.places);
        stored.places.push(Place {
            block: small(block),
            start: small(start),
            len: small(text.len()),
            behind_result,
        });
        small(stored.places.len() - 1)
    }
}

impl Stored {
    /// In bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn text(&self, number: u32) -> &[u8] {
        self.place(number).map_or(&[], |place| {
            let start = place.start as usize;
            let range: Range<usize> = start..start + place.len as usize;
            self.blocks.get(place.block as usize).and_then(|block| block.get(range)).unwrap_or_default()
        })
    }

    fn place(&self, number: u32) -> Option<&Place> {
        self.places.get(number as usize)
    }
}

impl Source for Texts {
    fn message(&self, key: u32, nth: u32) -> Message {
        let stored = self.read();
        let behind_result = stored.place(key).is_some_and(|place| place.behind_result);
        let mut scan = Scan::new(stored.text(key));
        let mut items = Vec::new();
        while let Ok(item) = scan.value(ELEMENT) {
            items.push(item);
            if !scan.eat(b',') {
                break;
            }
        }
        let messages = dialect::read_items(self.dialect, &Value::Array(items), behind_result);
        let message = messages.ok().and_then(|messages| messages.into_iter().nth(nth as usize));
        message.expect("a text is stored only after it was read as these messages")
    }
}
