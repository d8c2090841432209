//! The functions of the module.

use crate::dialect::{self, Code, targets};
use crate::direct;
use crate::error::Kind;
use crate::identity;
use crate::message::{Message, Request, Response, Tool};
use crate::path::Path;
use crate::py::answers::response_of;
use crate::py::body::{Body, apart, json_text};
use crate::py::dialects::{parsed, rendered, turn_heft, weight};
use crate::py::errors::{OrRaise, refuse};
use crate::py::hosts::{identity_of, message_of, request_of, tool_of};
use crate::py::noun::each;
use crate::py::rendered::{PyRendered, Shape};
use crate::py::request::PyRequest;
use crate::py::wire::{Wire, wire_of};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;

/// A request body of one dialect as a body of another.
///
/// `source` and `target` are `"chat"`, `"responses"`, `"anthropic"`, `"gemini"`, `"bedrock"`, a key of `TARGETS`, or
/// dialects. `model` is the model that is to answer: on some wires it decides what may be written, and unless it is
/// given, the name that stands in the body goes on. `Rendered.body` comes back as what went in: bytes, text, or a dict;
/// `Rendered.losses` says what the target cannot carry, by the path in the request as `parse_request` gives it.
/// `strict=True` raises `LossError` instead. Raises as `parse_request` and `render_request` do.
#[pyfunction]
#[pyo3(signature = (
    body: "Body",
    *,
    source: "str | Dialect",
    target: "str | Dialect",
    model: "str | None" = None,
    strict: "bool" = false,
) -> "Rendered")]
pub(super) fn convert(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    source: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    model: Option<&str>,
    strict: bool,
) -> PyResult<PyRendered> {
    let (source, target) = (wire_of(source, "source")?, wire_of(target, "target")?);
    let body = Body::of(body)?;
    let (shape, text) = match &body {
        Body::Bytes(bytes) | Body::Buffer(bytes, _) => (Some(Shape::Bytes), Cow::Borrowed(bytes.as_bytes())),
        Body::Text(text) => (Some(Shape::Text), as_bytes(json_text(text)?)),
        Body::Object(_) => (None, Cow::default()),
    };
    // A text goes straight to the other wire, unless something of the request must be known on the way.
    let Some(shape) = shape.filter(|_| is_straight(target) && model.is_none()) else {
        let mut request = parsed(py, source.dialect, &body)?;
        if let Some(model) = model {
            request.model = Some(model.into());
        }
        return rendered(py, target, &request, strict, false, shape);
    };
    let work = || direct::convert(source.dialect, target.dialect, &text);
    let (converted, losses) = apart(py, text.len(), work).or_raise(py)?;
    if strict {
        refuse(py, &losses)?;
    }
    PyRendered::text(py, &converted, shape, &losses)
}

fn is_straight(target: Wire) -> bool {
    target.target.is_none() && !dialect::names_model_in_url(target.dialect)
}

fn as_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The request with the answer behind it, as its last message.
///
/// An answer that was read from the wire of the request, and was not changed, is written back as it was; any other is one
/// of `Request.added`. Calls that state no id, as those of Gemini need not, are given the ids of their place in the
/// conversation: results go by the calls of the message in the request that comes back. Raises `ShapeError` for an answer
/// that is not complete.
#[pyfunction]
#[pyo3(signature = (request: "Request | Mapping[str, Any]", response: "Response | Mapping[str, Any]") -> "Request")]
pub(super) fn reply(
    py: Python<'_>,
    request: &Bound<'_, PyAny>,
    response: &Bound<'_, PyAny>,
) -> PyResult<PyRequest> {
    let (request, response) = (request_of(request)?, response_of(response)?);
    let (request, response): (&Request, &Response) = (&request, &response);
    let work = weight(request) + turn_heft(&response.message);
    apart(py, work, || dialect::reply(request, response)).map(PyRequest::of).or_raise(py)
}

/// The identity of a message: SHA-256 over what was said, as 64 hexadecimal digits.
///
/// Two messages have the same identity exactly when they are the same conversational message: role, content, readable
/// reasoning, opaque provider state, calls and failure count; names of results, spelling of JSON arguments, and the
/// difference between success and silence do not. Takes one of our messages, a mapping in the spelling of `to_dict`, or
/// a host's message object with `model_dump`.
#[pyfunction]
#[pyo3(signature = (message: "Message | Mapping[str, Any] | SupportsDump") -> "str")]
pub(super) fn message_hash(message: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(identity_of(message, &Path::root())?.to_string())
}

/// The identity of a list of tools, as 64 hexadecimal digits. None and an empty list are the same; the order counts.
#[pyfunction]
#[pyo3(signature = (tools: "Sequence[Tool | Mapping[str, Any] | SupportsDump] | None") -> "str")]
pub(super) fn tools_hash(tools: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let mut all: Vec<Tool> = Vec::new();
    if let Some(tools) = tools {
        each(tools, &Path::root().key("tools"), |tool, path| {
            all.push(tool_of(tool, &path)?);
            Ok(())
        })?;
    }
    Ok(identity::of_tools(&all).to_string())
}

/// One identity per prefix of a conversation: a chain, in which each is made from the one before and the next message.
#[pyfunction]
#[pyo3(signature = (messages: "Sequence[Message | Mapping[str, Any] | SupportsDump]") -> "list[str]")]
pub(super) fn prefix_hashes(messages: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let mut all: Vec<Message> = Vec::new();
    each(messages, &Path::root().key("messages"), |message, path| {
        all.push(message_of(message, &path)?.into_owned());
        Ok(())
    })?;
    Ok(identity::prefixes(&all).iter().map(ToString::to_string).collect())
}

/// The loss codes, each with the sentence that says what it means.
#[pyfunction]
#[pyo3(signature = () -> "dict[str, str]")]
pub(super) fn loss_codes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let codes = PyDict::new(py);
    for code in Code::ALL {
        codes.set_item(code.as_str(), code.meaning())?;
    }
    Ok(codes)
}

/// The servers and model families that differ from what their wire says in general, each with the name of its wire.
#[pyfunction]
#[pyo3(signature = () -> "dict[str, str]")]
pub(super) fn target_dialects(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dialects = PyDict::new(py);
    for target in targets::all() {
        dialects.set_item(&target.name, target.dialect.as_str())?;
    }
    Ok(dialects)
}

/// The day on which what is known of the targets was last checked, as `2026-11-30`.
#[pyfunction]
#[pyo3(signature = () -> "str")]
pub(super) fn targets_as_of() -> &'static str {
    targets::as_of()
}

/// The kinds of error, each with the name of its exception class.
#[pyfunction]
#[pyo3(signature = () -> "dict[str, str]")]
pub(super) fn error_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    for kind in Kind::ALL {
        kinds.set_item(format!("{kind:?}"), kind.class())?;
    }
    Ok(kinds)
}
