//! Each file of `tests/hostile` as a chat body: it is refused with the sentence beside it, or it is read.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use toolwire::dialect::read_request;
use toolwire::error::Result;
use toolwire::json::{Repeats, Value, parse, parse_text};
use toolwire::message::{Dialect, Request};

fn read(bytes: &[u8]) -> Result<Request> {
    read_request(Dialect::Chat, &parse(bytes, Repeats::LastWins)?.value)
}

#[test]
fn every_file_has_its_sentence() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile");
    let text = std::fs::read_to_string(format!("{folder}/expected/sentences.json")).unwrap();
    let expected = parse_text(&text, Repeats::Refused).unwrap().value;
    let expected = expected.as_object().unwrap();
    let files =
        std::fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count();
    assert_eq!(expected.len(), files);
    for (name, sentence) in expected.iter() {
        let read = read(&std::fs::read(format!("{folder}/{name}")).unwrap());
        match sentence {
            Value::Null => assert!(read.is_ok(), "{name}: {}", read.unwrap_err()),
            _ => assert_eq!(read.unwrap_err().to_string(), sentence.as_str().unwrap(), "{name}"),
        }
    }
}
