//! The manners of every exported class: equality, hash, repr, pickle, copies, `to_dict`, pydantic; written once.

use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, MAX_DEPTH, Object, Repeats, Value, canonical, compact, parse_text};
use crate::message::only;
use crate::path::Path;
use crate::py::calls::{PyTool, PyToolCall};
use crate::py::door::{At, Door, NOUN_DEPTH, answers, leave, replaced_losses};
use crate::py::errors::{OrRaise, blamed, class_name, raised, warn};
use crate::py::journal::PyResumeReport;
use crate::py::messages::{PyAssistantMessage, PySystemMessage, PyToolMessage, PyUserMessage};
use crate::py::node::PyMessageNode;
use crate::py::parts::{PyAudioPart, PyFilePart, PyImagePart, PyNativePart, PyTextPart};
use crate::py::report::{PyLoss, PyNativeOutcome};
use crate::py::request::PyRequest;
use crate::py::response::{PyResponse, PyUsage};
use pyo3::PyClass;
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

    /// Does `replace` work this field out anew, since a field that it follows from has changed?
    fn follows(field: &str, changes: &Bound<'_, PyDict>) -> PyResult<bool> {
        let _ = (field, changes);
        Ok(false)
    }

    /// The copy that `replace` made, where fields that follow from others must be worked out.
    fn settled(&self, copy: &Self) -> Option<Self> {
        let _ = copy;
        None
    }

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
    True,
    Function,
    Zero,
    Empty,
}

impl Absent {
    fn is(self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(match self {
            Absent::Needed => false,
            Absent::None => value.is_none(),
            Absent::False => value.is(pyo3::types::PyBool::new(value.py(), false)),
            Absent::True => value.is(pyo3::types::PyBool::new(value.py(), true)),
            Absent::Function => value.eq("function")?,
            Absent::Zero => value.eq(0)?,
            Absent::Empty => value.len()? == 0,
        })
    }
}

/// The members of a noun's plain spelling, of which none is unknown.
pub(super) fn known_fields<'p, T: Noun>(cursor: Cursor<'p>) -> Result<Fields<'p>> {
    let fields = cursor.fields()?;
    let known: Vec<_> = T::FIELDS.iter().map(|(field, _)| *field).collect();
    only(&fields, &known)?;
    Ok(fields)
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

/// A value in our own spelling on its way through a constructor, so that Python need not hold its numbers.
#[pyclass(frozen, module = "toolwire")]
pub(super) struct Carried(Json);

impl Carried {
    pub(super) fn of(py: Python<'_>, value: Json) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, Self(value))?.into_any())
    }
}

/// A copy with other fields.
pub(super) fn replace<'py, T>(
    slf: &Bound<'py, T>,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>>
where
    T: Noun + PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Into<PyClassInitializer<T>> + Sync,
{
    let py = slf.py();
    let Value::Object(plain) = slf.get().plain() else {
        return Ok(slf.clone().into_any());
    };
    let arguments = PyDict::new(py);
    let (mut follows, unchanged) = (false, PyDict::new(py));
    let changes = changes.unwrap_or(&unchanged);
    for (field, default) in T::FIELDS {
        if changes.contains(field)? {
            continue;
        }
        if T::follows(field, changes)? {
            follows = true;
            continue;
        }
        let value = match plain.get(field).or_else(|| plain.get("image_url")?.as_object()?.get(field)) {
            Some(value @ (Value::Array(_) | Value::Object(_) | Value::Number(_))) => {
                Carried::of(py, value.clone())?
            }
            None if *default != Absent::Needed => continue,
            Some(_) | None => slf.as_any().getattr(*field)?,
        };
        arguments.set_item(field, value)?;
    }
    arguments.update(changes.as_mapping())?;
    let copy = slf.as_any().get_type().call((), Some(&arguments))?;
    if follows
        && let Ok(made) = copy.cast::<T>()
        && let Some(settled) = slf.get().settled(made.get())
    {
        return Ok(Bound::new(py, settled)?.into_any());
    }
    Ok(copy)
}

/// What a pickle holds: compact JSON, or a dict where the value nests deeper than any text that is read.
pub(super) fn reduced<'py, T: Noun>(
    class: &Bound<'py, PyType>,
    noun: &T,
) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
    let (py, plain) = (class.py(), noun.plain());
    if plain.nests_within(MAX_DEPTH) {
        let text = PyString::new(py, &compact(&plain)).into_any();
        return Ok((class.getattr("_from_json")?, (text,)));
    }
    Ok((class.getattr("from_dict")?, (leave(py, &plain)?,)))
}

pub(super) fn from_json<T: Noun>(text: &Bound<'_, PyString>) -> PyResult<T> {
    let read =
        || T::read(Cursor::root(&parse_text(text.to_str().unwrap_or_default(), Repeats::LastWins)?.value));
    read().or_raise(text.py())
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
    if let Ok(carried) = object.cast::<Carried>() {
        return Some(carried.get().0.clone());
    }
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
        PyResponse,
        PyUsage,
        PyMessageNode,
        PyLoss,
        PyNativeOutcome,
        PyResumeReport,
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
    if !answers(sequence, "__iter__") && !answers(sequence, "__getitem__") {
        let what = format!("expected a list, not {}", class_name(sequence));
        return Err(raised(py, &Error::shape(path.clone(), what)));
    }
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
                crate::py::noun::reduced(&slf.get_type(), slf.get())
            }

            /// What a pickle calls: the plain spelling as JSON text, which holds numbers that Python cannot.
            #[classmethod]
            #[pyo3(signature = (text: "str") -> "Self")]
            fn _from_json(
                _class: &Bound<'_, pyo3::types::PyType>,
                text: &Bound<'_, pyo3::types::PyString>,
            ) -> PyResult<Self> {
                crate::py::noun::from_json(text)
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
                crate::py::noun::replace(slf, changes)
            }

            /// What `copy.replace` calls.
            #[pyo3(signature = (**changes: "Any") -> "Self")]
            fn __replace__<'py>(
                slf: &Bound<'py, Self>,
                changes: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                crate::py::noun::replace(slf, changes)
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
