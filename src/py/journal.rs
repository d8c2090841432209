//! The classes of a journal: the open file, and what reading one came to.

use crate::error::{Error, Kind, Result};
use crate::graph::Shared;
use crate::journal::{self, Durability, Failure, Journal, Report};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::path::Path;
use crate::py::body::{Body, apart, json_text};
use crate::py::errors::{OrRaise, raised};
use crate::py::graph::{PyMessageGraph, weight};
use crate::py::noun::{Absent, Form, Noun, known_fields, manners};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A path as the caller spelled it, and as the system takes it.
struct Place {
    spelled: Py<PyString>,
    path: PathBuf,
}

impl Place {
    fn of(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let spelled = path.py().import("os")?.call_method1("fspath", (path,))?;
        let Ok(spelled) = spelled.cast_into::<PyString>() else {
            return Err(PyTypeError::new_err("expected a path of type str or os.PathLike[str]"));
        };
        if spelled.contains("\0")? {
            return Err(PyValueError::new_err("embedded null byte"));
        }
        Ok(Self { path: spelled.extract()?, spelled: spelled.unbind() })
    }

    /// What went wrong, as an error of ours or as Python's own for files.
    fn raised(&self, py: Python<'_>, failure: &Failure) -> PyErr {
        match failure {
            Failure::Refused(error) => raised(py, error),
            Failure::Io(error) => self.os_error(py, error).unwrap_or_else(|failure| failure),
        }
    }

    fn os_error(&self, py: Python<'_>, error: &io::Error) -> PyResult<PyErr> {
        let class = py.get_type::<PyOSError>();
        let what = error.to_string();
        let error = match error.raw_os_error() {
            Some(code) => {
                let what = what.strip_suffix(&format!(" (os error {code})")).unwrap_or(&what);
                // The class follows from the number, which on Windows stands behind the file's name.
                let first = if cfg!(windows) { 0 } else { code };
                class.call1((first, what, &self.spelled, cfg!(windows).then_some(code)))
            }
            None => class.call1((what,)),
        };
        error.map(PyErr::from_value)
    }
}

/// What reading the file of a journal came to.
///
/// `nodes` is how many nodes were read and `version` the format version of the file. A last line that was torn, since the
/// process that wrote it died in the middle of it, was dropped: `dropped` is its length in bytes, 0 where there was none,
/// and `line` its number, counted from 1.
#[pyclass(frozen, module = "toolwire", name = "ResumeReport")]
pub(super) struct PyResumeReport {
    report: Report,
}

fn some_number<T: std::str::FromStr>(fields: &Fields<'_>, key: &str) -> Result<Option<T>> {
    let whole = |cursor: Cursor<'_>| cursor.number()?.parse().map_err(|_| cursor.expected("a whole number"));
    fields.some(key).map(whole).transpose()
}

fn need_number<T: std::str::FromStr>(fields: &Fields<'_>, key: &str) -> Result<T> {
    some_number(fields, key)?.ok_or_else(|| Error::shape(fields.path().key(key), "missing"))
}

impl Noun for PyResumeReport {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("nodes", Absent::Needed),
        ("version", Absent::Needed),
        ("dropped", Absent::Zero),
        ("line", Absent::None),
    ];

    fn plain(&self) -> Json {
        let Report { nodes, dropped, line, version } = &self.report;
        let object = Object::default()
            .with("nodes", *nodes)
            .with("version", *version)
            .with("dropped", *dropped)
            .with_some("line", *line);
        Value::from(object)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        let fields = known_fields::<Self>(cursor)?;
        let report = Report {
            nodes: need_number(&fields, "nodes")?,
            version: need_number(&fields, "version")?,
            dropped: some_number(&fields, "dropped")?.unwrap_or_default(),
            line: some_number(&fields, "line")?,
        };
        Ok(Self { report })
    }

    fn same(&self, other: &Self) -> bool {
        self.report == other.report
    }
}

manners!(PyResumeReport);

#[pymethods]
impl PyResumeReport {
    #[new]
    #[pyo3(
        signature = (nodes: "int", version: "int", dropped: "int" = None, line: "int | None" = None),
        text_signature = "(nodes, version, dropped=0, line=None)"
    )]
    fn new<'py>(
        nodes: &Bound<'py, PyAny>,
        version: &Bound<'py, PyAny>,
        dropped: Option<&Bound<'py, PyAny>>,
        line: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(nodes.py())
            .value("nodes", nodes)?
            .value("version", version)?
            .some("dropped", dropped)?
            .some("line", line)?
            .build()
    }

    /// How many nodes were read.
    #[getter]
    fn nodes(&self) -> usize {
        self.report.nodes
    }

    /// The format version of the file.
    #[getter]
    fn version(&self) -> u32 {
        self.report.version
    }

    /// Bytes of a torn last line, which were dropped.
    #[getter]
    fn dropped(&self) -> usize {
        self.report.dropped
    }

    /// The number of that line, counted from 1.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.report.line
    }
}

/// A file that the nodes of a graph are appended to, one line each.
///
/// A file that is not there is made; one that is there is read and checked first, and a torn last line is cut off
/// (`report` says so). What `append` has returned is written: with `durability="flush"` the system has it, so that
/// it outlives this process; with `"fsync"` the disk has it. One journal at a time may have a file open; threads may share
/// it. `resume` reads the file back, also while it is open here. A process that was forked from this one may not append,
/// but while it lives it keeps the file locked if this one is killed before it has closed the journal.
///
/// Raises `JournalError` for a file that is no journal or not as it was written, that another journal has open, or
/// that was compressed; `OSError` for what the system refuses.
#[pyclass(frozen, module = "toolwire", name = "Journal")]
pub(super) struct PyJournal {
    place: Place,
    durability: Durability,
    report: Report,
    /// None once it is closed.
    open: Mutex<Option<Journal>>,
    nodes: AtomicUsize,
}

fn closed() -> Failure {
    Failure::Refused(Error::new(Kind::Journal, Path::root(), "the journal is closed"))
}

impl PyJournal {
    /// Waits for other threads: only where the interpreter is released.
    fn locked(&self) -> MutexGuard<'_, Option<Journal>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyJournal {
    #[new]
    #[pyo3(
        signature = (path: "str | PathLike[str]", *, durability: "Durability" = None),
        text_signature = "(path, *, durability='flush')"
    )]
    fn new(path: &Bound<'_, PyAny>, durability: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (py, place) = (path.py(), Place::of(path)?);
        let name = durability.map(|name| name.cast::<PyString>().ok().and_then(|name| name.to_str().ok()));
        let durability = match name {
            None | Some(Some("flush")) => Durability::Flush,
            Some(Some("fsync")) => Durability::Fsync,
            Some(_) => {
                let path = Path::root().key("durability");
                return Err(raised(py, &Error::shape(path, "expected \"flush\" or \"fsync\"")));
            }
        };
        let opened = py.detach(|| Journal::open(&place.path, durability));
        let journal = opened.map_err(|failure| place.raised(py, &failure))?;
        let (report, nodes) = (journal.report().clone(), AtomicUsize::new(journal.nodes()));
        Ok(Self { place, durability, report, open: Mutex::new(Some(journal)), nodes })
    }

    /// Writes the nodes of a graph that are not in the file yet, all in one go; gives their number.
    ///
    /// The nodes in the file must be the first ones of this graph, with all they say: metadata, extra fields, and
    /// `is_error=False` other than None. Where it raises, none of the others is in the file, and the same may be tried
    /// again. Raises `JournalError` for another graph, a closed journal, a file that somebody else changed, moved or removed,
    /// and after a fork; `LimitError` for a message too large for a line; `OSError` for what the system refuses.
    fn append(&self, py: Python<'_>, graph: &Bound<'_, PyMessageGraph>) -> PyResult<usize> {
        let shared = &graph.get().graph;
        let appended = py.detach(|| {
            let mut open = self.locked();
            let journal = open.as_mut().ok_or_else(closed)?;
            let appended = journal.append(shared);
            self.nodes.store(journal.nodes(), Ordering::Relaxed);
            appended
        });
        appended.map_err(|failure| self.place.raised(py, &failure))
    }

    /// Closes the file, for another journal to open it. Closing twice is closing once.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.locked().take()));
    }

    /// Is the file closed?
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.locked().is_none())
    }

    /// The path as it was given.
    #[getter]
    fn path(&self, py: Python<'_>) -> Py<PyString> {
        self.place.spelled.clone_ref(py)
    }

    /// `flush` or `fsync`.
    #[getter]
    fn durability(&self) -> &'static str {
        match self.durability {
            Durability::Flush => "flush",
            Durability::Fsync => "fsync",
        }
    }

    /// How many nodes are in the file.
    #[getter]
    fn nodes(&self) -> usize {
        self.nodes.load(Ordering::Relaxed)
    }

    /// What was in the file when it was opened.
    #[getter]
    fn report(&self) -> PyResumeReport {
        PyResumeReport { report: self.report.clone() }
    }

    #[pyo3(signature = () -> "Self")]
    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        if slf.get().closed(py) {
            return Err(slf.get().place.raised(py, &closed()));
        }
        Ok(slf.clone())
    }

    #[pyo3(signature = (*exception: "object") -> "None")]
    fn __exit__(&self, exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(exception.py());
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.place.spelled.bind(py).repr()?;
        let closed = if self.closed(py) { " closed" } else { "" };
        Ok(format!("<Journal {path} nodes={}{closed}>", self.nodes()))
    }

    #[pyo3(signature = () -> "NoReturn")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Journal is an open file: it cannot be copied or pickled"))
    }
}

/// The graph of a journal, and a report of how it was read. Changes nothing in the file.
///
/// Every identity is computed anew. A torn last line is dropped and reported; a file without even a whole header is an
/// empty journal. A file that was compressed with gzip is read as it is. Raises `JournalError`, which names the line, for a
/// file that is no journal or not as it was written, and for one of a newer version; `OSError` for what the system refuses.
#[pyfunction]
#[pyo3(signature = (path: "str | PathLike[str]") -> "tuple[MessageGraph, ResumeReport]")]
pub(super) fn resume(path: &Bound<'_, PyAny>) -> PyResult<(PyMessageGraph, PyResumeReport)> {
    let (py, place) = (path.py(), Place::of(path)?);
    let resumed = py.detach(|| journal::resume(&place.path));
    let (graph, report) = resumed.map_err(|failure| place.raised(py, &failure))?;
    Ok((PyMessageGraph { graph: Shared::new(graph) }, PyResumeReport { report }))
}

#[pymethods]
impl PyMessageGraph {
    /// The text of a whole journal that holds this graph.
    fn to_jsonl(&self, py: Python<'_>) -> PyResult<String> {
        let nodes = self.nodes();
        apart(py, weight(&nodes), || journal::to_jsonl(&nodes)).or_raise(py)
    }

    /// A graph from the text of a whole journal, of which only the last line feed may be missing.
    ///
    /// Every identity is computed anew. Raises `JournalError`, which names the line, for what is not as it was written.
    #[classmethod]
    #[pyo3(signature = (text: "str | bytes | bytearray | memoryview") -> "Self")]
    fn from_jsonl(_class: &Bound<'_, PyType>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = text.py();
        let read = |text: &[u8]| apart(py, text.len(), || journal::from_jsonl(text)).or_raise(py);
        let graph = match Body::of(text)? {
            Body::Bytes(bytes) | Body::Buffer(bytes, _) => read(bytes.as_bytes())?,
            Body::Text(text) => read(json_text(&text)?.as_bytes())?,
            Body::Object(_) => {
                return Err(raised(py, &Error::shape(Path::root(), "expected text or bytes")));
            }
        };
        Ok(Self { graph: Shared::new(graph) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_jsonl")?, (slf.get().to_jsonl(slf.py())?,)))
    }
}
