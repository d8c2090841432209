//! Gemini JSON to messages: the system instruction, the turns, and the results inside user contents.
//!
//! Layout keys in an `extra` of this wire, beside the fields of the wire itself. They say how the typed form was
//! spelled, so that this wire is written back exactly; no other wire loses anything by them, but where it is said.
//!
//! | key | on | says |
//! |---|---|---|
//! | `content: [{…}]` | system, user | the text was one part with these other fields |
//! | `content: [{…}]` | assistant | the whole native turn, where the typed fields would not rebuild it |
//! | `content: null` | system, user, assistant | there were no `parts` |
//! | `joined: true` | user, tool | came from the same native content as the message before |
//! | `joined: false` | user, tool | came from a native content of its own, right behind results |
//! | `at: n` | tool | was part n of a native content whose results did not come first |
//! | `role: …` | user, tool | the role of the native content, where it is not `user`; null: there was none |
//! | `message: {…}` | any | other fields of the native content that starts here |
//! | `response: {…}` | tool | the native response, where it says more than the typed fields; null: there was none |
//! | `part: {…}` | tool | other fields of the part |
//! | `$minted: id` | call, tool | the id was stated nowhere and stands for none; other wires report it |
//! | `$matched: id` | tool | the result does not say the id; it belongs to its call by name and order |
//! | `$joined: bool` | tool declaration | in one native tool with the one before, or not, where one would not think so |
//! | `parameters: {…}` | tool declaration | the parameters were this OpenAPI schema |

use super::HERE;
use super::parts::read_parts;
use super::spelling::camel;
use super::{results, settings, turn};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{
    AssistantMessage, Content, Extra, Message, Request, SystemMessage, Text, ToolCall, UserMessage,
};
use std::collections::{HashMap, HashSet, VecDeque};

pub(super) const CONTENT: &str = "content";
pub(super) const JOINED: &str = "joined";
pub(super) const AT: &str = "at";
pub(super) const ROLE: &str = "role";
pub(super) const MESSAGE: &str = "message";
pub(super) const RESPONSE: &str = "response";
pub(super) const PART: &str = "part";
pub(super) const MINTED: &str = "$minted";
pub(super) const MATCHED: &str = "$matched";
/// Those of a message.
pub(super) const LAYOUT: [&str; 9] = [CONTENT, JOINED, AT, ROLE, MESSAGE, RESPONSE, PART, MINTED, MATCHED];

pub(in crate::dialect) fn read_request(body: Cursor<'_>) -> Result<Request> {
    let body = camel(body.value)?;
    let body = Cursor::root(&body);
    let fields = body.fields()?;
    if let Some(config) = fields.some("config") {
        // Instructions and tools would go with it as a field that nobody knows.
        let what =
            "the arguments of the SDK are not the body of a request: its members stand beside contents";
        return Err(Error::shape(config.path(), what));
    }
    let mut request = Request { dialect: Some(HERE), ..Request::default() };
    if let Some(system) = fields.some("systemInstruction")
        && !says_nothing(system.value)
    {
        request.messages.push(Message::System(read_system(system)?));
    }
    request.messages.extend(read_contents(fields.need("contents")?)?);
    settings::read(&fields, &mut request)?;
    Ok(request)
}

/// A system instruction that is not there as a message.
pub(super) fn says_nothing(system: &Value<'_>) -> bool {
    match system {
        Value::String(text) => text.is_empty(),
        Value::Object(content) => content.get("parts").and_then(Value::as_array).is_none_or(<[_]>::is_empty),
        _ => system.is_null(),
    }
}

fn read_system(system: Cursor<'_>) -> Result<SystemMessage> {
    if let Some(text) = system.value.as_str() {
        let content = Content::Text(text.into());
        return Ok(SystemMessage { content, developer: false, extra: Extra::none() });
    }
    let fields = system.fields()?;
    let others = fields.rest(&["parts"]);
    let parts = fields.need("parts")?;
    let (content, spelling) = read_parts(&parts.items()?.collect::<Vec<_>>())?;
    let layout = Object::default()
        .with_some(MESSAGE, (!others.is_empty()).then_some(others))
        .with_some(CONTENT, spelling);
    Ok(SystemMessage { content, developer: false, extra: Extra::new(HERE, layout) })
}

/// The conversation; one text stands for one content of the user, as the SDKs have it.
fn read_contents(contents: Cursor<'_>) -> Result<Vec<Message>> {
    if let Some(text) = contents.value.as_str() {
        let content = Content::Text(text.into());
        return Ok(vec![Message::User(UserMessage { content, extra: Extra::none() })]);
    }
    let mut reader = Reader { given: given(contents.value), ..Reader::default() };
    for content in contents.items()? {
        reader.content(content)?;
    }
    Ok(reader.messages)
}

/// The ids that stand in the conversation: no other call may be given one of them.
fn given(contents: &Value<'_>) -> HashSet<Text> {
    let mut ids = HashSet::new();
    for content in contents.as_array().unwrap_or_default() {
        for part in content.get("parts").and_then(Value::as_array).unwrap_or_default() {
            let of = |key: &str| part.get(key)?.get("id")?.as_str();
            ids.extend(of("functionCall").or_else(|| of("functionResponse")).map(Text::from));
        }
    }
    ids
}

/// The id of the nth call of a turn that states none: the same wherever the same conversation is read.
fn minted(turn: &str, n: usize, given: &HashSet<Text>) -> Text {
    let mut id = format!("call_{turn}_{n}");
    while given.contains(id.as_str()) {
        id.push('x');
    }
    id.into()
}

/// The turn of an answer.
pub(super) fn read_turn(content: Option<Cursor<'_>>, answer: &Object<'_>) -> Result<AssistantMessage> {
    let Some(content) = content else { return Ok(AssistantMessage::default()) };
    let fields = content.fields()?;
    read_model(&fields, &mut |n| minted_of(answer, n))
}

/// The id of the nth call of an answer that states none. No other turn is known here: the id of the answer tells its
/// calls apart from theirs.
pub(super) fn minted_of(answer: &Object<'_>, n: usize) -> Text {
    let plain = |id: &&str| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let id = answer.get("responseId").and_then(Value::as_str).filter(plain);
    minted(id.unwrap_or("0"), n, &HashSet::new())
}

/// Gives the calls of an answer that state no id those of their place behind these messages, as the next request reads
/// them.
pub(in crate::dialect) fn mint_behind(turn: &mut AssistantMessage, before: &[Message]) {
    let stated = |call: &&ToolCall| !turn::is_unstated(&call.id, &call.extra, MINTED);
    if turn.tool_calls.iter().all(|call| stated(&call)) {
        return;
    }
    let mut turns = 0;
    let mut given: HashSet<Text> =
        turn.tool_calls.iter().filter(stated).map(|call| call.id.clone()).collect();
    for message in before {
        match message {
            Message::Assistant(turn) => {
                turns += 1;
                given.extend(turn.tool_calls.iter().filter(stated).map(|call| call.id.clone()));
            }
            Message::Tool(result) if !results::says_no_id(result) => {
                given.insert(result.tool_call_id.clone());
            }
            Message::System(_) | Message::User(_) | Message::Tool(_) => {}
        }
    }
    for (n, call) in turn.tool_calls.iter_mut().enumerate().filter(|(_, call)| !stated(&&**call)) {
        call.id = minted(&turns.to_string(), n, &given);
        let mut layout = call.extra.of(HERE).cloned().unwrap_or_default();
        layout.set(MINTED, call.id.to_string().into());
        call.extra = Extra::new(HERE, layout);
    }
}

fn read_model(content: &Fields<'_>, mint: &mut dyn FnMut(usize) -> Text) -> Result<AssistantMessage> {
    let others = content.rest(&["role", "parts"]);
    let layout = Object::default().with_some(MESSAGE, (!others.is_empty()).then_some(others));
    let Some(parts) = content.some("parts") else {
        let extra = Extra::new(HERE, layout.with(CONTENT, Value::Null));
        return Ok(AssistantMessage { extra, ..AssistantMessage::default() });
    };
    let (mut turn, native) = turn::read(&parts.items()?.collect::<Vec<_>>(), mint)?;
    turn.extra = Extra::new(HERE, layout.with_some(CONTENT, native));
    Ok(turn)
}

#[derive(Default)]
struct Reader {
    messages: Vec<Message>,
    given: HashSet<Text>,
    /// How many turns of the model there were.
    turns: usize,
    /// How many results belong to no call.
    orphans: usize,
    open: Open,
}

impl Reader {
    fn content(&mut self, content: Cursor<'_>) -> Result<()> {
        let fields = content.fields()?;
        match fields.some_str("role")? {
            Some("model") => {
                let (turn, given) = (self.turns.to_string(), &self.given);
                let read = read_model(&fields, &mut |n| minted(&turn, n, given))?;
                self.turns += 1;
                self.open = Open::of(&read.tool_calls);
                self.messages.push(Message::Assistant(read));
                Ok(())
            }
            None | Some("user" | "function" | "tool") => self.user(&fields),
            Some(_) => Err(fields.need("role")?.expected("user or model")),
        }
    }

    /// The results in the order of their parts, then the rest as one user message.
    fn user(&mut self, content: &Fields<'_>) -> Result<()> {
        let others = content.rest(&["role", "parts"]);
        let role = match content.object.get("role") {
            Some(Value::String(role)) if role == "user" => None,
            Some(role) => Some(role.clone().into_owned()),
            None => Some(Value::Null),
        };
        // Behind results one would take this for the same native content; say that it is not.
        let apart = matches!(self.messages.last(), Some(Message::Tool(_))).then_some(false);
        let mut layout = Object::default()
            .with_some(MESSAGE, (!others.is_empty()).then_some(others))
            .with_some(ROLE, role)
            .with_some(JOINED, apart);
        let mut next = || std::mem::replace(&mut layout, Object::default().with(JOINED, true));
        let Some(parts) = content.some("parts") else {
            let extra = Extra::new(HERE, next().with(CONTENT, Value::Null));
            self.messages.push(Message::User(UserMessage { content: Content::Parts(Vec::new()), extra }));
            return Ok(());
        };
        let parts: Vec<Cursor<'_>> = parts.items()?.collect();
        let mut rest = Vec::with_capacity(parts.len());
        let mut results = 0;
        for (n, part) in parts.iter().enumerate() {
            let fields = part.fields()?;
            let Some(response) = fields.some("functionResponse") else {
                rest.push(*part);
                continue;
            };
            let at = (n != results).then(|| Json::Number(n.to_string().into()));
            let others = fields.rest(&["functionResponse"]);
            let layout = next().with_some(AT, at).with_some(PART, (!others.is_empty()).then_some(others));
            let read = self.result(&response.fields()?, layout)?;
            self.messages.push(Message::Tool(read));
            results += 1;
        }
        if results == 0 || !rest.is_empty() {
            let (content, spelling) = read_parts(&rest)?;
            let extra = Extra::new(HERE, next().with_some(CONTENT, spelling));
            self.messages.push(Message::User(UserMessage { content, extra }));
        }
        Ok(())
    }

    /// A result with the id of its call.
    fn result(
        &mut self,
        response: &Fields<'_>,
        layout: Object<'static>,
    ) -> Result<crate::message::ToolMessage> {
        let id = response.some_str("id")?.filter(|id| !id.is_empty());
        let name = response.some_str("name")?.unwrap_or_default();
        let (id, layout) = match self.open.answered(id, name) {
            Some(call) if id == Some(&*call) => (call, layout),
            Some(call) => (call.clone(), layout.with(MATCHED, call.to_string())),
            None => match id {
                Some(id) => (id.into(), layout),
                None => {
                    let id = minted("none", self.orphans, &self.given);
                    self.orphans += 1;
                    (id.clone(), layout.with(MINTED, id.to_string()))
                }
            },
        };
        results::read(response, id, layout)
    }
}

/// The calls of the last turn, by what a result may say of its own.
#[derive(Default)]
struct Open {
    calls: Vec<OpenCall>,
    by_id: HashMap<Text, usize>,
    by_name: HashMap<Text, VecDeque<usize>>,
}

struct OpenCall {
    id: Text,
    stated: bool,
    answered: bool,
}

impl Open {
    fn of(calls: &[ToolCall]) -> Self {
        let mut open = Self::default();
        for (n, call) in calls.iter().enumerate() {
            let stated = !turn::is_unstated(&call.id, &call.extra, MINTED);
            open.calls.push(OpenCall { id: call.id.clone(), stated, answered: false });
            open.by_id.insert(call.id.clone(), n);
            open.by_name.entry(call.name.clone()).or_default().push_back(n);
        }
        open
    }

    /// The id of the call that a result answers: the one it names, else the first of its name that is open. A result
    /// with an id may still answer a call that states none.
    fn answered(&mut self, id: Option<&str>, name: &str) -> Option<Text> {
        if let Some(n) = id.and_then(|id| self.by_id.get(id)) {
            let call = &mut self.calls[*n];
            call.answered = true;
            return Some(call.id.clone());
        }
        let queue = self.by_name.get_mut(name)?;
        while queue.front().is_some_and(|n| self.calls[*n].answered) {
            queue.pop_front();
        }
        let call = &mut self.calls[*queue.front()?];
        if id.is_some() && call.stated {
            return None;
        }
        call.answered = true;
        Some(call.id.clone())
    }
}

/// Refuses fields whose names the layout needs; the wire has none of them.
pub(super) fn refuse_layout_names(fields: &Fields<'_>) -> Result<()> {
    match fields.object.iter().find(|(key, _)| key != RESPONSE && LAYOUT.contains(&key.as_ref())) {
        Some((key, _)) => Err(Error::shape(fields.path().key(key), "unknown field")),
        None => Ok(()),
    }
}
