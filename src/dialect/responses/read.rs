//! A Responses body to typed messages: the flat item list, the instructions, the settings.
//!
//! What the typed form cannot say about the spelling is kept in `extra` under layout keys:
//!
//! | where | key | says |
//! |---|---|---|
//! | request | `input` | `"string"`: `input` was one string; `"absent"`: there was none; `null`: it was null |
//! | request | any typed key | it was there and held nothing: `null`, `""`, `[]` |
//! | system message | `$instructions` | it stood in `instructions` |
//! | system, user message | `$bare` | the item had no `type` |
//! | system, user message | `$message` | a message, although its only part looks like an item of its own |
//! | assistant message | `items` | the items of the turn, where the typed fields do not rebuild them |
//! | tool message | `$custom` | `true`: a `custom_tool_call_output` |
//! | tool | `$group` | the first of a namespace group: the group's own fields |
//! | part | `type` | the whole part as it stood (`parts.rs`) |

use super::{HERE, parts, text, tools, turn};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Object, Value};
use crate::message::{
    CallKind, Content, Extra, Message, Part, PartKind, Request, SystemMessage, Text, ToolMessage, UserMessage,
};
use crate::outcome::{MARKER, read_marker};

/// Top-level fields that have a typed form.
const TYPED: [&str; 11] = [
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning",
];

pub(in crate::dialect) fn read_request(body: Cursor<'_>) -> Result<Request> {
    let fields = body.fields()?;
    let mut extra = Object::default();
    // A typed field that says nothing is remembered as it stood.
    for key in TYPED {
        if let Some(c) = fields.get(key).filter(|c| key != "input" && holds_nothing(c.value)) {
            extra.set(key, c.to_json());
        }
    }
    let mut request = Request { dialect: Some(HERE), ..Request::default() };
    request.model = said(&fields, "model").map(|c| c.str().map(Text::from)).transpose()?;
    if let Some(instructions) = said(&fields, "instructions") {
        let content = Content::Text(instructions.str()?.into());
        let extra = Extra::new(HERE, Object::default().with("$instructions", true));
        request.messages.push(Message::System(SystemMessage { content, developer: false, extra }));
    }
    if let Some(layout) = read_input(&fields, &mut request.messages)? {
        extra.set("input", layout);
    }
    if let Some(declared) = said(&fields, "tools") {
        request.tools = tools::read_tools(declared)?;
    }
    request.tool_choice = said(&fields, "tool_choice").map(tools::read_choice).transpose()?;
    request.parallel_tool_calls = said(&fields, "parallel_tool_calls").map(|c| c.bool()).transpose()?;
    request.stream = said(&fields, "stream").map(|c| c.bool()).transpose()?;
    read_sampling(&fields, &mut request.sampling, &mut extra)?;
    extra.0.extend(fields.rest(&TYPED).0);
    request.extra = Extra::new(HERE, extra);
    Ok(request)
}

fn holds_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(s) => s.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// A typed top-level field that is there and holds something.
fn said<'p>(fields: &'p Fields<'p>, key: &'p str) -> Option<Cursor<'p>> {
    fields.get(key).filter(|c| !holds_nothing(c.value))
}

fn read_sampling(
    fields: &Fields<'_>,
    sampling: &mut Object<'static>,
    extra: &mut Object<'static>,
) -> Result<()> {
    for (key, neutral) in
        [("temperature", "temperature"), ("top_p", "top_p"), ("max_output_tokens", "max_tokens")]
    {
        let Some(c) = said(fields, key) else { continue };
        c.number()?;
        sampling.set(neutral, c.to_json());
    }
    if let Some(reasoning) = said(fields, "reasoning") {
        let reasoning = reasoning.fields()?;
        match reasoning.some_str("effort")? {
            Some(effort) => {
                sampling.set("reasoning_effort", text(effort));
                let rest = reasoning.rest(&["effort"]);
                if !rest.is_empty() {
                    extra.set("reasoning", rest.into());
                }
            }
            None => extra.set("reasoning", reasoning.rest(&[]).into()),
        }
    }
    Ok(())
}

/// Reads the items behind the instructions; gives the layout key of a spelling that is no list.
fn read_input(fields: &Fields<'_>, messages: &mut Vec<Message>) -> Result<Option<Value<'static>>> {
    let Some(input) = fields.get("input") else {
        // Without this a body of another wire would lose its whole conversation in silence.
        if fields.get("messages").is_some() {
            return Err(Error::shape(fields.path().key("input"), "missing: this body is of another dialect"));
        }
        return Ok(Some("absent".into()));
    };
    match input.value {
        Value::Null => Ok(Some(Value::Null)),
        Value::String(s) => {
            let content = Content::Text(s.as_ref().into());
            messages.push(Message::User(UserMessage { content, extra: Extra::none() }));
            Ok(Some("string".into()))
        }
        Value::Array(_) => {
            messages.extend(read_items(input)?);
            Ok(None)
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(input.expected("a string or a list of items"))
        }
    }
}

/// Reads a list of items. What an item says depends on no other one, but the assistant-side items that stand together
/// are one turn.
pub(in crate::dialect) fn read_items(items: Cursor<'_>) -> Result<Vec<Message>> {
    let mut reader = Items { messages: Vec::new(), run: Vec::new() };
    for item in items.items()? {
        reader.item(item)?;
    }
    reader.end_of_turn()?;
    Ok(reader.messages)
}

/// Is it an item of an assistant turn?
pub(in crate::dialect) fn is_of_turn(item: &Value<'_>) -> bool {
    let role = item.get("role").filter(|role| !role.is_null());
    let answers = item.kind().is_some_and(|kind| kind.ends_with("_output") || kind.ends_with("_response"));
    item.as_object().is_some() && role.map_or(!answers, |role| role.as_str() == Some("assistant"))
}

struct Items<'p> {
    messages: Vec<Message>,
    /// The assistant-side items since the last other one.
    run: Vec<Cursor<'p>>,
}

impl<'p> Items<'p> {
    fn item(&mut self, item: Cursor<'p>) -> Result<()> {
        let fields = item.fields()?;
        let role = fields.some_str("role")?;
        let kind = fields.some_str("type")?;
        if kind == Some("message") {
            fields.need_str("role")?;
        }
        if is_of_turn(item.value) {
            self.run.push(item);
            return Ok(());
        }
        self.end_of_turn()?;
        let message = match kind {
            Some("function_call_output") => Message::Tool(read_result(&fields, CallKind::Function)?),
            Some("custom_tool_call_output") => Message::Tool(read_result(&fields, CallKind::Custom)?),
            None | Some("message") => read_message(&fields)?,
            Some(_) => {
                let part = Part::new(PartKind::Native { dialect: HERE, value: item.to_json() });
                let content = Content::Parts(vec![part]);
                match role {
                    Some("system" | "developer") => Message::System(SystemMessage {
                        content,
                        developer: role == Some("developer"),
                        extra: Extra::none(),
                    }),
                    _ => Message::User(UserMessage { content, extra: Extra::none() }),
                }
            }
        };
        self.messages.push(message);
        Ok(())
    }

    fn end_of_turn(&mut self) -> Result<()> {
        if self.run.is_empty() {
            return Ok(());
        }
        let turn = turn::read_turn(&self.run)?;
        self.run.clear();
        self.messages.push(Message::Assistant(turn));
        Ok(())
    }
}

fn read_result(fields: &Fields<'_>, kind: CallKind) -> Result<ToolMessage> {
    let id = fields.need_str("call_id")?;
    let output = fields.need("output")?;
    let content = parts::read_content(output)?;
    let name = fields.some_str("name")?;
    let is_error = read_marker(fields.get(MARKER))?;
    let mut known = vec!["type", "call_id", "output", MARKER];
    if name.is_some() {
        known.push("name");
    }
    let mut extra = fields.rest(&known);
    if kind == CallKind::Custom {
        // Said even where the call says it too, so that the message alone can be written.
        extra.set("$custom", true.into());
    }
    Ok(ToolMessage {
        tool_call_id: id.into(),
        content,
        name: name.map(Text::from),
        is_error,
        extra: Extra::new(HERE, extra),
    })
}

/// A message item of a role other than assistant.
fn read_message(fields: &Fields<'_>) -> Result<Message> {
    let content = fields.need("content")?;
    let content = parts::read_content(content)?;
    let typed = fields.some("type").is_some();
    let mut extra = fields.rest(if typed { &["type", "role", "content"] } else { &["role", "content"] });
    if !typed {
        extra.set("$bare", true.into());
    }
    if parts::whole_item(&content).is_some() {
        extra.set("$message", true.into());
    }
    let extra = Extra::new(HERE, extra);
    let role = fields.need("role")?;
    match role.str()? {
        "user" => Ok(Message::User(UserMessage { content, extra })),
        "system" => Ok(Message::System(SystemMessage { content, developer: false, extra })),
        "developer" => Ok(Message::System(SystemMessage { content, developer: true, extra })),
        _ => Err(role.expected("user, assistant, system or developer")),
    }
}
