//! Whatever body the API could be sent: read and written it is equal, in either spelling, and no outcome has changed.

use super::{codes, read, results, write};
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

fn id() -> impl Strategy<Value = Option<Json>> {
    option::of("(fc-[a-c]|call_0_0)".prop_map(Json::from))
}

fn signature() -> impl Strategy<Value = Option<Json>> {
    option::weighted(0.3, one_of(&["c2lnbmVk", "b3RoZXI="]))
}

fn value() -> impl Strategy<Value = Json> {
    let number = prop_oneof![Just("1.0"), Just("-0"), Just("1e2"), Just("9007199254740993"), Just("0.10")]
        .prop_map(|digits| Json::Number(digits.into()));
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Json::from), number, word()];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::from),
            (inner.clone(), inner).prop_map(|(a, b)| object([("snake_key", a), ("output", b)])),
        ]
    })
}

fn free() -> impl Strategy<Value = Json> {
    option::of(value()).prop_map(|value| with(vec![], vec![("some_key", value)]))
}

fn blob() -> impl Strategy<Value = Json> {
    let kinds = one_of(&[
        "image/png",
        "audio/wav",
        "application/pdf",
        "video/mp4",
        "image/svg+xml;charset=u",
        "text/plain",
    ]);
    (kinds, "[A-Za-z0-9+/]{0,6}", option::weighted(0.2, word())).prop_map(|(kind, data, name)| {
        with(vec![("mimeType", kind), ("data", data.into())], vec![("displayName", name)])
    })
}

fn file() -> impl Strategy<Value = Json> {
    let uris = one_of(&[
        "gs://b/x.png",
        "https://a.test/x.pdf",
        "https://generativelanguage.googleapis.com/v1beta/files/x",
        "data:image/png;base64,AA==",
        "",
    ]);
    let kinds = option::of(one_of(&["image/png", "video/mp4", "audio/wav"]));
    (uris, kinds, option::weighted(0.2, word())).prop_map(|(uri, kind, name)| {
        with(vec![("fileUri", uri)], vec![("mimeType", kind), ("displayName", name)])
    })
}

fn media() -> impl Strategy<Value = Fields> {
    prop_oneof![
        blob().prop_map(|blob| vec![("inlineData", blob)]),
        file().prop_map(|file| vec![("fileData", file)]),
    ]
}

fn said() -> impl Strategy<Value = Json> {
    let data = prop_oneof![
        5 => word().prop_map(|text| vec![("text", text)]),
        3 => media(),
        1 => Just(vec![("videoMetadata", object([("fps", 1u32.into())]))]),
    ];
    (data, option::weighted(0.1, free()), option::weighted(0.1, Just(Value::Null)), signature()).prop_map(
        |(data, metadata, null, signature)| {
            let others =
                vec![("partMetadata", metadata), ("executableCode", null), ("thoughtSignature", signature)];
            with(data, others)
        },
    )
}

fn response() -> impl Strategy<Value = Json> {
    let error = option::of(prop_oneof![3 => word(), 1 => value()]);
    let output = option::of(prop_oneof![3 => word(), 2 => value()]);
    let other = option::weighted(0.2, value());
    (error, output, other).prop_map(|(error, output, other)| {
        with(vec![], vec![("error", error), ("output", output), ("some_key", other)])
    })
}

fn result() -> impl Strategy<Value = Json> {
    let media = vec(media().prop_map(object), 0..3);
    let parts = option::weighted(0.3, media.prop_map(Json::from));
    let scheduling = option::weighted(0.1, one_of(&["SILENT"]));
    let response = option::weighted(0.9, response());
    (id(), name(), response, parts, scheduling, signature()).prop_map(
        |(id, name, response, parts, scheduling, signature)| {
            let others =
                vec![("id", id), ("response", response), ("parts", parts), ("scheduling", scheduling)];
            let response = with(vec![("name", name)], others);
            with(vec![("functionResponse", response)], vec![("thoughtSignature", signature)])
        },
    )
}

fn turn_part() -> impl Strategy<Value = Json> {
    let call = (id(), name(), option::weighted(0.8, free()), option::weighted(0.1, free()), signature())
        .prop_map(|(id, name, args, metadata, signature)| {
            let call = with(vec![("name", name)], vec![("id", id), ("args", args)]);
            let others = vec![("thoughtSignature", signature), ("partMetadata", metadata)];
            with(vec![("functionCall", call)], others)
        });
    let thought = option::weighted(0.4, any::<bool>().prop_map(Json::from));
    let text = (word(), thought, signature()).prop_map(|(text, thought, signature)| {
        with(vec![("text", text)], vec![("thought", thought), ("thoughtSignature", signature)])
    });
    let code = word().prop_map(|code| {
        object([("executableCode", object([("language", "PYTHON".into()), ("code", code)]))])
    });
    let ran = one_of(&["OUTCOME_OK", "OUTCOME_FAILED"])
        .prop_map(|outcome| object([("codeExecutionResult", object([("outcome", outcome)]))]));
    prop_oneof![
        4 => text,
        4 => call,
        1 => code,
        1 => ran,
        1 => media().prop_map(object),
        1 => signature().prop_map(|signature| with(vec![], vec![("thoughtSignature", signature)])),
    ]
}

fn content() -> impl Strategy<Value = Json> {
    let user = prop_oneof![
        2 => vec(said(), 0..4),
        2 => (vec(result(), 1..4), vec(said(), 0..3)).prop_map(|(mut results, rest)| {
            results.extend(rest);
            results
        }),
        1 => vec(prop_oneof![result(), said()], 0..5),
    ];
    // In the order a model keeps to, and in any.
    let sorted = vec(turn_part(), 0..5).prop_map(|mut parts| {
        parts.sort_by_key(|part| match (part.get("functionCall"), part.get("text"), part.get("thought")) {
            (Some(_), ..) => 3,
            (_, Some(_), Some(Value::Bool(true))) => 0,
            (_, Some(_), _) => 2,
            _ => 1,
        });
        parts
    });
    let turn = prop_oneof![2 => sorted, 2 => vec(turn_part(), 0..5)];
    let roles = option::weighted(0.9, prop_oneof![8 => Just("user"), 1 => Just("function")]);
    let user = (roles, option::weighted(0.95, user));
    prop_oneof![
        4 => user.prop_map(|(role, parts)| {
            with(vec![], vec![("role", role.map(Json::from)), ("parts", parts.map(Json::from))])
        }),
        4 => option::weighted(0.95, turn).prop_map(|parts| {
            with(vec![("role", "model".into())], vec![("parts", parts.map(Json::from))])
        }),
    ]
}

fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(super::json(r#"{"type":"STRING","nullable":true,"minLength":"2"}"#)),
        Just(super::json(r#"{"type":"integer","enum":["a_b"]}"#)),
        Just(super::json(r#"{"anyOf":[{"type":"NUMBER"},{"type":"TYPE_UNSPECIFIED"}]}"#)),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        inner.prop_map(|inner| {
            object([
                ("type", "OBJECT".into()),
                ("properties", object([("some_name", inner.clone())])),
                ("propertyOrdering", vec!["some_name".into()].into()),
                ("items", inner),
            ])
        })
    })
}

fn tool() -> impl Strategy<Value = Json> {
    let declared =
        (name(), option::of(word()), option::of((free(), schema(), any::<bool>())), option::of(free()));
    let declared = declared.prop_map(|(name, description, schemas, response)| {
        let (schema, older) = match schemas {
            Some((schema, _, true)) => (Some(schema), None),
            Some((_, older, false)) => (None, Some(older)),
            None => (None, None),
        };
        with(
            vec![("name", name)],
            vec![
                ("description", description),
                ("parametersJsonSchema", schema),
                ("parameters", older),
                ("responseJsonSchema", response),
            ],
        )
    });
    let declared = option::of(vec(declared, 1..3));
    let hosted = || option::weighted(0.3, Just(object([])));
    // At least one of them: a tool that is none is not worth keeping.
    (declared, hosted(), hosted(), any::<bool>())
        .prop_filter("a tool", |(declared, search, code, _)| {
            declared.is_some() || search.is_some() || code.is_some()
        })
        .prop_map(|(declared, search, code, first)| {
            let declared = ("functionDeclarations", declared.map(Json::from));
            let hosted = vec![("googleSearch", search), ("codeExecution", code)];
            let fields =
                if first { [vec![declared], hosted].concat() } else { [hosted, vec![declared]].concat() };
            with(vec![], fields)
        })
}

fn tool_config() -> impl Strategy<Value = Json> {
    let modes = option::of(one_of(&["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"]));
    let names = option::of(vec(name(), 0..3).prop_map(Json::from));
    let choice = (modes, names, option::weighted(0.1, Just(true))).prop_map(|(mode, names, stream)| {
        let stream = ("streamFunctionCallArguments", stream.map(Json::from));
        with(vec![], vec![("mode", mode), ("allowedFunctionNames", names), stream])
    });
    (option::of(choice), option::of(Just(object([])))).prop_map(|(choice, retrieval)| {
        with(vec![], vec![("functionCallingConfig", choice), ("retrievalConfig", retrieval)])
    })
}

fn config() -> impl Strategy<Value = Json> {
    let number = |digits: &'static str| option::of(Just(Json::Number(digits.into())));
    let level = option::of(one_of(&["LOW", "XHIGH", "THINKING_LEVEL_UNSPECIFIED"]));
    let thinking = (level, number("512"))
        .prop_map(|(level, budget)| with(vec![], vec![("thinkingBudget", budget), ("thinkingLevel", level)]));
    let stop = option::of(vec(word(), 0..3).prop_map(Json::from));
    let null = option::weighted(0.2, Just(Value::Null));
    (number("0.70"), number("1.0"), number("40"), number("512"), stop, option::of(thinking), null).prop_map(
        |(temperature, top_p, top_k, limit, stop, thinking, null)| {
            with(
                vec![],
                vec![
                    ("temperature", temperature),
                    ("topP", top_p),
                    ("topK", top_k),
                    ("maxOutputTokens", limit),
                    ("stopSequences", stop),
                    ("thinkingConfig", thinking),
                    ("seed", null),
                ],
            )
        },
    )
}

fn body() -> impl Strategy<Value = Json> {
    let system = (vec(said(), 1..3), option::weighted(0.2, Just("system")))
        .prop_map(|(parts, role)| with(vec![("parts", parts.into())], vec![("role", role.map(Json::from))]));
    let settings = (option::of(config()), option::of(tool_config()), option::weighted(0.2, Just("models/m")));
    let labels = option::weighted(0.2, free());
    (option::of(system), vec(content(), 0..6), option::of(vec(tool(), 0..3)), settings, labels).prop_map(
        |(system, contents, tools, (config, tool_config, model), labels)| {
            with(
                vec![("contents", contents.into())],
                vec![
                    ("systemInstruction", system),
                    ("tools", tools.map(Json::from)),
                    ("toolConfig", tool_config),
                    ("generationConfig", config),
                    ("model", model.map(Json::from)),
                    ("labels", labels),
                ],
            )
        },
    )
}

/// Every result of the body in order: which tool, and whether it says `error`.
fn declared(body: &Json) -> Vec<(String, Option<bool>)> {
    let contents = body.get("contents").and_then(|m| m.as_array()).unwrap();
    contents
        .iter()
        .filter_map(|content| content.get("parts")?.as_array())
        .flatten()
        .filter_map(|part| part.get("functionResponse"))
        .map(|response| {
            let error = response.get("response").and_then(|response| response.get("error"));
            let failed = error.is_some_and(|error| !error.is_null());
            (response.get("name").unwrap().as_str().unwrap().to_owned(), failed.then_some(true))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_comes_back(body in body()) {
        let request = read(&body);
        let typed: Vec<_> =
            results(&request).iter().map(|r| (r.name.as_deref().unwrap().to_owned(), r.is_error)).collect();
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
