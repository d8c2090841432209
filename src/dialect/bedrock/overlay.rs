//! Model and sampling of an evaluation over a Converse body.

use super::HERE;
use super::settings::{Groups, INFERENCE, MORE, OUTPUT, check_effort};
use crate::dialect::Overlay;
use crate::dialect::targets::{self, Target};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::path::Path;

/// Known settings go where the wire or the model has them, over what the program has there; every other one is taken for
/// the model's own.
pub(in crate::dialect) fn overlay(
    target: Option<&'static Target>,
    current: &dyn Fn(&str) -> Option<Json>,
    model: &str,
    sampling: Object<'static>,
) -> Result<Overlay> {
    let flags = targets::flags(HERE, target, Some(model));
    let own = |group: &str| match current(group) {
        Some(Value::Object(own)) => own,
        _ => Object::default(),
    };
    let before = Groups { inference: own(INFERENCE), output: own(OUTPUT), more: own(MORE) };
    let mut groups = before.clone();
    for (key, value) in sampling.0 {
        let group = match key.as_ref() {
            INFERENCE => &mut groups.inference,
            OUTPUT => &mut groups.output,
            MORE => &mut groups.more,
            key => {
                if key == "reasoning_effort" {
                    check_effort(&value, flags)?;
                }
                if !groups.set(key, &value, flags) {
                    groups.more.set(key, value);
                }
                continue;
            }
        };
        let Value::Object(members) = value else {
            return Err(Error::shape(Path::root().key("sampling").key(&key), "expected an object"));
        };
        group.set_all(members.0);
    }
    let mut overlay = Overlay::default();
    for (name, group, before) in [
        (INFERENCE, groups.inference, before.inference),
        (OUTPUT, groups.output, before.output),
        (MORE, groups.more, before.more),
    ] {
        if group != before {
            overlay.set.set(name, group.into());
        }
    }
    Ok(overlay)
}
