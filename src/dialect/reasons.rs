//! Why an answer ended: the word of a wire for a reason, its own or the nearest one it has.

use crate::dialect::loss::{Code, Losses};
use crate::message::{Dialect, FinishReason, Response};
use crate::path::Path;

/// How a wire says the reasons.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) stop: &'static str,
    pub(super) length: &'static str,
    pub(super) tool_calls: &'static str,
    /// The provider held something back.
    pub(super) filtered: &'static str,
}

/// The words of all wires for an answer that was refused or filtered.
const FILTERED: [&str; 14] = [
    "content_filter",
    "refusal",
    "guardrail_intervened",
    "content_filtered",
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "LANGUAGE",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
];

/// The word to write on a wire, where `read` says what its words mean: the native one as long as it stands for the
/// typed reason, else the wire's word for that reason. A reason that is none of the three has no word on another wire:
/// the nearest one is written, and reported. No answer without calls is said to wait for them.
pub(super) fn word<'r>(
    response: &'r Response,
    here: Dialect,
    read: impl Fn(&str) -> Option<FinishReason>,
    words: Words,
    losses: &mut Losses,
) -> &'r str {
    let native = response.native_finish_reason.as_deref();
    let calls = !response.message.tool_calls.is_empty();
    if response.finish_reason == Some(FinishReason::ToolCalls) && !calls {
        // A wire without a word for it tells of that itself.
        if words.tool_calls != words.stop {
            let why = "the turn has no calls: written as an end like any other";
            losses.add(Code::FinishReasonReduced, Path::root().key("finish_reason"), why);
        }
        return words.stop;
    }
    if let (Some(word), true) = (native, response.dialect == Some(here))
        && read(word) == response.finish_reason
    {
        return word;
    }
    match response.finish_reason {
        Some(FinishReason::Stop) => words.stop,
        Some(FinishReason::Length) => words.length,
        Some(FinishReason::ToolCalls) => words.tool_calls,
        None => {
            let (word, why) = match native {
                Some(word) if FILTERED.contains(&word) => (words.filtered, "written as the nearest reason"),
                _ if calls => (words.tool_calls, "no such reason here: the turn ends with calls"),
                _ => (words.stop, "no such reason here: written as an end like any other"),
            };
            losses.add(Code::FinishReasonReduced, Path::root().key("finish_reason"), why);
            word
        }
    }
}
