//! Costs of the core at 20, 200 and 1,000 messages: parse, render, convert, seal, hash, and what a turn of that length
//! costs in a rollout; and of streams of 2,000 and 5,000 events. `cargo bench --no-default-features`.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use toolwire::dialect::{Options, StreamParser, convert, read_request, write_request};
use toolwire::graph::{Pending, Shared, Stamp, Tools};
use toolwire::identity::{self, Print};
use toolwire::json::{Repeats, Value, compact, parse};
use toolwire::message::Dialect::{self, Anthropic, Chat, Responses};
use toolwire::message::Message;
use toolwire::request::seal;
use toolwire::rollout::{Rollout, Turn};

/// An agentic chat body: a call and a result of about 2 KiB in turn, every seventh result a failure.
fn chat_body(messages: usize) -> Vec<u8> {
    let output = "line of tool output 0123456789 abcdef | \\n".repeat(50);
    let mut body = String::from(r#"{"model":"m","messages":[{"role":"user","content":"do the task"}"#);
    for n in 0..messages / 2 {
        body += &format!(
            r#",{{"role":"assistant","content":"step {n}","tool_calls":[{{"id":"call_{n}","type":"function","function":{{"name":"bash","arguments":"{{\"cmd\":\"ls -la /srv/{n}\",\"timeout\":30}}"}}}}]}}"#
        );
        let marker = if n % 7 == 0 { r#","_vf_is_error":true"# } else { "" };
        body += &format!(r#",{{"role":"tool","tool_call_id":"call_{n}","content":"{n}:{output}"{marker}}}"#);
    }
    (body + "]}").into_bytes()
}

fn core(c: &mut Criterion) {
    for messages in [20, 200, 1000] {
        let chat = chat_body(messages);
        let parsed = parse(&chat, Repeats::LastWins).expect("valid");
        let request = read_request(Chat, &parsed.value).expect("valid");
        let anthropic =
            compact(&Value::from(convert(Chat, Anthropic, &parsed).expect("convertible").0)).into_bytes();
        let mut group = c.benchmark_group("core");
        group.throughput(Throughput::Bytes(chat.len() as u64));
        let id = |name: &str| BenchmarkId::new(name, messages);
        group.bench_function(id("parse"), |b| {
            b.iter(|| {
                let parsed = parse(black_box(&chat), Repeats::LastWins).expect("valid");
                read_request(Chat, &parsed.value).expect("valid")
            });
        });
        group.bench_function(id("render"), |b| {
            b.iter(|| {
                let (body, _) = write_request(Chat, black_box(&request), Options::default()).expect("valid");
                compact(&Value::from(body))
            });
        });
        group.bench_function(id("convert"), |b| {
            b.iter(|| {
                let parsed = parse(black_box(&anthropic), Repeats::LastWins).expect("valid");
                compact(&Value::from(convert(Anthropic, Chat, &parsed).expect("convertible").0))
            });
        });
        group.bench_function(id("seal"), |b| {
            b.iter(|| seal(Chat, None, black_box(&chat)).expect("valid").body.len());
        });
        group.bench_function(id("hash"), |b| b.iter(|| identity::prefixes(black_box(&request.messages))));
        group.finish();
    }
}

/// A turn that adds a result to a conversation of this length, and the commit of the answer before it.
fn rollout(c: &mut Criterion) {
    for messages in [20, 200, 1000] {
        let (before, body) = (chat_body(messages - 2), chat_body(messages));
        let request =
            read_request(Chat, &parse(&body, Repeats::LastWins).expect("valid").value).expect("valid");
        let answer = Arc::new(request.messages[messages - 1].clone());
        let committed = || {
            let rollout = Rollout::new(Chat, Shared::default());
            let turn = rollout.receive(&before).expect("valid");
            turn.commit(&before, answer.clone(), Stamp::default());
            rollout
        };
        let warm = committed();
        let turn = warm.receive(&body).expect("valid");
        assert_eq!((turn.known().len(), turn.tail().len()), (messages, 1));
        let mut group = c.benchmark_group("rollout");
        group.throughput(Throughput::Bytes(body.len() as u64));
        let id = |name: &str| BenchmarkId::new(name, messages);
        group.bench_function(id("receive"), |b| b.iter(|| warm.receive(black_box(&body)).expect("valid")));
        group.bench_function(id("upstream"), |b| {
            b.iter(|| turn.upstream(black_box(&body), None).expect("valid").bytes(&body));
        });
        group.bench_function(id("first sight"), |b| {
            b.iter(|| Rollout::new(Chat, Shared::default()).receive(black_box(&body)).expect("valid"));
        });
        group.bench_function(id("commit"), |b| {
            let received = || {
                let rollout = committed();
                rollout.receive(&body).expect("valid")
            };
            // What is given back is freed when the clock has stopped.
            let commit = |turn: Turn| (turn.commit(&body, answer.clone(), Stamp::default()), turn);
            b.iter_batched(received, commit, BatchSize::LargeInput);
        });
        group.bench_function(id("prepare typed messages"), |b| {
            let typed: Vec<Arc<Message>> = request.messages.iter().cloned().map(Arc::new).collect();
            b.iter(|| {
                let printed = typed.iter().map(|message| (message.clone(), Print::of(message))).collect();
                Pending::of(&warm.graph().read(), Tools::of(request.tools.clone()), printed)
            });
        });
        group.finish();
    }
}

/// A stream of so many deltas of text, one event to an element.
fn stream(dialect: Dialect, deltas: usize) -> Vec<Vec<u8>> {
    let (start, piece, end): (String, &str, &str) = match dialect {
        Chat => (
            String::new(),
            r#"data: {"id":"c1","object":"chat.completion.chunk","created":1780000000,"model":"m","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"token "},"logprobs":null,"finish_reason":null}]}"#,
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]",
        ),
        Anthropic => (
            r#"data: {"type":"message_start","message":{"id":"m1","role":"assistant","model":"m","content":[]}}"#
                .to_owned()
                + "\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"token \"}}",
            "data: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_stop\"}",
        ),
        _ => (
            String::new(),
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"token \",\"logprobs\":[],\"sequence_number\":7}",
            r#"data: {"type":"response.completed","response":{"id":"r1","status":"completed","output":[]}}"#,
        ),
    };
    let mut events = vec![start.into_bytes()];
    events.extend((0..deltas).map(|_| format!("{piece}\n\n").into_bytes()));
    events.push(format!("{end}\n\n").into_bytes());
    events
}

/// Feeding a stream event by event, in pieces of a network packet, and byte by byte.
fn streams(c: &mut Criterion) {
    for dialect in [Chat, Responses, Anthropic] {
        for deltas in [2000, 5000] {
            let events = stream(dialect, deltas);
            let whole = events.concat();
            let read = |chunks: &mut dyn Iterator<Item = &[u8]>| {
                let mut parser = StreamParser::new(dialect).expect("a wire with streams");
                for chunk in chunks {
                    parser.feed(chunk).expect("valid");
                }
                let answer = parser.finish().expect("an answer");
                assert!(answer.complete);
                answer
            };
            let mut group = c.benchmark_group("streams");
            group.throughput(Throughput::Elements(deltas as u64));
            let id = |name: &str| BenchmarkId::new(format!("{dialect} {name}"), deltas);
            group.bench_function(id("events"), |b| b.iter(|| read(&mut events.iter().map(Vec::as_slice))));
            group.bench_function(id("packets"), |b| b.iter(|| read(&mut whole.chunks(1400))));
            group.bench_function(id("bytes"), |b| b.iter(|| read(&mut whole.chunks(1))));
            group.finish();
        }
    }
}

criterion_group!(benches, core, rollout, streams);
criterion_main!(benches);
