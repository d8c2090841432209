//! Streams in either form, and what is not one.

use super::json;
use crate::dialect::{StreamParser, is_terminal_event, read_response, write_stream};
use crate::error::Error;
use crate::json::{Json, Object, Repeats, compact, parse};
use crate::message::Dialect::Gemini;
use crate::message::{FinishReason, Response};

fn read<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> (Response, Option<Error>) {
    let mut parser = StreamParser::new(Gemini).unwrap();
    let refused = chunks.into_iter().find_map(|chunk| parser.feed(chunk).err());
    (parser.finish().unwrap(), refused)
}

/// The recorded streams, each with its events as one array, as the API sends them without `alt=sse`.
fn recorded() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streams/gemini");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|e| e == "sse")) {
        let events = std::fs::read(&path).unwrap();
        let text = String::from_utf8(events.clone()).unwrap();
        let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let whole = data.iter().all(|data| parse(data.as_bytes(), Repeats::Refused).is_ok());
        if whole && !path.ends_with("error_behind_events.sse") {
            let array = format!("[{}\r\n]\r\n", data.join("\r\n,\r\n"));
            all.push((path.display().to_string(), events, array.into_bytes()));
        }
    }
    assert!(all.len() >= 12);
    all
}

#[test]
fn an_array_is_read_like_events() {
    for (name, events, array) in recorded() {
        let whole = read([&events[..]]);
        assert_eq!(read([&array[..]]), whole, "{name}");
        for cut in 0..=array.len() {
            assert_eq!(read([&array[..cut], &array[cut..]]), whole, "{name} cut at {cut}");
        }
        assert_eq!(read(array.chunks(1)), whole, "{name}");
    }
}

#[test]
fn a_cut_array_is_never_complete() {
    for (name, _, array) in recorded() {
        let end = array.iter().rposition(|byte| *byte == b']').unwrap();
        for cut in 0..=end {
            assert!(!read([&array[..cut]]).0.complete, "{name} cut at {cut}");
        }
    }
}

const CHUNK: &str = r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}"#;

#[test]
fn what_is_no_stream_is_refused() {
    let with = |frame: &str| frame.replace("CHUNK", CHUNK);
    for (stream, sentence) in [
        ("[5]", "events[0]: not the next element of an array"),
        ("[CHUNK CHUNK]", "events[1]: not the next element of an array"),
        ("[,CHUNK]", "events[0]: not the next element of an array"),
        ("[CHUNK,]", "events[1]: not the next element of an array"),
        (",CHUNK]", "events[0]: the stream does not begin here"),
        ("{]", "events[0]: expected a key at byte 1"),
        ("data: 5\n\n", "events[0]: expected an object"),
        ("data: {\"candidates\":5}\n\n", "events[0].candidates: expected a list"),
        (
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{}}]}}]}\n\n",
            "events[0].candidates[0].content.parts[0].functionCall.name: missing: there is no call that this continues",
        ),
        ("data: {\"candidates\":[{\"index\":-1}]}\n\n", "events[0].candidates[0].index: expected an index"),
    ] {
        let (response, refused) = read([with(stream).as_bytes()]);
        assert_eq!(refused.map(|error| error.to_string()).as_deref(), Some(sentence), "{stream}");
        assert!(!response.complete);
    }
    // Nothing at all, an empty array, an error alone.
    for stream in ["", " \r\n", "[]", ": comment\n\n"] {
        let (response, refused) = read([stream.as_bytes()]);
        assert!(refused.is_none() && !response.complete && response.error.is_none(), "{stream}");
    }
    for stream in [r#"{"error":{"code":429}}"#, r#"[{"error":{"code":429}}]"#] {
        let (response, _) = read([stream.as_bytes()]);
        assert_eq!(response.error.as_ref().map(compact).as_deref(), Some(r#"{"code":429}"#));
        assert!(!response.complete);
    }
    // An answer that came whole instead of as a stream.
    assert!(read([CHUNK.as_bytes()]).0.complete);
}

#[test]
fn the_last_chunk_is_known_in_either_form() {
    for event in
        [format!("data: {CHUNK}\n\n"), format!("[{CHUNK}"), format!(",\r\n{CHUNK}\n]"), CHUNK.to_owned()]
    {
        assert!(is_terminal_event(Gemini, event.as_bytes()), "{event}");
    }
    assert!(is_terminal_event(Gemini, b"data: {\"promptFeedback\":{\"block_reason\":\"OTHER\"}}\n\n"));
    for event in [
        r#"{"candidates":[{"content":{"parts":[{"text":"\"finishReason\":\"STOP\""}]}}]}"#,
        r#"{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#,
        r#"{"candidates":[{"index":1,"finishReason":"STOP"}]}"#,
        "{",
        "]",
    ] {
        assert!(!is_terminal_event(Gemini, format!("data: {event}\n\n").as_bytes()), "{event}");
        assert!(!is_terminal_event(Gemini, event.as_bytes()), "{event}");
    }
}

#[test]
fn a_written_stream_says_the_same() {
    for (name, events, _) in recorded() {
        let (response, _) = read([&events[..]]);
        if !response.complete {
            continue;
        }
        let (written, losses) = write_stream(Gemini, &response).unwrap();
        assert!(losses.0.is_empty());
        assert_eq!(read(written.iter().map(|event| &event[..])), (response, None), "{name}");
        let terminal = written.iter().filter(|event| is_terminal_event(Gemini, event)).count();
        assert_eq!((terminal, is_terminal_event(Gemini, written.last().unwrap())), (1, true), "{name}");
    }
    let empty = Response { complete: true, finish_reason: Some(FinishReason::Stop), ..Response::default() };
    let (written, _) = write_stream(Gemini, &empty).unwrap();
    assert!(read(written.iter().map(|event| &event[..])).0.complete);
}

fn fragments(pieces: &[&str]) -> (Response, Option<Error>) {
    let chunk = |call: &str, end: &str| {
        format!(r#"data: {{"candidates":[{{"content":{{"parts":[{{"functionCall":{call}}}]}}{end}}}]}}"#)
            + "\n\n"
    };
    let mut stream = chunk(r#"{"name":"f","id":"1","willContinue":true}"#, "");
    for piece in pieces {
        stream += &chunk(&format!(r#"{{"partialArgs":[{piece}],"willContinue":true}}"#), "");
    }
    stream += &chunk("{}", r#","finishReason":"STOP""#);
    read([stream.as_bytes()])
}

#[test]
fn fragments_add_up_to_the_arguments() {
    let (response, _) = fragments(&[
        r#"{"jsonPath":"$.a.b[0]['c.d']","stringValue":"x\"","willContinue":true}"#,
        r#"{"jsonPath":"$.a.b[0]['c.d']","stringValue":"y"}"#,
        r#"{"jsonPath":"$.a.b[1]","numberValue":-0.50},{"jsonPath":"$[\"it's\\\\\"]","boolValue":false}"#,
        r#"{"jsonPath":"$.n","nullValue":"NULL_VALUE"},{"jsonPath":"$.e","stringValue":""}"#,
    ]);
    let expected = json(r#"{"a":{"b":[{"c.d":"x\"y"},-0.50]},"it's\\":false,"n":null,"e":""}"#);
    assert_eq!(&*response.message.tool_calls[0].arguments, compact(&expected));
    assert!(response.complete && response.unfinished.is_empty());
}

#[test]
fn what_does_not_add_up_is_no_call() {
    for odd in [
        r#"{"jsonPath":"a","stringValue":"x"}"#,
        r#"{"jsonPath":"$","stringValue":"x"}"#,
        r#"{"jsonPath":"$..a","stringValue":"x"}"#,
        r#"{"jsonPath":"$.a[9]","stringValue":"x"}"#,
        r#"{"jsonPath":"$.a[18446744073709551616]","stringValue":"x"}"#,
        r#"{"jsonPath":"$['a","stringValue":"x"}"#,
        r#"{"jsonPath":"$.s.t","stringValue":"x"},{"jsonPath":"$.s[0]","stringValue":"x"}"#,
        r#"{"stringValue":"x"}"#,
    ] {
        let (response, refused) = fragments(&[odd]);
        assert!(refused.is_some() && !response.complete, "{odd}");
        assert!(response.message.tool_calls.is_empty());
    }
    let deep = format!(r#"{{"jsonPath":"${}","stringValue":"x"}}"#, ".a".repeat(600));
    assert!(fragments(&[&deep]).1.is_some());
    // A text that says that it goes on, and does not.
    let (response, _) = fragments(&[r#"{"jsonPath":"$.a","stringValue":"x","willContinue":true}"#]);
    assert!(!response.complete && response.message.tool_calls.is_empty());
    assert_eq!(&*response.unfinished[0].arguments, r#"{"a":"x"#);
}

#[test]
fn an_answer_is_the_same_streamed_or_whole() {
    let body: Json = json(
        r#"{"candidates":[{"content":{"parts":[{"text":"t","thought":true},{"text":"a"},{"text":"b","thoughtSignature":"c2ln"},{"text":"c"},{"functionCall":{"name":"f","args":{}}}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"r"}"#,
    );
    let whole = read_response(Gemini, &body).unwrap();
    let chunk = |part: &Json| {
        let content = Object::default().with("parts", vec![part.clone()]).with("role", "model");
        let candidate = Object::default().with("content", content).with("index", Json::Number("0".into()));
        let chunk = Object::default().with("candidates", vec![candidate.into()]);
        format!("data: {}\n\n", compact(&chunk.into()))
    };
    let candidate = &body.get("candidates").unwrap().as_array().unwrap()[0];
    let parts = candidate.get("content").unwrap().get("parts").unwrap().as_array().unwrap();
    let mut stream: String = parts.iter().map(chunk).collect();
    stream += "data: {\"candidates\":[{\"finishReason\":\"STOP\",\"index\":0}],\"modelVersion\":\"m\",\"responseId\":\"r\"}\n\n";
    let (streamed, _) = read([stream.as_bytes()]);
    assert_eq!((streamed.message, streamed.finish_reason), (whole.message, whole.finish_reason));
    assert_eq!(streamed.native, whole.native);
}
