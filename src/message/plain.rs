//! Our own JSON spelling of the nouns: what `to_dict` gives, what pickles and pydantic dumps hold.

use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{
    AssistantMessage, CallKind, Content, Dialect, Extra, FileSource, Message, Part, PartKind, Request,
    SystemMessage, Text, Tool, ToolCall, ToolChoice, ToolKind, ToolMessage, UserMessage,
};

fn text(value: &str) -> Json {
    Value::String(value.to_owned().into())
}

pub(super) fn some_text(value: Option<&Text>) -> Option<Json> {
    value.map(|t| text(t))
}

/// Refuses fields that are not ours: a misspelt one would otherwise be lost in silence.
pub fn only(fields: &Fields<'_>, known: &[&str]) -> Result<()> {
    match fields.object.iter().find(|(key, _)| !known.contains(&key.as_ref())) {
        Some((key, _)) => Err(Error::shape(fields.path().key(key), "unknown field")),
        None => Ok(()),
    }
}

fn need_text(fields: &Fields<'_>, key: &str) -> Result<Text> {
    Ok(fields.need_str(key)?.into())
}

pub(super) fn opt_text(fields: &Fields<'_>, key: &str) -> Result<Option<Text>> {
    Ok(fields.some_str(key)?.map(Text::from))
}

pub(super) fn opt_bool(fields: &Fields<'_>, key: &str) -> Result<Option<bool>> {
    fields.some(key).map(|c| c.bool()).transpose()
}

pub(super) fn dialect_from(cursor: Cursor<'_>) -> Result<Dialect> {
    Dialect::from_name(cursor.str()?).ok_or_else(|| cursor.expected("the name of a dialect"))
}

pub fn extra_to_plain(extra: &Extra) -> Option<Json> {
    extra.get().map(|(dialect, fields)| {
        Value::from(Object::default().with(dialect.as_str(), Value::Object(fields.clone())))
    })
}

fn extra_from(fields: &Fields<'_>) -> Result<Extra> {
    let Some(cursor) = fields.some("extra") else { return Ok(Extra::none()) };
    let extra = cursor.fields()?;
    let mut members = extra.each();
    let Some((name, inner)) = members.next() else { return Ok(Extra::none()) };
    if members.next().is_some() {
        return Err(cursor.expected("the fields of one dialect"));
    }
    let dialect = Dialect::from_name(name).ok_or_else(|| cursor.expected("the name of a dialect as key"))?;
    let inner = inner.fields()?;
    Ok(Extra::new(dialect, inner.rest(&[])))
}

pub fn part_to_plain(part: &Part) -> Json {
    let object = Object::default();
    let object = match &part.kind {
        PartKind::Text(t) => object.with("type", "text").with("text", text(t)),
        PartKind::Image { url, detail } => object.with("type", "image_url").with(
            "image_url",
            Object::default().with("url", text(url)).with_some("detail", some_text(detail.as_ref())),
        ),
        PartKind::Audio { data, media_type } => {
            object.with("type", "audio").with("data", text(data)).with("media_type", text(media_type))
        }
        PartKind::File { source, media_type, filename } => {
            let (key, value) = match source {
                FileSource::Data(v) => ("data", v),
                FileSource::Text(v) => ("text", v),
                FileSource::Url(v) => ("url", v),
                FileSource::Id(v) => ("file_id", v),
            };
            object
                .with("type", "file")
                .with(key, text(value))
                .with_some("media_type", some_text(media_type.as_ref()))
                .with_some("filename", some_text(filename.as_ref()))
        }
        PartKind::Native { dialect, value } => {
            object.with("type", "native").with("dialect", dialect.as_str()).with("value", value.clone())
        }
    };
    Value::from(object.with_some("extra", extra_to_plain(&part.extra)))
}

pub fn part_from_plain(cursor: Cursor<'_>) -> Result<Part> {
    let fields = cursor.fields()?;
    let kind = match fields.need_str("type")? {
        "text" => {
            only(&fields, &["type", "text", "extra"])?;
            PartKind::Text(need_text(&fields, "text")?)
        }
        "image_url" => {
            only(&fields, &["type", "image_url", "extra"])?;
            let image = fields.need("image_url")?;
            let image = image.fields()?;
            only(&image, &["url", "detail"])?;
            PartKind::Image { url: need_text(&image, "url")?, detail: opt_text(&image, "detail")? }
        }
        "audio" => {
            only(&fields, &["type", "data", "media_type", "extra"])?;
            PartKind::Audio {
                data: need_text(&fields, "data")?,
                media_type: need_text(&fields, "media_type")?,
            }
        }
        "file" => {
            only(&fields, &["type", "data", "text", "url", "file_id", "media_type", "filename", "extra"])?;
            let sources = [
                opt_text(&fields, "data")?.map(FileSource::Data),
                opt_text(&fields, "text")?.map(FileSource::Text),
                opt_text(&fields, "url")?.map(FileSource::Url),
                opt_text(&fields, "file_id")?.map(FileSource::Id),
            ];
            let mut sources = sources.into_iter().flatten();
            let (Some(source), None) = (sources.next(), sources.next()) else {
                return Err(cursor.expected("exactly one of data, text, url and file_id"));
            };
            let (media_type, filename) = (opt_text(&fields, "media_type")?, opt_text(&fields, "filename")?);
            PartKind::File { source, media_type, filename }
        }
        "native" => {
            only(&fields, &["type", "dialect", "value", "extra"])?;
            let value = fields.need("value")?;
            value.fields()?;
            PartKind::Native { dialect: dialect_from(fields.need("dialect")?)?, value: value.to_json() }
        }
        _ => {
            return Err(Error::shape(
                fields.path().key("type"),
                "expected text, image_url, audio, file or native",
            ));
        }
    };
    Ok(Part { kind, extra: extra_from(&fields)? })
}

fn content_to_plain(content: &Content) -> Json {
    match content {
        Content::Text(t) => text(t),
        Content::Parts(parts) => Value::Array(parts.iter().map(part_to_plain).collect()),
    }
}

fn content_from(cursor: Cursor<'_>) -> Result<Content> {
    match cursor.value {
        Value::String(t) => Ok(Content::Text(t.as_ref().into())),
        Value::Array(_) => Ok(Content::Parts(cursor.items()?.map(part_from_plain).collect::<Result<_>>()?)),
        _ => Err(cursor.expected("a string or a list of parts")),
    }
}

pub fn tool_call_to_plain(call: &ToolCall) -> Json {
    Value::from(
        Object::default()
            .with("id", text(&call.id))
            .with("type", call.kind.as_str())
            .with("name", text(&call.name))
            .with_some("namespace", some_text(call.namespace.as_ref()))
            .with("arguments", text(&call.arguments))
            .with_some("extra", extra_to_plain(&call.extra)),
    )
}

fn call_kind_from(cursor: Cursor<'_>) -> Result<CallKind> {
    match cursor.str()? {
        "function" => Ok(CallKind::Function),
        "custom" => Ok(CallKind::Custom),
        _ => Err(cursor.expected("function or custom")),
    }
}

pub fn tool_call_from_plain(cursor: Cursor<'_>) -> Result<ToolCall> {
    let fields = cursor.fields()?;
    only(&fields, &["id", "type", "name", "namespace", "arguments", "extra"])?;
    Ok(ToolCall {
        id: need_text(&fields, "id")?,
        name: need_text(&fields, "name")?,
        arguments: need_text(&fields, "arguments")?,
        kind: fields.some("type").map(call_kind_from).transpose()?.unwrap_or_default(),
        namespace: opt_text(&fields, "namespace")?,
        extra: extra_from(&fields)?,
    })
}

pub fn message_to_plain(message: &Message) -> Json {
    let object = Object::default().with("role", message.role());
    let object = match message {
        Message::System(m) => object
            .with("content", content_to_plain(&m.content))
            .with_some("developer", m.developer.then_some(true)),
        Message::User(m) => object.with("content", content_to_plain(&m.content)),
        Message::Assistant(m) => object
            .with("content", some_text(m.content.as_ref()).unwrap_or(Value::Null))
            .with_some("reasoning_content", some_text(m.reasoning_content.as_ref()))
            .with_some("tool_calls", list(&m.tool_calls, tool_call_to_plain))
            .with_some("provider_state", list(&m.provider_state, Json::clone)),
        Message::Tool(m) => object
            .with("tool_call_id", text(&m.tool_call_id))
            .with("content", content_to_plain(&m.content))
            .with_some("name", some_text(m.name.as_ref()))
            .with_some("is_error", m.is_error),
    };
    Value::from(object.with_some("extra", extra_to_plain(message.extra())))
}

/// A list, left out where it is empty.
pub(super) fn list<T>(items: &[T], write: impl Fn(&T) -> Json) -> Option<Json> {
    (!items.is_empty()).then(|| Value::Array(items.iter().map(write).collect()))
}

pub fn message_from_plain(cursor: Cursor<'_>) -> Result<Message> {
    let fields = cursor.fields()?;
    let role = fields.need_str("role")?;
    Ok(match role {
        "system" | "developer" => {
            only(&fields, &["role", "content", "developer", "extra"])?;
            Message::System(SystemMessage {
                content: content_from(fields.need("content")?)?,
                developer: role == "developer" || opt_bool(&fields, "developer")?.unwrap_or(false),
                extra: extra_from(&fields)?,
            })
        }
        "user" => {
            only(&fields, &["role", "content", "extra"])?;
            Message::User(UserMessage {
                content: content_from(fields.need("content")?)?,
                extra: extra_from(&fields)?,
            })
        }
        "assistant" => {
            let known = ["role", "content", "reasoning_content", "tool_calls", "provider_state", "extra"];
            only(&fields, &known)?;
            let tool_calls = match fields.some("tool_calls") {
                Some(calls) => calls.items()?.map(tool_call_from_plain).collect::<Result<_>>()?,
                None => Vec::new(),
            };
            let provider_state = match fields.some("provider_state") {
                Some(state) => {
                    state.items()?.map(|item| item.fields().map(|_| item.to_json())).collect::<Result<_>>()?
                }
                None => Vec::new(),
            };
            Message::Assistant(AssistantMessage {
                content: opt_text(&fields, "content")?,
                reasoning_content: opt_text(&fields, "reasoning_content")?,
                tool_calls,
                provider_state,
                extra: extra_from(&fields)?,
            })
        }
        "tool" => {
            only(&fields, &["role", "tool_call_id", "content", "name", "is_error", "extra"])?;
            Message::Tool(ToolMessage {
                tool_call_id: need_text(&fields, "tool_call_id")?,
                content: content_from(fields.need("content")?)?,
                name: opt_text(&fields, "name")?,
                is_error: opt_bool(&fields, "is_error")?,
                extra: extra_from(&fields)?,
            })
        }
        _ => {
            return Err(Error::shape(
                fields.path().key("role"),
                "expected system, developer, user, assistant or tool",
            ));
        }
    })
}

pub fn tool_to_plain(tool: &Tool) -> Json {
    Value::from(
        Object::default()
            .with("type", text(tool.kind.as_str()))
            .with("name", text(&tool.name))
            .with_some("namespace", some_text(tool.namespace.as_ref()))
            .with_some("description", some_text(tool.description.as_ref()))
            .with_some("parameters", tool.parameters.clone())
            .with_some("strict", tool.strict)
            .with_some("format", tool.format.clone())
            .with_some("extra", extra_to_plain(&tool.extra)),
    )
}

pub fn tool_from_plain(cursor: Cursor<'_>) -> Result<Tool> {
    let fields = cursor.fields()?;
    only(&fields, &["type", "name", "namespace", "description", "parameters", "strict", "format", "extra"])?;
    let kind = match fields.some_str("type")?.unwrap_or("function") {
        "function" => ToolKind::Function,
        "custom" => ToolKind::Custom,
        native => ToolKind::Native(native.into()),
    };
    Ok(Tool {
        kind,
        name: need_text(&fields, "name")?,
        namespace: opt_text(&fields, "namespace")?,
        description: opt_text(&fields, "description")?,
        parameters: object_member(&fields, "parameters")?,
        strict: opt_bool(&fields, "strict")?,
        format: object_member(&fields, "format")?,
        extra: extra_from(&fields)?,
    })
}

pub(super) fn object_member(fields: &Fields<'_>, key: &str) -> Result<Option<Json>> {
    fields.some(key).map(|c| c.fields().map(|_| c.to_json())).transpose()
}

pub fn choice_to_plain(choice: &ToolChoice) -> Json {
    let named = |kind: CallKind, name: &str| {
        Value::from(Object::default().with("type", kind.as_str()).with("name", text(name)))
    };
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool { kind, name } => named(*kind, name),
        ToolChoice::Allowed { required, tools } => Value::from(
            Object::default()
                .with("type", "allowed_tools")
                .with("mode", if *required { "required" } else { "auto" })
                .with("tools", tools.iter().map(|(kind, name)| named(*kind, name)).collect::<Vec<_>>()),
        ),
        ToolChoice::Native { dialect, value } => Value::from(
            Object::default()
                .with("type", "native")
                .with("dialect", dialect.as_str())
                .with("value", value.clone()),
        ),
    }
}

fn choice_from(cursor: Cursor<'_>) -> Result<ToolChoice> {
    if let Some(word) = cursor.value.as_str() {
        return match word {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(cursor.expected("auto, none, required or an object")),
        };
    }
    let fields = cursor.fields()?;
    match fields.need_str("type")? {
        "allowed_tools" => {
            let tools = fields.need("tools")?;
            let tools = tools
                .items()?
                .map(|tool| {
                    let tool = tool.fields()?;
                    Ok((call_kind_from(tool.need("type")?)?, need_text(&tool, "name")?))
                })
                .collect::<Result<_>>()?;
            Ok(ToolChoice::Allowed { required: fields.need_str("mode")? == "required", tools })
        }
        "native" => Ok(ToolChoice::Native {
            dialect: dialect_from(fields.need("dialect")?)?,
            value: fields.need("value")?.to_json(),
        }),
        _ => Ok(ToolChoice::Tool {
            kind: call_kind_from(fields.need("type")?)?,
            name: need_text(&fields, "name")?,
        }),
    }
}

pub fn request_to_plain(request: &Request) -> Json {
    let sampling = (!request.sampling.is_empty()).then(|| Value::Object(request.sampling.clone()));
    Value::from(
        Object::default()
            .with_some("dialect", request.dialect.map(|d| Value::from(d.as_str())))
            .with_some("model", some_text(request.model.as_ref()))
            .with("messages", request.messages.iter().map(message_to_plain).collect::<Vec<_>>())
            .with_some(
                "added",
                request
                    .added
                    .as_ref()
                    .map(|places| places.iter().map(|at| Value::from(*at)).collect::<Vec<_>>()),
            )
            .with_some("tools", list(&request.tools, tool_to_plain))
            .with_some("tool_choice", request.tool_choice.as_ref().map(choice_to_plain))
            .with_some("parallel_tool_calls", request.parallel_tool_calls)
            .with_some("stream", request.stream)
            .with_some("sampling", sampling)
            .with_some("extra", extra_to_plain(&request.extra))
            .with_some("replaced", list(&request.replaced, |path| text(path))),
    )
}

fn places_from(cursor: Cursor<'_>) -> Result<Vec<usize>> {
    let place =
        |c: Cursor<'_>| c.number()?.parse().map_err(|_| c.expected("a place in the list of messages"));
    let mut places = cursor.items()?.map(place).collect::<Result<Vec<usize>>>()?;
    places.sort_unstable();
    Ok(places)
}

/// The knobs that every wire knows have one type each; null is unset.
fn sampling_from(fields: &Fields<'_>) -> Result<Object<'static>> {
    for (key, knob) in fields.each().filter(|(_, knob)| !knob.is_null()) {
        match key {
            "temperature" | "top_p" | "top_k" | "max_tokens" => knob.number().map(|_| ())?,
            "reasoning_effort" => knob.str().map(|_| ())?,
            "stop" => knob.strings()?,
            _ => {}
        }
    }
    Ok(Object(fields.rest(&[]).0.into_iter().filter(|(_, value)| !value.is_null()).collect()))
}

pub fn request_from_plain(cursor: Cursor<'_>) -> Result<Request> {
    let fields = cursor.fields()?;
    only(
        &fields,
        &[
            "dialect",
            "model",
            "messages",
            "added",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "stream",
            "sampling",
            "extra",
            "replaced",
        ],
    )?;
    let messages = fields.need("messages")?;
    let tools = match fields.some("tools") {
        Some(tools) => tools.items()?.map(tool_from_plain).collect::<Result<_>>()?,
        None => Vec::new(),
    };
    let replaced = match fields.some("replaced") {
        Some(paths) => paths.items()?.map(|p| p.str().map(Text::from)).collect::<Result<_>>()?,
        None => Vec::new(),
    };
    Ok(Request {
        dialect: fields.some("dialect").map(dialect_from).transpose()?,
        model: opt_text(&fields, "model")?,
        messages: messages.items()?.map(message_from_plain).collect::<Result<_>>()?,
        added: fields.some("added").map(places_from).transpose()?,
        tools,
        tool_choice: fields.some("tool_choice").map(choice_from).transpose()?,
        parallel_tool_calls: opt_bool(&fields, "parallel_tool_calls")?,
        stream: opt_bool(&fields, "stream")?,
        sampling: match fields.some("sampling") {
            Some(sampling) => sampling_from(&sampling.fields()?)?,
            None => Object::default(),
        },
        extra: extra_from(&fields)?,
        replaced,
    })
}
