//! Sealing and overlaying a body, whichever form it has: what comes out has the form of what went in.

use crate::error::Error;
use crate::json::{MAX_DEPTH, Object, Value};
use crate::message::Dialect;
use crate::path::Path;
use crate::py::body::{Body, Buffer, apart, json_text};
use crate::py::door::{At, Door, answers, is_mapping, leave, mapping_members};
use crate::py::errors::{OrRaise, blamed, raised, warn};
use crate::py::overlay::{Task, on_dict};
use crate::py::wire::Wire;
use crate::request::Sealed;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use std::borrow::Cow;

/// Seals a body or overlays it; the result has the form of the body.
pub(super) fn change<'py>(
    wire: Wire,
    body: &Bound<'py, PyAny>,
    task: &Task<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    match Body::of(body)? {
        Body::Bytes(bytes) => {
            let text = bytes.as_bytes();
            let sealed = apart(py, text.len(), || task.bytes(wire, text)).or_raise(py)?;
            warn(py, &sealed.losses)?;
            Ok(match sealed.body {
                Cow::Borrowed(_) => body.clone(),
                Cow::Owned(changed) => PyBytes::new(py, &changed).into_any(),
            })
        }
        Body::Buffer(bytes, buffer) => {
            let text = bytes.as_bytes();
            let sealed = apart(py, text.len(), || task.bytes(wire, text)).or_raise(py)?;
            warn(py, &sealed.losses)?;
            Ok(match buffer {
                Buffer::Array => PyByteArray::new(py, &sealed.body).into_any(),
                Buffer::View => PyBytes::new(py, &sealed.body).into_any(),
            })
        }
        Body::Text(text) => {
            let json = json_text(&text)?;
            let Sealed { body: sealed, losses } =
                apart(py, json.len(), || task.bytes(wire, json.as_bytes())).or_raise(py)?;
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
            let (sealed, losses) = on_dict(wire, &dict_of(wire.dialect, &object)?, task)?;
            warn(py, &losses)?;
            Ok(sealed.into_any())
        }
    }
}

/// The members of a body that is an object, without touching what they hold.
fn dict_of<'py>(dialect: Dialect, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
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
    let value = Door::for_body(dialect).enter(object, &Path::root())?;
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

pub(super) fn overrides<'py>(
    wire: Wire,
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
    change(wire, body, &Task::Overlay { model: &model, sampling: &sampling })
}
