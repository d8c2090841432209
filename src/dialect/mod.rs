//! Which wire reads or writes what: dispatch only. The wires never import each other.

mod arguments;
mod beside;
mod blob;
mod counts;
mod hoist;
mod ids;
mod loss;
mod pairing;
mod reasons;
mod reply;
mod stream;
mod strip;
mod structured;
pub mod targets;
mod untyped;

mod anthropic;
mod bedrock;
mod chat;
mod gemini;
pub mod mcp;
mod responses;

pub use loss::{Code, Loss, Losses};
pub use reply::reply;
pub use stream::{StreamParser, is_terminal_event};

use crate::error::{Error, Result};
use crate::json::{Cursor, Json, Object, Parsed, Value};
use crate::message::{AssistantMessage, Dialect, Extra, Message, Request, Response, ToolCall};
use crate::path::Path;

/// How a request is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// For the handoff between a harness program and the server beside it: the private marker instead of the label,
    /// tool names and media left where they are.
    pub internal: bool,
    /// The server behind the wire, where it was named; else the model of the request tells it. For one that was named,
    /// a request is fitted whichever wire it was read from; one that only the model tells leaves a request of the same
    /// wire as it was.
    pub target: Option<&'static targets::Target>,
}

impl Options {
    /// The server that was named, where what is written goes to it.
    fn named(self, dialect: Dialect) -> Option<&'static targets::Target> {
        self.target.filter(|target| target.dialect == dialect && !self.internal)
    }
}

/// What a provider-run item says of its own outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeOutcome {
    /// The item's native type.
    pub item: String,
    pub id: Option<String>,
    pub path: Path,
    pub is_error: Option<bool>,
    /// The error or output text, as far as the item has one.
    pub detail: Option<String>,
}

/// Where a tool result stands on a wire, and how it says that it failed.
#[derive(Clone, Copy, Debug)]
pub struct ResultForm {
    /// The top-level list that holds the conversation.
    pub messages: &'static str,
    /// The list in a message whose elements may hold results; without one, the messages themselves may be results.
    pub blocks: Option<&'static str>,
    pub mark: Mark,
    pub says: Says,
    /// The key of the id under which the provider may hold a copy, which it would read instead of an edited result.
    pub stored_id: Option<&'static str>,
}

/// What tells a tool result from the other objects that stand where it may.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// This member with one of these words: `{"type": "tool_result", …}`.
    Word { key: &'static str, words: &'static [&'static str] },
    /// One of these names in front of it: `{"toolResult": {…}}`, where the result is the inner object.
    Under(&'static [&'static str]),
}

/// How a tool result says whether it failed.
#[derive(Clone, Copy, Debug)]
pub enum Says {
    /// In its text alone: a label stands before the content, in a part of this type where the content is a list. Where
    /// the parts have no types, the content is always one.
    Label { content: &'static str, text_part: Option<&'static str>, refused: Option<Refused> },
    /// In a field of its own, by these two JSON values.
    Field { key: &'static str, failed: &'static str, worked: &'static str },
    /// In the key that its content has within this object.
    Wrap { object: &'static str, failed: &'static str, worked: &'static str },
}

/// A field that says an outcome on the wire in general and that the server does not take, with its two JSON values.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    pub key: &'static str,
    pub failed: &'static str,
    pub worked: &'static str,
}

/// Model and sampling as one wire takes them: top-level members to set, and members to take out.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pub set: Object<'static>,
    pub drop: Vec<&'static str>,
}

fn no_rollout(dialect: Dialect) -> Error {
    let what = format!(
        "a rollout follows conversations that are read message by message: chat, responses and anthropic, not {dialect}"
    );
    Error::unsupported(Path::root().key("dialect"), what)
}

fn no_request(dialect: Dialect) -> Error {
    Error::unsupported(Path::root(), format!("{dialect} has no request body that holds a conversation"))
}

/// JSON of one wire to typed messages.
pub fn read_request(dialect: Dialect, body: &Value<'_>) -> Result<Request> {
    let body = Cursor::root(body);
    match dialect {
        Dialect::Chat => chat::read_request(body),
        Dialect::Responses => responses::read_request(body),
        Dialect::Anthropic => anthropic::read_request(body),
        Dialect::Gemini => gemini::read_request(body),
        Dialect::Bedrock => bedrock::read_request(body),
        Dialect::Mcp => Err(no_request(dialect)),
    }
}

/// Reads elements of the list that holds a conversation as they read in their place: all of those that are one turn
/// together, and known whether a tool result stands right before them.
pub fn read_items(dialect: Dialect, items: &Value<'_>, behind_result: bool) -> Result<Vec<Message>> {
    let items = Cursor::root(items);
    match dialect {
        Dialect::Chat => chat::read_items(items),
        Dialect::Responses => responses::read_items(items),
        Dialect::Anthropic => anthropic::read_items(items, behind_result),
        // There, a result may belong to a call by its place alone: no element can be read by itself.
        Dialect::Gemini | Dialect::Bedrock | Dialect::Mcp => Err(no_rollout(dialect)),
    }
}

/// Refuses a wire whose conversation cannot be read element by element.
pub fn follows_rollouts(dialect: Dialect) -> Result<()> {
    match dialect {
        Dialect::Chat | Dialect::Responses | Dialect::Anthropic => Ok(()),
        Dialect::Gemini | Dialect::Bedrock | Dialect::Mcp => Err(no_rollout(dialect)),
    }
}

/// Is this element of the list one turn with other such elements right before and behind it?
pub fn is_of_turn(dialect: Dialect, item: &Value<'_>) -> bool {
    dialect == Dialect::Responses && responses::is_of_turn(item)
}

/// The assistant turn of a provider's whole answer. It is read as the same turn is where a request restates it.
pub fn read_answer(dialect: Dialect, body: &Value<'_>) -> Result<AssistantMessage> {
    let body = answered(body)?;
    match dialect {
        Dialect::Chat => chat::read_answer(body),
        Dialect::Responses => responses::read_answer(body),
        Dialect::Anthropic => anthropic::read_answer(body),
        Dialect::Gemini => gemini::read_answer(body),
        Dialect::Bedrock => bedrock::read_answer(body),
        Dialect::Mcp => Err(no_answer(dialect)),
    }
}

/// A provider's whole answer: the turn, why it ended, what it cost, and the body itself.
pub fn read_response(dialect: Dialect, body: &Value<'_>) -> Result<Response> {
    answered(body)?;
    take_response(dialect, body.clone().into_owned(), Vec::new())
}

/// `read_response` of a body that is given away, and that may hold an error beside a turn. `open` are the calls that
/// its stream has left open, which the body does not hold.
fn take_response(dialect: Dialect, body: Json, open: Vec<ToolCall>) -> Result<Response> {
    let cursor = Cursor::root(&body);
    let mut response = match dialect {
        Dialect::Chat => chat::read_response(cursor),
        Dialect::Responses => responses::read_response(cursor),
        Dialect::Anthropic => anthropic::read_response(cursor, !open.is_empty()),
        Dialect::Gemini => gemini::read_response(cursor),
        Dialect::Bedrock => bedrock::read_response(cursor, !open.is_empty()),
        Dialect::Mcp => Err(no_answer(dialect)),
    }?;
    response.dialect = Some(dialect);
    response.unfinished.extend(open);
    response.complete &= response.unfinished.is_empty();
    response.native = Some(body);
    Ok(response)
}

/// The answer in a body, unless it is an error.
fn answered<'a>(body: &'a Value<'a>) -> Result<Cursor<'a>> {
    let body = Cursor::root(body);
    if let Some(error) = body.fields()?.some("error") {
        return Err(Error::shape(error.path(), "the provider answered with an error, not with a turn"));
    }
    Ok(body)
}

fn no_answer(dialect: Dialect) -> Error {
    Error::unsupported(Path::root(), format!("{dialect} has no assistant turns"))
}

/// An answer as a body of one wire, with what that one cannot say. The wire it was read from gets its own body back,
/// as long as the typed fields still say the same.
pub fn write_response(dialect: Dialect, response: &Response) -> Result<(Object<'static>, Losses)> {
    if !response.complete {
        return Err(Error::shape(Path::root().key("complete"), "the answer did not come whole"));
    }
    let (mut body, mut losses) = answer(dialect, response)?;
    strip::strip_all(&mut body, &mut losses);
    Ok((body, losses))
}

fn answer(dialect: Dialect, response: &Response) -> Result<(Object<'static>, Losses)> {
    if response.dialect == Some(dialect)
        && let Some(native @ Value::Object(body)) = &response.native
        && read_response(dialect, native).is_ok_and(|read| read == *response)
    {
        return Ok((body.clone(), Losses::default()));
    }
    let mut losses = Losses::default();
    if response.dialect == Some(dialect) && response.native.is_some() {
        losses.add(Code::NativeStale, Path::root(), "the answer was changed after its body was read");
    }
    let body = match dialect {
        Dialect::Chat => chat::write_response(response, &mut losses)?,
        Dialect::Responses => responses::write_response(response, &mut losses)?,
        Dialect::Anthropic => anthropic::write_response(response, &mut losses)?,
        Dialect::Gemini => gemini::write_response(response, &mut losses)?,
        Dialect::Bedrock => bedrock::write_response(response, &mut losses)?,
        Dialect::Mcp => return Err(no_answer(dialect)),
    };
    if let (Some(source), Some(native)) = (response.dialect, &response.native)
        && source != dialect
    {
        leave_response(source, native, &mut losses);
    }
    Ok((body, losses))
}

/// Reports what stands beside the turn in the body of an answer. Its paths are those of that body.
fn leave_response(source: Dialect, native: &Value<'_>, losses: &mut Losses) {
    match source {
        Dialect::Chat => chat::leave_response(native, losses),
        Dialect::Responses => responses::leave_response(native, losses),
        Dialect::Anthropic => anthropic::leave_response(native, losses),
        Dialect::Gemini => gemini::leave_response(native, losses),
        Dialect::Bedrock => bedrock::leave_response(native, losses),
        Dialect::Mcp => {}
    }
}

/// An answer as a stream of one wire, one element per event, with what that wire cannot say.
pub fn write_stream(dialect: Dialect, response: &Response) -> Result<(Vec<Vec<u8>>, Losses)> {
    let (body, losses) = write_response(dialect, response)?;
    let events = match dialect {
        Dialect::Chat => chat::write_stream(&body)?,
        Dialect::Responses => responses::write_stream(&body)?,
        Dialect::Anthropic => anthropic::write_stream(&body)?,
        Dialect::Gemini => gemini::write_stream(&body)?,
        Dialect::Bedrock => bedrock::write_stream(&body)?,
        Dialect::Mcp => return Err(no_answer(dialect)),
    };
    Ok((events, losses))
}

/// A body as it was parsed to a request that says where surrogates were replaced.
pub fn read_parsed(dialect: Dialect, parsed: &Parsed<'_>) -> Result<Request> {
    let mut request = read_request(dialect, &parsed.value)?;
    request.replaced = parsed.replaced.iter().map(|path| path.to_string().into()).collect();
    Ok(request)
}

/// A body of one wire as a body of another (or the same), with what that one cannot say.
pub fn convert(source: Dialect, target: Dialect, parsed: &Parsed<'_>) -> Result<(Object<'static>, Losses)> {
    write_request(target, &read_parsed(source, parsed)?, Options::default())
}

/// Typed messages to JSON of one wire, with what it cannot say.
pub fn write_request(
    dialect: Dialect,
    request: &Request,
    options: Options,
) -> Result<(Object<'static>, Losses)> {
    let mut losses = Losses(request.replaced.iter().map(|path| Loss::surrogate(Path::shown(path))).collect());
    // A server that was named may differ from the one that took the body: the request counts as read from nowhere.
    let foreign = (options.named(dialect).is_some() && request.dialect == Some(dialect)).then(|| Request {
        dialect: None,
        added: None,
        ..request.clone()
    });
    let request = foreign.as_ref().unwrap_or(request);
    let mut body = match dialect {
        Dialect::Chat => chat::write_request(request, options, &mut losses)?,
        Dialect::Responses => responses::write_request(request, options, &mut losses)?,
        Dialect::Anthropic => anthropic::write_request(request, options, &mut losses)?,
        Dialect::Gemini => gemini::write_request(request, options, &mut losses)?,
        Dialect::Bedrock => bedrock::write_request(request, options, &mut losses)?,
        Dialect::Mcp => return Err(no_request(dialect)),
    };
    strip::strip(&mut body, result_form(dialect)?, options.internal, &mut losses);
    Ok((body, losses))
}

/// One message as one wire writes it: a single object, or several items where the wire has no message that holds it.
pub fn write_message(dialect: Dialect, message: &Message, options: Options) -> Result<(Vec<Json>, Losses)> {
    let mut losses = Losses::default();
    let items = match dialect {
        Dialect::Chat => vec![chat::write_message(message, options, &mut losses)?],
        Dialect::Responses => responses::write_message(message, options, &mut losses)?,
        Dialect::Anthropic => vec![anthropic::write_message(message, options, &mut losses)?],
        Dialect::Gemini => vec![gemini::write_message(message, options, &mut losses)?],
        Dialect::Bedrock => vec![bedrock::write_message(message, options, &mut losses)?],
        Dialect::Mcp => return Err(no_request(dialect)),
    };
    let mut whole = Object::default().with("items", items);
    strip::strip(&mut whole, result_form(dialect)?, options.internal, &mut losses);
    match whole.0.pop() {
        Some((_, Value::Array(items))) => Ok((items, losses)),
        _ => Ok((Vec::new(), losses)),
    }
}

/// What a wire without a field for the outcome of a tool result loses of one; `path` is that of the result's message.
pub fn outcome_loss(dialect: Dialect, is_error: bool, path: &Path) -> Option<Loss> {
    (dialect == Dialect::Chat).then(|| chat::outcome_loss(is_error, path))
}

/// Does the model stand in the URL, and not in the body?
pub fn names_model_in_url(dialect: Dialect) -> bool {
    dialect == Dialect::Gemini
}

/// Do the bodies of a wire's SDK hold media as bytes, which in JSON stand as base64?
pub fn holds_bytes(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Gemini | Dialect::Bedrock)
}

/// How a wire writes tool results.
pub fn result_form(dialect: Dialect) -> Result<ResultForm> {
    match dialect {
        Dialect::Chat => Ok(chat::RESULT),
        Dialect::Responses => Ok(responses::RESULT),
        Dialect::Anthropic => Ok(anthropic::RESULT),
        Dialect::Gemini => Ok(gemini::RESULT),
        Dialect::Bedrock => Ok(bedrock::RESULT),
        Dialect::Mcp => Err(no_request(dialect)),
    }
}

/// How the server behind a wire takes tool results: the one that was named, else that of the model.
pub fn result_form_for(
    dialect: Dialect,
    target: Option<&'static targets::Target>,
    model: Option<&str>,
) -> Result<ResultForm> {
    match dialect {
        Dialect::Bedrock => Ok(bedrock::result_form(targets::flags(dialect, target, model))),
        _ => result_form(dialect),
    }
}

/// The top-level member that names the model.
pub fn model_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Bedrock => "modelId",
        _ => "model",
    }
}

/// What an evaluation's model and sampling change in a body; `current` gives a top-level member of it.
pub fn overlay(
    dialect: Dialect,
    target: Option<&'static targets::Target>,
    current: &dyn Fn(&str) -> Option<Json>,
    model: &str,
    sampling: Object<'static>,
) -> Result<Overlay> {
    let mut overlay = match dialect {
        Dialect::Chat => chat::overlay(target, current, sampling),
        Dialect::Responses => responses::overlay(current, model, sampling),
        Dialect::Anthropic => anthropic::overlay(current, sampling)?,
        Dialect::Gemini => gemini::overlay(current, sampling)?,
        Dialect::Bedrock => bedrock::overlay(target, current, model, sampling)?,
        Dialect::Mcp => return Err(no_request(dialect)),
    };
    // The selected model counts, whatever the sampling says.
    match dialect {
        // There it stands in the URL; a body may state it beside the conversation.
        Dialect::Gemini if current("model").is_none() => {}
        _ => overlay.set.set(model_key(dialect), model.to_owned().into()),
    }
    Ok(overlay)
}

/// The top-level members of a body that an overlay builds upon, beside the numbers and short texts it replaces.
pub fn overlay_reads(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Responses => &["reasoning", "include"],
        Dialect::Anthropic => &["output_config"],
        Dialect::Gemini => gemini::OVERLAY_READS,
        Dialect::Bedrock => bedrock::OVERLAY_READS,
        Dialect::Chat | Dialect::Mcp => &[],
    }
}

/// What a provider-run item of an assistant turn declares, whichever wire it came from.
pub fn native_outcomes(message: &AssistantMessage, path: &Path) -> Vec<NativeOutcome> {
    message
        .provider_state
        .iter()
        .enumerate()
        .filter_map(|(n, item)| {
            let path = path.key("provider_state").index(n);
            responses::native_outcome(item, &path)
                .or_else(|| anthropic::native_outcome(item, &path))
                .or_else(|| gemini::native_outcome(item, &path))
                .or_else(|| bedrock::native_outcome(item, &path))
        })
        .collect()
}

/// What an answer declares of items that its provider ran: those of its turn, and those that stand beside it.
pub fn response_outcomes(response: &Response) -> Vec<NativeOutcome> {
    let mut outcomes = native_outcomes(&response.message, &Path::root().key("message"));
    if let (Some(Dialect::Gemini), Some(body)) = (response.dialect, &response.native) {
        outcomes.extend(gemini::candidate_outcomes(body));
    }
    outcomes
}

/// Reports the fields of another wire that a writer leaves out.
fn leave(target: Dialect, extra: &Extra, path: &Path, losses: &mut Losses) {
    match extra.get() {
        Some((Dialect::Chat, fields)) if target != Dialect::Chat => chat::leave(fields, path, losses),
        Some((Dialect::Responses, fields)) if target != Dialect::Responses => {
            responses::leave(fields, path, losses)
        }
        Some((Dialect::Anthropic, fields)) if target != Dialect::Anthropic => {
            anthropic::leave(fields, path, losses)
        }
        Some((Dialect::Gemini, fields)) if target != Dialect::Gemini => gemini::leave(fields, path, losses),
        Some((Dialect::Bedrock, fields)) if target != Dialect::Bedrock => {
            bedrock::leave(fields, path, losses)
        }
        Some((Dialect::Mcp, fields)) if target != Dialect::Mcp => mcp::leave(fields, path, losses),
        Some(_) | None => {}
    }
}

/// Reports what a wire leaves out of a message item in the provider state, unless the whole turn was kept and is
/// reported with it.
fn leave_message_item(turn: &AssistantMessage, item: &Json, path: &Path, losses: &mut Losses) {
    let told = turn.extra.of(Dialect::Responses).is_some_and(|own| own.get("items").is_some());
    if !told {
        responses::leave_message_item(item, path, losses);
    }
}

/// Why a sampling knob is not written.
fn dropped_knob(key: &str) -> &'static str {
    match key {
        "temperature" | "top_p" | "top_k" | "max_tokens" | "stop" | "reasoning_effort" => {
            "this wire has no such setting"
        }
        _ => "not a setting under a neutral name: one of a single wire goes into `extra`",
    }
}

/// `leave` for each field of an object whose fields have no layout of their own.
fn leave_fields(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, _) in fields.iter() {
        losses.add(loss::code_of_field(key), path.key(key), "only the source wire has this field");
    }
}
