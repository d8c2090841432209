//! Fields that only one wire knows, kept with the name of that wire so that no other one ever gets them.

use crate::json::Object;
use std::fmt;

/// The wire formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    Bedrock,
    Mcp,
}

impl Dialect {
    pub const ALL: [Dialect; 6] = [
        Dialect::Chat,
        Dialect::Responses,
        Dialect::Anthropic,
        Dialect::Gemini,
        Dialect::Bedrock,
        Dialect::Mcp,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Dialect::Chat => "chat",
            Dialect::Responses => "responses",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Bedrock => "bedrock",
            Dialect::Mcp => "mcp",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.as_str() == name)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The fields of one wire that the typed form does not hold. Mostly there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra(Option<Box<(Dialect, Object<'static>)>>);

impl Extra {
    pub fn none() -> Self {
        Self(None)
    }

    /// Nothing where there are no fields.
    pub fn new(dialect: Dialect, fields: Object<'static>) -> Self {
        if fields.is_empty() { Self(None) } else { Self(Some(Box::new((dialect, fields)))) }
    }

    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub fn dialect(&self) -> Option<Dialect> {
        self.0.as_ref().map(|b| b.0)
    }

    /// The fields, if they belong to this wire.
    pub fn of(&self, dialect: Dialect) -> Option<&Object<'static>> {
        self.0.as_ref().filter(|b| b.0 == dialect).map(|b| &b.1)
    }

    /// The wire and its fields.
    pub fn get(&self) -> Option<(Dialect, &Object<'static>)> {
        self.0.as_ref().map(|b| (b.0, &b.1))
    }
}
