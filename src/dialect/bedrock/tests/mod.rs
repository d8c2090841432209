//! What comes from this wire goes back to it unchanged, and what cannot be read says where.

mod cross;
mod families;
mod outcomes;
mod property;
mod settings;

use crate::dialect::{Code, Loss, Options, convert, read_request, write_message, write_request};
use crate::error::{Error, Kind};
use crate::json::{Json, Parsed, Repeats, compact, parse_text};
use crate::message::{Dialect, Message, Request, ToolMessage};

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

fn read(body: &Json) -> Request {
    read_request(Dialect::Bedrock, body).unwrap()
}

fn refused(body: &str) -> Error {
    read_request(Dialect::Bedrock, &json(body)).unwrap_err()
}

fn write(request: &Request) -> (Json, Vec<Loss>) {
    let (body, losses) = write_request(Dialect::Bedrock, request, Options::default()).unwrap();
    (body.into(), losses.0)
}

/// Another wire's body here, with code and path of each loss.
fn converted(source: Dialect, body: &Json) -> Result<(Json, Vec<(Code, String)>), Error> {
    let parsed = Parsed { value: body.clone(), replaced: Vec::new() };
    let (body, losses) = convert(source, Dialect::Bedrock, &parsed)?;
    Ok((body.into(), losses.0.iter().map(|loss| (loss.code, loss.path.to_string())).collect()))
}

fn results(request: &Request) -> Vec<&ToolMessage> {
    let results = request.messages.iter().filter_map(|message| match message {
        Message::Tool(result) => Some(result),
        Message::System(_) | Message::User(_) | Message::Assistant(_) => None,
    });
    results.collect()
}

fn fixtures(dialect: Dialect) -> Vec<(String, Json)> {
    let folder = format!("{}/tests/wire/{dialect}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let own = files.filter(|path| path.file_name().unwrap().to_str().unwrap().matches('.').count() == 1);
    let read = own.map(|path| (path.display().to_string(), json(&std::fs::read_to_string(&path).unwrap())));
    read.collect()
}

/// A call, and its result with these members.
fn answered(result: &str) -> String {
    format!(
        r#"{{"modelId":"m","messages":[{{"role":"user","content":[{{"text":"go"}}]}},
        {{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"t1","name":"f","input":{{}}}}}}]}},
        {{"role":"user","content":[{{"toolResult":{{"toolUseId":"t1",{result}}}}}]}}],
        "toolConfig":{{"tools":[{{"toolSpec":{{"name":"f","inputSchema":{{"json":{{"type":"object"}}}}}}}}]}}}}"#
    )
}

fn survives(body: &Json) {
    let (written, losses) = write(&read(body));
    assert_eq!(written, *body, "\n{}\n{}", compact(&written), compact(body));
    assert!(losses.is_empty(), "{losses:?}");
}

#[test]
fn every_fixture_survives() {
    let fixtures = fixtures(Dialect::Bedrock);
    assert!(fixtures.len() > 12);
    for (_, body) in fixtures {
        survives(&body);
    }
}

#[test]
fn spellings_of_this_wire_come_back() {
    for content in [
        r#"[{"text":"a"},{"cachePoint":{"type":"default"}}]"#,
        r#"[{"text":"a"},{"text":"b"}]"#,
        r#"[{"text":""}]"#,
        r#"[]"#,
        r#"[{"cachePoint":{"type":"default"}},{"text":"b"}]"#,
        r#"[{"image":{"format":"png","source":{"bytes":"AAAA"}}},{"text":"b"}]"#,
        r#"[{"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/k"}}}}]"#,
        r#"[{"document":{"format":"pdf","name":"n","source":{"bytes":"JVBERi0="},"citations":{"enabled":true}}},{"text":"b"}]"#,
        r#"[{"document":{"name":"n","source":{"text":"words"}}},{"document":{"name":"n","source":{"text":"words"}}}]"#,
        r#"[{"audio":{"format":"mp3","source":{"bytes":"AAAA"}}}]"#,
        r#"[{"guardContent":{"text":{"text":"x"}}}]"#,
        r#"[{"toolResult":{"toolUseId":"x","content":[{"json":{"a":1}}]}},{"cachePoint":{"type":"default"}},{"toolResult":{"toolUseId":"y","content":[]}},{"text":"z"}]"#,
        r#"[{"text":"z"},{"toolResult":{"toolUseId":"x","status":"error","content":[{"text":"a"},{"json":[1]}]}}]"#,
        r#"[{"toolResult":{"toolUseId":"x","status":"success","content":[{"searchResult":{"source":"s","title":"t","content":[{"text":"u"}]}}]}}]"#,
    ] {
        survives(&json(&format!(
            r#"{{"messages":[{{"role":"user","content":{content}}},{{"role":"user","content":[{{"text":"more"}}]}}],"inferenceConfig":{{}},"toolConfig":{{"tools":[]}}}}"#
        )));
    }
    for content in [
        r#"[{"text":"a"}]"#,
        r#"[]"#,
        r#"[{"text":"a"},{"text":"b"}]"#,
        r#"[{"toolUse":{"toolUseId":"x","name":"f","input":[1]}},{"text":"b"}]"#,
        r#"[{"text":"a"},{"cachePoint":{"type":"default"}},{"toolUse":{"toolUseId":"x","name":"f","input":{}}}]"#,
        r#"[{"citationsContent":{"content":[{"text":"a"}],"citations":[]}}]"#,
        r#"[{"reasoningContent":{"redactedContent":"AA=="}},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"text":"a"}]"#,
        r#"[{"text":"a"},{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}}]"#,
    ] {
        survives(&json(&format!(r#"{{"messages":[{{"role":"assistant","content":{content}}}]}}"#)));
    }
}

#[test]
fn a_block_is_one_thing() {
    for (content, at) in [
        (r#"{"text":"a","image":{}}"#, "messages[0].content[0]"),
        ("{}", "messages[0].content[0]"),
        (r#"{"text":null}"#, "messages[0].content[0]"),
        (r#"{"text":1}"#, "messages[0].content[0].text"),
        (r#"{"toolUse":{"toolUseId":"a","name":"f","input":{}}}"#, "messages[0].content[0].toolUse"),
        (
            r#"{"toolResult":{"toolUseId":"a","content":[{"text":"a","json":{}}]}}"#,
            "messages[0].content[0].toolResult.content[0]",
        ),
        (r#"{"toolResult":{"toolUseId":"a"}}"#, "messages[0].content[0].toolResult.content"),
        (r#"{"toolResult":{"content":[]}}"#, "messages[0].content[0].toolResult.toolUseId"),
    ] {
        let error = refused(&format!(r#"{{"messages":[{{"role":"user","content":[{content}]}}]}}"#));
        assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Shape, at), "{content}");
    }
    let error = refused(r#"{"messages":[{"role":"tool","content":[]}]}"#);
    assert_eq!((error.kind, error.path.to_string().as_str()), (Kind::Shape, "messages[0].role"));
}

#[test]
fn a_message_by_itself() {
    let request = read(&json(&answered(r#""content":[{"text":"x"}],"status":"error""#)));
    let (items, _) = write_message(Dialect::Bedrock, &request.messages[2], Options::default()).unwrap();
    assert_eq!(
        compact(&items[0]),
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"x"}],"status":"error"}}]}"#
    );
}
