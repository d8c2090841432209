//! Provider-run items: their own verdict, and no verdict made out of facts.

use super::json;
use crate::dialect::anthropic::native_outcome;
use crate::path::Path;

fn verdict(item: &str) -> Option<(Option<bool>, Option<String>)> {
    native_outcome(&json(item), &Path::root()).map(|outcome| (outcome.is_error, outcome.detail))
}

fn said(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn verdicts_are_read_by_the_type_of_the_content() {
    for (item, is_error, detail) in [
        (
            r#"{"type":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}"#,
            Some(true),
            said("unavailable"),
        ),
        (r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[]}"#, Some(false), None),
        (
            r#"{"type":"bash_code_execution_tool_result","tool_use_id":"s","content":{"type":"bash_code_execution_result","stdout":"","stderr":"bad","return_code":2,"content":[]}}"#,
            Some(false),
            None,
        ),
        (
            r#"{"type":"text_editor_code_execution_tool_result","tool_use_id":"s","content":{"type":"text_editor_code_execution_tool_result_error","error_code":"file_not_found","error_message":"no such file"}}"#,
            Some(true),
            said("file_not_found: no such file"),
        ),
        (
            r#"{"type":"mcp_tool_result","tool_use_id":"s","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            Some(true),
            said("a\nb"),
        ),
        (r#"{"type":"mcp_tool_result","tool_use_id":"s","content":"x"}"#, None, said("x")),
        (r#"{"type":"advisor_tool_result","tool_use_id":"s","content":{"type":"new_thing"}}"#, None, None),
    ] {
        assert_eq!(verdict(item), Some((is_error, detail)), "{item}");
    }
}

#[test]
fn other_items_declare_nothing() {
    for item in [
        r#"{"type":"thinking","thinking":"","signature":""}"#,
        r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#,
        r#"{"type":"web_search_tool_result","tool_use_id":"s"}"#,
        r#"{"type":"function_call","call_id":"c"}"#,
        "{}",
        "null",
    ] {
        assert_eq!(verdict(item), None, "{item}");
    }
}

#[test]
fn an_outcome_names_its_item() {
    let item = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let outcome = native_outcome(&json(item), &Path::root().key("messages").index(1)).unwrap();
    assert_eq!(
        (outcome.item.as_str(), outcome.id.as_deref()),
        ("web_search_tool_result", Some("srvtoolu_1"))
    );
    assert_eq!(outcome.path.to_string(), "messages[1]");
}
