//! The top level of a body: model, tools, sampling, and the fields that no other wire has.
//!
//! Whether the answer comes as a stream stands in the address of a request and not in its body.

use super::HERE;
use super::pen::{Pen, own, text};
use super::tools::{read_choice, read_tools, write_choice, write_tools};
use crate::dialect::dropped_knob;
use crate::dialect::ids::distinct_when_folded;
use crate::dialect::loss::Code;
use crate::dialect::targets::Flags;
use crate::error::{Error, Result};
use crate::json::{Fields, Json, Object, Value};
use crate::message::{Extra, Request};
use crate::path::Path;

/// Neutral sampling names and those of `inferenceConfig`.
const KNOBS: [(&str, &str); 3] =
    [("max_tokens", "maxTokens"), ("temperature", "temperature"), ("top_p", "topP")];
const STOP: &str = "stopSequences";
pub(super) const INFERENCE: &str = "inferenceConfig";
pub(super) const OUTPUT: &str = "outputConfig";
/// What is the model's own.
pub(super) const MORE: &str = "additionalModelRequestFields";
const EFFORT: &str = "effort";
const TOOLS: &str = "toolConfig";
const MODEL: &str = "modelId";

/// Everything but the conversation. What a group of settings says beside the typed ones stays under its name.
pub(super) fn read(fields: &Fields<'_>, request: &mut Request) -> Result<()> {
    let mut known = vec!["messages", INFERENCE, OUTPUT, TOOLS];
    let mut rest = Object::default();
    if fields.some("system").is_some_and(|s| s.value.as_array().is_some_and(|s| !s.is_empty())) {
        known.push("system");
    }
    if let Some(model) = fields.some_str(MODEL)? {
        request.model = Some(model.into());
        known.push(MODEL);
    }
    if let Some(config) = fields.get(INFERENCE) {
        let left = match config.value {
            Value::Null => Some(Value::Null),
            _ => read_inference(&config.fields()?, request)?,
        };
        rest = rest.with_some(INFERENCE, left);
    }
    if let Some(config) = fields.get(OUTPUT) {
        let mut left = config.to_json();
        if let Value::Object(members) = &mut left
            && let Some(Value::String(_)) = members.get(EFFORT)
            && let Some(effort) = members.remove(EFFORT)
        {
            request.sampling.set("reasoning_effort", effort);
            rest = rest.with_some(OUTPUT, (!members.is_empty()).then(|| left.clone()));
        } else {
            rest = rest.with(OUTPUT, left);
        }
    }
    if let Some(config) = fields.get(TOOLS) {
        let left = match config.value {
            Value::Null => Some(Value::Null),
            _ => read_config(&config.fields()?, request)?,
        };
        rest = rest.with_some(TOOLS, left);
    }
    rest.0.extend(fields.rest(&known).0);
    request.extra = Extra::new(HERE, rest);
    Ok(())
}

fn read_inference(fields: &Fields<'_>, request: &mut Request) -> Result<Option<Json>> {
    let mut known = Vec::new();
    for (neutral, native) in KNOBS {
        if let Some(value) = fields.some(native) {
            value.number()?;
            request.sampling.set(neutral, value.to_json());
            known.push(native);
        }
    }
    if let Some(stop) = fields.some(STOP) {
        stop.strings()?;
        request.sampling.set("stop", stop.to_json());
        known.push(STOP);
    }
    let rest = fields.rest(&known);
    Ok((!rest.is_empty() || fields.object.is_empty()).then_some(rest.into()))
}

fn read_config(fields: &Fields<'_>, request: &mut Request) -> Result<Option<Json>> {
    let mut known = Vec::new();
    if let Some(tools) = fields.some("tools") {
        request.tools = read_tools(tools)?;
        if !request.tools.is_empty() {
            known.push("tools");
        }
    }
    if let Some(choice) = fields.some("toolChoice") {
        request.tool_choice = Some(read_choice(choice)?);
        known.push("toolChoice");
    }
    let rest = fields.rest(&known);
    Ok((!rest.is_empty() || fields.object.is_empty()).then_some(rest.into()))
}

pub(super) fn write(
    request: &Request,
    system: Option<Vec<Json>>,
    messages: Vec<Json>,
    pen: &mut Pen<'_>,
) -> Result<Object<'static>> {
    distinct_when_folded(&request.tools)?;
    let tools = write_tools(request, pen)?;
    let choice = write_choice(request, !tools.is_empty(), pen)?;
    let config = Object::default()
        .with_some("tools", (!tools.is_empty()).then_some(tools))
        .with_some("toolChoice", choice);
    let Groups { inference, output, more } = Groups::of(request, pen)?;
    let mut body = Object::default()
        .with_some(MODEL, request.model.as_deref().map(text))
        .with_some("system", system)
        .with("messages", messages);
    for (name, members) in [(INFERENCE, inference), (TOOLS, config), (OUTPUT, output), (MORE, more)] {
        if let Some(group) = group(members, own(&request.extra, name)) {
            body.set(name, group);
        }
    }
    match request.extra.of(HERE) {
        Some(own) => body.add_absent(own.iter()),
        None => pen.leave(&request.extra, &Path::root()),
    }
    Ok(body)
}

/// Typed settings over what else their group said; none where neither says anything.
fn group(mut members: Object<'static>, rest: Option<&Json>) -> Option<Json> {
    match rest {
        Some(Value::Object(rest)) => members.add_absent(rest.iter()),
        Some(other) if members.is_empty() => return Some(other.clone()),
        Some(_) => {}
        None if members.is_empty() => return None,
        None => {}
    }
    Some(members.into())
}

/// The settings by the groups in which they stand.
#[derive(Clone, Default)]
pub(super) struct Groups {
    pub(super) inference: Object<'static>,
    pub(super) output: Object<'static>,
    pub(super) more: Object<'static>,
}

impl Groups {
    fn of(request: &Request, pen: &mut Pen<'_>) -> Result<Self> {
        let mut groups = Self::default();
        if let Some(Value::Object(own)) = own(&request.extra, MORE) {
            groups.more = own.clone();
        }
        for (name, value) in request.sampling.iter() {
            if name == "reasoning_effort" {
                if pen.same {
                    groups.output.set(EFFORT, value.clone());
                    continue;
                }
                check_effort(value, pen.flags)?;
            }
            if !groups.set(name, value, pen.flags) {
                let path = Path::root().key("sampling").key(name);
                pen.lose(Code::SamplingDropped, path, dropped_knob(name));
            }
        }
        Ok(groups)
    }

    /// False where neither the wire nor the model has a place for a setting.
    pub(super) fn set(&mut self, name: &str, value: &Json, flags: Flags) -> bool {
        if let Some(place) = flags.name("more", name) {
            match place.split_once('.') {
                None => self.more.set(place, value.clone()),
                Some((outer, inner)) => {
                    let mut within = match self.more.remove(outer) {
                        Some(Value::Object(within)) => within,
                        _ => Object::default(),
                    };
                    within.set(inner, value.clone());
                    self.more.set(outer, within.into());
                }
            }
        } else if let Some((_, native)) = KNOBS.iter().find(|(neutral, _)| name == *neutral) {
            self.inference.set(native, value.clone());
        } else if name == "stop" {
            self.inference.set(STOP, value.clone());
        } else if name == "reasoning_effort" {
            self.output.set(EFFORT, value.clone());
        } else {
            return false;
        }
        true
    }
}

/// Words are not rounded: one that the model does not know is refused.
pub(super) fn check_effort(effort: &Json, flags: Flags) -> Result<()> {
    if flags.words("efforts").any(|known| effort.as_str() == Some(known)) {
        return Ok(());
    }
    let known = flags.words("efforts").collect::<Vec<_>>().join(", ");
    let path = Path::root().key("sampling").key("reasoning_effort");
    Err(Error::unsupported(path, format!("this model knows {known}")))
}
