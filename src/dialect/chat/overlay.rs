//! Model and sampling of an evaluation over a Chat Completions body.

use crate::dialect::Overlay;
use crate::dialect::targets::{self, Target};
use crate::json::{Json, Object, Value};
use crate::message::Dialect;

const OLDER: &str = "max_tokens";
const NEWER: &str = "max_completion_tokens";

/// A knob that is set replaces the program's own; a limit on output replaces both of its names. For a server that was
/// named, knobs stand under its names, and so does the program's own limit.
pub(in crate::dialect) fn overlay(
    target: Option<&'static Target>,
    current: &dyn Fn(&str) -> Option<Json>,
    mut sampling: Object<'static>,
) -> Overlay {
    let mut drop = Vec::new();
    let Some(target) = target.filter(|target| target.dialect == Dialect::Chat) else {
        if sampling.get(OLDER).is_some() {
            drop.push(NEWER);
        }
        return Overlay { set: sampling, drop };
    };
    let flags = targets::flags(Dialect::Chat, Some(target), None);
    for (name, native) in flags.pairs("names").filter(|(name, native)| name != native) {
        if let Some(value) = sampling.remove(name) {
            // `stop` may be one text, which only this name allows.
            let one = name == "stop" && value.as_str().is_some();
            sampling.set(native, if one { Value::Array(vec![value]) } else { value });
            drop.push(name);
        }
    }
    let (limit, other) = match flags.word("limit") {
        OLDER => (OLDER, NEWER),
        _ => (NEWER, OLDER),
    };
    let set = sampling.remove(OLDER);
    let own = || current(other).filter(|own| limit == OLDER && !own.is_null());
    if set.is_some() || limit == OLDER {
        drop.push(other);
    }
    if let Some(value) = set.or_else(own) {
        sampling.set(limit, value);
    }
    Overlay { set: sampling, drop }
}
