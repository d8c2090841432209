//! What stands beside the turn in the body of an answer: another wire does not get it.

use crate::dialect::loss::{Code, Losses};
use crate::json::{Object, Value};
use crate::path::Path;

/// Reports the fields of a body, or of what holds the turn in it, but those in `known`: what is typed, what every answer
/// has, and what repeats the request.
pub(super) fn leave_beside(fields: &Object<'_>, known: &[&str], path: &Path, losses: &mut Losses) {
    for (key, value) in fields.iter().filter(|(key, _)| !known.contains(&key.as_ref())) {
        if !says_nothing(value) {
            losses.add(
                code_of(key),
                path.key(key),
                "stands beside the turn, which is all that another wire gets",
            );
        }
    }
}

/// Reports the answers in a list that are not the one that counts.
pub(super) fn leave_others(all: &Value<'_>, chosen: usize, path: &Path, losses: &mut Losses) {
    let others = (0..all.as_array().map_or(0, <[_]>::len)).filter(|n| *n != chosen);
    for n in others {
        losses.add(Code::FieldDropped, path.index(n), "another answer than the one that is written");
    }
}

fn says_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.iter().all(|(_, value)| says_nothing(value)),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn code_of(key: &str) -> Code {
    match key {
        "citations"
        | "search_results"
        | "citationMetadata"
        | "groundingMetadata"
        | "groundingAttributions"
        | "urlContextMetadata" => Code::CitationsDropped,
        _ => Code::FieldDropped,
    }
}
