//! A call as it grows by deltas, of a function or of a custom tool.

use super::deltas::{Grown, Place};
use crate::dialect::stream::keep;
use crate::error::Result;
use crate::json::{Fields, Json, Object, Value, compact};
use crate::message::{CallKind, Extra, ToolCall};

#[derive(Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) kind: Option<CallKind>,
    /// What stands beside the function.
    pub(super) fields: Object<'static>,
    /// What stands beside the arguments, the name among it.
    pub(super) inner: Object<'static>,
    pub(super) arguments: String,
}

impl Call {
    pub(super) fn take(&mut self, piece: &Fields<'_>) -> Result<()> {
        for (key, field) in piece.each() {
            match (key, field.value) {
                ("index", _) | ("id" | "type" | "function" | "custom", Value::Null) => {}
                ("id", _) if self.id.is_empty() => field.str()?.clone_into(&mut self.id),
                ("id", _) => {}
                ("type", value) => match value.as_str() {
                    Some("function") => self.kind = Some(CallKind::Function),
                    Some("custom") => self.kind = Some(CallKind::Custom),
                    Some("") => {}
                    _ => return Err(field.expected("function or custom")),
                },
                ("function" | "custom", _) => {
                    let kind = if key == "custom" { CallKind::Custom } else { CallKind::Function };
                    self.kind.get_or_insert(kind);
                    self.inner(&field.fields()?, text_key(key))?;
                }
                (_, value) => keep(&mut self.fields, key, value),
            }
        }
        Ok(())
    }

    fn inner(&mut self, piece: &Fields<'_>, text_key: &str) -> Result<()> {
        for (key, field) in piece.each() {
            match (key, field.value) {
                (key, Value::Null) if key == text_key => {}
                (key, Value::String(text)) if key == text_key => self.arguments.push_str(text),
                // Some servers send the object itself.
                (key, Value::Object(_)) if key == text_key => self.arguments.push_str(&compact(field.value)),
                (key, _) if key == text_key => return Err(field.expected("a string")),
                ("name" | "namespace", Value::String(name)) if name.is_empty() => {}
                ("name" | "namespace", value) if !value.is_null() => {
                    field.str()?;
                    keep(&mut self.inner, key, value);
                }
                ("name", _) => {}
                (_, value) => keep(&mut self.inner, key, value),
            }
        }
        Ok(())
    }

    /// The call as a message holds it; none where it has no id, no name or no kind.
    pub(super) fn whole(&self) -> Option<Json> {
        let kind = self.kind.filter(|_| !self.id.is_empty())?;
        self.inner.get("name")?;
        let mut inner = self.inner.clone();
        inner.set(text_key(kind.as_str()), self.arguments.clone().into());
        let mut call = Object::default().with("id", self.id.clone()).with("type", kind.as_str());
        call.set(kind.as_str(), inner.into());
        call.0.extend(self.fields.0.iter().cloned());
        Some(call.into())
    }

    pub(super) fn unfinished(&self) -> ToolCall {
        let said = |key: &str| self.inner.get(key).and_then(Value::as_str);
        ToolCall {
            id: self.id.as_str().into(),
            name: said("name").unwrap_or_default().into(),
            arguments: said("arguments").unwrap_or(&self.arguments).into(),
            kind: self.kind.unwrap_or_default(),
            namespace: said("namespace").map(Into::into),
            extra: Extra::none(),
        }
    }
}

/// The arguments in the piece of a single call that nothing but its index names.
pub(super) fn grown_call<'v>(calls: &'v [Value<'_>]) -> Option<Grown<'v>> {
    let [call] = calls else { return None };
    let (mut index, mut text) = (None, None);
    for (key, value) in call.as_object()?.iter() {
        match (key.as_ref(), value) {
            ("index", Value::Number(literal)) => index = Some(literal.as_ref()),
            ("type", Value::String(_)) | (_, Value::Null) => {}
            ("id", Value::String(id)) if id.is_empty() => {}
            ("function" | "custom", Value::Object(inner)) => match inner.0.as_slice() {
                [(own, Value::String(piece))] if own == text_key(key) && text.is_none() => {
                    text = Some(piece.as_ref());
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(Grown { place: Place::Call, text: text?, index: Some(index?) })
}

/// The key of the arguments in a call of this kind.
fn text_key(kind: &str) -> &'static str {
    if kind == "custom" { "input" } else { "arguments" }
}
