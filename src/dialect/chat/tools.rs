//! Tool declarations and the choice among them, in both directions.

use super::{merge, rest};
use crate::dialect::loss::{Code, Losses};
use crate::dialect::{ids, leave};
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{CallKind, Dialect, Extra, Request, Text, Tool, ToolChoice, ToolKind};
use crate::path::Path;

pub(super) fn fold(namespace: Option<&str>, name: &str, path: &Path, losses: &mut Losses) -> String {
    let folded = ids::folded(namespace, name);
    if namespace.is_some() {
        losses.add(
            Code::NamespaceFolded,
            path.key("namespace"),
            "there are no namespaces here: it is written in front of the name, with two underscores",
        );
    }
    folded
}

/// The one tool of this wire that the provider runs; it stands beside the list of tools.
pub(super) const WEB_SEARCH: &str = "web_search_options";

pub(super) fn web_search(options: Cursor<'_>) -> Tool {
    Tool {
        kind: ToolKind::Native(WEB_SEARCH.into()),
        name: WEB_SEARCH.into(),
        namespace: None,
        description: None,
        parameters: None,
        strict: None,
        format: None,
        extra: Extra::new(Dialect::Chat, Object::default().with(WEB_SEARCH, options.to_json())),
    }
}

pub(super) fn read_tool(cursor: Cursor<'_>) -> Result<Tool> {
    let fields = cursor.fields()?;
    let (kind, key) = match fields.some_str("type")?.unwrap_or("function") {
        "function" => (ToolKind::Function, "function"),
        "custom" => (ToolKind::Custom, "custom"),
        native => {
            return Ok(Tool {
                kind: ToolKind::Native(native.into()),
                name: native.into(),
                namespace: None,
                description: None,
                parameters: None,
                strict: None,
                format: None,
                extra: Extra::new(Dialect::Chat, fields.rest(&[])),
            });
        }
    };
    let inner = fields.need(key)?;
    let inner = inner.fields()?;
    let mut extra = rest(&fields, &["type", key]);
    let known: &[&str] =
        if kind == ToolKind::Custom { &["name", "description", "format"] } else { &KNOWN_FUNCTION };
    let left = rest(&inner, known);
    if !left.is_empty() {
        extra.set(key, Value::Object(left));
    }
    let object = |key: &'static str| -> Result<Option<Json>> {
        match inner.some(key) {
            Some(value) if known.contains(&key) => value.fields().map(|_| Some(value.to_json())),
            _ => Ok(None),
        }
    };
    Ok(Tool {
        name: inner.need_str("name")?.into(),
        namespace: None,
        description: inner.some_str("description")?.map(Text::from),
        parameters: object("parameters")?,
        strict: match inner.some("strict") {
            Some(strict) if known.contains(&"strict") => Some(strict.bool()?),
            _ => None,
        },
        format: object("format")?.map(flat_format),
        kind,
        extra: Extra::new(Dialect::Chat, extra),
    })
}

const KNOWN_FUNCTION: [&str; 4] = ["name", "description", "parameters", "strict"];

/// `{"type": "grammar", "grammar": {…}}` in the flat spelling that the typed tool holds.
fn flat_format(format: Json) -> Json {
    match format.get("grammar").and_then(|g| g.as_object()) {
        Some(grammar) => {
            let mut flat = Object::default().with("type", "grammar");
            flat.set_all(grammar.0.iter().cloned());
            Value::Object(flat)
        }
        None => format,
    }
}

fn nested_format(format: &Json) -> Json {
    match format.as_object() {
        Some(flat) if format.kind() == Some("grammar") => {
            let mut grammar = flat.clone();
            grammar.remove("type");
            Value::from(Object::default().with("type", "grammar").with("grammar", grammar))
        }
        _ => format.clone(),
    }
}

pub(super) fn write_tool(tool: &Tool, path: &Path, losses: &mut Losses) -> Result<Json> {
    let own = tool.extra.of(Dialect::Chat);
    let key = match &tool.kind {
        ToolKind::Function => "function",
        ToolKind::Custom => "custom",
        ToolKind::Native(_) => {
            return match own {
                Some(declaration) => Ok(Value::Object(declaration.clone())),
                None => Err(Error::unsupported(path.clone(), "a tool of another provider has no form here")),
            };
        }
    };
    leave(Dialect::Chat, &tool.extra, path, losses);
    let mut inner = Object::default()
        .with("name", fold(tool.namespace.as_deref(), &tool.name, path, losses))
        .with_some("description", tool.description.as_deref().map(str::to_owned));
    if tool.kind == ToolKind::Custom {
        inner = inner.with_some("format", tool.format.as_ref().map(nested_format));
    } else {
        inner = inner.with_some("parameters", tool.parameters.clone()).with_some("strict", tool.strict);
    }
    merge(&mut inner, own.and_then(|fields| fields.get(key)?.as_object()));
    let mut written = Object::default().with("type", tool.kind.as_str().to_owned()).with(key, inner);
    merge(&mut written, own);
    Ok(Value::Object(written))
}

fn read_named(cursor: Cursor<'_>) -> Result<(CallKind, Text)> {
    let fields = cursor.fields()?;
    let kind = match fields.need_str("type")? {
        "function" => CallKind::Function,
        "custom" => CallKind::Custom,
        _ => return Err(cursor.expected("a function or a custom tool")),
    };
    let inner = fields.need(kind.as_str())?;
    let name = inner.fields()?.need_str("name")?.into();
    Ok((kind, name))
}

pub(super) fn read_choice(cursor: Cursor<'_>) -> Result<ToolChoice> {
    match cursor.value.as_str() {
        Some("auto") => return Ok(ToolChoice::Auto),
        Some("none") => return Ok(ToolChoice::None),
        Some("required") => return Ok(ToolChoice::Required),
        _ => {}
    }
    let native = || ToolChoice::Native { dialect: Dialect::Chat, value: cursor.to_json() };
    let choice = match cursor.value.kind() {
        Some("function" | "custom") => {
            let (kind, name) = read_named(cursor)?;
            ToolChoice::Tool { kind, name }
        }
        Some("allowed_tools") => {
            let fields = cursor.fields()?;
            let allowed = fields.need("allowed_tools")?;
            let allowed = allowed.fields()?;
            let tools = allowed.need("tools")?;
            let tools = tools.items()?.map(read_named).collect::<Result<_>>()?;
            ToolChoice::Allowed { required: allowed.need_str("mode")? == "required", tools }
        }
        _ => return Ok(native()),
    };
    Ok(if write_named(&choice, &[]).is_some_and(|written| written == *cursor.value) {
        choice
    } else {
        native()
    })
}

fn write_named(choice: &ToolChoice, tools: &[Tool]) -> Option<Json> {
    let named = |kind: CallKind, name: &Text| {
        Value::from(
            Object::default()
                .with("type", kind.as_str())
                .with(kind.as_str(), Object::default().with("name", ids::folded_choice(tools, name))),
        )
    };
    Some(match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool { kind, name } => named(*kind, name),
        ToolChoice::Allowed { required, tools: among } => {
            let allowed = Object::default()
                .with("mode", if *required { "required" } else { "auto" })
                .with("tools", among.iter().map(|(kind, name)| named(*kind, name)).collect::<Vec<_>>());
            Value::from(Object::default().with("type", "allowed_tools").with("allowed_tools", allowed))
        }
        ToolChoice::Native { dialect: Dialect::Chat, value } => value.clone(),
        ToolChoice::Native { .. } => return None,
    })
}

pub(super) fn write_choice(request: &Request, body: &mut Object<'static>) -> Result<()> {
    if let Some(choice) = &request.tool_choice {
        let written = write_named(choice, &request.tools).ok_or_else(|| {
            Error::unsupported(Path::root().key("tool_choice"), "this choice has no form in Chat Completions")
        })?;
        body.set("tool_choice", written);
    }
    Ok(())
}
