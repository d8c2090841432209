//! The outcome of a result: `status` in both directions, and what a failing or an empty result looks like.

use super::{answered, converted, json, read, refused, results, write};
use crate::dialect::Code;
use crate::error::Kind;
use crate::json::{Json, compact};
use crate::message::{Dialect, Message};
use crate::outcome::MARKER;

#[test]
fn the_status_is_the_outcome() {
    for (members, expected) in [
        (r#""content":[{"text":"x"}],"status":"error""#, Some(true)),
        (r#""content":[{"text":"x"}],"status":"success""#, Some(false)),
        (r#""content":[{"text":"x"}]"#, None),
        (r#""content":[{"text":"x"}],"status":null"#, None),
        (r#""content":[{"text":"x"}],"_vf_is_error":true"#, Some(true)),
        (r#""content":[{"text":"x"}],"status":"success","_vf_is_error":false"#, Some(false)),
        (r#""content":[{"json":{"status":"error","_vf_is_error":true}}]"#, None),
    ] {
        assert_eq!(results(&read(&json(&answered(members))))[0].is_error, expected, "{members}");
    }
    for (members, kind, at) in [
        (r#""content":[],"status":"failed""#, Kind::Shape, "status"),
        (r#""content":[],"status":"ERROR""#, Kind::Shape, "status"),
        (r#""content":[],"status":true"#, Kind::Shape, "status"),
        (r#""content":[],"status":"success","_vf_is_error":true"#, Kind::Marker, MARKER),
        (r#""content":[],"_vf_is_error":"true""#, Kind::Marker, MARKER),
    ] {
        let error = refused(&answered(members));
        let path = format!("messages[2].content[0].toolResult.{at}");
        assert_eq!((error.kind, error.path.to_string()), (kind, path), "{members}");
    }
}

#[test]
fn a_changed_outcome_is_the_one_that_is_written() {
    for (was, now, expected) in [
        (r#","status":"success""#, Some(true), r#","status":"error""#),
        (r#","status":"error""#, None, ""),
        ("", Some(false), r#","status":"success""#),
    ] {
        let mut request = read(&json(&answered(&format!(r#""content":[{{"text":"x"}}]{was}"#))));
        let Message::Tool(result) = &mut request.messages[2] else { panic!() };
        result.is_error = now;
        let (written, losses) = write(&request);
        assert_eq!(written, json(&answered(&format!(r#""content":[{{"text":"x"}}]{expected}"#))));
        assert!(losses.is_empty(), "{losses:?}");
    }
}

/// The result block that a result of Anthropic becomes, and the losses.
fn from_anthropic(members: &str) -> (Json, Vec<(Code, String)>) {
    let body = format!(
        r#"{{"model":"m","max_tokens":9,"tools":[{{"name":"f","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"go"}},
        {{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{{}}}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t"{members}}}]}}]}}"#
    );
    let (body, losses) = converted(Dialect::Anthropic, &json(&body)).unwrap();
    let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap().clone();
    let [block] = last.get("content").unwrap().as_array().unwrap() else { panic!("{}", compact(&last)) };
    (block.get("toolResult").unwrap().clone(), losses)
}

#[test]
fn empty_and_blank_results_are_ones_that_the_service_takes() {
    let placeholder = (Code::TextPlaceholder, "messages[2].content".to_owned());
    let blank = (Code::EmptyDropped, "messages[2].content".to_owned());
    for (members, expected, told) in [
        ("", r#"{"toolUseId":"t","content":[]}"#, vec![]),
        (r#","is_error":false"#, r#"{"toolUseId":"t","content":[],"status":"success"}"#, vec![]),
        (
            r#","is_error":true"#,
            r#"{"toolUseId":"t","content":[{"text":"(no output)"}],"status":"error"}"#,
            vec![placeholder.clone()],
        ),
        (
            r#","is_error":true,"content":" \n""#,
            r#"{"toolUseId":"t","content":[{"text":"(no output)"}],"status":"error"}"#,
            vec![blank.clone(), placeholder],
        ),
        (r#","content":" \n""#, r#"{"toolUseId":"t","content":[]}"#, vec![blank]),
    ] {
        let (result, losses) = from_anthropic(members);
        assert_eq!(compact(&result), expected, "{members}");
        assert_eq!(losses, told, "{members}");
    }
}

#[test]
fn text_that_looks_like_an_outcome_is_text() {
    for text in ["Tool execution failed:\\nno", "error", "{\\\"status\\\":\\\"error\\\"}"] {
        let (result, losses) = from_anthropic(&format!(r#","content":"{text}""#));
        assert_eq!(compact(&result), format!(r#"{{"toolUseId":"t","content":[{{"text":"{text}"}}]}}"#));
        assert!(losses.is_empty(), "{losses:?}");
    }
}
