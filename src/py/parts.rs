//! The classes of content parts.

use crate::error::{Error, Result};
use crate::json::{Cursor, Json};
use crate::message::{FileSource, Part, PartKind, part_from_plain, part_to_plain};
use crate::py::door::leave;
use crate::py::messages::{extra_object, some_text};
use crate::py::noun::{Absent, Form, Kept, Noun, keep, manners};
use pyo3::prelude::*;

fn kind_of(part: &Part) -> &'static str {
    match part.kind {
        PartKind::Text(_) => "text",
        PartKind::Image { .. } => "image_url",
        PartKind::Audio { .. } => "audio",
        PartKind::File { .. } => "file",
        PartKind::Native { .. } => "native",
    }
}

/// Any part as an object of its class.
pub(super) fn part_object<'py>(py: Python<'py>, part: &Part) -> PyResult<Bound<'py, PyAny>> {
    let part = part.clone();
    Ok(match part.kind {
        PartKind::Text(_) => Bound::new(py, PyTextPart::of(part))?.into_any(),
        PartKind::Image { .. } => Bound::new(py, PyImagePart::of(part))?.into_any(),
        PartKind::Audio { .. } => Bound::new(py, PyAudioPart::of(part))?.into_any(),
        PartKind::File { .. } => Bound::new(py, PyFilePart::of(part))?.into_any(),
        PartKind::Native { .. } => Bound::new(py, PyNativePart::of(part))?.into_any(),
    })
}

/// What the five classes share beside their manners. Each keeps its one large text.
macro_rules! part_class {
    ($class:ident, $kind:literal, $fields:expr $(, $positional:literal)?) => {
        impl $class {
            fn of(part: Part) -> Self {
                Self { part, kept: Kept::new() }
            }
        }

        impl Noun for $class {
            const FIELDS: &'static [(&'static str, Absent)] = $fields;
            $(const POSITIONAL: bool = $positional;)?

            fn plain(&self) -> Json {
                part_to_plain(&self.part)
            }

            fn read(cursor: Cursor<'_>) -> Result<Self> {
                let part = part_from_plain(cursor)?;
                if kind_of(&part) == $kind {
                    return Ok(Self::of(part));
                }
                Err(Error::shape(cursor.path().key("type"), concat!("expected ", $kind)))
            }

            fn same(&self, other: &Self) -> bool {
                self.part == other.part
            }
        }

        manners!($class);

        #[pymethods]
        impl $class {
            #[classattr]
            fn r#type() -> &'static str {
                $kind
            }

            /// The fields that one wire has and no other, by its name.
            #[getter]
            fn extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                extra_object(py, &self.part.extra)
            }
        }
    };
}

/// Text.
#[pyclass(frozen, module = "toolwire", name = "TextPart")]
pub(super) struct PyTextPart {
    part: Part,
    kept: Kept,
}

part_class!(PyTextPart, "text", &[("text", Absent::Needed), ("extra", Absent::None)]);

#[pymethods]
impl PyTextPart {
    #[new]
    #[pyo3(signature = (text: "str", extra: "ExtraInput" = None))]
    fn new<'py>(text: &Bound<'py, PyAny>, extra: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let form = Form::new(text.py()).tag("type", "text").value("text", text)?;
        let part: Self = form.some("extra", extra)?.build()?;
        keep(&part.kept, Some(text));
        Ok(part)
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        some_text(py, &self.kept, self.part.as_text().map(|text| &**text))
    }
}

/// An image by URL, which may be a data URL.
#[pyclass(frozen, module = "toolwire", name = "ImagePart")]
pub(super) struct PyImagePart {
    part: Part,
    kept: Kept,
}

part_class!(
    PyImagePart,
    "image_url",
    &[("url", Absent::Needed), ("detail", Absent::None), ("extra", Absent::None)]
);

#[pymethods]
impl PyImagePart {
    #[new]
    #[pyo3(signature = (url: "str", detail: "str | None" = None, extra: "ExtraInput" = None))]
    fn new<'py>(
        url: &Bound<'py, PyAny>,
        detail: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let form = Form::new(url.py()).tag("type", "image_url").value("url", url)?.some("detail", detail)?;
        let part: Self = form.nest("image_url", &["url", "detail"]).some("extra", extra)?.build()?;
        keep(&part.kept, Some(url));
        Ok(part)
    }

    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let url = match &self.part.kind {
            PartKind::Image { url, .. } => Some(&**url),
            _ => None,
        };
        some_text(py, &self.kept, url)
    }

    /// How closely the model should look: a word of the wire it came from.
    #[getter]
    fn detail(&self) -> Option<&str> {
        match &self.part.kind {
            PartKind::Image { detail, .. } => detail.as_deref(),
            _ => None,
        }
    }
}

/// Sound: standard base64 and its media type.
#[pyclass(frozen, module = "toolwire", name = "AudioPart")]
pub(super) struct PyAudioPart {
    part: Part,
    kept: Kept,
}

part_class!(
    PyAudioPart,
    "audio",
    &[("data", Absent::Needed), ("media_type", Absent::Needed), ("extra", Absent::None)]
);

#[pymethods]
impl PyAudioPart {
    #[new]
    #[pyo3(signature = (data: "str", media_type: "str", extra: "ExtraInput" = None))]
    fn new<'py>(
        data: &Bound<'py, PyAny>,
        media_type: &Bound<'py, PyAny>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let form = Form::new(data.py()).tag("type", "audio").value("data", data)?;
        let part: Self = form.value("media_type", media_type)?.some("extra", extra)?.build()?;
        keep(&part.kept, Some(data));
        Ok(part)
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let data = match &self.part.kind {
            PartKind::Audio { data, .. } => Some(&**data),
            _ => None,
        };
        some_text(py, &self.kept, data)
    }

    #[getter]
    fn media_type(&self) -> &str {
        match &self.part.kind {
            PartKind::Audio { media_type, .. } => media_type,
            _ => "",
        }
    }
}

/// A document: exactly one of base64 `data`, plain `text`, a `url`, or the id of a file at the provider.
#[pyclass(frozen, module = "toolwire", name = "FilePart")]
pub(super) struct PyFilePart {
    part: Part,
    kept: Kept,
}

part_class!(
    PyFilePart,
    "file",
    &[
        ("data", Absent::None),
        ("text", Absent::None),
        ("url", Absent::None),
        ("file_id", Absent::None),
        ("media_type", Absent::None),
        ("filename", Absent::None),
        ("extra", Absent::None),
    ],
    false
);

impl PyFilePart {
    fn source<'py>(
        &self,
        py: Python<'py>,
        pick: impl Fn(&FileSource) -> Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = match &self.part.kind {
            PartKind::File { source, .. } => pick(source),
            _ => None,
        };
        some_text(py, &self.kept, source)
    }
}

#[pymethods]
impl PyFilePart {
    #[new]
    #[pyo3(signature = (
        *,
        data: "str | None" = None,
        text: "str | None" = None,
        url: "str | None" = None,
        file_id: "str | None" = None,
        media_type: "str | None" = None,
        filename: "str | None" = None,
        extra: "ExtraInput" = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "one per field, all keywords")]
    fn new<'py>(
        py: Python<'py>,
        data: Option<&Bound<'py, PyAny>>,
        text: Option<&Bound<'py, PyAny>>,
        url: Option<&Bound<'py, PyAny>>,
        file_id: Option<&Bound<'py, PyAny>>,
        media_type: Option<&Bound<'py, PyAny>>,
        filename: Option<&Bound<'py, PyAny>>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let part: Self = Form::new(py)
            .tag("type", "file")
            .some("data", data)?
            .some("text", text)?
            .some("url", url)?
            .some("file_id", file_id)?
            .some("media_type", media_type)?
            .some("filename", filename)?
            .some("extra", extra)?
            .build()?;
        keep(&part.kept, data.or(text).or(url).or(file_id));
        Ok(part)
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.source(py, |source| match source {
            FileSource::Data(data) => Some(data),
            _ => None,
        })
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.source(py, |source| match source {
            FileSource::Text(text) => Some(text),
            _ => None,
        })
    }

    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.source(py, |source| match source {
            FileSource::Url(url) => Some(url),
            _ => None,
        })
    }

    #[getter]
    fn file_id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.source(py, |source| match source {
            FileSource::Id(id) => Some(id),
            _ => None,
        })
    }

    #[getter]
    fn media_type(&self) -> Option<&str> {
        match &self.part.kind {
            PartKind::File { media_type, .. } => media_type.as_deref(),
            _ => None,
        }
    }

    #[getter]
    fn filename(&self) -> Option<&str> {
        match &self.part.kind {
            PartKind::File { filename, .. } => filename.as_deref(),
            _ => None,
        }
    }
}

/// A block without a typed form, as its wire wrote it.
#[pyclass(frozen, module = "toolwire", name = "NativePart")]
pub(super) struct PyNativePart {
    part: Part,
    #[expect(dead_code, reason = "its value is a fresh dict each time")]
    kept: Kept,
}

part_class!(
    PyNativePart,
    "native",
    &[("dialect", Absent::Needed), ("value", Absent::Needed), ("extra", Absent::None)]
);

#[pymethods]
impl PyNativePart {
    #[new]
    #[pyo3(signature = (dialect: "str", value: "Mapping[str, Any]", extra: "ExtraInput" = None))]
    fn new<'py>(
        dialect: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        extra: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let form = Form::new(value.py()).tag("type", "native").value("dialect", dialect)?;
        form.value("value", value)?.some("extra", extra)?.build()
    }

    #[getter]
    fn dialect(&self) -> &'static str {
        match &self.part.kind {
            PartKind::Native { dialect, .. } => dialect.as_str(),
            _ => "",
        }
    }

    /// The block, a fresh dict.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.part.kind {
            PartKind::Native { value, .. } => leave(py, value),
            _ => Ok(py.None().into_bound(py)),
        }
    }
}
