//! Messages to Gemini JSON: the system instruction, the turns, and the responses of a turn in the one user content behind
//! it, in the order of the calls.
//!
//! Which model answers, and whether as a stream, stands in the address of a request and not in its body.

use super::parts::write_parts;
use super::pen::{Pen, own};
use super::read::{AT, CONTENT, JOINED, MESSAGE, MINTED, ROLE};
use super::results::Called;
use super::turn::is_unstated;
use super::{HERE, results, settings, turn};
use crate::dialect::ids::folded;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::pairing::{Placed, place};
use crate::dialect::{Options, targets};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::message::{
    AssistantMessage, Content, Extra, Message, PartKind, Request, SystemMessage, Text, ToolCall,
};
use crate::path::Path;
use std::collections::HashMap;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let placed = place(request, HERE, None, losses)?;
    let same = request.dialect == Some(HERE);
    let flags = targets::flags(HERE, options.target, request.model.as_deref());
    let mut pen = Pen::new(same, options, flags, losses);
    let leading = placed.iter().take_while(|p| matches!(&*p.message, Message::System(_))).count();
    let (system, rest) = placed.split_at(leading);
    let system = write_system(system, &mut pen)?;
    let mut list = List::default();
    let wants_signatures = pen.signed_calls;
    let asked = rest.iter().rposition(|p| matches!(&*p.message, Message::User(_)));
    for (n, placed) in rest.iter().enumerate() {
        pen.same = placed.same;
        pen.signed_calls = wants_signatures && asked.is_none_or(|asked| n > asked);
        list.add(&placed.message, &placed.path(), &mut pen)?;
    }
    pen.same = same;
    settings::write(request, system, list.finish(), &mut pen)
}

/// One message by itself. It is written by the rules for foreign messages, unless it came from this wire.
pub(in crate::dialect) fn write_message(
    message: &Message,
    options: Options,
    losses: &mut Losses,
) -> Result<Json> {
    let same = message.extra().of(HERE).is_some();
    let mut pen = Pen::new(same, options, targets::flags(HERE, options.target, None), losses);
    if let Message::System(system) = message {
        return Ok(system_content(vec![written_system(system, &Path::root(), &mut pen)?], system));
    }
    let mut list = List::default();
    list.add(message, &Path::root(), &mut pen)?;
    list.finish().pop().ok_or_else(|| Error::unsupported(Path::root(), "the message says nothing"))
}

/// The one system instruction, a part for every text of it.
fn write_system(messages: &[Placed<'_>], pen: &mut Pen<'_>) -> Result<Option<Json>> {
    let mut written = Vec::with_capacity(messages.len());
    let mut first = None;
    for placed in messages {
        pen.same = placed.same;
        let Message::System(system) = &*placed.message else { continue };
        let path = placed.path();
        if !placed.same && system.content.is_empty() {
            pen.leave(&system.extra, &path);
            pen.lose(Code::EmptyDropped, path, "Gemini refuses an instruction that says nothing");
            continue;
        }
        if !placed.same && first.is_some() {
            pen.lose(Code::Merged, path.clone(), "Gemini has one system instruction");
        }
        first = first.or(Some(system));
        written.push(written_system(system, &path, pen)?);
    }
    Ok(first.map(|first| system_content(written, first)))
}

fn system_content(written: Vec<Vec<Json>>, first: &SystemMessage) -> Json {
    let mut content = Object::default();
    if let Some(Value::Object(others)) = own(&first.extra, MESSAGE) {
        content.add_absent(others.iter());
    }
    content.with("parts", written.concat()).into()
}

fn written_system(system: &SystemMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    pen.leave(&system.extra, path);
    if system.developer {
        pen.lose(Code::DeveloperAsSystem, path.clone(), "Gemini has one kind of instructions");
    }
    if let Content::Parts(parts) = &system.content {
        let other = |kind: &PartKind| !matches!(kind, PartKind::Text(_) | PartKind::Native { .. });
        if let Some(n) = parts.iter().position(|part| other(&part.kind)).filter(|_| !pen.same) {
            let path = path.key("content").index(n);
            return Err(Error::unsupported(path, "a system instruction holds nothing but text on this wire"));
        }
    }
    write_parts(&system.content, &system.extra, path, pen)
}

/// The contents so far, the last of them perhaps still open.
#[derive(Default)]
struct List {
    done: Vec<Json>,
    open: Option<Open>,
    /// The calls of the last turn.
    calls: HashMap<Text, Called>,
}

/// A content that more may join.
struct Open {
    role: &'static str,
    /// The role as it was read, where that differs.
    spelled: Option<Json>,
    fields: Object<'static>,
    results: Vec<Answer>,
    media: Vec<Json>,
    said: Vec<Json>,
    /// How many messages said it.
    messages: usize,
    /// There were no parts.
    bare: bool,
}

struct Answer {
    /// Where the part stood, if not among the results.
    at: Option<usize>,
    /// The place of its call, if it is put there.
    call: Option<usize>,
    part: Json,
}

impl Open {
    fn of(role: &'static str) -> Self {
        Self {
            role,
            spelled: None,
            fields: Object::default(),
            results: Vec::new(),
            media: Vec::new(),
            said: Vec::new(),
            messages: 0,
            bare: false,
        }
    }
}

impl List {
    fn add(&mut self, message: &Message, path: &Path, pen: &mut Pen<'_>) -> Result<()> {
        match message {
            Message::System(_) => {
                let what = "a system message after the conversation has begun";
                return Err(Error::unsupported(path.clone(), what));
            }
            Message::Assistant(turn) => {
                let parts = turn::write(turn, path, pen)?;
                self.calls = called(turn);
                self.say("model", parts, &turn.extra, path, pen);
            }
            Message::Tool(result) => {
                let call = self.calls.get(&result.tool_call_id);
                let (part, media) = results::write(result, call, path, pen)?;
                let at = own(&result.extra, AT).filter(|_| pen.same).and_then(Value::as_index);
                let call = call.filter(|_| !pen.same).map(|call| call.place);
                let open = self.content("user", &result.extra, |open| open.messages == 0, pen);
                let late = call.is_some() && open.results.iter().any(|other| other.call > call);
                open.results.push(Answer { at, call, part });
                open.media.extend(media);
                if late {
                    pen.lose(Code::TurnReordered, path.clone(), "responses stand in the order of the calls");
                }
            }
            Message::User(user) => {
                pen.leave(&user.extra, path);
                let parts = write_parts(&user.content, &user.extra, path, pen)?;
                self.say("user", parts, &user.extra, path, pen);
            }
        }
        Ok(())
    }

    /// Adds what a person or the model said. Contents of one role behind one another become one, which is what the API
    /// makes of them, unless they were read so.
    fn say(&mut self, role: &'static str, parts: Vec<Json>, extra: &Extra, path: &Path, pen: &mut Pen<'_>) {
        let foreign = !pen.same;
        if foreign && parts.is_empty() {
            pen.lose(Code::EmptyDropped, path.clone(), "Gemini refuses a content that says nothing");
            return;
        }
        let joins = |open: &Open| foreign || open.messages == 0 && !open.results.is_empty();
        let open = self.content(role, extra, joins, pen);
        open.messages += 1;
        open.bare = own(extra, CONTENT) == Some(&Value::Null) && parts.is_empty();
        open.said.extend(parts);
        if foreign && open.messages > 1 {
            pen.lose(Code::Merged, path.clone(), "joins the message of the same role before it");
        }
    }

    /// The content that a message belongs to: as it was read, else with what it joins.
    fn content(
        &mut self,
        role: &'static str,
        extra: &Extra,
        joins: impl Fn(&Open) -> bool,
        pen: &Pen<'_>,
    ) -> &mut Open {
        let open = self.open.as_ref().filter(|open| open.role == role);
        let joins = match own(extra, JOINED) {
            Some(Value::Bool(joined)) if pen.same => *joined && open.is_some(),
            _ => open.is_some_and(joins),
        };
        if !joins {
            self.close();
        }
        let open = self.open.get_or_insert_with(|| Open::of(role));
        if pen.same && !joins {
            open.spelled = own(extra, ROLE).cloned();
        }
        if let Some(Value::Object(fields)) = own(extra, MESSAGE) {
            open.fields.add_absent(fields.iter());
        }
        open
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let parts = open.parts();
        let role = match open.spelled {
            None => Some(open.role.into()),
            Some(Value::Null) => None,
            Some(role) => Some(role),
        };
        let mut content = Object::default().with_some("role", role);
        if !open.bare {
            content.set("parts", parts.into());
        }
        content.add_absent(open.fields.iter());
        self.done.push(content.into());
    }

    fn finish(mut self) -> Vec<Json> {
        self.close();
        self.done
    }
}

impl Open {
    /// Responses in the order of the calls, media, then what was said; a response that stood elsewhere goes back there.
    fn parts(&mut self) -> Vec<Json> {
        let media = std::mem::take(&mut self.media);
        let mut behind = media.into_iter().chain(self.said.drain(..));
        // Those that were read from this wire keep their order among themselves.
        let last = self.results.len();
        if self.results.iter().any(|answer| answer.call.is_some()) {
            self.results.sort_by_key(|answer| answer.call.unwrap_or(last));
        }
        let mut parts = Vec::new();
        for (n, answer) in self.results.drain(..).enumerate() {
            let before = answer.at.unwrap_or(n).saturating_sub(parts.len());
            parts.extend(behind.by_ref().take(before));
            parts.push(answer.part);
        }
        parts.extend(behind);
        parts
    }
}

/// The calls of a turn by their ids.
fn called(turn: &AssistantMessage) -> HashMap<Text, Called> {
    let of = |(place, call): (usize, &ToolCall)| {
        let name = folded(call.namespace.as_deref(), &call.name);
        (call.id.clone(), Called { place, name, stated: !is_unstated(&call.id, &call.extra, MINTED) })
    };
    turn.tool_calls.iter().enumerate().map(of).collect()
}
