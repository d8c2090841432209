//! Records of real traces, read and written by the core alone.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use std::fs;
use toolwire::graph::Node;
use toolwire::json::{Cursor, Json, Repeats, parse_text};
use toolwire::record::{from_verifiers, to_verifiers};

fn records() -> Vec<(String, Json)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verifiers");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let record = parse_text(&text, Repeats::Refused).unwrap().value.into_owned();
        (path.display().to_string(), record)
    };
    paths.map(read).collect()
}

#[test]
fn a_record_comes_back_as_it_was() {
    let records = records();
    assert!(records.len() >= 4);
    for (name, record) in records {
        let graph = from_verifiers(Cursor::root(&record)).unwrap();
        let written = to_verifiers(graph.nodes()).unwrap();
        assert!(record.get("nodes").unwrap().as_array().unwrap() == written, "{name}");
    }
}

#[test]
fn roots_with_the_same_tools_share_them() {
    use toolwire::graph::Origin;
    let (_, record) = records().into_iter().find(|(name, _)| name.ends_with("chat.full.json")).unwrap();
    let graph = from_verifiers(Cursor::root(&record)).unwrap();
    let tools_of = |node: &Node| match &node.origin {
        Origin::Root(tools) => Some(tools.clone()),
        Origin::Child(_) => None,
    };
    let roots: Vec<_> = graph.nodes().iter().filter_map(tools_of).collect();
    assert_eq!(roots.len(), 3);
    assert!(std::sync::Arc::ptr_eq(&roots[0], &roots[1]));
    assert!(roots[2].list.is_empty());
}
