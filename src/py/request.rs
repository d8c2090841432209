//! The class of a whole request.

use crate::dialect;
use crate::error::Result;
use crate::json::{Cursor, Json, Value, canonical};
use crate::message::{
    Message, Request, choice_to_plain, message_to_plain, request_from_plain, request_to_plain,
};
use crate::path::Path;
use crate::py::calls::PyTool;
use crate::py::door::leave;
use crate::py::messages::{extra_object, message_object};
use crate::py::noun::{Absent, Form, Kept, Noun, kept, manners};
use crate::py::report::PyNativeOutcome;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashSet;

/// A conversation with its tools and settings, whichever wire it came from.
#[pyclass(frozen, module = "toolwire", name = "Request")]
pub(super) struct PyRequest {
    pub(super) request: Request,
    messages: Kept,
    tools: Kept,
}

impl PyRequest {
    pub(super) fn of(request: Request) -> Self {
        Self { request, messages: Kept::new(), tools: Kept::new() }
    }
}

impl Noun for PyRequest {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("messages", Absent::Needed),
        ("model", Absent::None),
        ("tools", Absent::Empty),
        ("tool_choice", Absent::None),
        ("parallel_tool_calls", Absent::None),
        ("stream", Absent::None),
        ("sampling", Absent::Empty),
        ("dialect", Absent::None),
        ("extra", Absent::None),
        ("added", Absent::None),
        ("replaced", Absent::Empty),
    ];

    fn plain(&self) -> Json {
        request_to_plain(&self.request)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        request_from_plain(cursor).map(Self::of)
    }

    fn same(&self, other: &Self) -> bool {
        self.request == other.request
    }

    fn follows(field: &str, changes: &Bound<'_, PyDict>) -> PyResult<bool> {
        Ok(field == "added" && changes.contains("messages")?)
    }

    fn settled(&self, copy: &Self) -> Option<Self> {
        let (old, new) = (&self.request, &copy.request);
        let added = match old.dialect {
            Some(dialect) if new.dialect == Some(dialect) => added_since(old, &new.messages),
            Some(_) | None => None,
        };
        added.map(|added| Self::of(Request { added: Some(added), ..new.clone() }))
    }

    fn note(&mut self, replaced: Vec<Path>) -> Vec<Path> {
        self.request.replaced.extend(replaced.into_iter().map(|path| path.to_string().into()));
        Vec::new()
    }
}

/// The places of the messages that were not read with the rest of a request, given its messages were replaced.
fn added_since(old: &Request, new: &[Message]) -> Option<Vec<usize>> {
    if old.messages == new {
        return old.added.clone();
    }
    let fingerprint = |message: &Message| canonical(&message_to_plain(message));
    let was_read = |at: usize| old.added.as_ref().is_none_or(|added| added.binary_search(&at).is_err());
    let read = || old.messages.iter().enumerate().filter(|(at, _)| was_read(*at));
    let stays = |at: usize, message: &Message| old.messages.get(at) == Some(message) && was_read(at);
    let moved: Vec<_> = new.iter().enumerate().filter(|(at, message)| !stays(*at, message)).collect();
    let known: HashSet<_> = match moved.is_empty() {
        true => HashSet::new(),
        false => read().map(|(_, message)| fingerprint(message)).collect(),
    };
    let added = moved.into_iter().filter(|(_, message)| !known.contains(&fingerprint(message)));
    Some(added.map(|(at, _)| at).collect())
}

manners!(PyRequest);

#[pymethods]
impl PyRequest {
    #[new]
    #[pyo3(signature = (
        messages: "Sequence[Message | Mapping[str, Any]]",
        model: "str | None" = None,
        tools: "Sequence[Tool | Mapping[str, Any]] | None" = None,
        tool_choice: "str | Mapping[str, Any] | None" = None,
        parallel_tool_calls: "bool | None" = None,
        stream: "bool | None" = None,
        sampling: "Mapping[str, Any] | None" = None,
        dialect: "str | None" = None,
        extra: "ExtraInput" = None,
        added: "Sequence[int] | None" = None,
        replaced: "Sequence[str] | None" = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "one per field")]
    fn new<'py>(
        messages: &Bound<'py, PyAny>,
        model: Option<&Bound<'py, PyAny>>,
        tools: Option<&Bound<'py, PyAny>>,
        tool_choice: Option<&Bound<'py, PyAny>>,
        parallel_tool_calls: Option<&Bound<'py, PyAny>>,
        stream: Option<&Bound<'py, PyAny>>,
        sampling: Option<&Bound<'py, PyAny>>,
        dialect: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
        added: Option<&Bound<'py, PyAny>>,
        replaced: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(messages.py())
            .value("messages", messages)?
            .some("model", model)?
            .some("tools", tools)?
            .some("tool_choice", tool_choice)?
            .some("parallel_tool_calls", parallel_tool_calls)?
            .some("stream", stream)?
            .some("sampling", sampling)?
            .some("dialect", dialect)?
            .some("extra", extra)?
            .some("added", added)?
            .some("replaced", replaced)?
            .build()
    }

    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.messages, || {
            let messages = self.request.messages.iter().map(|message| message_object(py, message.clone()));
            Ok(PyTuple::new(py, messages.collect::<PyResult<Vec<_>>>()?)?.into_any())
        })
    }

    #[getter]
    fn model(&self) -> Option<&str> {
        self.request.model.as_deref()
    }

    #[getter]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.tools, || {
            let tools = self.request.tools.iter().map(|tool| PyTool { tool: tool.clone() });
            Ok(PyTuple::new(py, tools.collect::<Vec<_>>())?.into_any())
        })
    }

    /// `auto`, `none`, `required`, or a fresh dict.
    #[getter]
    fn tool_choice<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.request.tool_choice.as_ref().map(|choice| leave(py, &choice_to_plain(choice))).transpose()
    }

    #[getter]
    fn parallel_tool_calls(&self) -> Option<bool> {
        self.request.parallel_tool_calls
    }

    #[getter]
    fn stream(&self) -> Option<bool> {
        self.request.stream
    }

    /// Sampling knobs under neutral names, a fresh dict.
    #[getter]
    fn sampling<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        leave(py, &Value::Object(self.request.sampling.clone()))
    }

    /// The wire it was read from.
    #[getter]
    fn dialect(&self) -> Option<&'static str> {
        self.request.dialect.map(|dialect| dialect.as_str())
    }

    /// The fields that one wire has and no other, by its name.
    #[getter]
    fn extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        extra_object(py, &self.request.extra)
    }

    /// The places of messages that were not read with the rest of the request: they are checked and written as if
    /// they came from another wire. None where the messages are as they were read; empty where some were only taken
    /// out. `replace(messages=...)` works it out.
    #[getter]
    fn added<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.request.added.as_ref().map(|added| PyTuple::new(py, added)).transpose()
    }

    /// Where a lone surrogate was read as U+FFFD.
    #[getter]
    fn replaced<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.request.replaced.iter().map(|path| &**path))
    }

    /// What the provider-run items of all turns say about their own outcome.
    #[pyo3(signature = () -> "tuple[NativeOutcome, ...]")]
    fn native_outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut outcomes = Vec::new();
        for (n, message) in self.request.messages.iter().enumerate() {
            if let Message::Assistant(turn) = message {
                let path = Path::root().key("messages").index(n);
                outcomes.extend(dialect::native_outcomes(turn, &path).into_iter().map(PyNativeOutcome::of));
            }
        }
        PyTuple::new(py, outcomes)
    }
}
