//! Costs of the core at 20, 200 and 1,000 messages: parse, render, convert, seal, hash, and what a turn of that length
//! costs in a rollout. `cargo bench --no-default-features`.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use toolwire::dialect::{Options, convert, read_request, write_request};
use toolwire::graph::{Pending, Shared, Stamp, Tools};
use toolwire::identity::{self, Print};
use toolwire::json::{Repeats, Value, compact, parse};
use toolwire::message::Dialect::{Anthropic, Chat};
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
            b.iter(|| seal(Chat, black_box(&chat)).expect("valid").body.len());
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

criterion_group!(benches, core, rollout);
criterion_main!(benches);
