//! Declarations of tools and the choice among them, both ways.

use super::{HERE, Mode, layout, put_back, some_text, text};
use crate::dialect::Losses;
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{CallKind, Extra, Request, Text, Tool, ToolChoice, ToolKind};
use crate::path::Path;

pub(super) fn read_tools(tools: Cursor<'_>) -> Result<Vec<Tool>> {
    let mut out = Vec::new();
    for tool in tools.items()? {
        let fields = tool.fields()?;
        if fields.need_str("type")? == "namespace" {
            read_group(&fields, &mut out)?;
        } else {
            out.push(read_tool(&fields, None, Object::default())?);
        }
    }
    Ok(out)
}

fn read_group(group: &Fields<'_>, out: &mut Vec<Tool>) -> Result<()> {
    let name = group.need_str("name")?;
    let members = group.need("tools")?;
    let before = out.len();
    for (n, tool) in members.items()?.enumerate() {
        let mut layout = Object::default();
        if n == 0 {
            layout.set("$group", group.rest(&["type", "name", "tools"]).into());
        }
        out.push(read_tool(&tool.fields()?, Some(name), layout)?);
    }
    if out.len() == before {
        out.push(native("namespace", name, None, group.rest(&[])));
    }
    Ok(())
}

fn native(kind: &str, name: &str, namespace: Option<&str>, declaration: Object<'static>) -> Tool {
    Tool {
        kind: ToolKind::Native(kind.into()),
        name: name.into(),
        namespace: namespace.map(Text::from),
        description: None,
        parameters: None,
        strict: None,
        format: None,
        extra: Extra::new(HERE, declaration),
    }
}

fn read_tool(fields: &Fields<'_>, namespace: Option<&str>, layout: Object<'static>) -> Result<Tool> {
    let kind = match fields.need_str("type")? {
        "function" => ToolKind::Function,
        "custom" => ToolKind::Custom,
        kind => {
            let name = fields.some_str("name")?.or(fields.some_str("server_label")?).unwrap_or(kind);
            let mut declaration = fields.rest(&[]);
            declaration.0.extend(layout.0);
            return Ok(native(kind, name, namespace, declaration));
        }
    };
    let name = fields.need_str("name")?;
    let description = fields.some_str("description")?;
    let of_function = |key| fields.some(key).filter(|_| kind == ToolKind::Function);
    let parameters = of_function("parameters").map(|c| c.fields().map(|_| c.to_json())).transpose()?;
    let strict = of_function("strict").map(|c| c.bool()).transpose()?;
    let format = fields.some("format").filter(|_| kind == ToolKind::Custom);
    let format = format.map(|c| c.fields().map(|_| c.to_json())).transpose()?;
    let mut known = vec!["type", "name"];
    let typed = [
        ("description", description.is_some()),
        ("parameters", parameters.is_some()),
        ("strict", strict.is_some()),
        ("format", format.is_some()),
    ];
    known.extend(typed.into_iter().filter(|(_, there)| *there).map(|(key, _)| key));
    let mut extra = fields.rest(&known);
    extra.0.extend(layout.0);
    Ok(Tool {
        kind,
        name: name.into(),
        namespace: namespace.map(Text::from),
        description: description.map(Text::from),
        parameters,
        strict,
        format,
        extra: Extra::new(HERE, extra),
    })
}

pub(super) fn write_tools(request: &Request, mode: Mode, losses: &mut Losses) -> Result<Vec<Json>> {
    let mut out: Vec<Json> = Vec::with_capacity(request.tools.len());
    // The namespace of the group that is being filled, its own fields, and its tools.
    let mut open: Option<(&str, Object<'static>, Vec<Json>)> = None;
    let close = |open: &mut Option<(&str, Object<'static>, Vec<Json>)>, out: &mut Vec<Json>| {
        if let Some((_, mut group, tools)) = open.take() {
            group.set("tools", tools.into());
            out.push(group.into());
        }
    };
    for (n, tool) in request.tools.iter().enumerate() {
        let path = Path::root().key("tools").index(n);
        let declaration = write_tool(tool, mode, &path, losses)?;
        let Some(namespace) = tool.namespace.as_deref() else {
            close(&mut open, &mut out);
            out.push(declaration);
            continue;
        };
        let fields = layout(&tool.extra, "$group").and_then(|group| group.as_object());
        match &mut open {
            Some((name, _, tools)) if *name == namespace && fields.is_none() => tools.push(declaration),
            _ => {
                close(&mut open, &mut out);
                let mut group = Object::default().with("type", "namespace").with("name", text(namespace));
                match fields {
                    Some(fields) => group.0.extend(fields.0.iter().cloned()),
                    None => group.set("description", "".into()),
                }
                open = Some((namespace, group, vec![declaration]));
            }
        }
    }
    close(&mut open, &mut out);
    Ok(out)
}

fn write_tool(tool: &Tool, mode: Mode, path: &Path, losses: &mut Losses) -> Result<Json> {
    crate::dialect::leave(HERE, &tool.extra, path, losses);
    let described = |kind: &'static str| {
        Object::default()
            .with("type", kind)
            .with("name", text(&tool.name))
            .with_some("description", some_text(tool.description.as_ref()))
    };
    let mut object = match &tool.kind {
        ToolKind::Function => {
            // Both are required. Silence about `strict` would make the server tighten the schema.
            let ours = mode.same || tool.extra.dialect() == Some(HERE);
            let strict = tool.strict.or((!ours).then_some(false));
            let none = (!ours && tool.parameters.is_none()).then_some(Value::Null);
            described("function")
                .with_some("parameters", tool.parameters.clone())
                .with_some("strict", strict)
                // Where it stands when it is read back.
                .with_some("parameters", none)
        }
        ToolKind::Custom => described("custom").with_some("format", tool.format.clone()),
        ToolKind::Native(_) if tool.extra.dialect() == Some(HERE) => Object::default(),
        ToolKind::Native(_) => {
            return Err(Error::unsupported(path.clone(), "a tool that another provider runs or types"));
        }
    };
    put_back(&mut object, &tool.extra);
    Ok(object.into())
}

pub(super) fn read_choice(choice: Cursor<'_>) -> Result<ToolChoice> {
    if let Some(word) = choice.value.as_str() {
        return match word {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(choice.expected("auto, none, required or an object")),
        };
    }
    let fields = choice.fields()?;
    let native = || ToolChoice::Native { dialect: HERE, value: choice.to_json() };
    match fields.need_str("type")? {
        "function" | "custom" => {
            Ok(named(choice.value).map_or_else(native, |(kind, name)| ToolChoice::Tool { kind, name }))
        }
        "allowed_tools" if fields.object.len() == 3 => {
            let (mode, tools) = (fields.need_str("mode")?, fields.need("tools")?);
            let tools: Option<Vec<_>> = tools.items()?.map(|tool| named(tool.value)).collect();
            match (mode, tools) {
                ("auto" | "required", Some(tools)) => {
                    Ok(ToolChoice::Allowed { required: mode == "required", tools })
                }
                _ => Ok(native()),
            }
        }
        _ => Ok(native()),
    }
}

/// `{type: function | custom, name}` and nothing else.
fn named(value: &Value<'_>) -> Option<(CallKind, Text)> {
    let kind = match value.kind()? {
        "function" => CallKind::Function,
        "custom" => CallKind::Custom,
        _ => return None,
    };
    let name = value.get("name")?.as_str()?;
    (value.as_object()?.len() == 2).then(|| (kind, name.into()))
}

pub(super) fn write_choice(choice: &ToolChoice) -> Result<Json> {
    let named = |kind: CallKind, name: &str| {
        Value::from(Object::default().with("type", kind.as_str()).with("name", text(name)))
    };
    match choice {
        ToolChoice::Auto => Ok("auto".into()),
        ToolChoice::None => Ok("none".into()),
        ToolChoice::Required => Ok("required".into()),
        ToolChoice::Tool { kind, name } => Ok(named(*kind, name)),
        ToolChoice::Allowed { required, tools } => {
            let tools: Vec<_> = tools.iter().map(|(kind, name)| named(*kind, name)).collect();
            Ok(Object::default()
                .with("type", "allowed_tools")
                .with("mode", if *required { "required" } else { "auto" })
                .with("tools", tools)
                .into())
        }
        ToolChoice::Native { dialect, value } if *dialect == HERE => Ok(value.clone()),
        ToolChoice::Native { dialect, value: _ } => Err(Error::unsupported(
            Path::root().key("tool_choice"),
            format!("Responses has no form for this choice of {dialect}"),
        )),
    }
}
