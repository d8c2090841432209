//! Whatever body the API could be sent: read and written it is equal, and no outcome has changed.

use super::{codes, read, write};
use crate::json::{Cursor, Json, Object, Value, compact};
use crate::message::{Message, request_from_plain, request_to_plain};
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

fn word() -> impl Strategy<Value = Json> {
    prop_oneof![4 => "[a-zé\"\\\\ \n]{0,8}", 1 => Just("Tool execution failed:\nx".to_owned())]
        .prop_map(Json::from)
}

fn id() -> impl Strategy<Value = Json> {
    "toolu_[a-c]{1,2}".prop_map(Json::from)
}

fn cache() -> impl Strategy<Value = Option<Json>> {
    option::weighted(0.3, prop_oneof![Just(Value::Null), Just(object([("type", "ephemeral".into())]))])
}

fn flag() -> impl Strategy<Value = Option<bool>> {
    option::of(any::<bool>())
}

fn input() -> impl Strategy<Value = Json> {
    let number = prop_oneof![Just("1.0"), Just("-0"), Just("1e2"), Just("9007199254740993"), Just("0.10")]
        .prop_map(|digits| Json::Number(digits.into()));
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Json::from), number, word()];
    let value = leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::from),
            (inner.clone(), inner).prop_map(|(a, b)| object([("x", a), ("type", b)])),
        ]
    });
    option::of(value).prop_map(|value| with(vec![], vec![("input", value)]))
}

fn text() -> impl Strategy<Value = Json> {
    let citations = option::weighted(0.2, prop_oneof![Just(Value::Null), Just(vec![].into())]);
    (word(), cache(), citations).prop_map(|(text, cache, citations)| {
        with(
            vec![("type", "text".into()), ("text", text)],
            vec![("cache_control", cache), ("citations", citations)],
        )
    })
}

fn source() -> impl Strategy<Value = Json> {
    let kinds = prop_oneof![
        Just("image/png"),
        Just("image/webp"),
        Just("image/bmp"),
        Just("application/pdf"),
        Just("text/plain")
    ];
    let odd = option::weighted(0.2, Just(Value::Null));
    let bytes = (prop_oneof![Just("base64"), Just("text")], kinds, word(), odd).prop_map(
        |(kind, media_type, data, odd)| {
            let fixed = vec![("type", kind.into()), ("media_type", media_type.into()), ("data", data)];
            with(fixed, vec![("more", odd)])
        },
    );
    let urls =
        prop_oneof![Just("https://a.test/x"), Just("data:image/png;base64,AA=="), Just("gs://b/x"), Just("")];
    prop_oneof![
        4 => bytes,
        2 => urls.prop_map(|url| object([("type", "url".into()), ("url", url.into())])),
        1 => Just(object([("type", "file".into()), ("file_id", "file_1".into())])),
        1 => word().prop_map(|content| object([("type", "content".into()), ("content", content)])),
    ]
}

fn media() -> impl Strategy<Value = Json> {
    let title = option::of(prop_oneof![1 => Just(Value::Null), 2 => word()]);
    (prop_oneof![Just("image"), Just("document")], source(), cache(), title, option::of(word())).prop_map(
        |(kind, source, cache, title, context)| {
            with(
                vec![("type", kind.into()), ("source", source)],
                vec![("title", title), ("cache_control", cache), ("context", context)],
            )
        },
    )
}

fn search_result() -> impl Strategy<Value = Json> {
    (word(), word(), vec(text(), 0..3), cache()).prop_map(|(source, title, content, cache)| {
        let fixed = vec![
            ("source", source),
            ("type", "search_result".into()),
            ("title", title),
            ("content", content.into()),
        ];
        with(fixed, vec![("cache_control", cache)])
    })
}

fn said() -> impl Strategy<Value = Json> {
    prop_oneof![
        5 => text(),
        2 => media(),
        1 => search_result(),
        1 => id().prop_map(|name| object([("type", "tool_reference".into()), ("tool_name", name)])),
        1 => id().prop_map(|id| object([("type", "container_upload".into()), ("file_id", id)])),
    ]
}

fn content(block: impl Strategy<Value = Json> + 'static) -> impl Strategy<Value = Json> {
    prop_oneof![1 => word(), 2 => vec(block, 0..4).prop_map(Json::from)]
}

fn tool_result() -> impl Strategy<Value = Json> {
    (id(), option::weighted(0.8, content(said())), flag(), cache(), option::weighted(0.1, id())).prop_map(
        |(id, content, is_error, cache, toolset)| {
            with(
                vec![("type", "tool_result".into()), ("tool_use_id", id)],
                vec![
                    ("content", content),
                    ("is_error", is_error.map(Json::from)),
                    ("cache_control", cache),
                    ("toolset_name", toolset),
                ],
            )
        },
    )
}

fn turn_block() -> impl Strategy<Value = Json> {
    let call = (id(), id(), input(), cache()).prop_map(|(id, name, input, cache)| {
        let fixed = vec![("type", "tool_use".into()), ("id", id), ("name", name), ("input", input)];
        with(fixed, vec![("cache_control", cache)])
    });
    let thinking = (word(), word()).prop_map(|(thinking, signature)| {
        object([("type", "thinking".into()), ("thinking", thinking), ("signature", signature)])
    });
    let server = (id(), input()).prop_map(|(id, input)| {
        let name = ("name", "web_search".into());
        object([("type", "server_tool_use".into()), ("id", id), name, ("input", input)])
    });
    let listed = id().prop_map(|id| {
        object([("type", "web_search_tool_result".into()), ("tool_use_id", id), ("content", vec![].into())])
    });
    let mcp = (id(), flag()).prop_map(|(id, is_error)| {
        with(
            vec![("type", "mcp_tool_result".into()), ("tool_use_id", id), ("content", "x".into())],
            vec![("is_error", is_error.map(Json::from))],
        )
    });
    prop_oneof![
        4 => text(),
        4 => call,
        3 => thinking,
        1 => word().prop_map(|data| object([("type", "redacted_thinking".into()), ("data", data)])),
        1 => server,
        1 => listed,
        1 => mcp,
        1 => word().prop_map(|text| object([("type", "compaction".into()), ("content", text)])),
        1 => Just(object([("type", "message".into()), ("content", vec![].into())])),
    ]
}

fn message() -> impl Strategy<Value = Json> {
    let user = prop_oneof![
        2 => content(said()),
        2 => (vec(tool_result(), 1..4), vec(said(), 0..3)).prop_map(|(mut results, rest)| {
            results.extend(rest);
            results.into()
        }),
        1 => vec(prop_oneof![tool_result(), said()], 0..5).prop_map(Json::from),
    ];
    // In the order a model keeps to, and in any.
    let sorted = vec(turn_block(), 0..5).prop_map(|mut blocks| {
        let rank = |block: &Json| match block.kind() {
            Some("thinking" | "redacted_thinking") => 0,
            Some("text") => 2,
            Some("tool_use") => 3,
            _ => 1,
        };
        blocks.sort_by_key(rank);
        blocks.into()
    });
    let turn = prop_oneof![1 => word(), 2 => sorted, 2 => vec(turn_block(), 0..5).prop_map(Json::from)];
    let of = |role: &'static str| move |content: Json| object([("role", role.into()), ("content", content)]);
    prop_oneof![
        4 => user.prop_map(of("user")),
        4 => turn.prop_map(of("assistant")),
        1 => content(text()).prop_map(of("system")),
    ]
}

fn tool() -> impl Strategy<Value = Json> {
    let kind = option::of(prop_oneof![Just(Value::Null), Just(Json::from("custom"))]);
    let custom = (id(), input(), kind, option::of(word()), flag(), cache(), flag()).prop_map(
        |(name, schema, kind, description, strict, cache, defer)| {
            with(
                vec![("name", name), ("input_schema", schema)],
                vec![
                    ("type", kind),
                    ("description", description),
                    ("strict", strict.map(Json::from)),
                    ("cache_control", cache),
                    ("defer_loading", defer.map(Json::from)),
                ],
            )
        },
    );
    let typed = (prop_oneof![Just("bash_20250124"), Just("mcp_toolset")], option::of(id()))
        .prop_map(|(kind, name)| with(vec![("type", kind.into())], vec![("name", name)]));
    prop_oneof![3 => custom, 1 => typed]
}

fn choice() -> impl Strategy<Value = Json> {
    let kinds = prop_oneof![Just("auto"), Just("any"), Just("tool"), Just("none"), Just("new")];
    (kinds, option::of(id()), flag()).prop_map(|(kind, name, parallel)| {
        let disabled = parallel.map(Json::from);
        with(vec![("type", kind.into())], vec![("name", name), ("disable_parallel_tool_use", disabled)])
    })
}

fn body() -> impl Strategy<Value = Json> {
    let number = |digits: &'static str| option::of(Just(Json::Number(digits.into())));
    let settings = (number("512"), number("0.70"), number("1.0"), number("40"), flag());
    let effort = option::of(Just(Json::from("high")));
    let format = option::of(Just(object([("type", "json_schema".into())])));
    let config = (effort, format)
        .prop_map(|(effort, format)| with(vec![], vec![("format", format), ("effort", effort)]));
    let others = (option::of(config), option::of(vec(word(), 0..3)), cache(), option::of(word()));
    let conversation = (option::of(content(text())), vec(message(), 0..6));
    (conversation, option::of(vec(tool(), 0..3)), option::of(choice()), settings, others).prop_map(
        |((system, messages), tools, choice, settings, others)| {
            let (max_tokens, temperature, top_p, top_k, stream) = settings;
            let (config, stop, cache, tier) = others;
            with(
                vec![("messages", messages.into()), ("model", "m".into())],
                vec![
                    ("system", system),
                    ("max_tokens", max_tokens),
                    ("service_tier", tier),
                    ("temperature", temperature),
                    ("top_p", top_p),
                    ("top_k", top_k),
                    ("stream", stream.map(Json::from)),
                    ("output_config", config),
                    ("stop_sequences", stop.map(Json::from)),
                    ("tools", tools.map(Json::from)),
                    ("tool_choice", choice),
                    ("cache_control", cache),
                ],
            )
        },
    )
}

/// Every result of the body in order: which call, and what it declares.
fn declared(body: &Json) -> Vec<(String, Option<bool>)> {
    let messages = body.get("messages").and_then(|m| m.as_array()).unwrap();
    messages
        .iter()
        .filter_map(|message| message.get("content")?.as_array())
        .flatten()
        .filter(|block| block.kind() == Some("tool_result"))
        .map(|block| {
            let outcome = match block.get("is_error") {
                Some(Value::Bool(failed)) => Some(*failed),
                _ => None,
            };
            (block.get("tool_use_id").unwrap().as_str().unwrap().to_owned(), outcome)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_comes_back(body in body()) {
        let request = read(&body);
        let typed: Vec<_> = request
            .messages
            .iter()
            .filter_map(|m| match m {
                Message::Tool(result) => Some((result.tool_call_id.to_string(), result.is_error)),
                _ => None,
            })
            .collect();
        prop_assert_eq!(&typed, &declared(&body));
        let (written, losses) = write(&request);
        prop_assert_eq!(&written, &body, "\n{}\n{}", compact(&written), compact(&body));
        prop_assert!(losses.is_empty(), "{:?}", codes(&losses));
        let (again, _) = write(&read(&written));
        prop_assert_eq!(compact(&again), compact(&written));
        // The typed form survives being stored.
        let stored = request_to_plain(&request);
        prop_assert_eq!(request_from_plain(Cursor::root(&stored)).unwrap(), request);
    }
}
