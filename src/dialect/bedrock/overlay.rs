//! Model and sampling of an evaluation over a Converse body.

use super::settings::{EFFORT, INFERENCE, KNOBS, OUTPUT, STOP};
use crate::dialect::Overlay;
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::path::Path;

const MORE: &str = "additionalModelRequestFields";

/// Known knobs go into `inferenceConfig` and the effort into `outputConfig`, over what the program has there; every
/// other one is the model's own and goes into `additionalModelRequestFields`.
pub(in crate::dialect) fn overlay(
    current: &dyn Fn(&str) -> Option<Json>,
    sampling: Object<'static>,
) -> Result<Overlay> {
    let groups = [INFERENCE, OUTPUT, MORE];
    let mut laid: [Object<'static>; 3] = Default::default();
    for (key, value) in sampling.0 {
        let (group, name) = match (key.as_ref(), KNOBS.iter().find(|(neutral, _)| key == *neutral)) {
            (_, Some((_, native))) => (0, (*native).into()),
            ("stop", _) => (0, STOP.into()),
            ("reasoning_effort", _) => {
                check_effort(&value)?;
                (1, EFFORT.into())
            }
            (key, _) if groups.contains(&key) => {
                let Value::Object(members) = value else {
                    return Err(Error::shape(Path::root().key("sampling").key(key), "expected an object"));
                };
                let at = groups.iter().position(|group| *group == key).unwrap_or_default();
                laid[at].set_all(members.0);
                continue;
            }
            _ => (2, key),
        };
        laid[group].set_all([(name, value)]);
    }
    let mut overlay = Overlay::default();
    for (group, members) in groups.into_iter().zip(laid) {
        if members.is_empty() {
            continue;
        }
        let mut whole = match current(group) {
            Some(Value::Object(own)) => own,
            _ => Object::default(),
        };
        whole.set_all(members.0);
        overlay.set.set(group, whole.into());
    }
    Ok(overlay)
}

/// Words are not rounded: one that the service does not know is refused.
pub(super) fn check_effort(effort: &Json) -> Result<()> {
    if matches!(effort.as_str(), Some("low" | "medium" | "high" | "xhigh" | "max")) {
        return Ok(());
    }
    let path = Path::root().key("sampling").key("reasoning_effort");
    Err(Error::unsupported(path, "Bedrock knows low, medium, high, xhigh and max"))
}
