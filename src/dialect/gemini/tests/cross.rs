//! From every other wire to this one and back.

use super::{json, read, results, write};
use crate::dialect::{Code, Options, convert, read_request, write_request};
use crate::json::{Json, Parsed, Value, compact};
use crate::message::Dialect::{self, Anthropic, Chat, Gemini, Responses};
use crate::message::{Message, Request, ToolMessage};

fn parsed(body: &Json) -> Parsed<'_> {
    Parsed { value: body.clone(), replaced: Vec::new() }
}

fn fixtures(dialect: Dialect) -> Vec<(String, Json)> {
    let folder = format!("{}/tests/wire/{dialect}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let own = files.filter(|path| path.file_name().unwrap().to_str().unwrap().matches('.').count() == 1);
    own.map(|path| (path.display().to_string(), json(&std::fs::read_to_string(&path).unwrap()))).collect()
}

/// Who said what, which calls with which ids and arguments, and the results in the order of the calls.
fn told(request: &Request, outcomes: bool) -> Vec<String> {
    let mut told = Vec::new();
    let mut order: Vec<String> = Vec::new();
    for message in &request.messages {
        match message {
            Message::Assistant(turn) => {
                order = turn.tool_calls.iter().map(|call| call.id.to_string()).collect();
                let calls: Vec<_> = turn.tool_calls.iter().map(|c| (&*c.id, &*c.name)).collect();
                told.push(format!("{:?} {calls:?}", turn.content.as_deref().unwrap_or_default()));
            }
            Message::Tool(ToolMessage { tool_call_id, content, is_error, .. }) => {
                let at = order.iter().position(|id| **id == **tool_call_id).unwrap();
                let failed = outcomes.then_some(is_error.filter(|failed| *failed));
                told.push(format!("result {at} {:?} {failed:?}", super::text_of(content)));
            }
            Message::User(user) if !super::text_of(&user.content).is_empty() => {
                told.push(format!("user {:?}", super::text_of(&user.content)));
            }
            Message::System(_) | Message::User(_) => {}
        }
    }
    told
}

#[test]
fn samples_of_other_wires_come_back() {
    let mut whole = 0;
    for dialect in [Chat, Responses, Anthropic] {
        for (name, body) in fixtures(dialect) {
            let source = read_request(dialect, &body).unwrap();
            let Ok((middle, losses)) = convert(dialect, Gemini, &parsed(&body)) else { continue };
            let middle = Value::Object(middle);
            let there = read(&middle);
            // Texts that were joined and media that was moved are reported.
            let moved = [
                Code::TextJoined,
                Code::ImageHoisted,
                Code::DocumentHoisted,
                Code::CustomWrapped,
                Code::TurnReordered,
                Code::RefusalAsText,
                Code::EmptyDropped,
                Code::DocumentAsText,
                Code::Merged,
            ];
            if losses.0.iter().any(|loss| moved.contains(&loss.code) && !loss.detail.contains("list of one"))
            {
                continue;
            }
            whole += 1;
            assert_eq!(told(&there, true), told(&source, true), "{name}");
            let (back, _) = convert(Gemini, dialect, &parsed(&middle)).unwrap();
            let back = read_request(dialect, &Value::Object(back)).unwrap();
            assert_eq!(told(&back, dialect == Anthropic), told(&source, dialect == Anthropic), "{name}");
            // What was written is a body of this wire like any other.
            let (again, more) = write(&there);
            assert_eq!(compact(&again), compact(&middle), "{name}");
            assert!(more.is_empty(), "{name}: {more:?}");
        }
    }
    assert!(whole >= 6, "{whole}");
}

#[test]
fn samples_of_this_wire_come_back() {
    let mut whole = 0;
    for (name, body) in fixtures(Gemini) {
        for dialect in [Chat, Responses, Anthropic] {
            let mut source = read(&body);
            let Ok((middle, losses)) = convert(Gemini, dialect, &parsed(&body)) else { continue };
            let (back, more) = convert(dialect, Gemini, &parsed(&Value::Object(middle))).unwrap();
            let moved = [Code::ImageHoisted, Code::TurnReordered, Code::TextJoined];
            if losses.0.iter().chain(&more.0).any(|loss| moved.contains(&loss.code)) {
                continue;
            }
            whole += 1;
            let back = read(&Value::Object(back));
            if dialect != Anthropic {
                // The text says what these have no field for.
                for message in &mut source.messages {
                    if let Message::Tool(result) = message
                        && result.failed()
                    {
                        result.content = crate::outcome::labelled(&result.content);
                    }
                }
            }
            let outcomes = dialect == Anthropic;
            assert_eq!(told(&back, outcomes), told(&source, outcomes), "{name} by {dialect}");
        }
    }
    assert!(whole >= 9, "{whole}");
}

#[test]
fn an_outcome_crosses_to_the_wire_that_has_one() {
    let anthropic = |outcome: &str| {
        json(&format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"x"{outcome}}}]}}]}}"#
        ))
    };
    for (outcome, back) in [(r#","is_error":true"#, Some(true)), (r#","is_error":false"#, None), ("", None)] {
        let body = anthropic(outcome);
        let (there, losses) = convert(Anthropic, Gemini, &parsed(&body)).unwrap();
        let told = losses.0.iter().any(|loss| loss.code == Code::OutcomeSuccessUnexpressed);
        assert_eq!(told, outcome.contains("false"));
        let (again, _) = convert(Gemini, Anthropic, &parsed(&Value::Object(there))).unwrap();
        let read = read_request(Anthropic, &Value::Object(again)).unwrap();
        assert_eq!(results(&read)[0].is_error, back);
    }
}

#[test]
fn a_name_that_the_call_says_is_no_loss() {
    let body =
        super::outcomes::answered(r#"{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}"#);
    for dialect in [Chat, Responses] {
        let (_, losses) = write_request(dialect, &read(&body), Options::default()).unwrap();
        assert!(losses.0.is_empty(), "{losses:?}");
    }
}
