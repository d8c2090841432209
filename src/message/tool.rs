//! What a tool returned, and whether it said that it failed.

use crate::message::{Content, Extra, Text};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolMessage {
    pub tool_call_id: Text,
    pub content: Content,
    pub name: Option<Text>,
    /// `Some(true)`: the tool declared failure; `Some(false)`: it declared success; `None`: nobody said.
    pub is_error: Option<bool>,
    pub extra: Extra,
}

impl ToolMessage {
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }
}
