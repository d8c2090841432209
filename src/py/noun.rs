//! The manners of every exported class: equality, hash, repr, pickle, copies, `to_dict`, pydantic; written once.

use crate::error::Result;
use crate::json::{Cursor, Json, Object, Value, canonical};
use crate::path::Path;
use crate::py::calls::{PyTool, PyToolCall};
use crate::py::door::{At, Door, NOUN_DEPTH, replaced_losses};
use crate::py::errors::{OrRaise, blamed, warn};
use crate::py::messages::{PyAssistantMessage, PySystemMessage, PyToolMessage, PyUserMessage};
use crate::py::parts::{PyAudioPart, PyFilePart, PyImagePart, PyNativePart, PyTextPart};
use crate::py::report::{PyLoss, PyNativeOutcome};
use crate::py::request::PyRequest;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A class that stands for a noun of the core.
pub(super) trait Noun: Sized {
    /// The fields in the order of the constructor, with what they are when left out.
    const FIELDS: &'static [(&'static str, Absent)];
    /// The fields that a pattern may name by position: none where the constructor takes keywords only.
    const POSITIONAL: bool = true;

    /// Our own JSON spelling.
    fn plain(&self) -> Json;
    fn read(cursor: Cursor<'_>) -> Result<Self>;
    fn same(&self, other: &Self) -> bool;

    /// Takes note of replaced surrogates, or hands them back to be reported as warnings.
    fn note(&mut self, replaced: Vec<Path>) -> Vec<Path> {
        replaced
    }
}

/// What a field is when it is left out, as its attribute shows it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Absent {
    Needed,
    None,
    False,
    Function,
    Empty,
}

impl Absent {
    fn is(self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(match self {
            Absent::Needed => false,
            Absent::None => value.is_none(),
            Absent::False => value.is(pyo3::types::PyBool::new(value.py(), false)),
            Absent::Function => value.eq("function")?,
            Absent::Empty => value.len()? == 0,
        })
    }
}

/// Builds a noun from constructor arguments by way of its plain spelling, so that there is one reader for both.
pub(super) struct Form<'py> {
    py: Python<'py>,
    door: Door,
    object: Object<'static>,
}

impl<'py> Form<'py> {
    pub(super) fn new(py: Python<'py>) -> Self {
        Self { py, door: Door::new(NOUN_DEPTH), object: Object::default() }
    }

    pub(super) fn tag(mut self, key: &'static str, tag: &'static str) -> Self {
        self.object = self.object.with(key, tag);
        self
    }

    pub(super) fn value(mut self, key: &'static str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let value = self.door.enter(value, &Path::root().key(key))?;
        self.object = self.object.with(key, value);
        Ok(self)
    }

    pub(super) fn some(self, key: &'static str, value: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        match value {
            Some(value) => self.value(key, value),
            None => Ok(self),
        }
    }

    /// Content: text, or parts of which some may be plain strings.
    pub(super) fn content(mut self, content: &Bound<'py, PyAny>) -> PyResult<Self> {
        let mut value = self.door.enter(content, &Path::root().key("content"))?;
        if let Value::Array(parts) = &mut value {
            for part in parts {
                if let Value::String(text) = part {
                    let text = std::mem::take(text);
                    *part =
                        Value::from(Object::default().with("type", "text").with("text", Value::String(text)));
                }
            }
        }
        self.object = self.object.with("content", value);
        Ok(self)
    }

    /// Moves members under a key of their own, as an image's URL stands in the plain spelling.
    pub(super) fn nest(mut self, key: &'static str, keys: &[&'static str]) -> Self {
        let mut inner = Object::default();
        for key in keys {
            if let Some(value) = self.object.remove(key) {
                inner = inner.with(key, value);
            }
        }
        self.object = self.object.with(key, inner);
        self
    }

    pub(super) fn build<T: Noun>(self) -> PyResult<T> {
        finish(self.py, self.door, &Value::Object(self.object))
    }
}

fn finish<T: Noun>(py: Python<'_>, door: Door, value: &Json) -> PyResult<T> {
    let mut noun = T::read(Cursor::root(value)).or_raise(py)?;
    warn(py, &replaced_losses(&noun.note(door.replaced)))?;
    Ok(noun)
}

pub(super) fn from_dict<T: Noun>(data: &Bound<'_, PyAny>) -> PyResult<T> {
    let mut door = Door::new(NOUN_DEPTH);
    let value = door.enter(data, &Path::root())?;
    finish(data.py(), door, &value)
}

pub(super) fn hash(noun: &impl Noun) -> u64 {
    let mut hasher = DefaultHasher::new();
    canonical(&noun.plain()).hash(&mut hasher);
    hasher.finish()
}

/// The constructor call that makes an equal object; arguments that were left out are left out again.
pub(super) fn repr<T: Noun>(slf: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = format!("{}(", slf.get_type().name()?);
    let mut first = true;
    for (field, default) in T::FIELDS {
        // A number that Python cannot hold must not make an object unprintable.
        let shown = match slf.getattr(*field) {
            Ok(value) if default.is(&value)? => continue,
            Ok(value) => value.repr().map(|text| text.to_string()).unwrap_or_else(|_| "...".to_owned()),
            Err(_) => "...".to_owned(),
        };
        if !std::mem::take(&mut first) {
            text.push_str(", ");
        }
        text.push_str(field);
        text.push('=');
        text.push_str(&shown);
    }
    text.push(')');
    Ok(text)
}

pub(super) fn match_args<T: Noun>(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let fields = if T::POSITIONAL { T::FIELDS } else { &[] };
    PyTuple::new(py, fields.iter().map(|(field, _)| *field))
}

/// A copy with other fields.
pub(super) fn replace<'py, T: Noun>(
    slf: &Bound<'py, PyAny>,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyDict::new(slf.py());
    for (field, _) in T::FIELDS {
        if !changes.is_some_and(|changes| changes.contains(field).unwrap_or(false)) {
            arguments.set_item(field, slf.getattr(*field)?)?;
        }
    }
    if let Some(changes) = changes {
        arguments.update(changes.as_mapping())?;
    }
    slf.get_type().call((), Some(&arguments))
}

/// An attribute that is made once, when it is first read.
pub(super) type Kept = PyOnceLock<Py<PyAny>>;

pub(super) fn kept<'py>(
    py: Python<'py>,
    cell: &Kept,
    make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(cell.get_or_try_init(py, || make().map(Bound::unbind))?.bind(py).clone())
}

/// Keeps the caller's own string where it is exactly the text that was read.
pub(super) fn keep(cell: &Kept, given: Option<&Bound<'_, PyAny>>) {
    let Some(text) = given.and_then(|given| given.cast_exact::<PyString>().ok()) else { return };
    if text.to_str().is_ok() {
        let _ = cell.set(text.py(), text.clone().into_any().unbind());
    }
}

/// Gives the schema of a class in pydantic; the module that knows pydantic loads only then.
pub(super) fn pydantic<'py>(
    class: &Bound<'py, PyType>,
    function: &str,
    schema: &Bound<'py, PyAny>,
    handler: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    class.py().import("toolwire._pydantic")?.call_method1(function, (class, schema, handler))
}

/// The plain spelling of any of our nouns.
pub(super) fn plain_of(object: &Bound<'_, PyAny>) -> Option<Json> {
    macro_rules! any_of {
        ($($class:ty),+ $(,)?) => {
            $(if let Ok(noun) = object.cast::<$class>() {
                return Some(noun.get().plain());
            })+
        };
    }
    any_of!(
        PyToolMessage,
        PyAssistantMessage,
        PyUserMessage,
        PySystemMessage,
        PyTextPart,
        PyImagePart,
        PyAudioPart,
        PyFilePart,
        PyNativePart,
        PyToolCall,
        PyTool,
        PyRequest,
        PyLoss,
        PyNativeOutcome,
    );
    None
}

/// Reads a sequence of anything one by one, so that errors name the place.
pub(super) fn each<'py>(
    sequence: &Bound<'py, PyAny>,
    path: &Path,
    mut read: impl FnMut(&Bound<'py, PyAny>, Path) -> PyResult<()>,
) -> PyResult<()> {
    let py = sequence.py();
    let mut door = Door::new(NOUN_DEPTH);
    let blame = |cause| blamed(py, path.clone(), cause);
    for (n, item) in sequence.try_iter().map_err(blame)?.enumerate() {
        door.spend(py, 1024, At::Base(path))?;
        read(&item.map_err(blame)?, path.index(n))?;
    }
    Ok(())
}

/// Writes the manners of one class. The caller's module has `pyo3::prelude` in scope.
macro_rules! manners {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let py = other.py();
                match other.cast::<Self>() {
                    Ok(other) => {
                        let same = crate::py::noun::Noun::same(self, other.get());
                        Ok(pyo3::types::PyBool::new(py, same).to_owned().into_any())
                    }
                    Err(_) => Ok(py.NotImplemented().into_bound(py)),
                }
            }

            fn __hash__(&self) -> u64 {
                crate::py::noun::hash(self)
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                crate::py::noun::repr::<Self>(slf.as_any())
            }

            fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
                slf.clone()
            }

            fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
                let _ = memo;
                slf.clone()
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
                let plain = crate::py::door::leave(slf.py(), &crate::py::noun::Noun::plain(slf.get()))?;
                Ok((slf.get_type().getattr("from_dict")?, (plain,)))
            }

            /// The plain spelling as a fresh dict.
            #[pyo3(signature = () -> "dict[str, Any]")]
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                crate::py::door::leave(py, &crate::py::noun::Noun::plain(self))
            }

            /// Reads the plain spelling.
            #[classmethod]
            #[pyo3(signature = (data: "Mapping[str, Any]") -> "Self")]
            fn from_dict(_class: &Bound<'_, pyo3::types::PyType>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
                crate::py::noun::from_dict(data)
            }

            /// A copy with other fields.
            #[pyo3(signature = (**changes: "Any") -> "Self")]
            fn replace<'py>(
                slf: &Bound<'py, Self>,
                changes: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                crate::py::noun::replace::<Self>(slf.as_any(), changes)
            }

            /// What `copy.replace` calls.
            #[pyo3(signature = (**changes: "Any") -> "Self")]
            fn __replace__<'py>(
                slf: &Bound<'py, Self>,
                changes: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                crate::py::noun::replace::<Self>(slf.as_any(), changes)
            }

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, pyo3::types::PyTuple>> {
                crate::py::noun::match_args::<Self>(py)
            }

            #[classmethod]
            #[pyo3(signature = (source: "Any", handler: "Any") -> "Any")]
            fn __get_pydantic_core_schema__<'py>(
                class: &Bound<'py, pyo3::types::PyType>,
                source: &Bound<'py, PyAny>,
                handler: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                crate::py::noun::pydantic(class, "core_schema_of", source, handler)
            }

            #[classmethod]
            #[pyo3(signature = (core_schema: "Any", handler: "Any") -> "Any")]
            fn __get_pydantic_json_schema__<'py>(
                class: &Bound<'py, pyo3::types::PyType>,
                core_schema: &Bound<'py, PyAny>,
                handler: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                crate::py::noun::pydantic(class, "json_schema_of", core_schema, handler)
            }
        }
    };
}

pub(super) use manners;
