//! Messages to Bedrock JSON: the system prompt, the turns, and the results of a turn in the one user message behind it.

use super::blocks::write_content;
use super::pen::{IDS, Pen, block, own, text};
use super::read::{AT, IN_LIST, JOINED, MESSAGE};
use super::{HERE, results, settings, turn};
use crate::dialect::Options;
use crate::dialect::ids::Table;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::pairing::{Placed, place};
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
    let mut pen = Pen::new(same, options, request.model.as_deref(), losses);
    let leading =
        placed.iter().take_while(|p| matches!(&*p.message, Message::System(m) if !is_in_list(m))).count();
    let (system, rest) = placed.split_at(leading);
    let system = write_system(system, &mut pen)?;
    let mut list = List::default();
    for placed in rest {
        pen.same = placed.same;
        list.add(&placed.message, placed.called, &placed.path(), &mut pen)?;
    }
    pen.same = same;
    settings::write(request, system, list.finish(), &mut pen)
}

/// One message by itself. It is written by the rules for foreign messages, unless it came from this wire and
/// no target is named.
pub(in crate::dialect) fn write_message(
    message: &Message,
    options: Options,
    losses: &mut Losses,
) -> Result<Json> {
    let same = message.extra().of(HERE).is_some() && options.named(HERE).is_none();
    let mut pen = Pen::new(same, options, None, losses);
    let mut list = List { alone: true, ..List::default() };
    let called = match message {
        Message::Tool(result) => result.name.as_deref(),
        _ => None,
    };
    let fitted = Table::of([(message, same)].into_iter(), IDS).applied(message, &Path::root(), pen.losses);
    list.add(fitted.as_ref().unwrap_or(message), called, &Path::root(), &mut pen)?;
    list.finish().pop().ok_or_else(|| Error::unsupported(Path::root(), "the message says nothing"))
}

fn is_in_list(system: &SystemMessage) -> bool {
    own(&system.extra, IN_LIST) == Some(&Value::Bool(true))
}

/// The top-level `system`, a block for every text of it.
fn write_system(messages: &[Placed<'_>], pen: &mut Pen<'_>) -> Result<Option<Vec<Json>>> {
    let mut blocks: Vec<Json> = Vec::new();
    for placed in messages {
        pen.same = placed.same;
        let Message::System(system) = &*placed.message else { continue };
        let written = system_content(system, &placed.path(), pen)?;
        if !placed.same && !written.is_empty() && !blocks.is_empty() {
            pen.lose(Code::Merged, placed.path(), "Bedrock has one system prompt");
        }
        blocks.extend(written);
    }
    Ok((!blocks.is_empty()).then_some(blocks))
}

fn system_content(system: &SystemMessage, path: &Path, pen: &mut Pen<'_>) -> Result<Vec<Json>> {
    pen.leave(&system.extra, path);
    if system.developer {
        pen.lose(Code::DeveloperAsSystem, path.clone(), "Bedrock has one kind of instructions");
    }
    if let Content::Parts(parts) = &system.content
        && !pen.same
    {
        let other = |kind: &PartKind| !matches!(kind, PartKind::Text(_) | PartKind::Native { .. });
        if let Some(n) = parts.iter().position(|part| other(&part.kind)) {
            let path = path.key("content").index(n);
            return Err(Error::unsupported(path, "a system prompt holds nothing but text on this wire"));
        }
    }
    if !pen.same && system.content.is_blank() {
        pen.lose(Code::EmptyDropped, path.clone(), "a blank text block is refused");
        return Ok(Vec::new());
    }
    write_content(&system.content, &system.extra, path, pen)
}

/// The messages so far, the last of them perhaps still open.
#[derive(Default)]
struct List {
    done: Vec<Json>,
    open: Option<Open>,
    /// A single message: its place in a conversation is not known.
    alone: bool,
}

/// A message that more may join.
struct Open {
    role: &'static str,
    fields: Object<'static>,
    /// Results with the places where they stood, if not in front.
    results: Vec<(Option<usize>, Vec<Json>)>,
    media: Vec<Json>,
    said: Vec<Json>,
    /// How many messages said it.
    messages: usize,
    /// It holds documents: the service wants some text with them.
    documents: bool,
}

impl List {
    fn add(&mut self, message: &Message, called: Option<&str>, path: &Path, pen: &mut Pen<'_>) -> Result<()> {
        match message {
            Message::System(system) => {
                if !pen.same && !self.alone && !pen.flags.is("mid_system") {
                    let what = "a system message after the conversation has begun";
                    return Err(Error::unsupported(path.clone(), what));
                }
                let blocks = system_content(system, path, pen)?;
                self.say("system", blocks, &system.extra, path, pen)?;
            }
            Message::Assistant(turn) => {
                let first = self.done.is_empty() && self.open.is_none();
                if first && !pen.same && !self.alone && !pen.flags.is("first_assistant") {
                    let what = "this model wants the conversation to begin with a user message";
                    return Err(Error::unsupported(path.clone(), what));
                }
                let blocks = turn::write(turn, path, pen)?;
                self.say("assistant", blocks, &turn.extra, path, pen)?;
            }
            Message::Tool(result) => {
                let (blocks, media) = results::write(result, called, path, pen)?;
                let at = own(&result.extra, AT).filter(|_| pen.same).and_then(Value::as_index);
                let open = self.message("user", &result.extra, |open| open.messages == 0, pen);
                open.results.push((at, blocks));
                open.documents |= media.iter().any(is_document);
                open.media.extend(media);
                self.refuse_company(path, pen)?;
            }
            Message::User(user) => {
                pen.leave(&user.extra, path);
                let blocks = write_content(&user.content, &user.extra, path, pen)?;
                self.say("user", blocks, &user.extra, path, pen)?;
                self.refuse_company(path, pen)?;
            }
        }
        Ok(())
    }

    /// Adds what somebody said. Messages of one role behind one another become one, which is what the service makes of
    /// them, unless they were read so.
    fn say(
        &mut self,
        role: &'static str,
        blocks: Vec<Json>,
        extra: &Extra,
        path: &Path,
        pen: &mut Pen<'_>,
    ) -> Result<()> {
        let foreign = !pen.same;
        if foreign && blocks.is_empty() {
            pen.lose(Code::EmptyDropped, path.clone(), "a message that says nothing is refused");
            return Ok(());
        }
        let documents = foreign && blocks.iter().any(is_document);
        let joins = |open: &Open| foreign || open.messages == 0 && !open.results.is_empty();
        let open = self.message(role, extra, joins, pen);
        open.messages += 1;
        open.said.extend(blocks);
        open.documents |= documents;
        if foreign && open.messages > 1 {
            pen.lose(Code::Merged, path.clone(), "joins the message of the same role before it");
        }
        let wants_text =
            open.documents && !open.said.iter().chain(&open.media).any(|b| b.get("text").is_some());
        if wants_text {
            pen.lose(Code::TextPlaceholder, path.key("content"), "Bedrock wants some text beside a document");
            open.said.insert(0, block("text", text("(document)")));
        }
        Ok(())
    }

    /// Some models take nothing else in the message of the results, or no documents.
    fn refuse_company(&self, path: &Path, pen: &Pen<'_>) -> Result<()> {
        let Some(open) = self.open.as_ref().filter(|open| !pen.same && !open.results.is_empty()) else {
            return Ok(());
        };
        let alone = open.said.is_empty() && open.media.is_empty();
        let what = if !alone && pen.flags.is("results_alone") {
            "this model takes nothing else in the message of the tool results"
        } else if open.documents && !pen.flags.is("documents_beside") {
            "this model takes no documents beside tool results"
        } else {
            return Ok(());
        };
        Err(Error::unsupported(path.clone(), what))
    }

    /// The message that this one belongs to: as it was read, else with what it joins.
    fn message(
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
        let open = self.open.get_or_insert_with(|| Open {
            role,
            fields: Object::default(),
            results: Vec::new(),
            media: Vec::new(),
            said: Vec::new(),
            messages: 0,
            documents: false,
        });
        if let Some(Value::Object(fields)) = own(extra, MESSAGE) {
            open.fields.add_absent(fields.iter());
        }
        open
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let blocks = open.blocks();
        let mut message = Object::default().with("role", open.role).with("content", blocks);
        message.add_absent(open.fields.iter());
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
        let mut behind = media.into_iter().chain(self.said.drain(..));
        let mut blocks = Vec::new();
        for (at, result) in self.results.drain(..) {
            let before = at.unwrap_or(blocks.len()).saturating_sub(blocks.len());
            blocks.extend(behind.by_ref().take(before));
            blocks.extend(result);
        }
        blocks.extend(behind);
        blocks
    }
}

fn is_document(block: &Json) -> bool {
    block.get("document").is_some()
}
