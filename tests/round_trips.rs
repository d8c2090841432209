//! Random conversations through every ordered pair of wires, there and back: what both can say is kept, and what is not
//! kept is reported with the path of its message. `TOOLWIRE_CONVERSATIONS=50000 cargo test --release
//! --no-default-features --test round_trips` runs more of them.

#![allow(clippy::unwrap_used, reason = "a test stops where it finds something wrong")]

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::RefCell;
use std::collections::HashMap;
use toolwire::dialect::{Code, Loss, Losses, Options, read_request, write_request};
use toolwire::error::Kind;
use toolwire::json::{Json, Object, Repeats, Value, compact, parse, parse_text};
use toolwire::message::Dialect::{self, Anthropic, Bedrock, Chat, Gemini, Responses};
use toolwire::message::{
    AssistantMessage, CallKind, Content, Extra, Message, Part, PartKind, Request, SystemMessage, Tool,
    ToolCall, ToolKind, ToolMessage, UserMessage, is_blank,
};
use toolwire::outcome::{LABEL, MARKER, starts_with_label};
use toolwire::path::Step;

const WIRES: [Dialect; 5] = [Chat, Responses, Anthropic, Gemini, Bedrock];

fn cases() -> u32 {
    std::env::var("TOOLWIRE_CONVERSATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

// Conversations

/// What somebody said, with a number that makes it unlike all others.
#[derive(Clone, Debug)]
enum Said {
    Text(&'static str),
    /// Text as it is, unlike no other.
    Odd(&'static str),
    Image,
}

#[derive(Clone, Debug)]
struct Answer {
    parts: Option<Vec<Said>>,
    text: Said,
    outcome: Option<bool>,
    named: bool,
}

#[derive(Clone, Debug)]
struct Turn {
    system: Option<bool>,
    users: Vec<Vec<Said>>,
    /// What stands among the results.
    between: Option<usize>,
    text: Option<&'static str>,
    reasoning: bool,
    state: Option<usize>,
    calls: Vec<(usize, &'static str, Answer)>,
    reversed: bool,
    more: bool,
}

const ARGUMENTS: [&str; 6] = [
    "{}",
    r#"{"path":"a\/b","n":1.50,"big":12345678901234567890}"#,
    r#"{ "q" : [ true , null ] , "error": {"output": "\u00e9"} }"#,
    r#"{"_":"\ud83d\ude00","e":1e3}"#,
    r#"{"output":null}"#,
    r#"{"input":"x"}"#,
];

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        6 => select(vec!["plain", "two\nlines", "é \u{1f600} \u{2028}", "  spaced  ", "\"quoted\\\""]).prop_map(Said::Text),
        2 => Just(Said::Image),
        1 => select(vec!["", " \n"]).prop_map(Said::Odd),
    ]
}

fn returned() -> impl Strategy<Value = Said> {
    prop_oneof![
        5 => select(vec!["plain", "  spaced  \n", "Tool execution failed:\n", "Error: no"]).prop_map(Said::Text),
        4 => select(vec![
            "",
            " \n",
            LABEL,
            r#"{"error":"boom"}"#,
            r#"{"error":null,"output":1}"#,
            r#"{"output":{"x":[1,2.50]},"n":1e2}"#,
            r##"{"$ref":"#/a"}"##,
            "[1, 2]",
            "null",
        ]).prop_map(Said::Odd),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let part = prop_oneof![4 => returned(), 2 => Just(Said::Image)];
    (
        prop::option::weighted(0.4, prop::collection::vec(part, 0..4)),
        returned(),
        select(vec![None, Some(true), Some(false)]),
        any::<bool>(),
    )
        .prop_map(|(parts, text, outcome, named)| Answer { parts, text, outcome, named })
}

fn turn() -> impl Strategy<Value = Turn> {
    let system = prop_oneof![12 => Just(None), 1 => any::<bool>().prop_map(Some)];
    let user = prop_oneof![3 => said().prop_map(|said| vec![said]), 2 => prop::collection::vec(said(), 1..4)];
    (
        system,
        prop_oneof![6 => prop::collection::vec(user.clone(), 1), 1 => prop::collection::vec(user, 0..3)],
        prop::option::weighted(0.1, 0..3_usize),
        prop::option::weighted(0.7, select(vec!["sure", "let me see\n\n- a", "é", ""])),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, 0..STATES),
        prop::collection::vec((0..4_usize, select(ARGUMENTS.to_vec()), answer()), 0..4),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(system, users, between, text, reasoning, state, calls, reversed, more)| Turn {
            system,
            users,
            between,
            text,
            reasoning,
            state,
            calls,
            reversed,
            more,
        })
}

#[derive(Clone, Debug)]
struct Conversation {
    model: Option<&'static str>,
    system: Option<bool>,
    ids: usize,
    turns: Vec<Turn>,
    limit: bool,
}

fn conversation() -> impl Strategy<Value = Conversation> {
    let models = vec!["m", "gemini-2.5-pro", "gemini-3-pro", "claude-opus-4-8", "us.writer.palmyra-x5-v1:0"];
    (
        prop::option::of(select(models)),
        prop::option::of(prop::bool::weighted(0.2)),
        0..4_usize,
        prop::collection::vec(turn(), 1..4),
        any::<bool>(),
    )
        .prop_map(|(model, system, ids, turns, limit)| Conversation { model, system, ids, turns, limit })
}

/// The tool that takes free text: its arguments are JSON by chance.
const FREE: usize = 3;

/// Provider state by its number.
const STATES: usize = 5;

fn state(kind: usize, tag: usize) -> Json {
    let text = match kind {
        0 => format!(r#"{{"type":"thinking","thinking":"hm {tag}","signature":"c2ln{tag:04}"}}"#),
        1 => format!(r#"{{"type":"reasoning.text","text":"hm {tag}","signature":"c2ln{tag:04}"}}"#),
        2 => format!(
            r#"{{"type":"reasoning","id":"rs_{tag}","summary":[],"encrypted_content":"ZW5j{tag:04}"}}"#
        ),
        3 => format!(r#"{{"text":"hm {tag}","thought":true,"thoughtSignature":"c2ln{tag:04}"}}"#),
        _ => format!(
            r#"{{"reasoningContent":{{"reasoningText":{{"text":"hm {tag}","signature":"c2ln{tag:04}"}}}}}}"#
        ),
    };
    parse_text(&text, Repeats::Refused).unwrap().value.into_owned()
}

struct Maker {
    tag: usize,
    ids: usize,
}

impl Maker {
    fn next(&mut self) -> usize {
        self.tag += 1;
        self.tag
    }

    fn part(&mut self, said: &Said) -> Part {
        match said {
            Said::Text(text) => Part::text(format!("{text} t{}.", self.next())),
            Said::Odd(text) => Part::text(*text),
            Said::Image => {
                let url = format!("data:image/png;base64,{:08}", self.next());
                Part::new(PartKind::Image { url: url.into(), detail: None })
            }
        }
    }

    fn content(&mut self, said: &[Said]) -> Content {
        let parts: Vec<Part> = said.iter().map(|said| self.part(said)).collect();
        match parts.as_slice() {
            [Part { kind: PartKind::Text(text), .. }] => Content::Text(text.clone()),
            _ => Content::Parts(parts),
        }
    }

    fn id(&mut self) -> String {
        let n = self.next();
        match self.ids {
            0 => format!("call_{n}"),
            1 => format!("toolu_{n:022}"),
            2 => format!("functions.f:{n}|é"),
            _ => format!("{}{n}", "long_".repeat(14)),
        }
    }

    fn user(&mut self, said: &[Said]) -> Message {
        Message::User(UserMessage { content: self.content(said), extra: Extra::none() })
    }

    fn system(&mut self, developer: bool) -> Message {
        let content = self.content(&[Said::Text("be brief")]);
        Message::System(SystemMessage { content, developer, extra: Extra::none() })
    }

    fn turn(&mut self, turn: &Turn, messages: &mut Vec<Message>) {
        messages.extend(turn.system.map(|developer| self.system(developer)));
        for said in &turn.users {
            messages.push(self.user(said));
        }
        let mut results = Vec::new();
        let mut calls = Vec::new();
        for (tool, arguments, answer) in &turn.calls {
            let (id, name) = (self.id(), format!("tool_{tool}"));
            calls.push(ToolCall {
                id: id.as_str().into(),
                name: name.as_str().into(),
                arguments: (*arguments).into(),
                kind: if *tool == FREE { CallKind::Custom } else { CallKind::Function },
                namespace: None,
                extra: Extra::none(),
            });
            let content = match &answer.parts {
                Some(parts) => Content::Parts(parts.iter().map(|said| self.part(said)).collect()),
                None => self.content(std::slice::from_ref(&answer.text)),
            };
            results.push(Message::Tool(ToolMessage {
                tool_call_id: id.into(),
                content,
                name: answer.named.then(|| name.into()),
                is_error: answer.outcome,
                extra: Extra::none(),
            }));
        }
        let text = turn.text.filter(|_| !calls.is_empty()).or((calls.is_empty()).then_some("done"));
        let tag = self.next();
        messages.push(Message::Assistant(AssistantMessage {
            content: text
                .map(|text| if text.is_empty() { "".into() } else { format!("{text} t{tag}.").into() }),
            reasoning_content: turn.reasoning.then(|| format!("hm {tag}").into()),
            tool_calls: calls,
            provider_state: turn.state.map(|kind| state(kind, tag)).into_iter().collect(),
            extra: Extra::none(),
        }));
        if turn.reversed {
            results.reverse();
        }
        if let Some(at) = turn.between.filter(|_| !results.is_empty()) {
            let user = self.user(&[Said::Text("meanwhile")]);
            results.insert(at.min(results.len()), user);
        }
        messages.extend(results);
        if turn.more {
            let content = format!("and t{}.", self.next());
            let extra = AssistantMessage { content: Some(content.into()), ..AssistantMessage::default() };
            messages.push(Message::Assistant(extra));
        }
    }
}

fn request(conversation: &Conversation) -> Request {
    let mut maker = Maker { tag: 0, ids: conversation.ids };
    let mut messages: Vec<Message> =
        conversation.system.map(|developer| maker.system(developer)).into_iter().collect();
    for turn in &conversation.turns {
        maker.turn(turn, &mut messages);
    }
    let tool = |n: usize| Tool {
        kind: if n == FREE { ToolKind::Custom } else { ToolKind::Function },
        name: format!("tool_{n}").into(),
        namespace: None,
        description: Some("does something".into()),
        parameters: (n != FREE)
            .then(|| Object::default().with("type", "object").with("properties", Object::default()).into()),
        strict: None,
        format: None,
        extra: Extra::none(),
    };
    let mut sampling = Object::default();
    if conversation.limit {
        sampling.set("max_tokens", Value::from(64_u64));
    }
    Request {
        model: conversation.model.map(Into::into),
        messages,
        tools: (0..=FREE).map(tool).collect(),
        sampling,
        ..Request::default()
    }
}

// What a conversation says

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Medium(String),
}

fn pieces(content: &Content) -> Vec<Piece> {
    match content {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![Piece::Text(text.to_string())],
        Content::Parts(parts) => parts
            .iter()
            .map(|part| match &part.kind {
                PartKind::Text(text) => Piece::Text(text.to_string()),
                PartKind::Image { url, .. } => Piece::Medium(url.to_string()),
                other => panic!("nobody sent {other:?}"),
            })
            .filter(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()))
            .collect(),
    }
}

fn said_by(message: &Message) -> Vec<Piece> {
    match message {
        Message::System(m) => pieces(&m.content),
        Message::User(m) => pieces(&m.content),
        Message::Tool(m) => pieces(&m.content),
        Message::Assistant(m) => {
            m.content.iter().flat_map(|text| pieces(&Content::Text(text.clone()))).collect()
        }
    }
}

/// Do the texts stand in the stream in their order? They may have become parts of longer ones.
fn in_order<'a>(texts: impl IntoIterator<Item = &'a str>, stream: &str) -> Result<(), String> {
    let mut rest = stream;
    for text in texts {
        match rest.find(text) {
            Some(at) => rest = &rest[at + text.len()..],
            None => return Err(format!("{text:?} is not in {rest:?}")),
        }
    }
    Ok(())
}

fn texts(pieces: &[Piece]) -> impl Iterator<Item = &str> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) if !is_blank(text) => Some(text.as_str()),
        Piece::Text(_) | Piece::Medium(_) => None,
    })
}

fn stream<'a>(messages: impl Iterator<Item = &'a Message>) -> String {
    messages
        .flat_map(said_by)
        .filter_map(|p| if let Piece::Text(t) = p { Some(t) } else { None })
        .collect::<Vec<_>>()
        .join("\0")
}

/// A turn with calls, and its results, each with its place in the request.
struct Called<'a> {
    at: usize,
    turn: &'a AssistantMessage,
    results: Vec<(usize, &'a ToolMessage)>,
}

fn called(request: &Request) -> Vec<Called<'_>> {
    let mut turns: Vec<Called<'_>> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::Assistant(turn) if !turn.tool_calls.is_empty() => {
                turns.push(Called { at, turn, results: Vec::new() });
            }
            Message::Tool(result) => turns.last_mut().unwrap().results.push((at, result)),
            _ => {}
        }
    }
    turns
}

/// Which of the losses are about this message?
struct Reported<'a>(HashMap<usize, Vec<&'a Loss>>);

impl<'a> Reported<'a> {
    fn of(losses: &'a Losses) -> Self {
        let mut by_message: HashMap<usize, Vec<&Loss>> = HashMap::new();
        for loss in &losses.0 {
            if let [Step::Key(key), Step::Index(at), ..] = loss.path.steps()
                && &**key == "messages"
            {
                by_message.entry(*at).or_default().push(loss);
            }
        }
        Self(by_message)
    }

    fn has(&self, at: usize, codes: &[Code]) -> bool {
        self.0.get(&at).is_some_and(|losses| losses.iter().any(|loss| codes.contains(&loss.code)))
    }
}

/// The content of a message is not as it was.
const CONTENT: [Code; 9] = [
    Code::TextJoined,
    Code::EmptyDropped,
    Code::TextPlaceholder,
    Code::ImageHoisted,
    Code::StructuredAsText,
    Code::BlockAsText,
    Code::NativeStale,
    Code::Merged,
    Code::TurnReordered,
];

fn json(text: &str) -> Json {
    parse_text(text, Repeats::Refused).unwrap().value.into_owned()
}

/// Everything that `before` says stands in `after`, as it was read from what was written, or is reported.
fn compare(before: &Request, after: &Request, losses: &Losses, target: Dialect) -> Result<(), String> {
    let reported = Reported::of(losses);
    let fail = |what: String| Err(what);
    // What was said, role by role and all together. Results are looked at one by one.
    let talk = |request: &Request| -> Vec<Message> {
        request.messages.iter().filter(|m| !matches!(m, Message::Tool(_))).cloned().collect()
    };
    let (old, new) = (talk(before), talk(after));
    for role in ["system", "user", "assistant", ""] {
        let of_role = |m: &&Message| role.is_empty() || m.role() == role;
        let said: Vec<Piece> = old.iter().filter(of_role).flat_map(said_by).collect();
        in_order(texts(&said), &stream(new.iter().filter(of_role)))?;
    }
    let media: Vec<Piece> = new.iter().flat_map(said_by).filter(|p| matches!(p, Piece::Medium(_))).collect();
    for (at, message) in before.messages.iter().enumerate() {
        for piece in said_by(message).iter().filter(|p| matches!(p, Piece::Medium(_))) {
            let moved = reported.has(at, &[Code::ImageHoisted]);
            let in_result = matches!(message, Message::Tool(_)) && !moved;
            if !in_result && media.iter().filter(|medium| *medium == piece).count() != 1 {
                return fail(format!("messages[{at}]: {piece:?} is not said once"));
            }
        }
        if let Message::Assistant(turn) = message {
            // No two turns reason alike, so it may be looked for in all of them: turns that are one have one reasoning.
            let thought = turn.reasoning_content.as_deref().unwrap_or_default();
            let mut turns = after.messages.iter().filter_map(|m| match m {
                Message::Assistant(turn) => turn.reasoning_content.as_deref(),
                _ => None,
            });
            // Some wires put the reasoning of turns that became one on lines, some put it together as it is.
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
            let kept =
                turns.any(|all| all.match_indices(thought).any(|(n, _)| ends(&all[n + thought.len()..])));
            let dropped = [Code::ReasoningDropped, Code::NativeStale, Code::Merged];
            if !thought.is_empty() && !kept && !reported.has(at, &dropped) {
                return fail(format!("messages[{at}]: its reasoning goes without a word"));
            }
        }
    }
    // Calls and results.
    let (old, new) = (called(before), called(after));
    if old.len() != new.len() {
        return fail(format!("{} turns with calls became {}", old.len(), new.len()));
    }
    for (old, new) in old.iter().zip(&new) {
        let (at, turn, results) = (old.at, old.turn, &old.results);
        let (other, others) = (new.turn, &new.results);
        let here = format!("messages[{at}]");
        if turn.tool_calls.len() != other.tool_calls.len() || results.len() != others.len() {
            return fail(format!(
                "{here}: {} calls became {}",
                turn.tool_calls.len(),
                other.tool_calls.len()
            ));
        }
        let mut places = Vec::new();
        for (call, again) in turn.tool_calls.iter().zip(&other.tool_calls) {
            let wrapped = call.kind != again.kind && reported.has(at, &[Code::CustomWrapped]);
            let arguments = match (call.kind, again.kind) {
                (CallKind::Custom, CallKind::Function) if wrapped => {
                    compact(&Object::default().with("input", call.arguments.to_string()).into())
                }
                _ => call.arguments.to_string(),
            };
            let same = match again.kind {
                CallKind::Function => json(&arguments) == json(&again.arguments),
                CallKind::Custom => *arguments == *again.arguments,
            };
            if call.name != again.name || !same || call.kind != again.kind && !wrapped {
                return fail(format!("{here}: {call:?} became {again:?}"));
            }
            if *arguments != *again.arguments && !reported.has(at, &[Code::ArgumentsReserialised]) {
                return fail(format!("{here}: {arguments:?} is spelled {:?}", again.arguments));
            }
            if call.id != again.id && !reported.has(at, &[Code::IdMapped]) {
                return fail(format!("{here}: the id {} became {}", call.id, again.id));
            }
            let result = results.iter().find(|(_, result)| result.tool_call_id == call.id).unwrap();
            let Some(place) = others.iter().position(|(_, result)| result.tool_call_id == again.id) else {
                return fail(format!("{here}: no result for {}", again.id));
            };
            places.push((result.0, place));
            compare_results(result.0, result.1, others[place].1, &reported, target)?;
        }
        places.sort_unstable();
        let moved = places.windows(2).any(|pair| pair[0].1 > pair[1].1);
        if moved && !places.iter().any(|(at, _)| reported.has(*at, &[Code::TurnReordered])) {
            return fail(format!("{here}: its results stand in another order"));
        }
    }
    // Nothing reported: nothing changed.
    if losses.0.is_empty() {
        let shape = |request: &Request| -> Vec<(&'static str, Vec<Piece>)> {
            request.messages.iter().map(|m| (m.role(), said_by(m))).collect()
        };
        if shape(before) != shape(after) {
            return fail(format!("without a loss, {:?} became {:?}", shape(before), shape(after)));
        }
    }
    Ok(())
}

fn compare_results(
    at: usize,
    before: &ToolMessage,
    after: &ToolMessage,
    reported: &Reported<'_>,
    target: Dialect,
) -> Result<(), String> {
    let here = format!("messages[{at}]");
    let labelled = reported.has(at, &[Code::OutcomeLabelled]);
    let unsaid = reported.has(at, &[Code::OutcomeSuccessUnexpressed]);
    let expected = match before.is_error {
        Some(true) if labelled => None,
        Some(false) if unsaid => None,
        other => other,
    };
    if after.is_error != expected {
        return Err(format!("{here}: the outcome {:?} became {:?}", before.is_error, after.is_error));
    }
    if (labelled || unsaid) && target == Anthropic || labelled && target == Gemini {
        return Err(format!("{here}: this wire says outcomes"));
    }
    let (old, mut new) = (pieces(&before.content), pieces(&after.content));
    if labelled {
        let Some(Piece::Text(first)) = new.first_mut() else { return Err(format!("{here}: no label")) };
        if !starts_with_label(first) {
            return Err(format!("{here}: no label"));
        }
        let first_part = match &before.content {
            Content::Text(text) => Some(text),
            Content::Parts(parts) => parts.first().and_then(Part::as_text),
        };
        let own = first_part.is_some_and(|text| starts_with_label(text));
        if !own {
            *first = first[LABEL.len()..].to_owned();
            if first.is_empty() {
                new.remove(0);
            }
        }
    }
    if old == new {
        return Ok(());
    }
    if !reported.has(at, &CONTENT) {
        return Err(format!("{here}: {old:?} became {new:?}"));
    }
    let stream: Vec<&str> =
        new.iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    in_order(texts(&old), &stream.join("\0")).map_err(|what| format!("{here}: {what}"))?;
    for piece in old.iter().filter(|p| matches!(p, Piece::Medium(_))) {
        if !new.contains(piece) && !reported.has(at, &[Code::ImageHoisted]) {
            return Err(format!("{here}: {piece:?} is gone"));
        }
    }
    Ok(())
}

/// No key of ours is in a body, nor one of another wire.
fn private(value: &Json, wire: Dialect) -> Option<String> {
    let is_ours = |key: &str| {
        key == MARKER
            || key.starts_with('$') && key != "$ref"
            || ["provider_state", "tool_call_extra", "is_minted"].contains(&key)
            || key == "is_error" && wire != Anthropic
            || key == "reasoning_content"
            || key == "thoughtSignature" && wire != Gemini
            || key == "encrypted_content" && wire != Responses
    };
    match value {
        Value::Object(object) => object
            .iter()
            .find_map(|(key, value)| is_ours(key).then(|| key.to_string()).or_else(|| private(value, wire))),
        Value::Array(items) => items.iter().find_map(|item| private(item, wire)),
        _ => None,
    }
}

fn outcomes(request: &Request) -> Vec<(String, Option<bool>)> {
    let results =
        request.messages.iter().filter_map(|m| if let Message::Tool(m) = m { Some(m) } else { None });
    let mut all: Vec<_> = results.map(|m| (m.tool_call_id.to_string(), m.is_error)).collect();
    all.sort();
    all
}

/// Writes and reads again; none where the wire refuses.
fn step(before: &Request, target: Dialect) -> Result<Option<(Request, Losses)>, String> {
    let (body, losses) = match write_request(target, before, Options::default()) {
        Ok(written) => written,
        Err(error) => {
            let known =
                matches!(error.kind, Kind::Unsupported | Kind::Pairing | Kind::Arguments | Kind::Shape);
            return if known && !error.path.steps().is_empty() {
                Ok(None)
            } else {
                Err(format!("refused: {error}"))
            };
        }
    };
    let body = Value::from(body);
    let explain = |what: String| {
        let losses: Vec<String> = losses.0.iter().map(ToString::to_string).collect();
        format!("{what}\n  from {:?}\n  {target}: {}\n  {losses:#?}", before.messages, compact(&body))
    };
    if let Some(key) = private(&body, target) {
        return Err(explain(format!("{key} leaves")));
    }
    if losses.refuse().is_ok() != losses.0.is_empty() {
        return Err(explain("strict refuses something else".to_owned()));
    }
    let text = compact(&body);
    let parsed = parse(text.as_bytes(), Repeats::Refused).map_err(|error| explain(error.to_string()))?;
    let after = read_request(target, &parsed.value).map_err(|error| explain(format!("not read: {error}")))?;
    compare(before, &after, &losses, target).map_err(explain)?;
    // Inside, every outcome goes along.
    let options = Options { internal: true, target: None };
    if let Ok((inside, _)) = write_request(target, before, options) {
        let inside = read_request(target, &Value::from(inside))
            .map_err(|error| explain(format!("inside: {error}")))?;
        let states =
            |request: &Request| outcomes(request).into_iter().map(|(_, state)| state).collect::<Vec<_>>();
        let (mut old, mut new) = (states(before), states(&inside));
        old.sort_unstable();
        new.sort_unstable();
        if old != new {
            return Err(explain(format!("inside, {old:?} became {new:?}")));
        }
    }
    Ok(Some((after, losses)))
}

#[test]
fn there_and_back() {
    let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
    // How often a conversation of the first wire went to the second and came back.
    let came = RefCell::new(HashMap::<(Dialect, Dialect), u32>::new());
    let result = TestRunner::new(config).run(&conversation(), |conversation| {
        let typed = request(&conversation);
        for source in WIRES {
            let Some((first, _)) = step(&typed, source).map_err(TestCaseError::fail)? else { continue };
            for target in WIRES {
                let Some((there, out)) = step(&first, target).map_err(TestCaseError::fail)? else { continue };
                let Some((back, home)) = step(&there, source).map_err(TestCaseError::fail)? else { continue };
                if out.0.is_empty() && home.0.is_empty() {
                    prop_assert_eq!(outcomes(&first), outcomes(&back), "{} {}", source, target);
                }
                if source == target {
                    prop_assert_eq!(&first, &back);
                }
                *came.borrow_mut().entry((source, target)).or_default() += 1;
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    for source in WIRES {
        for target in WIRES {
            let came = came.borrow().get(&(source, target)).copied().unwrap_or_default();
            assert!(came > cases() / 3, "{source} {target}: only {came} of {}", cases());
        }
    }
}
