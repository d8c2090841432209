//! What a message holds: one text, or a list of typed parts.

use crate::json::Json;
use crate::message::{Dialect, Extra, Text};

/// Plain text and a list of parts are different conversations to every wire that has both, so both are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Text(Text),
    Parts(Vec<Part>),
}

impl Default for Content {
    fn default() -> Self {
        Content::Text("".into())
    }
}

/// One part, and the fields of it that only its own wire knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// Fields that only one wire has. Where they hold a `type`, they are the whole block as that wire wrote it, and
    /// the kind is its stand-in everywhere else.
    pub extra: Extra,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    Text(Text),
    /// An image by URL, which may be a data URL.
    Image {
        url: Text,
        detail: Option<Text>,
    },
    /// Sound: standard base64 and its media type.
    Audio {
        data: Text,
        media_type: Text,
    },
    File {
        source: FileSource,
        media_type: Option<Text>,
        filename: Option<Text>,
    },
    /// A block without a typed form, as its wire wrote it.
    Native {
        dialect: Dialect,
        value: Json,
    },
}

/// Where a document's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSource {
    /// Standard base64.
    Data(Text),
    Text(Text),
    Url(Text),
    /// The id of a file stored at the provider.
    Id(Text),
}

impl FileSource {
    pub fn text(&self) -> &Text {
        match self {
            FileSource::Data(text)
            | FileSource::Text(text)
            | FileSource::Url(text)
            | FileSource::Id(text) => text,
        }
    }
}

impl Part {
    pub fn new(kind: PartKind) -> Self {
        Self { kind, extra: Extra::none() }
    }

    pub fn text(text: impl Into<Text>) -> Self {
        Self::new(PartKind::Text(text.into()))
    }

    pub fn as_text(&self) -> Option<&Text> {
        match &self.kind {
            PartKind::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Content {
    /// Does nothing stand here: no part at all, or only empty text?
    pub fn is_empty(&self) -> bool {
        match self {
            Content::Text(text) => text.is_empty(),
            Content::Parts(parts) => parts.iter().all(|p| p.as_text().is_some_and(|t| t.is_empty())),
        }
    }

    /// Is there nothing but white space?
    pub fn is_blank(&self) -> bool {
        match self {
            Content::Text(text) => is_blank(text),
            Content::Parts(parts) => parts.iter().all(|p| p.as_text().is_some_and(|t| is_blank(t))),
        }
    }
}

/// Is there nothing but white space, as servers written in Python see it?
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// Splits a base64 data URL into its media type and its data.
pub fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    // Parameters (`;charset=…`) are not part of the type.
    Some((media_type.split(';').next().unwrap_or(media_type), data))
}
