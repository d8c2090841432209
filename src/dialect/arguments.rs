//! The arguments of a call for a wire that takes an object where others take text, and the schema that says so.

use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Kind, Result};
use crate::json::{Json, MAX_DEPTH, Object, Repeats, Value, compact, parse_text};
use crate::message::is_blank;
use crate::path::Path;

/// Reads raw arguments as an object, which stands in a body below `above` containers. No arguments at all are an empty
/// object; everything else that is no object is refused.
pub(super) fn object(raw: &str, above: usize, path: &Path, losses: &mut Losses) -> Result<Object<'static>> {
    if is_blank(raw) {
        let detail = "no arguments at all are written as an empty object";
        losses.add(Code::ArgumentsReserialised, path.clone(), detail);
        return Ok(Object::default());
    }
    let refuse =
        |what: &str| Error::new(Kind::Arguments, path.clone(), format!("expected a JSON object: {what}"));
    let parsed = parse_text(raw, Repeats::LastWins).map_err(|e| refuse(&e.what))?;
    let input = parsed.value.into_owned();
    if input.as_object().is_none() {
        return Err(refuse("it is another value"));
    }
    if !input.nests_within(MAX_DEPTH - above) {
        return Err(refuse("nested too deep for a request body"));
    }
    if !parsed.replaced.is_empty() {
        let detail = "held a lone surrogate, which is written as U+FFFD";
        losses.add(Code::SurrogateReplaced, path.clone(), detail);
    }
    if compact(&input) != raw {
        let detail = "written as an object, so the spelling of the text is lost";
        losses.add(Code::ArgumentsReserialised, path.clone(), detail);
    }
    match input {
        Value::Object(input) => Ok(input),
        _ => Ok(Object::default()),
    }
}

/// The schema of a custom tool as a function: its free-form input is the one member.
pub(super) fn one_string() -> Json {
    let properties = Object::default().with("input", Object::default().with("type", "string"));
    Object::default()
        .with("type", "object")
        .with("properties", properties)
        .with("required", vec!["input".into()])
        .into()
}
