//! The classes of the wire formats and what they do with a body.

use crate::dialect::{self, Code, Losses, Options};
use crate::error::Error;
use crate::json::{MAX_DEPTH, Object, Value};
use crate::message::{Content, Dialect, Message, PartKind, Request, Text};
use crate::path::Path;
use crate::py::body::{Body, Buffer, apart, json_text};
use crate::py::door::{At, Door, answers, is_mapping, leave, mapping_members};
use crate::py::errors::{OrRaise, blamed, raised, refuse, warn};
use crate::py::hosts::{message_of, request_of};
use crate::py::overlay::{Task, on_dict};
use crate::py::rendered::PyRendered;
use crate::py::request::PyRequest;
use crate::request::{self, Sealed};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use std::borrow::Cow;

/// Reads any body into a request that remembers where surrogates were replaced.
pub(super) fn parsed(py: Python<'_>, dialect: Dialect, body: &Body<'_>) -> PyResult<Request> {
    body.read(py, |value, replaced| {
        let mut request = dialect::read_request(dialect, value)?;
        request.replaced = replaced.iter().map(|path| Text::from(path.to_string())).collect();
        Ok(request)
    })
}

/// Roughly the bytes of a request.
pub(super) fn weight(request: &Request) -> usize {
    request.messages.iter().map(heft).sum()
}

/// Roughly the bytes of a message.
pub(super) fn heft(message: &Message) -> usize {
    let of_content = |content: &Content| match content {
        Content::Text(text) => text.len(),
        Content::Parts(parts) => parts
            .iter()
            .map(|part| match &part.kind {
                PartKind::Text(text) | PartKind::Image { url: text, .. } => text.len(),
                PartKind::Audio { data, .. } => data.len(),
                PartKind::File { source, .. } => source.text().len(),
                PartKind::Native { .. } => 4096,
            })
            .sum(),
    };
    64 + match message {
        Message::System(m) => of_content(&m.content),
        Message::User(m) => of_content(&m.content),
        Message::Assistant(m) => {
            let texts = [&m.content, &m.reasoning_content].into_iter().flatten();
            let calls = m.tool_calls.iter().map(|call| &call.arguments);
            texts.chain(calls).map(|text| text.len()).sum::<usize>() + 1024 * m.provider_state.len()
        }
        Message::Tool(m) => of_content(&m.content),
    }
}

fn render(
    py: Python<'_>,
    dialect: Dialect,
    request: &Bound<'_, PyAny>,
    strict: bool,
    internal: bool,
) -> PyResult<PyRendered> {
    let request = request_of(request)?;
    let request: &Request = &request;
    let work = || dialect::write_request(dialect, request, Options { internal, target: None });
    let (body, losses) = apart(py, weight(request), work).or_raise(py)?;
    if strict {
        refuse(py, &losses)?;
    }
    PyRendered::object(py, body, &losses)
}

fn to_wire<'py>(
    dialect: Dialect,
    message: &Bound<'py, PyAny>,
    internal: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = message.py();
    let message = message_of(message, &Path::root())?;
    let (mut items, losses) =
        dialect::write_message(dialect, &message, Options { internal, target: None }).or_raise(py)?;
    report(py, &losses)?;
    match dialect {
        Dialect::Chat | Dialect::Anthropic if items.len() == 1 => leave(py, &items.remove(0)),
        _ => leave(py, &Value::Array(items)),
    }
}

/// What a single message lost, beside what every message does that is written alone: the label in place of the field,
/// the success that a wire has no word for, and the name that the call says.
fn report(py: Python<'_>, losses: &Losses) -> PyResult<()> {
    let expected = [Code::OutcomeLabelled, Code::OutcomeSuccessUnexpressed, Code::NameDropped];
    let told: Vec<_> = losses.0.iter().filter(|loss| !expected.contains(&loss.code)).cloned().collect();
    warn(py, &told)
}

/// Seals a body or overlays it; the result has the form of the body.
fn change<'py>(dialect: Dialect, body: &Bound<'py, PyAny>, task: &Task<'_>) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    match Body::of(body)? {
        Body::Bytes(bytes) => {
            let text = bytes.as_bytes();
            let sealed = apart(py, text.len(), || task.bytes(dialect, text)).or_raise(py)?;
            warn(py, &sealed.losses)?;
            Ok(match sealed.body {
                Cow::Borrowed(_) => body.clone(),
                Cow::Owned(changed) => PyBytes::new(py, &changed).into_any(),
            })
        }
        Body::Buffer(bytes, buffer) => {
            let text = bytes.as_bytes();
            let sealed = apart(py, text.len(), || task.bytes(dialect, text)).or_raise(py)?;
            warn(py, &sealed.losses)?;
            Ok(match buffer {
                Buffer::Array => PyByteArray::new(py, &sealed.body).into_any(),
                Buffer::View => PyBytes::new(py, &sealed.body).into_any(),
            })
        }
        Body::Text(text) => {
            let json = json_text(&text)?;
            let Sealed { body: sealed, losses } =
                apart(py, json.len(), || task.bytes(dialect, json.as_bytes())).or_raise(py)?;
            warn(py, &losses)?;
            match sealed {
                Cow::Borrowed(_) => Ok(body.clone()),
                Cow::Owned(changed) => {
                    let changed = String::from_utf8_lossy(&changed);
                    Ok(PyString::new(py, &changed).into_any())
                }
            }
        }
        Body::Object(object) => {
            let (sealed, losses) = on_dict(dialect, &dict_of(&object)?, task)?;
            warn(py, &losses)?;
            Ok(sealed.into_any())
        }
    }
}

impl Task<'_> {
    fn bytes<'a>(&self, dialect: Dialect, text: &'a [u8]) -> crate::error::Result<Sealed<'a>> {
        match self {
            Task::Seal => request::seal(dialect, text),
            Task::Overlay { model, sampling } => request::apply_overrides(dialect, text, model, sampling),
        }
    }
}

/// The members of a body that is an object, without touching what they hold.
fn dict_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = object.py();
    if let Ok(dict) = object.cast::<PyDict>() {
        return Ok(dict.clone());
    }
    if is_mapping(object) {
        let dict = PyDict::new(py);
        let root = Path::root();
        let members = mapping_members(object, &mut Door::new(MAX_DEPTH), At::Base(&root));
        for (key, value) in members.map_err(|cause| blamed(py, root.clone(), cause))? {
            dict.set_item(key, value).map_err(|cause| blamed(py, root.clone(), cause))?;
        }
        return Ok(dict);
    }
    let value = Door::new(MAX_DEPTH).enter(object, &Path::root())?;
    let dict = leave(py, &value)?.cast_into::<PyDict>();
    dict.map_err(|_| raised(py, &Error::shape(Path::root(), "expected an object")))
}

/// Sampling knobs: a mapping, or a pydantic model of which the fields that are None are not set.
pub(super) fn sampling_of(py: Python<'_>, sampling: Option<&Bound<'_, PyAny>>) -> PyResult<Object<'static>> {
    let Some(sampling) = sampling else { return Ok(Object::default()) };
    let path = Path::root().key("sampling");
    let given = if answers(sampling, "model_dump") {
        let options = PyDict::new(py);
        options.set_item("exclude_none", true)?;
        let dump = sampling.call_method("model_dump", (), Some(&options));
        dump.map_err(|cause| blamed(py, path.clone(), cause))?
    } else {
        sampling.clone()
    };
    match Door::new(MAX_DEPTH).enter(&given, &path)? {
        Value::Object(sampling) => Ok(sampling),
        _ => Err(raised(py, &Error::shape(path, "expected an object"))),
    }
}

fn overrides<'py>(
    dialect: Dialect,
    body: &Bound<'py, PyAny>,
    model: &Bound<'py, PyAny>,
    sampling: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    let path = Path::root().key("model");
    let Value::String(model) = Door::new(MAX_DEPTH).enter(model, &path)? else {
        return Err(raised(py, &Error::shape(path, "expected a string")));
    };
    let sampling = sampling_of(py, sampling)?;
    change(dialect, body, &Task::Overlay { model: &model, sampling: &sampling })
}

/// A dialect by its name, by an object of its class, or by the class.
pub(super) fn dialect_of(given: &Bound<'_, PyAny>, argument: &str) -> PyResult<Dialect> {
    let py = given.py();
    let error = || {
        let path = Path::root().key(argument);
        raised(py, &Error::shape(path, "expected \"chat\", \"responses\", \"anthropic\", or a dialect"))
    };
    if let Ok(name) = given.cast::<PyString>() {
        return name.to_str().ok().and_then(Dialect::from_name).ok_or_else(error);
    }
    if given.is_instance_of::<ChatDialect>() || given.is(py.get_type::<ChatDialect>()) {
        Ok(Dialect::Chat)
    } else if given.is_instance_of::<ResponsesDialect>() || given.is(py.get_type::<ResponsesDialect>()) {
        Ok(Dialect::Responses)
    } else if given.is_instance_of::<AnthropicDialect>() || given.is(py.get_type::<AnthropicDialect>()) {
        Ok(Dialect::Anthropic)
    } else {
        Err(error())
    }
}

macro_rules! dialect_class {
    ($class:ident, $dialect:expr, $wire:literal, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, eq, hash, module = "toolwire")]
        #[derive(PartialEq, Eq, Hash)]
        pub(super) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            fn new() -> Self {
                Self
            }

            #[classattr]
            fn name() -> &'static str {
                $dialect.as_str()
            }

            /// Reads a request body into typed messages.
            ///
            /// `body` is JSON as bytes or text (at most 1 GiB, nested at most 512 levels), a mapping, or an SDK object
            /// (a pydantic model or a dataclass). A repeated key counts with its last value. Lone surrogates read
            /// as U+FFFD; their paths stand in `Request.replaced`.
            ///
            /// Raises `JsonError` for text that is not JSON (RFC 8259) or not UTF-8, `LimitError` beyond the limits,
            /// `ShapeError` for another shape than this wire has, `MarkerError` for an outcome that is not a bool.
            #[pyo3(signature = (body: "Body") -> "Request")]
            fn parse_request(&self, py: Python<'_>, body: &Bound<'_, PyAny>) -> PyResult<PyRequest> {
                Ok(PyRequest::of(parsed(py, $dialect, &Body::of(body)?)?))
            }

            /// Writes a request body, with what this wire cannot carry in `Rendered.losses`.
            ///
            /// A request that was read from this wire is written as it was. One of another wire is brought into the
            /// order that this wire asks for: results behind their calls, media that a result may not hold
            /// behind the results. `strict=True` refuses any loss. `include_internal=True` is for the way between a
            /// harness program and the server beside it: the private marker instead of the label, names and media
            /// left where they are; such a body must be sealed before it leaves.
            ///
            /// Raises `PairingError` for a result without its call, a call without its result, or an id that stands
            /// twice; `ArgumentsError` for arguments that must be a JSON object and are none; `UnsupportedError`
            /// for what this wire has no form for; `LossError` with `strict=True`.
            #[pyo3(signature = (
                request: "Request | Mapping[str, Any]",
                *,
                strict: "bool" = false,
                include_internal: "bool" = false,
            ) -> "Rendered")]
            fn render_request(
                &self,
                py: Python<'_>,
                request: &Bound<'_, PyAny>,
                strict: bool,
                include_internal: bool,
            ) -> PyResult<PyRendered> {
                render(py, $dialect, request, strict, include_internal)
            }

            /// One message as this wire writes it: a message, or for Responses a list of items.
            ///
            /// A failed result is labelled where the wire has no field for it, or, with `include_internal=True`, carries
            /// the private marker. Media stays where it is. Raises as `render_request` does.
            #[pyo3(signature = (
                message: "Message | Mapping[str, Any]",
                *,
                include_internal: "bool" = false,
            ) -> $wire)]
            fn message_to_wire<'py>(
                &self,
                message: &Bound<'py, PyAny>,
                include_internal: bool,
            ) -> PyResult<Bound<'py, PyAny>> {
                to_wire($dialect, message, include_internal)
            }

            /// An internal body as a provider may see it: no key `_vf_is_error` in any spelling, every result that it
            /// said had failed labelled once (or its native field set), all other bytes as they were.
            ///
            /// Bytes give bytes, text gives text, an object gives a new dict that shares what did not change; `body`
            /// itself is never changed. Sealing twice is sealing once. A marker that stood on no tool result is
            /// removed and reported with `LossWarning`. Raises `MarkerError` for one that is not a bool.
            #[pyo3(signature = (body: "BodyT") -> "BodyT")]
            fn seal<'py>(&self, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                change($dialect, body, &Task::Seal)
            }

            /// Sets the model, lays sampling knobs over the body by the rules of this wire, and seals it.
            ///
            /// `sampling` is a mapping or a pydantic model; a knob that is None is not set. `max_completion_tokens` is
            /// another name of `max_tokens`, and the members of `extra_body` count as knobs. What comes back has the
            /// type of `body`, which is never changed. Raises as `seal` does.
            #[pyo3(signature = (body: "BodyT", model: "str", sampling: "Mapping[str, Any] | SupportsDump | None" = None) -> "BodyT")]
            fn apply_overrides<'py>(
                &self,
                body: &Bound<'py, PyAny>,
                model: &Bound<'py, PyAny>,
                sampling: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                overrides($dialect, body, model, sampling)
            }

            fn __repr__(&self) -> &'static str {
                concat!(stringify!($class), "()")
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, ()) {
                (slf.get_type(), ())
            }
        }
    };
}

dialect_class!(
    ChatDialect,
    Dialect::Chat,
    "dict[str, Any]",
    "OpenAI Chat Completions, <https://platform.openai.com/docs/api-reference/chat/create>. It has no field for the \
     outcome of a tool: a failure is labelled in the text."
);
dialect_class!(
    ResponsesDialect,
    Dialect::Responses,
    "list[dict[str, Any]]",
    "OpenAI Responses, <https://platform.openai.com/docs/api-reference/responses/create>. It has no field for the \
     outcome of a function call: a failure is labelled in the output."
);
dialect_class!(
    AnthropicDialect,
    Dialect::Anthropic,
    "dict[str, Any]",
    "Anthropic Messages, <https://platform.claude.com/docs/en/api/messages>. A `tool_result` says `is_error`."
);
