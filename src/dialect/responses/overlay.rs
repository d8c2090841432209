//! Model and sampling of an evaluation over a Responses body.

use crate::dialect::Overlay;
use crate::json::{Json, Object, Value};

const ENCRYPTED: &str = "reasoning.encrypted_content";

/// The program's sampling never counts here. A reasoning model gets a summary and its encrypted reasoning back, so
/// that the next turn can replay it.
/// <https://platform.openai.com/docs/guides/reasoning>
pub(in crate::dialect) fn overlay(
    current: &dyn Fn(&str) -> Option<Json>,
    model: &str,
    mut sampling: Object<'static>,
) -> Overlay {
    let limit = sampling.remove("max_tokens");
    let effort = sampling.remove("reasoning_effort");
    let own_reasoning = sampling.remove("reasoning");
    let reasons = is_reasoning_model(model);
    if reasons {
        let include = sampling.get("include").cloned().or_else(|| current("include"));
        let mut include = include.as_ref().and_then(Value::as_array).unwrap_or_default().to_vec();
        if !include.iter().any(|item| item.as_str() == Some(ENCRYPTED)) {
            include.push(ENCRYPTED.into());
        }
        sampling.set("include", Value::Array(include));
    }
    if let Some(limit) = limit {
        sampling.set("max_output_tokens", limit);
    }
    let mut reasoning = Object::default();
    if reasons {
        reasoning.set("summary", "auto".into());
    }
    for layer in [current("reasoning"), own_reasoning].into_iter().flatten() {
        reasoning.set_all(layer.as_object().into_iter().flat_map(Object::iter).cloned());
    }
    if let Some(effort) = effort {
        reasoning.set("effort", effort);
    }
    if !reasoning.is_empty() {
        sampling.set("reasoning", Value::Object(reasoning));
    }
    Overlay { set: sampling, drop: vec!["temperature", "top_p", "max_output_tokens", "max_tokens"] }
}

/// OpenAI's own reasoning models, with or without OpenAI's prefix.
fn is_reasoning_model(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    ["gpt-5", "o1", "o3", "o4"].iter().any(|family| name.starts_with(family))
        && !name.contains("-chat")
        && (!model.contains('/') || model.starts_with("openai/"))
}
