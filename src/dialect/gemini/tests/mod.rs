//! What comes from this wire goes back to it unchanged, and what cannot be read says where.

mod cross;
mod ids;
mod media;
mod outcomes;
mod property;
mod response;
mod settings;
mod spelling;
mod stream;
mod turns;

use crate::dialect::{Code, Loss, Losses, Options, gemini};
use crate::error::Error;
use crate::json::{Cursor, Json, Repeats, Value, compact, parse_text};
use crate::message::{Content, Message, Request, ToolMessage};

pub(super) fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

pub(super) fn read(body: &Json) -> Request {
    gemini::read_request(Cursor::root(body)).unwrap()
}

pub(super) fn refused(text: &str) -> Error {
    gemini::read_request(Cursor::root(&json(text))).unwrap_err()
}

pub(super) fn write(request: &Request) -> (Json, Vec<Loss>) {
    let mut losses = Losses::default();
    let body = gemini::write_request(request, Options::default(), &mut losses).unwrap();
    (Value::Object(body), losses.0)
}

pub(super) fn codes(losses: &[Loss]) -> Vec<(Code, String)> {
    losses.iter().map(|loss| (loss.code, loss.path.to_string())).collect()
}

/// Read and written it is equal; written again it is the same to the byte.
pub(super) fn equal(body: &Json) {
    comes_back_as(body, body);
}

pub(super) fn comes_back_as(body: &Json, expected: &Json) {
    let (written, losses) = write(&read(body));
    assert_eq!(written, *expected, "\n{}\n{}", compact(&written), compact(expected));
    assert!(losses.is_empty(), "{losses:?}");
    let (again, _) = write(&read(&written));
    assert_eq!(compact(&again), compact(&written));
}

pub(super) fn results(request: &Request) -> Vec<&ToolMessage> {
    let mut results = Vec::new();
    for message in &request.messages {
        if let Message::Tool(result) = message {
            results.push(result);
        }
    }
    results
}

#[test]
fn every_fixture_comes_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire/gemini");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.matches('.').count() == 1 {
            let body = json(&std::fs::read_to_string(&path).unwrap());
            let in_camel = gemini::spelling::camel(&body).unwrap().into_owned().into_owned();
            comes_back_as(&body, &in_camel);
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen}");
}

pub(super) fn text_of(content: &Content) -> String {
    match content {
        Content::Text(text) => text.to_string(),
        Content::Parts(parts) => parts.iter().filter_map(|part| part.as_text()).map(|text| &**text).collect(),
    }
}
