//! stub
mod overlay;
use crate::dialect::ResultForm;
pub(super) use overlay::overlay;
pub(super) const RESULT: ResultForm = ResultForm {
    messages: "messages",
    in_blocks: true,
    key: "type",
    kinds: &["tool_result"],
    content: "content",
    text_part: "text",
    native_field: Some("is_error"),
};
use crate::dialect::{Losses, NativeOutcome, Options};
use crate::error::Result;
use crate::json::{Cursor, Json, Object};
use crate::message::{Message, Request};
use crate::path::Path;
pub(super) fn read_request(_body: Cursor<'_>) -> Result<Request> {
    unimplemented!()
}
pub(super) fn write_request(_r: &Request, _o: Options, _l: &mut Losses) -> Result<Object<'static>> {
    unimplemented!()
}
pub(super) fn write_message(_m: &Message, _o: Options) -> Result<Json> {
    unimplemented!()
}
pub(super) fn native_outcome(_item: &Json, _path: &Path) -> Option<NativeOutcome> {
    None
}
pub(super) fn leave(_f: &Object<'_>, _p: &Path, _l: &mut Losses) {}
