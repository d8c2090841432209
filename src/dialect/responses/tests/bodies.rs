//! Random bodies: every item kind in every spelling, the keys in any order.

use super::*;
use crate::json::Value;
use crate::outcome::MARKER;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

type Field = BoxedStrategy<Option<Json>>;

fn need(value: impl Strategy<Value = Json> + 'static) -> Field {
    value.prop_map(Some).boxed()
}

fn word(word: &'static str) -> Field {
    Just(Some(Json::from(word))).boxed()
}

fn maybe(value: impl Strategy<Value = Json> + 'static) -> Field {
    of(value).boxed()
}

fn maybe_null(value: impl Strategy<Value = Json> + 'static) -> Field {
    prop_oneof![Just(None), Just(Some(Value::Null)), value.prop_map(Some)].boxed()
}

/// An object with its keys in any order.
fn object(fields: Vec<(&'static str, Field)>) -> BoxedStrategy<Json> {
    let (keys, fields): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    fields
        .prop_map(move |values| {
            let members = keys.iter().zip(values).filter_map(|(key, value)| Some(((*key).into(), value?)));
            members.collect::<Vec<_>>()
        })
        .prop_shuffle()
        .prop_map(|members| Value::Object(Object(members)))
        .boxed()
}

fn list(item: BoxedStrategy<Json>, most: usize) -> BoxedStrategy<Json> {
    vec(item, 0..=most).prop_map(Value::from).boxed()
}

fn strings() -> BoxedStrategy<Json> {
    let known = [
        "",
        " ",
        "a",
        "Tool execution failed:\n",
        "Tool execution failed:\nx",
        "{\"_vf_is_error\":true}",
        "é\n",
    ];
    prop_oneof![select(known.to_vec()).prop_map(str::to_owned), "[a-z ]{0,8}"].prop_map(Value::from).boxed()
}

fn one_of(words: &'static [&'static str]) -> BoxedStrategy<Json> {
    select(words).prop_map(Json::from).boxed()
}

fn ids() -> BoxedStrategy<Json> {
    "[a-z]{2}_[0-9]{1,2}".prop_map(Value::from).boxed()
}

fn call_ids() -> BoxedStrategy<Json> {
    one_of(&["c1", "c2", "c3", "c4"])
}

fn statuses() -> BoxedStrategy<Json> {
    one_of(&["completed", "incomplete", "in_progress"])
}

fn bools() -> BoxedStrategy<Json> {
    any::<bool>().prop_map(Value::from).boxed()
}

fn callers() -> BoxedStrategy<Json> {
    select(&[r#"{"type":"direct"}"#, r#"{"type":"program","caller_id":"p"}"#][..]).prop_map(json).boxed()
}

fn parts() -> BoxedStrategy<Json> {
    let mark = || maybe(Just(json(r#"{"mode":"explicit"}"#)));
    let urls = || one_of(&["https://x.test/a", "data:image/png;base64,AA=="]);
    let data = || {
        one_of(&[
            "AA==",
            "data:application/pdf;base64,AA==",
            "data:text/plain;charset=utf-8;base64,AA==",
            "data:;base64,AA==",
            "data:text/plain,hi",
        ])
    };
    let details = || one_of(&["auto", "low", "high"]);
    let name = || maybe_null(one_of(&["a.pdf", ""]));
    let file = |key| {
        object(vec![
            ("type", word("input_file")),
            (key, need(data())),
            ("filename", name()),
            ("detail", maybe(details())),
        ])
    };
    let part = prop_oneof![
        4 => object(vec![("type", word("input_text")), ("text", need(strings())), ("prompt_cache_breakpoint", mark())]),
        2 => object(vec![
            ("type", word("input_image")),
            ("image_url", need(urls())),
            ("detail", maybe_null(details())),
            ("file_id", maybe_null(ids())),
        ]),
        1 => object(vec![("type", word("input_image")), ("file_id", need(ids())), ("detail", need(details()))]),
        2 => file("file_data"),
        1 => file("file_url"),
        1 => file("file_id"),
        1 => object(vec![("type", word("output_text")), ("text", need(strings())), ("annotations", need(Just(json("[]"))))]),
        1 => object(vec![("type", word("input_new")), ("text", maybe(strings())), ("n", need(Just(json("[1.0,{\"a\":null}]"))))]),
    ];
    list(part.boxed(), 4)
}

fn content() -> BoxedStrategy<Json> {
    prop_oneof![strings(), parts()].boxed()
}

fn assistant_content() -> BoxedStrategy<Json> {
    let part = prop_oneof![
        3 => object(vec![
            ("type", word("output_text")),
            ("text", need(strings())),
            ("annotations", need(select(&["[]", r#"[{"type":"file_path","file_id":"f","index":0}]"#][..]).prop_map(json))),
        ]),
        1 => object(vec![("type", word("input_text")), ("text", need(strings()))]),
        1 => object(vec![("type", word("refusal")), ("refusal", need(strings()))]),
    ];
    prop_oneof![strings(), list(part.boxed(), 3)].boxed()
}

fn texts(kind: &'static str) -> BoxedStrategy<Json> {
    list(object(vec![("type", word(kind)), ("text", need(strings()))]), 2)
}

fn output(kind: &'static str, marked: bool) -> BoxedStrategy<Json> {
    let marker = if marked { maybe(bools()) } else { Just(None).boxed() };
    object(vec![
        ("type", word(kind)),
        ("call_id", need(call_ids())),
        ("output", need(content())),
        ("id", maybe_null(ids())),
        ("name", maybe_null(ids())),
        ("status", maybe(statuses())),
        ("caller", maybe_null(callers())),
        (MARKER, marker),
    ])
}

fn native() -> BoxedStrategy<Json> {
    let items = [
        r#"{"type":"web_search_call","id":"ws","status":"failed","action":{"type":"search","query":"q"}}"#,
        r#"{"type":"file_search_call","id":"fs","status":"completed","queries":["a"],"results":null}"#,
        r#"{"type":"code_interpreter_call","id":"ci","status":"completed","code":"1","container_id":"c","outputs":[]}"#,
        r#"{"type":"image_generation_call","id":"ig","status":"completed","result":"AA=="}"#,
        r#"{"type":"mcp_call","id":"m","server_label":"s","name":"n","arguments":"{}","error":null,"output":"x"}"#,
        r#"{"type":"mcp_list_tools","id":"ml","server_label":"s","tools":[],"error":"down"}"#,
        r#"{"type":"mcp_approval_request","id":"ma","server_label":"s","name":"n","arguments":"{}"}"#,
        r#"{"type":"mcp_approval_response","approval_request_id":"ma","approve":false}"#,
        r#"{"type":"apply_patch_call","call_id":"p","status":"completed","operation":{"type":"delete_file","path":"a"}}"#,
        r#"{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"hunk"}"#,
        r#"{"type":"shell_call","call_id":"s","action":{"commands":["ls"]}}"#,
        r#"{"type":"shell_call_output","call_id":"s","output":[{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]}"#,
        r#"{"type":"local_shell_call","id":"l","call_id":"l","action":{"type":"exec","command":[],"env":{}},"status":"completed"}"#,
        r#"{"type":"local_shell_call_output","id":"l","output":"{}"}"#,
        r#"{"type":"computer_call","id":"cc","call_id":"k","pending_safety_checks":[],"status":"completed"}"#,
        r#"{"type":"computer_call_output","call_id":"k","output":{"type":"computer_screenshot","file_id":"f"}}"#,
        r#"{"type":"tool_search_call","arguments":{"q":1.50},"execution":"client"}"#,
        r#"{"type":"tool_search_output","tools":[{"type":"web_search"}]}"#,
        r#"{"type":"additional_tools","role":"developer","tools":[]}"#,
        r#"{"type":"configuration_update","reasoning":{"effort":"low"}}"#,
        r#"{"type":"compaction","encrypted_content":"e"}"#,
        r#"{"type":"compaction_trigger"}"#,
        r#"{"type":"item_reference","id":"x"}"#,
        r#"{"id":"x"}"#,
        r#"{"id":"x","type":null}"#,
        r#"{"type":"program","id":"p","call_id":"p","code":"1","fingerprint":"f"}"#,
        r#"{"type":"program_output","id":"p","call_id":"p","result":"r","status":"completed"}"#,
        r#"{"type":"something_new","deep":{"a":[null,1e3,-0]}}"#,
        r#"{"type":"something_new_output","role":"user","x":1}"#,
    ];
    proptest::sample::select(items.to_vec()).prop_map(json).boxed()
}

fn item(marked: bool) -> BoxedStrategy<Json> {
    let phases = || maybe_null(one_of(&["commentary", "final_answer"]));
    let typed = || prop_oneof![Just(None), Just(Some(Json::from("message")))].boxed();
    prop_oneof![
        3 => object(vec![
            ("type", typed()),
            ("role", need(one_of(&["user", "system", "developer"]))),
            ("content", need(content())),
            ("status", maybe(statuses())),
        ]),
        2 => object(vec![("type", typed()), ("role", word("assistant")), ("content", need(assistant_content()))]),
        2 => object(vec![
            ("type", typed()),
            ("role", word("assistant")),
            ("content", need(assistant_content())),
            ("id", maybe(ids())),
            ("status", maybe(statuses())),
            ("phase", phases()),
        ]),
        2 => object(vec![
            ("type", word("reasoning")),
            ("id", maybe(ids())),
            ("summary", need(texts("summary_text"))),
            ("content", maybe_null(texts("reasoning_text"))),
            ("encrypted_content", maybe_null(ids())),
            ("status", maybe(statuses())),
        ]),
        3 => object(vec![
            ("type", word("function_call")),
            ("call_id", need(call_ids())),
            ("name", need(ids())),
            ("arguments", need(strings())),
            ("id", maybe(ids())),
            ("namespace", maybe_null(ids())),
            ("status", maybe(statuses())),
            ("caller", maybe_null(callers())),
        ]),
        2 => object(vec![
            ("type", word("custom_tool_call")),
            ("call_id", need(call_ids())),
            ("name", need(ids())),
            ("input", need(strings())),
            ("id", maybe(ids())),
            ("namespace", maybe(ids())),
            ("async", maybe(bools())),
        ]),
        3 => output("function_call_output", marked),
        2 => output("custom_tool_call_output", marked),
        3 => native(),
    ]
    .boxed()
}

fn tool() -> BoxedStrategy<Json> {
    let function = || {
        object(vec![
            ("type", word("function")),
            ("name", need(ids())),
            ("description", maybe_null(strings())),
            (
                "parameters",
                maybe_null(Just(json(r#"{"type":"object","properties":{"n":{"maximum":1.50}}}"#))),
            ),
            ("strict", maybe_null(bools())),
            ("defer_loading", maybe(bools())),
        ])
    };
    let custom = || {
        let format = [r#"{"type":"text"}"#, r#"{"type":"grammar","syntax":"lark","definition":"x"}"#];
        object(vec![
            ("type", word("custom")),
            ("name", need(ids())),
            ("description", maybe(strings())),
            ("format", maybe(proptest::sample::select(format.to_vec()).prop_map(json))),
        ])
    };
    let hosted =
        select(&[r#"{"type":"web_search"}"#, r#"{"type":"mcp","server_label":"s","headers":{"a":"b"}}"#][..]);
    prop_oneof![
        function(),
        custom(),
        hosted.prop_map(json),
        object(vec![
            ("type", word("namespace")),
            ("name", need(one_of(&["n", "m"]))),
            ("description", maybe(strings())),
            ("tools", need(list(prop_oneof![function(), custom()].boxed(), 3))),
        ]),
    ]
    .boxed()
}

/// A body of any kind and spelling; with markers on its results, if wanted.
pub(super) fn body(marked: bool) -> BoxedStrategy<Json> {
    let choices = select(
        &[
            r#""auto""#,
            r#"{"type":"custom","name":"f"}"#,
            r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}"#,
            r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"mcp","server_label":"s"}]}"#,
            r#"{"type":"shell"}"#,
        ][..],
    );
    let input = prop_oneof![
        1 => Just(None),
        1 => Just(Some(Value::Null)),
        1 => strings().prop_map(Some),
        12 => list(item(marked), 14).prop_map(Some),
    ];
    let number = || select(&["1", "1.0", "0.25", "1e0"][..]).prop_map(json);
    let reasoning = object(vec![
        ("effort", maybe_null(one_of(&["low", "high"]))),
        ("summary", maybe_null(one_of(&["auto"]))),
    ]);
    object(vec![
        ("model", maybe(ids())),
        ("instructions", maybe_null(strings())),
        ("input", input.boxed()),
        ("tools", maybe_null(list(tool(), 4))),
        ("tool_choice", maybe_null(choices.prop_map(json))),
        ("parallel_tool_calls", maybe_null(bools())),
        ("stream", maybe_null(bools())),
        ("temperature", maybe_null(number())),
        ("top_p", maybe_null(number())),
        ("max_output_tokens", maybe_null(number())),
        ("reasoning", maybe_null(reasoning)),
        ("store", maybe_null(bools())),
        ("metadata", maybe(Just(json(r#"{"k":"v"}"#)))),
        ("previous_response_id", maybe_null(ids())),
    ])
}

/// A conversation in which every call is answered.
pub(super) fn paired() -> BoxedStrategy<Json> {
    let talk = prop_oneof![
        object(vec![
            ("type", word("message")),
            ("role", word("assistant")),
            ("content", need(assistant_content()))
        ]),
        object(vec![
            ("type", word("reasoning")),
            ("summary", need(texts("summary_text"))),
            ("encrypted_content", maybe(ids()))
        ]),
    ];
    let answer = (any::<bool>(), content(), of(any::<bool>()), of("[a-z]{70}"));
    let turn = (content(), vec(talk, 0..3), vec(answer, 0..3), any::<bool>());
    vec(turn, 1..4)
        .prop_map(|turns| {
            let mut items = Vec::new();
            for (n, (asked, said, answers, backwards)) in turns.into_iter().enumerate() {
                items.push(Object::default().with("role", "user").with("content", asked).into());
                items.extend(said);
                let mut outputs = Vec::new();
                for (k, (custom, output, marker, long)) in answers.into_iter().enumerate() {
                    let id = format!("c{n}_{k}{}", long.unwrap_or_default());
                    let (call, kind, input) = match custom {
                        true => ("custom_tool_call", "custom_tool_call_output", "input"),
                        false => ("function_call", "function_call_output", "arguments"),
                    };
                    let call = Object::default().with("type", call).with("call_id", id.clone());
                    items.push(call.with("name", "f").with(input, "{}").into());
                    let answer =
                        Object::default().with("type", kind).with("call_id", id).with("output", output);
                    outputs.push(Value::from(answer.with_some(MARKER, marker)));
                }
                if backwards {
                    outputs.reverse();
                }
                items.extend(outputs);
            }
            Object::default().with("model", "m").with("input", items).into()
        })
        .boxed()
}
