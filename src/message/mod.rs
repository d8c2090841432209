//! The nouns: a conversation as typed messages, whichever wire it came from.

mod assistant;
mod content;
mod extra;
mod plain;
mod plain_response;
mod request;
mod response;
mod tool;

pub use assistant::{AssistantMessage, CallKind, OPAQUE_FIELDS, ToolCall, item_kind};
pub use content::{Content, FileSource, Part, PartKind, data_url, is_blank};
pub use extra::{Dialect, Extra};
pub use plain::{
    choice_to_plain, extra_to_plain, message_from_plain, message_to_plain, only, part_from_plain,
    part_to_plain, request_from_plain, request_to_plain, tool_call_from_plain, tool_call_to_plain,
    tool_from_plain, tool_to_plain,
};
pub use plain_response::{response_from_plain, response_to_plain, usage_from_plain, usage_to_plain};
pub use request::{Request, Tool, ToolChoice, ToolKind};
pub use response::{FinishReason, Response, Usage};
pub use tool::ToolMessage;

use std::sync::Arc;

/// Text that is shared, never copied.
pub type Text = Arc<str>;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    System(SystemMessage),
    User(UserMessage),
    Assistant(AssistantMessage),
    Tool(ToolMessage),
}

impl Message {
    pub fn role(&self) -> &'static str {
        match self {
            Message::System(_) => "system",
            Message::User(_) => "user",
            Message::Assistant(_) => "assistant",
            Message::Tool(_) => "tool",
        }
    }

    pub fn extra(&self) -> &Extra {
        match self {
            Message::System(m) => &m.extra,
            Message::User(m) => &m.extra,
            Message::Assistant(m) => &m.extra,
            Message::Tool(m) => &m.extra,
        }
    }
}

/// Instructions. `developer` is OpenAI's newer name for the role; other wires know only system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemMessage {
    pub content: Content,
    pub developer: bool,
    pub extra: Extra,
}

/// What the person, or the program in their place, said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserMessage {
    pub content: Content,
    pub extra: Extra,
}
