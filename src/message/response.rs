//! A model's answer: the turn, why it ended, what it cost, and the body it came in.

use crate::json::Json;
use crate::message::{AssistantMessage, Dialect, Text, ToolCall};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The wire it was read from; none if it was put together by hand.
    pub dialect: Option<Dialect>,
    pub id: Option<Text>,
    pub model: Option<Text>,
    pub message: AssistantMessage,
    /// None where the provider's reason is none of the three, or unknown.
    pub finish_reason: Option<FinishReason>,
    /// The provider's own word for it.
    pub native_finish_reason: Option<Text>,
    pub usage: Option<Usage>,
    /// Did the answer come whole? False for a stream that was cut or that ended in an error, for an answer that its
    /// provider cut within a call, and for one that is still being made or has failed.
    pub complete: bool,
    /// Calls that a cut stream left open, or that their provider cut, with their arguments as far as they came. They are
    /// not in `message`: nobody may run them.
    pub unfinished: Vec<ToolCall>,
    /// The error that the provider sent inside the stream, as it stood there.
    pub error: Option<Json>,
    /// The whole native body; of a stream, the body that its events add up to.
    pub native: Option<Json>,
}

/// The reasons that every wire has, under the names of Chat Completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinishReason {
    Stop,
    Length,
    ToolCalls,
}

impl FinishReason {
    pub const ALL: [FinishReason; 3] = [FinishReason::Stop, FinishReason::Length, FinishReason::ToolCalls];

    pub fn as_str(self) -> &'static str {
        match self {
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
            FinishReason::ToolCalls => "tool_calls",
        }
    }
}

/// Tokens, counted as the host framework does. A count that the provider does not state is none, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input without what was read from a cache.
    pub prompt_tokens: u64,
    /// Output, reasoning included.
    pub completion_tokens: u64,
    /// Input that was read from a cache.
    pub cached_input_tokens: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning_tokens: Option<u64>,
}
