//! What "failed" means, and the two ways a wire without a field of its own can carry it.

mod label;
mod marker;

pub use label::{LABEL, labelled, starts_with_label};
pub use marker::{MARKER, marker_places, may_hold_marker, read_marker};
