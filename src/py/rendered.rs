//! The class of a rendered body with its report.

use crate::dialect::Losses;
use crate::direct::Pieces;
use crate::error::Error;
use crate::json::{Json, MAX_DEPTH, Object, Repeats, Value, canonical, compact, parse_text};
use crate::message::Text;
use crate::path::Path;
use crate::py::body::{Body, json_text};
use crate::py::door::{At, Door, NOUN_DEPTH, is_mapping, leave, mapping_members};
use crate::py::errors::{OrRaise, blamed, loss_tuple, raised, warn};
use crate::py::mcp;
use crate::py::noun::{Carried, Noun, each, pydantic};
use crate::py::report::PyLoss;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

enum Held {
    Object(Json),
    Bytes(Py<PyBytes>),
    Text(Py<PyString>),
}

/// A body of some wire and what it could not carry.
#[pyclass(frozen, module = "toolwire", name = "Rendered")]
pub(super) struct PyRendered {
    body: Held,
    losses: Py<PyTuple>,
    model: Option<Text>,
}

/// How `convert` hands a body back.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Bytes,
    Text,
}

impl PyRendered {
    pub(super) fn object(py: Python<'_>, body: Object<'static>, losses: &Losses) -> PyResult<Self> {
        Ok(Self {
            body: Held::Object(Value::Object(body)),
            losses: loss_tuple(py, &losses.0)?.unbind(),
            model: None,
        })
    }

    /// A body that was written as text already.
    pub(super) fn text(py: Python<'_>, text: &Pieces, shape: Shape, losses: &Losses) -> PyResult<Self> {
        let body = match shape {
            Shape::Text => Held::Text(PyString::new(py, &String::from_utf8_lossy(&text.concat())).unbind()),
            Shape::Bytes => {
                let len = text.iter().map(Vec::len).sum();
                let bytes = PyBytes::new_with(py, len, |mut place| {
                    text.iter().try_for_each(|piece| place.write_all(piece)).map_err(PyErr::from)
                });
                Held::Bytes(bytes?.unbind())
            }
        };
        Ok(Self { body, losses: loss_tuple(py, &losses.0)?.unbind(), model: None })
    }

    pub(super) fn with_model(self, model: Option<Text>) -> Self {
        Self { model, ..self }
    }
}

#[pymethods]
impl PyRendered {
    #[new]
    #[pyo3(
        signature = (
            body: "bytes | str | Mapping[str, Any]",
            losses: "Sequence[Loss | Mapping[str, Any]]" = None,
            model: "str | None" = None,
        ),
        text_signature = "(body, losses=(), model=None)"
    )]
    fn new<'py>(
        body: &Bound<'py, PyAny>,
        losses: Option<&Bound<'py, PyAny>>,
        model: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let py = body.py();
        let model = model.map(|model| mcp::text(model, "model")).transpose()?;
        let held = match Body::of(body)? {
            Body::Bytes(bytes) | Body::Buffer(bytes, _) => Held::Bytes(bytes.unbind()),
            Body::Text(text) => Held::Text(text.unbind()),
            Body::Object(object) => {
                let mut door = Door::new(NOUN_DEPTH);
                let path = Path::root().key("body");
                let value = door.enter(&object, &path)?;
                if value.as_object().is_none() {
                    return Err(raised(py, &Error::shape(path, "expected an object")));
                }
                warn(py, &door.losses())?;
                Held::Object(value)
            }
        };
        let mut report = Vec::new();
        if let Some(losses) = losses {
            let path = Path::root().key("losses");
            each(losses, &path, |loss, path| {
                let loss = match loss.cast::<PyLoss>() {
                    Ok(loss) => loss.clone(),
                    Err(_) => {
                        let value = Door::new(NOUN_DEPTH).enter(loss, &path)?;
                        let cursor = crate::json::Cursor::below(&path, &value);
                        Bound::new(py, PyLoss::read(cursor).or_raise(py)?)?
                    }
                };
                report.push(loss);
                Ok(())
            })?;
        }
        let losses = PyTuple::new(py, report)?.unbind();
        Ok(Self { body: held, losses, model })
    }

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["body", "losses", "model"])
    }

    /// The body: a fresh dict each time, or the bytes or text that `convert` was asked for.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.body {
            Held::Object(value) => leave(py, value),
            Held::Bytes(bytes) => Ok(bytes.bind(py).clone().into_any()),
            Held::Text(text) => Ok(text.bind(py).clone().into_any()),
        }
    }

    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.losses.bind(py).clone()
    }

    /// The model of the request, where the wire names it in the URL and not in the body; else None.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The body as compact JSON, written without a detour through dicts.
    #[pyo3(signature = () -> "bytes")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match &self.body {
            Held::Object(value) => Ok(PyBytes::new(py, compact(value).as_bytes())),
            Held::Bytes(bytes) => Ok(bytes.bind(py).clone()),
            Held::Text(text) => Ok(PyBytes::new(py, json_text(text.bind(py))?.as_bytes())),
        }
    }

    /// `to_bytes` as text.
    #[pyo3(signature = () -> "str")]
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        match &self.body {
            Held::Object(value) => Ok(PyString::new(py, &compact(value))),
            Held::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes.bind(py).as_bytes());
                let text = text.map_err(|_| raised(py, &Error::shape(Path::root(), "not valid UTF-8")))?;
                Ok(PyString::new(py, text))
            }
            Held::Text(text) => Ok(text.bind(py).clone()),
        }
    }

    /// `body`, `losses`, and `model` where there is one, as a dict.
    #[pyo3(signature = () -> "dict[str, Any]")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let losses = self.losses.bind(py).iter().map(|loss| loss.call_method0("to_dict"));
        let dict = PyDict::new(py);
        dict.set_item("body", self.body(py)?)?;
        dict.set_item("losses", losses.collect::<PyResult<Vec<_>>>()?)?;
        if let Some(model) = &self.model {
            dict.set_item("model", &**model)?;
        }
        Ok(dict)
    }

    #[classmethod]
    #[pyo3(signature = (data: "Mapping[str, Any]") -> "Self")]
    fn from_dict(_class: &Bound<'_, PyType>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, root) = (data.py(), Path::root());
        if !is_mapping(data) {
            return Err(raised(py, &Error::shape(root, "expected an object")));
        }
        let members = mapping_members(data, &mut Door::new(NOUN_DEPTH), At::Base(&root));
        let (mut body, mut losses, mut model) = (None, None, None);
        for (key, value) in members.map_err(|cause| blamed(py, root.clone(), cause))? {
            match key.extract::<String>().as_deref() {
                Ok("body") => body = Some(value),
                Ok("losses") => losses = Some(value).filter(|losses| !losses.is_none()),
                Ok("model") => model = Some(value).filter(|model| !model.is_none()),
                Ok(key) => return Err(raised(py, &Error::shape(root.key(key), "unknown field"))),
                Err(_) => return Err(raised(py, &Error::shape(root, "a key that is not a string"))),
            }
        }
        let body = body.ok_or_else(|| raised(py, &Error::shape(root.key("body"), "missing")))?;
        Self::new(&body, losses.as_ref(), model.as_ref())
    }

    /// A copy with other fields.
    #[pyo3(signature = (**changes: "Any") -> "Self")]
    fn replace<'py>(
        slf: &Bound<'py, Self>,
        changes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(slf.py());
        // As it is held: Python need not hold its numbers.
        let body = match &slf.get().body {
            Held::Object(value) => Carried::of(slf.py(), value.clone())?,
            Held::Bytes(_) | Held::Text(_) => slf.get().body(slf.py())?,
        };
        fields.set_item("body", body)?;
        fields.set_item("losses", slf.get().losses(slf.py()))?;
        fields.set_item("model", slf.get().model())?;
        if let Some(changes) = changes {
            fields.update(changes.as_mapping())?;
        }
        slf.get_type().call((), Some(&fields))
    }

    /// What `copy.replace` calls.
    #[pyo3(signature = (**changes: "Any") -> "Self")]
    fn __replace__<'py>(
        slf: &Bound<'py, Self>,
        changes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::replace(slf, changes)
    }

    #[classmethod]
    #[pyo3(signature = (source: "Any", handler: "Any") -> "Any")]
    fn __get_pydantic_core_schema__<'py>(
        class: &Bound<'py, PyType>,
        source: &Bound<'py, PyAny>,
        handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        pydantic(class, "core_schema_of", source, handler)
    }

    #[classmethod]
    #[pyo3(signature = (core_schema: "Any", handler: "Any") -> "Any")]
    fn __get_pydantic_json_schema__<'py>(
        class: &Bound<'py, PyType>,
        core_schema: &Bound<'py, PyAny>,
        handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        pydantic(class, "json_schema_of", core_schema, handler)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented().into_bound(py)) };
        let other = other.get();
        let same = match (&self.body, &other.body) {
            (Held::Object(a), Held::Object(b)) => a == b,
            (Held::Bytes(a), Held::Bytes(b)) => a.bind(py).as_bytes() == b.bind(py).as_bytes(),
            (Held::Text(a), Held::Text(b)) => a.bind(py).as_any().eq(b.bind(py))?,
            _ => false,
        };
        let same =
            same && self.model == other.model && self.losses.bind(py).as_any().eq(other.losses.bind(py))?;
        Ok(PyBool::new(py, same).to_owned().into_any())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        match &self.body {
            Held::Object(value) => canonical(value).hash(&mut hasher),
            Held::Bytes(bytes) => bytes.bind(py).as_bytes().hash(&mut hasher),
            Held::Text(text) => text.bind(py).hash()?.hash(&mut hasher),
        }
        self.losses.bind(py).hash()?.hash(&mut hasher);
        self.model.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let body =
            self.body(py).and_then(|body| Ok(body.repr()?.to_string())).unwrap_or_else(|_| "...".into());
        let model = match self.model() {
            Some(model) => format!(", model={}", PyString::new(py, model).repr()?),
            None => String::new(),
        };
        Ok(format!("Rendered(body={body}, losses={}{model})", self.losses.bind(py).repr()?))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        let _ = memo;
        slf.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let losses = slf.get().losses(py).into_any();
        let model = slf.get().model().into_pyobject(py)?.into_any();
        if let Held::Object(body) = &slf.get().body
            && body.nests_within(MAX_DEPTH)
        {
            let text = PyString::new(py, &compact(body)).into_any();
            return Ok((slf.get_type().getattr("_from_json")?, PyTuple::new(py, [text, losses, model])?));
        }
        Ok((slf.get_type().into_any(), PyTuple::new(py, [slf.get().body(py)?, losses, model])?))
    }

    /// What a pickle calls: the body as JSON text, which holds numbers that Python cannot.
    #[classmethod]
    #[pyo3(signature = (text: "str", losses: "Sequence[Loss]", model: "str | None" = None) -> "Self")]
    fn _from_json(
        _class: &Bound<'_, PyType>,
        text: &Bound<'_, PyString>,
        losses: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = text.py();
        let text = json_text(text)?;
        let body = parse_text(&text, Repeats::LastWins).or_raise(py)?.value.into_owned();
        Self::new(&Carried::of(py, body)?, Some(losses), model)
    }
}
