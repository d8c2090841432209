//! OpenAI Responses: the entry points of this wire; each file below says what it holds.

mod events;
mod leave;
mod outcomes;
mod overlay;
mod parts;
mod read;
mod response;
mod stream;
mod tools;
mod turn;
mod write;

#[cfg(test)]
mod tests;

pub(super) use events::write_stream;
pub(super) use leave::{leave, leave_message_item};
pub(super) use outcomes::native_outcome;
pub(super) use overlay::overlay;
pub(super) use read::{is_of_turn, read_items, read_request};
pub(super) use response::{leave_response, read_answer, read_response, write_response};
pub(super) use stream::{LAST, assembly, is_terminal};
pub(super) use write::{write_message, write_request};

use crate::dialect::{Mark, ResultForm, Says};
use crate::json::{Json, Object, Value};
use crate::message::{Dialect, Extra};

const HERE: Dialect = Dialect::Responses;

/// How a tool result stands here: an item of the list, without a field for its outcome.
pub(super) const RESULT: ResultForm = ResultForm {
    messages: "input",
    blocks: None,
    mark: Mark::Word { key: "type", words: &["function_call_output", "custom_tool_call_output"] },
    says: Says::Label { content: "output", text_part: Some("input_text"), refused: None },
    stored_id: Some("id"),
};

/// Who asks for something to be written.
#[derive(Clone, Copy, Debug)]
struct Mode {
    /// The request was read from this wire: it is written as it was.
    same: bool,
    /// The wire the request was read from.
    from: Option<Dialect>,
    /// The marker instead of the label.
    internal: bool,
}

fn text(value: &str) -> Json {
    Value::String(value.to_owned().into())
}

fn some_text(value: Option<&crate::message::Text>) -> Option<Json> {
    value.map(|t| text(t))
}

/// Is this one of the keys that this wire's reader made up to remember a spelling?
fn is_layout(key: &str) -> bool {
    matches!(key, "$instructions" | "$bare" | "$message" | "$custom" | "$group")
}

/// A layout key of a message, call, part or tool.
fn layout<'a>(extra: &'a Extra, key: &str) -> Option<&'a Json> {
    extra.of(HERE)?.get(key)
}

/// Adds the fields that only this wire has. What the typed form says already wins.
fn put_back(object: &mut Object<'static>, extra: &Extra) {
    let Some(fields) = extra.of(HERE) else { return };
    object.add_absent(fields.iter().filter(|(key, _)| !is_layout(key)));
}
