//! The classes of the wire formats and what they do with a body.

use crate::dialect::{self, Code, Losses};
use crate::json::{Value, compact};
use crate::message::{AssistantMessage, Content, Dialect, Message, PartKind, Request, Text};
use crate::path::Path;
use crate::py::answers;
use crate::py::body::{Body, apart};
use crate::py::change::{change, overrides};
use crate::py::door::{Door, leave};
use crate::py::errors::{OrRaise, refuse, warn};
use crate::py::hosts::{message_of, request_of};
use crate::py::overlay::Task;
use crate::py::rendered::{PyRendered, Shape};
use crate::py::request::PyRequest;
use crate::py::response::PyResponse;
use crate::py::stream::{PyStreamParser, chunk_of};
use crate::py::wire::{Wire, wire_with};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

/// Reads any body into a request that remembers where surrogates were replaced.
pub(super) fn parsed(py: Python<'_>, dialect: Dialect, body: &Body<'_>) -> PyResult<Request> {
    body.read_through(py, Door::for_body(dialect), |value, replaced| {
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
        Message::Assistant(m) => turn_heft(m),
        Message::Tool(m) => of_content(&m.content),
    }
}

/// Roughly the bytes of an assistant turn.
pub(super) fn turn_heft(turn: &AssistantMessage) -> usize {
    let texts = [&turn.content, &turn.reasoning_content].into_iter().flatten();
    let calls = turn.tool_calls.iter().map(|call| &call.arguments);
    texts.chain(calls).map(|text| text.len()).sum::<usize>() + 1024 * turn.provider_state.len()
}

fn render(
    py: Python<'_>,
    wire: Wire,
    request: &Bound<'_, PyAny>,
    strict: bool,
    internal: bool,
) -> PyResult<PyRendered> {
    let request = request_of(request)?;
    rendered(py, wire, &request, strict, internal, None)
}

/// A request as one wire writes it: an object, or text where a shape is asked for.
pub(super) fn rendered(
    py: Python<'_>,
    wire: Wire,
    request: &Request,
    strict: bool,
    internal: bool,
    shape: Option<Shape>,
) -> PyResult<PyRendered> {
    let work = || dialect::write_request(wire.dialect, request, wire.options(internal));
    let (body, losses) = apart(py, weight(request), work).or_raise(py)?;
    if strict {
        refuse(py, &losses)?;
    }
    let rendered = match shape {
        Some(shape) => {
            let text = compact(&Value::Object(body)).into_bytes();
            PyRendered::text(py, &[text, Vec::new(), Vec::new()], shape, &losses)?
        }
        None => PyRendered::object(py, body, &losses)?,
    };
    let in_url = dialect::names_model_in_url(wire.dialect).then_some(request.model.clone()).flatten();
    Ok(rendered.with_model(in_url))
}

fn to_wire<'py>(wire: Wire, message: &Bound<'py, PyAny>, internal: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = message.py();
    let message = message_of(message, &Path::root())?;
    let (mut items, losses) =
        dialect::write_message(wire.dialect, &message, wire.options(internal)).or_raise(py)?;
    report(py, &losses)?;
    match wire.dialect {
        Dialect::Responses => leave(py, &Value::Array(items)),
        _ if items.len() == 1 => leave(py, &items.remove(0)),
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

macro_rules! dialect_class {
    ($class:ident, $dialect:expr, $wire:literal, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, eq, hash, module = "toolwire")]
        #[derive(PartialEq, Eq, Hash)]
        pub(super) struct $class(pub(super) Wire);

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (target: "str | None" = None))]
            fn new(target: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
                wire_with($dialect, target).map(Self)
            }

            #[classattr]
            fn name() -> &'static str {
                $dialect.as_str()
            }

            /// The server or model family behind the wire, a key of `TARGETS`. Where it is None, the model of a request
            /// finds its family on Gemini, Bedrock and Anthropic; on Chat Completions no model names its server.
            #[getter]
            fn target(&self) -> Option<&'static str> {
                self.0.target_name()
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
            /// A request that was read from this wire is written as it was, unless `target` is named: one that only the
            /// model tells leaves it alone. Any other is brought into the order that this wire asks for: results
            /// behind their calls, media that a result may not hold behind the results. `strict=True` refuses any loss. `include_internal=True` is for the way between a
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
                render(py, self.0, request, strict, include_internal)
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
                to_wire(self.0, message, include_internal)
            }

            /// An internal body as a provider may see it: no key `_vf_is_error` in any spelling, every result that it
            /// said had failed labelled once (or its native field set, unless the target or the model of the body refuses
            /// it), all other bytes as they were.
            ///
            /// Bytes give bytes, text gives text, an object gives a new dict that shares what did not change; `body`
            /// itself is never changed. Sealing twice is sealing once. A marker that stood on no tool result is
            /// removed and reported with `LossWarning`. Raises `MarkerError` for one that is not a bool.
            #[pyo3(signature = (body: "BodyT") -> "BodyT")]
            fn seal<'py>(&self, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                change(self.0, body, &Task::Seal)
            }

            /// Sets the model, lays sampling knobs over the body by the rules of this wire, and seals it.
            ///
            /// `sampling` is a mapping or a pydantic model; a knob that is None is not set. `max_completion_tokens` is
            /// another name of `max_tokens`, and the members of `extra_body` count as knobs. For a `target`, knobs get
            /// the names that it knows. What comes back has the type of `body`, which is never changed. Raises as
            /// `seal` does.
            #[pyo3(signature = (body: "BodyT", model: "str", sampling: "Mapping[str, Any] | SupportsDump | None" = None) -> "BodyT")]
            fn apply_overrides<'py>(
                &self,
                body: &Bound<'py, PyAny>,
                model: &Bound<'py, PyAny>,
                sampling: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                overrides(self.0, body, model, sampling)
            }

            /// Reads a provider's whole answer.
            ///
            /// `body` is what `parse_request` takes. Of several choices the first one counts. Lone surrogates read as U+FFFD,
            /// which is reported with `LossWarning`. Raises `JsonError` and `LimitError` as `parse_request` does, and
            /// `ShapeError` for a body that holds no turn of the assistant, such as an error.
            #[pyo3(signature = (body: "Body") -> "Response")]
            fn parse_response(&self, py: Python<'_>, body: &Bound<'_, PyAny>) -> PyResult<PyResponse> {
                answers::parse(py, $dialect, body)
            }

            /// Writes an answer as the body of this wire, with what it cannot carry in `Rendered.losses`.
            ///
            /// An answer that was read from this wire gets its native body back, unless it was changed. Ids that this wire asks
            /// for and nobody stated are made up, the same for the same answer. Raises `ShapeError` for an answer that is not
            /// complete, `ArgumentsError` and `UnsupportedError` as `render_request` does, `LossError` with `strict=True`.
            #[pyo3(signature = (
                response: "Response | Mapping[str, Any]",
                *,
                strict: "bool" = false,
            ) -> "Rendered")]
            fn render_response(&self, response: &Bound<'_, PyAny>, strict: bool) -> PyResult<PyRendered> {
                answers::render($dialect, response, strict)
            }

            /// A parser for one streamed answer.
            #[pyo3(signature = () -> "StreamParser")]
            fn stream_parser(&self, py: Python<'_>) -> PyResult<PyStreamParser> {
                PyStreamParser::new(py, $dialect)
            }

            /// Does this event end the turn for the client that waits for it? `chunk` is one whole event. One that cannot be
            /// read ends nothing.
            #[pyo3(signature = (chunk: "bytes | bytearray | memoryview") -> "bool")]
            fn is_terminal_event(&self, chunk: &Bound<'_, PyAny>) -> PyResult<bool> {
                Ok(dialect::is_terminal_event($dialect, chunk_of(chunk)?.as_bytes()))
            }

            /// Writes an answer as a stream of this wire, one element per event. What the wire cannot carry is reported with
            /// `LossWarning`. Raises as `render_response` does.
            #[pyo3(signature = (response: "Response | Mapping[str, Any]") -> "list[bytes]")]
            fn stream_events<'py>(&self, response: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
                answers::events($dialect, response)
            }

            fn __repr__(&self) -> String {
                let target = self.0.target_name().map_or(String::new(), |name| format!("'{name}'"));
                format!("{}({target})", stringify!($class))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
                Ok((slf.get_type(), PyTuple::new(slf.py(), slf.get().0.target_name())?))
            }
        }
    };
}

dialect_class!(
    ChatDialect,
    Dialect::Chat,
    "dict[str, Any]",
    "OpenAI Chat Completions, <https://platform.openai.com/docs/api-reference/chat/create>. It has no field for the \
     outcome of a tool: a failure is labelled in the text. A target concerns requests; the answers of every server are \
     read and written alike."
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
dialect_class!(
    GeminiDialect,
    Dialect::Gemini,
    "dict[str, Any]",
    "Gemini generateContent, <https://ai.google.dev/api/generate-content>. A `functionResponse` says `error` or `output`. \
     The model stands in the URL: `Rendered.model`. Values that are bytes read as base64."
);
dialect_class!(
    BedrockDialect,
    Dialect::Bedrock,
    "dict[str, Any]",
    "Bedrock Converse, <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>, with the \
     `modelId` in the body as boto3 takes it. A `toolResult` says `status`. Values that are bytes read as base64."
);

#[pymethods]
impl BedrockDialect {
    /// A rendered body as the keyword arguments of boto3's `converse` and `converse_stream`: media as bytes, not as
    /// base64. Raises `ShapeError` for media that is no base64.
    #[pyo3(signature = (body: "Mapping[str, Any]") -> "dict[str, Any]")]
    fn to_boto<'py>(&self, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        body.py().import("toolwire._boto")?.call_method1("to_boto", (body,))
    }
}
