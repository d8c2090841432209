//! The journal: what is written is read back, and nothing that was changed or cut off goes unnoticed.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use std::sync::Arc;
use toolwire::graph::{Graph, Held, Origin, Stamp, Tools};
use toolwire::identity::Print;
use toolwire::journal::{from_jsonl, to_jsonl};
use toolwire::json::{Cursor, Json, Repeats, Value, parse_text};
use toolwire::message::{Message, message_from_plain, tool_from_plain};

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

fn message(text: &str) -> Message {
    message_from_plain(Cursor::root(&json(text))).unwrap()
}

fn tools(text: &str) -> Arc<Tools> {
    let value = json(text);
    let cursor = Cursor::root(&value);
    Tools::of(cursor.items().unwrap().map(|tool| tool_from_plain(tool).unwrap()).collect())
}

fn add(graph: &mut Graph, origin: Origin, text: &str, stamp: Stamp) -> u32 {
    let message = message(text);
    let own = Print::of(&message).own;
    graph.restore(origin, Held::Message(Arc::new(message)), own, stamp).unwrap()
}

/// A bit of everything: tools, two branches, a failed and a good result, equal siblings, metadata, two roots.
fn sample() -> Graph {
    let mut graph = Graph::default();
    let at = |timestamp: f64| Stamp { timestamp, ..Stamp::default() };
    let with = |metadata: &str| {
        let Value::Object(metadata) = json(metadata) else { panic!("an object") };
        Stamp { sampled: true, timestamp: 1.5, metadata: Some(Box::new(metadata)) }
    };
    let tools = tools(r#"[{"type":"function","name":"read","parameters":{"n":1.0}}]"#);
    let root = Origin::Root(tools.clone());
    let asked =
        add(&mut graph, root, r#"{"role":"user","content":"grüße \"\n\u0001 \ud83d\ude00"}"#, at(0.1));
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"read","arguments":"{\"a\": 1}"}]}"#;
    let called = add(&mut graph, Origin::Child(asked), call, with(r#"{"usage":{"in":12},"tokens":[1,2]}"#));
    for outcome in ["true", "false", "null", "null"] {
        let result = format!(r#"{{"role":"tool","tool_call_id":"c","content":"x","is_error":{outcome}}}"#);
        add(&mut graph, Origin::Child(called), &result, at(1e300));
    }
    add(&mut graph, Origin::Root(tools), r#"{"role":"system","content":[]}"#, with("{}"));
    add(&mut graph, Origin::Root(Tools::of(Vec::new())), r#"{"role":"user","content":""}"#, at(-0.0));
    graph
}

#[test]
fn a_graph_comes_back() {
    let graph = sample();
    let text = to_jsonl(graph.nodes()).unwrap();
    let back = from_jsonl(text.as_bytes()).unwrap();
    assert_eq!(back, graph);
    assert_eq!(to_jsonl(back.nodes()).unwrap(), text);
    assert_eq!(from_jsonl(text.trim_end().as_bytes()).unwrap(), graph);
    assert_eq!(text.lines().count(), graph.len() + 1);
}
