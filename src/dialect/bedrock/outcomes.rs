//! What blocks of an assistant turn that the provider ran or made declare of their own outcome.

use crate::dialect::NativeOutcome;
use crate::json::{Json, Value};
use crate::path::Path;

pub(in crate::dialect) fn native_outcome(item: &Json, path: &Path) -> Option<NativeOutcome> {
    if item.kind().is_some() {
        return None;
    }
    if let Some(result) = item.get("toolResult") {
        let is_error = match result.get("status").and_then(Value::as_str) {
            Some("error") => Some(true),
            Some("success") => Some(false),
            _ => None,
        };
        return Some(NativeOutcome {
            // The type names the tool.
            item: result.kind().unwrap_or("toolResult").to_owned(),
            id: result.get("toolUseId").and_then(Value::as_str).map(str::to_owned),
            path: path.clone(),
            is_error,
            detail: texts(result.get("content")),
        });
    }
    // What was made without an error is content and declares nothing.
    ["image", "audio"].into_iter().find_map(|made| {
        let error = item.get(made)?.get("error").filter(|error| !error.is_null())?;
        Some(NativeOutcome {
            item: made.to_owned(),
            id: None,
            path: path.clone(),
            is_error: Some(true),
            detail: error.get("message").and_then(Value::as_str).map(str::to_owned),
        })
    })
}

/// The texts of a result on lines of their own.
fn texts(content: Option<&Json>) -> Option<String> {
    let texts: Vec<&str> =
        content?.as_array()?.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::native_outcome;
    use crate::json::{Repeats, parse};
    use crate::path::Path;

    /// Item, id, outcome and detail.
    type Said = (String, Option<String>, Option<bool>, Option<String>);

    fn said(block: &str) -> Option<Said> {
        let block = parse(block.as_bytes(), Repeats::Refused).expect("JSON").value.into_owned();
        let path = Path::root().key("provider_state").index(3);
        let outcome = native_outcome(&block, &path)?;
        assert_eq!(outcome.path, path);
        Some((outcome.item, outcome.id, outcome.is_error, outcome.detail))
    }

    #[test]
    fn a_result_of_the_provider_says_it_by_its_status() {
        for (status, is_error) in
            [(r#""error""#, Some(true)), (r#""success""#, Some(false)), ("null", None), (r#""else""#, None)]
        {
            let block = format!(
                r#"{{"toolResult":{{"toolUseId":"g1","type":"nova_grounding_result","status":{status},
                "content":[{{"text":"one"}},{{"json":{{}}}},{{"text":"two"}}]}}}}"#
            );
            let expected =
                ("nova_grounding_result".into(), Some("g1".into()), is_error, Some("one\ntwo".into()));
            assert_eq!(said(&block), Some(expected), "{status}");
        }
        let bare = said(r#"{"toolResult":{"toolUseId":"g1","content":[]}}"#);
        assert_eq!(bare, Some(("toolResult".into(), Some("g1".into()), None, None)));
    }

    #[test]
    fn what_was_not_made_says_why() {
        for made in ["image", "audio"] {
            let failed = format!(r#"{{"{made}":{{"format":"x","error":{{"message":"no"}}}}}}"#);
            assert_eq!(said(&failed), Some((made.into(), None, Some(true), Some("no".into()))));
            assert_eq!(said(&format!(r#"{{"{made}":{{"format":"x","source":{{}}}}}}"#)), None);
        }
    }

    #[test]
    fn nothing_else_declares_anything() {
        for block in [
            r#"{"toolUse":{"toolUseId":"g1","name":"f","input":{},"type":"server_tool_use"}}"#,
            r#"{"reasoningContent":{"redactedContent":"AA=="}}"#,
            r#"{"type":"mcp_call","toolResult":{"status":"error"}}"#,
        ] {
            assert_eq!(said(block), None, "{block}");
        }
    }
}
