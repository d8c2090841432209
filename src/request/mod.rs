//! An internal body becomes a provider body, byte for byte the same where nothing has to change.

mod edit;
mod outcome;
mod overrides;
mod seal;

pub use edit::Edit;
pub use overrides::apply_overrides;
pub use seal::{holds_marker, seal, seal_element};

use crate::dialect::Loss;
use std::borrow::Cow;

/// A body that may go to a provider, and what had to be left out of it.
#[derive(Clone, Debug)]
pub struct Sealed<'a> {
    /// Borrowed where the input already was one.
    pub body: Cow<'a, [u8]>,
    pub losses: Vec<Loss>,
}
