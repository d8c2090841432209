//! The run of assistant-side items that is one assistant message, both ways.

use super::{HERE, Mode, layout, put_back, text};
use crate::dialect::untyped::{Untyped, untyped};
use crate::dialect::{Code, Losses};
use crate::error::{Error, Result};
use crate::json::{Cursor, Fields, Json, Object, Value};
use crate::message::{AssistantMessage, CallKind, Dialect, Extra, OPAQUE_FIELDS, Text, ToolCall, item_kind};
use crate::path::Path;
use sha2::{Digest, Sha256};

/// Folds a run. The items are kept where the typed fields would not rebuild them.
pub(super) fn read_turn(run: &[Cursor<'_>]) -> Result<AssistantMessage> {
    let mut turn = fold(run)?;
    let mode = Mode { same: true, from: Some(HERE), internal: false };
    let rebuilt = rebuild(&turn, mode, true, 0, &Path::root(), &mut Losses::default())?;
    let differs = rebuilt.len() != run.len() || rebuilt.iter().zip(run).any(|(item, c)| item != c.value);
    // An item whose type does not say that it is of this wire is only known by where it was read.
    if differs || turn.provider_state.iter().any(|item| !matches!(whose(item, false), Whose::Ours)) {
        let items: Vec<Json> = run.iter().map(|c| c.to_json()).collect();
        turn.extra = Extra::new(HERE, Object::default().with("items", items));
    }
    Ok(turn)
}

/// The typed fields of a run.
fn fold(run: &[Cursor<'_>]) -> Result<AssistantMessage> {
    let mut turn = AssistantMessage::default();
    let mut content: Option<String> = None;
    let mut reasoning: Vec<&str> = Vec::new();
    for item in run {
        let fields = item.fields()?;
        let opaque = OPAQUE_FIELDS.iter().any(|key| fields.object.get(key).is_some_and(|v| !v.is_null()));
        let typed = match kind_of(&fields)? {
            "message" => read_text(&fields, &mut content)?,
            "reasoning" => {
                read_reasoning(item.value, &mut reasoning);
                true
            }
            "function_call" => {
                turn.tool_calls.push(read_call(&fields, CallKind::Function)?);
                true
            }
            "custom_tool_call" => {
                turn.tool_calls.push(read_call(&fields, CallKind::Custom)?);
                true
            }
            _ => false,
        };
        if opaque || !typed {
            turn.provider_state.push(item.to_json());
        }
    }
    turn.content = content.map(Text::from);
    turn.reasoning_content = (!reasoning.is_empty()).then(|| reasoning.join("\n").into());
    Ok(turn)
}

fn kind_of<'p>(fields: &'p Fields<'p>) -> Result<&'p str> {
    match fields.some_str("type")? {
        Some(kind) => Ok(kind),
        None if fields.some_str("role")? == Some("assistant") => Ok("message"),
        None => Ok(""),
    }
}

/// Appends the text of a message item; says whether text is all it holds.
fn read_text(fields: &Fields<'_>, out: &mut Option<String>) -> Result<bool> {
    let content = fields.need("content")?;
    if let Some(whole) = content.value.as_str() {
        out.get_or_insert_default().push_str(whole);
        return Ok(true);
    }
    if content.value.as_array().is_none() {
        return Err(content.expected("a string or a list of parts"));
    }
    let mut only_text = true;
    for part in content.items()? {
        let part = part.fields()?;
        match part.need_str("type")? {
            "output_text" | "input_text" => out.get_or_insert_default().push_str(part.need_str("text")?),
            _ => only_text = false,
        }
    }
    Ok(only_text)
}

/// The readable texts of a reasoning item: the summary, then the content.
fn read_reasoning<'v>(item: &'v crate::json::Value<'_>, out: &mut Vec<&'v str>) {
    for key in ["summary", "content"] {
        let parts = item.get(key).and_then(|list| list.as_array()).unwrap_or_default();
        out.extend(
            parts.iter().filter_map(|part| part.get("text")?.as_str()).filter(|words| !words.is_empty()),
        );
    }
}

fn read_call(fields: &Fields<'_>, kind: CallKind) -> Result<ToolCall> {
    let input = match kind {
        CallKind::Function => "arguments",
        CallKind::Custom => "input",
    };
    let arguments = fields.need(input)?;
    let arguments = if arguments.is_null() { "" } else { arguments.str()? };
    let namespace = fields.some_str("namespace")?;
    let mut known = vec!["type", "call_id", "name", input];
    if namespace.is_some() {
        known.push("namespace");
    }
    Ok(ToolCall {
        id: fields.need_str("call_id")?.into(),
        name: fields.need_str("name")?.into(),
        arguments: arguments.into(),
        kind,
        namespace: namespace.map(Text::from),
        extra: Extra::new(HERE, fields.rest(&known)),
    })
}

/// The kind of the call that an item is.
pub(super) fn call_kind(item: &Value<'_>) -> Option<CallKind> {
    match item.kind() {
        Some("function_call") => Some(CallKind::Function),
        Some("custom_tool_call") => Some(CallKind::Custom),
        _ => None,
    }
}

/// A call that is not whole, as far as its item says it.
pub(super) fn unfinished(item: &Value<'_>, kind: CallKind) -> ToolCall {
    let said = |key: &str| item.get(key).and_then(Value::as_str);
    let input = if kind == CallKind::Custom { "input" } else { "arguments" };
    ToolCall {
        id: said("call_id").unwrap_or_default().into(),
        name: said("name").unwrap_or_default().into(),
        arguments: said(input).unwrap_or_default().into(),
        kind,
        namespace: said("namespace").map(Into::into),
        extra: Extra::none(),
    }
}

/// The items of a turn: as they stood, where that still says what the typed fields say. `at` is the message's index.
pub(super) fn write_turn(
    turn: &AssistantMessage,
    mode: Mode,
    at: usize,
    path: &Path,
    losses: &mut Losses,
) -> Result<Vec<Json>> {
    crate::dialect::leave(HERE, &turn.extra, path, losses);
    let Some(items) = layout(&turn.extra, "items").and_then(|items| items.as_array()) else {
        return rebuild(turn, mode, true, at, path, losses);
    };
    let run: Vec<Cursor<'_>> = items.iter().map(Cursor::root).collect();
    if fold(&run).is_ok_and(|back| says_the_same(&back, turn)) {
        return Ok(items.to_vec());
    }
    losses.add(Code::NativeStale, path.clone(), "the turn was changed after it was read");
    // The server would take its stored copy of an item with an id, not what stands here now.
    rebuild(turn, Mode { same: true, ..mode }, false, at, path, losses)
}

fn says_the_same(a: &AssistantMessage, b: &AssistantMessage) -> bool {
    a.content.as_deref().unwrap_or("") == b.content.as_deref().unwrap_or("")
        && a.reasoning_content == b.reasoning_content
        && a.tool_calls == b.tool_calls
        && a.provider_state == b.provider_state
}

/// Where a provider-state item comes from.
enum Whose {
    Ours,
    /// Opaque reasoning of another provider: it can be left out.
    Reasoning,
    /// Something another provider ran: it cannot.
    Foreign,
}

fn whose(item: &Json, same: bool) -> Whose {
    match untyped(item) {
        Some((_, Untyped::Opaque)) => return Whose::Reasoning,
        Some((_, Untyped::Hosted)) => return Whose::Foreign,
        None => {}
    }
    match item_kind(item) {
        "thinking" | "redacted_thinking" => Whose::Reasoning,
        kind if kind.starts_with("reasoning.") => Whose::Reasoning,
        _ if same => Whose::Ours,
        // The other provider's item of this name has its content in the open and is signed.
        "compaction" if item.get("signature").is_some() || item.get("content").is_some() => Whose::Foreign,
        "message"
        | "reasoning"
        | "function_call"
        | "custom_tool_call"
        | "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call"
        | "mcp_list_tools"
        | "mcp_approval_request"
        | "compaction"
        | "compaction_trigger"
        | "item_reference"
        | "program"
        | "apply_patch_call"
        | "shell_call"
        | "local_shell_call"
        | "computer_call"
        | "tool_search_call"
        | "configuration_update" => Whose::Ours,
        // A reference needs no type.
        "" if item.as_object().is_some_and(|o| o.len() == 1 && o.get("id").is_some()) => Whose::Ours,
        "" => Whose::Reasoning,
        _ => Whose::Foreign,
    }
}

/// Builds the items from the typed fields: the state in its order, the text unless the state holds it, the calls.
fn rebuild(
    turn: &AssistantMessage,
    mode: Mode,
    keep_ids: bool,
    at: usize,
    path: &Path,
    losses: &mut Losses,
) -> Result<Vec<Json>> {
    let ours = is_ours(turn.extra.dialect(), mode);
    let mut out = Vec::with_capacity(turn.provider_state.len() + turn.tool_calls.len() + 1);
    let held = held_text(turn);
    let content = turn.content.as_deref().unwrap_or("");
    let changed = held.as_deref().is_some_and(|held| held != content);
    let mut reasoning: Vec<&str> = Vec::new();
    for (n, item) in turn.provider_state.iter().enumerate() {
        let here = || path.key("provider_state").index(n);
        match whose(item, ours) {
            Whose::Ours => {}
            Whose::Reasoning => {
                losses.add(Code::ReasoningDropped, here(), "opaque reasoning of another provider");
                continue;
            }
            Whose::Foreign => {
                return Err(Error::unsupported(here(), "an item that another provider ran has no form here"));
            }
        }
        match item_kind(item) {
            // The typed call says it all.
            "function_call" | "custom_tool_call" if turn.has_call_of(item) => {}
            "message" => {
                let item = if changed { without_text(item, &here(), losses) } else { Some(item.clone()) };
                out.extend(item.map(|item| as_output(item, ours, keep_ids, (at, n), &here(), losses)));
            }
            "reasoning" => {
                read_reasoning(item, &mut reasoning);
                out.push(item.clone());
            }
            _ => out.push(item.clone()),
        }
    }
    if turn
        .reasoning_content
        .as_deref()
        .is_some_and(|words| !words.is_empty() && words != reasoning.join("\n"))
    {
        let path = path.key("reasoning_content");
        losses.add(Code::ReasoningDropped, path, "readable reasoning has no form of its own");
    }
    let silent = out.is_empty() && turn.tool_calls.is_empty();
    let held = held.is_some() && !changed;
    if !held && (!content.is_empty() || silent) {
        let item = Object::default()
            .with("type", "message")
            .with("role", "assistant")
            .with("content", text(content));
        out.push(item.into());
    }
    for (n, call) in turn.tool_calls.iter().enumerate() {
        out.push(write_call(call, keep_ids, &path.key("tool_calls").index(n), losses));
    }
    Ok(out)
}

/// The text in the message items of the state; none where they hold none.
fn held_text(turn: &AssistantMessage) -> Option<String> {
    let mut held = None;
    for item in turn.provider_state.iter().filter(|item| item_kind(item) == "message") {
        if let Ok(fields) = Cursor::root(item).fields() {
            // What cannot be read holds no text.
            read_text(&fields, &mut held).ok();
        }
    }
    held
}

/// A message item of the state whose text is no longer what the message says.
fn without_text(item: &Json, path: &Path, losses: &mut Losses) -> Option<Json> {
    let parts: Vec<Json> = item
        .get("content")
        .and_then(|content| content.as_array())
        .unwrap_or_default()
        .iter()
        .filter(|part| !matches!(part.kind(), Some("output_text" | "input_text")))
        .cloned()
        .collect();
    if parts.is_empty() {
        if item.get("phase").is_some_and(|phase| !phase.is_null()) {
            losses.add(Code::PhaseDropped, path.key("phase"), "the text it belongs to was changed");
        }
        return None;
    }
    let mut kept = item.as_object()?.clone();
    kept.set("content", parts.into());
    Some(kept.into())
}

/// A message item with the id and the status that an output message needs.
fn as_output(
    item: Json,
    ours: bool,
    keep_ids: bool,
    at: (usize, usize),
    path: &Path,
    losses: &mut Losses,
) -> Json {
    let crate::json::Value::Object(mut object) = item else { return item };
    if !keep_ids {
        if object.remove("id").is_some() {
            losses.add(
                Code::ItemIdDropped,
                path.key("id"),
                "the turn was changed: a stored copy must not stand for it",
            );
        }
        return object.into();
    }
    let parts = object.get("content").and_then(|content| content.as_array());
    if ours || parts.is_none() || object.get("id").is_some() {
        return object.into();
    }
    let mut digest = Sha256::new();
    digest.update(at.0.to_be_bytes());
    digest.update(at.1.to_be_bytes());
    digest.update(crate::json::canonical(&object.clone().into()));
    let hex: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    losses.add(
        Code::IdMinted,
        path.key("id"),
        "an output message must have an id: one is derived from what it says",
    );
    let mut minted = Object::default().with("type", "message").with("id", format!("msg_{hex}"));
    minted.set("role", "assistant".into());
    minted.set("status", "completed".into());
    minted.set_all(object.0);
    minted.into()
}

fn write_call(call: &ToolCall, keep_ids: bool, path: &Path, losses: &mut Losses) -> Json {
    crate::dialect::leave(HERE, &call.extra, path, losses);
    let (kind, input) = match call.kind {
        CallKind::Function => ("function_call", "arguments"),
        CallKind::Custom => ("custom_tool_call", "input"),
    };
    let mut object = Object::default()
        .with("type", kind)
        .with("call_id", text(&call.id))
        .with("name", text(&call.name))
        .with_some("namespace", call.namespace.as_deref().map(text))
        .with(input, text(&call.arguments));
    put_back(&mut object, &call.extra);
    if !keep_ids && object.remove("id").is_some() {
        losses.add(
            Code::ItemIdDropped,
            path.key("id"),
            "the turn was changed: a stored copy must not stand for it",
        );
    }
    object.into()
}

/// Does the message come from this wire as far as it says?
pub(super) fn is_ours(dialect: Option<Dialect>, mode: Mode) -> bool {
    dialect.map_or(mode.same, |d| d == HERE)
}
