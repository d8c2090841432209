//! The class of one node of a graph, made when it is asked for.

use crate::error::Result;
use crate::graph::{Node, NodeId, Stamp, Tools};
use crate::identity::{self, Identity};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{Message, message_from_plain, message_to_plain, tool_from_plain, tool_to_plain};
use crate::py::calls::PyTool;
use crate::py::door::leave;
use crate::py::messages::message_object;
use crate::py::noun::{Absent, Form, Kept, Noun, kept, known_fields, manners};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// A message of a conversation and what a graph knows about it.
///
/// `id` is its place in the graph and `parent` the node before it, None for a root. `sampled` says whether a model
/// produced it, as an answer that was committed. `timestamp` is in seconds since 1970, `metadata` any JSON of the
/// caller's, `tools` what the conversation was opened with (of a root only).
#[pyclass(frozen, module = "toolwire", name = "MessageNode")]
pub(super) struct PyMessageNode {
    id: NodeId,
    parent: Option<NodeId>,
    message: Arc<Message>,
    identity: Identity,
    sampled: bool,
    timestamp: f64,
    metadata: Object<'static>,
    tools: Arc<Tools>,
    shown_message: Kept,
    shown_tools: Kept,
}

impl PyMessageNode {
    /// May have to read the message: not to be called while the graph is locked.
    pub(super) fn of(id: NodeId, node: &Node) -> Self {
        Self {
            id,
            parent: node.parent(),
            message: node.held.message(),
            identity: node.identity,
            sampled: node.sampled,
            timestamp: node.timestamp,
            metadata: node.metadata.as_deref().cloned().unwrap_or_default(),
            tools: node.origin.tools().cloned().unwrap_or_else(Tools::none),
            shown_message: Kept::new(),
            shown_tools: Kept::new(),
        }
    }
}

fn id_from(cursor: Cursor<'_>) -> Result<NodeId> {
    cursor.number()?.parse().map_err(|_| cursor.expected("the place of a node in its graph"))
}

impl Noun for PyMessageNode {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("id", Absent::Needed),
        ("message", Absent::Needed),
        ("parent", Absent::None),
        ("sampled", Absent::False),
        ("timestamp", Absent::Zero),
        ("metadata", Absent::Empty),
        ("tools", Absent::Empty),
    ];

    fn plain(&self) -> Json {
        let tools: Vec<_> = self.tools.list.iter().map(tool_to_plain).collect();
        let object = Object::default()
            .with("id", self.id)
            .with("message", message_to_plain(&self.message))
            .with_some("parent", self.parent)
            .with("sampled", self.sampled)
            .with("timestamp", self.timestamp)
            .with_some("metadata", (!self.metadata.is_empty()).then(|| self.metadata.clone()))
            .with_some("tools", (!tools.is_empty()).then_some(tools));
        object.into()
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        let fields = known_fields::<Self>(cursor)?;
        let message = message_from_plain(fields.need("message")?)?;
        let tools = match fields.some("tools") {
            Some(tools) => tools.items()?.map(tool_from_plain).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let metadata =
            fields.some("metadata").map(|metadata| Ok(metadata.fields()?.rest(&[]))).transpose()?;
        Ok(Self {
            id: id_from(fields.need("id")?)?,
            parent: fields.some("parent").map(id_from).transpose()?,
            identity: identity::of(&message),
            message: Arc::new(message),
            sampled: fields.some("sampled").map(|flag| flag.bool()).transpose()?.unwrap_or_default(),
            timestamp: fields.some("timestamp").map(Stamp::seconds).transpose()?.unwrap_or_default(),
            metadata: metadata.unwrap_or_default(),
            tools: Tools::of(tools),
            shown_message: Kept::new(),
            shown_tools: Kept::new(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self.id == other.id
            && self.parent == other.parent
            && self.sampled == other.sampled
            && self.timestamp == other.timestamp
            && self.metadata == other.metadata
            && self.tools.list == other.tools.list
            && self.message == other.message
    }
}

manners!(PyMessageNode);

#[pymethods]
impl PyMessageNode {
    #[new]
    #[pyo3(
        signature = (
            id: "int",
            message: "Message | Mapping[str, Any]",
            parent: "int | None" = None,
            sampled: "bool" = None,
            timestamp: "float" = None,
            metadata: "Mapping[str, Any] | None" = None,
            tools: "Sequence[Tool | Mapping[str, Any]] | None" = None,
        ),
        text_signature = "(id, message, parent=None, sampled=False, timestamp=0.0, metadata=None, tools=None)"
    )]
    fn new<'py>(
        id: &Bound<'py, PyAny>,
        message: &Bound<'py, PyAny>,
        parent: Option<&Bound<'py, PyAny>>,
        sampled: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        metadata: Option<&Bound<'py, PyAny>>,
        tools: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(message.py())
            .value("id", id)?
            .value("message", message)?
            .some("parent", parent)?
            .some("sampled", sampled)?
            .some("timestamp", timestamp)?
            .some("metadata", metadata)?
            .some("tools", tools)?
            .build()
    }

    /// Its place in the graph, from 0 on.
    #[getter]
    fn id(&self) -> NodeId {
        self.id
    }

    /// The node before it; None for a root.
    #[getter]
    fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.shown_message, || message_object(py, (*self.message).clone()))
    }

    /// The identity of the message: 64 hexadecimal digits.
    #[getter]
    fn identity(&self) -> String {
        self.identity.to_string()
    }

    /// Did a model produce it, as an answer that was committed?
    #[getter]
    fn sampled(&self) -> bool {
        self.sampled
    }

    /// When the node was made, in seconds since 1970.
    #[getter]
    fn timestamp(&self) -> f64 {
        self.timestamp
    }

    /// What the caller keeps with it, a fresh dict.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        leave(py, &Value::Object(self.metadata.clone()))
    }

    /// The tools that the conversation was opened with; empty behind a root.
    #[getter]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kept(py, &self.shown_tools, || {
            let tools = self.tools.list.iter().map(|tool| PyTool { tool: tool.clone() });
            Ok(PyTuple::new(py, tools.collect::<Vec<_>>())?.into_any())
        })
    }
}
