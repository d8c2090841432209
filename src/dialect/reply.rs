//! An answer behind the request that it answers.

use crate::dialect::{gemini, read_answer};
use crate::error::{Error, Result};
use crate::message::{Message, Request, Response};
use crate::path::Path;

/// The request with the answer as its last message. An answer that was read from the wire of the request counts as read
/// with it, and is written back as it was; any other is one that was added. One that did not come whole is refused:
/// nobody may run its calls.
pub fn reply(request: &Request, response: &Response) -> Result<Request> {
    if !response.complete {
        let what = "the answer did not come whole: its calls must not be run";
        return Err(Error::shape(Path::root().key("complete"), what));
    }
    let mut request = request.clone();
    if request.dialect.is_some() && !is_of_wire(&request, response) {
        request.added.get_or_insert_default().push(request.messages.len());
    }
    let mut turn = response.message.clone();
    gemini::mint_behind(&mut turn, &request.messages);
    request.messages.push(Message::Assistant(turn));
    Ok(request)
}

/// Is the turn as the wire of the request said it? It may have been changed since it was read.
fn is_of_wire(request: &Request, response: &Response) -> bool {
    match (request.dialect, response.dialect, &response.native) {
        (Some(wire), Some(dialect), Some(native)) if wire == dialect => {
            read_answer(dialect, native).is_ok_and(|turn| turn == response.message)
        }
        _ => false,
    }
}
