//! Tool declarations and the choice among them.

use super::HERE;
use super::blocks::{CACHE_POINT, caches, member};
use super::pen::{Pen, block, text};
use super::read::{CACHE, add_cache};
use crate::dialect::arguments;
use crate::dialect::ids::{folded, folded_choice};
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{CallKind, Extra, Message, Request, Tool, ToolChoice, ToolKind};
use crate::path::Path;
use std::collections::HashSet;

const SPEC: &str = "toolSpec";

/// The list of tools; a cache point stays with the tool before it.
pub(super) fn read_tools(tools: Cursor<'_>) -> Result<Vec<Tool>> {
    let mut read: Vec<Tool> = Vec::new();
    for tool in tools.items()? {
        let name = member(tool)?;
        match read.last_mut() {
            Some(last) if name == CACHE_POINT => add_cache(&mut last.extra, tool.to_json()),
            _ => read.push(read_tool(tool)?),
        }
    }
    Ok(read)
}

fn read_tool(tool: Cursor<'_>) -> Result<Tool> {
    let member = member(tool)?;
    let outer = tool.fields()?;
    if member != SPEC {
        // The provider runs it.
        let name = tool.value.get(member).and_then(|native| native.get("name")?.as_str()).unwrap_or(member);
        return Ok(Tool {
            kind: ToolKind::Native(member.into()),
            name: name.into(),
            namespace: None,
            description: None,
            parameters: None,
            strict: None,
            format: None,
            extra: Extra::new(HERE, outer.rest(&[])),
        });
    }
    let spec = outer.need(SPEC)?;
    let fields = spec.fields()?;
    let schema = fields.need("inputSchema")?;
    let schema = schema.fields()?;
    let schema = schema.need("json")?;
    schema.fields()?;
    let (description, strict) = (fields.some_str("description")?, fields.some("strict"));
    let mut known = vec!["name", "inputSchema"];
    known.extend(description.map(|_| "description"));
    known.extend(strict.map(|_| "strict"));
    Ok(Tool {
        kind: ToolKind::Function,
        name: fields.need_str("name")?.into(),
        namespace: None,
        description: description.map(Into::into),
        parameters: Some(schema.to_json()),
        strict: strict.map(|c| c.bool()).transpose()?,
        format: None,
        extra: Extra::new(HERE, fields.rest(&known)),
    })
}

/// The declarations of a request. The service wants some as soon as the conversation holds a call: tools that nobody
/// declares are declared by their names.
pub(super) fn write_tools(request: &Request, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    let mut written = Vec::with_capacity(request.tools.len());
    for (n, tool) in request.tools.iter().enumerate() {
        written.push(write_tool(tool, &Path::root().key("tools").index(n), pen)?);
        written.extend(caches(&tool.extra));
    }
    if request.tools.is_empty() && !pen.same {
        let mut seen = HashSet::new();
        let turns = request.messages.iter().enumerate().filter_map(|(at, message)| match message {
            Message::Assistant(turn) => Some((at, turn)),
            _ => None,
        });
        for (at, turn) in turns {
            for (n, call) in turn.tool_calls.iter().enumerate() {
                let name = folded(call.namespace.as_deref(), &call.name);
                if !seen.insert(name.clone()) {
                    continue;
                }
                let path = Path::root().key("messages").index(at).key("tool_calls").index(n).key("name");
                let detail = "a call needs its tool declared: it is, with any object as its input";
                pen.lose(Code::ToolAssumed, path, detail);
                let schema = Object::default().with("json", Object::default().with("type", "object"));
                written.push(block(SPEC, Object::default().with("name", name).with("inputSchema", schema)));
            }
        }
    }
    Ok(written)
}

fn write_tool(tool: &Tool, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    if let ToolKind::Native(_) = &tool.kind {
        let Some(own) = tool.extra.of(HERE) else {
            return Err(Error::unsupported(path.clone(), "a tool that only another provider has"));
        };
        let members = own.iter().filter(|(key, _)| key != CACHE).cloned().collect();
        return Ok(Value::Object(Object(members)));
    }
    if tool.namespace.is_some() {
        pen.lose(Code::NamespaceFolded, path.key("namespace"), "folded into the name");
    }
    let parameters = match tool.kind {
        ToolKind::Custom => {
            pen.lose(Code::CustomWrapped, path.clone(), "declared as a function with the one string input");
            if tool.format.as_ref().is_some_and(|format| format.kind() != Some("text")) {
                pen.lose(Code::ToolFieldDropped, path.key("format"), "Bedrock has no grammars");
            }
            arguments::one_string()
        }
        _ => tool.parameters.clone().unwrap_or_else(|| Object::default().with("type", "object").into()),
    };
    let mut spec = Object::default()
        .with("name", folded(tool.namespace.as_deref(), &tool.name))
        .with_some("description", tool.description.as_deref().filter(|d| pen.same || !d.is_empty()).map(text))
        .with("inputSchema", Object::default().with("json", parameters))
        .with_some("strict", tool.strict);
    pen.extra(&mut spec, &tool.extra, &[CACHE], path);
    Ok(block(SPEC, spec))
}

pub(super) fn read_choice(choice: Cursor<'_>) -> Result<ToolChoice> {
    let name = member(choice)?;
    let fields = choice.fields()?;
    let value = fields.need(name)?;
    let inner = value.fields()?;
    let tool = inner.object.get("name").and_then(|name| name.as_str());
    Ok(match (name, tool, inner.object.len()) {
        ("auto", _, 0) => ToolChoice::Auto,
        ("any", _, 0) => ToolChoice::Required,
        ("tool", Some(name), 1) => ToolChoice::Tool { kind: CallKind::Function, name: name.into() },
        _ => ToolChoice::Native { dialect: HERE, value: choice.to_json() },
    })
}

/// The choice among the tools that are written, if there are any.
pub(super) fn write_choice(request: &Request, any: bool, pen: &mut Pen<'_>) -> Result<Option<Json>> {
    let path = Path::root().key("tool_choice");
    if request.parallel_tool_calls.is_some() {
        let detail = "Bedrock cannot say whether calls may run in parallel";
        pen.lose(Code::FieldDropped, Path::root().key("parallel_tool_calls"), detail);
    }
    let choice = match &request.tool_choice {
        None => return Ok(None),
        Some(ToolChoice::Auto | ToolChoice::None) if !any && !pen.same => return Ok(None),
        Some(_) if !any && !pen.same => {
            return Err(Error::unsupported(path, "a call is required, and there is no tool"));
        }
        Some(ToolChoice::Auto) => block("auto", Object::default()),
        Some(ToolChoice::Required) => block("any", Object::default()),
        Some(ToolChoice::Tool { name, kind: _ }) => {
            block("tool", Object::default().with("name", folded_choice(&request.tools, name)))
        }
        Some(ToolChoice::None) => {
            pen.lose(Code::ToolChoiceReduced, path, "Bedrock cannot forbid calls: the choice is left out");
            return Ok(None);
        }
        Some(ToolChoice::Allowed { required, tools: _ }) => {
            pen.lose(Code::ToolChoiceReduced, path, "Bedrock cannot choose among some of the tools");
            block(if *required { "any" } else { "auto" }, Object::default())
        }
        Some(ToolChoice::Native { dialect, value }) if *dialect == HERE => value.clone(),
        Some(ToolChoice::Native { .. }) => {
            return Err(Error::unsupported(path, "a tool choice that only another wire has"));
        }
    };
    Ok(Some(choice))
}
