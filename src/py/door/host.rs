//! Objects of other libraries (pydantic models, dataclasses, mappings) one step nearer to JSON.

use crate::json::{Json, Value};
use crate::py::door::enter::{At, Door};
use crate::py::noun;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};

pub(super) enum Step<'py> {
    Json(Json),
    Members(Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>),
    /// A pydantic dump of everything.
    Whole(Bound<'py, PyAny>),
    /// A pydantic dump of what was set, and one with the defaults.
    Tagged {
        dump: Bound<'py, PyAny>,
        full: Bound<'py, PyAny>,
    },
}

/// None for what has no way to JSON.
pub(super) fn step<'py>(
    object: &Bound<'py, PyAny>,
    door: &mut Door,
    at: At<'_>,
) -> PyResult<Option<Step<'py>>> {
    if let Some(json) = noun::plain_of(object) {
        return Ok(Some(Step::Json(json)));
    }
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if answers(object, "model_dump") {
        if door.defaults {
            return dumped(object, None).map(|dump| Some(Step::Whole(dump)));
        }
        let dump = dumped(object, Some("exclude_unset"))?;
        let full = dumped(object, Some("exclude_none"))?;
        return Ok(Some(Step::Tagged { dump, full }));
    }
    if answers(object, "__dataclass_fields__") {
        let mut members = Vec::new();
        for name in object.get_type().getattr("__dataclass_fields__")?.try_iter()? {
            let name = name?;
            let value = object.getattr(name.cast::<PyString>()?)?;
            members.push((name, value));
        }
        return Ok(Some(Step::Members(members)));
    }
    if is_mapping(object) {
        return mapping_members(object, door, at).map(|members| Some(Step::Members(members)));
    }
    Ok(None)
}

/// The members of a mapping; an iterator without an end meets the size limit.
pub(in crate::py) fn mapping_members<'py>(
    object: &Bound<'py, PyAny>,
    door: &mut Door,
    at: At<'_>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let mut members = Vec::new();
    for item in object.call_method0("items")?.try_iter()? {
        door.spend(object.py(), super::enter::NODE, at)?;
        members.push(item?.extract()?);
    }
    Ok(members)
}

/// Does the class have this attribute? Not the instance: that may answer to any name.
pub(in crate::py) fn answers(object: &Bound<'_, PyAny>, name: &str) -> bool {
    object.get_type().hasattr(name).unwrap_or(false)
}

static MAPPING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A `collections.abc.Mapping`. An object that raises when it is asked is none.
pub(in crate::py) fn is_mapping(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let class =
        MAPPING.get_or_try_init(py, || py.import("collections.abc")?.getattr("Mapping").map(Bound::unbind));
    class.is_ok_and(|class| object.is_instance(class.bind(py)).unwrap_or(false))
}

fn dumped<'py>(object: &Bound<'py, PyAny>, exclude: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(object.py());
    options.set_item("mode", "json")?;
    options.set_item("by_alias", true)?;
    if let Some(exclude) = exclude {
        options.set_item(exclude, true)?;
    }
    options.set_item("warnings", false)?;
    object.call_method("model_dump", (), Some(&options))
}

/// A model as JSON types without its empty fields; for hosts whose fields have defaults that are never set.
pub(in crate::py) fn dump_without_none<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    dumped(object, Some("exclude_none"))
}

/// A dump of what was set lacks a `type` or `role` that the class fills in by default, and without it a block is
/// nothing. Everything else that nobody set stays out: a default is not a statement.
pub(super) fn restore_tags(value: &mut Json, full: &Json) {
    match (value, full) {
        (Value::Object(object), Value::Object(full)) => {
            for (key, member) in &mut object.0 {
                if let Some(full) = full.get(key) {
                    restore_tags(member, full);
                }
            }
            for tag in ["type", "role"] {
                if let (None, Some(Value::String(text))) = (object.get(tag), full.get(tag)) {
                    object.0.insert(0, (tag.into(), Value::String(text.clone())));
                }
            }
        }
        (Value::Array(items), Value::Array(full)) if items.len() == full.len() => {
            items.iter_mut().zip(full).for_each(|(item, full)| restore_tags(item, full));
        }
        _ => {}
    }
}
