//! Markers, labels, and what provider items say of themselves.

use super::*;

#[test]
fn markers_are_read_on_both_outputs_and_nowhere_else() {
    let body = items(
        r#"[{"type":"function_call","call_id":"c1","name":"f","arguments":"{}","_vf_is_error":true},
        {"type":"custom_tool_call","call_id":"c2","name":"g","input":"x"},
        {"type":"custom_tool_call","call_id":"c3","name":"g","input":"x"},
        {"type":"function_call_output","id":"fco_1","call_id":"c1","output":"bad","_vf_is_error":true},
        {"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"bad"}],"_vf_is_error":true},
        {"type":"custom_tool_call_output","call_id":"c3","output":"good","_vf_is_error":false},
        {"type":"apply_patch_call_output","call_id":"p","status":"failed","_vf_is_error":true},
        {"role":"user","content":"so?","_vf_is_error":false}]"#,
    );
    let request = read(&body).unwrap();
    let outcomes: Vec<_> = request
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::Tool(m) => Some(m.is_error),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Some(true), Some(true), Some(false)]);

    let (internal, losses) = write(&request, INTERNAL);
    let own = compact(&body).replace(r#""{}","_vf_is_error":true}"#, r#""{}"}"#);
    let own = own.replace(r#""failed","_vf_is_error":true}"#, r#""failed"}"#);
    assert!(internal == json(&own.replace(r#""so?","_vf_is_error":false}"#, r#""so?"}"#)));
    let misplaced =
        ["input[0]", "input[6]", "input[7]"].map(|at| format!("{at}._vf_is_error marker.misplaced"));
    assert_eq!(codes(&losses), misplaced);

    let (provider, losses) = write(&request, PROVIDER);
    let sealed = compact(&provider);
    assert!(!sealed.contains("_vf_"));
    let out = provider.get("input").unwrap().as_array().unwrap();
    assert_eq!(
        compact(&out[3]),
        r#"{"type":"function_call_output","call_id":"c1","output":"Tool execution failed:\nbad"}"#
    );
    assert_eq!(
        compact(&out[4]),
        r#"{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"Tool execution failed:\n"},{"type":"input_text","text":"bad"}]}"#
    );
    assert_eq!(compact(&out[5]), r#"{"type":"custom_tool_call_output","call_id":"c3","output":"good"}"#);
    assert_eq!(
        codes(&losses)[..4],
        [
            "messages[1].is_error outcome.labelled",
            "messages[1].id item_id.dropped",
            "messages[2].is_error outcome.labelled",
            "messages[3].is_error outcome.success_unexpressed",
        ]
    );
    assert_eq!(codes(&losses)[4..], misplaced);
    // Once sealed, it stays as it is.
    assert_eq!(compact(&write(&read(&provider).unwrap(), PROVIDER).0), sealed);
}

#[test]
fn a_marker_must_be_a_bool() {
    for kind in ["function_call_output", "custom_tool_call_output"] {
        for odd in ["1", "\"true\"", "[]", "{}"] {
            let body =
                items(&format!(r#"[{{"type":"{kind}","call_id":"c","output":"","_vf_is_error":{odd}}}]"#));
            let error = read(&body).unwrap_err();
            assert_eq!(error.kind, Kind::Marker);
            assert_eq!(error.path.to_string(), "input[0]._vf_is_error");
        }
        let body = items(&format!(r#"[{{"type":"{kind}","call_id":"c","output":"","_vf_is_error":null}}]"#));
        assert!(matches!(&read(&body).unwrap().messages[0], Message::Tool(m) if m.is_error.is_none()));
        // Text is never evidence.
        let body =
            items(&format!(r#"[{{"type":"{kind}","call_id":"c","output":"Tool execution failed:\nx"}}]"#));
        assert!(matches!(&survives(&body).messages[0], Message::Tool(m) if m.is_error.is_none()));
    }
}

#[test]
fn internal_results_carry_the_marker_and_no_label() {
    let messages = vec![
        calls(vec![
            call("a", CallKind::Function),
            call("b", CallKind::Custom),
            call("c", CallKind::Function),
        ]),
        result("a", words("x"), Some(true)),
        result("b", words("y"), Some(false)),
        result("c", words("z"), None),
    ];
    let (body, losses) = write(&by_hand(Some(Dialect::Chat), messages.clone()), INTERNAL);
    assert_eq!(codes(&losses), [""; 0]);
    let back = read(&body).unwrap();
    let outcome = |m: &Message| match m {
        Message::Tool(m) => m.is_error,
        _ => None,
    };
    assert_eq!(
        back.messages.iter().map(outcome).collect::<Vec<_>>(),
        messages.iter().map(outcome).collect::<Vec<_>>()
    );
    assert!(!compact(&body).contains("Tool execution failed"));
    let alone = write_message(&messages[1], INTERNAL, &mut Losses::default()).unwrap();
    assert_eq!(
        compact(&alone.into()),
        r#"[{"type":"function_call_output","call_id":"a","output":"x","_vf_is_error":true}]"#
    );
}

#[test]
fn the_label_stands_once() {
    let cases = [
        (words("Tool execution failed:\nx"), r#""Tool execution failed:\nx""#),
        (words(" \n"), r#""Tool execution failed:\n \n""#),
        (Content::Parts(vec![]), r#"[{"type":"input_text","text":"Tool execution failed:\n"}]"#),
        (
            Content::Parts(vec![Part::text("Tool execution failed:\n"), Part::text("x")]),
            r#"[{"type":"input_text","text":"Tool execution failed:\n"},{"type":"input_text","text":"x"}]"#,
        ),
    ];
    for (content, output) in cases {
        let messages = vec![calls(vec![call("c", CallKind::Function)]), result("c", content, Some(true))];
        let (written, losses) = written_items(&by_hand(Some(Dialect::Anthropic), messages));
        assert_eq!(compact(written[1].get("output").unwrap()), output);
        assert_eq!(codes(&losses), ["messages[1].is_error outcome.labelled"]);
    }
}

#[test]
fn provider_items_say_their_own_outcome() {
    let outcome = |item: &str| {
        let said = native_outcome(&json(item), &Path::root());
        said.map(|said| (said.is_error, said.detail.unwrap_or_else(|| "-".to_owned())))
    };
    let some = |is_error: Option<bool>, detail: &str| Some((is_error, detail.to_owned()));
    for (item, expected) in [
        (
            r#"{"type":"mcp_call","error":"connection reset","output":null,"status":"failed"}"#,
            some(Some(true), "connection reset"),
        ),
        (
            r#"{"type":"mcp_call","error":{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"no"},{"type":"text","text":"file"}]},"output":null}"#,
            some(Some(true), "no\nfile"),
        ),
        (
            r#"{"type":"mcp_call","error":{"type":"http_error","code":502,"message":"bad gateway"}}"#,
            some(Some(true), "bad gateway"),
        ),
        (r#"{"type":"mcp_call","error":null,"output":"","status":"completed"}"#, some(Some(false), "")),
        (r#"{"type":"mcp_call","status":"failed","output":"half"}"#, some(Some(true), "half")),
        (r#"{"type":"mcp_call","status":"in_progress"}"#, some(None, "-")),
        (r#"{"type":"mcp_call","error":5}"#, some(None, "-")),
        (r#"{"type":"mcp_list_tools","error":"down","tools":[]}"#, some(Some(true), "down")),
        (r#"{"type":"mcp_list_tools","error":null,"tools":[]}"#, some(Some(false), "-")),
        (r#"{"type":"mcp_list_tools","tools":[]}"#, some(None, "-")),
        (r#"{"type":"mcp_approval_response","approve":false,"reason":"no"}"#, some(Some(true), "no")),
        (r#"{"type":"web_search_call","status":"failed"}"#, some(Some(true), "-")),
        (r#"{"type":"file_search_call","status":"completed"}"#, some(Some(false), "-")),
        (r#"{"type":"code_interpreter_call","status":"incomplete"}"#, some(None, "-")),
        (
            r#"{"type":"image_generation_call","status":"failed","error":{"code":"x","message":"blocked"}}"#,
            some(Some(true), "blocked"),
        ),
        (
            r#"{"type":"apply_patch_call_output","status":"failed","output":"hunk 1"}"#,
            some(Some(true), "hunk 1"),
        ),
        (r#"{"type":"apply_patch_call_output","status":"completed"}"#, some(Some(false), "-")),
        (r#"{"type":"program_output","status":"incomplete","result":"r"}"#, some(None, "r")),
        (r#"{"type":"shell_call_output","output":[{"outcome":{"type":"exit","exit_code":1}}]}"#, None),
        (r#"{"type":"local_shell_call_output","output":"{}","status":"completed"}"#, None),
        (r#"{"type":"shell_call","status":"completed"}"#, None),
        (r#"{"type":"reasoning"}"#, None),
        (r#"{"id":"x"}"#, None),
        ("5", None),
    ] {
        assert_eq!(outcome(item), expected, "{item}");
    }
}

#[test]
fn a_string_that_spells_the_marker_is_data() {
    let body = items(
        r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"_vf_is_error\":true}"},
        {"type":"function_call_output","call_id":"c","output":"{\"_vf_is_error\": true}"}]"#,
    );
    let request = survives(&body);
    assert!(matches!(&request.messages[1], Message::Tool(m) if m.is_error.is_none()));
}
