//! Recorded streams: what they add up to, however they are cut, and that a cut one is never taken for a whole one.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use toolwire::dialect::{StreamParser, is_terminal_event};
use toolwire::error::Error;
use toolwire::json::{Json, Object, Repeats, Value, compact, parse};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
use toolwire::message::{Message, Response, ToolCall, message_to_plain, tool_call_to_plain};

const DIALECTS: [Dialect; 5] = [Chat, Responses, Anthropic, Gemini, Bedrock];

fn folder(dialect: Dialect) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams").join(dialect.as_str())
}

/// Bedrock does not send text, but frames with lengths and checksums.
fn ending(dialect: Dialect) -> &'static str {
    if dialect == Bedrock { "bin" } else { "sse" }
}

fn recorded(dialect: Dialect) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(folder(dialect)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|e| e == ending(dialect))).collect();
    found.sort();
    assert!(found.len() >= 8, "the streams of {dialect} were found");
    found.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// The answer, and the error that stopped the reading.
fn read<'c>(dialect: Dialect, chunks: impl IntoIterator<Item = &'c [u8]>) -> (Response, Option<Error>) {
    let mut parser = StreamParser::new(dialect).unwrap();
    let refused = chunks.into_iter().find_map(|chunk| parser.feed(chunk).err());
    (parser.finish().unwrap(), refused)
}

fn plain((response, refused): &(Response, Option<Error>)) -> Json {
    let text = |text: &Option<toolwire::message::Text>| match text {
        Some(text) => Value::from(text.to_string()),
        None => Value::Null,
    };
    let unfinished: Vec<Json> = response.unfinished.iter().map(tool_call_to_plain).collect();
    let usage = response.usage.map(|usage| {
        Object::default()
            .with("prompt_tokens", usage.prompt_tokens)
            .with("completion_tokens", usage.completion_tokens)
            .with_some("cached_input_tokens", usage.cached_input_tokens)
            .with_some("reasoning_tokens", usage.reasoning_tokens)
    });
    Object::default()
        .with("id", text(&response.id))
        .with("model", text(&response.model))
        .with("complete", response.complete)
        .with("finish_reason", response.finish_reason.map_or(Value::Null, |reason| reason.as_str().into()))
        .with("native_finish_reason", text(&response.native_finish_reason))
        .with("usage", usage.map_or(Value::Null, Value::from))
        .with("message", message_to_plain(&Message::Assistant(response.message.clone())))
        .with("unfinished", unfinished)
        .with_some("error", response.error.clone())
        .with_some("refused", refused.as_ref().map(|error| error.to_string()))
        .with_some("native", response.native.clone())
        .into()
}

#[test]
fn a_stream_is_the_answer_beside_it() {
    for dialect in DIALECTS {
        for (path, bytes) in recorded(dialect) {
            let beside = path.with_extension("json");
            let read = plain(&read(dialect, [&bytes[..]]));
            if std::env::var_os("WRITE_STREAMS").is_some() {
                fs::write(&beside, compact(&read)).unwrap();
            }
            let expected = parse(&fs::read(&beside).unwrap(), Repeats::Refused).unwrap().value.into_owned();
            assert_eq!(read, expected, "{}\n{}", path.display(), compact(&read));
        }
    }
}

/// Numbers that look random, the same in every run.
fn random(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn every_cut_gives_the_same_answer() {
    let mut seed = 1;
    for dialect in DIALECTS {
        for (path, bytes) in recorded(dialect) {
            let whole = read(dialect, [&bytes[..]]);
            for cut in 0..=bytes.len() {
                assert_eq!(
                    read(dialect, [&bytes[..cut], &bytes[cut..]]),
                    whole,
                    "{} cut at {cut}",
                    path.display()
                );
            }
            assert_eq!(read(dialect, bytes.chunks(1)), whole, "{} byte by byte", path.display());
            for longest in [2, 3, 7, 64, 1000] {
                let mut chunks = Vec::new();
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let (chunk, behind) = rest.split_at((random(&mut seed) % longest + 1).min(rest.len()));
                    chunks.push(chunk);
                    rest = behind;
                }
                assert_eq!(read(dialect, chunks), whole, "{} in pieces", path.display());
            }
        }
    }
}

/// A call of a cut stream: the start of the whole one. White space between tokens is not kept in the whole one.
fn is_start_of(call: &ToolCall, whole: &[ToolCall]) -> bool {
    let packed = |text: &str| text.replace(' ', "");
    let is_start = |whole: &ToolCall| packed(&whole.arguments).starts_with(&packed(&call.arguments));
    // The older form of a call has no id.
    call.id.is_empty() || whole.iter().find(|whole| whole.id == call.id).is_some_and(is_start)
}

#[test]
fn a_cut_stream_is_never_complete() {
    for dialect in DIALECTS {
        let mut complete = 0;
        for (path, bytes) in recorded(dialect) {
            let (whole, _) = read(dialect, [&bytes[..]]);
            if !whole.complete {
                continue;
            }
            complete += 1;
            let mut parser = StreamParser::new(dialect).unwrap();
            let mut read = 0;
            // The parser holds what a stream would have given that ended here.
            while !parser.finish().unwrap().complete {
                let cut = parser.finish().unwrap();
                assert!(cut.message.tool_calls.iter().all(|call| whole.message.tool_calls.contains(call)));
                assert!(cut.unfinished.iter().all(|call| is_start_of(call, &whole.message.tool_calls)));
                parser.feed(&bytes[read..=read]).unwrap();
                read += 1;
            }
            // Nothing but a sentinel that the wire can do without stands behind it.
            let behind = String::from_utf8_lossy(&bytes[read..]);
            let sentinel = dialect == Responses && behind.trim() == "data: [DONE]";
            assert!(behind.is_empty() || sentinel, "{}: {behind:?}", path.display());
        }
        assert!(complete >= 5, "{dialect}");
    }
}

/// The frames of a stream, as their first four bytes say how long they are.
fn frames(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    while let Some((length, _)) = bytes.split_first_chunk() {
        let (frame, rest) = bytes.split_at(u32::from_be_bytes(*length) as usize);
        frames.push(frame);
        bytes = rest;
    }
    frames
}

#[test]
fn the_last_frame_is_known() {
    for (path, bytes) in recorded(Bedrock) {
        let (whole, _) = read(Bedrock, [&bytes[..]]);
        let frames = frames(&bytes);
        let terminal = frames.iter().filter(|frame| is_terminal_event(Bedrock, frame)).count();
        if whole.complete {
            assert_eq!(terminal, 1, "{}", path.display());
            let last = frames.last().unwrap();
            assert!(is_terminal_event(Bedrock, last));
            assert!((0..last.len()).all(|cut| !is_terminal_event(Bedrock, &last[..cut])));
        }
    }
}

#[test]
fn a_changed_bit_of_a_frame_is_refused() {
    let (_, bytes) = recorded(Bedrock).into_iter().find(|(path, _)| path.ends_with("two_calls.bin")).unwrap();
    let (whole, _) = read(Bedrock, [&bytes[..]]);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let (response, refused) = read(Bedrock, [&changed[..]]);
        assert!(refused.is_some() && !response.complete, "byte {at}");
        assert!(response.message.tool_calls.iter().all(|call| whole.message.tool_calls.contains(call)));
    }
}

#[test]
fn the_last_event_is_known() {
    for dialect in [Chat, Responses, Anthropic] {
        for (path, bytes) in recorded(dialect) {
            let (whole, _) = read(dialect, [&bytes[..]]);
            let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n").replace('\r', "\n");
            let events: Vec<&str> = text.split_inclusive("\n\n").collect();
            let terminal = events.iter().filter(|event| is_terminal_event(dialect, event.as_bytes())).count();
            let bare = events.iter().filter(|event| is_terminal_event(dialect, event.trim_end().as_bytes()));
            assert_eq!((terminal, bare.count()), (terminal, terminal), "{}", path.display());
            if whole.complete {
                assert_eq!(terminal, 1, "{}", path.display());
            }
        }
    }
}

/// The wires whose texts come in deltas that are nearly all alike.
const DELTAS: [Dialect; 3] = [Chat, Responses, Anthropic];

/// An event that says nothing: what stands around it is read without a look at the event before.
fn nothing(dialect: Dialect) -> &'static str {
    if dialect == Chat { "data: {\"choices\":[]}\n\n" } else { "data: {\"type\":\"ping\"}\n\n" }
}

fn reads_alike(dialect: Dialect, events: &[String]) {
    let together = read(dialect, [events.concat().as_bytes()]);
    let apart = read(dialect, [events.join(nothing(dialect)).as_bytes()]);
    let numbers = |error: &Error| error.what.clone();
    assert_eq!(together.0, apart.0, "{events:?}");
    assert_eq!(together.1.as_ref().map(numbers), apart.1.as_ref().map(numbers));
}

#[test]
fn an_event_reads_the_same_behind_any_other() {
    for dialect in DELTAS {
        for (_, bytes) in recorded(dialect) {
            let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n").replace('\r', "\n");
            let events: Vec<String> = text.split_inclusive("\n\n").map(str::to_owned).collect();
            reads_alike(dialect, &events);
        }
    }
}

/// A string token in one of the spellings that JSON has for it.
fn token(text: &str, ascii: bool) -> String {
    let plain = compact(&Value::from(text));
    if !ascii {
        return plain;
    }
    let escaped = |c: char| {
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units).iter();
        units.map(|unit| format!("\\u{unit:04x}")).collect::<String>()
    };
    plain.chars().map(|c| if c.is_ascii() { c.to_string() } else { escaped(c) }).collect()
}

/// Events that are much like one another, in ways that do and do not count.
fn alike() -> impl Strategy<Value = (Dialect, Vec<String>)> {
    let piece = (0..10_usize, 0..2_u64, 0..2_u64, "[a\"\\\\ü🙂\n{}]{0,3}", any::<bool>(), 0..12_u32);
    (prop::sample::select(DELTAS.to_vec()), proptest::collection::vec(piece, 0..14)).prop_map(
        |(dialect, pieces)| {
            let event = |(kind, n, part, text, ascii, count): (usize, u64, u64, String, bool, u32)| {
                let text = token(&text, ascii);
                let data = match dialect {
                    Chat => {
                        let delta = [
                            format!(r#"{{"content":{text}}}"#),
                            format!(r#"{{"role":"assistant","content":{text}}}"#),
                            format!(r#"{{"content":{text},"refusal":null}}"#),
                            format!(r#"{{"content":{text},"reasoning":{text}}}"#),
                            format!(r#"{{"reasoning_content":{text}}}"#),
                            format!(r#"{{"tool_calls":[{{"index":{part},"function":{{"arguments":{text}}}}}]}}"#),
                            format!(
                                r#"{{"tool_calls":[{{"index":{part},"id":"c{n}","type":"function","function":{{"name":"f","arguments":{text}}}}}]}}"#
                            ),
                            format!(
                                r#"{{"tool_calls":[{{"index":{part},"id":"","type":"function","function":{{"input":{text}}}}}]}}"#
                            ),
                            format!(r#"{{"content":[{{"type":"text","text":{text}}}]}}"#),
                            format!(
                                r#"{{"tool_calls":[{{"index":{part},"function":{{"arguments":{text}}},"custom":{{"input":"x"}}}}]}}"#
                            ),
                        ];
                        let padding = "x".repeat(count as usize % 3);
                        format!(
                            r#"{{"id":"i","choices":[{{"index":{n},"delta":{},"finish_reason":null}}],"obfuscation":"{padding}"}}"#,
                            delta[kind]
                        )
                    }
                    Responses => {
                        let stems = ["output_text", "refusal", "reasoning_text", "reasoning_summary_text"];
                        let inputs = ["function_call_arguments", "custom_tool_call_input"];
                        let stem = stems.iter().chain(&inputs).nth(kind % 6).unwrap();
                        let number = if kind > 5 { format!("{count}.0") } else { count.to_string() };
                        format!(
                            r#"{{"type":"response.{stem}.delta","output_index":{n},"content_index":{part},"summary_index":{part},"delta":{text},"sequence_number":{number}}}"#
                        )
                    }
                    _ => {
                        let delta = [
                            format!(r#"{{"type":"text_delta","text":{text}}}"#),
                            format!(r#"{{"type":"thinking_delta","thinking":{text}}}"#),
                            format!(r#"{{"type":"signature_delta","signature":{text}}}"#),
                            format!(r#"{{"type":"input_json_delta","partial_json":{text}}}"#),
                        ];
                        format!(r#"{{"type":"content_block_delta","index":{n},"delta":{}}}"#, delta[kind % 4])
                    }
                };
                format!("data: {data}\n\n")
            };
            (dialect, pieces.into_iter().map(event).collect())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn events_that_are_much_alike_are_told_apart((dialect, events) in alike()) {
        // Each twice: the second one may be read by the first.
        let twice: Vec<String> = events.iter().flat_map(|event| [event.clone(), event.clone()]).collect();
        reads_alike(dialect, &events);
        reads_alike(dialect, &twice);
    }
}

#[test]
fn a_stream_without_anything_in_it_is_an_empty_answer() {
    for dialect in DIALECTS {
        let (response, refused) =
            read(dialect, [&b""[..], if dialect == Bedrock { b"" } else { b": nothing\n\n" }]);
        assert!(refused.is_none() && !response.complete);
        assert!(response.message.content.is_none() && response.message.tool_calls.is_empty());
        assert_eq!((response.finish_reason, response.usage), (None, None));
    }
}

#[test]
fn what_is_no_event_is_refused_with_its_number() {
    for (dialect, stream, sentence) in [
        (Chat, &b"data: {}\n\ndata: {\n\n"[..], "events[1]: unexpected end at byte 1"),
        (Chat, b"data: {}\n\ndata: {\"x\":\"\xf0\x9f\"}\n\n", "events[1]: not valid UTF-8 at byte 6"),
        (Chat, b"data: 5\n\n", "events[0]: expected an object"),
        (Chat, b"data: {\"choices\":5}\n\n", "events[0].choices: expected a list"),
        (
            Chat,
            b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\n\n",
            "events[0].choices[0].delta.tool_calls[0].index: expected an index",
        ),
        (
            Chat,
            b"data: {\"choices\":[{\"delta\":{\"role\":\"user\"}}]}\n\n",
            "events[0].choices[0].delta.role: expected assistant",
        ),
    ] {
        let (response, refused) = read(dialect, [stream]);
        assert_eq!(refused.unwrap().to_string(), sentence);
        assert!(!response.complete);
        let mut parser = StreamParser::new(dialect).unwrap();
        parser.feed(stream).unwrap_err();
        assert!(parser.feed(b"data: [DONE]\n\n").is_err(), "nothing is read behind it");
    }
}

/// What a proxy that tries again sends: one answer, cut or whole, and then another.
#[test]
fn a_second_answer_in_one_stream_is_never_taken_for_the_end_of_the_first() {
    let read = |dialect: Dialect, bytes: &[u8]| {
        let mut parser = StreamParser::new(dialect).unwrap();
        parser.feed(bytes).unwrap();
        parser.finish().unwrap()
    };
    for (dialect, stem) in [(Anthropic, "parallel_calls.sse"), (Bedrock, "two_calls.bin")] {
        let whole = fs::read(folder(dialect).join(stem)).unwrap();
        let first = read(dialect, &whole);
        assert!(first.complete);
        // Behind its end nothing counts.
        let behind = read(dialect, &[&whole[..], &whole[..whole.len() / 2]].concat());
        assert_eq!((behind.complete, &behind.message), (true, &first.message), "{dialect}");
        // Before its end the second one spoils it.
        let cut =
            (1..whole.len()).rev().find(|end| !read(dialect, &whole[..*end]).message.tool_calls.is_empty());
        let start = &whole[..cut.unwrap()];
        let events = if dialect == Anthropic {
            start[..start.windows(2).rposition(|pair| pair == b"\n\n").unwrap() + 2].to_vec()
        } else {
            let mut at = 0;
            loop {
                let len = u32::from_be_bytes(start[at..at + 4].try_into().unwrap()) as usize;
                if at + len > start.len() {
                    break start[..at].to_vec();
                }
                at += len;
            }
        };
        assert!(!read(dialect, &[&events[..], &whole[..]].concat()).complete, "{dialect}");
    }
}

#[test]
fn an_error_ends_the_turn() {
    for (dialect, event, ends) in [
        (Chat, r#"data: {"error":{"message":"overloaded"}}"#, true),
        (Chat, r#"data: {"object":"error","message":"overloaded"}"#, true),
        (Chat, "event: error\ndata: {\"message\":\"overloaded\"}", true),
        (Chat, r#"{"error":{"message":"overloaded"}}"#, true),
        (Chat, r#"data: {"error":null,"choices":[]}"#, false),
        (Chat, r#"data: {"choices":[{"delta":{"content":"an error"}}]}"#, false),
        (Responses, r#"data: {"type":"error","code":"server_error"}"#, true),
        (Responses, "event: error\ndata: {\"code\":\"server_error\"}", true),
        (Responses, r#"data: {"error":{"code":"server_error"}}"#, true),
        (Responses, r#"{"error":{"code":"server_error"}}"#, true),
        (Responses, r#"data: {"type":"response.created","response":{"error":null}}"#, false),
        (Responses, r#"data: {"type":"response.output_text.delta","delta":"error"}"#, false),
        (Anthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{}}", true),
        (Anthropic, r#"data: {"type":"error","error":{}}"#, true),
        (Anthropic, r#"{"type":"error","error":{}}"#, true),
        (Anthropic, r#"{"error":{"message":"bad gateway"}}"#, true),
        (Anthropic, r#"data: {"type":"content_block_delta","delta":{"text":"error"}}"#, false),
        (Gemini, r#"data: {"error":{"code":503}}"#, true),
        (Gemini, r#"{"error":{"code":503}}"#, true),
        (Gemini, r#"data: {"candidates":[{"content":{"parts":[{"text":"error"}]}}]}"#, false),
    ] {
        for end in ["", "\n", "\n\n"] {
            assert_eq!(is_terminal_event(dialect, format!("{event}{end}").as_bytes()), ends, "{event}");
        }
        let (response, refused) = read(dialect, [format!("{event}\n\n").as_bytes()]);
        assert_eq!((response.error.is_some(), response.complete), (ends, false), "{event} {refused:?}");
    }
    for name in ["error.bin", "exception.bin"] {
        let bytes = fs::read(folder(Bedrock).join(name)).unwrap();
        assert!(is_terminal_event(Bedrock, frames(&bytes).last().unwrap()), "{name}");
    }
}

#[test]
fn sound_that_is_no_base64_is_refused() {
    let (response, refused) =
        read(Chat, [&b"data: {\"choices\":[{\"delta\":{\"audio\":{\"data\":\"AAA\"}}}]}\n\n"[..]]);
    assert_eq!(refused.unwrap().to_string(), "events[0].choices[0].delta.audio.data: expected base64");
    assert!(!response.complete);
}
