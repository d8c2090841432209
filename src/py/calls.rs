//! Calls, and the declarations they call.

use crate::error::Result;
use crate::json::{Cursor, Json};
use crate::message::{
    Tool, ToolCall, tool_call_from_plain, tool_call_to_plain, tool_from_plain, tool_to_plain,
};
use crate::py::door::leave;
use crate::py::messages::{extra_object, some_text};
use crate::py::noun::{Absent, Form, Kept, Noun, keep, manners};
use pyo3::prelude::*;

/// A call of a tool that the client runs. `arguments` is JSON text for a function and any text for a custom tool,
/// exactly as the model wrote it.
#[pyclass(frozen, module = "toolwire", name = "ToolCall")]
pub(super) struct PyToolCall {
    call: ToolCall,
    arguments: Kept,
}

impl PyToolCall {
    pub(super) fn of(call: ToolCall) -> Self {
        Self { call, arguments: Kept::new() }
    }
}

impl Noun for PyToolCall {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("id", Absent::Needed),
        ("name", Absent::Needed),
        ("arguments", Absent::Needed),
        ("type", Absent::Function),
        ("namespace", Absent::None),
        ("extra", Absent::None),
    ];

    fn plain(&self) -> Json {
        tool_call_to_plain(&self.call)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        tool_call_from_plain(cursor).map(Self::of)
    }

    fn same(&self, other: &Self) -> bool {
        self.call == other.call
    }
}

manners!(PyToolCall);

#[pymethods]
impl PyToolCall {
    #[new]
    #[pyo3(
        signature = (
            id: "str",
            name: "str",
            arguments: "str",
            r#type: "str" = None,
            namespace: "str | None" = None,
            extra: "ExtraInput" = None,
        ),
        text_signature = "(id, name, arguments, type='function', namespace=None, extra=None)"
    )]
    fn new<'py>(
        id: &Bound<'py, PyAny>,
        name: &Bound<'py, PyAny>,
        arguments: &Bound<'py, PyAny>,
        r#type: Option<&Bound<'py, PyAny>>,
        namespace: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let call: Self = Form::new(id.py())
            .value("id", id)?
            .value("name", name)?
            .value("arguments", arguments)?
            .some("type", r#type)?
            .some("namespace", namespace)?
            .some("extra", extra)?
            .build()?;
        keep(&call.arguments, Some(arguments));
        Ok(call)
    }

    #[getter]
    fn id(&self) -> &str {
        &self.call.id
    }

    #[getter]
    fn name(&self) -> &str {
        &self.call.name
    }

    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        some_text(py, &self.arguments, Some(&self.call.arguments))
    }

    /// `function` or `custom`.
    #[getter]
    fn r#type(&self) -> &'static str {
        self.call.kind.as_str()
    }

    #[getter]
    fn namespace(&self) -> Option<&str> {
        self.call.namespace.as_deref()
    }

    /// The fields that one wire has and no other, by its name.
    #[getter]
    fn extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        extra_object(py, &self.call.extra)
    }
}

/// The declaration of a tool.
#[pyclass(frozen, module = "toolwire", name = "Tool")]
pub(super) struct PyTool {
    pub(super) tool: Tool,
}

impl Noun for PyTool {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("name", Absent::Needed),
        ("description", Absent::None),
        ("parameters", Absent::None),
        ("strict", Absent::None),
        ("type", Absent::Function),
        ("namespace", Absent::None),
        ("format", Absent::None),
        ("extra", Absent::None),
    ];

    fn plain(&self) -> Json {
        tool_to_plain(&self.tool)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        tool_from_plain(cursor).map(|tool| Self { tool })
    }

    fn same(&self, other: &Self) -> bool {
        self.tool == other.tool
    }
}

manners!(PyTool);

#[pymethods]
impl PyTool {
    #[new]
    #[pyo3(
        signature = (
            name: "str",
            description: "str | None" = None,
            parameters: "Mapping[str, Any] | None" = None,
            strict: "bool | None" = None,
            r#type: "str" = None,
            namespace: "str | None" = None,
            format: "Mapping[str, Any] | None" = None,
            extra: "ExtraInput" = None,
        ),
        text_signature = "(name, description=None, parameters=None, strict=None, type='function', namespace=None, format=None, extra=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "one per field")]
    fn new<'py>(
        name: &Bound<'py, PyAny>,
        description: Option<&Bound<'py, PyAny>>,
        parameters: Option<&Bound<'py, PyAny>>,
        strict: Option<&Bound<'py, PyAny>>,
        r#type: Option<&Bound<'py, PyAny>>,
        namespace: Option<&Bound<'py, PyAny>>,
        format: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(name.py())
            .value("name", name)?
            .some("description", description)?
            .some("parameters", parameters)?
            .some("strict", strict)?
            .some("type", r#type)?
            .some("namespace", namespace)?
            .some("format", format)?
            .some("extra", extra)?
            .build()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.tool.name
    }

    #[getter]
    fn description(&self) -> Option<&str> {
        self.tool.description.as_deref()
    }

    /// JSON Schema of the arguments, a fresh dict.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.tool.parameters.as_ref().map(|schema| leave(py, schema)).transpose()
    }

    #[getter]
    fn strict(&self) -> Option<bool> {
        self.tool.strict
    }

    /// `function`, `custom`, or the native type of a tool that the provider runs.
    #[getter]
    fn r#type(&self) -> &str {
        self.tool.kind.as_str()
    }

    #[getter]
    fn namespace(&self) -> Option<&str> {
        self.tool.namespace.as_deref()
    }

    /// The format of a custom tool's input, a fresh dict.
    #[getter]
    fn format<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.tool.format.as_ref().map(|format| leave(py, format)).transpose()
    }

    /// The fields that one wire has and no other, by its name.
    #[getter]
    fn extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        extra_object(py, &self.tool.extra)
    }
}
