//! A script on a rollout and on the slow path beside it, which reads every body anew: no difference.

use crate::script::{On, Step, Then};
use crate::wires::list_key;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use toolwire::dialect::{self, Loss, read_request};
use toolwire::error::{Error, Result};
use toolwire::graph::{Graph, Pending, Shared, Stamp, Tools};
use toolwire::identity::{self, Identity, Print};
use toolwire::journal::{from_jsonl, to_jsonl};
use toolwire::json::{Object, Repeats, Value, canonical, compact, parse};
use toolwire::message::{Dialect, Message, Request, message_to_plain, request_to_plain};
use toolwire::request::{apply_overrides, seal};
use toolwire::rollout::{Rollout, Segment, Turn, Upstream};

/// Nothing, or a difference in words.
pub(crate) type Checked = std::result::Result<(), String>;

/// Model and sampling.
pub(crate) type Overrides<'a> = Option<(&'a str, &'a Object<'a>)>;

pub(crate) fn same<T: PartialEq + Debug>(what: &str, fast: &T, slow: &T) -> Checked {
    if fast == slow {
        return Ok(());
    }
    let shown = |value: &T| format!("{value:?}").chars().take(2000).collect::<String>();
    Err(format!("{what}\n  fast: {}\n  slow: {}", shown(fast), shown(slow)))
}

/// A body as the slow path reads it.
pub(crate) struct Read {
    pub(crate) request: Request,
    pub(crate) messages: Vec<(Arc<Message>, Print)>,
    /// The top-level members that do not hold the conversation.
    pub(crate) settings: Vec<u8>,
}

pub(crate) fn read(dialect: Dialect, body: &[u8]) -> Result<Read> {
    let parsed = parse(body, Repeats::LastWins)?;
    let mut request = read_request(dialect, &parsed.value)?;
    request.replaced = parsed.replaced.iter().map(|path| path.to_string().into()).collect();
    let messages = request.messages.iter().map(|message| (Arc::new(message.clone()), Print::of(message)));
    let messages = messages.collect();
    let mut settings = parsed.value;
    if let Value::Object(members) = &mut settings {
        members.remove(list_key(dialect));
    }
    Ok(Read { request, messages, settings: canonical(&settings) })
}

/// The message of an answer; none where it nests too deep.
pub(crate) fn read_answer(dialect: Dialect, body: &[u8]) -> Option<Arc<Message>> {
    let parsed = parse(body, Repeats::LastWins).ok()?;
    Some(Arc::new(Message::Assistant(dialect::read_answer(dialect, &parsed.value).unwrap())))
}

/// The body that goes to the provider, and what was left out of it.
pub(crate) fn upstream(
    dialect: Dialect,
    body: &[u8],
    overrides: Overrides<'_>,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let sealed = match overrides {
        Some((model, sampling)) => apply_overrides(dialect, None, body, model, sampling)?,
        None => seal(dialect, None, body)?,
    };
    Ok((sealed.body.into_owned(), sealed.losses))
}

/// The segments of an upstream body, joined.
fn joined(upstream: &Upstream, body: &[u8]) -> Vec<u8> {
    let bytes = |segment: &Segment| match segment {
        Segment::Body(range) => body[range.clone()].to_vec(),
        Segment::Bytes(bytes) => bytes.to_vec(),
    };
    upstream.segments.iter().flat_map(bytes).collect()
}

/// A turn that both have received, until something is done with it.
struct Open<'s> {
    step: &'s Step,
    at: usize,
    turn: Turn,
    pending: Pending,
}

#[derive(Default)]
pub(crate) struct Check {
    rollouts: HashMap<Dialect, [Rollout; 2]>,
    graph: Shared,
    slow: Graph,
    /// What each retry key was given for, and the key of each body.
    keys: HashMap<Identity, (Dialect, Vec<Print>, Vec<u8>)>,
    bodies: HashMap<(Dialect, Vec<u8>), Identity>,
    /// How many bodies could be read, and how many of them continued something.
    pub(crate) read: usize,
    pub(crate) known: usize,
}

impl Check {
    pub(crate) fn run(&mut self, steps: &[Step]) -> Checked {
        let mut waiting = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            waiting.extend(self.receive(at, step)?);
            if !step.held {
                waiting.drain(..).rev().try_for_each(|open| self.finish(&open))?;
            }
        }
        waiting.iter().try_for_each(|open| self.finish(open))?;
        self.compare_nodes()
    }

    fn receive<'s>(&mut self, at: usize, step: &'s Step) -> std::result::Result<Option<Open<'s>>, String> {
        let named = |what: &str| format!("step {at}: {what}");
        let (dialect, graph) = (step.dialect, &self.graph);
        let fresh = || Rollout::new(dialect, graph.clone());
        let [first, second] = self.rollouts.entry(dialect).or_insert_with(|| [fresh(), fresh()]);
        let fast = match step.on {
            On::First => first.receive(&step.body),
            On::Second => second.receive(&step.body),
            On::Fresh => fresh().receive(&step.body),
        };
        let slow = read(dialect, &step.body);
        let said = |error: &Error| Some((error.kind, error.to_string()));
        same(&named("error"), &fast.as_ref().err().and_then(said), &slow.as_ref().err().and_then(said))?;
        let (Ok(turn), Ok(read)) = (fast, slow) else { return Ok(None) };
        let prints: Vec<Print> = read.messages.iter().map(|(_, print)| *print).collect();
        let pending = Pending::of(&self.slow, Tools::of(read.request.tools.clone()), read.messages);
        same(&named("known"), &turn.known(), &pending.known)?;
        same(&named("tail"), &turn.tail(), &pending.tail.as_slice())?;
        let plain = |tail: &[(Arc<Message>, Print)]| -> Vec<String> {
            tail.iter().map(|(message, _)| compact(&message_to_plain(message))).collect()
        };
        same(&named("spelling of the tail"), &plain(turn.tail()), &plain(&pending.tail))?;
        if matches!(step.on, On::Fresh) {
            self.resume(step, &turn).map_err(|error| named(&format!("resumed: {error}")))?;
        }
        let request = turn.request(&step.body).map_err(|error| named(&format!("request: {error}")))?;
        same(&named("request"), &request, &read.request)?;
        let plain = |request: &Request| compact(&request_to_plain(request));
        same(&named("spelling of the request"), &plain(&request), &plain(&read.request))?;
        let (key, body) = (turn.retry_key(), (dialect, step.body.clone()));
        let before = *self.bodies.entry(body).or_insert(key);
        same(&named("retry key of the same body"), &key, &before)?;
        let said = (dialect, prints.clone(), read.settings.clone());
        let (wire, others, settings) = self.keys.entry(key).or_insert(said);
        same(&named("retry key for another wire"), &dialect, wire)?;
        same(&named("retry key for other settings"), &read.settings, settings)?;
        let own = |prints: &[Print]| prints.iter().map(|print| print.own).collect::<Vec<_>>();
        same(&named("retry key for another conversation"), &own(&prints), &own(others))?;
        self.read += 1;
        self.known += usize::from(!pending.known.is_empty());
        Ok(Some(Open { step, at, turn, pending }))
    }

    /// A rollout on a graph from a journal, which holds every message in its typed form, receives the body alike.
    fn resume(&self, step: &Step, turn: &Turn) -> Checked {
        let Ok(journal) = to_jsonl(self.graph.read().nodes()) else { return Ok(()) };
        let graph = from_jsonl(journal.as_bytes()).map_err(|error| error.to_string())?;
        let rollout = Rollout::new(step.dialect, Shared::new(graph));
        let resumed = rollout.receive(&step.body).map_err(|error| error.to_string())?;
        same("known", &resumed.known(), &turn.known())?;
        same("tail", &resumed.tail(), &turn.tail())?;
        same("retry key", &resumed.retry_key(), &turn.retry_key())
    }

    fn finish(&mut self, open: &Open<'_>) -> Checked {
        let Open { step, at, turn, pending } = open;
        let named = |what: &str| format!("step {at}: {what}");
        let all = step.overrides.iter().map(|(model, sampling)| Some((model.as_str(), sampling)));
        for overrides in all.chain([None]) {
            let asked = overrides.map(|(model, sampling)| {
                toolwire::rollout::Overrides::new(model.to_owned(), sampling.clone().into_owned())
            });
            let fast = turn.upstream(&step.body, asked.as_ref());
            if let Ok(upstream) = &fast {
                let bytes = String::from_utf8_lossy(&upstream.bytes(&step.body)).into_owned();
                let parts = String::from_utf8_lossy(&joined(upstream, &step.body)).into_owned();
                same(&named("segments of upstream"), &parts, &bytes)?;
            }
            let fast = fast.map(|upstream| (upstream.bytes(&step.body), upstream.losses));
            let slow = upstream(step.dialect, &step.body, overrides);
            let shown = |upstream: Result<(Vec<u8>, Vec<Loss>)>| {
                upstream.map(|(body, losses)| (String::from_utf8_lossy(&body).into_owned(), losses))
            };
            same(&named(&format!("upstream with {overrides:?}")), &shown(fast), &shown(slow))?;
        }
        let timestamp = *at as f64;
        // Some commit twice, or the prompt first.
        let (twice, prompt) = (at % 4 == 1, at % 4 == 2);
        if matches!(step.then, Then::Prompt) || prompt && matches!(step.then, Then::Answer(_)) {
            let fast = turn.commit_prompt(&step.body, timestamp);
            same(&named("commit_prompt"), &fast, &pending.commit_prompt(&mut self.slow, timestamp))?;
        }
        if let Then::Answer(body) = &step.then
            && let Some(answer) = read_answer(step.dialect, body)
        {
            let print = Print::of(&answer);
            for _ in 0..=usize::from(twice) {
                let metadata = (at % 5 == 0).then(|| Box::new(Object::default().with("stop", "stop")));
                let stamp = Stamp { sampled: true, timestamp, metadata };
                let slow = pending.commit(&mut self.slow, (answer.clone(), print), stamp.clone());
                same(&named("commit"), &turn.commit(&step.body, answer.clone(), stamp), &slow)?;
            }
        }
        if *self.graph.read() == self.slow { Ok(()) } else { self.compare_nodes() }
    }

    /// Every message is there, says the same, and is what its node says it is.
    fn compare_nodes(&self) -> Checked {
        let nodes: Vec<_> = self.graph.read().nodes().to_vec();
        same("nodes", &nodes.len(), &self.slow.len())?;
        for (id, (fast, slow)) in nodes.iter().zip(self.slow.nodes()).enumerate() {
            same(&format!("node {id}"), fast, slow)?;
            same(&format!("place of node {id}"), &fast.conversation, &slow.conversation)?;
            same(&format!("identity of node {id}"), &identity::of(&fast.held.message()), &fast.identity)?;
        }
        Ok(())
    }
}
