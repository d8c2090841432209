//! A request body of one wire straight to a body of another: texts that only change their place are copied as they stand.
//!
//! What comes out means what `dialect::convert` gives for the same body, losses included, and `tests/direct.rs` holds
//! the two against each other. A conversation is taken apart into stretches: an assistant turn and what follows it, up
//! to the next turn. A stretch in which nothing but the outer shape changes is written from the text of the body; any
//! other one goes through the typed messages, and so does whatever stands beside the conversation.

mod anthropic_to_chat;
mod read;

use crate::dialect::{self, Losses};
use crate::error::Result;
use crate::json::{Repeats, Value, parse, write};
use crate::message::Dialect;

/// A body in pieces that stand behind one another: joined by whoever needs them in one place.
pub type Pieces = [Vec<u8>; 3];

/// `dialect::convert` from text to text.
pub fn convert(source: Dialect, target: Dialect, body: &[u8]) -> Result<(Pieces, Losses)> {
    if (source, target) == (Dialect::Anthropic, Dialect::Chat)
        && let Some(converted) = anthropic_to_chat::convert(body)
    {
        return Ok(converted);
    }
    let (converted, losses) = dialect::convert(source, target, &parse(body, Repeats::LastWins)?)?;
    let mut text = Vec::with_capacity(body.len() + body.len() / 8);
    write(&Value::Object(converted), &mut text);
    Ok(([text, Vec::new(), Vec::new()], losses))
}
