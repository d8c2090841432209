//! A request as the server that was named takes it: what is said otherwise, left out, or refused, and that nothing of it
//! goes without a word.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use toolwire::dialect::{Options, read_request, targets, write_message, write_request};
use toolwire::error::{Kind, Result};
use toolwire::json::{Json, Repeats, Value, compact, parse_text};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

/// The body for a server, and the losses as `path: code`.
fn fitted(target: &str, source: Dialect, body: &str) -> Result<(Json, Vec<String>)> {
    let target = targets::named(target).unwrap();
    let request = read_request(source, &json(body))?;
    let (written, losses) =
        write_request(target.dialect, &request, Options { internal: false, target: Some(target) })?;
    Ok((Value::from(written), losses.0.iter().map(|loss| format!("{}: {}", loss.path, loss.code)).collect()))
}

fn refused(target: &str, body: &str) -> String {
    let error = fitted(target, Chat, body).unwrap_err();
    assert_eq!(error.kind, Kind::Unsupported);
    error.to_string()
}

fn messages(body: &Json) -> &[Json] {
    body.get("messages").unwrap().as_array().unwrap()
}

const IMAGE: &str = r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}"#;

/// A call, its result with this content, and what stands behind it.
fn called(result: &str, behind: &str) -> String {
    format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"hi","name":"ann"}},
        {{"role":"assistant","content":null,"tool_calls":[{{"id":"call_1","type":"function","index":0,"function":{{"name":"f","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"call_1","name":"f","content":{result}}}{behind}]}}"#
    )
}

#[test]
fn without_a_name_the_body_stays_whatever_its_model() {
    for model in ["mistral-large-latest", "command-r", "deepseek-reasoner"] {
        let body = called(&format!("[{IMAGE}]"), "").replace("\"m\"", &format!("\"{model}\""));
        let request = read_request(Chat, &json(&body)).unwrap();
        let (written, losses) = write_request(Chat, &request, Options::default()).unwrap();
        assert_eq!(Value::from(written), json(&body));
        assert!(losses.0.is_empty());
    }
}

#[test]
fn mistral_takes_ids_of_nine_and_images_in_results() {
    let (body, losses) = fitted("mistral", Chat, &called(&format!("[{IMAGE}]"), "")).unwrap();
    let [user, turn, result] = messages(&body) else { panic!("{}", compact(&body)) };
    assert_eq!(compact(user), r#"{"role":"user","content":"hi"}"#);
    let id = turn.get("tool_calls").unwrap().as_array().unwrap()[0].get("id").unwrap().as_str().unwrap();
    assert!(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
    assert_eq!(result.get("tool_call_id").unwrap().as_str(), Some(id));
    assert_eq!(result.get("name").unwrap().as_str(), Some("f"));
    assert_eq!(compact(result.get("content").unwrap()), format!("[{IMAGE}]"));
    assert_eq!(
        losses,
        [
            "messages[0].name: name.dropped",
            "messages[1].tool_calls[0].index: field.dropped",
            "messages[1].tool_calls[0].id: id.mapped",
            "messages[2].tool_call_id: id.mapped",
        ]
    );
    // An id that fits stays, and one message by itself has the same ids.
    let kept = called("\"x\"", "").replace("call_1", "aB3dE6gH9");
    let (body, _) = fitted("mistral", Chat, &kept).unwrap();
    assert_eq!(messages(&body)[2].get("tool_call_id").unwrap().as_str(), Some("aB3dE6gH9"));
    let request = read_request(Chat, &json(&called("\"x\"", ""))).unwrap();
    let options = Options { internal: false, target: targets::named("mistral") };
    let (alone, _) = write_message(Chat, &request.messages[2], options).unwrap();
    assert_eq!(alone[0].get("tool_call_id").unwrap().as_str(), Some(id));
    assert_eq!(
        refused("mistral", &called("\"x\"", r#",{"role":"user","content":"and?"}"#)),
        "messages[3]: the server that was named takes no user message directly behind tool results"
    );
    let sound = r#"[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]"#;
    assert_eq!(
        refused("mistral", &called(sound, "")),
        "messages[2].content[0]: the server that was named takes no input_audio parts"
    );
}

#[test]
fn what_a_server_refuses_is_left_out_with_a_word() {
    let body = r#"{"model":"m","max_completion_tokens":5,"top_p":0.5,"stop":["x"],"seed":7,"user":"ann","n":null,"parallel_tool_calls":true,
        "reasoning_effort":"low","tool_choice":"auto",
        "tools":[{"type":"function","function":{"name":"f","parameters":{},"strict":true}}],
        "messages":[{"role":"developer","content":[{"type":"text","text":"be brief","prompt_cache_breakpoint":{"mode":"explicit"}}]},
        {"role":"assistant","content":"no","refusal":"I will not","annotations":[1]}]}"#;
    let (cohere, losses) = fitted("cohere", Chat, body).unwrap();
    let expected = r#"{"model":"m","messages":[{"role":"system","content":[{"type":"text","text":"be brief"}]},
        {"role":"assistant","content":"no\nI will not"}],
        "tools":[{"type":"function","function":{"name":"f","parameters":{}}}],
        "p":0.5,"max_tokens":5,"stop_sequences":["x"],"seed":7}"#;
    assert_eq!(cohere, json(expected), "{}", compact(&cohere));
    assert_eq!(
        losses,
        [
            "messages[0]: developer.as_system",
            "messages[0].content[0].prompt_cache_breakpoint: cache.dropped",
            "messages[1].annotations: meta.dropped",
            "messages[1].provider_state[0]: refusal.as_text",
            "tools[0].strict: tool.field_dropped",
            "parallel_tool_calls: field.dropped",
            "sampling.reasoning_effort: sampling.dropped",
            "user: field.dropped",
        ]
    );
    let (mistral, losses) = fitted("mistral", Chat, body).unwrap();
    assert_eq!(mistral.get("random_seed"), Some(&json("7")));
    assert_eq!(mistral.get("max_tokens"), Some(&json("5")));
    assert_eq!(mistral.get("tool_choice").unwrap().as_str(), Some("auto"));
    assert!(mistral.get("seed").is_none() && mistral.get("user").is_none());
    assert!(losses.contains(&"user: field.dropped".to_owned()));
    // Both limits: the one that counts goes under the name that the server knows.
    let both = r#"{"max_completion_tokens":5,"max_tokens":9,"messages":[]}"#;
    assert_eq!(fitted("deepseek", Chat, both).unwrap().0, json(r#"{"messages":[],"max_tokens":5}"#));
    let search = r#"{"web_search_options":{},"messages":[]}"#;
    assert_eq!(refused("groq", search), "tools[0]: the server that was named has no such tool");
}

#[test]
fn reasoning_goes_under_the_key_that_the_server_reads() {
    let turn = |fields: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a"{fields}}}]}}"#
        )
    };
    let plain = r#","reasoning":"hm""#;
    let details = r#","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s"}]"#;
    let dropped = "messages[1].provider_state[0]: reasoning.dropped";
    for (target, fields, written, losses) in [
        ("vllm", r#","reasoning_content":"hm""#, plain, vec![]),
        ("vllm", details, plain, vec![dropped]),
        ("deepseek", plain, r#","reasoning_content":"hm""#, vec![]),
        ("groq", r#","reasoning":"hm","reasoning_content":"hm""#, plain, vec![]),
        ("openrouter", details, details, vec![]),
        (
            "openrouter",
            r#","reasoning":"hm","reasoning_details":[{"x":1}]"#,
            r#","reasoning_details":[{"x":1}]"#,
            vec![],
        ),
        ("openrouter", plain, r#","reasoning_details":[{"type":"reasoning.text","text":"hm"}]"#, vec![]),
        ("mistral", plain, "", vec!["messages[1].reasoning_content: reasoning.dropped"]),
        ("mistral", details, "", vec![dropped, "messages[1].reasoning_content: reasoning.dropped"]),
    ] {
        let (body, said) = fitted(target, Chat, &turn(fields)).unwrap();
        assert_eq!(body, json(&turn(written)), "{target} {fields}");
        assert_eq!(said, losses, "{target} {fields}");
    }
    // Reasoning that was read elsewhere is readable too; its signature is not.
    let body = r#"{"max_tokens":5,"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"}]}]}"#;
    let (written, said) = fitted("deepseek", Anthropic, body).unwrap();
    assert_eq!(messages(&written)[1], messages(&json(&turn(r#","reasoning_content":"hm""#)))[1]);
    assert_eq!(said, [dropped]);
}

#[test]
fn free_text_tools_become_functions() {
    let body = r#"{"tools":[{"type":"custom","custom":{"name":"sh","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}],
        "tool_choice":{"type":"custom","custom":{"name":"sh"}},
        "messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls \"x\""}}]},
        {"role":"tool","tool_call_id":"c","content":"ok"}]}"#;
    let (written, losses) = fitted("vllm", Chat, body).unwrap();
    let expected = r#"{"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"sh","arguments":"{\"input\":\"ls \\\"x\\\"\"}"}}]},
        {"role":"tool","tool_call_id":"c","content":"ok"}],
        "tools":[{"type":"function","function":{"name":"sh","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}],
        "tool_choice":{"type":"function","function":{"name":"sh"}}}"#;
    assert_eq!(written, json(expected), "{}", compact(&written));
    assert_eq!(
        losses,
        [
            "messages[1].tool_calls[0]: custom.wrapped",
            "tools[0]: custom.wrapped",
            "tools[0].format: tool.field_dropped",
        ]
    );
}

#[test]
fn choices_become_the_nearest_one() {
    let run = |target: &str, choice: &str| {
        let body = format!(r#"{{"messages":[],"tool_choice":{choice}}}"#);
        let (written, losses) = fitted(target, Chat, &body).unwrap();
        (written.get("tool_choice").map(compact), losses)
    };
    let one = r#"{"type":"function","function":{"name":"f"}}"#;
    let some = format!(r#"{{"type":"allowed_tools","allowed_tools":{{"mode":"auto","tools":[{one}]}}}}"#);
    let reduced = vec!["tool_choice: tool_choice.reduced".to_owned()];
    assert_eq!(run("cohere", "\"auto\""), (None, vec![]));
    assert_eq!(run("cohere", "\"none\""), (Some("\"NONE\"".into()), vec![]));
    assert_eq!(run("cohere", one), (Some("\"REQUIRED\"".into()), reduced.clone()));
    assert_eq!(run("cohere", &some), (None, reduced.clone()));
    assert_eq!(run("mistral", one), (Some(one.into()), vec![]));
    assert_eq!(run("mistral", &some), (Some("\"auto\"".into()), reduced));
    assert_eq!(run("vllm", &some), (Some(some.clone()), vec![]));
}

#[test]
fn media_in_results_go_where_the_server_takes_them() {
    let body = called(&format!("[{IMAGE}]"), "");
    assert_eq!(
        refused("cohere", &body),
        "messages[2].content[0]: the server that was named takes no media in tool results"
    );
    assert_eq!(
        refused("deepseek", &body),
        "messages[2].content[0]: the server that was named takes no image_url parts"
    );
    let (written, losses) = fitted("moonshot", Chat, &body).unwrap();
    assert_eq!(messages(&written).len(), 4);
    assert!(losses.contains(&"messages[2].content[0]: image.hoisted".to_owned()));
    // The same from another wire.
    let body = r#"{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
        {"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"auto"}]}]}"#;
    let (written, _) = fitted("vllm", Responses, body).unwrap();
    assert_eq!(messages(&written).len(), 3);
}

#[test]
fn a_system_message_stands_in_the_conversation_where_the_model_allows_it() {
    let run = |model: &str, rest: &str| {
        let body = format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"q"}},{rest}]}}"#);
        let request = read_request(Chat, &json(&body)).unwrap();
        let (written, _) = write_request(Anthropic, &request, Options::default())?;
        Ok::<_, toolwire::error::Error>(
            messages(&Value::from(written)).iter().map(compact).collect::<Vec<_>>(),
        )
    };
    let system = r#"{"role":"system","content":"be brief"}"#;
    let answer = r#"{"role":"assistant","content":"a"}"#;
    for model in ["claude-opus-4-8", "anthropic/claude-sonnet-5-20270101"] {
        assert_eq!(run(model, &format!("{system},{answer}")).unwrap()[1], system);
        assert_eq!(run(model, system).unwrap()[1], system);
        for (rest, path) in [
            (format!(r#"{system},{{"role":"user","content":"x"}}"#), "messages[1]"),
            (format!("{answer},{system}"), "messages[2]"),
            (format!("{system},{system}"), "messages[1]"),
        ] {
            let error = run(model, &rest).unwrap_err();
            assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Unsupported, path));
        }
    }
    assert_eq!(run("claude-opus-4-1", system).unwrap_err().kind, Kind::Unsupported);
    // Behind results it stands behind the user message that holds them.
    let rest = format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"c","content":"ok"}},{system},{answer}"#
    );
    assert_eq!(run("claude-opus-4-8", &rest).unwrap()[3], system);
}

#[test]
fn a_choice_in_the_server_s_own_words_stays() {
    for (target, word) in [("mistral", "any"), ("cohere", "REQUIRED"), ("cohere", "NONE")] {
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"q"}}],"tools":[{{"type":"function","function":{{"name":"f","parameters":{{"type":"object"}}}}}}],"tool_choice":"{word}"}}"#
        );
        let (written, losses) = fitted(target, Chat, &body).unwrap();
        assert_eq!(written.get("tool_choice").and_then(Value::as_str), Some(word));
        assert!(losses.is_empty(), "{losses:?}");
    }
}

#[test]
fn a_refusal_prints_no_content() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":[{"type":"patient 4711","x":1}]}]}"#;
    for target in ["moonshot", "cohere", "openrouter"] {
        let sentence = refused(target, body);
        assert!(sentence.starts_with("messages[0].content[0]: "), "{sentence}");
        assert!(!sentence.contains("4711"), "{sentence}");
    }
}

#[test]
fn a_named_target_fits_a_request_of_its_own_wire_too() {
    let result = |fields: &str, behind: &str| {
        format!(
            r#"{{"modelId":"m","messages":[{{"role":"user","content":[{{"text":"q"}}]}},
            {{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"c","name":"f","input":{{}}}}}}]}},
            {{"role":"user","content":[{{"toolResult":{{"toolUseId":"c","content":[{{"text":"x"}}]{fields}}}}}{behind}]}}],
            "toolConfig":{{"tools":[{{"toolSpec":{{"name":"f","inputSchema":{{"json":{{}}}}}}}}]}}}}"#
        )
    };
    let failed = result(r#","status":"error""#, "");
    let (palmyra, losses) = fitted("palmyra", Bedrock, &failed).unwrap();
    let labelled = result("", "").replace("\"x\"", r#""Tool execution failed:\nx""#);
    assert_eq!(palmyra, json(&labelled), "{}", compact(&palmyra));
    assert_eq!(losses, ["messages[2].is_error: outcome.labelled"]);
    // A message by itself, too.
    let request = read_request(Bedrock, &json(&failed)).unwrap();
    let alone = |options| write_message(Bedrock, &request.messages[2], options).unwrap().0[0].clone();
    assert!(alone(Options::default()).holds_key("status"));
    assert!(!alone(Options { internal: false, target: targets::named("palmyra") }).holds_key("status"));
    // The model alone leaves a body of the wire as it was; on the internal lane the marker waits for the seal.
    let own = read_request(Bedrock, &json(&failed.replace("\"m\"", "\"writer.palmyra-x5\""))).unwrap();
    let internal = Options { internal: true, target: targets::named("palmyra") };
    for (options, key) in [(Options::default(), "status"), (internal, "_vf_is_error")] {
        let (written, losses) = write_request(Bedrock, &own, options).unwrap();
        assert!(Value::from(written).holds_key(key) && losses.0.is_empty());
    }
    let beside = result("", r#",{"text":"and?"}"#);
    let error = fitted("bedrock-llama", Bedrock, &beside).unwrap_err();
    assert_eq!(
        error.to_string(),
        "messages[3]: this model takes nothing else in the message of the tool results"
    );
    let media = r#"{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}]}]}"#;
    let (older, losses) = fitted("gemini-2", Gemini, media).unwrap();
    let last =
        older.get("contents").unwrap().as_array().unwrap()[2].get("parts").unwrap().as_array().unwrap();
    assert!(last[0].get("functionResponse").unwrap().get("parts").is_none());
    assert!(last.iter().any(|part| part.get("inlineData").is_some()));
    assert_eq!(losses, ["messages[2].content[1]: image.hoisted", "messages[2].content: text.joined"]);
}

#[test]
fn what_other_libraries_keep_in_a_message_goes_to_no_named_server() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"q","metadata":{"a":1},"timestamp":3},
        {"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a12345678","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a12345678","content":"x","artifact":[]}]}"#;
    for target in targets::all().iter().filter(|target| target.dialect == Chat) {
        let (written, losses) = fitted(&target.name, Chat, body).unwrap();
        for key in ["metadata", "timestamp", "artifact", "index"] {
            assert!(!written.holds_key(key), "{key} to {}", target.name);
            assert!(losses.iter().any(|loss| loss.contains(key)), "{key} to {}: {losses:?}", target.name);
        }
    }
}

#[test]
fn mistral_gives_one_answer() {
    let body = r#"{"model":"m","n":2,"messages":[{"role":"user","content":"q"}]}"#;
    let (written, losses) = fitted("mistral", Chat, body).unwrap();
    assert!(written.get("n").is_none());
    assert_eq!(losses, ["n: field.dropped"]);
}
