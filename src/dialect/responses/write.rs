//! Typed messages to a Responses body, or to the items of one message.

use super::{HERE, Mode, layout, parts, parts::Place, put_back, text, tools, turn};
use crate::dialect::ids::{Rule, Table};
use crate::dialect::pairing::{self, Placed};
use crate::dialect::{Code, Losses, Options};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::message::{
    CallKind, Content, Extra, Message, Request, SystemMessage, Text, ToolMessage, UserMessage,
};
use crate::outcome::{MARKER, labelled};
use crate::path::Path;
use std::collections::HashMap;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let mode =
        Mode { same: request.dialect == Some(HERE), from: request.dialect, internal: options.internal };
    let placed = pairing::place(request, HERE, Some(IDS), losses)?;
    crate::dialect::leave(HERE, &request.extra, &Path::root(), losses);
    let first = placed.first().filter(|first| first.at == 0);
    let instructions = match first.map(|first| (&*first.message, first.same)) {
        Some((Message::System(system), same)) => instructions(system, same),
        _ => None,
    };
    let placed = if instructions.is_some() { &placed[1..] } else { &placed[..] };
    if let (Some(_), Some(first)) = (instructions, first) {
        crate::dialect::leave(HERE, first.message.extra(), &first.path(), losses);
    }
    let mut body = Object::default()
        .with_some("model", request.model.as_ref().map(|model| text(model)))
        .with_some("instructions", instructions.map(|words| text(words)));
    if let Some(input) = write_input(request, placed, mode, losses)? {
        body.set("input", input);
    }
    if !request.tools.is_empty() {
        body.set("tools", tools::write_tools(request, mode, losses)?.into());
    }
    if let Some(choice) = &request.tool_choice {
        body.set("tool_choice", tools::write_choice(choice)?);
    }
    let mut body = body
        .with_some("parallel_tool_calls", request.parallel_tool_calls)
        .with_some("stream", request.stream);
    write_sampling(request, mode, &mut body, losses)?;
    let own = request.extra.of(HERE).into_iter().flat_map(Object::iter);
    body.add_absent(own.filter(|(key, _)| key != "input"));
    for key in OWN_KNOBS {
        if let Some(value) = request.sampling.get(key).filter(|value| !value.is_null()) {
            body.set(key, value.clone());
        }
    }
    Ok(body)
}

/// One message as items, where no request says what stands around it.
pub(in crate::dialect) fn write_message(
    message: &Message,
    options: Options,
    losses: &mut Losses,
) -> Result<Vec<Json>> {
    let mode = Mode { same: false, from: None, internal: options.internal };
    let mut writer = Writer { mode, kinds: HashMap::new(), losses, items: Vec::new() };
    let fitted =
        Table::of([(message, false)].into_iter(), IDS).applied(message, &Path::root(), writer.losses);
    writer.message(0, fitted.as_ref().unwrap_or(message), &Path::root())?;
    Ok(writer.items)
}

/// The text of `instructions`, if that is where the first message stands.
fn instructions(first: &SystemMessage, same: bool) -> Option<&Text> {
    let Content::Text(words) = &first.content else { return None };
    let there = layout(&first.extra, "$instructions").is_some();
    let goes_there = !same && !first.developer && first.extra.of(HERE).is_none();
    ((there || goes_there) && !words.is_empty()).then_some(words)
}

fn write_input(
    request: &Request,
    placed: &[Placed<'_>],
    mode: Mode,
    losses: &mut Losses,
) -> Result<Option<Json>> {
    let spelling = request.extra.of(HERE).and_then(|fields| fields.get("input"));
    match (spelling, placed) {
        (Some(Value::String(word)), []) if word == "absent" => return Ok(None),
        (Some(Value::Null), []) => return Ok(Some(Value::Null)),
        (Some(Value::String(word)), [only]) if word == "string" => {
            if let Message::User(UserMessage { content: Content::Text(words), extra }) = &*only.message
                && extra.is_none()
            {
                return Ok(Some(text(words)));
            }
        }
        _ => {}
    }
    let mut writer = Writer { mode, kinds: HashMap::new(), losses, items: Vec::with_capacity(placed.len()) };
    for (n, this) in placed.iter().enumerate() {
        writer.mode.same = this.same;
        let turns = n.checked_sub(1).map(|before| (&*placed[before].message, &*this.message));
        if let (false, Some((Message::Assistant(_), Message::Assistant(_)))) = (this.same, turns) {
            let detail = "two turns with nothing between them are one run of items here";
            writer.losses.add(Code::Merged, this.path(), detail);
        }
        writer.message(this.at, &this.message, &this.path())?;
    }
    Ok(Some(writer.items.into()))
}

/// Settings under their neutral names and under the ones of this wire.
const KNOBS: [(&str, &str); 3] =
    [("temperature", "temperature"), ("top_p", "top_p"), ("max_tokens", "max_output_tokens")];

/// Numbers that only this wire has: read into `extra`, and taken from `sampling` where an overlay put them there.
const OWN_KNOBS: [&str; 2] = ["top_logprobs", "max_tool_calls"];

fn write_sampling(
    request: &Request,
    mode: Mode,
    body: &mut Object<'static>,
    losses: &mut Losses,
) -> Result<()> {
    let path = |key: &str| Path::root().key("sampling").key(key);
    let set = |key: &str| request.sampling.get(key).filter(|value| !value.is_null()).cloned();
    for (neutral, key) in KNOBS {
        if let Some(value) = set(neutral) {
            body.set(key, value);
        }
    }
    let effort = set("reasoning_effort");
    if let Some(effort) = effort.as_ref().filter(|_| !mode.same) {
        let known = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
        if !effort.as_str().is_some_and(|word| known.contains(&word)) {
            return Err(Error::unsupported(path("reasoning_effort"), "Responses has no such effort"));
        }
    }
    for (key, value) in request.sampling.iter() {
        let has_form = key == "reasoning_effort" || OWN_KNOBS.contains(&key.as_ref());
        if !has_form && !value.is_null() && !KNOBS.iter().any(|(neutral, _)| key == neutral) {
            losses.add(Code::SamplingDropped, path(key), crate::dialect::dropped_knob(key));
        }
    }
    let rest = request.extra.of(HERE).and_then(|fields| fields.get("reasoning"));
    if let Some(effort) = effort {
        let mut reasoning = Object::default().with("effort", effort);
        for (key, value) in rest.and_then(|rest| rest.as_object()).into_iter().flat_map(|rest| rest.iter()) {
            if key != "effort" {
                reasoning.0.push((key.clone(), value.clone()));
            }
        }
        body.set("reasoning", reasoning.into());
    } else if let Some(rest) = rest {
        body.set("reasoning", rest.clone());
    }
    Ok(())
}

/// What the API takes as a call id: 64 bytes of anything.
pub(super) const IDS: Rule = Rule { allowed: |_| true, shortest: 1, longest: 64 };

struct Writer<'l> {
    mode: Mode,
    /// What kind of call each id is, and whether it was read from this wire.
    kinds: HashMap<Text, (CallKind, bool)>,
    losses: &'l mut Losses,
    items: Vec<Json>,
}

impl Writer<'_> {
    fn message(&mut self, at: usize, message: &Message, path: &Path) -> Result<()> {
        match message {
            Message::System(m) => {
                let role = if m.developer { "developer" } else { "system" };
                self.plain(role, &m.content, &m.extra, path)?;
            }
            Message::User(m) => self.plain("user", &m.content, &m.extra, path)?,
            Message::Assistant(m) => {
                self.items.extend(turn::write_turn(m, self.mode, at, path, self.losses)?);
                let same = self.mode.same;
                self.kinds.extend(m.tool_calls.iter().map(|call| (call.id.clone(), (call.kind, same))));
            }
            Message::Tool(m) => {
                let item = self.result(m, path)?;
                self.items.push(item);
            }
        }
        Ok(())
    }

    fn plain(&mut self, role: &'static str, content: &Content, extra: &Extra, path: &Path) -> Result<()> {
        crate::dialect::leave(HERE, extra, path, self.losses);
        if let (Some(item), None) = (parts::whole_item(content), layout(extra, "$message")) {
            self.items.push(item.clone());
            return Ok(());
        }
        let mode = Mode { same: turn::is_ours(extra.dialect(), self.mode), ..self.mode };
        let mut item = Object::default();
        if layout(extra, "$bare").is_none() {
            item.set("type", "message".into());
        }
        item.set("role", role.into());
        item.set("content", parts::write_content(content, Place::Message, mode, path, self.losses)?);
        put_back(&mut item, extra);
        self.items.push(item.into());
        Ok(())
    }

    fn result(&mut self, result: &ToolMessage, path: &Path) -> Result<Json> {
        crate::dialect::leave(HERE, &result.extra, path, self.losses);
        let kind = match (layout(&result.extra, "$custom"), self.kinds.get(&result.tool_call_id)) {
            (Some(Value::Bool(true)), _) => CallKind::Custom,
            // Both as they were read: then it did not say that it answers a custom call.
            (_, Some((_, true))) if self.mode.same => CallKind::Function,
            (_, called) => called.map_or(CallKind::Function, |(kind, _)| *kind),
        };
        let (name, place) = match kind {
            CallKind::Function => ("function_call_output", Place::FunctionOutput),
            CallKind::Custom => ("custom_tool_call_output", Place::CustomOutput),
        };
        let mode = Mode { same: turn::is_ours(result.extra.dialect(), self.mode), ..self.mode };
        let mut output = parts::write_content(&result.content, place, mode, path, self.losses)?;
        let label = result.failed() && !self.mode.internal;
        let edited = label && put_label(&mut output, &result.content);
        let mut item = Object::default().with("type", name).with("call_id", text(&result.tool_call_id));
        if let Some(tool) = &result.name {
            if kind == CallKind::Custom && !mode.same {
                self.losses.add(
                    Code::NameDropped,
                    path.key("name"),
                    "a custom output does not name its tool",
                );
            } else {
                item.set("name", text(tool));
            }
        }
        item.set("output", output);
        if self.mode.internal {
            item = item.with_some(MARKER, result.is_error);
        }
        put_back(&mut item, &result.extra);
        if label {
            self.losses.add(
                Code::OutcomeLabelled,
                path.key("is_error"),
                "no field for a failure: its label says so",
            );
        }
        if edited && item.remove("id").is_some() {
            let why = "the label was added: a stored copy must not stand for it";
            self.losses.add(Code::ItemIdDropped, path.key("id"), why);
        }
        if result.is_error == Some(false) && !self.mode.internal {
            let why = "no field for a declared success";
            self.losses.add(Code::OutcomeSuccessUnexpressed, path.key("is_error"), why);
        }
        Ok(item.into())
    }
}

/// Puts the label in front of an output as it is written; says whether it was not there before.
fn put_label(output: &mut Json, content: &Content) -> bool {
    let marked = labelled(content);
    if marked == *content {
        return false;
    }
    match (output, marked) {
        (Value::Array(parts), Content::Parts(marked)) => {
            let label = marked.first().and_then(|part| part.as_text()).map_or("", |label| label);
            parts.insert(0, Object::default().with("type", "input_text").with("text", text(label)).into());
        }
        (output, Content::Text(marked)) => *output = text(&marked),
        (_, Content::Parts(_)) => {}
    }
    true
}
