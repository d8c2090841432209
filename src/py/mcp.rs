//! Results of MCP client libraries as the wire spells them; only what was set counts as said.

use crate::dialect::mcp;
use crate::error::{Error, Kind};
use crate::json::{Cursor, MAX_DEPTH, Object, Value};
use crate::message::{Text, ToolMessage};
use crate::path::Path;
use crate::py::door::{Door, answers, dump_without_none, is_mapping};
use crate::py::errors::{OrRaise, blamed, class_name, raised, warn};
use crate::py::noun::{each, plain_of};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

/// The fields of a result: the wire's name, and the names of the attributes that hold it.
const OUTCOME: (&str, [&str; 2]) = ("isError", ["isError", "is_error"]);
const STRUCTURED: (&str, [&str; 2]) = ("structuredContent", ["structuredContent", "structured_content"]);
const KIND: (&str, [&str; 2]) = ("resultType", ["resultType", "result_type"]);

pub(super) fn read(
    result: &Bound<'_, PyAny>,
    tool_call_id: &Bound<'_, PyAny>,
    name: Option<&Bound<'_, PyAny>>,
) -> PyResult<ToolMessage> {
    let py = result.py();
    let mut door = Door::new(MAX_DEPTH);
    let tool_call_id = text_through(&mut door, tool_call_id, "tool_call_id")?;
    let name = name.map(|name| text_through(&mut door, name, "name")).transpose()?;
    let wire =
        if is_mapping(result) { door.enter(result, &Path::root())? } else { object(&mut door, result)? };
    let message = mcp::read_result(Cursor::root(&wire), tool_call_id, name).or_raise(py)?;
    warn(py, &door.losses())?;
    Ok(message)
}

pub(super) fn write(
    py: Python<'_>,
    message: &ToolMessage,
    version: Option<&str>,
) -> PyResult<Object<'static>> {
    let (result, losses) = mcp::write_result(message, version).or_raise(py)?;
    warn(py, &losses.0)?;
    Ok(result)
}

/// An argument that must be a string.
pub(super) fn text(object: &Bound<'_, PyAny>, key: &str) -> PyResult<Text> {
    let mut door = Door::new(MAX_DEPTH);
    let text = text_through(&mut door, object, key)?;
    warn(object.py(), &door.losses())?;
    Ok(text)
}

fn text_through(door: &mut Door, object: &Bound<'_, PyAny>, key: &str) -> PyResult<Text> {
    let path = Path::root().key(key);
    let value = door.enter(object, &path)?;
    Cursor::below(&path, &value).str().map(Text::from).or_raise(object.py())
}

/// What one object says: which attributes it has and which of them were set.
struct Said<'a, 'py> {
    result: &'a Bound<'py, PyAny>,
    /// The names that were set, where the object keeps count (pydantic models do).
    set: Option<Bound<'py, PyAny>>,
}

impl<'py> Said<'_, 'py> {
    fn attribute(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.result.py();
        let path = Path::root().key(name);
        self.result.getattr_opt(name).map_err(|cause| blamed(py, path, cause))
    }

    /// A field that was set; without a count, one that is not None.
    fn field(&self, names: [&str; 2]) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut found: Option<Bound<'py, PyAny>> = None;
        for name in names {
            let Some(value) = self.attribute(name)? else { continue };
            let set = match &self.set {
                Some(set) => set.contains(name)?,
                None => !value.is_none(),
            };
            if !set {
                continue;
            }
            if found.as_ref().is_some_and(|first| !first.eq(&value).unwrap_or(false)) {
                let path = Path::root().key(name);
                let what = format!("says something else than {}", names[0]);
                return Err(raised(value.py(), &Error::new(Kind::Result, path, what)));
            }
            found = Some(value);
        }
        Ok(found)
    }
}

fn object(door: &mut Door, result: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
    let py = result.py();
    let root = Path::root();
    let set = match answers(result, "model_fields_set") {
        true => Some(result.getattr("model_fields_set").map_err(|cause| blamed(py, root.clone(), cause))?),
        false => None,
    };
    let said = Said { result, set };
    let mut wire = Object::default();
    if let Some(content) = said.attribute("content")?.filter(|content| !content.is_none()) {
        let path = root.key("content");
        let mut blocks = Vec::new();
        each(&content, &path, |block, path| {
            blocks.push(self::block(door, block, &path)?);
            Ok(())
        })?;
        wire = wire.with("content", blocks);
    }
    if let Some(outcome) = said.field(OUTCOME.1)? {
        let Ok(flag) = outcome.cast::<PyBool>() else {
            let path = root.key(OUTCOME.0);
            return Err(raised(py, &Error::new(Kind::Result, path, "expected true or false")));
        };
        wire = wire.with(OUTCOME.0, flag.is_true());
    }
    if let Some(structured) = said.field(STRUCTURED.1)? {
        wire = wire.with(STRUCTURED.0, door.enter(&structured, &root.key(STRUCTURED.0))?);
    }
    if let Some(meta) = said.attribute("meta")?.filter(|meta| !meta.is_none()) {
        wire = wire.with("_meta", door.enter(&meta, &root.key("_meta"))?);
    }
    for name in KIND.1 {
        // A default is no statement, unless the class stands for a result of another kind.
        let Some(kind) = said.attribute(name)?.filter(|kind| !kind.is_none()) else { continue };
        let set = match &said.set {
            Some(set) => set.contains(name)?,
            None => true,
        };
        if set || !kind.eq("complete").unwrap_or(false) {
            wire.set(KIND.0, door.enter(&kind, &root.key(KIND.0))?);
        }
    }
    let extra = if said.set.is_some() { said.attribute("model_extra")? } else { None };
    if let Some(extra) = extra.filter(|extra| !extra.is_none())
        && let Value::Object(extra) = door.enter(&extra, &root)?
    {
        for (key, value) in extra.0 {
            if ![OUTCOME, STRUCTURED, KIND].iter().any(|(_, names)| names.contains(&key.as_ref())) {
                wire.set(&key, value);
            }
        }
    }
    if wire.is_empty() {
        let name = class_name(result);
        return Err(raised(py, &Error::shape(root, format!("expected a tool result, not {name}"))));
    }
    Ok(Value::Object(wire))
}

/// The attributes of a block and of the resource in it, under the wire's name and under Python's.
const BLOCK: [[&str; 2]; 12] = [
    ["type", "type"],
    ["text", "text"],
    ["data", "data"],
    ["mimeType", "mime_type"],
    ["uri", "uri"],
    ["name", "name"],
    ["title", "title"],
    ["description", "description"],
    ["size", "size"],
    ["resource", "resource"],
    ["annotations", "annotations"],
    ["_meta", "meta"],
];
const RESOURCE: [[&str; 2]; 5] =
    [["uri", "uri"], ["mimeType", "mime_type"], ["text", "text"], ["blob", "blob"], ["_meta", "meta"]];

/// A content block. Its empty fields say nothing, and its `type` may be a default that nobody set. An object that is
/// nothing but attributes is a block if its `type` is a text.
fn block(door: &mut Door, block: &Bound<'_, PyAny>, path: &Path) -> PyResult<Value<'static>> {
    if !has_own_form(block)
        && let Some(kind) = attribute(block, "type", path)?
        && kind.is_instance_of::<PyString>()
    {
        return attributes(door, block, &BLOCK, path);
    }
    value(door, block, path)
}

/// Does the door know what this is as JSON?
fn has_own_form(object: &Bound<'_, PyAny>) -> bool {
    answers(object, "model_dump")
        || answers(object, "__dataclass_fields__")
        || is_mapping(object)
        || plain_of(object).is_some()
}

fn value(door: &mut Door, object: &Bound<'_, PyAny>, path: &Path) -> PyResult<Value<'static>> {
    if answers(object, "model_dump") {
        let dump = dump_without_none(object).map_err(|cause| blamed(object.py(), path.clone(), cause))?;
        return door.enter(&dump, path);
    }
    door.enter(object, path)
}

fn attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    path: &Path,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = object.getattr_opt(name).map_err(|cause| blamed(object.py(), path.key(name), cause))?;
    Ok(value.filter(|value| !value.is_none()))
}

fn attributes(
    door: &mut Door,
    object: &Bound<'_, PyAny>,
    names: &[[&'static str; 2]],
    path: &Path,
) -> PyResult<Value<'static>> {
    let mut wire = Object::default();
    for [name, python] in names {
        let found = match attribute(object, name, path)? {
            Some(found) => Some(found),
            None if name != python => attribute(object, python, path)?,
            None => None,
        };
        let Some(found) = found else { continue };
        let path = path.key(name);
        let value = match *name {
            "resource" if !has_own_form(&found) && attribute(&found, "uri", &path)?.is_some() => {
                attributes(door, &found, &RESOURCE, &path)?
            }
            _ => value(door, &found, &path)?,
        };
        wire = wire.with(name, value);
    }
    Ok(Value::Object(wire))
}
