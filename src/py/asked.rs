//! The model and sampling that were asked for last: a server asks for the same objects turn after turn, and converting
//! them again costs more than anything else in a turn's body.

use crate::error::Error;
use crate::json::{MAX_DEPTH, Value};
use crate::path::Path;
use crate::py::change::sampling_of;
use crate::py::door::Door;
use crate::py::errors::raised;
use crate::rollout::Overrides;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub(super) struct Asked(Mutex<Option<Last>>);

/// Objects that cannot change, and what they mean.
struct Last {
    model: Py<PyAny>,
    knobs: Vec<(Py<PyAny>, Py<PyAny>)>,
    overrides: Arc<Overrides>,
}

impl Asked {
    /// The overrides that these objects mean.
    pub(super) fn overrides(
        &self,
        model: &Bound<'_, PyAny>,
        sampling: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Arc<Overrides>> {
        let py = model.py();
        let knobs = knobs_of(sampling);
        if let Some(knobs) = &knobs
            && let Some(last) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && last.is(model, knobs)
        {
            return Ok(last.overrides.clone());
        }
        let path = Path::root().key("model");
        let Value::String(name) = Door::new(MAX_DEPTH).enter(model, &path)? else {
            return Err(raised(py, &Error::shape(path, "expected a string")));
        };
        let overrides = Overrides::new(name.into_owned(), sampling_of(py, sampling)?);
        if let Some(knobs) = knobs.filter(|_| is_constant(model)) {
            let knobs = knobs.into_iter().map(|(name, knob)| (name.unbind(), knob.unbind())).collect();
            let now = Last { model: model.clone().unbind(), knobs, overrides: overrides.clone() };
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        }
        Ok(overrides)
    }
}

impl Last {
    fn is(&self, model: &Bound<'_, PyAny>, knobs: &[Knob<'_>]) -> bool {
        let same = |((a, b), (name, knob)): (&(Py<PyAny>, Py<PyAny>), &Knob<'_>)| name.is(a) && knob.is(b);
        model.is(&self.model) && self.knobs.len() == knobs.len() && self.knobs.iter().zip(knobs).all(same)
    }
}

type Knob<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The members of a dict of constants; none where it is anything else.
fn knobs_of<'py>(sampling: Option<&Bound<'py, PyAny>>) -> Option<Vec<Knob<'py>>> {
    let Some(sampling) = sampling else { return Some(Vec::new()) };
    let dict = sampling.cast_exact::<PyDict>().ok()?;
    let knobs: Vec<Knob<'py>> = dict.iter().collect();
    knobs.iter().all(|(name, knob)| is_constant(name) && is_constant(knob)).then_some(knobs)
}

fn is_constant(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
}
