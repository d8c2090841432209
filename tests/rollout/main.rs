//! A rollout is the slow path, only faster: random scripts, on every wire, with whatever programs do to a conversation.
//!
//! `TOOLWIRE_ROLLOUTS=20000 cargo test --release --test rollout` runs more of them; `TOOLWIRE_SEED=…` runs one again.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

mod check;
mod edits;
mod rng;
mod script;
mod spell;
mod threads;
mod wires;

use check::{Check, Checked};
use rng::Rng;
use script::{Step, Then, script};
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolwire::graph::Shared;
use toolwire::message::Dialect;
use toolwire::request::seal;
use toolwire::rollout::Rollout;

fn number_in(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn attempt(check: &mut Check, steps: &[Step]) -> Checked {
    catch_unwind(AssertUnwindSafe(|| check.run(steps))).unwrap_or_else(|_| Err("panicked".to_owned()))
}

/// Leaves out every step without which it fails, too.
fn smallest(mut steps: Vec<Step>) -> (Vec<Step>, String) {
    let mut what = String::new();
    let mut at = 0;
    while at < steps.len() {
        let step = steps.remove(at);
        match attempt(&mut Check::default(), &steps) {
            Err(_) => at = 0,
            Ok(()) => {
                steps.insert(at, step);
                at += 1;
            }
        }
    }
    if let Err(last) = attempt(&mut Check::default(), &steps) {
        what = last;
    }
    (steps, what)
}

fn shown(step: &Step) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(4000).collect::<String>();
    let then = match &step.then {
        Then::Nothing => "nothing".to_owned(),
        Then::Prompt => "commit_prompt".to_owned(),
        Then::Answer(body) => text(body),
    };
    let Step { what, dialect, on, held, .. } = step;
    format!("{what}: {dialect} on {on:?}, held: {held}\n  {}\n  then {then}", text(&step.body))
}

fn hold(name: &str, script: impl Fn(u64) -> Vec<Step>) {
    let seeds = match number_in("TOOLWIRE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number_in("TOOLWIRE_ROLLOUTS").unwrap_or(300),
    };
    let (mut sent, mut read, mut known) = (0, 0, 0);
    for seed in seeds {
        let steps = script(seed);
        let mut check = Check::default();
        if attempt(&mut check, &steps).is_err() {
            let (steps, what) = smallest(steps);
            let steps: Vec<String> = steps.iter().map(shown).collect();
            panic!("{name}, TOOLWIRE_SEED={seed}: {what}\n\n{}\n", steps.join("\n\n"));
        }
        sent += steps.len();
        read += check.read;
        known += check.known;
    }
    if number_in("TOOLWIRE_SEED").is_none() {
        assert!(read * 10 > sent * 8 && read < sent, "{read} of {sent} bodies could be read");
        assert!(known * 2 > read, "{known} of {read} bodies continued something");
    }
}

#[test]
fn chat_is_the_slow_path() {
    hold("chat", |seed| script(Dialect::Chat, seed));
}

#[test]
fn responses_is_the_slow_path() {
    hold("responses", |seed| script(Dialect::Responses, seed));
}

#[test]
fn anthropic_is_the_slow_path() {
    hold("anthropic", |seed| script(Dialect::Anthropic, seed));
}

/// Rollouts of all wires over one graph, where equal messages meet.
#[test]
fn wires_share_a_graph() {
    hold("wires", |seed| {
        let mut rng = Rng::new(seed);
        let mut scripts = [Dialect::Chat, Dialect::Responses, Dialect::Anthropic]
            .map(|dialect| script(dialect, seed).into_iter().take(6).peekable());
        let mut steps = Vec::new();
        while scripts.iter_mut().any(|script| script.peek().is_some()) {
            steps.extend(scripts[rng.below(3)].next());
        }
        steps
    });
}

#[test]
fn a_retry_key_names_the_wire() {
    let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let key = |dialect| Rollout::new(dialect, Shared::default()).receive(body).unwrap().retry_key();
    assert_eq!(key(Dialect::Chat), key(Dialect::Chat));
    assert_ne!(key(Dialect::Chat), key(Dialect::Anthropic));
}

/// A repeated key hides what it had before, which goes to the provider all the same.
#[test]
fn a_hidden_marker_is_sealed() {
    let body =
        br#"{"messages":[{"role":"tool","tool_call_id":"c","content":"x","n":{"_vf_is_error":true},"n":1}]}"#;
    let turn = Rollout::new(Dialect::Chat, Shared::default()).receive(body).unwrap();
    let sealed = seal(Dialect::Chat, None, body).unwrap();
    let upstream = turn.upstream(body, None).unwrap();
    assert_eq!(upstream.bytes(body), *sealed.body);
    assert_eq!(upstream.losses, sealed.losses);
    assert!(!sealed.losses.is_empty());
}
