//! Both spellings of a field: a body may say `functionCall` or `function_call`, and is read as if it said the first.

use crate::error::{Error, Result};
use crate::json::{Object, Value};
use crate::path::{Path, Step};
use std::borrow::Cow;
use std::collections::HashMap;

/// What the keys of an object are.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    /// Fields of the wire.
    Fields,
    /// Those of a declared function, whose `response` is a schema.
    Declaration,
    /// Those of an OpenAPI schema.
    Schema,
    /// The caller's own names, each for a schema.
    Names,
    /// The caller's own.
    Free,
}

/// What is below a field.
fn below(keys: Keys, field: &str) -> Keys {
    match (keys, field) {
        (Keys::Names, _) => Keys::Schema,
        (Keys::Schema, "properties" | "defs" | "$defs") => Keys::Names,
        (Keys::Schema, "items" | "prefixItems" | "anyOf" | "additionalProperties") => Keys::Schema,
        (Keys::Free | Keys::Schema, _) => Keys::Free,
        (Keys::Declaration, "response") => Keys::Schema,
        (_, "functionDeclarations") => Keys::Declaration,
        (_, "parameters" | "responseSchema") => Keys::Schema,
        (
            _,
            "args"
            | "response"
            | "partMetadata"
            | "parametersJsonSchema"
            | "responseJsonSchema"
            | "labels"
            | "headers"
            | "metadata"
            | "customMetadata"
            | "customConfigs",
        ) => Keys::Free,
        _ => Keys::Fields,
    }
}

/// The value with every field in camelCase; as it is where it has no other.
pub(super) fn camel<'v>(value: &'v Value<'v>) -> Result<Cow<'v, Value<'v>>> {
    if has_snake(value, Keys::Fields) {
        renamed(value, Keys::Fields).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(value))
    }
}

fn has_snake(value: &Value<'_>, keys: Keys) -> bool {
    match value {
        _ if keys == Keys::Free => false,
        Value::Array(items) => items.iter().any(|item| has_snake(item, keys)),
        Value::Object(object) => object.iter().any(|(key, member)| {
            keys != Keys::Names && is_snake(key) || has_snake(member, below(keys, &in_camel(key)))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// No field begins or ends with an underscore, so a private key is none.
fn is_snake(key: &str) -> bool {
    key.contains('_')
        && key.starts_with(|c: char| c.is_ascii_lowercase())
        && !key.ends_with('_')
        && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn in_camel(key: &str) -> Cow<'_, str> {
    if !is_snake(key) {
        return Cow::Borrowed(key);
    }
    let mut out = String::with_capacity(key.len());
    for (n, word) in key.split('_').enumerate() {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if n > 0 => out.push(first.to_ascii_uppercase()),
            first => out.extend(first),
        }
        out.push_str(chars.as_str());
    }
    Cow::Owned(out)
}

fn renamed<'v>(value: &Value<'v>, keys: Keys) -> Result<Value<'v>> {
    let within = |step: Step| {
        move |mut error: Error| {
            let mut path = Path::root();
            path.push(step);
            path.extend(std::mem::take(&mut error.path));
            error.path = path;
            error
        }
    };
    match value {
        Value::Array(items) if keys != Keys::Free => {
            let items = items.iter().enumerate();
            let items = items.map(|(n, item)| renamed(item, keys).map_err(within(Step::Index(n))));
            Ok(Value::Array(items.collect::<Result<_>>()?))
        }
        Value::Object(object) if keys != Keys::Free => {
            let mut out = Object(Vec::with_capacity(object.len()));
            let mut places: HashMap<Cow<'_, str>, usize> = HashMap::with_capacity(object.len());
            for (key, member) in object.iter() {
                let name = if keys == Keys::Names { Cow::Borrowed(key.as_ref()) } else { in_camel(key) };
                let step = || Step::Key(key.as_ref().into());
                let member = renamed(member, below(keys, &name)).map_err(within(step()))?;
                match places.get(&name) {
                    None => {
                        places.insert(name.clone(), out.len());
                        out.0.push((Cow::Owned(name.into_owned()), member));
                    }
                    Some(at) if out.0[*at].1 == member => {}
                    Some(_) => {
                        let what =
                            format!("says something else than the same field spelled otherwise ({name})");
                        return Err(Error::shape(Path::root().key(key), what));
                    }
                }
            }
            Ok(Value::Object(out))
        }
        value => Ok(value.clone()),
    }
}
