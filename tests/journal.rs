//! The journal: what is written is read back, and nothing that was changed or cut off goes unnoticed.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use toolwire::error::Kind;
use toolwire::graph::{Graph, Held, Origin, Shared, Stamp, Tools};
use toolwire::identity::Print;
use toolwire::journal::{Durability, Failure, Journal, Report, from_jsonl, resume, to_jsonl};
use toolwire::json::{Cursor, Json, Object, Repeats, Value, parse_text};
use toolwire::message::{Message, message_from_plain, message_to_plain, tool_from_plain, tool_to_plain};

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

fn text(graph: &Graph) -> String {
    to_jsonl(graph.nodes()).unwrap()
}

/// The first nodes of a graph.
fn first(graph: &Graph, nodes: usize) -> Graph {
    let mut part = Graph::default();
    for node in &graph.nodes()[..nodes] {
        let stamp =
            Stamp { sampled: node.sampled, timestamp: node.timestamp, metadata: node.metadata.clone() };
        part.restore(node.origin.clone(), node.held.clone(), node.identity, stamp).unwrap();
    }
    part
}

/// A file of this test's own, not there yet. (Some file systems wait for the disk when a file is written over.)
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

fn sentence<T>(result: Result<T, Failure>) -> String {
    match result.err().unwrap() {
        Failure::Refused(error) => error.to_string(),
        Failure::Io(error) => panic!("{error}"),
    }
}

#[test]
fn a_graph_comes_back() {
    let graph = sample();
    let text = text(&graph);
    let back = from_jsonl(text.as_bytes()).unwrap();
    assert_eq!(back, graph);
    assert_eq!(to_jsonl(back.nodes()).unwrap(), text);
    assert_eq!(from_jsonl(text.trim_end().as_bytes()).unwrap(), graph);
    assert_eq!(text.lines().count(), graph.len() + 1);
    for (node, again) in graph.nodes().iter().zip(back.nodes()) {
        assert_eq!(node.conversation, again.conversation);
        assert_eq!(node.timestamp.to_bits(), again.timestamp.to_bits());
    }
    // Roots in a row with the same tools share them.
    let roots: Vec<_> = back
        .nodes()
        .iter()
        .filter_map(|node| match &node.origin {
            Origin::Root(tools) => Some(tools),
            Origin::Child(_) => None,
        })
        .collect();
    assert_eq!(roots.len(), 3);
    assert!(Arc::ptr_eq(roots[0], roots[1]) && !Arc::ptr_eq(roots[1], roots[2]));
}

#[test]
fn outcomes_stay_distinct_and_equal_siblings_are_kept() {
    let back = from_jsonl(text(&sample()).as_bytes()).unwrap();
    let said: Vec<_> = back.nodes()[2..6]
        .iter()
        .map(|node| match &*node.held.message() {
            Message::Tool(result) => result.is_error,
            _ => panic!("a result"),
        })
        .collect();
    assert_eq!(said, [Some(true), Some(false), None, None]);
    assert_eq!(back.leaves(), [2, 3, 4, 5, 6, 7]);
    assert_eq!(back.path(5), [0, 1, 5]);
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let graph = sample();
    let text = text(&graph).into_bytes();
    for at in 0..text.len() {
        let byte = text[at];
        for other in [byte ^ 1, byte ^ 0x80, 0, b' ', b'"', b'\n'] {
            let mut changed = text.clone();
            changed[at] = other;
            match from_jsonl(&changed) {
                Ok(back) => assert_eq!(back, graph, "byte {at} became {other}"),
                Err(error) => assert_eq!(error.kind, Kind::Journal, "{error}"),
            }
        }
        let mut shorter = text.clone();
        shorter.remove(at);
        assert_eq!(from_jsonl(&shorter).is_ok(), at == text.len() - 1, "without byte {at}");
    }
}

#[test]
fn a_file_that_was_cut_anywhere_holds_its_whole_lines() {
    let graph = sample();
    let text = text(&graph).into_bytes();
    for end in 0..=text.len() {
        let whole = text[..end].iter().filter(|byte| **byte == b'\n').count();
        let dropped = end - text[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let expected = Report {
            nodes: whole.saturating_sub(1),
            dropped,
            line: (dropped > 0).then_some(whole + 1),
            version: 1,
        };
        // Cut off; and with a tail of zeros, which a system leaves that grew the file but lost the rest.
        for zeros in [0, 3, 5000] {
            let mut bytes = text[..end].to_vec();
            bytes.resize(end + zeros, 0);
            let mut expected = expected.clone();
            if zeros > 0 {
                expected.dropped += zeros;
                expected.line = Some(whole + 1);
            }
            let path = path("cut.jsonl");
            fs::write(&path, &bytes).unwrap();
            let (back, report) = resume(&path).unwrap();
            assert_eq!(report, expected, "cut at {end}");
            assert_eq!(back, first(&graph, expected.nodes));
            // Slow: at every fourth byte, and around the ends of lines.
            if zeros > 0
                || (end % 4 > 0 && !text[end.saturating_sub(2)..].iter().take(4).any(|b| *b == b'\n'))
            {
                continue;
            }
            // Going on from there gives the file that was never cut.
            let mut journal = Journal::open(&path, Durability::Flush).unwrap();
            assert_eq!((journal.report(), journal.nodes()), (&expected, expected.nodes));
            let shared = Shared::new(first(&graph, graph.len()));
            assert_eq!(journal.append(&shared).unwrap(), graph.len() - expected.nodes);
            assert_eq!(fs::read(&path).unwrap(), text);
        }
    }
}

#[test]
fn text_must_be_whole() {
    let text = text(&sample()).into_bytes();
    for end in 0..text.len() - 1 {
        let cut = from_jsonl(&text[..end]);
        // Behind a line, with or without its line feed, it is the journal of fewer nodes.
        let whole = text[end] == b'\n' || (end > 0 && text[end - 1] == b'\n');
        assert_eq!(cut.is_ok(), whole, "cut at {end}");
    }
}

/// A line with other members, and the sum that belongs to it.
fn line(members: &str) -> String {
    let bytes = members.strip_suffix('}').unwrap();
    let sum: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{bytes},\"sum\":\"{sum}\"}}")
}

#[test]
fn what_is_refused_and_why() {
    let header = r#"{"toolwire":"journal","version":1,"identity":1}"#;
    let hi = message(r#"{"role":"user","content":"hi"}"#);
    let own = Print::of(&hi).own.to_string();
    let root = format!(
        r#"{{"id":0,"parent":null,"tools":[],"identity":"{own}","sampled":false,"timestamp":1.5,"message":{{"role":"user","content":"hi"}}}}"#
    );
    let child = root.replace("\"id\":0,\"parent\":null,\"tools\":[]", "\"id\":1,\"parent\":0");
    let journal = |lines: &[&str]| {
        let lines: Vec<_> = lines.iter().map(|members| line(members) + "\n").collect();
        format!("{header}\n{}", lines.concat())
    };
    let back = from_jsonl(journal(&[&root, &child]).as_bytes()).unwrap();
    assert_eq!(back.len(), 2);
    let other = |from: &str, to: &str| {
        let members = child.replace(from, to);
        assert_ne!(members, child);
        journal(&[&root, &members])
    };
    let deep = |levels: usize| {
        let value = "[".repeat(levels) + &"]".repeat(levels);
        other("\"message\"", &format!("\"metadata\":{{\"x\":{value}}},\"message\""))
    };
    assert!(from_jsonl(deep(512).as_bytes()).is_ok());
    let cases = [
        (String::new(), "line 1: not the header of a journal"),
        ("\n".into(), "line 1: not the header of a journal"),
        ("{}\n".into(), "line 1: not the header of a journal"),
        (format!(" {header}\n"), "line 1: not the header of a journal"),
        (header.replace("journal", "graph"), "line 1: not the header of a journal"),
        (header.replace('}', ",\"more\":1}"), "line 1: not the header of a journal"),
        (header.replace("\"version\":1", "\"version\":0"), "line 1: not the header of a journal"),
        (
            header.replace("\"version\":1", "\"more\":[],\"version\":2"),
            "line 1: a journal of version 2, made by a newer toolwire; this one reads version 1",
        ),
        (
            header.replace("identity\":1", "identity\":2"),
            "line 1: identities of version 2; a journal of version 1 has version 1",
        ),
        (journal(&[&root]).replace("hi", "ho"), "line 2: the sum differs: the line is not as it was written"),
        (
            journal(&[&root]).replace("\"}\n", "\" }\n"),
            "line 2: does not end with its sum: the line is not as it was written",
        ),
        (format!("{header}\n\n"), "line 2: does not end with its sum: the line is not as it was written"),
        (format!("{header}\r\n"), "line 1: not the header of a journal"),
        (
            journal(&[&root]).trim_end().to_owned() + "\r\n",
            "line 2: does not end with its sum: the line is not as it was written",
        ),
        (other("\"id\":1", "\"id\":2"), "line 3.id: expected 1"),
        (other("\"id\":1", "\"id\":01"), "line 3: expected a comma or the end of the object at byte 7"),
        (other("\"id\":1", "\"id\":\"1\""), "line 3.id: expected a number"),
        (journal(&[&root, &root]), "line 3.id: expected 1"),
        (other("\"parent\":0", "\"parent\":1"), "line 3.parent: expected the id of an earlier node"),
        (other("\"parent\":0", "\"parent\":-1"), "line 3.parent: expected the id of an earlier node"),
        (other("\"parent\":0", "\"parent\":4294967296"), "line 3.parent: expected the id of an earlier node"),
        (other("\"parent\":0", "\"parent\":[]"), "line 3.parent: expected a number"),
        (other("\"parent\":0", "\"parent\":null"), "line 3.tools: missing"),
        (other("\"parent\":0", "\"parent\":0,\"tools\":[]"), "line 3.tools: only a root has tools"),
        (journal(&[&root.replace("[]", "[{}]")]), "line 2.tools[0].name: missing"),
        (other(&own, &own.to_uppercase()), "line 3.identity: not the identity of the message"),
        (other("\"hi\"", "\"ho\""), "line 3.identity: not the identity of the message"),
        (
            other("\"user\"", "\"human\""),
            "line 3.message.role: expected system, developer, user, assistant or tool",
        ),
        (other("\"content\"", "\"text\":0,\"content\""), "line 3.message.text: unknown field"),
        (other("\"sampled\":false", "\"sampled\":0"), "line 3.sampled: expected true or false"),
        (other("1.5", "1e999"), "line 3.timestamp: expected a number that a double can hold"),
        (other("1.5", "\"1.5\""), "line 3.timestamp: expected a number"),
        (other("1.5", "1.5,\"timestamp\":1.5"), "line 3: an object repeats a key"),
        (other("1.5", "1.5,\"metadata\":null"), "line 3.metadata: expected an object"),
        (other("1.5", "1.5,\"node\":7"), "line 3.node: unknown field"),
        (other("\"hi\"", "\"\\ud800\""), "line 3.message.content: a lone surrogate"),
        (other(",\"timestamp\":1.5", ""), "line 3.timestamp: missing"),
        (deep(600), "line 3: nested deeper than 544 levels"),
    ];
    for (text, expected) in cases {
        let error = from_jsonl(text.as_bytes()).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind), (expected, Kind::Journal));
    }
    let mut bytes = journal(&[&root]).into_bytes();
    let sum = bytes.len() - 19;
    bytes[sum - 12] = 0xff;
    assert!(from_jsonl(&bytes).unwrap_err().to_string().starts_with("line 2: "));
}

#[test]
fn a_damaged_line_feed_is_no_torn_line() {
    let path = path("line_feed.jsonl");
    let mut whole = text(&sample()).into_bytes();
    for end in [b' ', b'\x0b', b'x'] {
        *whole.last_mut().unwrap() = end;
        fs::write(&path, &whole).unwrap();
        assert_eq!(sentence(resume(&path)), "line 9: its line feed is damaged");
        assert_eq!(sentence(Journal::open(&path, Durability::Flush)), "line 9: its line feed is damaged");
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn another_file_is_not_taken_for_a_torn_journal() {
    let path = path("other.txt");
    for other in [&b"notes"[..], b"{", b"{\"toolwire\":\"journal\",\"version\":2", b"\0\0x", b"{\"tool\0\0w"]
    {
        fs::write(&path, other).unwrap();
        if other == b"{" {
            assert!(resume(&path).unwrap().0.is_empty());
            continue;
        }
        assert_eq!(sentence(resume(&path)), "line 1: not the header of a journal");
        let refused = Journal::open(&path, Durability::Flush);
        assert_eq!(sentence(refused), "line 1: not the header of a journal");
        assert_eq!(fs::read(&path).unwrap(), other);
    }
}

#[test]
fn a_whole_last_line_that_is_not_right_is_refused() {
    let path = path("last.jsonl");
    let whole = text(&sample());
    let changed = whole.replace("\"content\":\"\"", "\"content\":\" \"");
    assert_ne!(changed, whole);
    fs::write(&path, &changed).unwrap();
    let expected = "line 9: the sum differs: the line is not as it was written";
    assert_eq!(sentence(resume(&path)), expected);
    assert_eq!(sentence(Journal::open(&path, Durability::Flush)), expected);
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
}

#[test]
fn a_node_that_would_not_be_read_back_is_not_written() {
    let path = path("cannot.jsonl");
    for (timestamp, wrong, expected) in [
        (f64::NAN, false, "nodes[8]: its timestamp is not a finite number"),
        (f64::INFINITY, false, "nodes[8]: its timestamp is not a finite number"),
        (1.0, true, "nodes[8]: its identity is not that of its message"),
    ] {
        let mut graph = sample();
        let own = Print::of(&message(r#"{"role":"user","content":"x"}"#)).own;
        let said = if wrong { "y" } else { "x" };
        let other = message(&format!(r#"{{"role":"user","content":"{said}"}}"#));
        let stamp = Stamp { timestamp, ..Stamp::default() };
        graph.restore(Origin::Child(0), Held::Message(Arc::new(other)), own, stamp).unwrap();
        assert_eq!(to_jsonl(graph.nodes()).unwrap_err().to_string(), expected);
        let mut journal = Journal::open(&path, Durability::Flush).unwrap();
        let before = fs::read(&path).unwrap();
        assert_eq!(sentence(journal.append(&Shared::new(graph))), expected);
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(journal.append(&Shared::new(sample())).unwrap(), sample().len() - journal.report().nodes);
    }
}

#[test]
fn a_node_that_nests_too_deep_is_not_written() {
    let node = |levels: usize| {
        let value = (1..levels).fold(Value::Null, |value, _| Value::Array(vec![value]));
        let metadata = Some(Box::new(Object::default().with("x", value)));
        let mut graph = Graph::default();
        let origin = Origin::Root(Tools::of(Vec::new()));
        add(&mut graph, origin, r#"{"role":"user","content":"x"}"#, Stamp { metadata, ..Stamp::default() });
        graph
    };
    // The line is one level more.
    assert_eq!(from_jsonl(text(&node(543)).as_bytes()).unwrap(), node(543));
    let error = to_jsonl(node(544).nodes()).unwrap_err();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (Kind::Limit, "nodes[0]: nested deeper than a line may")
    );
}

#[test]
fn a_journal_grows_with_its_graph() {
    let whole = sample();
    for durability in [Durability::Flush, Durability::Fsync] {
        let path = path("grows.jsonl");
        let graph = Shared::new(Graph::default());
        let mut journal = Journal::open(&path, durability).unwrap();
        assert_eq!(journal.append(&graph).unwrap(), 0);
        for n in 0..whole.len() {
            *graph.write() = first(&whole, n + 1);
            assert_eq!(journal.append(&graph).unwrap(), 1);
            assert_eq!(journal.append(&graph).unwrap(), 0);
            assert_eq!(journal.nodes(), n + 1);
            assert_eq!(resume(&path).unwrap().0, first(&whole, n + 1));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text(&whole));
    }
}

#[test]
fn another_graph_is_refused() {
    let path = path("another.jsonl");
    let mut journal = Journal::open(&path, Durability::Flush).unwrap();
    journal.append(&Shared::new(sample())).unwrap();
    let refused =
        "$: the first nodes of the graph are not those in the file: append the graph that it was resumed to";
    assert_eq!(sentence(journal.append(&Shared::new(first(&sample(), 7)))), refused);
    assert_eq!(sentence(journal.append(&Shared::default())), refused);
    // Other answers, another time, another parent among equal siblings, and what identities leave out: other nodes.
    let whole = sample();
    for changed in 0..8 {
        let mut graph = Graph::default();
        for (id, node) in whole.nodes().iter().enumerate() {
            let (sampled, timestamp, metadata) = (node.sampled, node.timestamp, node.metadata.clone());
            let mut stamp = Stamp { sampled, timestamp, metadata };
            let (mut origin, mut held) = (node.origin.clone(), node.held.clone());
            let said = |text: &str| Held::Message(Arc::new(message(text)));
            match (changed, id) {
                (1, 1) => stamp.sampled = false,
                (2, 3) => stamp.timestamp = 2.0,
                (3, 5) => origin = Origin::Child(0),
                (4, 1) => stamp.metadata = None,
                (5, 1) => stamp.metadata.as_mut().unwrap().set("usage", Value::Null),
                (6, 3) => held = said(r#"{"role":"tool","tool_call_id":"c","content":"x"}"#),
                (7, 7) => held = said(r#"{"role":"user","content":"","extra":{"chat":{"name":"a"}}}"#),
                _ => {}
            }
            graph.restore(origin, held, node.identity, stamp).unwrap();
        }
        let before = fs::read(&path).unwrap();
        let appended = journal.append(&Shared::new(graph));
        if changed == 0 {
            assert_eq!(appended.unwrap(), 0);
        } else {
            assert_eq!(sentence(appended), refused, "change {changed}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // A twin that went on is the same graph, and so is what was read from the file.
    let mut twin = sample();
    add(&mut twin, Origin::Child(2), r#"{"role":"user","content":"on"}"#, Stamp::default());
    assert_eq!(journal.append(&Shared::new(twin)).unwrap(), 1);
    assert_eq!(journal.append(&Shared::new(resume(&path).unwrap().0)).unwrap(), 0);
    assert_eq!(journal.nodes(), 9);
}

#[test]
fn tools_count_with_all_their_fields() {
    let graph = |ttl: &str| {
        let tool =
            format!(r#"[{{"name":"f","extra":{{"anthropic":{{"cache_control":{{"ttl":"{ttl}"}}}}}}}}]"#);
        let mut graph = Graph::default();
        let origin = Origin::Root(tools(&tool));
        add(&mut graph, origin, r#"{"role":"user","content":"x"}"#, Stamp::default());
        graph
    };
    assert_eq!(graph("5m").nodes()[0].conversation, graph("1h").nodes()[0].conversation);
    assert_ne!(graph("5m"), graph("1h"));
    let path = path("tools.jsonl");
    let mut journal = Journal::open(&path, Durability::Flush).unwrap();
    assert_eq!(journal.append(&Shared::new(graph("5m"))).unwrap(), 1);
    let refused =
        "$: the first nodes of the graph are not those in the file: append the graph that it was resumed to";
    assert_eq!(sentence(journal.append(&Shared::new(graph("1h")))), refused);
    assert_eq!(journal.append(&Shared::new(graph("5m"))).unwrap(), 0);
}

#[test]
fn a_journal_keeps_no_graph_alive() {
    let said = Arc::new(message(r#"{"role":"user","content":"x"}"#));
    let print = Print::of(&said);
    let graph = Shared::default();
    let origin = Origin::Root(Tools::none());
    graph.write().restore(origin, Held::Message(said.clone()), print.own, Stamp::default()).unwrap();
    let mut journal = Journal::open(&path("alive.jsonl"), Durability::Flush).unwrap();
    assert_eq!(journal.append(&graph).unwrap(), 1);
    drop(graph);
    assert_eq!(Arc::strong_count(&said), 1);
    assert!(journal.append(&Shared::new(sample())).is_err());
}

#[cfg(unix)]
#[test]
fn a_file_that_was_moved_or_removed_takes_no_more() {
    let (here, there) = (path("here.jsonl"), path("there.jsonl"));
    let graph = Shared::new(first(&sample(), 2));
    let mut journal = Journal::open(&here, Durability::Flush).unwrap();
    assert_eq!(journal.append(&graph).unwrap(), 2);
    let whole = fs::read(&here).unwrap();
    *graph.write() = sample();
    let moved = "$: somebody moved or removed the file";
    fs::rename(&here, &there).unwrap();
    assert_eq!(sentence(journal.append(&graph)), moved);
    fs::write(&here, &whole).unwrap();
    assert_eq!(sentence(journal.append(&graph)), moved);
    assert_eq!((fs::read(&here).unwrap(), fs::read(&there).unwrap()), (whole.clone(), whole));
    assert_eq!(journal.nodes(), 2);
    fs::rename(&there, &here).unwrap();
    assert_eq!(journal.append(&graph).unwrap(), sample().len() - 2);
    assert_eq!(fs::read_to_string(&here).unwrap(), text(&sample()));
    fs::remove_file(&here).unwrap();
    assert_eq!(sentence(journal.append(&graph)), moved);
}

#[test]
fn there_is_one_writer() {
    let path = path("one.jsonl");
    let mut journal = Journal::open(&path, Durability::Flush).unwrap();
    assert_eq!(sentence(Journal::open(&path, Durability::Flush)), "$: another journal has this file open");
    // Reading is free, and so is the file once it is dropped.
    assert!(resume(&path).unwrap().0.is_empty());
    fs::write(&path, "").unwrap();
    let changed = "$: somebody else changed the file: open the journal anew";
    assert_eq!(sentence(journal.append(&Shared::new(sample()))), changed);
    assert_eq!(journal.nodes(), 0);
    drop(journal);
    assert!(Journal::open(&path, Durability::Flush).is_ok());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn finished_files_may_be_compressed() {
    let path = path("finished.jsonl.gz");
    let graph = sample();
    let text = text(&graph).into_bytes();
    let members: Vec<u8> = text.chunks(700).flat_map(gzip).collect();
    for bytes in [gzip(&text), members.clone()] {
        fs::write(&path, &bytes).unwrap();
        let (back, report) = resume(&path).unwrap();
        assert_eq!((back, report.nodes, report.dropped), (sample(), graph.len(), 0));
        assert_eq!(from_jsonl(&bytes).unwrap(), graph);
        let refused = "$: compressed: a journal is finished then, and only read";
        assert_eq!(sentence(Journal::open(&path, Durability::Flush)), refused);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // A torn line may be in it; the compressed data themselves must be whole.
    fs::write(&path, gzip(&text[..text.len() - 5])).unwrap();
    let (back, report) = resume(&path).unwrap();
    assert_eq!((back.len(), report.line), (graph.len() - 1, Some(graph.len() + 1)));
    let damaged = ": the compressed data are damaged or end early";
    for end in 3..members.len() {
        let error = from_jsonl(&members[..end]).unwrap_err().to_string();
        // Between two members the text is cut, not what stands for it.
        assert!(error.ends_with(damaged) || members[end..].starts_with(&[0x1f, 0x8b]), "{error}");
    }
    fs::write(&path, &members[..members.len() - 9]).unwrap();
    assert!(sentence(resume(&path)).ends_with(damaged));
}

#[test]
fn what_the_system_refuses_is_told_as_it_is() {
    let missing = path("missing/x.jsonl");
    for failure in [resume(&missing).err(), Journal::open(&missing, Durability::Flush).err()] {
        assert!(matches!(failure, Some(Failure::Io(error)) if error.kind() == std::io::ErrorKind::NotFound));
    }
}

/// The old journals, in the order of their names, each with what reading it must give.
fn old_journals() -> Vec<(PathBuf, Json)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/journal/v1");
    let mut found: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| !path.to_string_lossy().ends_with(".expected.json"));
    found.sort();
    assert!(found.len() > 10, "the walk found the journals");
    let expected = |path: &PathBuf| {
        let name = path.to_string_lossy().replace(".jsonl", "").replace(".gz", "") + ".expected.json";
        json(&fs::read_to_string(name).unwrap())
    };
    found.into_iter().map(|path| (path.clone(), expected(&path))).collect()
}

#[test]
fn old_journals_are_read_for_ever() {
    for (path, expected) in old_journals() {
        let (graph, report) = resume(&path).unwrap();
        let number = |n: usize| Value::Number(n.to_string().into());
        let report = Value::Object(
            Object::default()
                .with("nodes", number(report.nodes))
                .with("version", number(report.version as usize))
                .with("dropped", number(report.dropped))
                .with("line", report.line.map_or(Value::Null, number)),
        );
        assert_eq!(Some(&report), expected.get("report"), "{}", path.display());
        let ids = |path: Vec<u32>| {
            Value::Array(path.into_iter().map(|id| Value::Number(id.to_string().into())).collect())
        };
        let branches: Vec<_> = graph.leaves().into_iter().map(|leaf| ids(graph.path(leaf))).collect();
        assert_eq!(Some(&Value::Array(branches)), expected.get("branches"), "{}", path.display());
        let nodes: Vec<_> = graph
            .nodes()
            .iter()
            .enumerate()
            .map(|(id, node)| {
                let tools = match &node.origin {
                    Origin::Root(tools) => Some(Value::Array(tools.list.iter().map(tool_to_plain).collect())),
                    Origin::Child(_) => None,
                };
                Value::Object(
                    Object::default()
                        .with("id", number(id))
                        .with("parent", node.parent().map_or(Value::Null, |id| number(id as usize)))
                        .with_some("tools", tools)
                        .with("identity", node.identity.to_string())
                        .with("sampled", node.sampled)
                        .with("timestamp", Value::Number(format!("{:?}", node.timestamp).into()))
                        .with("message", message_to_plain(&node.held.message()))
                        .with_some("metadata", node.metadata.as_deref().cloned())
                        .with("conversation", node.conversation.to_string()),
                )
            })
            .collect();
        assert_eq!(Some(&Value::Array(nodes)), expected.get("nodes"), "{}", path.display());
    }
}

#[test]
fn what_was_written_as_version_1_is_written_so_today() {
    let mut seen = 0;
    for (path, expected) in old_journals() {
        let bytes = fs::read(&path).unwrap();
        if bytes.ends_with(b"\n") {
            let (graph, _) = resume(&path).unwrap();
            assert_eq!(text(&graph), String::from_utf8_lossy(&bytes), "{}", path.display());
            assert_eq!(from_jsonl(&bytes).unwrap(), graph);
            seen += expected.get("nodes").and_then(Value::as_array).unwrap().len();
        }
    }
    assert!(seen > 30, "there were nodes in them");
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![
            any::<i64>().prop_map(|n| n.to_string()),
            any::<f64>().prop_filter("JSON has no other", |n| n.is_finite()).prop_map(|n| format!("{n:?}")),
        ]
        .prop_map(|n| Value::Number(n.into())),
        ".{0,8}".prop_map(|text| Value::String(text.into())),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(".{0,4}", inner, 0..3).prop_map(|members| {
                Value::Object(members.into_iter().fold(Object::default(), |mut object, (key, value)| {
                    object.set(&key, value);
                    object
                }))
            }),
        ]
    })
}

/// A message in our own spelling, some with fields of a wire.
fn any_message() -> impl Strategy<Value = Json> {
    let extra = prop::option::weighted(0.3, any_json());
    let outcome = prop::sample::select(vec![None, Some(true), Some(false)]);
    (0..4, ".{0,12}", any_json(), outcome, extra).prop_map(|(role, text, value, outcome, extra)| {
        let object = Object::default();
        let object = match role {
            0 => object.with("role", "system").with("content", text),
            1 => object.with("role", "user").with(
                "content",
                vec![Value::Object(Object::default().with("type", "text").with("text", text))],
            ),
            2 => object.with("role", "assistant").with("content", Value::Null).with(
                "provider_state",
                vec![Value::Object(Object::default().with("type", text).with("value", value))],
            ),
            _ => object
                .with("role", "tool")
                .with("tool_call_id", "c")
                .with("content", text)
                .with_some("is_error", outcome),
        };
        let extra = extra.map(|value| {
            Value::Object(Object::default().with("chat", Value::Object(Object::default().with("x", value))))
        });
        Value::Object(object.with_some("extra", extra))
    })
}

proptest! {
    #[test]
    fn any_graph_comes_back(
        nodes in prop::collection::vec(
            (any_message(), any::<prop::sample::Index>(), any::<bool>(), -1e12..1e12, any_json()),
            0..12,
        ),
        tool in any_json(),
    ) {
        let tool = format!(
            r#"[{{"name":"f","parameters":{{"x":{}}}}}]"#,
            toolwire::json::compact(&tool),
        );
        let (with, without) = (tools(&tool), Tools::of(Vec::new()));
        let mut graph = Graph::default();
        for (plain, parent, sampled, timestamp, metadata) in nodes {
            let message = message_from_plain(Cursor::root(&plain)).unwrap();
            let own = Print::of(&message).own;
            let origin = match parent.index(graph.len() + 2) {
                0 => Origin::Root(with.clone()),
                1 => Origin::Root(without.clone()),
                n => Origin::Child(u32::try_from(n - 2).unwrap()),
            };
            let metadata = match metadata {
                Value::Object(object) => Some(Box::new(object)),
                _ => None,
            };
            let stamp = Stamp { sampled, timestamp, metadata };
            graph.restore(origin, Held::Message(Arc::new(message)), own, stamp).unwrap();
        }
        let text = to_jsonl(graph.nodes()).unwrap();
        let back = from_jsonl(text.as_bytes()).unwrap();
        prop_assert_eq!(&back, &graph);
        prop_assert_eq!(to_jsonl(back.nodes()).unwrap(), text);
    }
}
