//! Structured results: which text is a stand-in for JSON that a wire with a place for it may say as it is.

use crate::dialect::{bedrock, gemini, mcp};
use crate::json::{Json, Repeats, parse_text};
use crate::message::{Content, Dialect, Extra};

/// The JSON that the only text of a result stands for, or repeats; `extra` is that of the message.
pub(super) fn value(content: &Content, extra: &Extra) -> Option<Json> {
    let (text, of_part) = match content {
        Content::Text(text) => (text, false),
        Content::Parts(parts) => {
            let mut texts = parts.iter().filter_map(|part| Some((part.as_text()?, &part.extra)));
            let (text, extra) = texts.next()?;
            if texts.next().is_some() {
                return None;
            }
            (text, others(extra).is_some())
        }
    };
    let stands_for_json = of_part || others(extra).is_some();
    let repeated = extra.of(Dialect::Mcp).and_then(|fields| fields.get("structuredContent"));
    if !stands_for_json && repeated.is_none() {
        return None;
    }
    let value = parse_text(text, Repeats::Refused).ok()?.value.into_owned();
    (stands_for_json || repeated == Some(&value)).then_some(value)
}

/// What the fields of a message or a part say beside the JSON that is written as it is.
pub(super) fn rest(extra: &Extra) -> Extra {
    others(extra).unwrap_or_else(|| extra.clone())
}

/// The other fields, if these say that the text stands for JSON.
fn others(extra: &Extra) -> Option<Extra> {
    let (dialect, fields) = extra.get()?;
    let others = match dialect {
        Dialect::Mcp => mcp::structured(fields),
        Dialect::Gemini => gemini::structured(fields),
        Dialect::Bedrock => bedrock::structured(fields),
        Dialect::Chat | Dialect::Responses | Dialect::Anthropic => None,
    };
    others.map(|others| Extra::new(dialect, others))
}

#[cfg(test)]
mod tests {
    use crate::dialect::{Code, Options, mcp, write_request};
    use crate::json::{Cursor, Object, Repeats, Value, compact, parse_text};
    use crate::message::Dialect::{self, Bedrock, Gemini};
    use crate::message::{
        AssistantMessage, CallKind, Content, Extra, Message, Request, ToolCall, ToolMessage, UserMessage,
    };

    /// A call and its answer on a wire, and what that one loses of it.
    fn written(answer: ToolMessage, wire: Dialect) -> (String, Vec<Code>) {
        let call = ToolCall {
            id: answer.tool_call_id.clone(),
            name: "f".into(),
            arguments: "{}".into(),
            kind: CallKind::Function,
            namespace: None,
            extra: Extra::none(),
        };
        let turn = AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() };
        let user = UserMessage { content: Content::Text("go".into()), extra: Extra::none() };
        let messages = vec![Message::User(user), Message::Assistant(turn), Message::Tool(answer)];
        let request = Request { messages, ..Request::default() };
        let (body, losses) = write_request(wire, &request, Options::default()).unwrap();
        let codes = losses.0.iter().map(|loss| loss.code).filter(|code| *code != Code::ToolAssumed);
        (compact(&body.into()), codes.collect())
    }

    fn from_mcp(result: &str) -> ToolMessage {
        let result = parse_text(result, Repeats::Refused).unwrap().value.into_owned();
        mcp::read_result(Cursor::root(&result), "c".into(), None).unwrap()
    }

    #[test]
    fn structured_content_goes_as_json() {
        for (result, expected, told) in [
            (
                r#"{"content":[],"structuredContent":{"bed":4,"p":1.50}}"#,
                r#"{"output":{"bed":4,"p":1.50}}"#,
                vec![],
            ),
            (
                r#"{"content":[{"type":"text","text":"{\"bed\": 4}"}],"structuredContent":{"bed":4}}"#,
                r#"{"output":{"bed":4}}"#,
                vec![],
            ),
            (
                r#"{"content":[{"type":"text","text":"4"}],"structuredContent":{"result":4}}"#,
                r#"{"output":"4"}"#,
                vec![],
            ),
            (
                r#"{"content":[{"type":"text","text":"bed"}],"structuredContent":{"bed":4}}"#,
                r#"{"output":"bed\n{\"bed\":4}"}"#,
                vec![Code::StructuredAsText, Code::TextJoined],
            ),
            (
                r#"{"content":[],"structuredContent":{"a":[{"$ref":"x"}]}}"#,
                r#"{"output":"{\"a\":[{\"$ref\":\"x\"}]}"}"#,
                vec![Code::StructuredAsText],
            ),
            (
                r#"{"content":[],"structuredContent":{"bed":4},"isError":true}"#,
                r#"{"error":"{\"bed\":4}"}"#,
                vec![Code::StructuredAsText],
            ),
            (
                r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"structuredContent":{"error":null}}"#,
                r#"{"output":{"error":null}}"#,
                vec![Code::TextJoined],
            ),
        ] {
            let (body, losses) = written(from_mcp(result), Gemini);
            assert!(body.contains(&format!(r#""response":{expected}"#)), "{body}");
            assert_eq!(losses, told, "{result}");
        }
    }

    #[test]
    fn both_wires_with_a_place_for_it_keep_it() {
        let ways = [
            (Gemini, r#"{"k":[1.50]}"#, vec![]),
            (Gemini, "[1]", vec![Code::StructuredAsText]),
            (Bedrock, r#"{"k":[1.50]}"#, vec![]),
            (Bedrock, "[1]", vec![]),
        ];
        for (from, json, told) in ways {
            let body = match from {
                Gemini => format!(
                    r#"{{"contents":[{{"role":"model","parts":[{{"functionCall":{{"id":"c","name":"f","args":{{}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"id":"c","name":"f","response":{{"output":{json}}}}}}}]}}]}}"#
                ),
                _ => format!(
                    r#"{{"modelId":"m","messages":[{{"role":"assistant","content":[{{"toolUse":{{"toolUseId":"c","name":"f","input":{{}}}}}}]}},{{"role":"user","content":[{{"toolResult":{{"toolUseId":"c","content":[{{"json":{json}}}]}}}}]}}]}}"#
                ),
            };
            let body = parse_text(&body, Repeats::Refused).unwrap().value.into_owned();
            let request = crate::dialect::read_request(from, &body).unwrap();
            let Message::Tool(answer) = request.messages[1].clone() else { panic!() };
            let (to, key) = if from == Gemini { (Bedrock, "json") } else { (Gemini, "output") };
            let (body, losses) = written(answer, to);
            let native = Object::default().with(key, parse_text(json, Repeats::Refused).unwrap().value);
            assert_eq!(body.contains(&compact(&Value::from(native))), told.is_empty(), "{body}");
            assert_eq!(losses, told);
        }
    }
}
