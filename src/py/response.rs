//! The classes of an answer and of what it cost.

use crate::dialect;
use crate::error::Result;
use crate::json::{Cursor, Json};
use crate::message::{
    FinishReason, Message, Response, Usage, response_from_plain, response_to_plain, usage_from_plain,
    usage_to_plain,
};
use crate::py::calls::PyToolCall;
use crate::py::door::leave;
use crate::py::messages::message_object;
use crate::py::noun::{Absent, Form, Kept, Noun, kept, manners};
use crate::py::report::PyNativeOutcome;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Tokens. A count that the provider did not state is None, never 0.
#[pyclass(frozen, module = "toolwire", name = "Usage")]
pub(super) struct PyUsage {
    usage: Usage,
}

impl Noun for PyUsage {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("prompt_tokens", Absent::Needed),
        ("completion_tokens", Absent::Needed),
        ("cached_input_tokens", Absent::None),
        ("reasoning_tokens", Absent::None),
    ];

    fn plain(&self) -> Json {
        usage_to_plain(&self.usage)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        usage_from_plain(cursor).map(|usage| Self { usage })
    }

    fn same(&self, other: &Self) -> bool {
        self.usage == other.usage
    }
}

manners!(PyUsage);

#[pymethods]
impl PyUsage {
    #[new]
    #[pyo3(signature = (
        prompt_tokens: "int",
        completion_tokens: "int",
        cached_input_tokens: "int | None" = None,
        reasoning_tokens: "int | None" = None,
    ))]
    fn new<'py>(
        prompt_tokens: &Bound<'py, PyAny>,
        completion_tokens: &Bound<'py, PyAny>,
        cached_input_tokens: Option<&Bound<'py, PyAny>>,
        reasoning_tokens: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(prompt_tokens.py())
            .value("prompt_tokens", prompt_tokens)?
            .value("completion_tokens", completion_tokens)?
            .some("cached_input_tokens", cached_input_tokens)?
            .some("reasoning_tokens", reasoning_tokens)?
            .build()
    }

    /// Input, without what was read from a cache.
    #[getter]
    fn prompt_tokens(&self) -> u64 {
        self.usage.prompt_tokens
    }

    /// Output, reasoning included.
    #[getter]
    fn completion_tokens(&self) -> u64 {
        self.usage.completion_tokens
    }

    /// Input that was read from a cache; it is not part of `prompt_tokens`.
    #[getter]
    fn cached_input_tokens(&self) -> Option<u64> {
        self.usage.cached_input_tokens
    }

    /// The part of `completion_tokens` that is reasoning.
    #[getter]
    fn reasoning_tokens(&self) -> Option<u64> {
        self.usage.reasoning_tokens
    }
}

/// A model's answer: the turn, why it ended, what it cost, and the native body that it came in.
///
/// `complete` is False for a stream that was cut or that ended in an error, for an answer that its provider cut within a
/// call, and for one that is still being made or has failed. Calls that were open then are in `unfinished`, with their
/// arguments as far as they came, and never in `message`: they must not be run. Raises `ShapeError` for an answer that is
/// said to be complete and has unfinished calls or an error.
#[pyclass(frozen, module = "toolwire", name = "Response")]
pub(super) struct PyResponse {
    pub(super) response: Response,
    message: Kept,
    unfinished: Kept,
}

impl PyResponse {
    pub(super) fn of(response: Response) -> Self {
        Self { response, message: Kept::new(), unfinished: Kept::new() }
    }
}

impl Noun for PyResponse {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("message", Absent::Needed),
        ("id", Absent::None),
        ("model", Absent::None),
        ("finish_reason", Absent::None),
        ("native_finish_reason", Absent::None),
        ("usage", Absent::None),
        ("complete", Absent::True),
        ("unfinished", Absent::Empty),
        ("error", Absent::None),
        ("dialect", Absent::None),
        ("native", Absent::None),
    ];

    fn plain(&self) -> Json {
        response_to_plain(&self.response)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        response_from_plain(cursor).map(Self::of)
    }

    fn same(&self, other: &Self) -> bool {
        self.response == other.response
    }
}

manners!(PyResponse);

#[pymethods]
impl PyResponse {
    #[new]
    #[pyo3(
        signature = (
            message: "AssistantMessage | Mapping[str, Any]",
            id: "str | None" = None,
            model: "str | None" = None,
            finish_reason: "str | None" = None,
            native_finish_reason: "str | None" = None,
            usage: "Usage | Mapping[str, Any] | None" = None,
            complete: "bool" = None,
            unfinished: "Sequence[ToolCall | Mapping[str, Any]] | None" = None,
            error: "Any" = None,
            dialect: "str | None" = None,
            native: "Mapping[str, Any] | None" = None,
        ),
        text_signature = "(message, id=None, model=None, finish_reason=None, native_finish_reason=None, usage=None, complete=True, unfinished=None, error=None, dialect=None, native=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "one per field")]
    fn new<'py>(
        message: &Bound<'py, PyAny>,
        id: Option<&Bound<'py, PyAny>>,
        model: Option<&Bound<'py, PyAny>>,
        finish_reason: Option<&Bound<'py, PyAny>>,
        native_finish_reason: Option<&Bound<'py, PyAny>>,
        usage: Option<&Bound<'py, PyAny>>,
        complete: Option<&Bound<'py, PyAny>>,
        unfinished: Option<&Bound<'py, PyAny>>,
        error: Option<&Bound<'py, PyAny>>,
        dialect: Option<&Bound<'py, PyAny>>,
        native: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(message.py())
            .value("message", message)?
            .some("id", id)?
            .some("model", model)?
            .some("finish_reason", finish_reason)?
            .some("native_finish_reason", native_finish_reason)?
            .some("usage", usage)?
            .some("complete", complete)?
            .some("unfinished", unfinished)?
            .some("error", error)?
            .some("dialect", dialect)?
            .some("native", native)?
            .build()
    }

    /// The turn. `reply` puts it behind the request that it answers.
    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.message, || message_object(py, Message::Assistant(self.response.message.clone())))
    }

    /// The provider's id of the answer.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.response.id.as_deref()
    }

    /// The model that answered, as the provider names it.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.response.model.as_deref()
    }

    /// `stop`, `length`, `tool_calls`, or None where the provider's reason is none of these.
    #[getter]
    fn finish_reason(&self) -> Option<&'static str> {
        self.response.finish_reason.map(FinishReason::as_str)
    }

    /// The provider's own word for it.
    #[getter]
    fn native_finish_reason(&self) -> Option<&str> {
        self.response.native_finish_reason.as_deref()
    }

    #[getter]
    fn usage(&self) -> Option<PyUsage> {
        self.response.usage.map(|usage| PyUsage { usage })
    }

    /// Did the answer come whole?
    #[getter]
    fn complete(&self) -> bool {
        self.response.complete
    }

    /// Calls that a cut stream left open, or that their provider cut.
    #[getter]
    fn unfinished<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.unfinished, || {
            let calls = self.response.unfinished.iter().cloned().map(PyToolCall::of);
            Ok(PyTuple::new(py, calls.collect::<Vec<_>>())?.into_any())
        })
    }

    /// The error that the provider sent inside the stream, as it stood there.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.response.error.as_ref().map(|error| leave(py, error)).transpose()
    }

    /// The wire it was read from.
    #[getter]
    fn dialect(&self) -> Option<&'static str> {
        self.response.dialect.map(|dialect| dialect.as_str())
    }

    /// The whole native body, a fresh dict; of a stream, the body that its events add up to.
    #[getter]
    fn native<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.response.native.as_ref().map(|native| leave(py, native)).transpose()
    }

    /// What the provider-run items of the turn say about their own outcome. None of them is the result of a tool that
    /// the client ran.
    #[pyo3(signature = () -> "tuple[NativeOutcome, ...]")]
    fn native_outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let outcomes = dialect::response_outcomes(&self.response);
        PyTuple::new(py, outcomes.into_iter().map(PyNativeOutcome::of).collect::<Vec<_>>())
    }
}
