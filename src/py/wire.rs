//! Which wire is meant, and which server behind it: names, dialects, classes of dialects.

use crate::dialect::Options;
use crate::dialect::targets::{self, Target};
use crate::error::Error;
use crate::message::Dialect;
use crate::path::Path;
use crate::py::dialects::{AnthropicDialect, BedrockDialect, ChatDialect, GeminiDialect, ResponsesDialect};
use crate::py::errors::raised;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::hash::{Hash, Hasher};

/// A wire, and the server behind it where one was named.
#[derive(Clone, Copy)]
pub(super) struct Wire {
    pub(super) dialect: Dialect,
    pub(super) target: Option<&'static Target>,
}

impl Wire {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, target: None }
    }

    pub(super) fn target_name(self) -> Option<&'static str> {
        self.target.map(|target| &*target.name)
    }

    pub(super) fn options(self, internal: bool) -> Options {
        Options { internal, target: self.target }
    }
}

impl PartialEq for Wire {
    fn eq(&self, other: &Self) -> bool {
        (self.dialect, self.target_name()) == (other.dialect, other.target_name())
    }
}

impl Eq for Wire {}

impl Hash for Wire {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.dialect, self.target_name()).hash(hasher);
    }
}

/// A wire with one of its targets.
pub(super) fn wire_with(dialect: Dialect, target: Option<&Bound<'_, PyAny>>) -> PyResult<Wire> {
    let Some(given) = target else { return Ok(Wire::new(dialect)) };
    let named = given.cast::<PyString>().ok().and_then(|name| targets::named(name.to_str().ok()?));
    let known = || {
        let own = targets::all().iter().filter(|target| target.dialect == dialect);
        let names: Vec<_> = own.map(|target| &*target.name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let path = Path::root().key("target");
    let error = match named {
        Some(target) if target.dialect == dialect => return Ok(Wire { dialect, target: named }),
        Some(target) => {
            let what =
                format!("{} is a target of {}; {dialect} has {}", target.name, target.dialect, known());
            Error::unsupported(path, what)
        }
        None => {
            Error::shape(path, format!("expected the name of a target of {dialect}, which has {}", known()))
        }
    };
    Err(raised(given.py(), &error))
}

/// A wire by its name, by the name of a target, by an object of its class, or by the class.
pub(super) fn wire_of(given: &Bound<'_, PyAny>, argument: &str) -> PyResult<Wire> {
    let py = given.py();
    macro_rules! by_class {
        ($($class:ty => $dialect:expr),+ $(,)?) => {
            $(if let Ok(dialect) = given.cast::<$class>() {
                return Ok(dialect.get().0);
            } else if given.is(py.get_type::<$class>()) {
                return Ok(Wire::new($dialect));
            })+
        };
    }
    by_class!(
        ChatDialect => Dialect::Chat,
        ResponsesDialect => Dialect::Responses,
        AnthropicDialect => Dialect::Anthropic,
        GeminiDialect => Dialect::Gemini,
        BedrockDialect => Dialect::Bedrock,
    );
    let name = given.cast::<PyString>().ok().and_then(|name| name.to_str().ok());
    let named = name.and_then(|name| match Dialect::from_name(name) {
        Some(dialect) => Some(Wire::new(dialect)),
        None => targets::named(name).map(|target| Wire { dialect: target.dialect, target: Some(target) }),
    });
    named.ok_or_else(|| {
        let targets: Vec<&str> = targets::all().iter().map(|target| &*target.name).collect();
        let what = format!(
            "expected chat, responses, anthropic, gemini, bedrock, a dialect, or a target: {}",
            targets.join(", ")
        );
        raised(py, &Error::shape(Path::root().key(argument), what))
    })
}
