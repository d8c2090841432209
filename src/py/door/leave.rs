//! JSON values to Python objects, fresh ones each time.

use crate::error::{Error, Kind, Result};
use crate::json::{MAX_DEPTH, Object, Value};
use crate::path::Path;
use crate::py::door::enter::At;
use crate::py::errors::raised;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// Deeper than any reader lets in: a writer wraps what was read.
const DEPTH: usize = MAX_DEPTH + 64;

pub(in crate::py) fn leave<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    out(py, value, At::Base(&Path::root()), 0)
}

fn out<'py>(py: Python<'py>, value: &Value<'_>, at: At<'_>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => Ok(PyBool::new(py, *flag).to_owned().into_any()),
        Value::Number(literal) => number(py, literal, at),
        Value::String(text) => Ok(PyString::new(py, text).into_any()),
        Value::Array(_) | Value::Object(_) if depth >= DEPTH => {
            let what = format!("nested deeper than {DEPTH} levels");
            Err(raised(py, &Error::new(Kind::Limit, at.path(), what)))
        }
        Value::Array(items) => {
            let list = PyList::empty(py);
            for (n, item) in items.iter().enumerate() {
                list.append(out(py, item, At::Index(&at, n), depth + 1)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(object) => members(py, object, at, depth),
    }
}

fn members<'py>(
    py: Python<'py>,
    object: &Object<'_>,
    at: At<'_>,
    depth: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let dict = PyDict::new(py);
    for (key, value) in object.iter() {
        dict.set_item(PyString::new(py, key), out(py, value, At::Key(&at, key), depth + 1)?)?;
    }
    Ok(dict.into_any())
}

/// An integer literal keeps every digit, any other literal is a float.
#[inline(never)]
fn number<'py>(py: Python<'py>, literal: &str, at: At<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(small) = literal.parse::<i64>() {
        return Ok(PyInt::new(py, small).into_any());
    }
    if !literal.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return py.get_type::<PyInt>().call1((literal,)).map_err(|_| {
            let what = "an integer with more digits than Python converts";
            raised(py, &Error::new(Kind::Limit, at.path(), what))
        });
    }
    double(literal, at).map(|double| PyFloat::new(py, double).into_any()).map_err(|error| raised(py, &error))
}

fn double(literal: &str, at: At<'_>) -> Result<f64> {
    match literal.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok(double),
        _ => Err(Error::new(Kind::Limit, at.path(), "a number that no double can hold")),
    }
}
