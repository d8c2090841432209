//! What is read, and that the same wire gets it back as it was.

use super::*;

#[test]
fn samples_come_back_as_they_were() {
    let mut seen = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire/responses")).unwrap() {
        let path = entry.unwrap().path();
        // `case.json` is a body; `case.target.json` is what another wire makes of it.
        if path.file_name().unwrap().to_str().unwrap().matches('.').count() != 1 {
            continue;
        }
        let body = json(&std::fs::read_to_string(&path).unwrap());
        let (written, losses) = write(&read(&body).unwrap(), PROVIDER);
        assert!(written == body, "{}", path.display());
        assert_eq!(codes(&losses), [""; 0], "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 5);
}

#[test]
fn input_and_instructions_keep_their_spelling() {
    for body in [
        r#"{"model":"m","input":"hi"}"#,
        r#"{"model":"m","input":""}"#,
        r#"{"model":"m","input":[]}"#,
        r#"{"model":"m","input":null}"#,
        r#"{"model":"m","prompt":{"id":"p"}}"#,
        r#"{"model":"m","instructions":null,"input":"hi"}"#,
        r#"{"model":"m","instructions":"","input":"hi"}"#,
        r#"{"model":"m","instructions":"Be kind.","input":"hi"}"#,
        r#"{"input":[{"role":"user","content":"hi"}]}"#,
        r#"{"input":[{"type":"message","role":"user","content":"hi"}]}"#,
        r#"{"input":[{"role":"system","content":"first"},{"role":"developer","content":[]}]}"#,
        r#"{"input":"x","tools":[],"tool_choice":null,"parallel_tool_calls":null,"stream":null,"temperature":null}"#,
        r#"{"input":"x","reasoning":{}}"#,
        r#"{"input":"x","reasoning":null}"#,
        r#"{"input":"x","reasoning":{"effort":null,"summary":"auto"}}"#,
        r#"{"input":"x","reasoning":{"effort":"low"},"temperature":1.0,"top_p":0.5,"max_output_tokens":7,"stream":true}"#,
    ] {
        survives(&json(body));
    }
    let request = survives(&json(r#"{"instructions":"Be kind.","input":"hi","reasoning":{"effort":"low"}}"#));
    assert_eq!(request.messages.len(), 2);
    assert!(
        matches!(&request.messages[0], Message::System(s) if s.content == words("Be kind.") && !s.developer)
    );
    assert_eq!(request.messages[1], user("hi"));
    assert_eq!(request.sampling.get("reasoning_effort").unwrap().as_str(), Some("low"));
}

#[test]
fn interleaved_items_fold_into_one_turn_and_keep_their_order() {
    let body = items(
        r#"[{"role":"user","content":"q"},
        {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}]},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"one ","annotations":[]}]},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
        {"type":"reasoning","id":"rs_2","summary":[],"content":[{"type":"reasoning_text","text":"b"}],"encrypted_content":"e"},
        {"role":"assistant","content":"two"},
        {"type":"custom_tool_call","call_id":"c2","namespace":"n","name":"g","input":"raw"},
        {"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}},
        {"id":"msg_0"},
        {"type":"function_call_output","call_id":"c1","output":"1"},
        {"type":"custom_tool_call_output","call_id":"c2","output":"2"}]"#,
    );
    let request = survives(&body);
    assert_eq!(request.messages.len(), 4);
    let turn = turn(&request, 1);
    assert_eq!(turn.content.as_deref(), Some("one two"));
    assert_eq!(turn.reasoning_content.as_deref(), Some("a\nb"));
    let kinds: Vec<_> = turn.tool_calls.iter().map(|c| (&*c.id, c.kind, c.namespace.as_deref())).collect();
    assert_eq!(kinds, [("c1", CallKind::Function, None), ("c2", CallKind::Custom, Some("n"))]);
    let state: Vec<_> = turn.provider_state.iter().map(|i| i.get("id").unwrap().as_str().unwrap()).collect();
    assert_eq!(state, ["rs_2", "ws", "msg_0"]);
    assert!(turn.extra.of(Dialect::Responses).unwrap().get("items").is_some());
}

#[test]
fn a_turn_that_its_fields_rebuild_is_not_kept_twice() {
    let body = items(
        r#"[{"role":"user","content":"q"},
        {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},
        {"type":"message","role":"assistant","content":"text"},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}","status":"completed"},
        {"type":"function_call_output","call_id":"c1","output":"1","id":"fco","status":"completed"}]"#,
    );
    assert!(turn(&survives(&body), 1).extra.is_none());
    let body = json(include_str!("../../../../tests/wire/responses/reasoning_signature_replay.json"));
    assert!(turn(&survives(&body), 2).extra.is_none());
}

#[test]
fn parts_get_their_kind_and_keep_their_fields() {
    let body = items(
        r#"[{"type":"message","role":"user","status":"completed","content":[
            {"type":"input_text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}},
            {"type":"input_image","image_url":"https://x.test/a.png","detail":"high"},
            {"type":"input_image","image_url":"https://x.test/a.png","detail":null,"file_id":null},
            {"type":"input_image","file_id":"file_1","detail":"auto"},
            {"type":"input_file","file_data":"data:application/pdf;base64,AA==","filename":"a.pdf","detail":"low"},
            {"type":"input_file","file_data":"AA==","filename":null},
            {"type":"input_file","file_url":"https://x.test/a.pdf"},
            {"type":"input_file","file_id":"file_2"},
            {"type":"input_file","file_id":"file_2","file_url":"https://x.test/a.pdf"},
            {"type":"input_file","file_data":"data:text/plain,hi"},
            {"type":"refusal","refusal":"no"},
            {"type":"input_new","x":[1,2.0]}]}]"#,
    );
    let request = survives(&body);
    let Message::User(UserMessage { content: Content::Parts(parts), extra: _ }) = &request.messages[0] else {
        panic!()
    };
    let kinds: Vec<String> = parts
        .iter()
        .map(|part| match &part.kind {
            PartKind::Text(t) => format!("text {t}"),
            PartKind::Image { url, detail } => format!("image {url} {detail:?}"),
            PartKind::File { source, media_type, filename } => {
                format!("file {source:?} {media_type:?} {filename:?}")
            }
            PartKind::Native { dialect, value: _ } => format!("native {dialect}"),
            PartKind::Audio { data: _, media_type: _ } => "audio".to_owned(),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "text a",
            "image https://x.test/a.png Some(\"high\")",
            "image https://x.test/a.png None",
            "native responses",
            "file Data(\"AA==\") Some(\"application/pdf\") Some(\"a.pdf\")",
            "file Data(\"AA==\") None None",
            "file Url(\"https://x.test/a.pdf\") None None",
            "file Id(\"file_2\") None None",
            "native responses",
            "native responses",
            "native responses",
            "native responses",
        ]
    );
}

#[test]
fn other_outputs_are_user_messages_with_the_item() {
    let body = items(
        r#"[{"type":"shell_call","call_id":"s","action":{"commands":["ls"]}},
        {"type":"shell_call_output","call_id":"s","output":[{"stdout":"","stderr":"","outcome":{"type":"exit","exit_code":1}}]},
        {"type":"mcp_approval_response","approval_request_id":"a","approve":false},
        {"type":"additional_tools","role":"developer","tools":[]},
        {"type":"message","role":"user","content":[{"type":"odd_output","text":"a part, not an item"}]},
        {"type":"message","role":"user","content":[{"type":"input_image","file_id":"f","detail":"auto"}]}]"#,
    );
    let request = survives(&body);
    let roles: Vec<_> = request.messages.iter().map(|m| m.role()).collect();
    assert_eq!(roles, ["assistant", "user", "user", "system", "user", "user"]);
    assert!(request.messages.iter().all(|m| !matches!(m, Message::Tool(_))));
}

#[test]
fn malformed_items_are_refused_with_their_path() {
    for (body, sentence) in [
        (r#"[5]"#, "input[0]: expected an object"),
        (r#"[{"type":"message","content":"x"}]"#, "input[0].role: missing"),
        (
            r#"[{"role":"tool","content":"x"}]"#,
            "input[0].role: expected user, assistant, system or developer",
        ),
        (r#"[{"role":"user"}]"#, "input[0].content: missing"),
        (r#"[{"role":"user","content":null}]"#, "input[0].content: expected a string or a list of parts"),
        (r#"[{"role":"user","content":[{"text":"x"}]}]"#, "input[0].content[0].type: missing"),
        (r#"[{"role":"user","content":[{"type":"input_text"}]}]"#, "input[0].content[0].text: missing"),
        (r#"[{"role":"assistant","content":{}}]"#, "input[0].content: expected a string or a list of parts"),
        (r#"[{"type":"function_call","call_id":"c","name":"f"}]"#, "input[0].arguments: missing"),
        (r#"[{"type":"function_call","name":"f","arguments":""}]"#, "input[0].call_id: missing"),
        (r#"[{"type":"function_call_output","output":""}]"#, "input[0].call_id: missing"),
        (
            r#"[{"type":"function_call_output","call_id":null,"output":""}]"#,
            "input[0].call_id: expected a string",
        ),
        (
            r#"[{"type":"function_call_output","call_id":"c","output":{"a":1}}]"#,
            "input[0].output: expected a string or a list of parts",
        ),
        (
            r#"[{"type":"custom_tool_call_output","call_id":"c","output":null}]"#,
            "input[0].output: expected a string or a list of parts",
        ),
        (r#"7"#, "input: expected a string or a list of items"),
    ] {
        assert_eq!(read(&items(body)).unwrap_err().to_string(), sentence);
    }
    let error = read(&json(r#"{"input":"x","temperature":"hot"}"#)).unwrap_err();
    assert_eq!(error.to_string(), "temperature: expected a number");
}

#[test]
fn tools_and_choices_come_back() {
    let body = json(
        r#"{"input":"x","tools":[
        {"type":"namespace","name":"n","description":"d","tools":[
            {"type":"function","name":"a","parameters":{"type":"object"},"defer_loading":true},
            {"type":"custom","name":"b","description":"bb","format":{"type":"text"}}]},
        {"type":"namespace","name":"n","description":"again","tools":[{"type":"function","name":"c","strict":null}]},
        {"type":"namespace","name":"empty","description":"e","tools":[]},
        {"type":"function","name":"f","description":null,"parameters":null,"strict":true,"output_schema":{"type":"string"}},
        {"type":"custom","name":"g","format":{"type":"grammar","syntax":"lark","definition":"x"}},
        {"type":"mcp","server_label":"s","server_url":"https://x.test"},{"type":"web_search"}]}"#,
    );
    let request = survives(&body);
    let names: Vec<_> =
        request.tools.iter().map(|t| (t.kind.as_str(), t.namespace.as_deref(), &*t.name)).collect();
    assert_eq!(
        names,
        [
            ("function", Some("n"), "a"),
            ("custom", Some("n"), "b"),
            ("function", Some("n"), "c"),
            ("namespace", None, "empty"),
            ("function", None, "f"),
            ("custom", None, "g"),
            ("mcp", None, "s"),
            ("web_search", None, "web_search"),
        ]
    );
    for (choice, typed) in [
        (r#""auto""#, true),
        (r#""none""#, true),
        (r#""required""#, true),
        (r#"{"type":"function","name":"f"}"#, true),
        (r#"{"type":"custom","name":"g"}"#, true),
        (r#"{"type":"function","name":"f","namespace":"n"}"#, false),
        (
            r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"custom","name":"g"}]}"#,
            true,
        ),
        (r#"{"type":"allowed_tools","mode":"required","tools":[{"type":"mcp","server_label":"s"}]}"#, false),
        (r#"{"type":"mcp","server_label":"s","name":null}"#, false),
        (r#"{"type":"apply_patch"}"#, false),
    ] {
        let request = survives(&json(&format!(r#"{{"input":"x","tool_choice":{choice}}}"#)));
        assert_eq!(!matches!(request.tool_choice, Some(ToolChoice::Native { .. })), typed, "{choice}");
    }
    assert!(read(&json(r#"{"input":"x","tool_choice":"any"}"#)).is_err());
}
