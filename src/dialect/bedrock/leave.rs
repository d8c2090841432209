//! What another wire loses of the fields that only this one has.

use super::blocks::{CACHE_POINT, JSON};
use super::read::{AT, CACHE, CONTENT, IN_LIST, JOINED, MESSAGE};
use crate::dialect::loss::{Code, Losses, code_of_field};
use crate::json::{Object, Value};
use crate::path::Path;

pub(in crate::dialect) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, value) in fields.iter() {
        match (key.as_ref(), value) {
            (_, Value::Null) | (JOINED | IN_LIST, _) => {}
            (AT, _) => {
                let detail = "stood behind what else its message says, and is written before it";
                losses.add(Code::OrderUserAfterResults, path.clone(), detail);
            }
            (CACHE, _) => {
                losses.add(Code::CacheDropped, path.key(CACHE_POINT), "the cache point behind it");
            }
            (MESSAGE, Value::Object(others)) => each(others, path, losses),
            (CONTENT, Value::Array(blocks)) => leave_blocks(blocks, path, losses),
            (JSON, _) => {
                losses.add(Code::StructuredAsText, path.clone(), "JSON, written as its text");
            }
            ("searchResult", _) => {
                losses.add(Code::BlockAsText, path.clone(), "a search result, written as its text");
            }
            ("image" | "audio" | "document", Value::Object(others)) => each(others, path, losses),
            // What a group of settings says beside the typed ones.
            ("inferenceConfig" | "outputConfig" | "toolConfig", Value::Object(others)) => {
                each(others, &path.key(key), losses);
            }
            ("system", Value::Array(none)) if none.is_empty() => {}
            (key, _) => losses.add(code_of_field(key), path.key(key), "only Bedrock has this field"),
        }
    }
}

/// Fields without a layout of their own.
fn each(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        // An empty list says nothing.
        if value.as_array().is_none_or(|list| !list.is_empty()) {
            losses.add(code_of_field(key), path.key(key), "only Bedrock has this field");
        }
    }
}

/// The list that a text was read from, or a whole turn. Its calls and opaque blocks are told of where they are typed.
fn leave_blocks(blocks: &[Value<'_>], path: &Path, losses: &mut Losses) {
    let inner = path.key("content");
    let (mut texts, mut called) = (0, false);
    for (n, block) in blocks.iter().enumerate() {
        let Some(fields) = block.as_object() else { continue };
        let here = inner.index(n);
        match fields.0.first().map(|(name, value)| (name.as_ref(), value)) {
            Some(("text" | "citationsContent", value)) => {
                texts += 1;
                if called {
                    losses.add(Code::TurnReordered, here.clone(), "stood behind a call of its turn");
                }
                if value.as_str().is_none() {
                    losses.add(Code::CitationsDropped, here, "only the text that was cited is written");
                }
            }
            Some((CACHE_POINT, _)) => {
                losses.add(Code::CacheDropped, here, "a cache point");
            }
            Some(("toolUse", _)) => called = true,
            Some((CACHE | JSON | "searchResult", _)) => leave(fields, &inner, losses),
            _ => {}
        }
    }
    if texts > 1 {
        losses.add(Code::TextJoined, inner, "several text blocks, written as one text");
    }
}

/// What else the fields of a text, or of a message that is one, say, if they say that it stands for JSON.
pub(in crate::dialect) fn structured(fields: &Object<'static>) -> Option<Object<'static>> {
    let mut rest = fields.clone();
    if rest.remove(JSON).is_some() {
        return Some(rest);
    }
    let Some(Value::Array(layout)) = rest.remove(CONTENT) else { return None };
    let mut only = layout.into_iter().next()?.as_object()?.clone();
    only.remove(JSON)?;
    Some(rest.with(CONTENT, vec![only.into()]))
}
