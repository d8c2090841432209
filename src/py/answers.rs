//! Answers of a provider: read from a body, written as a body or as a stream.

use crate::dialect;
use crate::error::Result;
use crate::json::Cursor;
use crate::message::{Dialect, Response, response_from_plain};
use crate::path::Path;
use crate::py::body::{Body, apart};
use crate::py::dialects::turn_heft;
use crate::py::door::{Door, NOUN_DEPTH, replaced_losses};
use crate::py::errors::{OrRaise, refuse, warn};
use crate::py::rendered::PyRendered;
use crate::py::response::PyResponse;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;

pub(super) fn parse(py: Python<'_>, dialect: Dialect, body: &Bound<'_, PyAny>) -> PyResult<PyResponse> {
    let (response, replaced): (Response, Vec<Path>) =
        Body::of(body)?.read_through(py, Door::for_body(dialect), |value, replaced| {
            Ok((dialect::read_response(dialect, value)?, replaced))
        })?;
    warn(py, &replaced_losses(&replaced))?;
    Ok(PyResponse::of(response))
}

pub(super) fn render(dialect: Dialect, response: &Bound<'_, PyAny>, strict: bool) -> PyResult<PyRendered> {
    let py = response.py();
    let response = response_of(response)?;
    let (body, losses) = write(py, &response, |response| dialect::write_response(dialect, response))?;
    if strict {
        refuse(py, &losses)?;
    }
    PyRendered::object(py, body, &losses)
}

pub(super) fn events<'py>(
    dialect: Dialect,
    response: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let py = response.py();
    let response = response_of(response)?;
    let (events, losses) = write(py, &response, |response| dialect::write_stream(dialect, response))?;
    warn(py, &losses.0)?;
    Ok(events.iter().map(|event| PyBytes::new(py, event)).collect())
}

fn write<R: Send>(
    py: Python<'_>,
    response: &Response,
    work: impl FnOnce(&Response) -> Result<R> + Send,
) -> PyResult<R> {
    // The native body is about as large as the turn that it holds.
    apart(py, 2 * turn_heft(&response.message), || work(response)).or_raise(py)
}

/// Borrowed where it is ours, read where it is its plain spelling. Replaced surrogates are warned about.
pub(super) fn response_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, Response>> {
    if let Ok(response) = object.cast::<PyResponse>() {
        return Ok(Cow::Borrowed(&response.get().response));
    }
    let py = object.py();
    let mut door = Door::new(NOUN_DEPTH);
    let value = door.enter(object, &Path::root())?;
    let response = response_from_plain(Cursor::root(&value)).or_raise(py)?;
    warn(py, &door.losses())?;
    Ok(Cow::Owned(response))
}
