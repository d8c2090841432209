//! Random rollouts: the bodies that programs send turn after turn, and the answers they get.

use crate::edits;
use crate::rng::Rng;
use crate::wires::{self, Answer, Call, Manner, list_key};
use toolwire::json::{Json, Object, Value};
use toolwire::message::Dialect;

/// One request, as it arrives.
pub(crate) struct Step {
    /// Why it looks as it does.
    pub(crate) what: String,
    pub(crate) dialect: Dialect,
    pub(crate) on: On,
    pub(crate) body: Vec<u8>,
    /// The models and the samplings that are laid over it.
    pub(crate) overrides: Vec<(String, Object<'static>)>,
    /// What is done with the turn waits until something was done with a later one.
    pub(crate) held: bool,
    pub(crate) then: Then,
}

/// Which rollout over the one graph gets the body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum On {
    First,
    Second,
    /// One that was made for it.
    Fresh,
}

#[derive(Clone)]
pub(crate) enum Then {
    Nothing,
    Prompt,
    /// A provider's body.
    Answer(Vec<u8>),
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Grow,
    Retry,
    Respell,
    Settings,
    Tools,
    Compact,
    Branch,
    Edit,
    Stray,
}

/// What a program sends and remembers.
struct Talk {
    dialect: Dialect,
    settings: Vec<(String, Json)>,
    /// Where the list stands among the settings.
    place: usize,
    elements: Vec<Json>,
    /// How many elements there were before each turn.
    before: Vec<usize>,
    calls: Vec<Call>,
    manner: Manner,
    last: Option<(Vec<u8>, Then)>,
}

pub(crate) fn script(dialect: Dialect, seed: u64) -> Vec<Step> {
    let rng = &mut Rng::new(seed);
    let manners: Vec<Manner> = (0..rng.within(1, 3)).map(|_| Manner::random(rng)).collect();
    let mut talks: Vec<Talk> =
        (0..rng.pick(&[1, 1, 2, 3])).map(|_| Talk::new(dialect, manners[0], rng)).collect();
    let shared = rng.one_in(5);
    let mut who = 0;
    (0..rng.within(3, 15))
        .map(|_| {
            if rng.one_in(3) {
                who = rng.below(talks.len());
            }
            let mut step = talks[who].turn(&manners, rng);
            if shared {
                step.on = rng.pick(&[On::First, On::Second, On::Second, On::Fresh]);
            }
            step
        })
        .collect()
}

impl Talk {
    fn new(dialect: Dialect, manner: Manner, rng: &mut Rng) -> Self {
        Self {
            dialect,
            settings: wires::settings(dialect, rng),
            place: rng.below(12),
            elements: wires::opening(dialect, rng),
            before: Vec::new(),
            calls: Vec::new(),
            manner,
            last: None,
        }
    }

    fn turn(&mut self, manners: &[Manner], rng: &mut Rng) -> Step {
        let moved = rng.weigh(&[
            (12, Move::Grow),
            (3, Move::Retry),
            (4, Move::Respell),
            (2, Move::Settings),
            (1, Move::Tools),
            (2, Move::Compact),
            (3, Move::Branch),
            (3, Move::Edit),
            (1, Move::Stray),
        ]);
        if let (Move::Retry, Some((body, then))) = (moved, self.last.clone()) {
            // Sampled again, or the same answer once more.
            let then = if rng.one_in(3) { self.answered(rng).0 } else { then };
            return self.step("Retry".to_owned(), body, then, rng);
        }
        self.prepare(moved, manners, rng);
        self.before.push(self.elements.len());
        let open = std::mem::take(&mut self.calls);
        if open.is_empty() || rng.one_in(10) {
            self.elements.extend((0..rng.pick(&[1, 1, 1, 1, 2, 0])).map(|_| wires::user(self.dialect, rng)));
        }
        self.elements.extend(wires::results(self.dialect, rng, open));
        let (distorted, body) = self.body(rng);
        let (then, answer) = self.answered(rng);
        if rng.one_in(2) || matches!(then, Then::Answer(_)) {
            self.elements.extend(answer.elements);
            self.calls = answer.calls;
        }
        self.last = Some((body.clone(), then.clone()));
        self.step(format!("{moved:?}{distorted}"), body, then, rng)
    }

    /// Changes what was there before the turn.
    fn prepare(&mut self, moved: Move, manners: &[Manner], rng: &mut Rng) {
        match moved {
            Move::Grow | Move::Retry => {}
            Move::Respell if rng.one_in(4) => self.manner = Manner::random(rng),
            Move::Respell => self.manner = rng.pick(manners),
            Move::Settings => match rng.below(4) {
                0 => self.settings = wires::settings(self.dialect, rng),
                1 => rng.shuffle(&mut self.settings),
                2 => self.place = rng.below(12),
                _ => self.set("temperature", rng.pick(&[wires::number("0"), wires::number("0.3")])),
            },
            Move::Tools => self.set("tools", wires::tools(self.dialect, rng)),
            Move::Compact => {
                let from = rng.below(self.elements.len() + 1);
                let to = rng.within(from, self.elements.len());
                let summary = rng.one_in(2).then(|| wires::user(self.dialect, rng));
                self.elements.splice(from..to, summary);
                self.before.retain(|&n| n <= from);
            }
            Move::Branch => {
                let back = rng.within(1, 4).min(self.before.len());
                let at = self.before.split_off(self.before.len() - back).first().copied();
                self.elements.truncate(at.unwrap_or(self.elements.len()));
                self.calls.clear();
            }
            Move::Edit => edits::edit(&mut self.elements, self.dialect, rng),
            Move::Stray => {
                let end = self.elements.len();
                let at = if rng.one_in(2) { end } else { rng.below(end + 1) };
                self.elements.insert(at, wires::stray(self.dialect, rng));
            }
        }
    }

    fn set(&mut self, key: &str, value: Json) {
        match self.settings.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value,
            None => self.settings.push((key.to_owned(), value)),
        }
    }

    /// The body, and how it was distorted. What is wrong with one body is not in the next.
    fn body(&self, rng: &mut Rng) -> (String, Vec<u8>) {
        let spelling = self.manner.spelling;
        let mut elements = self.elements.clone();
        let mut what = String::new();
        if rng.one_in(24) {
            what += " broken";
            edits::spoil(&mut elements, self.dialect, rng);
        }
        let dressed = wires::dressed(self.dialect, &elements, self.manner);
        let written: Vec<String> = dressed.iter().map(|element| spelling.text(element)).collect();
        let mut list = spelling.list(&written);
        if self.dialect == Dialect::Responses {
            match dressed.as_slice() {
                [] if rng.one_in(2) => list = "null".to_owned(),
                [only] if rng.one_in(2) => {
                    let text = only.get("content").filter(|content| content.as_str().is_some());
                    list = text.map_or(list, |text| spelling.text(text));
                }
                _ => {}
            }
        }
        let mut members: Vec<(String, String)> = wires::dressed_settings(&self.settings, self.manner)
            .iter()
            .map(|(key, value)| (spelling.key(key), spelling.text(value)))
            .collect();
        spelling.arrange(&mut members, |(key, _)| key.clone());
        members.insert(self.place.min(members.len()), (spelling.key(list_key(self.dialect)), list));
        if rng.one_in(12) {
            what += edits::members(&mut members, self.dialect, rng);
        }
        let mut body = spelling.members(&members).into_bytes();
        if rng.one_in(12) {
            what += edits::bytes(&mut body, rng);
        }
        (what, body)
    }

    fn answered(&self, rng: &mut Rng) -> (Then, Answer) {
        let answer = wires::answer(self.dialect, rng);
        let then = match rng.below(10) {
            0 | 1 => Then::Nothing,
            2 => Then::Prompt,
            _ => Then::Answer(self.manner.spelling.text(&answer.body).into_bytes()),
        };
        (then, answer)
    }

    fn step(&self, what: String, body: Vec<u8>, then: Then, rng: &mut Rng) -> Step {
        let overrides = (0..rng.below(3)).map(|_| overrides(rng)).collect();
        Step { what, dialect: self.dialect, on: On::First, body, overrides, held: rng.one_in(8), then }
    }
}

fn overrides(rng: &mut Rng) -> (String, Object<'static>) {
    let model = rng.pick(&["m2", "gpt-5.6-sol", "openai/o3", "gpt-5-chat", "claude \"x\"", ""]);
    let number = wires::number;
    let extra_body = wires::object! { "top_k": number("4"), "max_tokens": number("9"), "messages": vec![] };
    let knobs: [(usize, &'static str, Json); 15] = [
        (2, "temperature", rng.pick(&[number("0.5"), number("1.0"), Value::Null])),
        (3, "max_tokens", rng.pick(&[number("7"), Value::Null])),
        (4, "max_completion_tokens", number("8")),
        (4, "reasoning_effort", rng.pick(&["low", "high", "minimal"]).into()),
        (4, "top_p", Value::Null),
        (8, "stop", vec!["x".into()].into()),
        (8, "extra_body", extra_body),
        (12, "messages", rng.pick(&[vec![].into(), Value::Null])),
        (12, "input", rng.pick(&["hello".into(), vec![].into()])),
        (12, "reasoning", wires::object! { "effort": "high", "summary": Value::Null }),
        (12, "output_config", wires::object! { "format": "x" }),
        (12, "include", vec!["x".into()].into()),
        (12, "tools", vec![].into()),
        (16, "model", "other".into()),
        (16, "metadata", wires::object! { "_vf_is_error": true }),
    ];
    let kept = knobs.into_iter().filter(|(one_in, _, _)| rng.one_in(*one_in));
    (model.to_owned(), Object(kept.map(|(_, key, value)| (key.into(), value)).collect()))
}
