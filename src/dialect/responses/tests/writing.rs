//! What is written for a conversation that another wire, a program or an edit made.

use super::*;
use crate::dialect::Code;

#[test]
fn nothing_of_a_message_item_leaves_without_a_word() {
    let item = r#"{"type":"message","role":"assistant","id":"m","status":"completed","phase":"commentary","content":[
        {"type":"output_text","text":"hi","annotations":[{"type":"url_citation"}],"logprobs":[{}]},{"type":"output_audio","data":"x"}]}"#;
    let body = json(&format!(
        r#"{{"input":[{{"type":"reasoning","id":"r","summary":[]}},{item},{{"role":"user","content":"q"}}]}}"#
    ));
    let request = read(&body).unwrap();
    for wire in [Dialect::Chat, Dialect::Anthropic] {
        let (_, losses) = crate::dialect::write_request(wire, &request, PROVIDER).unwrap();
        let codes: Vec<Code> = losses.0.iter().map(|loss| loss.code).collect();
        for code in [
            Code::ItemIdDropped,
            Code::PhaseDropped,
            Code::CitationsDropped,
            Code::FieldDropped,
            Code::ReasoningDropped,
        ] {
            assert!(codes.contains(&code), "{wire}: {code} is missing in {codes:?}");
        }
        assert_eq!(codes.iter().filter(|code| **code == Code::FieldDropped).count(), 2, "{wire}");
    }
}

#[test]
fn a_changed_turn_is_written_from_its_fields() {
    let body = items(
        r#"[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary",
         "content":[{"type":"output_text","text":"old","annotations":[]},{"type":"refusal","refusal":"no"}]},
        {"type":"message","id":"msg_2","role":"assistant","status":"completed","content":[{"type":"output_text","text":" text","annotations":[]}]},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}","status":"completed"},
        {"type":"function_call_output","call_id":"c1","output":"1"}]"#,
    );
    let mut request = survives(&body);
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.content = Some("new".into());
    let (written, losses) = written_items(&request);
    assert_eq!(
        compact(&written[..4].to_vec().into()),
        concat!(
            r#"[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},"#,
            r#"{"type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"refusal","refusal":"no"}]},"#,
            r#"{"type":"message","role":"assistant","content":"new"},"#,
            r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{}","status":"completed"}]"#
        )
    );
    assert_eq!(
        codes(&losses),
        [
            "messages[0] native.stale",
            "messages[0].provider_state[1].id item_id.dropped",
            "messages[0].tool_calls[0].id item_id.dropped",
        ]
    );
}

#[test]
fn a_changed_part_is_written_from_its_fields() {
    let body = items(
        r#"[{"role":"user","content":[
            {"type":"input_file","filename":"n.txt","file_data":"data:text/plain;charset=utf-8;base64,aGk="},
            {"type":"output_text","text":"t","annotations":[]}]}]"#,
    );
    let mut request = survives(&body);
    let Message::User(UserMessage { content: Content::Parts(parts), extra: _ }) = &mut request.messages[0]
    else {
        panic!()
    };
    parts[0].kind = PartKind::Text("now text".into());
    let (written, losses) = written_items(&request);
    assert_eq!(
        compact(&written[0]),
        r#"{"role":"user","content":[{"type":"input_text","text":"now text"},{"type":"output_text","text":"t","annotations":[]}]}"#
    );
    assert_eq!(codes(&losses), ["messages[0].content[0] native.stale"]);
}

/// A conversation as another wire would have given it.
fn foreign() -> Request {
    let tool = |kind: ToolKind, name: &str, namespace: Option<&str>, strict: Option<bool>| Tool {
        format: (kind == ToolKind::Custom)
            .then(|| json(r#"{"type":"grammar","syntax":"regex","definition":"[0-9]+"}"#)),
        kind,
        name: name.into(),
        namespace: namespace.map(Text::from),
        description: Some("d".into()),
        parameters: strict.map(|_| json(r#"{"type":"object","properties":{}}"#)),
        strict: strict.filter(|strict| *strict),
        extra: Extra::none(),
    };
    let pdf = file(FileSource::Data("AA==".into()), Some("application/pdf"), None);
    let note = file(FileSource::Text("plain words".into()), Some("text/plain"), Some("note.txt"));
    let stored = file(FileSource::Id("file_1".into()), None, None);
    let mut sampling = Object::default();
    for (key, value) in [
        ("temperature", "0.5"),
        ("top_k", "4"),
        ("max_tokens", "100"),
        ("stop", r#"["x"]"#),
        ("reasoning_effort", r#""low""#),
    ] {
        sampling.set(key, json(value));
    }
    let long = "i".repeat(80);
    Request {
        tools: vec![
            tool(ToolKind::Function, "probe", None, Some(false)),
            tool(ToolKind::Function, "tight", None, Some(true)),
            tool(ToolKind::Function, "bare", None, None),
            tool(ToolKind::Custom, "free", Some("ns"), None),
        ],
        tool_choice: Some(ToolChoice::Allowed {
            required: true,
            tools: vec![(CallKind::Function, "probe".into()), (CallKind::Custom, "free".into())],
        }),
        parallel_tool_calls: Some(false),
        sampling,
        ..by_hand(
            Some(Dialect::Chat),
            vec![
                system("Rule one.", false),
                system("Rule two.", true),
                Message::User(UserMessage {
                    content: Content::Parts(vec![
                        Part::text("look"),
                        image(None),
                        image(Some("low")),
                        pdf,
                        note,
                        stored,
                    ]),
                    extra: Extra::none(),
                }),
                Message::Assistant(AssistantMessage {
                    content: Some("I will not say.".into()),
                    reasoning_content: Some("hm".into()),
                    tool_calls: vec![call(&long, CallKind::Function), call("c2", CallKind::Custom)],
                    provider_state: vec![
                        json(r#"{"type":"reasoning.encrypted","data":"x"}"#),
                        AssistantMessage::refusal_item("no"),
                    ],
                    extra: Extra::none(),
                }),
                result("c2", Content::Parts(vec![image(None)]), Some(true)),
                user("between"),
                result(&long, words(""), Some(true)),
                Message::Assistant(AssistantMessage::default()),
                user(""),
            ],
        )
    }
}

#[test]
fn a_foreign_conversation_is_written_whole() {
    let request = foreign();
    let (body, losses) = write(&request, PROVIDER);
    assert_eq!(body.get("instructions").unwrap().as_str(), Some("Rule one."));
    let items = body.get("input").unwrap().as_array().unwrap();
    let shown: Vec<String> = items.iter().map(compact).collect();
    let mapped = items[4].get("call_id").unwrap().as_str().unwrap().to_owned();
    assert!(mapped.len() <= 64);
    assert_eq!(items[6].get("call_id").unwrap().as_str(), Some("c2"));
    let minted = items[2].get("id").unwrap().as_str().unwrap();
    assert_eq!(minted.len(), 36);
    assert_eq!(
        shown,
        [
            r#"{"type":"message","role":"developer","content":"Rule two."}"#.to_owned(),
            concat!(
                r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},"#,
                r#"{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"},"#,
                r#"{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"low"},"#,
                r#"{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,AA=="},"#,
                r#"{"type":"input_text","text":"note.txt\nplain words"},{"type":"input_file","file_id":"file_1"}]}"#
            )
            .to_owned(),
            format!(r#"{{"type":"message","id":"{minted}","role":"assistant","status":"completed","content":[{{"type":"refusal","refusal":"no"}}]}}"#),
            r#"{"type":"message","role":"assistant","content":"I will not say."}"#.to_owned(),
            format!(r#"{{"type":"function_call","call_id":"{mapped}","name":"probe","arguments":"{{}}"}}"#),
            r#"{"type":"custom_tool_call","call_id":"c2","name":"probe","input":"{}"}"#.to_owned(),
            concat!(
                r#"{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"Tool execution failed:\n"},"#,
                r#"{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"}]}"#
            )
            .to_owned(),
            format!(r#"{{"type":"function_call_output","call_id":"{mapped}","output":"Tool execution failed:\n"}}"#),
            r#"{"type":"message","role":"user","content":"between"}"#.to_owned(),
            r#"{"type":"message","role":"assistant","content":""}"#.to_owned(),
            r#"{"type":"message","role":"user","content":""}"#.to_owned(),
        ]
    );
    assert_eq!(
        compact(body.get("tools").unwrap()),
        concat!(
            r#"[{"type":"function","name":"probe","description":"d","parameters":{"type":"object","properties":{}},"strict":false},"#,
            r#"{"type":"function","name":"tight","description":"d","parameters":{"type":"object","properties":{}},"strict":true},"#,
            r#"{"type":"function","name":"bare","description":"d","strict":false,"parameters":null},"#,
            r#"{"type":"namespace","name":"ns","description":"","tools":[{"type":"custom","name":"free","description":"d","#,
            r#""format":{"type":"grammar","syntax":"regex","definition":"[0-9]+"}}]}]"#
        )
    );
    assert_eq!(
        codes(&losses),
        [
            "messages[5] order.user_after_results",
            "messages[3].tool_calls[0].id id.mapped",
            "messages[6].tool_call_id id.mapped",
            "messages[2].content[3].filename text.placeholder",
            "messages[2].content[4] document.as_text",
            "messages[3].provider_state[0] reasoning.dropped",
            "messages[3].provider_state[1].id id.minted",
            "messages[3].reasoning_content reasoning.dropped",
            "messages[4].is_error outcome.labelled",
            "messages[6].is_error outcome.labelled",
            "sampling.top_k sampling.dropped",
            "sampling.stop sampling.dropped",
        ]
    );
    // Read back on this wire, it does not change any more.
    assert_eq!(compact(&write(&read(&body).unwrap(), PROVIDER).0), compact(&body));
}

#[test]
fn what_has_no_form_is_refused() {
    let said = |message: Message| {
        let request = by_hand(Some(Dialect::Anthropic), vec![message]);
        write_request(&request, PROVIDER, &mut Losses::default()).unwrap_err()
    };
    let parts =
        |part: Part| Message::User(UserMessage { content: Content::Parts(vec![part]), extra: Extra::none() });
    for part in [
        PartKind::Audio { data: "AA==".into(), media_type: "audio/wav".into() },
        PartKind::Native { dialect: Dialect::Anthropic, value: json(r#"{"type":"container_upload"}"#) },
        PartKind::File { source: FileSource::Id("file_1".into()), media_type: None, filename: None },
        PartKind::File {
            source: FileSource::Data("AA==".into()),
            media_type: Some("application/zip".into()),
            filename: None,
        },
    ] {
        let error = said(parts(Part::new(part)));
        assert_eq!(
            (error.kind, error.path.to_string()),
            (Kind::Unsupported, "messages[0].content[0]".to_owned())
        );
    }
    for state in
        [r#"{"type":"server_tool_use","id":"s"}"#, r#"{"type":"compaction","content":"c","signature":"s"}"#]
    {
        let turn = AssistantMessage { provider_state: vec![json(state)], ..AssistantMessage::default() };
        let error = said(Message::Assistant(turn));
        assert_eq!(
            (error.kind, error.path.to_string()),
            (Kind::Unsupported, "messages[0].provider_state[0]".to_owned())
        );
    }
    assert_eq!(said(result("c", words(""), None)).kind, Kind::Pairing);
    assert_eq!(said(calls(vec![call("c", CallKind::Function)])).kind, Kind::Pairing);
    let mut request = by_hand(Some(Dialect::Chat), vec![user("x")]);
    request.sampling.set("reasoning_effort", "immense".into());
    assert_eq!(
        write_request(&request, PROVIDER, &mut Losses::default()).unwrap_err().kind,
        Kind::Unsupported
    );
}

#[test]
fn a_turn_of_which_nothing_is_left_is_still_a_turn() {
    let turn = AssistantMessage {
        provider_state: vec![json(r#"{"type":"thinking","thinking":"t","signature":"s"}"#)],
        ..AssistantMessage::default()
    };
    let (written, losses) = written_items(&by_hand(None, vec![Message::Assistant(turn)]));
    assert_eq!(compact(&written.into()), r#"[{"type":"message","role":"assistant","content":""}]"#);
    assert_eq!(codes(&losses), ["messages[0].provider_state[0] reasoning.dropped"]);
}

#[test]
fn outputs_of_custom_calls_stay_custom() {
    let body = items(
        r#"[{"type":"custom_tool_call","call_id":"c1","name":"g","input":""},
        {"type":"custom_tool_call_output","call_id":"c1","output":""},
        {"type":"custom_tool_call_output","call_id":"unknown","output":"","name":"g"},
        {"type":"function_call_output","call_id":"c1","output":[],"name":"g","namespace":"n","caller":{"type":"direct"}}]"#,
    );
    let request = survives(&body);
    for (at, kind) in
        [(1, "custom_tool_call_output"), (2, "custom_tool_call_output"), (3, "function_call_output")]
    {
        let alone = write_message(&request.messages[at], PROVIDER, &mut Losses::default()).unwrap();
        assert_eq!(alone.len(), 1);
        assert_eq!(alone[0].kind(), Some(kind));
    }
    // Built by hand, the call decides, and an image must have a detail.
    let parts = Content::Parts(vec![image(None), Part::text("t")]);
    for (kind, expected) in [
        (
            CallKind::Custom,
            r#"{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"},{"type":"input_text","text":"t"}]}"#,
        ),
        (
            CallKind::Function,
            r#"{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"type":"input_text","text":"t"}]}"#,
        ),
    ] {
        let messages = vec![calls(vec![call("c", kind)]), result("c", parts.clone(), None)];
        let (written, _) = written_items(&by_hand(Some(Dialect::Chat), messages));
        assert_eq!(compact(&written[1]), expected);
    }
}

#[test]
fn another_wire_hears_of_every_field_it_leaves() {
    let body = json(
        r#"{"input":"x","store":false,"include":[],"previous_response_id":"r","user":null,"reasoning":{"effort":"low","summary":"auto"},"_vf_is_error":true}"#,
    );
    let heard = |extra: &Extra, path: Path| {
        let mut losses = Losses::default();
        leave(extra.of(Dialect::Responses).unwrap_or(&Object::default()), &path, &mut losses);
        codes(&losses)
    };
    assert_eq!(
        heard(&read(&body).unwrap().extra, Path::root()),
        [
            "reasoning.summary field.dropped",
            "store field.dropped",
            "previous_response_id field.dropped",
            "_vf_is_error marker.misplaced",
        ]
    );
    let body = items(
        r#"[{"role":"user","content":[{"type":"output_text","text":"t","annotations":[{"type":"file_path"}]}]},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"t","annotations":[{"type":"x"}]}]},
        {"type":"custom_tool_call_output","id":"o","call_id":"c","output":"x"}]"#,
    );
    let request = read(&body).unwrap();
    let at = |n: usize| Path::root().key("messages").index(n);
    assert_eq!(heard(request.messages[0].extra(), at(0)), [""; 0]);
    let Message::User(UserMessage { content: Content::Parts(parts), extra: _ }) = &request.messages[0] else {
        panic!()
    };
    assert_eq!(
        heard(&parts[0].extra, at(0).key("content").index(0)),
        ["messages[0].content[0].annotations citations.dropped"]
    );
    assert_eq!(
        heard(request.messages[1].extra(), at(1)),
        [
            "messages[1].items[0].id item_id.dropped",
            "messages[1].items[0].status item_id.dropped",
            "messages[1].items[0].content[0].annotations citations.dropped",
        ]
    );
    assert_eq!(heard(request.messages[2].extra(), at(2)), ["messages[2].id item_id.dropped"]);
    let body = json(
        r#"{"input":"x","tools":[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"f","defer_loading":true}]}]}"#,
    );
    let path = Path::root().key("tools").index(0);
    assert_eq!(
        heard(&read(&body).unwrap().tools[0].extra, path),
        ["tools[0].defer_loading tool.field_dropped", "tools[0].namespace.description tool.field_dropped"]
    );
}
