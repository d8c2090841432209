//! Tool declarations and the choice among them.

use super::HERE;
use super::pen::{Pen, own, text};
use crate::dialect::arguments;
use crate::dialect::ids::{folded, folded_choice};
use crate::dialect::loss::Code;
use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Value};
use crate::message::{CallKind, Extra, Request, Tool, ToolChoice, ToolKind};
use crate::path::Path;

const DECLARATIONS: &str = "functionDeclarations";
const JSON_SCHEMA: &str = "parametersJsonSchema";
/// The older form: a subset of OpenAPI with types in capitals.
const SCHEMA: &str = "parameters";
/// Layout: does the declaration stand in one native tool with the one before?
const JOINED: &str = "$joined";
const CHOICE: &str = "functionCallingConfig";

/// The functions of every native tool, and the tools that the provider runs, in their order.
pub(super) fn read_tools(tools: Cursor<'_>) -> Result<Vec<Tool>> {
    let mut read: Vec<Tool> = Vec::new();
    for native in tools.items()? {
        let fields = native.fields()?;
        let mut first = true;
        for (key, member) in fields.each().filter(|(_, member)| !member.is_null()) {
            if key != DECLARATIONS {
                let declaration = Object(vec![(key.to_owned().into(), member.to_json())]);
                read.push(hosted(key, declaration, (!first).then_some(true)));
                first = false;
                continue;
            }
            for declaration in member.items()? {
                // Functions behind one another are thought to stand together, and no other tools.
                let behind = read.last().is_some_and(|tool| tool.kind == ToolKind::Function);
                let joined = (first == behind).then_some(!first);
                read.push(read_function(declaration, joined)?);
                first = false;
            }
        }
    }
    Ok(read)
}

fn hosted(kind: &str, declaration: Object<'static>, joined: Option<bool>) -> Tool {
    Tool {
        kind: ToolKind::Native(kind.into()),
        name: kind.into(),
        namespace: None,
        description: None,
        parameters: None,
        strict: None,
        format: None,
        extra: Extra::new(HERE, declaration.with_some(JOINED, joined)),
    }
}

fn read_function(declaration: Cursor<'_>, joined: Option<bool>) -> Result<Tool> {
    let fields = declaration.fields()?;
    let mut known = vec!["name"];
    let description = fields.some_str("description")?;
    known.extend(description.map(|_| "description"));
    let parameters = match (fields.some(JSON_SCHEMA), fields.some(SCHEMA)) {
        (Some(_), Some(older)) => {
            return Err(Error::shape(
                older.path(),
                "stands beside parametersJsonSchema, which says the same",
            ));
        }
        (Some(schema), None) => {
            known.push(JSON_SCHEMA);
            schema.fields()?;
            Some(schema.to_json())
        }
        (None, Some(schema)) => {
            schema.fields()?;
            Some(in_json_schema(schema.value))
        }
        (None, None) => None,
    };
    Ok(Tool {
        kind: ToolKind::Function,
        name: fields.need_str("name")?.into(),
        namespace: None,
        description: description.map(Into::into),
        parameters,
        strict: None,
        format: None,
        extra: Extra::new(HERE, fields.rest(&known).with_some(JOINED, joined)),
    })
}

/// The same schema as JSON Schema: types in small letters, null as a type, counts as numbers.
/// <https://ai.google.dev/api/caching#Schema>
fn in_json_schema(schema: &Value<'_>) -> Json {
    let Value::Object(members) = schema else { return schema.clone().into_owned() };
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    let mut out = Object::default();
    for (key, value) in members.iter() {
        let value = match (key.as_ref(), value) {
            ("nullable", Value::Bool(_)) => continue,
            ("type", Value::String(kind)) if kind == "TYPE_UNSPECIFIED" => continue,
            ("type", Value::String(kind)) => {
                let kind: Json = kind.to_ascii_lowercase().into();
                if nullable { vec![kind, "null".into()].into() } else { kind }
            }
            ("items" | "additionalProperties", inner) => in_json_schema(inner),
            ("anyOf" | "prefixItems", Value::Array(all)) => {
                all.iter().map(in_json_schema).collect::<Vec<_>>().into()
            }
            ("properties" | "defs" | "$defs", Value::Object(named)) => {
                let named = named.iter();
                Object(named.map(|(name, inner)| (name.to_string().into(), in_json_schema(inner))).collect())
                    .into()
            }
            (
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties",
                Value::String(digits),
            ) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                Value::Number(digits.to_string().into())
            }
            (_, value) => value.clone().into_owned(),
        };
        out.0.push((key.to_string().into(), value));
    }
    out.into()
}

/// The native tools: functions behind one another in one, every other tool in its own, unless they were read so.
pub(super) fn write_tools(tools: &[Tool], pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    let mut written: Vec<Object<'static>> = Vec::new();
    let mut behind_function = false;
    for (n, tool) in tools.iter().enumerate() {
        let path = Path::root().key("tools").index(n);
        let is_function = !matches!(tool.kind, ToolKind::Native(_));
        let joined = match own(&tool.extra, JOINED) {
            Some(Value::Bool(joined)) if pen.same => *joined,
            _ => behind_function && is_function,
        };
        behind_function = is_function;
        let (key, value) = match &tool.kind {
            ToolKind::Native(kind) => native(tool, kind, &path, pen)?,
            ToolKind::Function | ToolKind::Custom => {
                (DECLARATIONS.to_owned(), write_function(tool, &path, pen)?)
            }
        };
        let last = written.last_mut().filter(|last| joined && (is_function || last.get(&key).is_none()));
        let into = match last {
            Some(last) => last,
            None => {
                written.push(Object::default());
                let Some(new) = written.last_mut() else { continue };
                new
            }
        };
        if !is_function {
            into.set(&key, value);
        } else if let Some((_, Value::Array(all))) = into.0.iter_mut().find(|(name, _)| *name == key) {
            all.push(value);
        } else {
            into.set(&key, vec![value].into());
        }
    }
    Ok(written.into_iter().map(Into::into).collect())
}

fn write_function(tool: &Tool, path: &Path, pen: &mut Pen<'_>) -> Result<Json> {
    if tool.namespace.is_some() {
        pen.lose(Code::NamespaceFolded, path.key("namespace"), "folded into the name");
    }
    if tool.strict == Some(true) {
        pen.lose(Code::ToolFieldDropped, path.key("strict"), "Gemini is not strict by the tool");
    }
    let mut parameters = tool.parameters.clone();
    if tool.kind == ToolKind::Custom {
        pen.lose(Code::CustomWrapped, path.clone(), "declared as a function with the one string input");
        if tool.format.as_ref().is_some_and(|format| format.kind() != Some("text")) {
            pen.lose(Code::ToolFieldDropped, path.key("format"), "Gemini has no grammars");
        }
        parameters = Some(arguments::one_string());
    }
    let mut layout = vec![JOINED];
    if let Some(older) = own(&tool.extra, SCHEMA) {
        if parameters.as_ref() == Some(&in_json_schema(older)) {
            parameters = None;
        } else if !older.is_null() {
            // Changed since, and there is no place for it beside the newer form.
            layout.push(SCHEMA);
        }
    }
    let mut object = Object::default()
        .with("name", folded(tool.namespace.as_deref(), &tool.name))
        .with_some("description", tool.description.as_deref().map(text))
        .with_some(JSON_SCHEMA, parameters);
    pen.extra(&mut object, &tool.extra, &layout, path);
    Ok(object.into())
}

/// A tool that the provider runs: only its own wire can say it.
fn native(tool: &Tool, kind: &str, path: &Path, pen: &mut Pen<'_>) -> Result<(String, Json)> {
    match tool.extra.of(HERE) {
        Some(own) => match own.iter().find(|(key, _)| key != JOINED) {
            Some((key, value)) => Ok((key.to_string(), value.clone())),
            None => Ok((kind.to_owned(), Object::default().into())),
        },
        None if pen.same && tool.extra.is_none() => Ok((kind.to_owned(), Object::default().into())),
        None => Err(Error::unsupported(path.clone(), "a tool that only another provider has")),
    }
}

/// The choice, and what else the tool settings say.
pub(super) fn read_choice(config: Cursor<'_>) -> Result<(Option<ToolChoice>, Option<Json>)> {
    let fields = config.fields()?;
    let Some(choice) = fields.some(CHOICE) else { return Ok((None, Some(config.to_json()))) };
    let others = fields.rest(&[CHOICE]);
    let inner = choice.fields()?;
    let mode = inner.some_str("mode")?;
    let names = match inner.some("allowedFunctionNames") {
        Some(names) => {
            names.strings()?;
            names.value.as_array().unwrap_or_default().iter().filter_map(Value::as_str).collect()
        }
        None => Vec::new(),
    };
    let members = usize::from(mode.is_some()) + usize::from(!names.is_empty());
    let function = |name: &&str| (CallKind::Function, (*name).into());
    let typed = match (mode, names.as_slice()) {
        (Some("AUTO"), []) => Some(ToolChoice::Auto),
        (Some("NONE"), []) => Some(ToolChoice::None),
        (Some("ANY"), []) => Some(ToolChoice::Required),
        (Some("ANY"), [name]) => Some(ToolChoice::Tool { kind: CallKind::Function, name: (*name).into() }),
        (Some("ANY"), names) => {
            Some(ToolChoice::Allowed { required: true, tools: names.iter().map(function).collect() })
        }
        _ => None,
    };
    let choice = match typed {
        Some(typed) if inner.object.len() == members => typed,
        _ => ToolChoice::Native { dialect: HERE, value: choice.to_json() },
    };
    Ok((Some(choice), (!others.is_empty()).then_some(others.into())))
}

/// `rest` is what else the tool settings say.
pub(super) fn write_choice(
    request: &Request,
    rest: Option<&Json>,
    pen: &mut Pen<'_>,
) -> Result<Option<Json>> {
    let path = Path::root().key("tool_choice");
    let of = |mode: &'static str| Object::default().with("mode", mode);
    let name = |name: &str| Json::from(folded_choice(&request.tools, name));
    let choice: Option<Json> = match &request.tool_choice {
        None => None,
        Some(ToolChoice::Auto) => Some(of("AUTO").into()),
        Some(ToolChoice::None) => Some(of("NONE").into()),
        Some(ToolChoice::Required) => Some(of("ANY").into()),
        Some(ToolChoice::Tool { name: tool, kind: _ }) => {
            Some(of("ANY").with("allowedFunctionNames", vec![name(tool)]).into())
        }
        Some(ToolChoice::Allowed { required: true, tools }) => {
            let names: Vec<Json> = tools.iter().map(|(_, tool)| name(tool)).collect();
            Some(of("ANY").with("allowedFunctionNames", names).into())
        }
        Some(ToolChoice::Allowed { required: false, tools: _ }) => {
            pen.lose(
                Code::ToolChoiceReduced,
                path,
                "Gemini chooses among some of the tools only where it must call",
            );
            Some(of("AUTO").into())
        }
        Some(ToolChoice::Native { dialect, value }) if *dialect == HERE => Some(value.clone()),
        Some(ToolChoice::Native { .. }) => {
            return Err(Error::unsupported(path, "a tool choice that only another wire has"));
        }
    };
    let mut config = Object::default().with_some(CHOICE, choice);
    let rest = rest.and_then(|rest| rest.as_object());
    config.add_absent(rest.into_iter().flat_map(Object::iter));
    Ok((!config.is_empty() || rest.is_some()).then_some(config.into()))
}
