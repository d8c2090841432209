//! What programs and providers write on each wire: turns, answers, results, settings, and how one program words them.

mod anthropic;
mod chat;
mod responses;

use crate::rng::Rng;
use crate::spell::{HIGH, LOW, Spelling};
use toolwire::json::{Json, Object, Value, compact};
use toolwire::message::Dialect;
use toolwire::outcome::{LABEL, MARKER};

/// An object of these members.
macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {
        toolwire::json::Value::Object(toolwire::json::Object(vec![
            $(($key.into(), toolwire::json::Json::from($value))),*
        ]))
    };
}
pub(crate) use object;

/// A call that waits for its result.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) custom: bool,
}

pub(crate) struct Answer {
    /// The provider's body.
    pub(crate) body: Json,
    /// The turn as the elements of a request.
    pub(crate) elements: Vec<Json>,
    pub(crate) calls: Vec<Call>,
}

/// How one program sends what it has: the spelling, and the choices that do not change what is said.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) spelling: Spelling,
    /// Content that says nothing is null, `""` or not there.
    pub(crate) nothing: usize,
    /// Outcomes are not sent.
    pub(crate) silent: bool,
    /// Fields that only answers have are not sent back.
    pub(crate) tidy: bool,
    /// A text is a list of one text.
    pub(crate) listed: bool,
    /// The system prompt and the last user message carry a cache mark.
    pub(crate) marks: bool,
}

impl Manner {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        Self {
            spelling: Spelling::random(rng),
            nothing: rng.below(3),
            silent: rng.one_in(6),
            tidy: rng.one_in(2),
            listed: rng.one_in(6),
            marks: rng.one_in(3),
        }
    }
}

/// The key of the list that holds the conversation.
pub(crate) fn list_key(dialect: Dialect) -> &'static str {
    if dialect == Dialect::Responses { "input" } else { "messages" }
}

/// What stands in the list before the first user message.
pub(crate) fn opening(dialect: Dialect, rng: &mut Rng) -> Vec<Json> {
    match dialect {
        Dialect::Chat => chat::opening(rng),
        Dialect::Responses => responses::opening(rng),
        _ => anthropic::opening(rng),
    }
}

pub(crate) fn user(dialect: Dialect, rng: &mut Rng) -> Json {
    let mut message = match dialect {
        Dialect::Chat => chat::user(rng),
        Dialect::Responses => responses::user(rng),
        _ => anthropic::user(rng),
    };
    if rng.one_in(40)
        && let Value::Object(members) = &mut message
    {
        // Misplaced: a user is no tool.
        members.set(MARKER, rng.pick(&[true.into(), Value::Null, "x".into()]));
    }
    message
}

pub(crate) fn answer(dialect: Dialect, rng: &mut Rng) -> Answer {
    let calls = (0..rng.pick(&[0, 0, 1, 1, 1, 2, 3]))
        .map(|_| Call { id: id(rng), custom: dialect != Dialect::Anthropic && rng.one_in(5) })
        .collect();
    match dialect {
        Dialect::Chat => chat::answer(rng, calls),
        Dialect::Responses => responses::answer(rng, calls),
        _ => anthropic::answer(rng, calls),
    }
}

/// The results of calls, as a program sends them: mostly one for each, in their order.
pub(crate) fn results(dialect: Dialect, rng: &mut Rng, mut calls: Vec<Call>) -> Vec<Json> {
    match rng.below(24) {
        0 => calls.reverse(),
        1 => drop(calls.pop()),
        2 => calls.extend(calls.first().cloned()),
        3 => calls.push(Call { id: id(rng), custom: false }),
        _ => {}
    }
    match dialect {
        Dialect::Chat => calls.iter().map(|call| chat::result(rng, call)).collect(),
        Dialect::Responses => calls.iter().map(|call| responses::result(rng, call)).collect(),
        _ => anthropic::results(rng, &calls),
    }
}

/// An element that a program sends out of turn: another assistant item, say, or a system message.
pub(crate) fn stray(dialect: Dialect, rng: &mut Rng) -> Json {
    match dialect {
        Dialect::Chat => chat::stray(rng),
        Dialect::Responses => responses::stray(rng),
        _ => anthropic::stray(rng),
    }
}

/// An element that mostly is none.
pub(crate) fn broken(dialect: Dialect, rng: &mut Rng) -> Json {
    match rng.below(8) {
        0 => rng.pick(&[Value::Null, true.into(), number("7"), "text".into(), vec![].into()]),
        1 => object! {},
        2 => object! { "role": "nobody", "content": text(rng) },
        3 => nested(rng.within(507, 512)),
        4 => object! { "role": "user", "content": text(rng), "metadata": nested(rng.within(506, 511)) },
        _ => match dialect {
            Dialect::Chat => chat::broken(rng),
            Dialect::Responses => responses::broken(rng),
            _ => anthropic::broken(rng),
        },
    }
}

/// The top-level members but for the conversation.
pub(crate) fn settings(dialect: Dialect, rng: &mut Rng) -> Vec<(String, Json)> {
    let all: Vec<(usize, &str, Json)> = match dialect {
        Dialect::Chat => chat::settings(rng),
        Dialect::Responses => responses::settings(rng),
        _ => anthropic::settings(rng),
    };
    let kept = all.into_iter().filter(|(one_in, _, _)| rng.one_in(*one_in));
    kept.map(|(_, key, value)| (key.to_owned(), value)).collect()
}

pub(crate) fn tools(dialect: Dialect, rng: &mut Rng) -> Json {
    let names = rng.pick(&[&[][..], &["look"], &["look", "run"], &["run", "look"], &["look", "note"]]);
    let text = rng.pick(&["", "", "Looks."]);
    let schema =
        rng.pick(&[object! { "type": "object" }, object! { "type": "object", "minProperties": number("1") }]);
    let tool = |name: &&str| match dialect {
        Dialect::Chat => object! {
            "type": "function",
            "function": object! { "name": name.to_string(), "description": text, "parameters": schema.clone() },
        },
        Dialect::Responses => object! {
            "type": "function", "name": name.to_string(), "description": text, "parameters": schema.clone(),
        },
        _ => object! { "name": name.to_string(), "description": text, "input_schema": schema.clone() },
    };
    names.iter().map(tool).collect::<Vec<Json>>().into()
}

/// The elements as a program of this manner sends them.
pub(crate) fn dressed(dialect: Dialect, elements: &[Json], manner: Manner) -> Vec<Json> {
    let mut dressed: Vec<Json> = elements.to_vec();
    for element in dressed.iter_mut() {
        let Value::Object(members) = element else { continue };
        match dialect {
            Dialect::Chat => chat::dress(members, manner),
            Dialect::Responses => responses::dress(members, manner),
            _ => anthropic::dress(members, manner),
        }
    }
    if dialect == Dialect::Anthropic && manner.marks {
        anthropic::mark_last_user(&mut dressed);
    }
    dressed
}

/// The settings as a program of this manner sends them: where it marks, it marks its system prompt, too.
pub(crate) fn dressed_settings(settings: &[(String, Json)], manner: Manner) -> Vec<(String, Json)> {
    let mut settings = settings.to_vec();
    if let Some((_, system)) = settings.iter_mut().find(|(key, _)| manner.marks && key == "system") {
        anthropic::mark(system);
    }
    settings
}

pub(crate) fn number(literal: &'static str) -> Json {
    Value::Number(literal.into())
}

/// Ids come again: few are made.
pub(crate) fn id(rng: &mut Rng) -> String {
    format!("call_{}", rng.below(40))
}

pub(crate) fn words(rng: &mut Rng) -> String {
    const WORDS: [&str; 12] =
        ["the", "probe", "in", "bed", "four", "says", "wet", "or", "dry", "again", "/etc/soil", "31.5"];
    let words: Vec<&str> = (0..rng.within(1, 6)).map(|_| rng.pick(&WORDS)).collect();
    words.join(" ")
}

pub(crate) fn text(rng: &mut Rng) -> String {
    match rng.below(24) {
        0 => String::new(),
        1 => format!("{LABEL}{}", words(rng)),
        2 => r#"{"_vf_is_error":true}"#.to_owned(),
        3 => "\"quoted\" \\ back\\slash\n\ttab \u{0}\u{1}\u{7f} {[,:]}".to_owned(),
        4 => "größer 日本 \u{2028}\u{1f600}".to_owned(),
        5 => format!("a{HIGH}b{LOW}"),
        6 => format!("{HIGH}{LOW}"),
        7 => (0..60).map(|_| words(rng)).collect(),
        8 => " ".to_owned(),
        9..12 => "hi".to_owned(),
        _ => words(rng),
    }
}

/// What a call is given, as a value.
pub(crate) fn input(rng: &mut Rng) -> Json {
    match rng.below(10) {
        0 => object! {},
        1 => {
            object! { "n": number("9007199254740993"), "x": number("-0"), "y": number("1.50"), "z": number("1e400") }
        }
        2 => object! { "_vf_is_error": true, "deep": object! { "_vf_is_error": "x" } },
        3 => object! { "text": text(rng) },
        4 if rng.one_in(8) => object! { "deep": nested(rng.within(500, 512)) },
        _ => object! { "bed": number("4"), "word": words(rng), "list": vec![true.into(), Value::Null] },
    }
}

/// What a call is given, as JSON text, which a model may get wrong.
pub(crate) fn arguments(rng: &mut Rng) -> String {
    match rng.below(16) {
        0 => String::new(),
        1 => r#"{"cut": "#.to_owned(),
        2 => r#"{"a":1,"a":2}"#.to_owned(),
        3 => "[1, 2]".to_owned(),
        _ => compact(&input(rng)),
    }
}

/// Arrays in arrays: `levels` of them.
pub(crate) fn nested(levels: usize) -> Json {
    (0..levels).fold(number("0"), |inner, _| vec![inner].into())
}

/// What a tool says of its result, where the wire has no field for it.
fn marker(members: &mut Object<'static>, rng: &mut Rng) {
    let outcome = match rng.below(20) {
        0 => Value::Null,
        1..7 => true.into(),
        7..11 => false.into(),
        _ => return,
    };
    let at = rng.below(members.len() + 1);
    members.0.insert(at, (MARKER.into(), outcome));
}

/// Says that there is nothing under this key, in one of three ways.
fn nothing(members: &mut Object<'static>, key: &'static str, manner: Manner) {
    let silent = members.get(key).is_none_or(|value| value.is_null() || value.as_str() == Some(""));
    if silent {
        match manner.nothing {
            0 => members.set(key, Value::Null),
            1 => members.set(key, "".into()),
            _ => drop(members.remove(key)),
        }
    }
}
