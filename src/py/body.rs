//! A request body as a caller holds it: bytes, text, or an object; what comes in as one goes out as one.

use crate::error::{Error, Result};
use crate::json::{MAX_DEPTH, Repeats, Value, parse};
use crate::path::Path;
use crate::py::door::{Door, utf16};
use crate::py::errors::{OrRaise, raised};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};
use std::borrow::Cow;

pub(super) enum Body<'py> {
    Bytes(Bound<'py, PyBytes>),
    /// A copy of a buffer that could change under our hands.
    Buffer(Bound<'py, PyBytes>, Buffer),
    Text(Bound<'py, PyString>),
    Object(Bound<'py, PyAny>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Buffer {
    Array,
    View,
}

/// Work on more than this many bytes gives other Python threads the interpreter.
const LARGE: usize = 256 * 1024;

/// Runs work of the core, without the interpreter where it takes about a millisecond or more.
pub(super) fn apart<R: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> R + Send) -> R {
    if size > LARGE { py.detach(work) } else { work() }
}

impl<'py> Body<'py> {
    pub(super) fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Body::Bytes(bytes.clone()));
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Body::Text(text.clone()));
        }
        let buffer = if object.is_instance_of::<PyByteArray>() {
            Buffer::Array
        } else if object.is_instance_of::<PyMemoryView>() {
            Buffer::View
        } else {
            return Ok(Body::Object(object.clone()));
        };
        let bytes = object.py().get_type::<PyBytes>().call1((object,));
        let bytes = bytes.map_err(|_| {
            raised(object.py(), &Error::shape(Path::root(), "a buffer that cannot be read as bytes"))
        })?;
        Ok(Body::Buffer(bytes.cast_into()?, buffer))
    }

    /// Parses the body, whichever form it has, and does some work on it.
    pub(super) fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Value<'_>, Vec<Path>) -> Result<R> + Send,
    ) -> PyResult<R> {
        self.read_through(py, Door::new(MAX_DEPTH), work)
    }

    /// `read`, with the door for a body that is an object.
    pub(super) fn read_through<R: Send>(
        &self,
        py: Python<'_>,
        mut door: Door,
        work: impl FnOnce(&Value<'_>, Vec<Path>) -> Result<R> + Send,
    ) -> PyResult<R> {
        match self {
            Body::Bytes(bytes) | Body::Buffer(bytes, _) => {
                let bytes = bytes.as_bytes();
                apart(py, bytes.len(), || from_text(bytes, work)).or_raise(py)
            }
            Body::Text(text) => {
                let text = json_text(text)?;
                apart(py, text.len(), || from_text(text.as_bytes(), work)).or_raise(py)
            }
            Body::Object(object) => {
                let value = door.enter(object, &Path::root())?;
                let (size, replaced) = (door.size(), door.replaced);
                apart(py, size, || work(&value, replaced)).or_raise(py)
            }
        }
    }
}

fn from_text<R>(bytes: &[u8], work: impl FnOnce(&Value<'_>, Vec<Path>) -> Result<R>) -> Result<R> {
    let parsed = parse(bytes, Repeats::LastWins)?;
    work(&parsed.value, parsed.replaced)
}

/// A Python string as JSON text. A lone surrogate, which UTF-8 cannot hold, becomes its JSON escape, so that the
/// parser meets it where it stands.
pub(super) fn json_text<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::new();
    for unit in char::decode_utf16(utf16(text)?) {
        match unit {
            Ok(c) => out.push(c),
            Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    Ok(Cow::Owned(out))
}
