//! What other wires are told of the fields that only this one has.

use super::{codes, json, messages, read};
use crate::dialect::{Code, Losses, anthropic};
use crate::json::Json;
use crate::message::Extra;
use crate::path::Path;

fn left(extra: &Extra) -> Vec<(Code, String)> {
    let mut losses = Losses::default();
    if let Some((_, fields)) = extra.get() {
        anthropic::leave(fields, &Path::root().key("it"), &mut losses);
    }
    codes(&losses.0)
}

fn of_message(list: &str, n: usize) -> Vec<(Code, String)> {
    left(read(&messages(list)).messages[n].extra())
}

#[test]
fn layout_loses_nothing() {
    let list = r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":null}]},
        {"role":"assistant","content":[{"type":"text","text":"b"}]},
        {"role":"user","content":[{"type":"text","text":"c"},{"type":"tool_result","tool_use_id":"t"},{"type":"tool_result","tool_use_id":"u","content":[{"type":"text","text":"c"}]}]},
        {"role":"system","content":"d"}"#;
    for n in [0, 1, 4, 5] {
        assert_eq!(of_message(list, n), [], "{n}");
    }
    // But for the order of what was said and the results.
    for n in [2, 3] {
        assert_eq!(of_message(list, n), [(Code::OrderUserAfterResults, "it".to_owned())]);
    }
}

#[test]
fn marks_and_citations_are_reported_in_their_place() {
    let marked =
        r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#;
    assert_eq!(of_message(marked, 0), [(Code::CacheDropped, "it.content[0].cache_control".into())]);
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","toolset_name":"b","cache_control":{"type":"ephemeral"}}]}"#;
    let expected =
        [(Code::FieldDropped, "it.toolset_name".into()), (Code::CacheDropped, "it.cache_control".into())];
    assert_eq!(of_message(result, 0), expected);
    let turn = r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"b","citations":[{}]}]}"#;
    let expected =
        [(Code::CitationsDropped, "it.content[2].citations".into()), (Code::TextJoined, "it.content".into())];
    assert_eq!(of_message(turn, 0), expected);
}

#[test]
fn a_search_result_is_one_loss() {
    let body = r#"{"role":"user","content":[{"type":"search_result","source":"s","title":"t","content":[]},{"type":"text","text":"x"}]}"#;
    let request = read(&messages(body));
    let crate::message::Message::User(user) = &request.messages[0] else { panic!() };
    let crate::message::Content::Parts(parts) = &user.content else { panic!() };
    assert_eq!(left(&parts[0].extra), [(Code::BlockAsText, "it".into())]);
}

#[test]
fn tools_calls_and_settings() {
    let body: Json = json(
        r#"{"max_tokens":null,"system":"","tools":[{"type":"custom","name":"f","input_schema":{},"defer_loading":true,"cache_control":null}],
            "thinking":{"type":"adaptive"},"output_config":{"effort":"low","format":{}},
            "messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"direct"}}]}]}"#,
    );
    let request = read(&body);
    assert_eq!(left(&request.tools[0].extra), [(Code::ToolFieldDropped, "it.defer_loading".into())]);
    let crate::message::Message::Assistant(turn) = &request.messages[0] else { panic!() };
    assert_eq!(left(&turn.tool_calls[0].extra), []);
    let expected =
        [(Code::FieldDropped, "it.thinking".into()), (Code::FieldDropped, "it.output_config".into())];
    assert_eq!(left(&request.extra), expected);
}
