//! Which result answers which call, with ids and without.

use super::{codes, comes_back_as, equal, json, read, results, write};
use crate::dialect::{Code, Options, targets, write_request};
use crate::json::{Json, Value, compact};
use crate::message::Dialect::{Anthropic, Chat, Gemini};
use crate::message::Message;

fn call(id: &str, name: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":"{id}","#) };
    format!(r#"{{"functionCall":{{{id}"name":"{name}","args":{{}}}}}}"#)
}

fn result(id: &str, name: &str, output: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":"{id}","#) };
    format!(r#"{{"functionResponse":{{{id}"name":"{name}","response":{{"output":"{output}"}}}}}}"#)
}

fn contents(list: &[(&str, &[String])]) -> Json {
    let content =
        |(role, parts): &(&str, &[String])| format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","));
    json(&format!(r#"{{"contents":[{}]}}"#, list.iter().map(content).collect::<Vec<_>>().join(",")))
}

fn ids(body: &Json) -> Vec<(String, String)> {
    let request = read(body);
    results(&request).iter().map(|r| (r.tool_call_id.to_string(), super::text_of(&r.content))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn without_ids_the_name_and_the_order_tell() {
    let body = contents(&[
        ("model", &[call("", "f"), call("", "g"), call("", "f")]),
        ("user", &[result("", "g", "1"), result("", "f", "2"), result("", "f", "3")]),
        ("model", &[call("", "f")]),
        ("user", &[result("", "f", "4")]),
    ]);
    let expected = [("call_0_1", "1"), ("call_0_0", "2"), ("call_0_2", "3"), ("call_1_0", "4")];
    assert_eq!(ids(&body), pairs(&expected));
    // They go back as they came, and other wires hear of it once for every call.
    equal(&body);
    let (written, losses) = write_request(Anthropic, &read(&body), Options::default()).unwrap();
    let minted: Vec<_> = losses
        .0
        .iter()
        .filter(|loss| loss.code == Code::IdMinted)
        .map(|loss| loss.path.to_string())
        .collect();
    let at = |m: usize, n: usize| format!("messages[{m}].tool_calls[{n}]");
    assert_eq!(minted, [at(0, 0), at(0, 1), at(0, 2), at(4, 0)]);
    assert!(compact(&Value::Object(written)).contains(r#""tool_use_id":"call_0_1""#));
}

#[test]
fn an_id_beside_calls_that_have_one_is_theirs() {
    let body = contents(&[
        ("model", &[call("a", "f"), call("", "f"), call("b", "f")]),
        ("user", &[result("b", "f", "1"), result("", "f", "2"), result("", "f", "3")]),
    ]);
    assert_eq!(ids(&body), pairs(&[("b", "1"), ("a", "2"), ("call_0_1", "3")]));
    equal(&body);
    // A client may have given an id to a call that had none.
    let body = contents(&[("model", &[call("", "f")]), ("user", &[result("own", "f", "1")])]);
    assert_eq!(ids(&body), pairs(&[("call_0_0", "1")]));
    equal(&body);
    // Not to one that has.
    let body = contents(&[("model", &[call("a", "f")]), ("user", &[result("own", "f", "1")])]);
    assert_eq!(ids(&body), pairs(&[("own", "1")]));
    equal(&body);
}

#[test]
fn a_minted_id_is_no_other_ones() {
    let body = contents(&[
        ("model", &[call("", "f"), call("call_0_0", "f")]),
        ("user", &[result("call_0_0", "f", "1"), result("", "f", "2")]),
    ]);
    assert_eq!(ids(&body), pairs(&[("call_0_0", "1"), ("call_0_0x", "2")]));
    equal(&body);
}

#[test]
fn a_result_that_answers_nothing_stays_and_goes_nowhere_else() {
    for parts in [result("", "g", "1"), result("", "f", "1") + "," + &result("", "f", "2")] {
        let body = contents(&[("model", &[call("", "f")]), ("user", &[parts])]);
        equal(&body);
        let request = read(&body);
        assert_eq!(&*results(&request).last().unwrap().tool_call_id, "call_none_0");
        let error = write_request(Chat, &request, Options::default()).map(|_| ());
        // Chat takes what it is told on its own wire only.
        assert_eq!(error.unwrap_err().kind, crate::error::Kind::Pairing);
    }
}

#[test]
fn results_may_come_in_several_contents() {
    let body = contents(&[
        ("model", &[call("", "f"), call("", "f")]),
        ("user", &[result("", "f", "1")]),
        ("user", &[result("", "f", "2")]),
    ]);
    assert_eq!(ids(&body), pairs(&[("call_0_0", "1"), ("call_0_1", "2")]));
    equal(&body);
}

#[test]
fn an_id_that_was_given_later_is_written() {
    let mut request = read(&contents(&[("model", &[call("", "f")]), ("user", &[result("", "f", "1")])]));
    let Message::Assistant(turn) = &mut request.messages[0] else { panic!() };
    turn.tool_calls[0].id = "mine".into();
    let Message::Tool(result) = &mut request.messages[1] else { panic!() };
    result.tool_call_id = "mine".into();
    let expected = contents(&[("model", &[call("mine", "f")]), ("user", &[self::result("mine", "f", "1")])]);
    assert_eq!(write(&request).0, expected);
}

#[test]
fn responses_stand_in_the_order_of_the_calls() {
    let chat = json(
        r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"g","arguments":""}}]},{"role":"tool","tool_call_id":"2","content":"two"},{"role":"user","content":"so?"},{"role":"tool","tool_call_id":"1","content":"one"}]}"#,
    );
    let request = crate::dialect::read_request(Chat, &chat).unwrap();
    let (written, losses) = write(&request);
    let expected = contents(&[
        ("model", &[call("1", "f"), call("2", "g")]),
        ("user", &[result("1", "f", "one"), result("2", "g", "two"), r#"{"text":"so?"}"#.to_owned()]),
    ]);
    assert_eq!(written, expected);
    let told = [Code::OrderUserAfterResults, Code::ArgumentsReserialised, Code::TurnReordered];
    assert_eq!(losses.iter().map(|loss| loss.code).collect::<Vec<_>>(), told);
    // A server that takes no ids gets none, and matches by the order.
    let mut losses = crate::dialect::Losses::default();
    let target = targets::all().iter().find(|t| t.dialect == Gemini);
    let flags = targets::flags(Gemini, target, None);
    let mut pen = super::super::pen::Pen::new(false, Options::default(), flags, &mut losses);
    pen.response_ids = false;
    let Message::Assistant(turn) = &request.messages[0] else { panic!() };
    let parts = super::super::turn::write(turn, &crate::path::Path::root(), &mut pen).unwrap();
    assert_eq!(compact(&parts[0]), r#"{"functionCall":{"name":"f","args":{}}}"#);
    assert!(codes(&losses.0).contains(&(Code::ItemIdDropped, "tool_calls[0].id".to_owned())));
}

#[test]
fn the_name_is_that_of_the_called_tool() {
    let chat = json(
        r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","name":"other","content":"x"}]}"#,
    );
    let request = crate::dialect::read_request(Chat, &chat).unwrap();
    let (written, losses) = write(&request);
    assert_eq!(written, contents(&[("model", &[call("1", "f")]), ("user", &[result("1", "f", "x")])]));
    assert_eq!(codes(&losses), [(Code::NameDropped, "messages[1].name".to_owned())]);
    // Alone, a result says it itself or not at all.
    let alone = |name: Option<&str>| {
        let Message::Tool(mut result) = request.messages[1].clone() else { panic!() };
        result.name = name.map(Into::into);
        crate::dialect::write_message(Gemini, &Message::Tool(result), Options::default())
    };
    assert!(compact(&alone(Some("g")).unwrap().0[0]).contains(r#""name":"g""#));
    for name in [None, Some("")] {
        assert_eq!(
            alone(name).unwrap_err().to_string(),
            "name: a result of Gemini needs the name of its tool"
        );
    }
    // One that was read without a name gets that of its call.
    let nameless = super::outcomes::answered(r#"{"functionResponse":{"id":"c","response":{"output":"x"}}}"#);
    let named =
        super::outcomes::answered(r#"{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}"#);
    comes_back_as(&nameless, &named);
}
