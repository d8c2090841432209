//! The class that reads a stream, and the bytes it takes.

use crate::dialect::StreamParser;
use crate::error::Error;
use crate::message::Dialect;
use crate::path::Path;
use crate::py::body::{Body, apart};
use crate::py::door::replaced_losses;
use crate::py::errors::{OrRaise, class_name, raised, warn};
use crate::py::response::PyResponse;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Bytes as a connection gives them.
pub(super) fn chunk_of<'py>(chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match Body::of(chunk)? {
        Body::Bytes(bytes) | Body::Buffer(bytes, _) => Ok(bytes),
        Body::Text(_) | Body::Object(_) => {
            let what = format!("expected bytes, not {}", class_name(chunk));
            Err(raised(chunk.py(), &Error::shape(Path::root(), what)))
        }
    }
}

/// One stream of a provider, from its first byte to its end. `stream_parser` of a dialect gives it.
///
/// Threads may share it; what they feed counts in the order in which it comes.
///
/// A stream of Gemini has no event that closes it: there, `complete` means that a `finishReason` was seen, which some early
/// models write in every chunk. <https://ai.google.dev/api/generate-content#FinishReason>
#[pyclass(frozen, module = "toolwire", name = "StreamParser")]
pub(super) struct PyStreamParser {
    dialect: Dialect,
    state: Mutex<State>,
}

struct State {
    parser: StreamParser,
    /// How many bytes have come.
    came: usize,
}

impl PyStreamParser {
    pub(super) fn new(py: Python<'_>, dialect: Dialect) -> PyResult<Self> {
        let parser = StreamParser::new(dialect).or_raise(py)?;
        Ok(Self { dialect, state: Mutex::new(State { parser, came: 0 }) })
    }

    /// What a panic of another thread left behind is as good as an event that could not be read.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that have come; no end of them where another thread is at work, which must be waited for.
    fn came(&self) -> usize {
        match self.state.try_lock() {
            Ok(state) => state.came,
            Err(TryLockError::Poisoned(state)) => state.into_inner().came,
            Err(TryLockError::WouldBlock) => usize::MAX,
        }
    }
}

#[pymethods]
impl PyStreamParser {
    /// The name of the wire.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect.as_str()
    }

    /// Takes the next bytes, cut anywhere: `bytes`, `bytearray` or `memoryview`.
    ///
    /// Raises `JsonError`, `LimitError` or `ShapeError` for an event that cannot be read, with its place among the events
    /// (`events[3]`). Nothing more is read then; `finish` gives what came before it. A lone surrogate reads as U+FFFD,
    /// which is reported with `LossWarning`.
    #[pyo3(signature = (chunk: "bytes | bytearray | memoryview") -> "None")]
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        let chunk = chunk_of(chunk)?;
        let bytes = chunk.as_bytes();
        let work = if self.came() == usize::MAX { usize::MAX } else { bytes.len() };
        let (fed, replaced) = apart(py, work, || {
            let mut state = self.state();
            state.came = state.came.saturating_add(bytes.len());
            let fed = state.parser.feed(bytes);
            (fed, state.parser.take_replaced())
        });
        warn(py, &replaced_losses(&replaced))?;
        fed.or_raise(py)
    }

    /// The answer as far as it came. May be asked for at any time, and again.
    ///
    /// `Response.complete` is True only if the stream itself said that it has ended, and nothing of it was refused or cut.
    /// A stream in which nothing came is an empty answer that is not complete. Raises `ShapeError` where the events add up
    /// to something that cannot be read as an answer.
    #[pyo3(signature = () -> "Response")]
    fn finish(&self, py: Python<'_>) -> PyResult<PyResponse> {
        let response = apart(py, self.came(), || self.state().parser.finish());
        response.map(PyResponse::of).or_raise(py)
    }

    fn __repr__(&self) -> String {
        format!("<StreamParser dialect={:?}>", self.dialect.as_str())
    }
}
