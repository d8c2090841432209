//! Model and sampling of an evaluation over a generateContent body.

use super::pen::text;
use super::settings::{CONFIG, KNOBS, LEVEL, STOP, THINKING};
use super::spelling::camel;
use crate::dialect::Overlay;
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::path::Path;

const CONFIG_SNAKE: &str = "generation_config";

pub(in crate::dialect) const OVERLAY_READS: &[&str] = &[CONFIG, CONFIG_SNAKE];

/// Efforts in neutral words; the API writes the same ones in capitals.
/// <https://ai.google.dev/gemini-api/docs/thinking>
pub(super) const LEVELS: [&str; 5] = ["minimal", "low", "medium", "high", "xhigh"];

/// What `generationConfig` holds beside the knobs that have a neutral name.
/// <https://ai.google.dev/api/generate-content#generationconfig>
const NATIVE: [&str; 17] = [
    STOP,
    "seed",
    "logprobs",
    "candidateCount",
    "presencePenalty",
    "frequencyPenalty",
    "responseLogprobs",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "responseJsonSchema",
    "responseFormat",
    "mediaResolution",
    "speechConfig",
    "audioTimestamp",
    "routingConfig",
    "enableEnhancedCivicAnswers",
];

/// The program's settings stay where the evaluation sets none. A knob that `generationConfig` does not have is refused,
/// as the API would refuse it. Either spelling is read.
pub(in crate::dialect) fn overlay(
    current: &dyn Fn(&str) -> Option<Json>,
    sampling: Object<'static>,
) -> Result<Overlay> {
    let mut config = Object::default();
    for layer in [current(CONFIG_SNAKE), current(CONFIG)].into_iter().flatten() {
        lay(&mut config, in_camel(&layer)?);
    }
    let mut changed = false;
    for (key, value) in sampling.0 {
        // The selected model counts, whatever the sampling says.
        if key == "model" {
            continue;
        }
        changed = true;
        let knob = in_camel(&Object(vec![(key.clone(), value)]).into())?.0.pop();
        let Some((name, value)) = knob else { continue };
        match name.as_ref() {
            "maxTokens" => config.set("maxOutputTokens", value),
            "stop" if value.as_array().is_none() => config.set(STOP, vec![value].into()),
            "stop" => config.set(STOP, value),
            CONFIG => lay(&mut config, in_camel(&value)?),
            THINKING => lay(&mut config, Object::default().with(THINKING, value)),
            "reasoningEffort" => {
                let path = Path::root().key("sampling").key("reasoning_effort");
                let level = Object::default().with(LEVEL, level(&value, path)?);
                lay(&mut config, Object::default().with(THINKING, level));
            }
            name if NATIVE.contains(&name) || KNOBS.iter().any(|(_, native)| name == *native) => {
                config.set(name, value);
            }
            _ => {
                let path = Path::root().key("sampling").key(&key);
                return Err(Error::unsupported(path, "generationConfig has no such setting"));
            }
        }
    }
    if !changed {
        return Ok(Overlay::default());
    }
    Ok(Overlay { set: Object::default().with(CONFIG, config), drop: vec![CONFIG_SNAKE] })
}

fn in_camel(settings: &Json) -> Result<Object<'static>> {
    match camel(settings)?.into_owned() {
        Value::Object(settings) => Ok(settings.into_owned()),
        _ => Ok(Object::default()),
    }
}

/// Lays settings over others; those of thinking go together.
fn lay(config: &mut Object<'static>, layer: Object<'static>) {
    for (name, value) in layer.0 {
        match (config.get(THINKING), value) {
            (Some(Value::Object(old)), Value::Object(new)) if name == THINKING => {
                let mut thinking = old.clone();
                // The API takes one or the other.
                for (one, other) in [(LEVEL, "thinkingBudget"), ("thinkingBudget", LEVEL)] {
                    if new.get(one).is_some() && new.get(other).is_none() {
                        thinking.remove(other);
                    }
                }
                thinking.set_all(new.0);
                config.set(THINKING, thinking.into());
            }
            (_, value) => config.set(&name, value),
        }
    }
}

/// Words are not rounded: one that the API does not know is refused.
pub(super) fn level(effort: &Json, path: Path) -> Result<Json> {
    match effort.as_str() {
        Some(word) if LEVELS.contains(&word) => Ok(text(&word.to_ascii_uppercase())),
        _ => Err(Error::unsupported(path, "Gemini knows minimal, low, medium, high and xhigh")),
    }
}
