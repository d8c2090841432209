//! A whole request: the conversation, the tools, the settings every wire shares, and the untouched rest.

use crate::json::{Json, Object};
use crate::message::{CallKind, Dialect, Extra, Message, Text};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The wire it was read from; none if it was put together by hand.
    pub dialect: Option<Dialect>,
    pub model: Option<Text>,
    pub messages: Vec<Message>,
    /// Which messages were not read with the rest: their places in `messages`, ascending. None where the list is as it was read;
    /// an empty list where messages were only taken out.
    pub added: Option<Vec<usize>>,
    pub tools: Vec<Tool>,
    pub tool_choice: Option<ToolChoice>,
    pub parallel_tool_calls: Option<bool>,
    pub stream: Option<bool>,
    /// Sampling knobs under neutral names: `temperature`, `top_p`, `top_k`, `max_tokens`, `stop` (a list),
    /// `reasoning_effort`, and any other number that only one wire knows under its own name.
    pub sampling: Object<'static>,
    /// Top-level fields that only one wire knows.
    pub extra: Extra,
    /// The paths where reading had to replace a lone surrogate by U+FFFD.
    pub replaced: Vec<Text>,
}

impl Request {
    /// Was this message read from that wire? Then it is written back as it was.
    pub fn is_read_from(&self, dialect: Dialect, at: usize) -> bool {
        self.dialect == Some(dialect)
            && self.added.as_ref().is_none_or(|added| added.binary_search(&at).is_err())
    }

    /// Was the whole list of messages read from that wire?
    pub fn is_whole(&self, dialect: Dialect) -> bool {
        self.dialect == Some(dialect) && self.added.is_none()
    }
}

/// The declaration of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    pub kind: ToolKind,
    pub name: Text,
    pub namespace: Option<Text>,
    pub description: Option<Text>,
    /// JSON Schema of the arguments.
    pub parameters: Option<Json>,
    pub strict: Option<bool>,
    /// The format of a custom tool's input in the flat spelling: `{"type": "text"}`, or
    /// `{"type": "grammar", "syntax": …, "definition": …}`.
    pub format: Option<Json>,
    pub extra: Extra,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolKind {
    Function,
    Custom,
    /// Run by the provider, or typed by it: the native `type`. The declaration stands whole in `extra`.
    Native(Text),
}

impl ToolKind {
    pub fn as_str(&self) -> &str {
        match self {
            ToolKind::Function => "function",
            ToolKind::Custom => "custom",
            ToolKind::Native(kind) => kind,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    None,
    /// Some tool, whichever.
    Required,
    Tool {
        kind: CallKind,
        name: Text,
    },
    /// Only these: `required` or not, and the tools by kind and name.
    Allowed {
        required: bool,
        tools: Vec<(CallKind, Text)>,
    },
    /// A form that only one wire has, as it wrote it.
    Native {
        dialect: Dialect,
        value: Json,
    },
}
