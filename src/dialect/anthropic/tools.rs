//! Tool declarations and the choice among them.

use super::HERE;
use super::pen::{Pen, text};
use crate::dialect::arguments;
use crate::dialect::ids::{folded, folded_choice};
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{CallKind, Extra, Request, Tool, ToolChoice, ToolKind};
use crate::path::Path;

const NO_PARALLEL: &str = "disable_parallel_tool_use";

pub(super) fn read_tool(tool: Cursor<'_>) -> Result<Tool> {
    let fields = tool.fields()?;
    let kind = fields.some_str("type")?;
    if let Some(kind) = kind
        && kind != "custom"
    {
        // The host framework names a toolset after its server, and a nameless tool after its type.
        let name = match fields.some_str("name")? {
            Some(name) => name,
            None => fields.some_str("mcp_server_name")?.unwrap_or(kind),
        };
        return Ok(Tool {
            kind: ToolKind::Native(kind.into()),
            name: name.into(),
            namespace: None,
            description: None,
            parameters: None,
            strict: None,
            format: None,
            extra: Extra::new(HERE, fields.rest(&[])),
        });
    }
    let schema = fields.need("input_schema")?;
    schema.fields()?;
    let (description, strict) = (fields.some_str("description")?, fields.some("strict"));
    // A null says nothing, but it is written back.
    let mut known = vec!["name", "input_schema"];
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

pub(super) fn write_tool(tool: &Tool, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    if let ToolKind::Native(kind) = &tool.kind {
        return native(tool, kind, path, pen);
    }
    if tool.namespace.is_some() {
        pen.lose(Code::NamespaceFolded, path.key("namespace"), "folded into the name");
    }
    let parameters = match tool.kind {
        ToolKind::Custom => {
            pen.lose(Code::CustomWrapped, path.clone(), "declared as a function with the one string input");
            if tool.format.as_ref().is_some_and(|format| format.kind() != Some("text")) {
                pen.lose(Code::ToolFieldDropped, path.key("format"), "Anthropic has no grammars");
            }
            arguments::one_string()
        }
        _ => with_type(tool.parameters.clone().unwrap_or_else(no_parameters), pen.same),
    };
    let mut object = Object::default()
        .with("name", folded(tool.namespace.as_deref(), &tool.name))
        .with_some("description", tool.description.as_deref().map(text))
        .with("input_schema", parameters)
        .with_some("strict", tool.strict);
    pen.extra(&mut object, &tool.extra, &[], path);
    Ok(object.into())
}

/// A tool that the provider runs or types: only its own wire can say it.
fn native(tool: &Tool, kind: &str, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    let Some(own) = tool.extra.of(HERE) else {
        if pen.same && tool.extra.is_none() {
            return Ok(Object::default().with("type", text(kind)).with("name", text(&tool.name)).into());
        }
        return Err(Error::unsupported(path.clone(), "a tool that only another provider has"));
    };
    let declaration = Value::Object(own.clone());
    if !read_tool(Cursor::root(&declaration)).is_ok_and(|read| read == *tool) {
        let detail = "the tool was changed after its declaration was read, which is written as it was";
        pen.lose(Code::NativeStale, path.clone(), detail);
    }
    Ok(declaration)
}

fn no_parameters() -> Json {
    Object::default().with("type", "object").with("properties", Object::default()).into()
}

/// The API wants the type said, which elsewhere goes without saying.
fn with_type(parameters: Json, same: bool) -> Json {
    match parameters {
        Value::Object(schema) if !same && schema.get("type").is_none() => {
            let mut whole = Object::default().with("type", "object");
            if schema.is_empty() {
                whole.set("properties", Object::default().into());
            }
            whole.0.extend(schema.0);
            whole.into()
        }
        schema => schema,
    }
}

/// The choice, and whether calls may run in parallel, which is said inside it.
pub(super) fn read_choice(choice: Cursor<'_>) -> Result<(ToolChoice, Option<bool>)> {
    let fields = choice.fields()?;
    let kind = fields.need_str("type")?;
    let no_parallel = match fields.object.get(NO_PARALLEL) {
        Some(Value::Bool(no)) => Some(*no),
        _ => None,
    };
    let members = 1 + usize::from(kind == "tool") + usize::from(no_parallel.is_some());
    let name = fields.object.get("name").and_then(|name| name.as_str());
    let typed = match (kind, name) {
        ("auto", _) => Some(ToolChoice::Auto),
        ("any", _) => Some(ToolChoice::Required),
        ("tool", Some(name)) => Some(ToolChoice::Tool { kind: CallKind::Function, name: name.into() }),
        ("none", _) if no_parallel.is_none() => Some(ToolChoice::None),
        _ => None,
    };
    match typed {
        Some(typed) if fields.object.len() == members => Ok((typed, no_parallel.map(|no| !no))),
        _ => Ok((ToolChoice::Native { dialect: HERE, value: choice.to_json() }, None)),
    }
}

pub(super) fn write_choice(request: &Request, pen: &mut Pen<'_>) -> Result<Option<Json>> {
    let path = Path::root().key("tool_choice");
    let parallel = request.parallel_tool_calls;
    let drop_parallel = |pen: &mut Pen<'_>, why: &str| {
        if parallel.is_some() {
            pen.lose(Code::FieldDropped, Path::root().key("parallel_tool_calls"), why);
        }
    };
    let of = |kind: &'static str| Object::default().with("type", kind);
    let object = match &request.tool_choice {
        None if parallel.is_none() => return Ok(None),
        None if request.tools.is_empty() => {
            drop_parallel(pen, "there are no tools");
            return Ok(None);
        }
        None | Some(ToolChoice::Auto) => of("auto"),
        Some(ToolChoice::Required) => of("any"),
        Some(ToolChoice::None) => {
            drop_parallel(pen, "with no calls allowed there is nothing to run in parallel");
            return Ok(Some(of("none").into()));
        }
        Some(ToolChoice::Tool { name, .. }) => of("tool").with("name", folded_choice(&request.tools, name)),
        Some(ToolChoice::Allowed { required, .. }) => {
            pen.lose(Code::ToolChoiceReduced, path, "Anthropic cannot choose among some of the tools");
            of(if *required { "any" } else { "auto" })
        }
        Some(ToolChoice::Native { dialect, value }) if *dialect == HERE => {
            drop_parallel(pen, "the tool choice is native and says it itself");
            return Ok(Some(value.clone()));
        }
        Some(ToolChoice::Native { .. }) => {
            return Err(Error::unsupported(path, "a tool choice that only another wire has"));
        }
    };
    Ok(Some(object.with_some(NO_PARALLEL, parallel.map(|yes| !yes)).into()))
}
