//! The top level of a body: model, tools, sampling, and the fields that no other wire has.

use super::HERE;
use super::overlay::check_effort;
use super::pen::{Pen, text};
use super::read::says_nothing;
use super::tools::{read_choice, read_tool, write_choice, write_tool};
use crate::dialect::dropped_knob;
use crate::dialect::ids::distinct_when_folded;
use crate::dialect::loss::Code;
use crate::error::Result;
use crate::json::{Fields, Json, Object, Value};
use crate::message::{Extra, Request};
use crate::path::Path;

/// Neutral sampling names and the names of this wire.
const KNOBS: [(&str, &str); 4] =
    [("max_tokens", "max_tokens"), ("temperature", "temperature"), ("top_p", "top_p"), ("top_k", "top_k")];
const STOP: &str = "stop_sequences";
const CONFIG: &str = "output_config";
const EFFORT: &str = "effort";
/// The API cannot do without a limit.
const MAX_TOKENS: &str = "4096";

/// Everything but the conversation. What says nothing (null, an empty list) stays with the fields of this wire.
pub(super) fn read(fields: &Fields<'_>, request: &mut Request) -> Result<()> {
    let mut known = vec!["messages"];
    if fields.some("system").is_some_and(|system| !says_nothing(system.value)) {
        known.push("system");
    }
    if let Some(model) = fields.some_str("model")? {
        request.model = Some(model.into());
        known.push("model");
    }
    if let Some(stream) = fields.some("stream") {
        request.stream = Some(stream.bool()?);
        known.push("stream");
    }
    if let Some(tools) = fields.some("tools") {
        request.tools = tools.items()?.map(read_tool).collect::<Result<_>>()?;
        if !request.tools.is_empty() {
            known.push("tools");
        }
    }
    if let Some(choice) = fields.some("tool_choice") {
        let (choice, parallel) = read_choice(choice)?;
        (request.tool_choice, request.parallel_tool_calls) = (Some(choice), parallel);
        known.push("tool_choice");
    }
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
    let mut extra = fields.rest(&known);
    let effort = fields.object.get(CONFIG).and_then(|config| config.get(EFFORT));
    if let Some(Value::String(effort)) = effort {
        request.sampling.set("reasoning_effort", text(effort));
        if let Some(Value::Object(mut config)) = extra.remove(CONFIG) {
            config.remove(EFFORT);
            if !config.is_empty() {
                extra.0.push((CONFIG.into(), config.into()));
            }
        }
    }
    request.extra = Extra::new(HERE, extra);
    Ok(())
}

/// The body around the conversation.
pub(super) fn write(
    request: &Request,
    system: Option<Json>,
    messages: Vec<Json>,
    pen: &mut Pen<'_>,
) -> Result<Object<'static>> {
    let mut body = Object::default().with_some("model", request.model.as_deref().map(text));
    let own = request.extra.of(HERE);
    sampling(request, own, &mut body, pen)?;
    body = body.with_some("system", system).with("messages", messages);
    distinct_when_folded(&request.tools)?;
    let mut tools = Vec::with_capacity(request.tools.len());
    for (n, tool) in request.tools.iter().enumerate() {
        tools.push(write_tool(tool, &Path::root().key("tools").index(n), pen)?);
    }
    body = body
        .with_some("tools", (!tools.is_empty()).then_some(tools))
        .with_some("tool_choice", write_choice(request, pen)?)
        .with_some("stream", request.stream);
    match own {
        Some(own) => body.add_absent(own.iter()),
        None => pen.leave(&request.extra, &Path::root()),
    }
    Ok(body)
}

fn sampling(
    request: &Request,
    own: Option<&Object<'static>>,
    body: &mut Object<'static>,
    pen: &mut Pen<'_>,
) -> Result<()> {
    let knobs = &request.sampling;
    for (neutral, native) in KNOBS {
        match knobs.get(neutral) {
            Some(value) => body.set(native, value.clone()),
            None if neutral == "max_tokens" && !pen.same => {
                let detail = "Anthropic needs a limit and none is known; 4096 is written";
                pen.lose(Code::MaxTokensAssumed, Path::root().key("max_tokens"), detail);
                body.set(native, Json::Number(MAX_TOKENS.into()));
            }
            None => {}
        }
    }
    if let Some(stop) = knobs.get("stop") {
        body.set(STOP, stop.clone());
    }
    if let Some(effort) = knobs.get("reasoning_effort") {
        if !pen.same {
            check_effort(effort)?;
        }
        let mut config = match own.and_then(|own| own.get(CONFIG)) {
            Some(Value::Object(config)) => config.clone(),
            _ => Object::default(),
        };
        config.set(EFFORT, effort.clone());
        body.set(CONFIG, config.into());
    }
    for (name, value) in knobs.iter() {
        let mapped = KNOBS.iter().any(|(neutral, _)| name == neutral);
        if mapped || name == "stop" || name == "reasoning_effort" {
            continue;
        }
        if pen.same {
            body.set(name, value.clone());
        } else {
            let path = Path::root().key("sampling").key(name);
            pen.lose(Code::SamplingDropped, path, dropped_knob(name));
        }
    }
    Ok(())
}
