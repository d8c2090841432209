//! The seal and the overlay on dicts: the core works on the few members that change, everything else is shared.

use crate::dialect::{self, Loss};
use crate::error::{Error, Kind};
use crate::json::{Json, MAX_DEPTH, Object, Repeats, Value, compact, parse};
use crate::message::Dialect;
use crate::outcome::MARKER;
use crate::path::{Path, Step};
use crate::py::body::apart;
use crate::py::door::{At, Door, NODE, answers, is_media, leave, snapshot};
use crate::py::errors::{OrRaise, raised};
use crate::py::wire::Wire;
use crate::request::{self, Sealed};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;

/// Text longer than this does not steer anything.
const SHORT: usize = 256;

/// What becomes of a body.
pub(super) enum Task<'a> {
    Seal,
    Overlay { model: &'a str, sampling: &'a Object<'static> },
}

impl Task<'_> {
    fn run(&self, wire: Wire, text: &[u8]) -> crate::error::Result<(Json, Vec<Loss>)> {
        let Sealed { body, losses } = self.bytes(wire, text)?;
        Ok((parse(&body, Repeats::LastWins)?.value.into_owned(), losses))
    }

    pub(super) fn bytes<'a>(&self, wire: Wire, text: &'a [u8]) -> crate::error::Result<Sealed<'a>> {
        let Wire { dialect, target } = wire;
        match self {
            Task::Seal => request::seal(dialect, target, text),
            Task::Overlay { model, sampling } => {
                request::apply_overrides(dialect, target, text, model, sampling)
            }
        }
    }
}

/// A member on its way to the core and back.
struct Sent<'py> {
    name: Bound<'py, PyString>,
    original: Bound<'py, PyAny>,
    /// What went.
    text: String,
    /// Which messages went along, where this is the list of messages.
    chosen: Option<Vec<usize>>,
}

/// A new dict that shares every value that did not change with `body`.
pub(super) fn on_dict<'py>(
    wire: Wire,
    body: &Bound<'py, PyDict>,
    task: &Task<'_>,
) -> PyResult<(Bound<'py, PyDict>, Vec<Loss>)> {
    let dialect = wire.dialect;
    let py = body.py();
    let root = Path::root();
    let messages = dialect::result_form(dialect).or_raise(py)?.messages;
    let mut door = Door::new(MAX_DEPTH);
    let mut sent: HashMap<String, Sent<'py>> = HashMap::new();
    let mut small = Object::default();
    for (key, original) in snapshot(body) {
        let Ok(name) = key.cast_into::<PyString>() else {
            return Err(raised(py, &Error::shape(root, "a key that is not a string")));
        };
        let key = door.text(&name, At::Base(&root))?;
        let path = root.key(&key);
        let mut chosen = None;
        let value = match (key == messages).then(|| items(&original)).flatten() {
            Some(list) => {
                let mut marked = Vec::new();
                let mut values = Vec::new();
                for (n, message) in list.iter().enumerate() {
                    let path = path.index(n);
                    if holds_marker(&mut door, message, At::Base(&path), 0, Some(dialect))? {
                        values.push(door.enter(message, &path)?);
                        marked.push(n);
                    }
                }
                chosen = Some(marked);
                Value::Array(values)
            }
            None if key == MARKER
                || holds_marker(
                    &mut door,
                    &original,
                    At::Base(&path),
                    0,
                    (key == messages).then_some(dialect),
                )? =>
            {
                door.enter(&original, &path)?
            }
            None if steers(dialect, &key, &original) => {
                // What JSON cannot hold cannot steer either.
                Door::new(MAX_DEPTH).enter(&original, &path).unwrap_or(Value::Null)
            }
            None => Value::Null,
        };
        let text = compact(&value);
        small.0.push((key.clone().into(), value));
        sent.insert(key, Sent { name, original, text, chosen });
    }
    let text = compact(&Value::Object(small));
    let done = apart(py, text.len(), || task.run(wire, text.as_bytes()));
    let (done, mut losses) = done.map_err(|mut error| {
        error.path = moved(&error.path, &sent);
        raised(py, &error)
    })?;
    for loss in &mut losses {
        loss.path = moved(&loss.path, &sent);
    }
    losses.extend(door.losses());
    let out = PyDict::new(py);
    for (key, value) in done.as_object().into_iter().flat_map(Object::iter) {
        let sent = sent.get(key.as_ref());
        let value = match sent {
            Some(sent) if sent.text == compact(value) => sent.original.clone(),
            Some(Sent { original, chosen: Some(chosen), .. }) => spliced(py, original, chosen, value)?,
            _ => leave(py, value)?,
        };
        let name = sent.map_or_else(|| PyString::new(py, key), |sent| sent.name.clone());
        out.set_item(name, value)?;
    }
    Ok((out, losses))
}

fn items<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = value.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    value.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

/// The list of messages with the changed ones in their places.
fn spliced<'py>(
    py: Python<'py>,
    original: &Bound<'py, PyAny>,
    chosen: &[usize],
    changed: &Json,
) -> PyResult<Bound<'py, PyAny>> {
    let changed = changed.as_array().filter(|changed| changed.len() == chosen.len());
    let (Some(changed), Some(mut all)) = (changed, items(original)) else {
        return Err(raised(py, &Error::shape(Path::root(), "the messages changed while they were sealed")));
    };
    for (at, message) in chosen.iter().zip(changed) {
        if let Some(slot) = all.get_mut(*at) {
            *slot = leave(py, message)?;
        }
    }
    Ok(PyList::new(py, all)?.into_any())
}

/// A path in what the core saw as a path in the caller's body.
fn moved(path: &Path, sent: &HashMap<String, Sent<'_>>) -> Path {
    let steps = path.steps();
    let [Step::Key(key), Step::Index(n), rest @ ..] = steps else { return path.clone() };
    let chosen = sent.get(&**key).and_then(|sent| sent.chosen.as_ref());
    let Some(at) = chosen.and_then(|chosen| chosen.get(*n)) else { return path.clone() };
    let mut moved = Path::root().key(key).index(*at);
    rest.iter().for_each(|step| moved.push(step.clone()));
    moved
}

/// May an overlay depend on this member? Lists and objects that it does not read it can only replace.
fn steers(dialect: Dialect, key: &str, value: &Bound<'_, PyAny>) -> bool {
    dialect::overlay_reads(dialect).contains(&key)
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.cast::<PyString>().is_ok_and(|text| text.len().is_ok_and(|len| len <= SHORT))
}

/// Does a marker stand anywhere in here? Objects of other libraries count as what they are as JSON. What cannot be
/// JSON holds none, or is refused where it would be sent with the messages of a wire (`sent`).
fn holds_marker(
    door: &mut Door,
    value: &Bound<'_, PyAny>,
    at: At<'_>,
    depth: usize,
    sent: Option<Dialect>,
) -> PyResult<bool> {
    let py = value.py();
    if value.is_none() || value.is_instance_of::<PyString>() {
        return Ok(false);
    }
    if depth > MAX_DEPTH {
        let what = format!("nested deeper than {MAX_DEPTH} levels");
        return Err(raised(py, &Error::new(Kind::Limit, at.path(), what)));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        for (key, value) in snapshot(dict) {
            door.spend(py, NODE, at)?;
            let name = key.cast::<PyString>().ok().and_then(|key| key.to_str().ok()).unwrap_or("?");
            if name == MARKER || holds_marker(door, &value, At::Key(&at, name), depth + 1, sent)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if let Some(items) = items(value) {
        for (n, item) in items.iter().enumerate() {
            door.spend(py, NODE, at)?;
            if holds_marker(door, item, At::Index(&at, n), depth + 1, sent)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let scalar = value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || is_media(value) && sent.is_some_and(dialect::holds_bytes);
    if scalar {
        return Ok(false);
    }
    match Door::new(MAX_DEPTH).enter(value, &at.path()) {
        Ok(json) => Ok(marked(&json)),
        // A container that we cannot read may still be sent by a serializer that can.
        Err(error) if sent.is_some() && CONTAINER.iter().any(|name| answers(value, name)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// What an object that holds others has.
const CONTAINER: [&str; 4] = ["__iter__", "__getitem__", "model_dump", "__dataclass_fields__"];

fn marked(json: &Json) -> bool {
    match json {
        Value::Array(items) => items.iter().any(marked),
        Value::Object(object) => object.iter().any(|(key, value)| key == MARKER || marked(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
