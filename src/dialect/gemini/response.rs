//! A GenerateContentResponse to the answer that it is.

use crate::dialect::Losses;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::message::{AssistantMessage, Response};
use crate::path::Path;

pub(in crate::dialect) fn read_answer(_body: Cursor<'_>) -> Result<AssistantMessage> {
    Err(Error::unsupported(Path::root(), "not there yet"))
}

pub(in crate::dialect) fn read_response(body: Cursor<'_>) -> Result<Response> {
    Ok(Response { message: read_answer(body)?, ..Response::default() })
}

pub(in crate::dialect) fn write_response(
    _response: &Response,
    _losses: &mut Losses,
) -> Result<Object<'static>> {
    Err(Error::unsupported(Path::root(), "not there yet"))
}
