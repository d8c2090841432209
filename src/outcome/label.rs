//! The words that tell a model of a failure where the wire has no field for it. They are never read back.

use crate::message::{Content, Part};

pub const LABEL: &str = "Tool execution failed:\n";

pub fn starts_with_label(text: &str) -> bool {
    text.starts_with(LABEL)
}

/// The content of a failed result with its label, which is put there once.
pub fn labelled(content: &Content) -> Content {
    match content {
        Content::Text(text) if starts_with_label(text) => content.clone(),
        Content::Text(text) => Content::Text(format!("{LABEL}{text}").into()),
        Content::Parts(parts) => {
            let first = parts.first().and_then(Part::as_text);
            if first.is_some_and(|text| starts_with_label(text)) {
                return content.clone();
            }
            let mut all = Vec::with_capacity(parts.len() + 1);
            all.push(Part::text(LABEL));
            all.extend(parts.iter().cloned());
            Content::Parts(all)
        }
    }
}
