//! Media that a wire refuses inside a tool result, moved into the user content behind the results of the turn.

use crate::dialect::loss::{Code, Losses};
use crate::message::{Content, Part, PartKind, ToolMessage};
use crate::path::Path;

/// A result without its media, and the media.
pub(super) struct Hoisted {
    pub(super) content: Content,
    pub(super) media: Vec<Medium>,
}

/// A part that was moved, the text in front of it, and where it stood.
pub(super) struct Medium {
    pub(super) note: Part,
    pub(super) part: Part,
    pub(super) path: Path,
}

fn noun(kind: &PartKind) -> Option<(&'static str, Code)> {
    match kind {
        PartKind::Image { .. } => Some(("image", Code::ImageHoisted)),
        PartKind::Audio { .. } => Some(("audio", Code::AudioHoisted)),
        PartKind::File { .. } => Some(("document", Code::DocumentHoisted)),
        PartKind::Text(_) | PartKind::Native { .. } => None,
    }
}

/// Takes images, sound and documents out of a result. `where_to` ends the note left in their place ("in the next
/// user message"); `id` is the call id as the target writes it.
pub(super) fn hoist(
    result: &ToolMessage,
    id: &str,
    name: Option<&str>,
    where_to: &str,
    path: &Path,
    losses: &mut Losses,
) -> Hoisted {
    let Content::Parts(parts) = &result.content else {
        return Hoisted { content: result.content.clone(), media: Vec::new() };
    };
    let mut kept = Vec::with_capacity(parts.len());
    let mut media = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let Some((noun, code)) = noun(&part.kind) else {
            kept.push(part.clone());
            continue;
        };
        let number = media.len() + 1;
        kept.push(Part::text(format!("[{noun} {number} of {id} follows {where_to}]")));
        let title = noun[..1].to_uppercase() + &noun[1..];
        let tool = name.map_or(String::new(), |name| format!(" ({name})"));
        let verdict = if result.failed() { ", which reported a failure" } else { "" };
        let path = path.key("content").index(n);
        losses.add(code, path.clone(), format!("moved out of the result: it follows {where_to}"));
        let note = Part::text(format!("{title} returned by tool call {id}{tool}{verdict}:"));
        media.push(Medium { note, part: part.clone(), path });
    }
    Hoisted { content: Content::Parts(kept), media }
}
