//! Everything that can go wrong, one variant per kind, each a sentence that starts with a path and never quotes content.

use crate::path::Path;
use std::fmt;

/// Why an input was refused. `Kind` is what a program matches on, the sentence is for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: Kind,
    pub path: Path,
    pub what: String,
}

/// The kinds of refusal; each has one exception class in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Not JSON (RFC 8259), or not UTF-8.
    Syntax,
    /// Nested deeper or larger than the one limit in `json`.
    Limit,
    /// JSON of another shape than the wire format says.
    Shape,
    /// A private marker that is not a bool.
    Marker,
    /// An MCP result that is not a completed call, or that contradicts itself.
    Result,
    /// Calls and results that do not belong together.
    Pairing,
    /// Call arguments that the target needs as an object and that are not one.
    Arguments,
    /// Something the target has no form for at all.
    Unsupported,
    /// `strict=True` met a loss.
    Loss,
    /// A journal that is not as it was written, or that cannot be written.
    Journal,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Syntax,
        Kind::Limit,
        Kind::Shape,
        Kind::Marker,
        Kind::Result,
        Kind::Pairing,
        Kind::Arguments,
        Kind::Unsupported,
        Kind::Loss,
        Kind::Journal,
    ];

    /// The name of the exception class in Python.
    pub fn class(self) -> &'static str {
        match self {
            Kind::Syntax => "JsonError",
            Kind::Limit => "LimitError",
            Kind::Shape => "ShapeError",
            Kind::Marker => "MarkerError",
            Kind::Result => "ResultError",
            Kind::Pairing => "PairingError",
            Kind::Arguments => "ArgumentsError",
            Kind::Unsupported => "UnsupportedError",
            Kind::Loss => "LossError",
            Kind::Journal => "JournalError",
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(kind: Kind, path: Path, what: impl Into<String>) -> Self {
        Self { kind, path, what: what.into() }
    }

    pub fn shape(path: Path, what: impl Into<String>) -> Self {
        Self::new(Kind::Shape, path, what)
    }

    pub fn unsupported(path: Path, what: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, path, what)
    }

    pub fn pairing(path: Path, what: impl Into<String>) -> Self {
        Self::new(Kind::Pairing, path, what)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl std::error::Error for Error {}
