//! What a caller's object is made of, looked at without copying: exact dicts, lists, strings, and pydantic models that hold
//! just what they dump. Whatever is anything else has no glance and goes through the door.

use crate::json::{MAX_BYTES, Object, Value};
use crate::py::door::{NODE, snapshot};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple, PyType};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Deeper objects, and larger ones, are for the door, which has a sentence for them.
const DEPTH: usize = 16;
const SIZE: usize = MAX_BYTES / 4;

/// So many classes are remembered.
const CLASSES: usize = 16;

pub(super) enum Glance<'py> {
    Null,
    Bool(bool),
    Text(Bound<'py, PyString>),
    List(Vec<Glance<'py>>),
    Members(Vec<(Bound<'py, PyString>, Glance<'py>)>),
}

impl<'py> Glance<'py> {
    pub(super) fn of(object: &Bound<'py, PyAny>) -> Option<Self> {
        if let Some(fields) = fields_of(object) {
            return Eye { left: SIZE }.model(object, &fields, 0);
        }
        Eye { left: SIZE }.value(object, &[], 0)
    }

    /// The same as JSON, which borrows all text; none where that is not Unicode.
    pub(super) fn json(&self) -> Option<Value<'_>> {
        Some(match self {
            Glance::Null => Value::Null,
            Glance::Bool(flag) => Value::Bool(*flag),
            Glance::Text(text) => Value::String(text.to_str().ok()?.into()),
            Glance::List(items) => Value::Array(items.iter().map(Glance::json).collect::<Option<_>>()?),
            Glance::Members(members) => {
                let members =
                    members.iter().map(|(key, value)| Some((key.to_str().ok()?.into(), value.json()?)));
                Value::Object(Object(members.collect::<Option<_>>()?))
            }
        })
    }
}

struct Eye {
    left: usize,
}

impl Eye {
    fn value<'py>(
        &mut self,
        object: &Bound<'py, PyAny>,
        models: &[Model],
        depth: usize,
    ) -> Option<Glance<'py>> {
        self.left = self.left.checked_sub(NODE)?;
        if object.is_exact_instance_of::<PyString>() {
            let text = object.cast::<PyString>().ok()?;
            // A character takes at least a byte, and at most four.
            self.left = self.left.checked_sub(4 * text.len().ok()?)?;
            return Some(Glance::Text(text.clone()));
        }
        if object.is_none() {
            return Some(Glance::Null);
        }
        if let Ok(flag) = object.cast::<PyBool>() {
            return Some(Glance::Bool(flag.is_true()));
        }
        if depth == DEPTH {
            return None;
        }
        if object.is_exact_instance_of::<PyList>() {
            let list = object.cast::<PyList>().ok()?;
            let mut items = Vec::with_capacity(list.len());
            while let Ok(item) = list.get_item(items.len()) {
                items.push(self.value(&item, models, depth + 1)?);
            }
            return Some(Glance::List(items));
        }
        if object.is_exact_instance_of::<PyDict>() {
            let members = snapshot(object.cast::<PyDict>().ok()?);
            let member = |(key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
                let key =
                    key.is_exact_instance_of::<PyString>().then(|| key.cast_into::<PyString>())?.ok()?;
                self.left = self.left.checked_sub(4 * key.len().ok()?)?;
                Some((key, self.value(&value, &[], depth + 1)?))
            };
            return members.into_iter().map(member).collect::<Option<_>>().map(Glance::Members);
        }
        let (_, fields) = models.iter().find(|(class, _)| object.get_type().is(class))?;
        self.model(object, fields, depth)
    }

    /// A field that is None says nothing.
    fn model<'py>(
        &mut self,
        object: &Bound<'py, PyAny>,
        fields: &Fields,
        depth: usize,
    ) -> Option<Glance<'py>> {
        let py = object.py();
        let held = object.getattr(intern!(py, "__dict__")).ok()?;
        let held = held.is_exact_instance_of::<PyDict>().then(|| held.cast_into::<PyDict>())?.ok()?;
        if held.len() != fields.0.len() {
            return None;
        }
        let mut members = Vec::with_capacity(fields.0.len());
        for (name, models) in &fields.0 {
            let name = name.bind(py);
            let value = held.get_item(name).ok()??;
            if !value.is_none() {
                members.push((name.clone(), self.value(&value, models, depth + 1)?));
            }
        }
        Some(Glance::Members(members))
    }
}

/// The fields of a model, each with the models that may stand in it.
struct Fields(Vec<(Py<PyString>, Vec<Model>)>);

type Model = (Py<PyType>, Fields);

impl Fields {
    fn of(plain: &Bound<'_, PyAny>) -> PyResult<Self> {
        let fields = plain.try_iter()?.map(|field| {
            let (name, models): (Bound<'_, PyString>, Bound<'_, PyTuple>) = field?.extract()?;
            let models = models.iter().map(|model| {
                let (class, fields): (Bound<'_, PyType>, Bound<'_, PyAny>) = model.extract()?;
                Ok((class.unbind(), Self::of(&fields)?))
            });
            Ok((name.unbind(), models.collect::<PyResult<_>>()?))
        });
        fields.collect::<PyResult<_>>().map(Self)
    }
}

/// A class that was looked at, and what it was made of at that time.
struct Known {
    class: Py<PyType>,
    serializer: Py<PyAny>,
    dump: Py<PyAny>,
    fields: Option<Arc<Fields>>,
}

/// The last classes that were asked for.
static KNOWN: Mutex<Vec<Arc<Known>>> = Mutex::new(Vec::new());

/// None where the object is no model, or one that only its own dump can read.
fn fields_of(object: &Bound<'_, PyAny>) -> Option<Arc<Fields>> {
    let py = object.py();
    let class = object.get_type();
    if class.is(py.get_type::<PyDict>()) {
        return None;
    }
    let serializer = class.getattr(intern!(py, "__pydantic_serializer__")).ok()?;
    let dump = class.getattr(intern!(py, "model_dump")).ok()?;
    let last = known().iter().find(|known| class.is(&known.class)).cloned();
    if let Some(last) = last
        && serializer.is(&last.serializer)
        && dump.is(&last.dump)
    {
        return last.fields.clone();
    }
    let plain = py.import(intern!(py, "toolwire._models")).ok()?;
    let plain = plain.call_method1(intern!(py, "plain_fields"), (&class,)).ok()?;
    let fields = if plain.is_none() { None } else { Some(Arc::new(Fields::of(&plain).ok()?)) };
    let (class, serializer, dump) = (class.unbind(), serializer.unbind(), dump.unbind());
    let now = Arc::new(Known { class, serializer, dump, fields: fields.clone() });
    // What is forgotten is dropped behind the lock: a class may run code when it goes.
    let forgotten = {
        let mut all = known();
        let place = all.iter().position(|known| known.class.is(&now.class));
        let stale =
            place.or_else(|| (all.len() == CLASSES).then_some(CLASSES - 1)).map(|place| all.remove(place));
        all.insert(0, now);
        stale
    };
    drop(forgotten);
    fields
}

fn known() -> MutexGuard<'static, Vec<Arc<Known>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
