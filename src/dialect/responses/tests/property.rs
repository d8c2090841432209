//! Laws over random bodies: what comes back is what was there, and an outcome is never made up or lost.

use super::bodies::{body, paired};
use super::*;
use crate::json::Value;
use crate::outcome::{LABEL, MARKER};
use proptest::prelude::*;

fn outcomes(request: &Request) -> Vec<Option<bool>> {
    let tools = request.messages.iter().filter_map(|m| match m {
        Message::Tool(m) => Some(m.is_error),
        _ => None,
    });
    tools.collect()
}

/// What a provider should get: markers gone, failures labelled once, an edited item without its id.
fn sealed(body: &Json) -> Json {
    let Value::Object(mut body) = body.clone() else { panic!() };
    if let Some((_, Value::Array(items))) = body.0.iter_mut().find(|(key, _)| key == "input") {
        for item in items {
            let Value::Object(item) = item else { panic!() };
            let Some(Value::Bool(true)) = item.remove(MARKER) else { continue };
            let before = item.get("output").unwrap().clone();
            let output = match &before {
                Value::String(s) if s.starts_with(LABEL) => continue,
                Value::String(s) => Value::from(format!("{LABEL}{s}")),
                Value::Array(parts) => {
                    let first =
                        parts.first().filter(|p| matches!(p.kind(), Some("input_text" | "output_text")));
                    if first
                        .is_some_and(|part| part.get("text").unwrap().as_str().unwrap().starts_with(LABEL))
                    {
                        continue;
                    }
                    let mut all = vec![json(r#"{"type":"input_text","text":"Tool execution failed:\n"}"#)];
                    all.extend(parts.iter().cloned());
                    all.into()
                }
                _ => panic!(),
            };
            item.set("output", output);
            item.remove("id");
        }
    }
    body.into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_comes_back_value_equal(body in body(false)) {
        let request = read(&body).unwrap();
        let (once, losses) = write(&request, PROVIDER);
        prop_assert!(once == body, "\n{}\n{}", compact(&body), compact(&once));
        prop_assert!(losses.0.is_empty());
        let again = read(&once).unwrap();
        prop_assert_eq!(&again.messages, &request.messages);
        prop_assert_eq!(&again.tools, &request.tools);
        prop_assert_eq!(compact(&write(&again, PROVIDER).0), compact(&once));
        prop_assert_eq!(outcomes(&again), vec![None; outcomes(&request).len()]);
    }

    #[test]
    fn an_outcome_is_carried_inside_and_labelled_outside(body in body(true)) {
        let request = read(&body).unwrap();
        let (internal, _) = write(&request, INTERNAL);
        prop_assert!(internal == body, "\n{}\n{}", compact(&body), compact(&internal));
        prop_assert_eq!(outcomes(&read(&internal).unwrap()), outcomes(&request));
        let (provider, _) = write(&request, PROVIDER);
        prop_assert!(provider == sealed(&body), "\n{}\n{}", compact(&sealed(&body)), compact(&provider));
        let (again, losses) = write(&read(&provider).unwrap(), PROVIDER);
        prop_assert_eq!(compact(&again), compact(&provider));
        prop_assert!(losses.0.is_empty());
    }

    /// Each message alone gives its items, and all of them together give the conversation back.
    #[test]
    fn messages_alone_say_what_they_say_together(body in body(true)) {
        let request = read(&body).unwrap();
        for message in &request.messages {
            let items = write_message(message, INTERNAL, &mut Losses::default()).unwrap();
            let body = Value::from(Object::default().with("input", items));
            let back = read(&body).unwrap();
            prop_assert_eq!(back.messages.len(), 1);
            prop_assert_eq!(back.messages[0].role(), message.role());
            prop_assert_eq!(outcomes(&back), outcomes(&Request { messages: vec![message.clone()], ..Request::default() }));
        }
    }

    /// What is written for a conversation of another wire settles at once: reading it back changes no byte.
    #[test]
    fn a_foreign_conversation_settles(body in paired(), chat in any::<bool>()) {
        let mut request = read(&body).unwrap();
        request.dialect = chat.then_some(Dialect::Chat);
        if chat {
            request.messages.iter_mut().for_each(forget);
        }
        let (once, _) = write(&request, PROVIDER);
        prop_assert!(!compact(&once).contains("\"_vf_is_error\":"));
        let back = read(&once).unwrap();
        prop_assert_eq!(compact(&write(&back, PROVIDER).0), compact(&once));
        let (inside, _) = write(&request, INTERNAL);
        let (said, carried) = (outcomes(&request), outcomes(&read(&inside).unwrap()));
        prop_assert_eq!(said.iter().filter(|o| o.is_some()).count(), carried.iter().filter(|o| o.is_some()).count());
        prop_assert_eq!(said.len(), carried.len());
    }
}

/// What only this wire knows of a message, gone.
fn forget(message: &mut Message) {
    match message {
        Message::System(m) => m.extra = Extra::none(),
        Message::User(m) => m.extra = Extra::none(),
        Message::Tool(m) => m.extra = Extra::none(),
        Message::Assistant(m) => {
            m.extra = Extra::none();
            m.tool_calls.iter_mut().for_each(|call| call.extra = Extra::none());
        }
    }
}
