//! The classes that serve a rollout: the raw bodies that come in, the provider bodies that go out, the commits.

use crate::dialect;
use crate::error::{Error, Kind};
use crate::graph::{NodeId, Shared};
use crate::message::{AssistantMessage, Message};
use crate::path::Path;
use crate::py::asked::Asked;
use crate::py::body::{Body, apart, json_text};
use crate::py::dialects::heft;
use crate::py::door::replaced_losses;
use crate::py::errors::{OrRaise, class_name, raised, warn};
use crate::py::graph::{PyMessageGraph, messages_tuple};
use crate::py::messages::message_behind;
use crate::py::noun::{Kept, kept};
use crate::py::pending::{stamp_of, timestamp_of};
use crate::py::request::PyRequest;
use crate::py::wire::wire_of;
use crate::rollout::{Rollout, Segment, Turn, Upstream};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PySlice, PyTuple};
use std::sync::Arc;

/// A piece shorter than this is cheaper to copy than to view.
const SHORT: usize = 256;

/// A comparison passes about so many bytes in the time in which one byte is parsed.
const COMPARED: usize = 32;

/// The requests of one rollout: its whole history comes again with each, and only what is new is parsed and hashed.
///
/// `dialect` is `"chat"`, `"responses"`, `"anthropic"`, or one of these dialects; any other raises `UnsupportedError`,
/// and so does a named target. The messages go into `graph`, a new `MessageGraph` unless one is given; several rollouts may share one. Equal bytes are recognised where an element of
/// the list starts; the same messages in another spelling meet the same nodes by their identity. The raw text of each
/// message is kept once, and the graph reads its messages from it: about the size of the longest body is held for
/// a conversation, and about 300 bytes per message. Threads may share a rollout.
#[pyclass(frozen, module = "toolwire", name = "Rollout")]
pub(super) struct PyRollout {
    rollout: Rollout,
    graph: Py<PyMessageGraph>,
    asked: Asked,
}

#[pymethods]
impl PyRollout {
    #[new]
    #[pyo3(signature = (dialect: "str | Dialect", graph: "MessageGraph | None" = None))]
    fn new(dialect: &Bound<'_, PyAny>, graph: Option<Bound<'_, PyMessageGraph>>) -> PyResult<Self> {
        let py = dialect.py();
        let wire = wire_of(dialect, "dialect")?;
        if wire.target.is_some() {
            let what = "a rollout sends the bytes that came in: it fits them to no server of its own rules";
            return Err(raised(py, &Error::unsupported(Path::root().key("dialect"), what)));
        }
        let dialect = wire.dialect;
        dialect::follows_rollouts(dialect).or_raise(py)?;
        let graph = match graph {
            Some(graph) => graph,
            None => Bound::new(py, PyMessageGraph { graph: Shared::default() })?,
        };
        let rollout = Rollout::new(dialect, graph.get().graph.clone());
        Ok(Self { rollout, graph: graph.unbind(), asked: Asked::default() })
    }

    /// The name of the wire.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.rollout.dialect().as_str()
    }

    /// The graph that the messages go into.
    #[getter]
    fn graph<'py>(&self, py: Python<'py>) -> Bound<'py, PyMessageGraph> {
        self.graph.bind(py).clone()
    }

    /// Reads a request as far as it is new. Nothing is in the graph because of it until the turn is committed.
    ///
    /// `body` is JSON as bytes (also `bytearray` or `memoryview`, which are copied) or text. Raises what
    /// `parse_request` raises for the same body.
    #[pyo3(signature = (body: "bytes | bytearray | memoryview | str") -> "Turn")]
    fn receive(slf: &Bound<'_, Self>, body: &Bound<'_, PyAny>) -> PyResult<PyTurn> {
        let (py, rollout) = (slf.py(), &slf.get().rollout);
        let body = match Body::of(body)? {
            Body::Bytes(bytes) | Body::Buffer(bytes, _) => bytes,
            Body::Text(text) => PyBytes::new(py, json_text(&text)?.as_bytes()),
            Body::Object(object) => {
                return Err(raised(
                    py,
                    &Error::shape(
                        Path::root(),
                        format!("expected the body as bytes or text, not {}", class_name(&object)),
                    ),
                ));
            }
        };
        let bytes = body.as_bytes();
        let new = rollout.stored().map(|stored| bytes.len().saturating_sub(stored));
        let work = new.map_or(usize::MAX, |new| new + bytes.len() / COMPARED);
        let turn = apart(py, work, || rollout.receive(bytes)).or_raise(py)?;
        let rollout = slf.clone().unbind();
        Ok(PyTurn { turn, body: body.unbind(), rollout, tail: Kept::new(), request: Kept::new() })
    }

    fn __repr__(&self) -> String {
        format!("<Rollout dialect={:?} nodes={}>", self.dialect(), self.rollout.graph().read().len())
    }
}

/// One request of a rollout: what of it was known, what goes to the provider, and how it is committed.
///
/// `Rollout.receive` gives it. It keeps the body that was received.
#[pyclass(frozen, module = "toolwire", name = "Turn")]
pub(super) struct PyTurn {
    turn: Turn,
    body: Py<PyBytes>,
    rollout: Py<PyRollout>,
    tail: Kept,
    request: Kept,
}

#[pymethods]
impl PyTurn {
    /// The nodes of the messages that the graph knew when the body came, from the first one on.
    #[getter]
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.turn.known())
    }

    /// The messages that were not known.
    #[getter]
    fn tail<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.tail, || {
            Ok(messages_tuple(py, self.turn.tail().iter().map(|(message, _)| message))?.into_any())
        })
    }

    /// What this body adds to the bytes that the rollout has committed: the node of the last message in front of it (None
    /// at the start of the conversation), and its elements as the bytes of a JSON list. For a host that has typed messages
    /// of its own: it reads these elements only. None where the whole body had to be read.
    #[getter]
    fn fresh<'py>(&self, py: Python<'py>) -> PyResult<Option<(Option<NodeId>, Bound<'py, PyBytes>)>> {
        let Some(fresh) = self.turn.fresh(self.body.bind(py).as_bytes()) else { return Ok(None) };
        let elements = PyBytes::new_with_writer(py, fresh.elements.len() + 2, |bytes| {
            [b"[".as_slice(), fresh.elements, b"]"].iter().try_for_each(|piece| bytes.write_bytes(piece))
        })?;
        Ok(Some((fresh.behind, elements)))
    }

    /// What stands around the messages: the body with an empty list, as bytes. None where the whole body had to be read.
    #[getter]
    fn around<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.turn.around().map(|text| PyBytes::new(py, text.as_bytes()))
    }

    /// The whole request, as `parse_request` gives it. It is read when somebody asks for it.
    #[getter]
    fn request<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.request, || {
            let body = self.body.bind(py).as_bytes();
            let request = apart(py, body.len(), || self.turn.request(body)).or_raise(py)?;
            Ok(Bound::new(py, PyRequest::of(request))?.into_any())
        })
    }

    /// The messages of the request. They are read when somebody asks for them.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.request(py)?.getattr("messages")
    }

    /// The graph of the rollout.
    #[getter]
    fn graph<'py>(&self, py: Python<'py>) -> Bound<'py, PyMessageGraph> {
        self.rollout.get().graph(py)
    }

    /// The same for every request that says the same: the conversation, by the identities of its messages and tools, and
    /// everything that stands around its messages, byte for byte. A repeated body has the same key before and after the
    /// commit. 64 hexadecimal digits; known messages are not looked at again.
    #[getter]
    fn retry_key(&self) -> String {
        self.turn.retry_key().to_string()
    }

    /// The provider's body: what `apply_overrides`, or `seal` where no model is given, makes of the body that was
    /// received. What does not change is copied once, with the interpreter held; a body in which nothing changes is
    /// given back as it is.
    ///
    /// `sampling` is a mapping or a pydantic model. Raises and warns as `apply_overrides` and `seal` do.
    #[pyo3(signature = (model: "str | None" = None, sampling: "Mapping[str, Any] | SupportsDump | None" = None) -> "bytes")]
    fn upstream<'py>(
        &self,
        py: Python<'py>,
        model: Option<&Bound<'py, PyAny>>,
        sampling: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let upstream = self.pieces(py, model, sampling)?;
        let body = self.body.bind(py);
        if upstream.is_received(body.as_bytes()) {
            return Ok(body.clone());
        }
        PyBytes::new_with_writer(py, upstream.len(), |bytes| {
            upstream.pieces(body.as_bytes()).try_for_each(|piece| bytes.write_bytes(piece))
        })
    }

    /// `upstream` in pieces that need not be joined, for a scatter write: views of the body that was received, and the
    /// bytes between them. It pays for bodies of a megabyte and more. There are about two pieces for each result with a
    /// marker, which may be more than `socket.sendmsg` and `os.writev` take at once (`IOV_MAX`, 1024 on Linux).
    #[pyo3(signature = (model: "str | None" = None, sampling: "Mapping[str, Any] | SupportsDump | None" = None) -> "tuple[bytes | memoryview, ...]")]
    fn segments<'py>(
        &self,
        py: Python<'py>,
        model: Option<&Bound<'py, PyAny>>,
        sampling: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let upstream = self.pieces(py, model, sampling)?;
        self.views(py, &upstream)
    }

    /// Adds what is missing of the request, and the answer of the model; gives the node of the answer.
    ///
    /// `response` is the provider's response body, as bytes, text or an object, or an `AssistantMessage`. Of several
    /// choices the first one counts; usage and finish reason are not kept, and a stream is not read. `timestamp`
    /// is in seconds since 1970, now where it is None, and stands at every node that is added; `metadata` is free JSON
    /// for the node of the answer, under any names but `response` and `timestamp`. May be called any number of times: what
    /// is there by then is met, not added again, and an answer that is there keeps its timestamp and its metadata.
    ///
    /// Raises `JsonError` and `LimitError` as `parse_request` does; `ShapeError` for a body that holds no turn of the
    /// assistant, a timestamp that is no finite number, and metadata that is no JSON.
    #[pyo3(signature = (
        response: "AssistantMessage | Body",
        *,
        timestamp: "float | None" = None,
        **metadata: "Any",
    ) -> "int")]
    fn commit(
        &self,
        response: &Bound<'_, PyAny>,
        timestamp: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<NodeId> {
        let py = response.py();
        let answer = self.answer(response)?;
        let stamp = stamp_of(timestamp, metadata)?;
        let body = self.body.bind(py).as_bytes();
        let work = self.work().saturating_add(heft(&answer));
        Ok(apart(py, work, || self.turn.commit(body, answer, stamp)))
    }

    /// Adds what is missing of the request, without an answer; gives the node of its last message, None where it has no
    /// messages. Raises `ShapeError` for a timestamp that is no finite number.
    #[pyo3(signature = (*, timestamp: "float | None" = None) -> "int | None")]
    fn commit_prompt(
        &self,
        py: Python<'_>,
        timestamp: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<NodeId>> {
        let timestamp = timestamp_of(timestamp)?;
        let body = self.body.bind(py).as_bytes();
        Ok(apart(py, self.work(), || self.turn.commit_prompt(body, timestamp)))
    }

    fn __repr__(&self) -> String {
        format!("<Turn known={} tail={}>", self.turn.known().len(), self.turn.tail().len())
    }
}

impl PyTurn {
    /// How many bytes a commit stores; no end of them where it must wait for another thread.
    fn work(&self) -> usize {
        self.rollout.get().rollout.stored().map_or(usize::MAX, |_| self.turn.new_bytes())
    }

    fn pieces<'py>(
        &self,
        py: Python<'py>,
        model: Option<&Bound<'py, PyAny>>,
        sampling: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Upstream> {
        let body = self.body.bind(py).as_bytes();
        let upstream = match model {
            Some(model) => {
                let overrides = self.rollout.get().asked.overrides(model, sampling)?;
                self.turn.upstream(body, Some(&overrides))
            }
            None if sampling.is_some() => {
                let path = Path::root().key("model");
                return Err(raised(
                    py,
                    &Error::shape(path, "missing: sampling goes with the model it is for"),
                ));
            }
            None => self.turn.upstream(body, None),
        };
        let upstream = upstream.or_raise(py)?;
        warn(py, &upstream.losses)?;
        Ok(upstream)
    }

    /// Views of the large pieces of the body; the small ones are copied together.
    fn views<'py>(&self, py: Python<'py>, upstream: &Upstream) -> PyResult<Bound<'py, PyTuple>> {
        let body = self.body.bind(py);
        let whole = PyMemoryView::from(body)?;
        let (mut views, mut small) = (Vec::new(), Vec::new());
        for (segment, piece) in upstream.segments.iter().zip(upstream.pieces(body.as_bytes())) {
            match segment {
                Segment::Body(range) if range.len() >= SHORT => {
                    if !small.is_empty() {
                        views.push(PyBytes::new(py, &std::mem::take(&mut small)).into_any());
                    }
                    let place = |at: usize| isize::try_from(at).unwrap_or(isize::MAX);
                    views.push(whole.get_item(PySlice::new(py, place(range.start), place(range.end), 1))?);
                }
                Segment::Body(_) | Segment::Bytes(_) => small.extend_from_slice(piece),
            }
        }
        if !small.is_empty() {
            views.push(PyBytes::new(py, &small).into_any());
        }
        PyTuple::new(py, views)
    }

    fn answer(&self, response: &Bound<'_, PyAny>) -> PyResult<Arc<Message>> {
        let py = response.py();
        match message_behind(response) {
            Some(message @ Message::Assistant(_)) => return Ok(Arc::new(message.clone())),
            Some(_) => {
                let path = Path::root().key("response").key("role");
                return Err(raised(py, &Error::new(Kind::Shape, path, "expected assistant")));
            }
            None => {}
        }
        let dialect = self.turn.dialect();
        let (answer, replaced): (AssistantMessage, Vec<Path>) = Body::of(response)?
            .read(py, |value, replaced| Ok((dialect::read_answer(dialect, value)?, replaced)))?;
        warn(py, &replaced_losses(&replaced))?;
        Ok(Arc::new(Message::Assistant(answer)))
    }
}
