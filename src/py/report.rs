//! What a conversion says about itself: losses, the rendered body, outcomes of provider-run items.

use crate::dialect::{Code, Loss, NativeOutcome};
use crate::error::Result;
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::path::Path;
use crate::py::noun::{Absent, Form, Noun, manners};
use pyo3::prelude::*;

fn some_str(text: Option<&str>) -> Option<Json> {
    text.map(|text| text.to_owned().into())
}

fn opt_string(fields: &Fields<'_>, key: &str) -> Result<Option<String>> {
    Ok(fields.some_str(key)?.map(str::to_owned))
}

/// One thing that the output does not say, or says in another way.
#[pyclass(frozen, module = "toolwire", name = "Loss")]
pub(super) struct PyLoss {
    code: Code,
    path: String,
    detail: String,
}

impl PyLoss {
    pub(super) fn of(loss: &Loss) -> Self {
        Self { code: loss.code, path: loss.path.to_string(), detail: loss.detail.clone() }
    }
}

impl Noun for PyLoss {
    const FIELDS: &'static [(&'static str, Absent)] =
        &[("code", Absent::Needed), ("path", Absent::Needed), ("detail", Absent::Needed)];

    fn plain(&self) -> Json {
        let object = Object::default()
            .with("code", self.code.as_str())
            .with("path", self.path.clone())
            .with("detail", self.detail.clone());
        Value::from(object)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        let fields = cursor.fields()?;
        let code = fields.need("code")?;
        let name = code.str()?;
        let code = Code::ALL.iter().find(|known| known.as_str() == name);
        let code =
            *code.ok_or_else(|| fields.need("code").map_or_else(|e| e, |c| c.expected("a loss code")))?;
        let (path, detail) = (fields.need_str("path")?.to_owned(), fields.need_str("detail")?.to_owned());
        Ok(Self { code, path, detail })
    }

    fn same(&self, other: &Self) -> bool {
        self.code == other.code && self.path == other.path && self.detail == other.detail
    }
}

manners!(PyLoss);

#[pymethods]
impl PyLoss {
    #[new]
    #[pyo3(signature = (code: "str", path: "str", detail: "str"))]
    fn new<'py>(
        code: &Bound<'py, PyAny>,
        path: &Bound<'py, PyAny>,
        detail: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        Form::new(code.py()).value("code", code)?.value("path", path)?.value("detail", detail)?.build()
    }

    /// What kind of loss: a key of `LOSS_CODES`.
    #[getter]
    fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Where it stands in the request as it was read.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    #[getter]
    fn detail(&self) -> &str {
        &self.detail
    }

    fn __str__(&self) -> String {
        format!("{}: {}: {}", self.path, self.code, self.detail)
    }
}

/// What a provider-run item (a hosted search, a remote MCP call) says about its own outcome.
#[pyclass(frozen, module = "toolwire", name = "NativeOutcome")]
pub(super) struct PyNativeOutcome {
    outcome: NativeOutcome,
}

impl PyNativeOutcome {
    pub(super) fn of(outcome: NativeOutcome) -> Self {
        Self { outcome }
    }
}

impl Noun for PyNativeOutcome {
    const FIELDS: &'static [(&'static str, Absent)] = &[
        ("item", Absent::Needed),
        ("id", Absent::Needed),
        ("path", Absent::Needed),
        ("is_error", Absent::None),
        ("detail", Absent::None),
    ];

    fn plain(&self) -> Json {
        let NativeOutcome { item, id, path, is_error, detail } = &self.outcome;
        let object = Object::default()
            .with("item", item.clone())
            .with_some("id", some_str(id.as_deref()))
            .with("path", path.to_string())
            .with_some("is_error", *is_error)
            .with_some("detail", some_str(detail.as_deref()));
        Value::from(object)
    }

    fn read(cursor: Cursor<'_>) -> Result<Self> {
        let fields = cursor.fields()?;
        let outcome = NativeOutcome {
            item: fields.need_str("item")?.to_owned(),
            id: opt_string(&fields, "id")?,
            path: Path::shown(fields.need_str("path")?),
            is_error: fields.some("is_error").map(|flag| flag.bool()).transpose()?,
            detail: opt_string(&fields, "detail")?,
        };
        Ok(Self { outcome })
    }

    fn same(&self, other: &Self) -> bool {
        // A path that was read back is known as it is shown.
        self.plain() == other.plain()
    }
}

manners!(PyNativeOutcome);

#[pymethods]
impl PyNativeOutcome {
    #[new]
    #[pyo3(signature = (item: "str", id: "str | None", path: "str", is_error: "bool | None" = None, detail: "str | None" = None))]
    fn new<'py>(
        item: &Bound<'py, PyAny>,
        id: &Bound<'py, PyAny>,
        path: &Bound<'py, PyAny>,
        is_error: Option<&Bound<'py, PyAny>>,
        detail: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Form::new(item.py())
            .value("item", item)?
            .value("id", id)?
            .value("path", path)?
            .some("is_error", is_error)?
            .some("detail", detail)?
            .build()
    }

    /// The native type of the item.
    #[getter]
    fn item(&self) -> &str {
        &self.outcome.item
    }

    #[getter]
    fn id(&self) -> Option<&str> {
        self.outcome.id.as_deref()
    }

    #[getter]
    fn path(&self) -> String {
        self.outcome.path.to_string()
    }

    #[getter]
    fn is_error(&self) -> Option<bool> {
        self.outcome.is_error
    }

    /// The error or output text, as far as the item has one.
    #[getter]
    fn detail(&self) -> Option<&str> {
        self.outcome.detail.as_deref()
    }
}
