//! The top level of a body: tools, the generation settings, and the fields that no other wire has.

use super::overlay::{LEVELS, level};
use super::pen::{Pen, own, text};
use super::read::says_nothing;
use super::tools::{read_choice, read_tools, write_choice, write_tools};
use crate::dialect::dropped_knob;
use crate::dialect::ids::distinct_when_folded;
use crate::dialect::loss::Code;
use crate::error::Result;
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{Extra, Request};
use crate::path::Path;

/// Neutral sampling names and the names of this wire.
pub(super) const KNOBS: [(&str, &str); 4] =
    [("temperature", "temperature"), ("top_p", "topP"), ("top_k", "topK"), ("max_tokens", "maxOutputTokens")];
pub(super) const CONFIG: &str = "generationConfig";
pub(super) const STOP: &str = "stopSequences";
pub(super) const THINKING: &str = "thinkingConfig";
pub(super) const LEVEL: &str = "thinkingLevel";
const TOOL_CONFIG: &str = "toolConfig";

/// Everything but the conversation. What says nothing (null, an empty list) stays with the fields of this wire.
pub(super) fn read(fields: &Fields<'_>, request: &mut Request) -> Result<()> {
    let mut known = vec!["contents"];
    if fields.some("systemInstruction").is_some_and(|system| !says_nothing(system.value)) {
        known.push("systemInstruction");
    }
    // The model stands in the address; batches name it beside the conversation.
    if let Some(model) = fields.some_str("model")? {
        request.model = Some(model.into());
        known.push("model");
    }
    if let Some(tools) = fields.some("tools") {
        request.tools = read_tools(tools)?;
        if !request.tools.is_empty() {
            known.push("tools");
        }
    }
    let mut rest = Object::default();
    if let Some(config) = fields.some(TOOL_CONFIG) {
        let (choice, others) = read_choice(config)?;
        request.tool_choice = choice;
        rest = rest.with_some(TOOL_CONFIG, others);
        known.push(TOOL_CONFIG);
    }
    if let Some(config) = fields.some(CONFIG) {
        rest = rest.with_some(CONFIG, read_config(config, &mut request.sampling)?);
        known.push(CONFIG);
    }
    let mut extra = fields.rest(&known);
    extra.0.extend(rest.0);
    request.extra = Extra::new(super::HERE, extra);
    Ok(())
}

/// The settings with a neutral name; gives the others, none where there are no others.
fn read_config(config: Cursor<'_>, sampling: &mut Object<'static>) -> Result<Option<Json>> {
    let fields = config.fields()?;
    let mut known = Vec::new();
    for (neutral, native) in KNOBS {
        if let Some(value) = fields.some(native) {
            value.number()?;
            sampling.set(neutral, value.to_json());
            known.push(native);
        }
    }
    if let Some(stop) = fields.some(STOP) {
        stop.strings()?;
        sampling.set("stop", stop.to_json());
        known.push(STOP);
    }
    let mut rest = fields.rest(&known);
    if let Some(thinking) = fields.some(THINKING) {
        let thinking = thinking.fields()?;
        let effort = thinking.some_str(LEVEL)?.map(str::to_ascii_lowercase);
        if let Some(effort) = effort.filter(|effort| LEVELS.contains(&effort.as_str())) {
            sampling.set("reasoning_effort", effort.into());
            let others = thinking.rest(&[LEVEL]);
            rest.remove(THINKING);
            rest = rest.with_some(THINKING, (!others.is_empty()).then_some(others));
        }
    }
    // An empty object is kept, so that nothing comes back that was not there.
    Ok((!rest.is_empty() || fields.object.is_empty()).then_some(rest.into()))
}

/// The body around the conversation.
pub(super) fn write(
    request: &Request,
    system: Option<Json>,
    contents: Vec<Json>,
    pen: &mut Pen<'_>,
) -> Result<Object<'static>> {
    let model = request.model.as_deref().filter(|_| pen.same).map(text);
    let mut body = Object::default()
        .with_some("model", model)
        .with_some("systemInstruction", system)
        .with("contents", contents);
    distinct_when_folded(&request.tools)?;
    let tools = write_tools(&request.tools, pen)?;
    body = body.with_some("tools", (!tools.is_empty()).then_some(tools));
    if request.parallel_tool_calls.is_some() {
        let path = Path::root().key("parallel_tool_calls");
        pen.lose(Code::FieldDropped, path, "Gemini has no such setting");
    }
    if let Some(choice) = write_choice(request, own(&request.extra, TOOL_CONFIG), pen)? {
        body.set(TOOL_CONFIG, choice);
    }
    let config = write_config(&request.sampling, own(&request.extra, CONFIG), pen)?;
    body = body.with_some(CONFIG, config);
    pen.extra(&mut body, &request.extra, &[], &Path::root());
    Ok(body)
}

fn write_config(knobs: &Object<'static>, rest: Option<&Json>, pen: &mut Pen<'_>) -> Result<Option<Json>> {
    let mut config = Object::default();
    let mut thinking = None;
    for (name, value) in knobs.iter() {
        match (name.as_ref(), KNOBS.iter().find(|(neutral, _)| name == neutral)) {
            (_, Some((_, native))) => config.set(native, value.clone()),
            ("stop", _) => config.set(STOP, value.clone()),
            ("reasoning_effort", _) => {
                let path = Path::root().key("sampling").key("reasoning_effort");
                thinking = Some(Object::default().with(LEVEL, level(value, path)?));
            }
            (name, None) if pen.same => config.set(name, value.clone()),
            (name, None) => {
                let path = Path::root().key("sampling").key(name);
                pen.lose(Code::SamplingDropped, path, dropped_knob(name));
            }
        }
    }
    let rest = rest.and_then(|rest| rest.as_object());
    if let Some(mut thinking) = thinking {
        let others = rest.and_then(|rest| rest.get(THINKING)?.as_object());
        thinking.add_absent(others.into_iter().flat_map(Object::iter));
        config.set(THINKING, Value::Object(thinking));
    }
    config.add_absent(rest.into_iter().flat_map(Object::iter));
    Ok((!config.is_empty() || rest.is_some()).then_some(config.into()))
}
