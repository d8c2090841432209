//! The class of a graph; Python's objects stay outside of it, and outside of its lock.

use crate::graph::{Graph, Held, Node, NodeId, Pending, Shared, Tools};
use crate::identity::Print;
use crate::json::{Cursor, MAX_DEPTH, Value};
use crate::message::Message;
use crate::path::Path;
use crate::py::body::{Body, apart};
use crate::py::dialects::heft;
use crate::py::door::{Door, answers, leave, replaced_losses};
use crate::py::errors::{OrRaise, blamed, warn};
use crate::py::hosts::{message_of, tool_of};
use crate::py::messages::message_object;
use crate::py::node::PyMessageNode;
use crate::py::noun::each;
use crate::py::pending::PyPendingTurn;
use crate::record::{from_verifiers, to_verifiers};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyRange, PyTuple, PyType};
use std::sync::Arc;

/// Messages as a tuple of objects.
pub(super) fn messages_tuple<'a, 'py>(
    py: Python<'py>,
    messages: impl Iterator<Item = &'a Arc<Message>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let messages = messages.map(|message| message_object(py, (**message).clone()));
    PyTuple::new(py, messages.collect::<PyResult<Vec<_>>>()?)
}

/// Every message of a rollout once: a tree in which a message that was stated before is met, not added again.
///
/// A node is keyed by the identity of its message and the node before it, a root also by the identity of the
/// tools; so a conversation in any spelling leads to the same nodes, and a failed and a good result with the same
/// content are two. A result that says nothing of its outcome (`is_error=None`) meets the node that declared one, of
/// two the older. Nodes are only ever added, and what a node says stays: a result that was first stated in silence
/// says `None` also when a success is declared for it later, for that meets the same node. `graph[id]` and the methods
/// that take a node count negative ids from the end, as a list does, and raise `IndexError` where there is none.
///
/// `len` is the number of nodes; iteration gives those that are there when it begins, in the order of their ids.
/// Graphs are equal if their nodes are, one by one. Copies are graphs of their own. Threads may share a graph.
#[pyclass(frozen, module = "toolwire", name = "MessageGraph")]
pub(super) struct PyMessageGraph {
    pub(super) graph: Shared,
}

impl PyMessageGraph {
    /// Looks at a node. Nothing of Python may happen in there: the graph is locked.
    fn at<T>(&self, node: &Bound<'_, PyAny>, look: impl FnOnce(&Graph, NodeId, &Node) -> T) -> PyResult<T> {
        let missing = || PyIndexError::new_err("no such node in this graph");
        let place = node.extract::<isize>().map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(node.py()) { missing() } else { error }
        })?;
        let graph = self.graph.read();
        let place =
            if place < 0 { graph.len().checked_add_signed(place) } else { usize::try_from(place).ok() };
        let id = place.and_then(|place| NodeId::try_from(place).ok());
        let seen = id.and_then(|id| Some(look(&graph, id, graph.node(id)?)));
        drop(graph);
        seen.ok_or_else(missing)
    }

    /// The nodes that are there now.
    pub(super) fn nodes(&self) -> Vec<Node> {
        self.graph.read().nodes().to_vec()
    }
}

#[pymethods]
impl PyMessageGraph {
    #[new]
    fn new() -> Self {
        Self { graph: Shared::default() }
    }

    /// Looks a conversation up: which of its messages, from the first one on, are known. Changes nothing.
    ///
    /// `messages` are ours, mappings in the spelling of `to_dict`, or a host's message objects, and so are `tools`; no
    /// tools and an empty list are the same. Large inputs are hashed with the interpreter released. Lone surrogates
    /// read as U+FFFD, with a `LossWarning`. Raises `ShapeError` for what is no message or no tool.
    #[pyo3(signature = (
        messages: "Sequence[Message | Mapping[str, Any] | SupportsDump]",
        tools: "Sequence[Tool | Mapping[str, Any] | SupportsDump] | None" = None,
    ) -> "PendingTurn")]
    fn prepare(
        slf: &Bound<'_, Self>,
        messages: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPendingTurn> {
        let (mut stated, mut declared) = (Vec::new(), Vec::new());
        each(messages, &Path::root().key("messages"), |message, path| {
            stated.push(message_of(message, &path)?.into_owned());
            Ok(())
        })?;
        if let Some(tools) = tools {
            each(tools, &Path::root().key("tools"), |tool, path| {
                declared.push(tool_of(tool, &path)?);
                Ok(())
            })?;
        }
        let graph = &slf.get().graph;
        let pending = apart(slf.py(), stated.iter().map(heft).sum(), || {
            let tools = Tools::of(declared);
            let print = |message: Message| {
                let print = Print::of(&message);
                (Arc::new(message), print)
            };
            let messages = stated.into_iter().map(print).collect();
            Pending::of(&graph.read(), tools, messages)
        });
        Ok(PyPendingTurn::of(pending, slf.clone().unbind()))
    }

    fn __len__(&self) -> usize {
        self.graph.read().len()
    }

    fn __getitem__(&self, node: &Bound<'_, PyAny>) -> PyResult<PyMessageNode> {
        let (id, node) = self.at(node, |_, id, node| (id, node.clone()))?;
        Ok(PyMessageNode::of(id, &node))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let ids = PyRange::new(py, 0, isize::try_from(slf.get().__len__())?)?;
        py.import("builtins")?.call_method1("map", (slf.getattr("__getitem__")?, ids))
    }

    /// The nodes that nothing stands behind, in the order of their ids.
    #[getter]
    fn leaves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let leaves = self.graph.read().leaves();
        PyTuple::new(py, leaves)
    }

    /// One conversation for each leaf: the ids of its nodes, from the root on.
    #[getter]
    fn branches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let paths: Vec<_> = {
            let graph = self.graph.read();
            graph.leaves().into_iter().map(|leaf| graph.path(leaf)).collect()
        };
        let paths: Vec<_> = paths.iter().map(|path| PyTuple::new(py, path)).collect::<PyResult<_>>()?;
        PyTuple::new(py, paths)
    }

    /// The ids of the conversation that ends at a node, from its root to the node itself.
    #[pyo3(signature = (node: "int") -> "tuple[int, ...]")]
    fn path<'py>(&self, node: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let path = self.at(node, |graph, id, _| graph.path(id))?;
        PyTuple::new(node.py(), path)
    }

    /// The messages of the conversation that ends at a node, from its root to the node itself.
    #[pyo3(signature = (node: "int") -> "tuple[Message, ...]")]
    fn messages<'py>(&self, node: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let py = node.py();
        let held: Vec<_> = self.at(node, |graph, id, _| {
            graph.path(id).into_iter().filter_map(|id| Some(graph.node(id)?.held.clone())).collect()
        })?;
        let read = || held.iter().map(Held::message).collect::<Vec<_>>();
        let messages = apart(py, held.iter().map(unread).sum(), read);
        messages_tuple(py, messages.iter())
    }

    /// A graph from a trace record of verifiers.
    ///
    /// `record` is what `Trace.to_record()` or `Trace.model_dump(mode="json")` gives, with its nulls or without, the
    /// same as JSON in bytes or text, the list of its `nodes`, or the trace itself; of a saved episode, each of its
    /// `traces`. A node keeps the fields that are not typed here as its metadata, as they are; where the record spells
    /// a typed field as `to_verifiers` would not, that stands in the metadata under `_verifiers`. Equal siblings stay
    /// two nodes, of which lookups find the first.
    ///
    /// Raises `ShapeError` for another shape, also a node whose parent is not before it; `JsonError` for text that is
    /// no JSON; `LimitError` beyond the limits of JSON here.
    #[classmethod]
    #[pyo3(signature = (record: "Mapping[str, Any] | Sequence[Mapping[str, Any] | SupportsDump] | bytes | str | SupportsDump") -> "Self")]
    fn from_verifiers(_class: &Bound<'_, PyType>, record: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = record.py();
        let read = |value: &Value<'_>, replaced| Ok((from_verifiers(Cursor::root(value))?, replaced));
        let (graph, replaced) = match Body::of(record)? {
            Body::Object(object) => {
                let mut door = Door::new(MAX_DEPTH).with_defaults();
                // The trace itself leaves out what no record holds.
                let object = match answers(&object, "to_record") {
                    true => object.call_method0("to_record").map_err(|e| blamed(py, Path::root(), e))?,
                    false => object,
                };
                let value = door.enter(&object, &Path::root())?;
                let (size, replaced) = (door.size(), door.replaced);
                apart(py, size, || read(&value, replaced)).or_raise(py)?
            }
            text => text.read(py, read)?,
        };
        warn(py, &replaced_losses(&replaced))?;
        Ok(Self { graph: Shared::new(graph) })
    }

    /// The `nodes` of a trace record of verifiers, fresh dicts: exactly those that `from_verifiers` read, if it did.
    ///
    /// Metadata becomes fields of the node. What a record has no field for (`extra`, `developer`, settings of tools
    /// that a provider runs) is left out. Raises `UnsupportedError` for content other than text and images, and for
    /// metadata with the name of a typed field; `LimitError` for a number that Python cannot hold.
    #[pyo3(signature = () -> "list[dict[str, Any]]")]
    fn to_verifiers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let nodes = self.nodes();
        let record = apart(py, weight(&nodes), || to_verifiers(&nodes)).or_raise(py)?;
        PyList::new(py, record.iter().map(|node| leave(py, node)).collect::<PyResult<Vec<_>>>()?)
    }

    fn __eq__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let same = slf.is(other) || {
            // One lock after the other, and none while messages are compared.
            let (ours, theirs) = (slf.get().nodes(), other.get().nodes());
            apart(py, weight(&ours), || ours == theirs)
        };
        Ok(PyBool::new(py, same).to_owned().into_any())
    }

    #[pyo3(signature = () -> "Self")]
    fn __copy__(&self) -> Self {
        let graph: Graph = self.graph.read().clone();
        Self { graph: Shared::new(graph) }
    }

    #[pyo3(signature = (memo: "Any") -> "Self")]
    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Self {
        let _ = memo;
        self.__copy__()
    }

    fn __repr__(&self) -> String {
        let graph = self.graph.read();
        format!("<MessageGraph nodes={} branches={}>", graph.len(), graph.leaves().len())
    }
}

/// Roughly the bytes that must be read to have a message.
fn unread(held: &Held) -> usize {
    match held {
        Held::Message(_) => 0,
        Held::Source { source, key, .. } => source.size(*key),
    }
}

/// Roughly the bytes of some nodes, as far as that is known without reading their messages.
pub(super) fn weight(nodes: &[Node]) -> usize {
    let of_node = |node: &Node| {
        let metadata = node.metadata.iter().flat_map(|metadata| metadata.iter());
        let metadata: usize = metadata.map(|(_, value)| spread(value)).sum();
        metadata
            + match &node.held {
                Held::Message(message) => heft(message),
                Held::Source { .. } => unread(&node.held),
            }
    };
    nodes.iter().map(of_node).sum()
}

/// Roughly the bytes of a value.
fn spread(value: &Value<'_>) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(text) | Value::String(text) => 2 + text.len(),
        Value::Array(items) => 2 + items.iter().map(spread).sum::<usize>(),
        Value::Object(object) => {
            2 + object.iter().map(|(key, value)| key.len() + spread(value)).sum::<usize>()
        }
    }
}
