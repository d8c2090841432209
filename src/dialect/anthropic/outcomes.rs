//! What provider-run items declare of their own outcome.

use crate::dialect::NativeOutcome;
use crate::json::{Json, Value};
use crate::path::Path;

pub(in crate::dialect) fn native_outcome(item: &Json, path: &Path) -> Option<NativeOutcome> {
    let kind = item.kind()?;
    let content = item.get("content");
    let (is_error, detail) = match kind {
        "mcp_tool_result" => {
            let declared = match item.get("is_error") {
                Some(Value::Bool(failed)) => Some(*failed),
                _ => None,
            };
            (declared, content.and_then(texts))
        }
        "web_search_tool_result"
        | "web_fetch_tool_result"
        | "code_execution_tool_result"
        | "bash_code_execution_tool_result"
        | "text_editor_code_execution_tool_result"
        | "tool_search_tool_result"
        | "advisor_tool_result" => verdict(content?),
        _ => return None,
    };
    Some(NativeOutcome {
        item: kind.to_owned(),
        id: item.get("tool_use_id").and_then(|id| id.as_str()).map(str::to_owned),
        path: path.clone(),
        is_error,
        detail,
    })
}

/// The type of the content says it; exit codes and stderr are facts and no verdict.
fn verdict(content: &Json) -> (Option<bool>, Option<String>) {
    if content.as_array().is_some() {
        return (Some(false), None);
    }
    let word = |key: &str| content.get(key).and_then(|v| v.as_str()).filter(|text| !text.is_empty());
    match content.kind() {
        Some(kind) if kind.ends_with("_tool_result_error") => {
            let detail = match (word("error_code"), word("error_message")) {
                (Some(code), Some(message)) => Some(format!("{code}: {message}")),
                (code, message) => code.or(message).map(str::to_owned),
            };
            (Some(true), detail)
        }
        Some(kind) if kind.ends_with("_result") => {
            (Some(false), word("stdout").or(word("text")).map(str::to_owned))
        }
        _ => (None, None),
    }
}

/// The text of a result, blocks on lines of their own.
fn texts(content: &Json) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    }
    let texts: Vec<&str> =
        content.as_array()?.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
