//! The direct way says what the typed way says, and takes no detour where it need not.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use toolwire::dialect;
use toolwire::direct;
use toolwire::json::{Repeats, compact, parse};
use toolwire::message::Dialect::{Anthropic, Chat};

/// The body and the report, or the refusal.
fn both_ways(body: &str) -> [Result<(String, Vec<String>), String>; 2] {
    let losses = |losses: dialect::Losses| losses.0.iter().map(ToString::to_string).collect();
    let direct = direct::convert(Anthropic, Chat, body.as_bytes()).map(|(text, lost)| {
        // Texts keep the spelling they had: compared is what they mean.
        (compact(&parse(&text.concat(), Repeats::Refused).unwrap().value), losses(lost))
    });
    let typed = parse(body.as_bytes(), Repeats::LastWins)
        .and_then(|parsed| dialect::convert(Anthropic, Chat, &parsed))
        .map(|(body, lost)| (compact(&body.into()), losses(lost)));
    [direct.map_err(|error| error.to_string()), typed.map_err(|error| error.to_string())]
}

fn assert_same(body: &str) {
    let [direct, typed] = both_ways(body);
    assert_eq!(direct, typed, "{body}");
}

#[test]
fn every_sample_is_converted_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/anthropic");
    let mut found = 0;
    for entry in fs::read_dir(folder).unwrap() {
        assert_same(&fs::read_to_string(entry.unwrap().path()).unwrap());
        found += 1;
    }
    assert!(found > 10);
}

#[test]
fn a_text_that_only_changes_its_place_keeps_its_spelling() {
    let body = r#"{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"\u0041\/"},
        {"role":"assistant","content":[{"type":"text","text":"\u0042"},{"type":"tool_use","id":"a","name":"f","input":{"x": 1.0}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"n\u006f"},{"type":"text","text":"\u0043"}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":"\u0044","signature":"x"},{"type":"text","text":"\u0045"}]}]}"#;
    let (text, losses) = direct::convert(Anthropic, Chat, body.as_bytes()).unwrap();
    let text = String::from_utf8(text.concat()).unwrap();
    for kept in [r"\u0041\/", r"\u0042", r"Tool execution failed:\nn\u006f", r"\u0043", r#""{\"x\":1.0}""#] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    // This turn went the typed way, alone.
    assert!(text.contains(r#""E""#), "{text}");
    assert_eq!(losses.0.len(), 3, "one label, two for the reasoning");
    assert_eq!(losses.0[0].path.to_string(), "messages[3].is_error");
    assert_same(body);
}

#[test]
fn what_looks_simple_and_is_not() {
    for messages in [
        r#"{"role":"user","content":[]}"#,
        r#"{"role":"user","role":"assistant","content":"x"}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":""}]}"#,
        r#"{"role":"assistant","content":[]}"#,
        r#"{"role":"system","content":"x"}"#,
        r#"{"role":"tool","content":"x"}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"\u0061","name":"f","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"q":1,"q":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"\u0061","content":"x"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"x"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"text","text":"y"},{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"Tool execution failed:\nx"},{"type":"text","text":"y"}],"is_error":true}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"is_error":true}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","_vf_is_error":true}]}"#,
        r#"{"role":"user","content":"\ud800"}"#,
        r#"{"role":"user","content":"\\ud800 \ud83d\ude00"}"#,
        r#"{"role":"user","content":"x"},"#,
        "",
    ] {
        for rest in [
            "",
            r#","system":"s""#,
            r#","system":"s","tools":[{"name":"f","input_schema":{}}]"#,
            r#","messages":[]"#,
        ] {
            assert_same(&format!(r#"{{"model":"m","messages":[{messages}]{rest},"max_tokens":5}}"#));
            assert_same(&format!(
                r#" {{"stop_sequences":["a"]{rest},"messages" : [ {messages} ] , "metadata":{{"user_id":"u"}}}} "#
            ));
        }
    }
    for body in [
        "",
        "[]",
        "{}",
        "{\"messages\":1}",
        "{\"messages\":[]} x",
        "{\"messages\":[]",
        "{\"mess\\u0061ges\":[]}",
    ] {
        assert_same(body);
    }
    assert_same(&format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":{}1{}}}]}}",
        "[".repeat(600),
        "]".repeat(600)
    ));
    let deep = format!("{}1{}", "{\"a\":".repeat(508), "}".repeat(508));
    assert_same(&format!(
        r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"f","input":{deep}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":"x"}}]}}]}}"#
    ));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => r#""([a-z ]|\\n|\\u00e9|\\"){1,12}""#.prop_map(|text| text),
        1 => Just("\"\"".to_owned()),
        1 => Just("\" \"".to_owned()),
        1 => Just(r#""Tool execution failed:\nx""#.to_owned()),
        1 => Just(r#""\ud83d""#.to_owned()),
        1 => Just(r#""\ud83d\ude00 \\ud83d""#.to_owned()),
    ]
}

fn text_block() -> impl Strategy<Value = String> {
    (text(), 0..9u8).prop_map(|(text, odd)| match odd {
        0 => format!(r#"{{"type":"text","text":{text},"cache_control":{{"type":"ephemeral"}}}}"#),
        1 => format!(r#"{{"text":{text},"type":"text"}}"#),
        _ => format!(r#"{{"type":"text","text":{text}}}"#),
    })
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        text(),
        prop::collection::vec(text_block(), 0..3).prop_map(|blocks| format!("[{}]", blocks.join(","))),
        Just(
            r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]"#
                .to_owned()
        ),
    ]
}

/// A turn with calls and the user messages behind it, nearly always as they must be.
fn exchange() -> impl Strategy<Value = String> {
    let call = (any::<u8>(), 0..12u8).prop_map(|(n, odd)| match odd {
        0 => format!(r#"{{"n":{n},"n":1.50}}"#),
        1 => r#"{"deep":[{"a":"\u0062\"\n"}]}"#.to_owned(),
        2 => r#"{"_vf_is_error":true}"#.to_owned(),
        _ => format!(r#"{{"n":{n}}}"#),
    });
    let outcome = prop_oneof![Just(None), Just(Some("true")), Just(Some("false")), Just(Some("null"))];
    let results = prop::collection::vec((call, content(), outcome), 0..3);
    (prop::option::of(text_block()), results, prop::collection::vec(text_block(), 0..3), 0..14u8, content())
        .prop_map(|(said, results, behind, odd, more)| {
            let id = |n: usize| if odd == 1 { "a".to_owned() } else { format!("call-{n}") };
            let mut turn: Vec<String> = said.into_iter().collect();
            let mut answers = Vec::new();
            for (n, (input, content, outcome)) in results.into_iter().enumerate() {
                turn.push(format!(r#"{{"type":"tool_use","id":"{}","name":"f","input":{input}}}"#, id(n)));
                let outcome = outcome.map_or(String::new(), |outcome| format!(r#""is_error":{outcome},"#));
                answers.push(format!(
                    r#"{{"type":"tool_result",{outcome}"tool_use_id":"{}","content":{content}}}"#,
                    id(n)
                ));
            }
            match odd {
                2 => turn.insert(0, r#"{"type":"thinking","thinking":"t","signature":"s"}"#.to_owned()),
                3 => turn.push(r#"{"type":"text","text":"behind"}"#.to_owned()),
                4 => answers.reverse(),
                5 => drop(answers.pop()),
                _ => {}
            }
            let (before, behind) = if odd == 6 { (behind, Vec::new()) } else { (Vec::new(), behind) };
            let answered: Vec<String> = before.into_iter().chain(answers).chain(behind).collect();
            let mut messages = format!(r#"{{"role":"assistant","content":[{}]}}"#, turn.join(","));
            if !answered.is_empty() || odd == 7 {
                messages += &format!(r#", {{"content":[{}],"role":"user"}}"#, answered.join(" ,"));
            }
            if odd > 10 {
                messages += &format!(r#",{{"role":"user","content":{more}}}"#);
            }
            messages
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("TOOLWIRE_DIRECT").ok().and_then(|n| n.parse().ok()).unwrap_or(512)
    ))]

    #[test]
    fn random_bodies_are_converted_alike(
        first in prop::option::of(content()),
        exchanges in prop::collection::vec(exchange(), 0..4),
        system in prop::option::of(content()),
        last in 0..6u8,
    ) {
        let first = first.map(|content| format!(r#"{{"role":"user","content":{content}}}"#));
        let messages: Vec<String> = first.into_iter().chain(exchanges).collect();
        let system = system.map_or(String::new(), |system| format!(r#""system":{system},"#));
        let rest = match last {
            0 => r#","tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]"#,
            1 => r#","tool_choice":{"type":"any","disable_parallel_tool_use":true},"temperature":0.50,"top_k":3"#,
            2 => r#","thinking":{"type":"enabled","budget_tokens":9}"#,
            _ => "",
        };
        assert_same(&format!(r#"{{"model":"m","max_tokens":1,{system}"messages":[{}]{rest}}}"#, messages.join(",")));
    }
}
