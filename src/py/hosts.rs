//! Messages, tools and requests as callers hold them: objects of ours, dicts in our spelling, or a host's models.

use crate::error::Result;
use crate::identity::{self, Identity};
use crate::json::{Cursor, Value};
use crate::message::{Message, Request, Tool, message_from_plain, request_from_plain, tool_from_plain};
use crate::path::Path;
use crate::py::calls::PyTool;
use crate::py::door::{Door, NOUN_DEPTH, answers, dump_without_none};
use crate::py::errors::{OrRaise, blamed, warn};
use crate::py::glance::Glance;
use crate::py::messages::{message_behind, said_behind};
use crate::py::request::PyRequest;
use pyo3::prelude::*;
use std::borrow::Cow;

/// Borrowed where it is ours, read where it is not.
pub(super) fn message_of<'a>(object: &'a Bound<'_, PyAny>, path: &Path) -> PyResult<Cow<'a, Message>> {
    match message_behind(object) {
        Some(message) => Ok(Cow::Borrowed(message)),
        None => read(object, path, message_from_plain).map(Cow::Owned),
    }
}

/// Of an object of ours it is worked out once.
pub(super) fn identity_of(object: &Bound<'_, PyAny>, path: &Path) -> PyResult<Identity> {
    match said_behind(object) {
        Some(said) => Ok(said.identity()),
        None => read(object, path, message_from_plain).map(|message| identity::of(&message)),
    }
}

pub(super) fn tool_of(object: &Bound<'_, PyAny>, path: &Path) -> PyResult<Tool> {
    match object.cast::<PyTool>() {
        Ok(tool) => Ok(tool.get().tool.clone()),
        Err(_) => read(object, path, tool_from_plain),
    }
}

pub(super) fn request_of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, Request>> {
    match object.cast::<PyRequest>() {
        Ok(request) => Ok(Cow::Borrowed(&request.get().request)),
        Err(_) => {
            let mut door = Door::new(NOUN_DEPTH);
            let value = door.enter(object, &Path::root())?;
            let mut request = request_from_plain(Cursor::root(&value)).or_raise(object.py())?;
            request.replaced.extend(door.replaced.iter().map(|path| path.to_string().into()));
            Ok(Cow::Owned(request))
        }
    }
}

/// A host's fields that are None say nothing, whether we know them or not. Replaced surrogates are warned about.
fn read<T>(object: &Bound<'_, PyAny>, path: &Path, from: fn(Cursor<'_>) -> Result<T>) -> PyResult<T> {
    let py = object.py();
    let glance = Glance::of(object);
    if let Some(mut value) = glance.as_ref().and_then(Glance::json) {
        drop_nulls(&mut value);
        return from(Cursor::below(path, &value)).or_raise(py);
    }
    let mut door = Door::new(NOUN_DEPTH);
    let mut value = if answers(object, "model_dump") {
        let dump = dump_without_none(object).map_err(|cause| blamed(py, path.clone(), cause))?;
        door.enter(&dump, path)?
    } else {
        door.enter(object, path)?
    };
    drop_nulls(&mut value);
    let read = from(Cursor::below(path, &value)).or_raise(py)?;
    warn(py, &door.losses())?;
    Ok(read)
}

/// Null members of a message, its calls and its parts; what is opaque keeps its nulls.
fn drop_nulls(value: &mut Value<'_>) {
    let Value::Object(object) = value else { return };
    let needed = object.get("role").and_then(Value::as_str) != Some("assistant");
    object.0.retain(|(key, value)| !value.is_null() || (needed && key == "content"));
    for (key, member) in &mut object.0 {
        if let (true, Value::Array(items)) = (key == "content" || key == "tool_calls", member) {
            for item in items {
                if let Value::Object(item) = item {
                    item.0.retain(|(_, value)| !value.is_null());
                }
            }
        }
    }
}
