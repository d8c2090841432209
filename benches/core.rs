//! Costs of the core at 20, 200 and 1,000 messages: parse, render, convert, seal, hash. `cargo bench --no-default-features`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use toolwire::dialect::{Options, convert, read_request, write_request};
use toolwire::identity;
use toolwire::json::{Repeats, Value, compact, parse};
use toolwire::message::Dialect::{Anthropic, Chat};
use toolwire::request::seal;

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

criterion_group!(benches, core);
criterion_main!(benches);
