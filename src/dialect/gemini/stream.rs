//! Streams of this wire.

use crate::dialect::stream::{Assembly, Framing, Sse};
use crate::error::{Error, Result};
use crate::json::Object;
use crate::path::Path;

pub(in crate::dialect) fn write_stream(_body: &Object<'_>) -> Result<Vec<Vec<u8>>> {
    Err(Error::unsupported(Path::root(), "not there yet"))
}

pub(in crate::dialect) fn framing() -> Box<dyn Framing> {
    Box::new(Sse::default())
}

pub(in crate::dialect) fn assembly() -> Box<dyn Assembly> {
    unimplemented!()
}

pub(in crate::dialect) fn is_terminal(_name: Option<&str>, _data: &[u8]) -> bool {
    false
}
