//! Media: inline, by address, in results, and where a model takes none there.

use super::outcomes::answered;
use super::{codes, comes_back_as, equal, json, read, results, write};
use crate::dialect::{Code, Losses, Options, gemini, targets};
use crate::json::{Json, Value, compact};
use crate::message::{Content, Extra, FileSource, Message, Part, PartKind, Request, UserMessage};

fn said(part: &str) -> Json {
    json(&format!(r#"{{"contents":[{{"role":"user","parts":[{{"text":"a"}},{part}]}}]}}"#))
}

fn kind(part: &str) -> PartKind {
    let body = said(part);
    equal(&body);
    let Message::User(user) = &read(&body).messages[0] else { panic!() };
    let Content::Parts(parts) = &user.content else { panic!() };
    parts[1].kind.clone()
}

fn saying(kind: PartKind) -> Request {
    let content = Content::Parts(vec![Part::text("a"), Part::new(kind)]);
    let message = Message::User(UserMessage { content, extra: Extra::none() });
    Request { messages: vec![message], ..Request::default() }
}

#[test]
fn the_type_tells_what_it_is() {
    let inline =
        |media_type: &str| format!(r#"{{"inlineData":{{"mimeType":"{media_type}","data":"AA=="}}}}"#);
    let image = PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: None };
    assert_eq!(kind(&inline("image/png")), image);
    assert_eq!(
        kind(&inline("audio/mp3")),
        PartKind::Audio { data: "AA==".into(), media_type: "audio/mp3".into() }
    );
    let file = |media_type: &str, filename: Option<&str>| PartKind::File {
        source: FileSource::Data("AA==".into()),
        media_type: Some(media_type.into()),
        filename: filename.map(Into::into),
    };
    assert_eq!(kind(&inline("video/mp4")), file("video/mp4", None));
    let named = r#"{"inlineData":{"mimeType":"application/pdf","data":"AA==","displayName":"a.pdf"}}"#;
    assert_eq!(kind(named), file("application/pdf", Some("a.pdf")));
    let by_address =
        r#"{"fileData":{"fileUri":"gs://b/x","mimeType":"image/png"},"mediaResolution":{"level":"LOW"}}"#;
    assert_eq!(kind(by_address), PartKind::Image { url: "gs://b/x".into(), detail: None });
    assert!(matches!(kind(r#"{"inlineData":{"data":"AA=="}}"#), PartKind::Native { .. }));
    assert!(matches!(kind(r#"{"text":"x","fileData":{"fileUri":"gs://b/x"}}"#), PartKind::Native { .. }));
}

#[test]
fn the_alphabet_for_addresses_says_the_same_bytes() {
    let of = |data: &str| said(&format!(r#"{{"inlineData":{{"mimeType":"image/png","data":"{data}"}}}}"#));
    comes_back_as(&of("_-8"), &of("/+8="));
    comes_back_as(&of("_-8="), &of("/+8="));
}

#[test]
fn what_other_wires_have_is_written_natively() {
    for (kind, expected) in [
        (
            PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: None },
            r#"{"inlineData":{"mimeType":"image/png","data":"AA=="}}"#,
        ),
        (
            PartKind::Image { url: "gs://b/x.PNG".into(), detail: None },
            r#"{"fileData":{"fileUri":"gs://b/x.PNG","mimeType":"image/png"}}"#,
        ),
        (
            PartKind::Audio { data: "AA==".into(), media_type: "audio/wav".into() },
            r#"{"inlineData":{"mimeType":"audio/wav","data":"AA=="}}"#,
        ),
        (
            PartKind::File {
                source: FileSource::Data("JVBERi0=".into()),
                media_type: None,
                filename: Some("a.pdf".into()),
            },
            r#"{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0=","displayName":"a.pdf"}}"#,
        ),
        (
            PartKind::File {
                source: FileSource::Url("https://generativelanguage.googleapis.com/v1beta/files/x".into()),
                media_type: Some("video/mp4".into()),
                filename: None,
            },
            r#"{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x","mimeType":"video/mp4"}}"#,
        ),
    ] {
        let (body, losses) = write(&saying(kind));
        assert_eq!(compact(&body), compact(&said(expected)));
        assert!(losses.is_empty());
        equal(&body);
    }
    let text = FileSource::Text("b".into());
    let (body, losses) =
        write(&saying(PartKind::File { source: text, media_type: None, filename: Some("n.txt".into()) }));
    assert_eq!(body, said(r#"{"text":"n.txt\nb"}"#));
    assert_eq!(codes(&losses), [(Code::DocumentAsText, "messages[0].content[1]".to_owned())]);
}

#[test]
fn nothing_is_fetched() {
    let file = |source| PartKind::File { source, media_type: None, filename: None };
    for kind in [
        PartKind::Image { url: "https://a.test/x.png".into(), detail: None },
        file(FileSource::Url("https://a.test/x.pdf".into())),
        file(FileSource::Id("file-1".into())),
        file(FileSource::Data("AA==".into())),
    ] {
        let error =
            gemini::write_request(&saying(kind), Options::default(), &mut Losses::default()).unwrap_err();
        assert_eq!(
            (error.kind, error.path.to_string().as_str()),
            (crate::error::Kind::Unsupported, "messages[0].content[1]")
        );
    }
}

const IMAGE: &str = r#"{"inlineData":{"mimeType":"image/png","data":"AA=="}}"#;

#[test]
fn media_of_a_result_stands_behind_its_text() {
    let body = answered(&format!(
        r#"{{"functionResponse":{{"id":"c","name":"f","response":{{"error":"cut"}},"parts":[{IMAGE},{{"text":"odd"}}]}}}}"#
    ));
    equal(&body);
    let request = read(&body);
    let Content::Parts(parts) = &results(&request)[0].content else { panic!() };
    assert_eq!(parts[0].as_text().map(|text| &**text), Some("cut"));
    assert_eq!(parts[1].kind, PartKind::Image { url: "data:image/png;base64,AA==".into(), detail: None });
    assert!(matches!(parts[2].kind, PartKind::Native { .. }));
    equal(&answered(&format!(
        r#"{{"functionResponse":{{"id":"c","name":"f","response":{{"output":""}},"parts":[{IMAGE}]}}}}"#
    )));
    equal(&answered(
        r#"{"functionResponse":{"id":"c","name":"f","response":{"output":{"k":1}},"parts":[]}}"#,
    ));
}

#[test]
fn an_older_model_gets_it_behind_all_results() {
    let anthropic = json(
        r#"{"model":"gemini-2.5-pro","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"g","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"text","text":"x"}]},{"type":"tool_result","tool_use_id":"b","content":"y"},{"type":"text","text":"so?"}]}]}"#,
    );
    let mut request = crate::dialect::read_request(crate::message::Dialect::Anthropic, &anthropic).unwrap();
    let (older, losses) = write(&request);
    let contents = older.get("contents").unwrap().as_array().unwrap();
    assert_eq!(
        compact(&contents[1]),
        r#"{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"[image 1 of a follows these results]\nx"}}},{"functionResponse":{"id":"b","name":"g","response":{"output":"y"}}},{"text":"Image returned by tool call a (f):"},{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"text":"so?"}]}"#
    );
    assert_eq!(losses[0].code, Code::ImageHoisted);
    request.model = Some("gemini-3-pro".into());
    let (newer, losses) = write(&request);
    assert_eq!(newer, write(&Request { model: None, ..request.clone() }).0);
    let contents = newer.get("contents").unwrap().as_array().unwrap();
    assert!(compact(&contents[1]).contains(&format!(r#"{{"output":"x"}},"parts":[{IMAGE}]}}"#)));
    assert_eq!(codes(&losses), [(Code::TextJoined, "messages[1].content".to_owned())]);
    // A target that is named counts for more than the model.
    let named = Options { target: targets::named("gemini-2"), ..Options::default() };
    let body = gemini::write_request(&request, named, &mut Losses::default()).unwrap();
    assert_eq!(Value::Object(body), older);
    // What was read from this wire is not fitted.
    let mut own = read(&answered(&format!(
        r#"{{"functionResponse":{{"id":"c","name":"f","response":{{"output":"x"}},"parts":[{IMAGE}]}}}}"#
    )));
    own.model = Some("gemini-2.5-pro".into());
    assert!(compact(&write(&own).0).contains(r#""parts":[{"inlineData""#));
}
