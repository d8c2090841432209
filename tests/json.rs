//! The JSON reader against the incumbent, and against input that means harm.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::*;
use toolwire::error::Kind;
use toolwire::json::{
    MAX_DEPTH, Repeats, Slice, Value, canonical_number, canonical_text, compact, parse, parse_text,
    write_string,
};

fn accepts(text: &str) -> bool {
    parse_text(text, Repeats::LastWins).is_ok()
}

/// JSON-like text: tokens in any order, so that most of it is broken somewhere.
fn soup() -> impl Strategy<Value = String> {
    let token = prop_oneof![prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"\"",
        "\"\\n\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\x\"",
        "\"\\u12\"",
        "1",
        "-1",
        "0",
        "-0",
        "01",
        "1.5",
        "1.",
        ".5",
        "1e5",
        "1E+5",
        "1e",
        "-",
        "+1",
        "true",
        "false",
        "null",
        "nul",
        "NaN",
        "Infinity",
        " ",
        "\n",
        "\t",
        "\u{b}",
        "\"\u{1}\"",
        "\"é世\"",
        "'a'",
        "//x",
        "\u{feff}",
    ]),];
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|b| b.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        ".{0,10}".prop_map(|s| serde_json::to_string(&s).unwrap()),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|v| format!("[ {} ]", v.join(" ,\n"))),
            prop::collection::vec((".{0,4}", inner), 0..5).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(k, v)| format!("{} : {v}", serde_json::to_string(k).unwrap()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn accepts_what_serde_json_accepts(text in soup()) {
        let theirs = match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(_) => true,
            // We keep the spelling of a number, whatever a double can hold.
            Err(error) => error.to_string().starts_with("number out of range"),
        };
        // What they say of an overflow is all they say.
        prop_assert!(accepts(&text) == theirs || (theirs && text.contains(['e', 'E'])));
        prop_assert_eq!(accepts(&text), Slice::document(text.as_bytes()).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn reads_what_serde_json_reads(text in document()) {
        let ours = parse_text(&text, Repeats::LastWins).unwrap().value;
        let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
        let back: serde_json::Value = serde_json::from_str(&compact(&ours)).unwrap();
        prop_assert_eq!(back, theirs);
        let written = compact(&ours);
        prop_assert_eq!(parse_text(&written, Repeats::LastWins).unwrap().value, ours);
    }

    #[test]
    fn writes_strings_as_serde_json_does(text in "(?s)[\\x00-\\x7f\u{7f}-\u{a0}é世😀\"\\\\]{0,40}") {
        let mut ours = Vec::new();
        write_string(&text, &mut ours);
        prop_assert_eq!(String::from_utf8(ours).unwrap(), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let ours = parse(&bytes, Repeats::LastWins).is_ok();
        prop_assert_eq!(ours, serde_json::from_slice::<serde_json::Value>(&bytes).is_ok() && std::str::from_utf8(&bytes).is_ok());
    }
}

#[test]
fn long_strings_around_every_word_boundary() {
    for length in 0..40 {
        for special in ["\"", "\\", "\n", "é", "\u{7f}", "\u{10ffff}"] {
            let text = "x".repeat(length) + special + &"y".repeat(40 - length);
            let mut token = Vec::new();
            write_string(&text, &mut token);
            let read = parse(&token, Repeats::Refused).unwrap();
            assert_eq!(read.value.as_str(), Some(text.as_str()));
        }
    }
}

#[test]
fn depth_has_one_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let objects = |depth: usize| "{\"x\":".repeat(depth) + "0" + &"}".repeat(depth);
    for text in [nested(MAX_DEPTH), objects(MAX_DEPTH)] {
        assert!(accepts(&text));
        assert!(canonical_text(&text).is_some());
        Slice::document(text.as_bytes()).unwrap();
    }
    for depth in [MAX_DEPTH + 1, 100_000, 1_000_000] {
        for text in [objects(depth), nested(depth), "[".repeat(depth)] {
            assert_eq!(parse_text(&text, Repeats::LastWins).unwrap_err().kind, Kind::Limit);
            assert!(canonical_text(&text).is_none());
        }
        assert_eq!(Slice::document(objects(depth).as_bytes()).unwrap_err().kind, Kind::Limit);
    }
}

#[test]
fn odd_text_is_named() {
    for (bytes, sentence) in [
        (&b"\xff\xfe{"[..], "$: not valid UTF-8 at byte 0"),
        (b"\xef\xbb\xbf{}", "$: starts with a byte order mark"),
        (b"", "$: unexpected end at byte 0"),
        (b"\0", "$: expected a value at byte 0"),
        (b"{\"a\":NaN}", "$: expected a value at byte 5"),
        (b"{} x", "$: unexpected text after the value at byte 3"),
        (b"\"\n\"", "$: control character in a string at byte 1"),
    ] {
        assert_eq!(parse(bytes, Repeats::LastWins).unwrap_err().to_string(), sentence);
    }
}

#[test]
fn lone_surrogates_are_replaced_and_found() {
    let text = r#"{"a":["x","\ud800"],"\udc00":1,"b":"\ud83d\ude00","c":"\ud800\ud800\udc00"}"#;
    let parsed = parse_text(text, Repeats::Refused).unwrap();
    let paths: Vec<String> = parsed.replaced.iter().map(|p| p.to_string()).collect();
    assert_eq!(paths, ["a[1]", "$", "c"]);
    assert_eq!(parsed.value.get("b").and_then(Value::as_str), Some("😀"));
    assert_eq!(parsed.value.get("c").and_then(Value::as_str), Some("\u{fffd}\u{10000}"));
}

#[test]
fn a_repeated_key() {
    let text = r#"{"a":1,"b":2,"\u0061":3}"#;
    assert_eq!(compact(&parse_text(text, Repeats::LastWins).unwrap().value), r#"{"a":3,"b":2}"#);
    assert!(parse_text(text, Repeats::Refused).is_err());
    let many: Vec<String> = (0..100).map(|n| format!("\"k{}\":{n}", n % 50)).collect();
    let text = format!("{{{}}}", many.join(","));
    let parsed = parse_text(&text, Repeats::LastWins).unwrap();
    assert_eq!(parsed.value.as_object().map(|o| o.len()), Some(50));
    assert_eq!(parsed.value.get("k7").map(compact).as_deref(), Some("57"));
}

#[test]
fn numbers_have_one_spelling() {
    for (literal, expected) in [
        ("1", "1"),
        ("1.0", "1"),
        ("1e0", "1"),
        ("100e-2", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992"),
        ("1e21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("0.000001", "0.000001"),
        ("1e-7", "1e-7"),
        ("5e-324", "5e-324"),
        ("1e-400", "0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ] {
        assert_eq!(canonical_number(literal).as_deref(), Some(expected), "{literal}");
    }
    assert_eq!(canonical_number("1e400"), None);
}
