//! What each family of models takes: status, media in results and beside them, and the names of documents.

use super::{converted, json};
use crate::dialect::{Options, read_request, targets, write_request};
use crate::error::Kind;
use crate::json::{Json, compact};
use crate::message::Dialect;

const IMAGE: &str = r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}"#;
const PDF: &str =
    r#"{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0=","filename":"a_b.pdf"}}"#;
const SOUND: &str = r#"{"type":"input_audio","input_audio":{"data":"SUQz","format":"mp3"}}"#;
const CSV: &str = r#"{"type":"file","file":{"file_data":"data:text/csv;base64,YSxi","filename":"t"}}"#;

const CLAUDE: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA: &str = "amazon.nova-pro-v1:0";
const LLAMA: &str = "us.meta.llama4-maverick-17b-instruct-v1:0";
const MISTRAL: &str = "us.mistral.pixtral-large-2502-v1:0";
const PALMYRA: &str = "us.writer.palmyra-x5-v1:0";
const QWEN: &str = "qwen.qwen3-vl-235b-a22b-instruct-v1:0";
const KIMI: &str = "moonshotai.kimi-k2.5";

fn chat(model: &str, content: &str, outcome: &str, behind: &str) -> Json {
    json(&format!(
        r#"{{"model":"{model}","messages":[{{"role":"user","content":"go"}},
        {{"role":"assistant","content":null,"tool_calls":[{{"id":"t1","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"t1","content":{content}{outcome}}}{behind}],
        "tools":[{{"type":"function","function":{{"name":"f"}}}}]}}"#
    ))
}

/// The last message that a result of chat becomes for a model, and the codes of the losses.
fn told(
    model: &str,
    content: &str,
    outcome: &str,
    behind: &str,
) -> Result<(String, Vec<&'static str>), String> {
    let (body, losses) = converted(Dialect::Chat, &chat(model, content, outcome, behind))
        .map_err(|error| error.to_string())?;
    let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap();
    let codes = losses.iter().map(|(code, _)| code.as_str());
    Ok((compact(last.get("content").unwrap()), codes.collect()))
}

const FAILED: &str = r#","_vf_is_error":true"#;

/// Where the medium of a result is written, by the first letter: in it, or beside it.
fn place(model: &str, medium: &str, outcome: &str) -> &'static str {
    match told(model, &format!("[{medium}]"), outcome, "") {
        Ok((body, _)) if body.contains("follows these results") => "beside",
        Ok(_) => "within",
        Err(refused) => {
            assert!(refused.starts_with("messages[2]: this model takes no"), "{refused}");
            "refused"
        }
    }
}

#[test]
fn media_stand_where_the_model_takes_them() {
    for (model, image, failed_image, pdf, failed_pdf, csv) in [
        (NOVA, "within", "within", "beside", "beside", "within"),
        (CLAUDE, "within", "beside", "within", "refused", "within"),
        (LLAMA, "within", "within", "within", "within", "within"),
        (MISTRAL, "refused", "refused", "within", "within", "within"),
        (QWEN, "beside", "beside", "beside", "beside", "beside"),
        (KIMI, "beside", "beside", "beside", "beside", "beside"),
        ("m", "within", "within", "within", "within", "within"),
    ] {
        assert_eq!(place(model, IMAGE, ""), image, "{model}");
        assert_eq!(place(model, IMAGE, FAILED), failed_image, "{model}");
        assert_eq!(place(model, PDF, ""), pdf, "{model}");
        assert_eq!(place(model, PDF, FAILED), failed_pdf, "{model}");
        assert_eq!(place(model, CSV, ""), csv, "{model}");
    }
    // No family takes sound in a result.
    assert_eq!(place(NOVA, SOUND, ""), "beside");
    assert_eq!(place(LLAMA, SOUND, ""), "refused");
    let dark = format!(r#"[{{"type":"text","text":"dark"}},{IMAGE}]"#);
    assert_eq!(
        told(NOVA, &dark, FAILED, "").unwrap().0,
        r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"dark"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}],"status":"error"}}]"#
    );
    assert_eq!(
        told(CLAUDE, &dark, FAILED, "").unwrap(),
        (
            r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"dark"},{"text":"[image 1 of t1 follows these results]"}],"status":"error"}},{"text":"Image returned by tool call t1 (f), which reported a failure:"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}]"#.to_owned(),
            vec!["image.hoisted"]
        )
    );
}

#[test]
fn a_model_without_a_status_gets_the_label() {
    let (body, losses) = told(PALMYRA, r#""no""#, FAILED, "").unwrap();
    let said = r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"Tool execution failed:\nno"}]}}]"#;
    assert_eq!((body.as_str(), losses), (said, vec!["outcome.labelled"]));
    let (body, losses) = told(PALMYRA, r#""""#, FAILED, "").unwrap();
    let said = r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"Tool execution failed:\n"}]}}]"#;
    assert_eq!((body.as_str(), losses), (said, vec!["outcome.labelled"]));
    let (body, losses) = told(PALMYRA, r#""yes""#, r#","_vf_is_error":false"#, "").unwrap();
    let said = r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"yes"}]}}]"#;
    assert_eq!((body.as_str(), losses), (said, vec!["outcome.success_unexpressed"]));
    let (body, losses) = told(PALMYRA, r#""hm""#, "", "").unwrap();
    let said = r#"[{"toolResult":{"toolUseId":"t1","content":[{"text":"hm"}]}}]"#;
    assert_eq!((body.as_str(), losses), (said, vec![]));
}

#[test]
fn results_stand_alone_where_they_must() {
    let behind = r#",{"role":"user","content":"and?"}"#;
    for model in [NOVA, CLAUDE, QWEN, KIMI, "m"] {
        assert!(told(model, r#""no""#, FAILED, behind).is_ok(), "{model}");
    }
    for model in [LLAMA, MISTRAL, PALMYRA] {
        assert_eq!(
            told(model, r#""no""#, FAILED, behind).unwrap_err(),
            "messages[3]: this model takes nothing else in the message of the tool results"
        );
    }
    let document = format!(r#",{{"role":"user","content":[{{"type":"text","text":"see"}},{PDF}]}}"#);
    assert!(told(NOVA, r#""no""#, "", &document).is_ok());
    assert_eq!(
        told(CLAUDE, r#""no""#, "", &document).unwrap_err(),
        "messages[3]: this model takes no documents beside tool results"
    );
    // An answer between them makes it a message of its own.
    let later = format!(r#",{{"role":"assistant","content":"so?"}}{document}"#);
    assert!(told(CLAUDE, r#""no""#, "", &later).is_ok());
}

#[test]
fn who_may_begin() {
    let begun = |model: &str| {
        let body = json(&format!(
            r#"{{"model":"{model}","messages":[{{"role":"assistant","content":"hello"}},{{"role":"user","content":"hi"}}]}}"#
        ));
        converted(Dialect::Chat, &body).map(|_| ()).map_err(|error| error.path.to_string())
    };
    for model in [CLAUDE, QWEN, KIMI, "zai.glm-4.7"] {
        assert_eq!(begun(model), Ok(()), "{model}");
    }
    for model in [NOVA, LLAMA, MISTRAL, PALMYRA, "m"] {
        assert_eq!(begun(model), Err("messages[0]".to_owned()), "{model}");
    }
}

#[test]
fn a_system_message_in_the_conversation_is_not_moved() {
    for model in [CLAUDE, NOVA, "m"] {
        let body = json(&format!(
            r#"{{"model":"{model}","messages":[{{"role":"user","content":"hi"}},{{"role":"system","content":"be brief"}}]}}"#
        ));
        let error = converted(Dialect::Chat, &body).unwrap_err();
        assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Unsupported, "messages[1]"));
    }
}

#[test]
fn no_two_documents_have_one_name() {
    let file = |name: &str| {
        let name = if name.is_empty() { String::new() } else { format!(r#","filename":"{name}""#) };
        format!(r#"{{"type":"file","file":{{"file_data":"data:text/plain;base64,YQ=="{name}}}}}"#)
    };
    let long = "n".repeat(300);
    let files = ["a.txt", "", "A-txt", "", "document-2", "a.txt", "", &long, &long].map(file);
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"text","text":"see"}},{}]}},{{"role":"assistant","content":"yes"}},{{"role":"user","content":[{{"type":"text","text":"and"}},{}]}}]}}"#,
        files[..5].join(","),
        files[5..].join(",")
    );
    let (body, losses) = converted(Dialect::Chat, &json(&body)).unwrap();
    let mut names = Vec::new();
    for message in body.get("messages").unwrap().as_array().unwrap() {
        for block in message.get("content").unwrap().as_array().unwrap() {
            let name = block.get("document").and_then(|document| document.get("name")?.as_str());
            names.extend(name.map(str::to_owned));
        }
    }
    let (cut, second) = ("n".repeat(200), "n".repeat(198) + "-2");
    let expected = [
        "a-txt",
        "document",
        "A-txt-2",
        "document-2",
        "document-2-2",
        "a-txt-3",
        "document-3",
        &cut,
        &second,
    ];
    assert_eq!(names, expected);
    let codes: Vec<_> = losses.iter().map(|(code, _)| code.as_str()).collect();
    let (minted, changed) = ("id.minted", "name.dropped");
    assert_eq!(codes, [changed, minted, changed, minted, changed, changed, minted, changed, changed]);
}

#[test]
fn a_named_target_counts_whatever_the_model() {
    let request = read_request(Dialect::Chat, &chat(NOVA, r#""x""#, FAILED, "")).unwrap();
    let options = Options { target: targets::named("palmyra"), ..Options::default() };
    let (body, losses) = write_request(Dialect::Bedrock, &request, options).unwrap();
    assert!(!Json::from(body).holds_key("status"));
    assert_eq!(losses.0.len(), 1);
}
