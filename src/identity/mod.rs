//! When two messages are the same conversational message: one SHA-256 per message, per tool list, per prefix.

mod fields;

use crate::message::{Message, Tool};
use sha2::{Digest, Sha256};
use std::fmt;

/// Identity version 1. Any change to a byte of it is a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// Reads the 64 hexadecimal digits that `Display` writes.
    pub fn from_hex(text: &str) -> Option<Self> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return None;
        }
        let digit =
            |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f').then(|| (b as char).to_digit(16)).flatten();
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits =
            self.0.map(|byte| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
        f.write_str(std::str::from_utf8(digits.as_flattened()).map_err(|_| fmt::Error)?)
    }
}

/// A digest over length-prefixed fields: no field can run into the next.
struct Fields(Sha256);

impl Fields {
    fn new(domain: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.add(domain);
        fields
    }

    fn add(&mut self, field: impl AsRef<[u8]>) {
        let field = field.as_ref();
        self.0.update((field.len() as u64).to_be_bytes());
        self.0.update(field);
    }

    fn finish(self) -> Identity {
        Identity(self.0.finalize().into())
    }
}

/// The identity of a message.
pub fn of(message: &Message) -> Identity {
    said(message).finish()
}

fn said(message: &Message) -> Fields {
    let mut fields = Fields::new("toolwire.message.v1");
    fields::message(message, &mut fields);
    fields
}

/// What finds a message in a graph, from one pass over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print {
    pub own: Identity,
    /// Of a tool result that says nothing of its outcome: the identity of the same result, declared failed.
    pub failed: Option<Identity>,
}

impl Print {
    pub fn of(message: &Message) -> Self {
        let fields = said(message);
        let failed = fields::is_silent(message).then(|| {
            let mut twin = Fields(fields.0.clone());
            fields::declare_failed(&mut twin);
            twin.finish()
        });
        Self { own: fields.finish(), failed }
    }
}

/// The identity of a list of tools; no tools and an empty list are the same.
pub fn of_tools(tools: &[Tool]) -> Identity {
    let mut fields = Fields::new("toolwire.tools.v1");
    fields::tools(tools, &mut fields);
    fields.finish()
}

/// The identity of texts that only count as they stand.
pub fn of_texts(texts: &[&[u8]]) -> Identity {
    let mut fields = Fields::new("toolwire.texts.v1");
    texts.iter().for_each(|text| fields.add(text));
    fields.finish()
}

/// Where a conversation under these tools starts; `step` leads from there, message by message.
pub fn start(tools: Identity) -> Identity {
    let mut fields = Fields::new("toolwire.start.v1");
    fields.add(tools.0);
    fields.finish()
}

/// The identity of a conversation, from that of what comes before its last message and that message's own.
pub fn step(before: Identity, message: Identity) -> Identity {
    Identity(Sha256::new().chain_update(before.0).chain_update(message.0).finalize().into())
}

/// One identity per prefix of a conversation, each made from the one before it and the next message.
pub fn prefixes<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Identity> {
    let mut last = Fields::new("toolwire.prefix.v1").finish();
    messages
        .into_iter()
        .map(|message| {
            last = step(last, of(message));
            last
        })
        .collect()
}
