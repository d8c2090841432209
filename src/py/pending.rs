//! The class of a conversation that was looked up in a graph, and what its commit takes from Python.

use crate::error::Error;
use crate::graph::{NodeId, Pending, Stamp};
use crate::identity::Print;
use crate::json::{Cursor, MAX_DEPTH, Value};
use crate::message::Message;
use crate::path::Path;
use crate::py::body::apart;
use crate::py::dialects::heft;
use crate::py::door::{Door, NOUN_DEPTH};
use crate::py::errors::{OrRaise, raised, warn};
use crate::py::graph::{PyMessageGraph, messages_tuple};
use crate::py::hosts::message_of;
use crate::py::noun::{Kept, kept};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// The answer of a model, with what finds it in a graph.
pub(super) fn answer_of(object: &Bound<'_, PyAny>, argument: &str) -> PyResult<(Arc<Message>, Print)> {
    let (py, path) = (object.py(), Path::root().key(argument));
    let message = message_of(object, &path)?.into_owned();
    if !matches!(message, Message::Assistant(_)) {
        return Err(raised(py, &Error::shape(path.key("role"), "expected assistant")));
    }
    let print = apart(py, heft(&message), || Print::of(&message));
    Ok((Arc::new(message), print))
}

/// The time that the caller states, or now.
pub(super) fn timestamp_of(timestamp: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    let Some(timestamp) = timestamp else { return Ok(Stamp::now()) };
    let path = Path::root().key("timestamp");
    let value = Door::new(NOUN_DEPTH).enter(timestamp, &path)?;
    Stamp::seconds(Cursor::below(&path, &value)).or_raise(timestamp.py())
}

/// The stamp of an answer that a model gave. Metadata is free JSON, such that a line of JSON can hold it.
pub(super) fn stamp_of(
    timestamp: Option<&Bound<'_, PyAny>>,
    metadata: Option<&Bound<'_, PyDict>>,
) -> PyResult<Stamp> {
    let mut stamp = Stamp { sampled: true, timestamp: timestamp_of(timestamp)?, metadata: None };
    if let Some(metadata) = metadata.filter(|metadata| !metadata.is_empty()) {
        let mut door = Door::new(MAX_DEPTH);
        if let Value::Object(object) = door.enter(metadata, &Path::root().key("metadata"))? {
            stamp.metadata = Some(Box::new(object));
        }
        warn(metadata.py(), &door.losses())?;
    }
    Ok(stamp)
}

/// A conversation as a graph knew it when it was looked up: the nodes of its known messages, and the others.
///
/// `MessageGraph.prepare` gives it. Nothing is in the graph because of it until it is committed, which may be done
/// any number of times: what is there by then is met, not added again.
#[pyclass(frozen, module = "toolwire", name = "PendingTurn")]
pub(super) struct PyPendingTurn {
    pending: Pending,
    graph: Py<PyMessageGraph>,
    tail: Kept,
}

impl PyPendingTurn {
    pub(super) fn of(pending: Pending, graph: Py<PyMessageGraph>) -> Self {
        Self { pending, graph, tail: Kept::new() }
    }
}

#[pymethods]
impl PyPendingTurn {
    /// The nodes of the messages that were known, from the first one on.
    #[getter]
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.pending.known)
    }

    /// The messages that were not known.
    #[getter]
    fn tail<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.tail, || {
            Ok(messages_tuple(py, self.pending.tail.iter().map(|(message, _)| message))?.into_any())
        })
    }

    /// The graph that it was looked up in.
    #[getter]
    fn graph<'py>(&self, py: Python<'py>) -> Bound<'py, PyMessageGraph> {
        self.graph.bind(py).clone()
    }

    /// Adds what is missing of the conversation, and the answer of the model; gives the node of the answer.
    ///
    /// `response_message` is an `AssistantMessage`, a mapping in the spelling of `to_dict`, or a host's message object.
    /// `timestamp` is in seconds since 1970, now where it is None, and stands at every node that is added;
    /// `metadata` is free JSON for the node of the answer, under any names but `response_message` and `timestamp`. An
    /// answer that is there already keeps its timestamp and its metadata.
    ///
    /// Raises `ShapeError` for a message of another role, a timestamp that is no finite number, and metadata that is
    /// no JSON (`NaN` included); `LimitError` for metadata beyond the limits of JSON here.
    #[pyo3(signature = (
        response_message: "AssistantMessage | Mapping[str, Any] | SupportsDump",
        *,
        timestamp: "float | None" = None,
        **metadata: "Any",
    ) -> "int")]
    fn commit(
        &self,
        response_message: &Bound<'_, PyAny>,
        timestamp: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<NodeId> {
        let answer = answer_of(response_message, "response_message")?;
        let stamp = stamp_of(timestamp, metadata)?;
        Ok(self.pending.commit(&mut self.graph.get().graph.write(), answer, stamp))
    }

    /// Adds what is missing of the conversation, without an answer; gives the node of its last message, None where it
    /// has no messages. Raises `ShapeError` for a timestamp that is no finite number.
    #[pyo3(signature = (*, timestamp: "float | None" = None) -> "int | None")]
    fn commit_prompt(&self, timestamp: Option<&Bound<'_, PyAny>>) -> PyResult<Option<NodeId>> {
        let timestamp = timestamp_of(timestamp)?;
        Ok(self.pending.commit_prompt(&mut self.graph.get().graph.write(), timestamp))
    }

    fn __repr__(&self) -> String {
        format!("<PendingTurn known={} tail={}>", self.pending.known.len(), self.pending.tail.len())
    }
}
