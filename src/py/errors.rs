//! The way out for errors and losses: which Python class each becomes, and nothing else.

use crate::dialect::{Loss, Losses};
use crate::error::{Error, Kind, Result};
use crate::path::Path;
use crate::py::report::PyLoss;
use pyo3::exceptions::{PyException, PyMemoryError, PyRecursionError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = MODULE.get_or_try_init(py, || py.import("toolwire._errors").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

/// The Python exception of one of our errors.
pub(super) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    match class(py, error.kind.class()).and_then(|class| class.call1((error.to_string(),))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

/// Ends a result of the core in Python.
pub(super) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error))
    }
}

/// What a caller's own object raised while it was read, as one of our errors with the original as its cause. What
/// is not about the object (`KeyboardInterrupt`, `MemoryError`) passes as it is, and so do errors of ours.
pub(super) fn blamed(py: Python<'_>, path: Path, cause: PyErr) -> PyErr {
    let ours = class(py, "ToolwireError").is_ok_and(|class| cause.matches(py, class).unwrap_or(false));
    if ours || !cause.is_instance_of::<PyException>(py) || cause.is_instance_of::<PyMemoryError>(py) {
        return cause;
    }
    let kind = if cause.is_instance_of::<PyRecursionError>(py) { Kind::Limit } else { Kind::Shape };
    let name = cause.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let error = raised(py, &Error::new(kind, path, format!("reading it raised {name}")));
    error.set_cause(py, Some(cause));
    error
}

/// The class of a value, for sentences that must not show the value.
pub(super) fn class_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

/// `strict=True`: the first loss as an exception that holds all of them.
pub(super) fn refuse(py: Python<'_>, losses: &Losses) -> PyResult<()> {
    let Err(error) = losses.refuse() else { return Ok(()) };
    let error = raised(py, &error);
    error.value(py).setattr("losses", loss_tuple(py, &losses.0)?)?;
    Err(error)
}

pub(super) fn loss_tuple<'py>(py: Python<'py>, losses: &[Loss]) -> PyResult<Bound<'py, PyTuple>> {
    let losses: Vec<_> =
        losses.iter().map(|loss| Bound::new(py, PyLoss::of(loss))).collect::<PyResult<_>>()?;
    PyTuple::new(py, losses)
}

/// Losses of functions whose result has no room for a report.
pub(super) fn warn(py: Python<'_>, losses: &[Loss]) -> PyResult<()> {
    for loss in losses {
        let category = class(py, "LossWarning")?;
        let warning = category.call1((loss.to_string(), Bound::new(py, PyLoss::of(loss))?))?;
        py.import("warnings")?.call_method1("warn", (warning,))?;
    }
    Ok(())
}
