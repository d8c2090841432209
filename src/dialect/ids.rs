//! Call ids for a wire that allows fewer characters, and names for a wire without namespaces.

use crate::dialect::loss::{Code, Losses};
use crate::error::{Error, Result};
use crate::message::{Message, Text, Tool};
use crate::path::Path;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// Which ids a wire takes.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) allowed: fn(char) -> bool,
    /// In bytes. Where both are the same, an id that does not fit is written as so many hex digits.
    pub(super) shortest: usize,
    pub(super) longest: usize,
}

impl Rule {
    fn fits(&self, id: &str) -> bool {
        (self.shortest..=self.longest).contains(&id.len()) && id.chars().all(self.allowed)
    }

    /// A sanitised prefix and eight hex digits of the SHA-256: the same for the same id. `again` tells apart those
    /// that would meet.
    fn fit(&self, id: &str, again: usize) -> String {
        let digest = Sha256::new().chain_update(id).chain_update("'".repeat(again)).finalize();
        let mut hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if self.shortest == self.longest {
            hex.truncate(self.longest);
            return hex;
        }
        hex.truncate(8);
        let keep = self.longest.min(40) - hex.len() - 1;
        let prefix: String = id.chars().filter(|c| c.is_ascii() && (self.allowed)(*c)).take(keep).collect();
        if prefix.is_empty() { format!("call_{hex}") } else { format!("{prefix}_{hex}") }
    }
}

/// The ids of a conversation that are written otherwise, each as one that no other id is written as.
pub(super) struct Table(HashMap<Text, Text>);

impl Table {
    /// `messages` with whether each is written as it was: such a message keeps its ids.
    pub(super) fn of<'a>(messages: impl Iterator<Item = (&'a Message, bool)> + Clone, rule: Rule) -> Self {
        let mut taken: HashSet<Text> = HashSet::new();
        for (message, kept) in messages.clone() {
            taken.extend(ids(message).filter(|id| kept || rule.fits(id)).cloned());
        }
        let mut table = HashMap::new();
        for id in messages.flat_map(|(message, _)| ids(message)) {
            if taken.contains(id) || table.contains_key(id) {
                continue;
            }
            let fitted = (0..).map(|again| rule.fit(id, again).into()).find(|fitted| !taken.contains(fitted));
            if let Some(fitted) = fitted {
                let fitted: Text = fitted;
                taken.insert(fitted.clone());
                table.insert(id.clone(), fitted);
            }
        }
        Self(table)
    }

    /// The message with its ids as they are written; none where they stay.
    pub(super) fn applied(&self, message: &Message, path: &Path, losses: &mut Losses) -> Option<Message> {
        if self.0.is_empty() || !ids(message).any(|id| self.0.contains_key(id)) {
            return None;
        }
        let mut change = |id: &mut Text, path: Path| {
            if let Some(fitted) = self.0.get(id) {
                losses.add(
                    Code::IdMapped,
                    path,
                    "the id has characters, or a length, that this wire refuses",
                );
                *id = fitted.clone();
            }
        };
        let mut message = message.clone();
        match &mut message {
            Message::Assistant(turn) => {
                for (n, call) in turn.tool_calls.iter_mut().enumerate() {
                    change(&mut call.id, path.key("tool_calls").index(n).key("id"));
                }
            }
            Message::Tool(result) => change(&mut result.tool_call_id, path.key("tool_call_id")),
            Message::System(_) | Message::User(_) => {}
        }
        Some(message)
    }
}

/// The call ids in a message.
fn ids(message: &Message) -> impl Iterator<Item = &Text> {
    let (calls, result) = match message {
        Message::Assistant(turn) => (turn.tool_calls.as_slice(), None),
        Message::Tool(result) => (&[][..], Some(&result.tool_call_id)),
        Message::System(_) | Message::User(_) => (&[][..], None),
    };
    calls.iter().map(|call| &call.id).chain(result)
}

/// An id for something that has none, the same for the same thing: the prefix and 24 hex digits of the SHA-256.
pub(super) fn minted(prefix: &str, of: &[u8]) -> String {
    let digest = Sha256::digest(of);
    digest.iter().take(12).fold(prefix.to_owned(), |id, byte| id + &format!("{byte:02x}"))
}

/// A namespaced name where the wire has no namespaces.
pub(super) fn folded(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}__{name}"),
        None => name.to_owned(),
    }
}

/// The name that a tool choice has for a tool, where the wire has no namespaces.
pub(super) fn folded_choice(tools: &[Tool], name: &str) -> String {
    let tool = tools.iter().find(|tool| &*tool.name == name);
    folded(tool.and_then(|tool| tool.namespace.as_deref()), name)
}

/// Refuses tools that would become one under their folded names.
pub(super) fn distinct_when_folded(tools: &[Tool]) -> Result<()> {
    if tools.iter().all(|tool| tool.namespace.is_none()) {
        return Ok(());
    }
    let mut seen = HashSet::with_capacity(tools.len());
    for (n, tool) in tools.iter().enumerate() {
        if !seen.insert(folded(tool.namespace.as_deref(), &tool.name)) {
            let path = Path::root().key("tools").index(n).key("name");
            let what = "with its namespace in front, another tool has the same name";
            return Err(Error::unsupported(path, what));
        }
    }
    Ok(())
}
