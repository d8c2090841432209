//! OpenAI Chat Completions, <https://platform.openai.com/docs/api-reference/chat/create>.
//!
//! Fields without a typed form stand in `extra` under their own names. Names that start with `$` say how something
//! was written and are never sent:
//!
//! | where | key | meaning |
//! |---|---|---|
//! | assistant | `$content` | `[]`: the key was absent; else the parts the text was written as |
//! | assistant | `$reasoning` | every reasoning field, where there is more than one typed field can hold |
//! | request | `$limit` | the name of the output limit, `max_completion_tokens` |
//! | request | `$stop` | `stop` was one string |

mod calls;
mod chunks;
mod deltas;
mod fit;
mod messages;
mod overlay;
mod parts;
mod read;
mod response;
mod stream;
mod tools;
mod write;

use crate::dialect::ids::Table;
use crate::dialect::loss::{Code, Losses};
use crate::dialect::{Mark, Options, ResultForm, Says, leave_fields};
use crate::error::Result;
use crate::json::{Fields, Json, Object, Value};
use crate::message::Message;
use crate::path::Path;

pub(super) use chunks::write_stream;
pub(super) use messages::outcome_loss;
pub(super) use overlay::overlay;
pub(super) use read::{read_items, read_request};
pub(super) use response::{leave_response, read_answer, read_response, write_response};
pub(super) use stream::{assembly, is_terminal};
pub(super) use write::write_request;

pub(super) const RESULT: ResultForm = ResultForm {
    messages: "messages",
    blocks: None,
    mark: Mark::Word { key: "role", words: &["tool"] },
    says: Says::Label { content: "content", text_part: Some("text"), refused: None },
    stored_id: None,
};

pub(super) fn write_message(message: &Message, options: Options, losses: &mut Losses) -> Result<Json> {
    let path = Path::root();
    let mut lane = messages::Lane { names: options.internal, internal: options.internal, same: false };
    let Some(flags) = fit::named(options) else {
        return messages::write(message, lane, &path, losses).map(Value::Object);
    };
    lane.names = flags.is("result_names");
    let mut fitted = message.clone();
    fit::message(&mut fitted, flags, &path, losses)?;
    if let Some(rule) = fit::ids(flags)
        && let Some(changed) = Table::of([(&fitted, false)].into_iter(), rule).applied(&fitted, &path, losses)
    {
        fitted = changed;
    }
    messages::write(&fitted, lane, &path, losses).map(Value::Object)
}

/// Reports the fields of this wire that another one does not get.
pub(super) fn leave(fields: &Object<'_>, path: &Path, losses: &mut Losses) {
    for (key, value) in fields.iter() {
        match (key.as_ref(), value) {
            ("$content", Value::Array(parts)) => {
                if parts.iter().filter(|part| part.kind() == Some("text")).count() > 1 {
                    losses.add(
                        Code::TextJoined,
                        path.key("content"),
                        "several texts of a turn, written as one",
                    );
                }
                for (n, part) in parts.iter().filter_map(Value::as_object).enumerate() {
                    let rest = without(part, &["type", "text", "refusal"]);
                    leave_fields(&rest, &path.key("content").index(n), losses);
                }
            }
            // The typed reasoning and the provider state are reported themselves.
            (key, _) if LAYOUT.contains(&key) => {}
            // Unset fields, as SDKs dump them; a refusal is typed.
            (_, Value::Null) | ("refusal", _) => {}
            // As every answer has it that cites nothing.
            ("annotations", Value::Array(none)) if none.is_empty() => {}
            // Fields inside a field.
            ("function" | "custom" | "image_url" | "input_audio" | "file", Value::Object(inner)) => {
                leave(inner, &path.key(key), losses);
            }
            _ => leave_fields(&Object(vec![(key.clone(), value.clone())]), path, losses),
        }
    }
}

/// The layout keys; a body cannot bring any in.
const LAYOUT: [&str; 4] = ["$content", "$reasoning", "$limit", "$stop"];

fn without(object: &Object<'_>, known: &[&str]) -> Object<'static> {
    Object(object.iter().filter(|(key, _)| !known.contains(&key.as_ref())).cloned().collect()).into_owned()
}

/// The members that are not in `known`, and those that are null: SDKs dump unset fields that way.
fn rest(fields: &Fields<'_>, known: &[&str]) -> Object<'static> {
    Object(
        fields
            .object
            .iter()
            .filter(|(key, value)| value.is_null() || !known.contains(&key.as_ref()))
            .filter(|(key, _)| !LAYOUT.contains(&key.as_ref()))
            .map(|(key, value)| (key.to_string().into(), value.clone().into_owned()))
            .collect(),
    )
}

/// Adds fields that are not there yet; layout keys are left out.
fn merge(object: &mut Object<'static>, fields: Option<&Object<'static>>) {
    object.add_absent(
        fields.into_iter().flat_map(Object::iter).filter(|(key, _)| !LAYOUT.contains(&key.as_ref())),
    );
}

#[cfg(test)]
mod tests;
