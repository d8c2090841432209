//! The law of the house: arrows point down, dialects never meet, Python is named in one room.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may use.
const ROOMS: [(&str, &[&str]); 14] = [
    ("path", &[]),
    ("error", &["path"]),
    ("json", &["path", "error"]),
    ("message", &["path", "error", "json"]),
    ("outcome", &["path", "error", "json", "message"]),
    ("identity", &["json", "message"]),
    ("dialect", &["path", "error", "json", "message", "outcome"]),
    ("request", &["path", "error", "json", "message", "outcome", "dialect"]),
    ("direct", &["path", "error", "json", "message", "outcome", "dialect"]),
    ("graph", &["error", "json", "message", "identity"]),
    ("journal", &["path", "error", "json", "message", "identity", "graph"]),
    ("record", &["path", "error", "json", "message", "identity", "graph"]),
    ("rollout", &["error", "json", "message", "identity", "dialect", "request", "graph"]),
    (
        "py",
        &[
            "path", "error", "json", "message", "outcome", "identity", "dialect", "request", "direct",
            "graph", "journal", "record", "rollout",
        ],
    ),
];

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().into(), text));
            }
        }
    }
    assert!(found.len() > 20, "the walk found the sources");
    found
}

/// The room of a file: the folder or file name below `src`.
fn room(path: &Path) -> String {
    let second = path.components().nth(1).unwrap().as_os_str().to_string_lossy().into_owned();
    second.trim_end_matches(".rs").to_owned()
}

/// Code without its line comments, so that prose may name any room.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[test]
fn arrows_point_down() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.into_iter().collect();
    for (path, text) in sources() {
        let here = room(&path);
        if here == "lib" {
            continue;
        }
        let allowed = rooms.get(here.as_str()).unwrap_or_else(|| panic!("{here} is not in the table"));
        for used in code(&text).split("crate::").skip(1) {
            let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            assert!(
                name == here || allowed.contains(&name.as_str()),
                "{} uses {name}, which {here} may not",
                path.display()
            );
        }
    }
}

#[test]
fn dialects_never_meet() {
    let wires = ["chat", "responses", "anthropic", "gemini", "bedrock", "mcp"];
    for (path, text) in sources() {
        let parts: Vec<_> = path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        if parts.len() < 4 || parts[1] != "dialect" {
            continue;
        }
        let code = code(&text);
        for other in wires.iter().filter(|wire| **wire != parts[2]) {
            for form in
                [format!("dialect::{other}"), format!("super::{other}::"), format!("super::super::{other}")]
            {
                assert!(!code.contains(&form), "{} reaches into {other}", path.display());
            }
        }
    }
}

#[test]
fn python_is_named_in_one_room() {
    for (path, text) in sources() {
        if room(&path) != "py" {
            assert!(!code(&text).contains("pyo3"), "{} names pyo3", path.display());
        }
    }
}

#[test]
fn every_file_opens_with_its_sentence() {
    for (path, text) in sources() {
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("//! ") && first.len() > 20, "{} has no opening sentence", path.display());
    }
}
