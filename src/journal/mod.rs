//! The journal: a graph as lines of JSON that are only ever added to a file, one node a line.
//!
//! Format version 1. A journal is UTF-8 without a byte order mark. Every line ends with a line feed, the last one too,
//! and no line holds another; there is no white space outside of strings.
//!
//! | line | bytes |
//! |---|---|
//! | 1, the header | `{"toolwire":"journal","version":1,"identity":1}`, exactly: the versions of this format and of identity |
//! | 2 + n | node n: an object with the members below; no other member, none twice |
//!
//! | member | in | value |
//! |---|---|---|
//! | `id` | every node | n: how many nodes stand before it |
//! | `parent` | every node | null in a root, else the id of an earlier node |
//! | `tools` | roots, and only there | the tools the conversation was opened with, a list in the spelling of `Tool.to_dict` |
//! | `identity` | every node | the identity of the message, 64 hexadecimal digits in lower case |
//! | `sampled` | every node | true where a model produced the message |
//! | `timestamp` | every node | seconds since 1970, a finite number |
//! | `message` | every node | the message in the spelling of `to_dict` |
//! | `metadata` | where the caller gave any | an object |
//! | `sum` | every node, last | the first 16 hexadecimal digits, in lower case, of SHA-256 over the bytes of the line before `,"sum":"` |
//!
//! `sum` sees what an identity leaves out: `False` or `None`, extra fields, metadata. The text behind it is `"}`.
//! Of two nodes with the same parent and the same identity both are kept. A line is at most `json::MAX_BYTES` long
//! and nests `DEPTH` levels deep.
//!
//! What stands behind the last line feed is a torn line: the writing process died in the middle of it, and nobody was
//! told that it was written. It is dropped, and reported. Everything else that is not as above is refused, and so is a
//! whole last line with another byte than its line feed behind it.
//!
//! A change to any byte of this is a new version, and every version is read for ever (`tests/journal`). A file that
//! nobody appends to any more may be compressed with gzip, in one member or several.

mod line;
mod read;
mod write;

pub use read::{Report, from_jsonl, resume};
pub use write::{Durability, Journal};

use crate::error::{Error, Kind, Result};
use crate::graph::Node;
use crate::json::MAX_DEPTH;
use crate::path::Path;
use std::{fmt, io};

/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 1;

const HEADER: &[u8] = b"{\"toolwire\":\"journal\",\"version\":1,\"identity\":1}\n";

/// Deepest nesting of a line: our spelling of a message may wrap what it was read from, and the line wraps that.
const DEPTH: usize = MAX_DEPTH + 32;

/// Why a file was not read or written: what it holds, or what the system said.
#[derive(Debug)]
pub enum Failure {
    Refused(Error),
    Io(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(error) => error.fmt(f),
            Failure::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

fn refused(what: impl Into<String>) -> Error {
    Error::new(Kind::Journal, Path::root(), what)
}

/// A whole journal of these nodes, which are all nodes of a graph or its first ones. Has to read the messages: not to
/// be called while the graph is locked. An error names a node that cannot be written so that it is read back:
/// `nodes[3]: …`.
pub fn to_jsonl(nodes: &[Node]) -> Result<String> {
    let mut text = HEADER.to_vec();
    for (id, node) in nodes.iter().enumerate() {
        line::write(id, node, &mut text)?;
    }
    String::from_utf8(text).map_err(|_| refused("not UTF-8"))
}
