//! Model and sampling of an evaluation over a Messages body.

use crate::dialect::Overlay;
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::path::Path;

/// `temperature` and `top_p` are the evaluation's alone; the program's `max_tokens`, which the API requires, stays
/// unless the evaluation sets one. The effort goes into `output_config`, over what the program has there.
/// <https://platform.claude.com/docs/en/build-with-claude/effort>
pub(in crate::dialect) fn overlay(
    current: &dyn Fn(&str) -> Option<Json>,
    mut sampling: Object<'static>,
) -> Result<Overlay> {
    let effort = sampling.remove("reasoning_effort");
    let config = sampling.remove("output_config");
    if effort.is_some() || config.is_some() {
        let mut merged = Object::default();
        for layer in [current("output_config"), config].into_iter().flatten() {
            merged.set_all(layer.as_object().into_iter().flat_map(Object::iter).cloned());
        }
        if let Some(effort) = effort {
            check_effort(&effort)?;
            merged.set("effort", effort);
        }
        sampling.set("output_config", Value::Object(merged));
    }
    Ok(Overlay { set: sampling, drop: vec!["temperature", "top_p"] })
}

/// Words are not rounded: one that the API does not know is refused.
pub(super) fn check_effort(effort: &Json) -> Result<()> {
    if matches!(effort.as_str(), Some("low" | "medium" | "high" | "xhigh" | "max")) {
        return Ok(());
    }
    let path = Path::root().key("sampling").key("reasoning_effort");
    Err(Error::unsupported(path, "Anthropic knows low, medium, high, xhigh and max"))
}
