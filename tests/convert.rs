//! Laws over random conversations: nothing panics, no outcome is invented or lost where both wires have one, no
//! marker leaves, sealing twice is sealing once. `PROPTEST_CASES=100000 cargo test --release` runs them for longer.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use toolwire::dialect::{Code, Options, read_request, write_request};
use toolwire::error::Kind;
use toolwire::identity;
use toolwire::json::{Json, Object, Parsed, Repeats, Value, compact, parse};
use toolwire::message::Dialect::{self, Anthropic, Chat, Responses};
use toolwire::message::{Message, Request};
use toolwire::outcome::{LABEL, MARKER};
use toolwire::request::{apply_overrides, seal};

const WIRES: [Dialect; 3] = [Chat, Responses, Anthropic];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z {}\\[\\]\",\\\\]{0,12}",
        1 => ".{0,8}",
        1 => Just(String::new()),
        1 => Just(" \n".to_owned()),
        1 => Just(format!("{LABEL}boom")),
        1 => Just(r#"{"_vf_is_error":true,"error":"x"}"#.to_owned()),
    ]
}

fn part() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => text().prop_map(|t| Value::from(Object::default().with("type", "text").with("text", t))),
        1 => Just(Value::from(Object::default().with("type", "image_url").with(
            "image_url", Object::default().with("url", "data:image/png;base64,aGk=")))),
        1 => Just(Value::from(Object::default().with("type", "image_url").with(
            "image_url", Object::default().with("url", "https://example.test/a.png").with("detail", "low")))),
        1 => Just(Value::from(Object::default().with("type", "input_audio").with(
            "input_audio", Object::default().with("data", "aGk=").with("format", "wav")))),
        1 => Just(Value::from(Object::default().with("type", "file").with(
            "file", Object::default().with("file_data", "data:application/pdf;base64,aGk=").with("filename", "f.pdf")))),
    ]
}

fn content() -> impl Strategy<Value = Json> {
    prop_oneof![
        3 => text().prop_map(Value::from),
        1 => prop::collection::vec(part(), 0..4).prop_map(Value::from),
    ]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just("{}".to_owned()),
        4 => (text(), any::<i64>()).prop_map(|(t, n)| {
            compact(&Value::from(Object::default().with("q", t).with("n", Value::Number(n.to_string().into()))))
        }),
        1 => Just(String::new()),
        1 => Just(r#"{ "a" : 1.0 , "b":[ ] }"#.to_owned()),
        1 => Just(r#"{"cut": "#.to_owned()),
        1 => Just("[1]".to_owned()),
        1 => Just(r#"{"_vf_is_error":true,"k":1}"#.to_owned()),
    ]
}

#[derive(Clone, Debug)]
struct Turn {
    user: Option<Json>,
    said: Option<String>,
    calls: Vec<(String, bool)>,
    results: Vec<(Json, Option<bool>)>,
    reversed: bool,
    broken: u8,
    between: bool,
}

fn turn() -> impl Strategy<Value = Turn> {
    let outcome = prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
    (
        prop::option::of(content()),
        prop::option::of(text()),
        prop::collection::vec((arguments(), prop::bool::weighted(0.1)), 0..4),
        prop::collection::vec((content(), outcome), 4),
        any::<bool>(),
        0..24u8,
        prop::bool::weighted(0.1),
    )
        .prop_map(|(user, said, calls, results, reversed, broken, between)| Turn {
            user,
            said,
            calls,
            results,
            reversed,
            broken,
            between,
        })
}

/// The conversation as a chat body of the internal lane.
fn body(turns: &[Turn]) -> Json {
    let message = |role: &'static str| Object::default().with("role", role);
    let mut messages: Vec<Json> = vec![message("system").with("content", "rules").into()];
    for (n, turn) in turns.iter().enumerate() {
        if let Some(user) = &turn.user {
            messages.push(message("user").with("content", user.clone()).into());
        }
        let ids: Vec<String> = (0..turn.calls.len())
            .map(|c| if turn.reversed { format!("call.{n}.{c}") } else { format!("call_{n}_{c}") })
            .collect();
        let calls: Vec<Json> = ids
            .iter()
            .zip(&turn.calls)
            .map(|(id, (arguments, custom))| {
                let (kind, key) = if *custom { ("custom", "input") } else { ("function", "arguments") };
                let inner = Object::default().with("name", "f").with(key, arguments.clone());
                Object::default().with("id", id.clone()).with("type", kind).with(kind, inner).into()
            })
            .collect();
        let said = turn.said.clone().map_or(Value::Null, Value::from);
        let calls = (!calls.is_empty()).then_some(calls);
        messages.push(message("assistant").with("content", said).with_some("tool_calls", calls).into());
        let mut results: Vec<Json> = ids
            .iter()
            .zip(&turn.results)
            .map(|(id, (content, outcome))| {
                message("tool")
                    .with("tool_call_id", id.clone())
                    .with("content", content.clone())
                    .with_some(MARKER, *outcome)
                    .into()
            })
            .collect();
        if turn.reversed {
            results.reverse();
        }
        match turn.broken {
            0 => drop(results.pop()),
            1 => results.extend(results.first().cloned()),
            2 => results.push(message("tool").with("tool_call_id", "nobody").with("content", "x").into()),
            _ => {}
        }
        if turn.between && results.len() > 1 {
            results.insert(1, message("user").with("content", "wait").into());
        }
        messages.extend(results);
    }
    Object::default().with("model", "m").with("messages", messages).into()
}

fn owned(value: &Json) -> Parsed<'_> {
    Parsed { value: value.clone(), replaced: Vec::new() }
}

fn read(dialect: Dialect, body: &Json) -> Request {
    read_request(dialect, body)
        .unwrap_or_else(|e| panic!("{dialect} cannot read its own: {e}\n{}", compact(body)))
}

/// The outcomes in order; ids may have been mapped.
fn outcomes(request: &Request) -> Vec<Option<bool>> {
    request
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::Tool(result) => Some(result.is_error),
            _ => None,
        })
        .collect()
}

fn keys(value: &Json, found: &mut BTreeMap<String, usize>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter() {
                *found.entry(key.to_string()).or_default() += 1;
                keys(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn has_key(value: &Json, key: &str) -> bool {
    let mut found = BTreeMap::new();
    keys(value, &mut found);
    found.contains_key(key)
}

/// The results of a settled conversation: duplicates once.
fn settled_outcomes(request: &Request) -> Vec<Option<bool>> {
    let mut seen = Vec::new();
    let mut out = Vec::new();
    for message in &request.messages {
        if let Message::Tool(result) = message
            && !seen.contains(&&result.tool_call_id)
        {
            seen.push(&result.tool_call_id);
            out.push(result.is_error);
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn outcomes_survive_every_way(turns in prop::collection::vec(turn(), 1..5)) {
        let chat = body(&turns);
        let request = read(Chat, &chat);
        let expected = settled_outcomes(&request);
        for target in WIRES {
            let Ok((written, losses)) = write_request(target, &request, Options::default()) else { continue };
            let written = Value::from(written);
            prop_assert!(!has_key(&written, MARKER));
            let again = read(target, &written);
            if losses.0.iter().all(|loss| loss.code == Code::MaxTokensAssumed) {
                // Nothing was lost: it is the same conversation.
                let whole = identity::prefixes(&request.messages);
                prop_assert_eq!(identity::prefixes(&again.messages), whole, "{}: {}", target, compact(&written));
            }
            if target == Anthropic {
                prop_assert_eq!(&outcomes(&again), &expected);
                // And back into the lane that has the marker.
                let back = write_request(Chat, &again, Options { internal: true, target: None });
                prop_assert!(back.is_ok(), "{}", back.unwrap_err());
                let back = read(Chat, &Value::from(back.unwrap().0));
                prop_assert_eq!(&outcomes(&back), &expected);
            } else {
                prop_assert!(!has_key(&written, "is_error"));
                prop_assert!(outcomes(&again).iter().all(Option::is_none));
                let failed = outcomes(&request).iter().filter(|o| **o == Some(true)).count();
                let labelled = losses.0.iter().filter(|loss| loss.code == Code::OutcomeLabelled).count();
                prop_assert!(labelled <= failed && labelled >= expected.iter().filter(|o| **o == Some(true)).count());
                let (internal, _) = write_request(target, &request, Options { internal: true, target: None }).unwrap();
                let internal = read(target, &Value::from(internal));
                let declared = if target == Chat { outcomes(&request) } else { expected.clone() };
                prop_assert_eq!(outcomes(&internal), declared);
            }
            // The same wire again: the same value, and from then on the same bytes.
            let (second, _) = write_request(target, &again, Options::default()).unwrap();
            let second = Value::from(second);
            prop_assert_eq!(&second, &written);
            let (third, _) = write_request(target, &read(target, &second), Options::default()).unwrap();
            prop_assert_eq!(compact(&Value::from(third)), compact(&second));
        }
    }

    #[test]
    fn every_pair_refuses_or_writes(turns in prop::collection::vec(turn(), 1..4)) {
        let chat = body(&turns);
        for middle in WIRES {
            let Ok((middle_body, _)) = toolwire::dialect::convert(Chat, middle, &owned(&chat)) else { continue };
            let middle_body = Value::from(middle_body);
            for target in WIRES {
                // What one wire took in good order, every other one takes, or says where it cannot.
                match toolwire::dialect::convert(middle, target, &owned(&middle_body)) {
                    Ok((written, _)) => {
                        let written = Value::from(written);
                        prop_assert!(!has_key(&written, MARKER));
                        prop_assert_eq!(
                            settled_outcomes(&read(target, &written)).len(),
                            settled_outcomes(&read(middle, &middle_body)).len()
                        );
                    }
                    // A wire that was reached is in good order: only what the next one has no form for is refused.
                    Err(error) => prop_assert!(
                        matches!(error.kind, Kind::Unsupported | Kind::Arguments | Kind::Pairing),
                        "{error}"
                    ),
                }
            }
        }
    }

    #[test]
    fn sealing_is_done_once(turns in prop::collection::vec(turn(), 1..4), pretty in any::<bool>(), noise in any::<u64>()) {
        let mut text = compact(&body(&turns));
        if pretty {
            text = text.replace("\":", "\" : ").replace("},", "}\n,  ");
        }
        // Some keys in another spelling, some markers where they do not belong.
        if noise % 2 == 0 {
            text = text.replacen("\"_vf_is_error\"", "\"_vf\\u005fis_error\"", (noise % 5) as usize);
        }
        if noise % 3 == 0 {
            text = text.replacen("\"role\"", "\"_vf_is_error\":false,\"role\"", (noise % 7) as usize);
        }
        let source = parse(text.as_bytes(), Repeats::LastWins);
        let Ok(source) = source else { return Ok(()) };
        let once = match seal(Chat, None, text.as_bytes()) {
            Ok(sealed) => sealed.body.into_owned(),
            Err(error) => {
                prop_assert!(error.to_string().contains("_vf_is_error") || error.to_string().contains("content"));
                return Ok(());
            }
        };
        let parsed = parse(&once, Repeats::Refused).unwrap().value;
        prop_assert!(!has_key(&parsed.clone().into_owned(), MARKER));
        let twice = seal(Chat, None, &once).unwrap();
        prop_assert_eq!(twice.body.as_ref(), once.as_slice());
        // The bytes say what the tree says: the same messages as those that the typed way writes.
        let request = read_request(Chat, &source.value).unwrap();
        let sealed = read_request(Chat, &parsed).unwrap();
        prop_assert_eq!(request.messages.len(), sealed.messages.len());
        for (before, after) in request.messages.iter().zip(&sealed.messages) {
            if let (Message::Tool(before), Message::Tool(after)) = (before, after) {
                prop_assert_eq!(after.is_error, None);
                let expected =
                    if before.failed() { toolwire::outcome::labelled(&before.content) } else { before.content.clone() };
                prop_assert_eq!(&after.content, &expected);
            } else {
                prop_assert_eq!(identity::of(before), identity::of(after));
            }
        }
        let overlaid = apply_overrides(Chat, None, text.as_bytes(), "other", &Object::default()).unwrap();
        let overlaid = parse(&overlaid.body, Repeats::Refused).unwrap().value.into_owned();
        prop_assert_eq!(overlaid.get("model").and_then(Value::as_str), Some("other"));
        let sealed = parsed.into_owned();
        prop_assert_eq!(overlaid.get("messages"), sealed.get("messages"));
    }
}

/// A conversation that every wire can hold without a loss of what was said.
fn common() -> impl Strategy<Value = Vec<Turn>> {
    let said = "[a-z]{1,9}[a-z ,.]{0,9}[a-z]";
    let arguments = (0..99i64, "[a-z]{0,5}").prop_map(|(n, q)| format!(r#"{{"n":{n},"q":"{q}"}}"#));
    let outcome = prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
    let parts = prop::collection::vec(said, 2..4).prop_map(|texts| {
        let part = |text: String| Value::from(Object::default().with("type", "text").with("text", text));
        Value::Array(texts.into_iter().map(part).collect())
    });
    let content = prop_oneof![said.prop_map(Value::from), parts];
    let turn = (
        content.clone(),
        prop::option::of(said),
        prop::collection::vec((arguments, Just(false)), 0..4),
        prop::collection::vec((content, outcome), 4),
    )
        .prop_map(|(user, said, calls, results)| Turn {
            // Anthropic takes no turn that says nothing, and no user message is lost between two turns.
            said: if calls.is_empty() { Some(said.unwrap_or_else(|| "done".to_owned())) } else { said },
            user: Some(user),
            calls,
            results,
            reversed: false,
            broken: 9,
            between: false,
        });
    prop::collection::vec(turn, 1..5)
}

proptest! {
    #[test]
    fn a_message_has_one_identity_on_every_wire(turns in common()) {
        // Ids that every wire allows.
        let chat = compact(&body(&turns)).replace('.', "_");
        let chat = parse(chat.as_bytes(), Repeats::Refused).unwrap().value.into_owned();
        let request = read(Chat, &chat);
        let expected = identity::prefixes(&request.messages);
        for target in WIRES {
            let (written, _) = write_request(target, &request, Options { internal: true, target: None }).unwrap();
            let again = read(target, &Value::from(written));
            prop_assert_eq!(&identity::prefixes(&again.messages), &expected, "{}", target);
        }
    }
}
