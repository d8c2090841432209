//! Whatever body the API could be sent: read and written it is equal, and no outcome has changed.

use super::{read, results, write};
use crate::json::{Cursor, Json, Object, Value, compact};
use crate::message::{request_from_plain, request_to_plain};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

type Fields = Vec<(&'static str, Json)>;

fn object(fields: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Value::Object(Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect()))
}

/// An object of fixed members, and of others that may be there.
fn with(fixed: Fields, others: Vec<(&'static str, Option<Json>)>) -> Json {
    object(fixed.into_iter().chain(others.into_iter().filter_map(|(key, value)| Some((key, value?)))))
}

fn block(member: &'static str) -> impl Fn(Json) -> Json {
    move |value| object([(member, value)])
}

fn word() -> impl Strategy<Value = Json> {
    prop_oneof![4 => "[a-zé\"\\\\ \n]{0,8}", 1 => Just("Tool execution failed:\nx".to_owned())]
        .prop_map(Json::from)
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = Json> {
    proptest::sample::select(words).prop_map(Json::from)
}

fn name() -> impl Strategy<Value = Json> {
    one_of(&["f", "g", "read_gauge"])
}

fn id() -> impl Strategy<Value = Json> {
    "(tooluse_[a-c]|no id)".prop_map(Json::from)
}

fn value() -> impl Strategy<Value = Json> {
    let number = prop_oneof![Just("1.0"), Just("-0"), Just("1e2"), Just("9007199254740993"), Just("0.10")]
        .prop_map(|digits| Json::Number(digits.into()));
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Json::from), number, word()];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::from),
            (inner.clone(), inner).prop_map(|(a, b)| object([("status", a), ("text", b)])),
        ]
    })
}

/// What stands under `json` and `input`: null is no value there.
fn document() -> impl Strategy<Value = Json> {
    value().prop_map(|value| if value.is_null() { object([]) } else { value })
}

fn cache() -> impl Strategy<Value = Json> {
    let ttl = option::of(one_of(&["5m", "1h"]));
    ttl.prop_map(|ttl| block("cachePoint")(with(vec![("type", "default".into())], vec![("ttl", ttl)])))
}

fn source() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => "[A-Za-z0-9+/]{0,6}".prop_map(|data| object([("bytes", data.into())])),
        1 => Just(object([("s3Location", object([("uri", "s3://b/k".into())]))])),
        1 => word().prop_map(|text| object([("text", text)])),
    ]
}

fn media() -> impl Strategy<Value = Json> {
    let plain = |member: &'static str, formats: &'static [&'static str]| {
        (one_of(formats), source(), option::weighted(0.1, document())).prop_map(
            move |(format, source, error)| {
                let fields = vec![("format", format), ("source", source)];
                block(member)(with(fields, vec![("error", error)]))
            },
        )
    };
    let document = (
        option::of(one_of(&["pdf", "txt", "md", "docx", "odd"])),
        prop_oneof![one_of(&["report 1", "a_b.pdf"]), word()],
        source(),
        option::weighted(0.2, word()),
        option::weighted(0.2, any::<bool>()),
    )
        .prop_map(|(format, name, source, context, cited)| {
            let cited = cited.map(|cited| object([("enabled", cited.into())]));
            let others = vec![("format", format), ("context", context), ("citations", cited)];
            block("document")(with(vec![("name", name), ("source", source)], others))
        });
    prop_oneof![
        3 => plain("image", &["png", "jpeg", "webp", "odd"]),
        1 => plain("video", &["mp4"]),
        2 => document,
    ]
}

fn found() -> impl Strategy<Value = Json> {
    (word(), word(), vec(word().prop_map(block("text")), 0..3)).prop_map(|(source, title, content)| {
        block("searchResult")(object([("source", source), ("title", title), ("content", content.into())]))
    })
}

/// A block of a user message that is no result.
fn said() -> impl Strategy<Value = Json> {
    let sound = (one_of(&["mp3", "wav", "opus"]), source())
        .prop_map(|(format, source)| block("audio")(object([("format", format), ("source", source)])));
    let other = one_of(&["guardContent", "toolAddition", "whatever is new"]);
    prop_oneof![
        6 => word().prop_map(block("text")),
        3 => media(),
        1 => sound,
        1 => found(),
        2 => cache(),
        1 => (other, document()).prop_map(|(member, value)| {
            Value::Object(Object(vec![(member.as_str().unwrap().to_owned().into(), value)]))
        }),
    ]
}

fn result() -> impl Strategy<Value = Json> {
    let content = prop_oneof![
        4 => word().prop_map(block("text")),
        2 => document().prop_map(block("json")),
        2 => media(),
        1 => found(),
    ];
    let status = option::of(one_of(&["error", "success"]));
    (id(), vec(content, 0..4), status, option::weighted(0.1, word())).prop_map(
        |(id, content, status, kind)| {
            let fields = vec![("toolUseId", id), ("content", content.into())];
            block("toolResult")(with(fields, vec![("status", status), ("type", kind)]))
        },
    )
}

fn turn_block() -> impl Strategy<Value = Json> {
    let call = (id(), name(), document(), option::weighted(0.2, one_of(&["server_tool_use"]))).prop_map(
        |(id, name, input, kind)| {
            let fields = vec![("toolUseId", id), ("name", name), ("input", input)];
            block("toolUse")(with(fields, vec![("type", kind)]))
        },
    );
    let thought = prop_oneof![
        3 => (word(), option::of(word())).prop_map(|(text, signature)| {
            object([("reasoningText", with(vec![("text", text)], vec![("signature", signature)]))])
        }),
        1 => Just(object([("redactedContent", "AA==".into())])),
    ];
    let cited = (vec(word().prop_map(block("text")), 0..3), vec(document(), 0..2)).prop_map(
        |(content, citations)| {
            block("citationsContent")(object([("content", content.into()), ("citations", citations.into())]))
        },
    );
    prop_oneof![
        4 => word().prop_map(block("text")),
        4 => call,
        2 => thought.prop_map(block("reasoningContent")),
        1 => result(),
        1 => cited,
        1 => cache(),
        1 => media(),
    ]
}

fn message() -> impl Strategy<Value = Json> {
    let user = prop_oneof![
        2 => vec(said(), 0..4),
        2 => (vec(result(), 1..4), vec(said(), 0..3)).prop_map(|(results, rest)| [results, rest].concat()),
        1 => vec(prop_oneof![result(), said()], 0..5),
    ];
    // In the order a model keeps to, and in any.
    let sorted = vec(turn_block(), 0..5).prop_map(|mut blocks| {
        let rank = |member: &str| match member {
            "reasoningContent" => 0,
            "text" => 2,
            "toolUse" => 3,
            _ => 1,
        };
        blocks.sort_by_key(|block| rank(&block.as_object().unwrap().0[0].0));
        blocks
    });
    let turn = prop_oneof![2 => sorted, 2 => vec(turn_block(), 0..5)];
    let system = vec(prop_oneof![word().prop_map(block("text")), cache()], 1..3);
    let other = || option::weighted(0.1, document());
    let told = |role: &'static str| {
        move |(content, other): (Vec<Json>, Option<Json>)| {
            with(vec![("role", role.into()), ("content", content.into())], vec![("later", other)])
        }
    };
    prop_oneof![
        4 => (user, other()).prop_map(told("user")),
        4 => (turn, other()).prop_map(told("assistant")),
        1 => (system, other()).prop_map(told("system")),
    ]
}

fn tools() -> impl Strategy<Value = Json> {
    let schema = prop_oneof![
        Just(object([])),
        Just(super::json(r#"{"type":"object","properties":{"status":{"enum":["error",null]}}}"#))
    ];
    let spec = (name(), schema, option::of(word()), option::of(any::<bool>())).prop_map(
        |(name, schema, description, strict)| {
            let fields = vec![("name", name), ("inputSchema", block("json")(schema))];
            let others = vec![("description", description), ("strict", strict.map(Json::from))];
            block("toolSpec")(with(fields, others))
        },
    );
    let hosted = Just(block("systemTool")(object([("name", "nova_grounding".into())])));
    let tools = vec(prop_oneof![4 => spec, 1 => hosted, 1 => cache()], 0..4);
    let choice = prop_oneof![
        one_of(&["auto", "any"]).prop_map(|word| Value::Object(Object(vec![(
            word.as_str().unwrap().to_owned().into(),
            object([])
        )]))),
        name().prop_map(|name| block("tool")(object([("name", name)]))),
        Just(block("later")(object([("x", 1_u32.into())]))),
    ];
    (option::of(tools), option::of(choice), option::weighted(0.1, document())).prop_map(
        |(tools, choice, other)| {
            with(vec![], vec![("tools", tools.map(Json::from)), ("toolChoice", choice), ("later", other)])
        },
    )
}

fn settings() -> impl Strategy<Value = Fields> {
    let number = |digits: &'static str| option::of(Just(Json::Number(digits.into())));
    let stop = option::of(vec(word(), 0..3).prop_map(Json::from));
    let inference = (number("512"), number("0.70"), number("1.0"), stop, option::weighted(0.1, document()))
        .prop_map(|(limit, temperature, top_p, stop, other)| {
            let others = vec![
                ("maxTokens", limit),
                ("temperature", temperature),
                ("topP", top_p),
                ("stopSequences", stop),
                ("later", other),
            ];
            with(vec![], others)
        });
    let effort = option::of(one_of(&["low", "max", "none"]));
    let output = (effort, option::of(document()))
        .prop_map(|(effort, format)| with(vec![], vec![("effort", effort), ("textFormat", format)]));
    let models = one_of(&["us.anthropic.claude-x", "writer.palmyra-x", "openai.gpt-oss-x", "meta.llama-x"]);
    let more = prop_oneof![document(), Just(super::json(r#"{"inferenceConfig":{"topK":3},"top_k":4}"#))];
    let groups = (option::of(inference), option::of(output), option::of(tools()), option::of(more));
    (groups, option::of(models), option::weighted(0.2, document())).prop_map(
        |((inference, output, tools, more), model, other)| {
            let all = [
                ("inferenceConfig", inference),
                ("outputConfig", output),
                ("toolConfig", tools),
                ("additionalModelRequestFields", more),
                ("modelId", model),
                ("guardrailConfig", other),
            ];
            all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
        },
    )
}

fn body() -> impl Strategy<Value = Json> {
    let block = prop_oneof![4 => word().prop_map(block("text")), 1 => cache(), 1 => said()];
    let system = option::of(vec(block, 0..3));
    (system, vec(message(), 0..6), settings()).prop_map(|(system, messages, settings)| {
        let fixed = [vec![("messages", messages.into())], settings].concat();
        with(fixed, vec![("system", system.map(Json::from))])
    })
}

/// The results that users give, in order, and what they declare.
fn declared(body: &Json) -> Vec<(String, Option<bool>)> {
    let messages = body.get("messages").and_then(|m| m.as_array()).unwrap();
    messages
        .iter()
        .filter(|message| message.get("role").unwrap().as_str() == Some("user"))
        .flat_map(|message| message.get("content").unwrap().as_array().unwrap())
        .filter_map(|block| block.get("toolResult"))
        .map(|result| {
            let failed = result.get("status").map(|status| status.as_str() == Some("error"));
            (result.get("toolUseId").unwrap().as_str().unwrap().to_owned(), failed)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_comes_back(body in body()) {
        let request = read(&body);
        let typed: Vec<_> =
            results(&request).iter().map(|r| (r.tool_call_id.to_string(), r.is_error)).collect();
        prop_assert_eq!(&typed, &declared(&body));
        let (written, losses) = write(&request);
        prop_assert_eq!(&written, &body, "\n{}\n{}", compact(&written), compact(&body));
        prop_assert!(losses.is_empty(), "{:?}", losses);
        let (again, _) = write(&read(&written));
        prop_assert_eq!(compact(&again), compact(&written));
        // The typed form survives being stored.
        let stored = request_to_plain(&request);
        prop_assert_eq!(request_from_plain(Cursor::root(&stored)).unwrap(), request);
    }
}
