//! Messages to Anthropic JSON: the system prompt, the turns, and the results of a turn in the one user message behind it.

use super::blocks::{Written, write_content};
use super::pen::{IDS, Pen};
use super::read::{AT, IN_LIST, JOINED, MESSAGE};
use super::{HERE, results, settings, turn};
use crate::dialect::ids::Table;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::pairing::{Placed, place};
use crate::dialect::{Options, targets};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::message::{Content, Extra, Message, PartKind, Request, SystemMessage};
use crate::path::Path;

pub(in crate::dialect) fn write_request(
    request: &Request,
    options: Options,
    losses: &mut Losses,
) -> Result<Object<'static>> {
    let placed = place(request, HERE, Some(IDS), losses)?;
    let same = request.dialect == Some(HERE);
    let mut pen = Pen { same, internal: options.internal, losses };
    let leading =
        placed.iter().take_while(|p| matches!(&*p.message, Message::System(m) if !is_in_list(m))).count();
    let (system, rest) = placed.split_at(leading);
    let system = write_system(system, &mut pen)?;
    let flags = targets::flags(HERE, options.target, request.model.as_deref());
    let mut list = List { mid_system: flags.is("mid_system"), ..List::default() };
    for placed in rest {
        pen.same = placed.same;
        list.add(&placed.message, placed.called, &placed.path(), &mut pen)?;
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
    let mut pen = Pen { same, internal: options.internal, losses };
    let mut list = List { alone: true, ..List::default() };
    let called = match message {
        Message::Tool(result) => result.name.as_deref(),
        _ => None,
    };
    let fitted = Table::of([(message, same)].into_iter(), IDS).applied(message, &Path::root(), pen.losses);
    list.add(fitted.as_ref().unwrap_or(message), called, &Path::root(), &mut pen)?;
    list.finish().pop().ok_or_else(|| Error::unsupported(Path::root(), "the message says nothing"))
}

fn layout<'a>(extra: &'a Extra, key: &str) -> Option<&'a Json> {
    extra.of(HERE)?.get(key)
}

fn is_in_list(system: &SystemMessage) -> bool {
    layout(&system.extra, IN_LIST) == Some(&Value::Bool(true))
}

/// The top-level `system`: one text as a string, more of them as blocks.
fn write_system(messages: &[Placed<'_>], pen: &mut Pen<'_>) -> Result<Option<Json>> {
    let mut written = Vec::with_capacity(messages.len());
    for placed in messages {
        pen.same = placed.same;
        if let Message::System(system) = &*placed.message {
            let content = system_content(system, &placed.path(), pen)?;
            if !placed.same && content.is_some() && !written.is_empty() {
                pen.lose(Code::Merged, placed.path(), "Anthropic has one system prompt");
            }
            written.extend(content);
        }
    }
    Ok(match written.len() {
        0 => None,
        1 => written.pop().map(Written::value),
        _ => Some(written.into_iter().flat_map(Written::blocks).collect::<Vec<_>>().into()),
    })
}

fn system_content(system: &SystemMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Option<Written>> {
    pen.leave(&system.extra, path);
    if system.developer {
        pen.lose(Code::DeveloperAsSystem, path.clone(), "Anthropic has one kind of instructions");
    }
    if let Content::Parts(parts) = &system.content {
        let other = |kind: &PartKind| !matches!(kind, PartKind::Text(_) | PartKind::Native { .. });
        if let Some(n) = parts.iter().position(|part| other(&part.kind)) {
            let path = path.key("content").index(n);
            return Err(Error::unsupported(path, "a system prompt holds nothing but text on this wire"));
        }
    }
    content(&system.content, &system.extra, path, pen)
}

/// Nothing where another wire's message says nothing: the API refuses it.
fn content(content: &Content, extra: &Extra, path: &Path, pen: &mut Pen<'_>) -> Result<Option<Written>> {
    if !pen.same && content.is_blank() {
        pen.lose(Code::EmptyDropped, path.clone(), "Anthropic refuses a message that says nothing");
        return Ok(None);
    }
    write_content(content, extra, path, pen).map(Some)
}

/// The messages so far, the last of them perhaps still open.
#[derive(Default)]
struct List {
    done: Vec<Json>,
    open: Option<Open>,
    /// A single message: its place in a conversation is not known.
    alone: bool,
    /// A system message may stand where another wire has one.
    mid_system: bool,
    /// The foreign system message that was written last: an answer has to follow it.
    system: Option<Path>,
}

/// A user message that more may join.
#[derive(Default)]
struct Open {
    fields: Object<'static>,
    results: Vec<(Option<usize>, Json)>,
    media: Vec<Json>,
    said: Vec<Written>,
}

impl List {
    fn add(&mut self, message: &Message, called: Option<&str>, path: &Path, pen: &mut Pen<'_>) -> Result<()> {
        if let Some(path) = self.system.take()
            && !matches!(message, Message::Assistant(_))
        {
            let what = "a system message in the conversation with something else than an answer behind it";
            return Err(Error::unsupported(path, what));
        }
        match message {
            Message::System(system) => {
                let foreign = !pen.same && !self.alone && !is_in_list(system);
                if foreign && !self.mid_system {
                    let what = "a system message after the conversation has begun";
                    return Err(Error::unsupported(path.clone(), what));
                }
                self.close();
                if let Some(written) = system_content(system, path, pen)? {
                    if foreign {
                        let behind = self.done.last().and_then(|last| last.get("role")?.as_str());
                        if behind != Some("user") {
                            let what = "a system message that does not stand behind a user message";
                            return Err(Error::unsupported(path.clone(), what));
                        }
                        self.system = Some(path.clone());
                    }
                    self.push("system", written.value(), &system.extra, pen);
                }
            }
            Message::Assistant(assistant) => {
                self.close();
                if let Some(content) = turn::write(assistant, path, pen)? {
                    self.push("assistant", content, &assistant.extra, pen);
                }
            }
            Message::Tool(result) => {
                let (block, media) = results::write(result, called, path, pen)?;
                let at = layout(&result.extra, AT).filter(|_| pen.same).and_then(Value::as_index);
                let open = self.user(&result.extra, |open| open.said.is_empty(), pen);
                open.results.push((at, block));
                open.media.extend(media);
            }
            Message::User(user) => {
                if user.extra.of(HERE).is_none() {
                    pen.leave(&user.extra, path);
                }
                if let Some(written) = content(&user.content, &user.extra, path, pen)? {
                    // On the same wire, user messages behind one another stay apart.
                    let many = !pen.same;
                    let joins = |open: &Open| !open.results.is_empty() && (many || open.said.is_empty());
                    let open = self.user(&user.extra, joins, pen);
                    let merged = many && !open.said.is_empty();
                    open.said.push(written);
                    if merged {
                        let detail = "joins the user message before it, behind the results of the turn";
                        pen.lose(Code::Merged, path.clone(), detail);
                    }
                }
            }
        }
        Ok(())
    }

    /// The user message that this one belongs to: as it was read, else results together and what follows with them.
    fn user(&mut self, extra: &Extra, joins: impl Fn(&Open) -> bool, pen: &mut Pen<'_>) -> &mut Open {
        let joins = match layout(extra, JOINED) {
            Some(Value::Bool(joined)) if pen.same => *joined && self.open.is_some(),
            _ => self.open.as_ref().is_some_and(joins),
        };
        if !joins {
            self.close();
        }
        let open = self.open.get_or_insert_default();
        put_fields(&mut open.fields, extra, pen);
        open
    }

    fn push(&mut self, role: &'static str, content: Json, extra: &Extra, pen: &mut Pen<'_>) {
        let mut message = Object::default().with("role", role).with("content", content);
        put_fields(&mut message, extra, pen);
        self.done.push(message.into());
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let content = match open.said.pop() {
            Some(only) if open.results.is_empty() && open.said.is_empty() => only.value(),
            last => {
                open.said.extend(last);
                open.blocks().into()
            }
        };
        let mut message = Object::default().with("role", "user").with("content", content);
        message.0.extend(open.fields.0);
        self.done.push(message.into());
    }

    fn finish(mut self) -> Vec<Json> {
        self.close();
        self.done
    }
}

impl Open {
    /// Results, media, then what was said; a result that stood elsewhere goes back there.
    fn blocks(&mut self) -> Vec<Json> {
        let media = std::mem::take(&mut self.media);
        let mut behind = media.into_iter().chain(self.said.drain(..).flat_map(Written::blocks));
        let mut blocks = Vec::new();
        for (n, (at, result)) in self.results.drain(..).enumerate() {
            let before = at.unwrap_or(n).saturating_sub(blocks.len());
            blocks.extend(behind.by_ref().take(before));
            blocks.push(result);
        }
        blocks.extend(behind);
        blocks
    }
}

fn put_fields(message: &mut Object<'static>, extra: &Extra, pen: &mut Pen<'_>) {
    if let Some(Value::Object(fields)) = layout(extra, MESSAGE) {
        pen.put(message, fields, &[]);
    }
}
