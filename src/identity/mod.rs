//! When two messages are the same conversational message: one SHA-256 per message, per tool list, per prefix.

mod fields;

use crate::message::{Message, Tool};
use sha2::{Digest, Sha256};
use std::fmt;

/// Identity version 1. Any change to a byte of it is a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity(pub [u8; 32]);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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
    let mut fields = Fields::new("toolwire.message.v1");
    fields::message(message, &mut fields);
    fields.finish()
}

/// The identity of a list of tools; no tools and an empty list are the same.
pub fn of_tools(tools: &[Tool]) -> Identity {
    let mut fields = Fields::new("toolwire.tools.v1");
    fields::tools(tools, &mut fields);
    fields.finish()
}

/// One identity per prefix of a conversation, each made from the one before it and the next message.
pub fn prefixes<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Identity> {
    let mut last = Fields::new("toolwire.prefix.v1").finish();
    messages
        .into_iter()
        .map(|message| {
            let digest = Sha256::new().chain_update(last.0).chain_update(of(message).0);
            last = Identity(digest.finalize().into());
            last
        })
        .collect()
}
