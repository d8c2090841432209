//! JSON as the wires need it: number spelling and key order kept, one limit on depth and size, byte ranges known.
//!
//! Why not `serde_json::Value`: it forgets how a number was written (or, with `arbitrary_precision`, takes an
//! object for one), refuses a lone surrogate, hides a repeated key and knows no byte ranges. What is read and
//! written here is held against `serde_json` by property tests.

mod canonical;
mod cursor;
mod lexer;
mod number;
mod scan;
mod slice;
mod tree;
mod write;

pub use canonical::{canonical, canonical_object, canonical_text};
pub use cursor::{Cursor, Fields};
pub use lexer::{RawString, holds_lone_surrogate, unescape};
pub use number::canonical as canonical_number;
pub use scan::{ELEMENT, Scan};
pub use slice::{Entry, Slice};
pub use tree::{Json, Object, Parsed, Repeats, Value, parse, parse_text, parse_within};
pub use write::{compact, write, write_string};

/// Deepest nesting of arrays and objects that is read, written or hashed as JSON. It bounds every recursion here, down
/// from Python included: 512 levels fit into 384 KiB of stack, and common systems give a thread 512 KiB or more.
pub const MAX_DEPTH: usize = 512;

/// Largest text that is read, in bytes (1 GiB).
pub const MAX_BYTES: usize = 1 << 30;
