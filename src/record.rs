//! The trace records of the host framework (verifiers): their `nodes` as a graph, and a graph as such nodes.
//!
//! A record is what `Trace.model_dump(mode="json")` gives, with or without its nulls. Five fields of a node are typed
//! here; all others are its metadata, as they are. Written again, a node has its nulls if its metadata has some: a
//! record either has all of them or none. Where that is not how the record spelled a typed field, it is kept in the
//! metadata under `_verifiers`, so that what was read is what is written, whoever wrote the record.

use crate::error::{Error, Result};
use crate::graph::{Graph, Held, Node, NodeId, Origin, Stamp, Tools};
use crate::identity;
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{
    AssistantMessage, CallKind, Content, Extra, Message, Part, PartKind, SystemMessage, Text, Tool, ToolCall,
    ToolKind, ToolMessage, UserMessage,
};
use crate::path::Path;
use std::sync::Arc;

const TYPED: [&str; 5] = ["parent", "tools", "message", "sampled", "timestamp"];

/// The metadata that says how a record spelled its typed fields: `{"fields": {…}, "absent": […]}`.
const SPELLED: &str = "_verifiers";

/// A record, or the list of its nodes.
pub fn from_verifiers(record: Cursor<'_>) -> Result<Graph> {
    if record.value.as_array().is_some() {
        return read_nodes(record);
    }
    let fields = record.fields()?;
    if fields.get("nodes").is_none()
        && let Some(traces) = fields.get("traces")
    {
        return Err(traces.expected("one trace: each of an episode is a record of its own"));
    }
    read_nodes(fields.need("nodes")?)
}

fn read_nodes(nodes: Cursor<'_>) -> Result<Graph> {
    let mut graph = Graph::default();
    let mut tools = Tools::none();
    for node in nodes.items()? {
        read_node(&node.fields()?, &mut graph, &mut tools)?;
    }
    Ok(graph)
}

/// Adds a node; roots with the same tools share them.
fn read_node(fields: &Fields<'_>, graph: &mut Graph, last: &mut Arc<Tools>) -> Result<()> {
    let message = read_message(fields.need("message")?)?;
    let tools = fields.some("tools").map(read_tools).transpose()?.unwrap_or_default();
    let parent = fields.some("parent").map(|parent| read_parent(parent, graph.len())).transpose()?;
    let origin = parent.map_or_else(
        || {
            if last.list != tools {
                *last = Tools::of(tools);
            }
            Origin::Root(last.clone())
        },
        Origin::Child,
    );
    let sampled = fields.some("sampled").map(|flag| flag.bool()).transpose()?.unwrap_or_default();
    let timestamp = fields.some("timestamp").map(Stamp::seconds).transpose()?.unwrap_or_default();
    let mut metadata = fields.rest(&TYPED);
    let written = Pen::of(Some(&metadata)).node(&origin, &message, (sampled, timestamp), &Path::root())?;
    if let Some(spelled) = spelled(fields.object, &written) {
        metadata.set(SPELLED, spelled.into());
    }
    let metadata = (!metadata.is_empty()).then(|| Box::new(metadata));
    let own = identity::of(&message);
    let stamp = Stamp { sampled, timestamp, metadata };
    graph.restore(origin, Held::Message(Arc::new(message)), own, stamp);
    Ok(())
}

/// How the record spells its typed fields, where that is not how they are written.
fn spelled(record: &Object<'_>, written: &Object<'_>) -> Option<Object<'static>> {
    let differs =
        |key: &str, value: &Value<'_>| TYPED.contains(&key) && written.get(key).is_none_or(|w| w != value);
    let fields: Vec<_> = record.iter().filter(|(key, value)| differs(key, value) || key == SPELLED).collect();
    let absent: Vec<_> = written.iter().filter(|(key, _)| record.get(key).is_none()).collect();
    if fields.is_empty() && absent.is_empty() {
        return None;
    }
    let fields = Object(fields.into_iter().cloned().collect()).into_owned();
    let absent: Vec<Json> = absent.into_iter().map(|(key, _)| Value::from(key.to_string())).collect();
    Some(Object::default().with("fields", fields).with("absent", absent))
}

fn read_parent(cursor: Cursor<'_>, before: usize) -> Result<NodeId> {
    let parent = cursor.number()?.parse::<NodeId>().ok();
    let parent = parent.filter(|parent| usize::try_from(*parent).is_ok_and(|parent| parent < before));
    parent.ok_or_else(|| cursor.expected("the place of a node before this one"))
}

fn read_message(cursor: Cursor<'_>) -> Result<Message> {
    let fields = cursor.fields()?;
    let content = || read_content(fields.need("content")?);
    Ok(match fields.need_str("role")? {
        "system" => Message::System(SystemMessage { content: content()?, ..SystemMessage::default() }),
        "user" => Message::User(UserMessage { content: content()?, extra: Extra::none() }),
        "assistant" => {
            let tool_calls = fields.some("tool_calls").map(|calls| calls.items()?.map(read_call).collect());
            let state = fields.some("provider_state").map(|state| {
                state.items()?.map(|item| item.fields().map(|_| item.to_json())).collect::<Result<_>>()
            });
            Message::Assistant(AssistantMessage {
                content: fields.some_str("content")?.map(Text::from),
                reasoning_content: fields.some_str("reasoning_content")?.map(Text::from),
                tool_calls: tool_calls.transpose()?.unwrap_or_default(),
                provider_state: state.transpose()?.unwrap_or_default(),
                extra: Extra::none(),
            })
        }
        "tool" => Message::Tool(ToolMessage {
            tool_call_id: fields.need_str("tool_call_id")?.into(),
            content: content()?,
            name: fields.some_str("name")?.map(Text::from),
            is_error: fields.some("is_error").map(|flag| flag.bool()).transpose()?,
            extra: Extra::none(),
        }),
        _ => return Err(fields.need("role")?.expected("system, user, assistant or tool")),
    })
}

fn read_content(cursor: Cursor<'_>) -> Result<Content> {
    match cursor.value {
        Value::String(text) => Ok(Content::Text(text.as_ref().into())),
        Value::Array(_) => Ok(Content::Parts(cursor.items()?.map(read_part).collect::<Result<_>>()?)),
        _ => Err(cursor.expected("a string or a list of parts")),
    }
}

fn read_part(cursor: Cursor<'_>) -> Result<Part> {
    let fields = cursor.fields()?;
    match fields.need_str("type")? {
        "text" => Ok(Part::text(fields.need_str("text")?)),
        "image_url" => {
            let image = fields.need("image_url")?;
            let image = image.fields()?;
            let detail = image.some_str("detail")?.map(Text::from);
            Ok(Part::new(PartKind::Image { url: image.need_str("url")?.into(), detail }))
        }
        _ => Err(fields.need("type")?.expected("text or image_url")),
    }
}

fn read_call(cursor: Cursor<'_>) -> Result<ToolCall> {
    let fields = cursor.fields()?;
    let kind = match fields.some_str("type")? {
        None | Some("function") => CallKind::Function,
        Some("custom") => CallKind::Custom,
        Some(_) => return Err(fields.need("type")?.expected("function or custom")),
    };
    Ok(ToolCall {
        id: fields.need_str("id")?.into(),
        name: fields.need_str("name")?.into(),
        arguments: fields.need_str("arguments")?.into(),
        kind,
        namespace: fields.some_str("namespace")?.map(Text::from),
        extra: Extra::none(),
    })
}

fn read_tools(cursor: Cursor<'_>) -> Result<Vec<Tool>> {
    cursor.items()?.map(read_tool).collect()
}

/// An empty description or schema says nothing: the host fills them in.
fn read_tool(cursor: Cursor<'_>) -> Result<Tool> {
    let fields = cursor.fields()?;
    let kind = match fields.some_str("type")?.unwrap_or("function") {
        "function" => ToolKind::Function,
        "custom" => ToolKind::Custom,
        native => ToolKind::Native(native.into()),
    };
    let schema = fields.some("parameters").map(|schema| Ok(schema.fields()?.rest(&[]))).transpose()?;
    let format = fields.some("format").filter(|format| format.fields().is_ok());
    Ok(Tool {
        name: fields.need_str("name")?.into(),
        namespace: fields.some_str("namespace")?.map(Text::from),
        description: fields.some_str("description")?.filter(|text| !text.is_empty()).map(Text::from),
        parameters: schema.filter(|schema| !schema.is_empty()).map(Value::Object),
        strict: fields.some("strict").map(|flag| flag.bool()).transpose()?,
        format: format.filter(|_| kind == ToolKind::Custom).map(|format| format.to_json()),
        kind,
        extra: Extra::none(),
    })
}

/// The `nodes` of a record. Left out is what the host's messages have no field for: `extra`, `developer`.
pub fn to_verifiers(nodes: &[Node]) -> Result<Vec<Json>> {
    let path = Path::root().key("nodes");
    nodes.iter().enumerate().map(|(n, node)| write_node(node, &path.index(n)).map(Value::Object)).collect()
}

fn write_node(node: &Node, path: &Path) -> Result<Object<'static>> {
    let pen = Pen::of(node.metadata.as_deref());
    let mut object = pen.node(&node.origin, &node.held.message(), (node.sampled, node.timestamp), path)?;
    let Some(metadata) = &node.metadata else { return Ok(object) };
    let spelled = metadata
        .get(SPELLED)
        .and_then(|spelled| Some((spelled.get("fields")?.as_object()?, spelled.get("absent")?.as_array()?)));
    for (key, value) in metadata.iter().filter(|(key, _)| spelled.is_none() || key != SPELLED) {
        if TYPED.contains(&key.as_ref()) {
            let what = "the record has a field of this name for something else";
            return Err(Error::unsupported(path.key("metadata").key(key), what));
        }
        object.0.push((key.clone(), value.clone()));
    }
    if let Some((fields, absent)) = spelled {
        object.set_all(fields.iter().cloned());
        object.0.retain(|(key, _)| absent.iter().all(|name| name.as_str() != Some(key)));
    }
    Ok(object)
}

/// Writes in the host's spelling, with or without nulls.
#[derive(Clone, Copy)]
struct Pen {
    nulls: bool,
}

fn text(text: &Text) -> Json {
    Value::from(text.to_string())
}

impl Pen {
    /// A node has its nulls if its metadata has some.
    fn of(metadata: Option<&Object<'_>>) -> Self {
        let mut members = metadata.into_iter().flat_map(|metadata| metadata.iter());
        Self { nulls: members.any(|(key, value)| key != SPELLED && value.is_null()) }
    }

    /// The typed fields of a node, as `Trace.model_dump` writes them.
    fn node(
        self,
        origin: &Origin,
        message: &Message,
        (sampled, timestamp): (bool, f64),
        path: &Path,
    ) -> Result<Object<'static>> {
        let object = match origin {
            Origin::Child(parent) => Object::default().with("parent", *parent),
            Origin::Root(tools) => {
                let tools: Vec<_> = tools.list.iter().map(|tool| self.tool(tool)).collect();
                let object = self.some(Object::default(), "parent", None::<Json>);
                object.with_some("tools", (!tools.is_empty()).then_some(tools))
            }
        };
        Ok(object
            .with("message", self.message(message, &path.key("message"))?)
            .with("sampled", sampled)
            .with("timestamp", timestamp))
    }

    fn some(
        self,
        object: Object<'static>,
        key: &'static str,
        value: Option<impl Into<Json>>,
    ) -> Object<'static> {
        match value {
            Some(value) => object.with(key, value),
            None if self.nulls => object.with(key, Value::Null),
            None => object,
        }
    }

    fn message(self, message: &Message, path: &Path) -> Result<Json> {
        let object = Object::default().with("role", message.role());
        let object = match message {
            Message::System(m) => object.with("content", self.content(&m.content, path)?),
            Message::User(m) => object.with("content", self.content(&m.content, path)?),
            Message::Assistant(m) => {
                let calls: Vec<_> = m.tool_calls.iter().map(|call| self.call(call)).collect();
                let object = self.some(object, "content", m.content.as_ref().map(text));
                let object = self.some(object, "reasoning_content", m.reasoning_content.as_ref().map(text));
                let object = self.some(object, "tool_calls", (!calls.is_empty()).then_some(calls));
                let state = (!m.provider_state.is_empty()).then(|| m.provider_state.clone());
                self.some(object, "provider_state", state)
            }
            Message::Tool(m) => {
                let object = object
                    .with("tool_call_id", text(&m.tool_call_id))
                    .with("content", self.content(&m.content, path)?);
                self.some(object, "name", m.name.as_ref().map(text)).with_some("is_error", m.is_error)
            }
        };
        Ok(object.into())
    }

    fn content(self, content: &Content, path: &Path) -> Result<Json> {
        let parts = match content {
            Content::Text(whole) => return Ok(text(whole)),
            Content::Parts(parts) => parts,
        };
        let path = path.key("content");
        let parts = parts.iter().enumerate().map(|(n, part)| match &part.kind {
            PartKind::Text(words) => {
                Ok(Object::default().with("type", "text").with("text", text(words)).into())
            }
            PartKind::Image { url, detail } => {
                let image = Object::default().with("url", text(url));
                let image = image.with_some("detail", detail.as_ref().map(text));
                Ok(Object::default().with("type", "image_url").with("image_url", image).into())
            }
            PartKind::Audio { .. } | PartKind::File { .. } | PartKind::Native { .. } => {
                Err(Error::unsupported(path.index(n), "a record holds text and images only"))
            }
        });
        Ok(Value::Array(parts.collect::<Result<_>>()?))
    }

    fn call(self, call: &ToolCall) -> Json {
        let object = Object::default()
            .with("id", text(&call.id))
            .with("type", call.kind.as_str())
            .with("name", text(&call.name));
        let object = self.some(object, "namespace", call.namespace.as_ref().map(text));
        object.with("arguments", text(&call.arguments)).into()
    }

    fn tool(self, tool: &Tool) -> Json {
        let object =
            Object::default().with("type", tool.kind.as_str().to_owned()).with("name", text(&tool.name));
        let object = self
            .some(object, "namespace", tool.namespace.as_ref().map(text))
            .with("description", tool.description.as_ref().map_or_else(|| "".into(), text))
            .with("parameters", tool.parameters.clone().unwrap_or_else(|| Object::default().into()));
        self.some(object, "strict", tool.strict).with_some("format", tool.format.clone()).into()
    }
}
