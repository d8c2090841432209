//! The raw text of every stored part of the conversations, flat: what the next body is compared with, and what the
//! graph's messages are read from when somebody asks for them.

use crate::dialect;
use crate::graph::{Source, grow};
use crate::json::{ELEMENT, Scan, Value};
use crate::message::{Dialect, Message};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Smallest and largest block that is set aside for text to come.
const SIZES: (usize, usize) = (4 << 10, 1 << 20);

/// Where a text is: its number among the texts of a block, and its bytes there, which are found without asking the block.
#[derive(Clone, Copy)]
pub(super) struct TextId {
    block: u32,
    key: u32,
    start: u32,
    len: u32,
}

pub(super) struct Texts {
    dialect: Dialect,
    blocks: Vec<Arc<Block>>,
    /// The block with room for texts that nodes of the graph are read from, and the one for the others: nodes outlive a
    /// rollout, and must keep no more of it than they need.
    open: [Option<u32>; 2],
    size: usize,
}

/// Texts behind one another. A block is never moved and holds little more than what is in it: one that grew by doubling
/// would cost a second transcript.
pub(super) struct Block {
    number: u64,
    dialect: Dialect,
    stored: RwLock<Stored>,
}

struct Stored {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

struct Place {
    start: u32,
    len: u32,
    /// Does a tool result stand right before it? Some wires read it by that.
    behind_result: bool,
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl Texts {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, blocks: Vec::new(), open: [None; 2], size: 0 }
    }

    /// In bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Stores elements of the list as they stand in a body.
    pub(super) fn store(&mut self, text: &[u8], behind_result: bool, is_source: bool) -> TextId {
        let open = &mut self.open[usize::from(is_source)];
        let last = open.and_then(|block| self.blocks.get(block as usize));
        let block = match last {
            Some(last) if last.write().has_room(text.len()) => open.unwrap_or_default(),
            _ => {
                let size = (self.size / 8).clamp(SIZES.0, SIZES.1).max(text.len());
                self.blocks.push(Block::new(self.dialect, size));
                *open.insert(small(self.blocks.len() - 1))
            }
        };
        self.size += text.len();
        let (key, start) = self.blocks[block as usize].write().add(text, behind_result);
        TextId { block, key, start, len: small(text.len()) }
    }

    /// What reads the messages of a text, and the number of the text there.
    pub(super) fn source(&self, id: TextId) -> (Arc<dyn Source>, u32) {
        (self.blocks[id.block as usize].clone(), id.key)
    }

    pub(super) fn read(&self) -> Reading<'_> {
        Reading { texts: self, open: None }
    }
}

/// Reads texts one after the other: mostly they stand in one block.
pub(super) struct Reading<'a> {
    texts: &'a Texts,
    open: Option<(u32, RwLockReadGuard<'a, Stored>)>,
}

impl Reading<'_> {
    pub(super) fn text(&mut self, id: TextId) -> &[u8] {
        let block = match self.open.take() {
            Some((number, block)) if number == id.block => block,
            _ => self.texts.blocks[id.block as usize].read(),
        };
        self.open.insert((id.block, block)).1.bytes(id.start, id.len)
    }
}

impl Block {
    fn new(dialect: Dialect, size: usize) -> Arc<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let stored = Stored { bytes: Vec::with_capacity(size), places: Vec::new() };
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { number, dialect, stored: RwLock::new(stored) })
    }

    fn read(&self) -> RwLockReadGuard<'_, Stored> {
        self.stored.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Stored> {
        self.stored.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the messages of a text.
    fn messages(&self, key: u32) -> Option<Vec<Message>> {
        let stored = self.read();
        let place = stored.places.get(key as usize)?;
        let mut scan = Scan::new(stored.bytes(place.start, place.len));
        let mut items = Vec::new();
        while let Ok(item) = scan.value(ELEMENT) {
            items.push(item);
            if !scan.eat(b',') {
                break;
            }
        }
        dialect::read_items(self.dialect, &Value::Array(items), place.behind_result).ok()
    }
}

impl Stored {
    /// Is there room for so many bytes? A block without is full for good, and gives back what is left of it.
    fn has_room(&mut self, len: usize) -> bool {
        let has_room = self.bytes.capacity() - self.bytes.len() >= len;
        if !has_room {
            self.bytes.shrink_to_fit();
        }
        has_room
    }

    /// Gives the number of the text, and where it starts.
    fn add(&mut self, text: &[u8], behind_result: bool) -> (u32, u32) {
        let start = small(self.bytes.len());
        grow(&mut self.places);
        self.places.push(Place { start, len: small(text.len()), behind_result });
        self.bytes.extend_from_slice(text);
        (small(self.places.len() - 1), start)
    }

    fn bytes(&self, start: u32, len: u32) -> &[u8] {
        let start = start as usize;
        self.bytes.get(start..start + len as usize).unwrap_or_default()
    }
}

/// A text that reads as several messages, and those.
struct Last {
    block: u64,
    key: u32,
    messages: Vec<Arc<Message>>,
}

thread_local! {
    /// The last of them that this thread read: a graph is read node by node, and each asks for one of the messages.
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

impl Source for Block {
    fn message(&self, key: u32, nth: u32) -> Arc<Message> {
        let nth = nth as usize;
        let known = LAST.with_borrow(|last| {
            let last = last.as_ref().filter(|last| (last.block, last.key) == (self.number, key))?;
            last.messages.get(nth).cloned()
        });
        if let Some(message) = known {
            return message;
        }
        let messages: Vec<Arc<Message>> = self.messages(key).into_iter().flatten().map(Arc::new).collect();
        let message = messages.get(nth).cloned();
        if messages.len() > 1 {
            LAST.set(Some(Last { block: self.number, key, messages }));
        }
        message.expect("a text is stored only after it was read as these messages")
    }

    fn size(&self, key: u32) -> usize {
        self.read().places.get(key as usize).map_or(0, |place| place.len as usize)
    }
}
