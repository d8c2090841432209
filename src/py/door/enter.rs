//! Python objects to JSON values, each step checked: nothing a caller hands in crashes, loops or gets lost in silence.

use crate::dialect::{self, Loss};
use crate::error::{Error, Kind};
use crate::json::{Json, MAX_BYTES, MAX_DEPTH, Object, Value};
use crate::message::Dialect;
use crate::path::{Path, Step};
use crate::py::door::host;
use crate::py::errors::{blamed, class_name, raised};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;

/// Where in the caller's object the door stands; costs nothing until an error asks for the path.
#[derive(Clone, Copy)]
pub(in crate::py) enum At<'a> {
    Base(&'a Path),
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

impl At<'_> {
    pub(in crate::py) fn path(&self) -> Path {
        let mut steps = Path::root();
        let mut at = self;
        loop {
            match at {
                At::Base(base) => {
                    steps.reverse();
                    let mut path = (*base).clone();
                    path.extend(steps);
                    return path;
                }
                At::Key(parent, key) => {
                    steps.push(Step::Key((*key).into()));
                    at = parent;
                }
                At::Index(parent, index) => {
                    steps.push(Step::Index(*index));
                    at = parent;
                }
            }
        }
    }
}

pub(in crate::py) fn replaced_losses(replaced: &[Path]) -> Vec<Loss> {
    replaced.iter().cloned().map(Loss::surrogate).collect()
}

/// What one node costs of the size limit: an object that holds the same list many times over is small in Python
/// and may be endless as JSON.
pub(in crate::py) const NODE: usize = 128;

/// One way in, for one value or for several that make up a whole.
pub(in crate::py) struct Door {
    depth: usize,
    left: usize,
    /// Do a host's models come with the fields that nobody set?
    pub(super) defaults: bool,
    /// Do bytes read as base64?
    binary: bool,
    /// Where a lone surrogate was read as U+FFFD.
    pub(in crate::py) replaced: Vec<Path>,
}

impl Door {
    /// A door for values of at most this depth.
    pub(in crate::py) fn new(depth: usize) -> Self {
        Self { depth, left: MAX_BYTES, defaults: false, binary: false, replaced: Vec::new() }
    }

    /// A door for the bodies of a wire.
    pub(in crate::py) fn for_body(dialect: Dialect) -> Self {
        Self { binary: dialect::holds_bytes(dialect), ..Self::new(MAX_DEPTH) }
    }

    /// A door through which a host's models come as the host itself saves them, with every field.
    pub(in crate::py) fn with_defaults(self) -> Self {
        Self { defaults: true, ..self }
    }

    /// How much came through, roughly in bytes.
    pub(in crate::py) fn size(&self) -> usize {
        MAX_BYTES - self.left
    }

    /// Replaced surrogates as losses, where the result has no room of its own for them.
    pub(in crate::py) fn losses(&self) -> Vec<Loss> {
        replaced_losses(&self.replaced)
    }

    pub(in crate::py) fn enter(&mut self, object: &Bound<'_, PyAny>, base: &Path) -> PyResult<Json> {
        self.value(object, At::Base(base), 0)
    }

    pub(in crate::py) fn spend(&mut self, py: Python<'_>, bytes: usize, at: At<'_>) -> PyResult<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let what = format!("larger than {MAX_BYTES} bytes");
                Err(raised(py, &Error::new(Kind::Limit, at.path(), what)))
            }
        }
    }

    pub(super) fn value(&mut self, object: &Bound<'_, PyAny>, at: At<'_>, depth: usize) -> PyResult<Json> {
        self.spend(object.py(), NODE, at)?;
        if let Some(scalar) = self.scalar(object, at)? {
            return Ok(scalar);
        }
        if depth >= self.depth {
            let what = format!("nested deeper than {} levels", self.depth);
            return Err(raised(object.py(), &Error::new(Kind::Limit, at.path(), what)));
        }
        if let Ok(dict) = object.cast::<PyDict>() {
            self.members(object.py(), snapshot(dict), at, depth)
        } else if let Ok(list) = object.cast::<PyList>() {
            self.items(at, depth, |n| list.get_item(n).ok())
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            self.items(at, depth, |n| tuple.get_item(n).ok())
        } else {
            self.host(object, at, depth)
        }
    }

    #[inline(never)]
    fn scalar(&mut self, object: &Bound<'_, PyAny>, at: At<'_>) -> PyResult<Option<Json>> {
        let py = object.py();
        if let Ok(text) = object.cast::<PyString>() {
            return self.text(text, at).map(|text| Some(text.into()));
        }
        if object.is_none() {
            return Ok(Some(Value::Null));
        }
        if let Ok(flag) = object.cast::<PyBool>() {
            return Ok(Some(Value::Bool(flag.is_true())));
        }
        if object.cast::<PyInt>().is_ok() {
            if let Ok(small) = object.extract::<i64>() {
                return Ok(Some(Value::Number(small.to_string().into())));
            }
            // The class's own spelling: a subclass (an enum) may print itself in another way.
            let spelled = py.get_type::<PyInt>().call_method1("__repr__", (object,)).map_err(|_| {
                let what = "an integer with more digits than Python converts";
                raised(py, &Error::new(Kind::Limit, at.path(), what))
            })?;
            let spelled = spelled.extract::<String>()?;
            self.spend(py, spelled.len(), at)?;
            return Ok(Some(Value::Number(spelled.into())));
        }
        if let Ok(float) = object.cast::<PyFloat>() {
            if !float.value().is_finite() {
                return Err(raised(
                    py,
                    &Error::shape(at.path(), "a number that JSON does not have (NaN or infinite)"),
                ));
            }
            let spelled = py.get_type::<PyFloat>().call_method1("__repr__", (object,))?;
            return Ok(Some(Value::Number(spelled.extract::<String>()?.into())));
        }
        if self.binary && is_media(object) {
            let encoded = py.import("binascii")?.getattr("b2a_base64")?.call1((object,))?;
            let encoded = encoded.cast_into::<PyBytes>()?;
            let text = String::from_utf8_lossy(encoded.as_bytes().trim_ascii_end()).into_owned();
            self.spend(py, text.len(), at)?;
            return Ok(Some(text.into()));
        }
        Ok(None)
    }

    /// Text as UTF-8; each lone surrogate becomes U+FFFD and is noted.
    pub(in crate::py) fn text(&mut self, text: &Bound<'_, PyString>, at: At<'_>) -> PyResult<String> {
        let py = text.py();
        let text = match text.to_str() {
            Ok(text) => text.to_owned(),
            Err(_) => {
                let (text, lone) = without_surrogates(text)?;
                if lone {
                    self.replaced.push(at.path());
                }
                text
            }
        };
        self.spend(py, text.len(), at)?;
        Ok(text)
    }

    /// The items of a sequence that may change its length while they are read.
    fn items<'py>(
        &mut self,
        at: At<'_>,
        depth: usize,
        item: impl Fn(usize) -> Option<Bound<'py, PyAny>>,
    ) -> PyResult<Json> {
        let mut items = Vec::new();
        while let Some(next) = item(items.len()) {
            items.push(self.value(&next, At::Index(&at, items.len()), depth + 1)?);
        }
        Ok(Value::Array(items))
    }

    pub(super) fn members(
        &mut self,
        py: Python<'_>,
        members: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        at: At<'_>,
        depth: usize,
    ) -> PyResult<Json> {
        let mut object = Object(Vec::with_capacity(members.len()));
        let noted = self.replaced.len();
        let mut odd = false;
        for (key, value) in members {
            let Ok(key) = key.cast::<PyString>() else {
                return Err(raised(py, &Error::shape(at.path(), "a key that is not a string")));
            };
            odd |= !key.is_exact_instance_of::<PyString>();
            let key = self.text(key, at)?;
            let value = self.value(&value, At::Key(&at, &key), depth + 1)?;
            object.0.push((key.into(), value));
        }
        // Keys that Python tells apart can be one key here.
        if odd || self.replaced.len() > noted {
            Ok(Value::Object(once(object)))
        } else {
            Ok(Value::Object(object))
        }
    }

    /// What is no JSON type of Python's: one step towards it, then through the door again.
    #[inline(never)]
    fn host(&mut self, object: &Bound<'_, PyAny>, at: At<'_>, depth: usize) -> PyResult<Json> {
        let py = object.py();
        match host::step(object, self, at).map_err(|cause| blamed(py, at.path(), cause))? {
            Some(host::Step::Json(json)) => Ok(json),
            Some(host::Step::Whole(dump)) => self.value(&dump, at, depth + 1),
            Some(host::Step::Members(members)) => self.members(py, members, at, depth),
            Some(host::Step::Tagged { dump, full }) => {
                let mut value = self.value(&dump, at, depth + 1)?;
                host::restore_tags(&mut value, &self.value(&full, at, depth + 1)?);
                Ok(value)
            }
            None => {
                let name = class_name(object);
                Err(raised(py, &Error::shape(at.path(), format!("expected JSON, not {name}"))))
            }
        }
    }
}

/// Bytes, as SDKs hold media.
pub(in crate::py) fn is_media(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>()
}

/// The members of a dict, taken before anything else runs: converting them may change the dict.
pub(in crate::py) fn snapshot<'py>(dict: &Bound<'py, PyDict>) -> Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    with_critical_section(dict, || dict.iter().collect())
}

/// Keeps each key once: the last value, in the first one's place.
fn once(object: Object<'static>) -> Object<'static> {
    let mut places: HashMap<String, usize> = HashMap::with_capacity(object.len());
    let mut kept = Object(Vec::with_capacity(object.len()));
    for (key, value) in object.0 {
        match places.get(key.as_ref()).and_then(|&at| kept.0.get_mut(at)) {
            Some(slot) => slot.1 = value,
            None => {
                places.insert(key.to_string(), kept.len());
                kept.0.push((key, value));
            }
        }
    }
    kept
}

/// Two surrogates that make a pair are one character, as they are in JSON text; a lone one is U+FFFD.
fn without_surrogates(text: &Bound<'_, PyString>) -> PyResult<(String, bool)> {
    let units = utf16(text)?;
    let mut lone = false;
    let text = char::decode_utf16(units.iter().copied()).map(|unit| {
        lone |= unit.is_err();
        unit.unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    Ok((text.collect(), lone))
}

/// The UTF-16 of a text, lone surrogates included; asked of the class, since a subclass may encode otherwise.
pub(in crate::py) fn utf16(text: &Bound<'_, PyString>) -> PyResult<Vec<u16>> {
    let class = text.py().get_type::<PyString>();
    let bytes = class.call_method1("encode", (text, "utf-16-le", "surrogatepass"))?.cast_into::<PyBytes>()?;
    let (pairs, _) = bytes.as_bytes().as_chunks::<2>();
    Ok(pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect())
}
