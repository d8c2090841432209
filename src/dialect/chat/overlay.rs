//! Model and sampling of an evaluation over a Chat Completions body.

use crate::dialect::Overlay;
use crate::json::Object;

/// A knob that is set replaces the program's own; a limit on output replaces both of its names.
pub(in crate::dialect) fn overlay(sampling: Object<'static>) -> Overlay {
    let drop = match sampling.get("max_tokens") {
        Some(_) => vec!["max_completion_tokens"],
        None => Vec::new(),
    };
    Overlay { set: sampling, drop }
}
