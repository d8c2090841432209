//! The four message classes.

use crate::dialect;
use crate::error::{Error, Result};
use crate::identity::{self, Identity};
use crate::json::{Cursor, Json, Value};
use crate::message::{
    AssistantMessage, Content, Extra, Message, SystemMessage, ToolMessage, extra_to_plain,
    message_from_plain, message_to_plain,
};
use crate::path::Path;
use crate::py::calls::PyToolCall;
use crate::py::door::leave;
use crate::py::mcp;
use crate::py::noun::{Absent, Form, Kept, Noun, keep, kept, manners};
use crate::py::parts::part_object;
use crate::py::report::PyNativeOutcome;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};
use std::sync::OnceLock;

/// Reads a message of one role.
fn read_role(cursor: Cursor<'_>, role: &str) -> Result<Message> {
    let message = message_from_plain(cursor)?;
    if message.role() == role {
        return Ok(message);
    }
    Err(Error::shape(cursor.path().key("role"), format!("expected {role}")))
}

/// A text that may be missing.
pub(super) fn some_text<'py>(
    py: Python<'py>,
    cell: &Kept,
    text: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    match text {
        Some(text) => kept(py, cell, || Ok(PyString::new(py, text).into_any())),
        None => Ok(py.None().into_bound(py)),
    }
}

fn content_object<'py>(
    py: Python<'py>,
    cell: &Kept,
    content: Option<&Content>,
) -> PyResult<Bound<'py, PyAny>> {
    kept(py, cell, || match content {
        Some(Content::Text(text)) => Ok(PyString::new(py, text).into_any()),
        Some(Content::Parts(parts)) => {
            let parts = parts.iter().map(|part| part_object(py, part)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, parts)?.into_any())
        }
        None => Ok(py.None().into_bound(py)),
    })
}

/// The fields of one wire, by its name.
pub(super) fn extra_object<'py>(py: Python<'py>, extra: &Extra) -> PyResult<Option<Bound<'py, PyAny>>> {
    extra_to_plain(extra).map(|extra| leave(py, &extra)).transpose()
}

/// Any message as an object of its class.
pub(super) fn message_object<'py>(py: Python<'py>, message: Message) -> PyResult<Bound<'py, PyAny>> {
    Ok(match message {
        Message::System(_) => Bound::new(py, PySystemMessage::of(message))?.into_any(),
        Message::User(_) => Bound::new(py, PyUserMessage::of(message))?.into_any(),
        Message::Assistant(_) => Bound::new(py, PyAssistantMessage::of(message))?.into_any(),
        Message::Tool(_) => Bound::new(py, PyToolMessage::of(message))?.into_any(),
    })
}

/// A message, and its identity once somebody asked for it.
pub(super) struct Said {
    pub(super) message: Message,
    identity: OnceLock<Identity>,
}

impl Said {
    fn of(message: Message) -> Self {
        Self { message, identity: OnceLock::new() }
    }

    pub(super) fn identity(&self) -> Identity {
        *self.identity.get_or_init(|| identity::of(&self.message))
    }
}

/// What an object of ours says.
pub(super) fn said_behind<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Said> {
    if let Ok(message) = object.cast::<PyToolMessage>() {
        return Some(&message.get().said);
    }
    if let Ok(message) = object.cast::<PyAssistantMessage>() {
        return Some(&message.get().said);
    }
    if let Ok(message) = object.cast::<PyUserMessage>() {
        return Some(&message.get().said);
    }
    object.cast::<PySystemMessage>().ok().map(|message| &message.get().said)
}

/// The message behind an object of ours.
pub(super) fn message_behind<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Message> {
    said_behind(object).map(|said| &said.message)
}

/// What the four classes share beside their manners.
macro_rules! message_class {
    ($class:ident, $role:literal, $fields:expr) => {
        impl Noun for $class {
            const FIELDS: &'static [(&'static str, Absent)] = $fields;

            fn plain(&self) -> Json {
                message_to_plain(&self.said.message)
            }

            fn read(cursor: Cursor<'_>) -> Result<Self> {
                read_role(cursor, $role).map(Self::of)
            }

            fn same(&self, other: &Self) -> bool {
                self.said.message == other.said.message
            }
        }

        manners!($class);

        #[pymethods]
        impl $class {
            #[classattr]
            fn role() -> &'static str {
                $role
            }

            /// The fields that one wire has and no other, by its name.
            #[getter]
            fn extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                extra_object(py, self.said.message.extra())
            }

            /// The identity of the message: 64 hexadecimal digits.
            #[getter]
            fn identity(&self) -> String {
                self.said.identity().to_string()
            }
        }
    };
}

/// Instructions. `developer=True` is the newer name that OpenAI has for the role.
#[pyclass(frozen, module = "toolwire", name = "SystemMessage")]
pub(super) struct PySystemMessage {
    said: Said,
    content: Kept,
}

message_class!(
    PySystemMessage,
    "system",
    &[("content", Absent::Needed), ("developer", Absent::False), ("extra", Absent::None)]
);

impl PySystemMessage {
    fn of(message: Message) -> Self {
        Self { said: Said::of(message), content: Kept::new() }
    }

    fn inner(&self) -> Option<&SystemMessage> {
        match &self.said.message {
            Message::System(message) => Some(message),
            _ => None,
        }
    }
}

#[pymethods]
impl PySystemMessage {
    #[new]
    #[pyo3(
        signature = (content: "ContentInput", developer: "bool" = None, extra: "ExtraInput" = None),
        text_signature = "(content, developer=False, extra=None)"
    )]
    fn new<'py>(
        content: &Bound<'py, PyAny>,
        developer: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let form = Form::new(content.py()).tag("role", "system").content(content)?;
        let message: Self = form.some("developer", developer)?.some("extra", extra)?.build()?;
        keep(&message.content, Some(content));
        Ok(message)
    }

    /// Text, or a tuple of parts.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        content_object(py, &self.content, self.inner().map(|message| &message.content))
    }

    #[getter]
    fn developer(&self) -> bool {
        self.inner().is_some_and(|message| message.developer)
    }
}

/// What the person, or the program in their place, said.
#[pyclass(frozen, module = "toolwire", name = "UserMessage")]
pub(super) struct PyUserMessage {
    said: Said,
    content: Kept,
}

message_class!(PyUserMessage, "user", &[("content", Absent::Needed), ("extra", Absent::None)]);

impl PyUserMessage {
    fn of(message: Message) -> Self {
        Self { said: Said::of(message), content: Kept::new() }
    }
}

#[pymethods]
impl PyUserMessage {
    #[new]
    #[pyo3(signature = (content: "ContentInput", extra: "ExtraInput" = None))]
    fn new<'py>(content: &Bound<'py, PyAny>, extra: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let form = Form::new(content.py()).tag("role", "user").content(content)?;
        let message: Self = form.some("extra", extra)?.build()?;
        keep(&message.content, Some(content));
        Ok(message)
    }

    /// Text, or a tuple of parts.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let content = match &self.said.message {
            Message::User(message) => Some(&message.content),
            _ => None,
        };
        content_object(py, &self.content, content)
    }
}

/// What a model answered: text, reasoning, calls, and the opaque state that its provider wants back.
#[pyclass(frozen, module = "toolwire", name = "AssistantMessage")]
pub(super) struct PyAssistantMessage {
    said: Said,
    content: Kept,
    reasoning: Kept,
    calls: Kept,
}

message_class!(
    PyAssistantMessage,
    "assistant",
    &[
        ("content", Absent::None),
        ("reasoning_content", Absent::None),
        ("tool_calls", Absent::Empty),
        ("provider_state", Absent::Empty),
        ("extra", Absent::None),
    ]
);

impl PyAssistantMessage {
    fn of(message: Message) -> Self {
        Self { said: Said::of(message), content: Kept::new(), reasoning: Kept::new(), calls: Kept::new() }
    }

    fn inner(&self) -> Option<&AssistantMessage> {
        match &self.said.message {
            Message::Assistant(message) => Some(message),
            _ => None,
        }
    }
}

#[pymethods]
impl PyAssistantMessage {
    #[new]
    #[pyo3(signature = (
        content: "str | None" = None,
        reasoning_content: "str | None" = None,
        tool_calls: "Sequence[ToolCall | Mapping[str, Any]] | None" = None,
        provider_state: "Sequence[Mapping[str, Any]] | None" = None,
        extra: "ExtraInput" = None,
    ))]
    fn new<'py>(
        py: Python<'py>,
        content: Option<&Bound<'py, PyAny>>,
        reasoning_content: Option<&Bound<'py, PyAny>>,
        tool_calls: Option<&Bound<'py, PyAny>>,
        provider_state: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let message: Self = Form::new(py)
            .tag("role", "assistant")
            .some("content", content)?
            .some("reasoning_content", reasoning_content)?
            .some("tool_calls", tool_calls)?
            .some("provider_state", provider_state)?
            .some("extra", extra)?
            .build()?;
        keep(&message.content, content);
        keep(&message.reasoning, reasoning_content);
        Ok(message)
    }

    /// All text of the turn.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        some_text(py, &self.content, self.inner().and_then(|message| message.content.as_deref()))
    }

    /// The readable reasoning, where there is any.
    #[getter]
    fn reasoning_content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        some_text(py, &self.reasoning, self.inner().and_then(|message| message.reasoning_content.as_deref()))
    }

    #[getter]
    fn tool_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.calls, || {
            let calls = self.inner().map_or(&[][..], |message| &message.tool_calls);
            let calls = calls.iter().cloned().map(PyToolCall::of);
            Ok(PyTuple::new(py, calls.collect::<Vec<_>>())?.into_any())
        })
    }

    /// Native items that the provider must get back as they are, fresh dicts.
    #[getter]
    fn provider_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let items = self.inner().map_or(&[][..], |message| &message.provider_state);
        PyTuple::new(py, items.iter().map(|item| leave(py, item)).collect::<PyResult<Vec<_>>>()?)
    }

    /// What the provider-run items of this turn say about their own outcome.
    #[pyo3(signature = () -> "tuple[NativeOutcome, ...]")]
    fn native_outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let outcomes = self.inner().map(|message| dialect::native_outcomes(message, &Path::root()));
        let outcomes = outcomes.unwrap_or_default().into_iter().map(PyNativeOutcome::of);
        PyTuple::new(py, outcomes.collect::<Vec<_>>())
    }
}

/// What a tool returned. `is_error` is `True` where it declared failure, `False` where it declared success, and
/// `None` where nobody said.
#[pyclass(frozen, module = "toolwire", name = "ToolMessage")]
pub(super) struct PyToolMessage {
    said: Said,
    content: Kept,
    id: Kept,
}

message_class!(
    PyToolMessage,
    "tool",
    &[
        ("tool_call_id", Absent::Needed),
        ("content", Absent::Needed),
        ("name", Absent::None),
        ("is_error", Absent::None),
        ("extra", Absent::None),
    ]
);

impl PyToolMessage {
    fn of(message: Message) -> Self {
        Self { said: Said::of(message), content: Kept::new(), id: Kept::new() }
    }

    fn inner(&self) -> Option<&ToolMessage> {
        match &self.said.message {
            Message::Tool(message) => Some(message),
            _ => None,
        }
    }
}

#[pymethods]
impl PyToolMessage {
    #[new]
    #[pyo3(signature = (
        tool_call_id: "str",
        content: "ContentInput",
        name: "str | None" = None,
        is_error: "bool | None" = None,
        extra: "ExtraInput" = None,
    ))]
    fn new<'py>(
        tool_call_id: &Bound<'py, PyAny>,
        content: &Bound<'py, PyAny>,
        name: Option<&Bound<'py, PyAny>>,
        is_error: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let message: Self = Form::new(content.py())
            .tag("role", "tool")
            .value("tool_call_id", tool_call_id)?
            .content(content)?
            .some("name", name)?
            .some("is_error", is_error)?
            .some("extra", extra)?
            .build()?;
        keep(&message.content, Some(content));
        keep(&message.id, Some(tool_call_id));
        Ok(message)
    }

    #[getter]
    fn tool_call_id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        some_text(py, &self.id, self.inner().map(|message| &*message.tool_call_id))
    }

    /// Text, or a tuple of parts.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        content_object(py, &self.content, self.inner().map(|message| &message.content))
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.inner().and_then(|message| message.name.as_deref())
    }

    #[getter]
    fn is_error(&self) -> Option<bool> {
        self.inner().and_then(|message| message.is_error)
    }

    /// The result of an MCP call, <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, of protocol
    /// version 2025-06-18, 2025-11-25 or 2026-07-28.
    ///
    /// `result` is an object of the `mcp` SDK 1.x or 2.x, of another client with the same attributes, or a dict as it
    /// stands on the wire (also the JSON-RPC response around it). An outcome that nobody set stays `None`, whatever
    /// default a class fills in. Structured content that no text repeats becomes a text part of its own.
    ///
    /// Raises `ResultError` where both spellings of the outcome stand there, where it is not a bool, or where the call
    /// is not complete (`resultType` other than `complete`).
    #[classmethod]
    #[pyo3(signature = (result: "Any", *, tool_call_id: "str", name: "str | None" = None) -> "ToolMessage")]
    fn from_mcp<'py>(
        _class: &Bound<'py, PyType>,
        result: &Bound<'py, PyAny>,
        tool_call_id: &Bound<'py, PyAny>,
        name: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let message = mcp::read(result, tool_call_id, name)?;
        Ok(Self::of(Message::Tool(message)))
    }

    /// The `CallToolResult` that this message stands for, in wire spelling. What MCP has no place for is reported with
    /// `LossWarning`, also an outcome that nobody declared: MCP lets a client read silence as success. Raises
    /// `UnsupportedError` for native parts of another wire and files stored at a provider.
    ///
    /// `version` is the protocol version to write, such as `"2026-07-28"`; None writes what was read.
    #[pyo3(signature = (*, version: "str | None" = None) -> "dict[str, Any]")]
    fn to_mcp<'py>(
        &self,
        py: Python<'py>,
        version: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let version = version.map(|version| mcp::text(version, "version")).transpose()?;
        match self.inner() {
            Some(message) => leave(py, &Value::Object(mcp::write(py, message, version.as_deref())?)),
            None => Ok(py.None().into_bound(py)),
        }
    }
}
