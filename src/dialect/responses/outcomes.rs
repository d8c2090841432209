//! What items that declare an outcome of their own say: each by its own words, never by its output.

use crate::dialect::NativeOutcome;
use crate::json::Json;
use crate::path::Path;

pub(in crate::dialect) fn native_outcome(item: &Json, path: &Path) -> Option<NativeOutcome> {
    let kind = item.kind()?;
    let field = |key: &str| item.get(key).and_then(|value: &Json| value.as_str());
    let error = item
        .get("error")
        .filter(|error| error.as_object().is_some() || !error.as_str().unwrap_or("").is_empty());
    let by_status = || match field("status") {
        Some("completed") => Some(false),
        Some("failed") => Some(true),
        _ => None,
    };
    let (is_error, detail) = match kind {
        "mcp_call" => match error {
            Some(error) => (Some(true), error_text(error)),
            None => (by_status(), field("output").map(str::to_owned)),
        },
        "mcp_list_tools" => match error {
            Some(error) => (Some(true), error_text(error)),
            None => (item.get("error").filter(|error| error.is_null()).map(|_| false), None),
        },
        "image_generation_call" => match error {
            Some(error) => (Some(true), error_text(error)),
            None => (by_status(), None),
        },
        "web_search_call" | "file_search_call" | "code_interpreter_call" => (by_status(), None),
        "apply_patch_call_output" => (by_status(), field("output").map(str::to_owned)),
        // `incomplete` says that it was cut off.
        "program_output" => {
            ((field("status") == Some("completed")).then_some(false), field("result").map(str::to_owned))
        }
        "mcp_approval_response" => {
            let approved = match item.get("approve") {
                Some(crate::json::Value::Bool(approved)) => Some(!approved),
                _ => None,
            };
            (approved, field("reason").map(str::to_owned))
        }
        _ => return None,
    };
    let id = field("id").or(field("call_id")).or(field("approval_request_id")).map(str::to_owned);
    Some(NativeOutcome { item: kind.to_owned(), id, path: path.clone(), is_error, detail })
}

/// The message of an error, the texts of its content, or the error where it is a string.
fn error_text(error: &Json) -> Option<String> {
    if let Some(words) = error.as_str().or_else(|| error.get("message")?.as_str()) {
        return Some(words.to_owned());
    }
    let content = error.get("content")?;
    if let Some(words) = content.as_str() {
        return Some(words.to_owned());
    }
    let texts: Vec<&str> = content.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
