//! A request as the server that was named takes it: what that one lacks is said otherwise, left out, or refused.

mod turn;

use super::tools::WEB_SEARCH;
use crate::dialect::ids::Rule;
use crate::dialect::loss::{Code, Losses, code_of_field};
use crate::dialect::targets::Flags;
use crate::dialect::{Options, targets};
use crate::error::{Error, Result};
use crate::json::{Object, Value};
use crate::message::{
    CallKind, Content, Dialect, Extra, FileSource, Message, PartKind, Request, Tool, ToolChoice, ToolKind,
};
use crate::path::Path;

const HERE: Dialect = Dialect::Chat;

/// What the server takes that a body is for, where one was named: a model's name says nothing about its server here.
pub(super) fn named(options: Options) -> Option<Flags> {
    options.named(HERE).map(|target| targets::flags(HERE, Some(target), None))
}

/// The ids that the server takes, where not every text will do.
pub(super) fn ids(flags: Flags) -> Option<Rule> {
    let nine = Rule { allowed: |c| c.is_ascii_alphanumeric(), shortest: 9, longest: 9 };
    (flags.word("call_ids") == "nine").then_some(nine)
}

/// The request for that server.
pub(super) fn request(request: &Request, flags: Flags, losses: &mut Losses) -> Result<Request> {
    let mut request = request.clone();
    let root = Path::root();
    for (n, message) in request.messages.iter_mut().enumerate() {
        self::message(message, flags, &root.key("messages").index(n), losses)?;
    }
    for (n, tool) in request.tools.iter_mut().enumerate() {
        self::tool(tool, flags, &root.key("tools").index(n), losses)?;
    }
    if let Some(wanted) = &request.tool_choice
        && let Some(other) = choice(wanted, flags, losses)
    {
        request.tool_choice = Some(other);
    }
    let gone: Vec<&str> = flags.words("leave_request").collect();
    if gone.contains(&"parallel_tool_calls") && request.parallel_tool_calls.take().is_some() {
        losses.add(Code::FieldDropped, root.key("parallel_tool_calls"), NOT_THERE);
    }
    request.sampling.0.retain(|(key, _)| {
        let stays = !gone.contains(&key.as_ref());
        if !stays {
            losses.add(Code::SamplingDropped, root.key("sampling").key(key), NOT_THERE);
        }
        stays
    });
    without(&mut request.extra, "", &gone, None, &root, losses);
    if let Some(own) = request.extra.of(HERE) {
        let mut own = own.clone();
        for (key, _) in &mut own.0 {
            if let Some(name) = flags.name("names", key) {
                *key = name.into();
            }
        }
        // The limit is stated under its other name.
        if flags.word("limit") == "max_tokens" && request.sampling.get("max_tokens").is_some() {
            own.remove("max_tokens");
        }
        request.extra = Extra::new(HERE, own);
    }
    Ok(request)
}

const NOT_THERE: &str = "the server that was named refuses it";

/// Takes members out of the fields of this wire, or of the object under `within`.
fn without(
    extra: &mut Extra,
    within: &str,
    gone: &[&str],
    code: Option<Code>,
    path: &Path,
    losses: &mut Losses,
) {
    let Some(own) = extra.of(HERE) else { return };
    let mut own = own.clone();
    let mut take = |object: &mut Object<'static>, path: &Path| {
        object.0.retain(|(key, value)| {
            let stays = !gone.contains(&key.as_ref());
            if !stays && !value.is_null() {
                losses.add(code.unwrap_or_else(|| code_of_field(key)), path.key(key), NOT_THERE);
            }
            stays
        });
    };
    take(&mut own, path);
    for (key, value) in &mut own.0 {
        if let Value::Object(inner) = value
            && key == within
        {
            take(inner, &path.key(within));
        }
    }
    *extra = Extra::new(HERE, own);
}

/// One message for that server.
pub(super) fn message(message: &mut Message, flags: Flags, path: &Path, losses: &mut Losses) -> Result<()> {
    let gone: Vec<&str> = flags.words("leave_messages").collect();
    match message {
        Message::System(m) => {
            if m.developer && !flags.is("developer") {
                m.developer = false;
                losses.add(Code::DeveloperAsSystem, path.clone(), "this server has one kind of instructions");
            }
            parts(&mut m.content, flags, path, losses)?;
            without(&mut m.extra, "", &gone, None, path, losses);
        }
        Message::User(m) => {
            parts(&mut m.content, flags, path, losses)?;
            without(&mut m.extra, "", &gone, None, path, losses);
        }
        Message::Assistant(m) => {
            without(&mut m.extra, "", &gone, None, path, losses);
            turn::turn(m, flags, path, losses);
        }
        Message::Tool(m) => {
            if flags.word("tool_images") == "refuse"
                && let Content::Parts(parts) = &m.content
                && let Some(n) = parts.iter().position(|part| medium(&part.kind).is_some())
            {
                let path = path.key("content").index(n);
                return Err(Error::unsupported(
                    path,
                    "the server that was named takes no media in tool results",
                ));
            }
            parts(&mut m.content, flags, path, losses)?;
            without(&mut m.extra, "", &gone, None, path, losses);
        }
    }
    Ok(())
}

/// What a part is called on this wire, where it is not text.
fn medium(kind: &PartKind) -> Option<&'static str> {
    match kind {
        PartKind::Text(_) | PartKind::Native { .. } | PartKind::File { source: FileSource::Text(_), .. } => {
            None
        }
        PartKind::Image { .. } => Some("image_url"),
        PartKind::Audio { .. } => Some("input_audio"),
        PartKind::File { .. } => Some("file"),
    }
}

fn parts(content: &mut Content, flags: Flags, path: &Path, losses: &mut Losses) -> Result<()> {
    let Content::Parts(parts) = content else { return Ok(()) };
    let gone: Vec<&str> = flags.words("leave_parts").collect();
    for (n, part) in parts.iter_mut().enumerate() {
        let path = path.key("content").index(n);
        let native = match &part.kind {
            PartKind::Native { dialect: HERE, value } => value.kind(),
            _ => None,
        };
        if let Some(kind) = medium(&part.kind).or(native)
            && !flags.words("parts").any(|word| word == kind)
        {
            let what = match medium(&part.kind) {
                Some(kind) => format!("the server that was named takes no {kind} parts"),
                None => "the server that was named takes no parts of this kind".to_owned(),
            };
            return Err(Error::unsupported(path, what));
        }
        let within = medium(&part.kind).unwrap_or_default();
        without(&mut part.extra, within, &gone, None, &path, losses);
    }
    Ok(())
}

fn tool(tool: &mut Tool, flags: Flags, path: &Path, losses: &mut Losses) -> Result<()> {
    let gone: Vec<&str> = flags.words("leave_tools").collect();
    match tool.kind {
        ToolKind::Native(_) => {
            let lacks = flags.words("leave_request").any(|key| key == WEB_SEARCH);
            return if lacks && &*tool.name == WEB_SEARCH {
                Err(Error::unsupported(path.clone(), "the server that was named has no such tool"))
            } else {
                Ok(())
            };
        }
        ToolKind::Function => {}
        ToolKind::Custom if flags.is("custom_tools") => {}
        ToolKind::Custom => {
            without(&mut tool.extra, "", &["custom"], Some(Code::ToolFieldDropped), path, losses);
            losses.add(Code::CustomWrapped, path.clone(), "declared as a function with the one string input");
            if tool.format.take().is_some_and(|format| format.kind() != Some("text")) {
                losses.add(Code::ToolFieldDropped, path.key("format"), "functions have no grammars");
            }
            tool.kind = ToolKind::Function;
            let input = Object::default().with("input", Object::default().with("type", "string"));
            let schema = Object::default().with("type", "object").with("properties", input);
            tool.parameters = Some(schema.with("required", vec!["input".into()]).into());
        }
    }
    if gone.contains(&"strict") && tool.strict.take().is_some() {
        losses.add(Code::ToolFieldDropped, path.key("strict"), NOT_THERE);
    }
    let within = tool.kind.as_str().to_owned();
    without(&mut tool.extra, &within, &gone, Some(Code::ToolFieldDropped), path, losses);
    Ok(())
}

/// Another choice, where the server does not know this one.
fn choice(choice: &ToolChoice, flags: Flags, losses: &mut Losses) -> Option<ToolChoice> {
    let knows = |word: &str| flags.words("choices").any(|known| known == word);
    let nearest = |required: bool| if required { ToolChoice::Required } else { ToolChoice::Auto };
    let custom = |kind: CallKind| if flags.is("custom_tools") { kind } else { CallKind::Function };
    let reduced = match choice {
        ToolChoice::Tool { kind, name } if knows("tool") => {
            return Some(ToolChoice::Tool { kind: custom(*kind), name: name.clone() });
        }
        ToolChoice::Allowed { required, tools } if knows("allowed_tools") => {
            let tools = tools.iter().map(|(kind, name)| (custom(*kind), name.clone())).collect();
            return Some(ToolChoice::Allowed { required: *required, tools });
        }
        ToolChoice::Tool { .. } => nearest(true),
        ToolChoice::Allowed { required, .. } => nearest(*required),
        ToolChoice::Auto | ToolChoice::None | ToolChoice::Required | ToolChoice::Native { .. } => {
            return None;
        }
    };
    losses.add(
        Code::ToolChoiceReduced,
        Path::root().key("tool_choice"),
        "the server that was named cannot choose among the tools",
    );
    Some(reduced)
}

/// The word of a tool choice as the server spells it; none where it has no word for the choice that holds anyway.
pub(super) fn spell_choice(body: &mut Object<'static>, flags: Flags) {
    let Some(word) = body.get("tool_choice").and_then(Value::as_str) else { return };
    match flags.name("choice_words", word) {
        Some(own) => body.set("tool_choice", own.into()),
        // `auto` where there is no word for it; a word of the server's own stays.
        None if matches!(word, "auto" | "none" | "required")
            && flags.words("choices").all(|known| known != word) =>
        {
            body.remove("tool_choice");
        }
        None => {}
    }
}
