//! The servers behind a wire and what each of them takes: the dated table `targets.json`, and how it is read.

use crate::json::{Object, Repeats, Value, parse_text};
use crate::message::Dialect;
use std::sync::OnceLock;

const TABLE: &str = include_str!("targets.json");

/// A server, or a family of models, that differs from what its wire says in general.
#[derive(Debug)]
pub struct Target {
    pub name: String,
    pub dialect: Dialect,
    /// The models it is known by: names in which `*` stands for any text.
    models: Vec<String>,
    flags: Object<'static>,
}

#[derive(Debug, Default)]
struct Table {
    as_of: String,
    defaults: Vec<(Dialect, Object<'static>)>,
    targets: Vec<Target>,
}

/// What holds for one request: the target's own word, else that of its wire.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    own: Option<&'static Object<'static>>,
    of_wire: Option<&'static Object<'static>>,
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| read(TABLE).unwrap_or_default())
}

fn read(text: &str) -> Option<Table> {
    let parsed = parse_text(text, Repeats::Refused).ok()?.value.into_owned();
    let string = |value: &Value<'_>, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let of_name = |name: &str| Dialect::from_name(name);
    let mut defaults = Vec::new();
    for (dialect, flags) in parsed.get("flags")?.as_object()?.iter() {
        let values =
            flags.as_object()?.iter().map(|(key, flag)| Some((key.clone(), flag.get("value")?.clone())));
        defaults.push((of_name(dialect)?, Object(values.collect::<Option<_>>()?)));
    }
    let mut targets = Vec::new();
    for target in parsed.get("targets")?.as_array()? {
        let models = target.get("models")?.as_array()?.iter().map(|model| model.as_str().map(str::to_owned));
        targets.push(Target {
            name: string(target, "name")?,
            dialect: of_name(target.get("dialect")?.as_str()?)?,
            models: models.collect::<Option<_>>()?,
            flags: target.get("flags")?.as_object()?.clone(),
        });
    }
    Some(Table { as_of: string(&parsed, "as_of")?, defaults, targets })
}

/// The day on which the table was last checked.
pub fn as_of() -> &'static str {
    &table().as_of
}

pub fn all() -> &'static [Target] {
    &table().targets
}

pub fn named(name: &str) -> Option<&'static Target> {
    all().iter().find(|target| target.name == name)
}

/// Does the name fit a pattern in which `*` stands for any text?
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => name.strip_prefix(head).is_some_and(|name| {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| fits(rest, &name[at..]))
        }),
    }
}

/// The flags for a request: of the target that was named, else of the first one that knows the model.
pub(super) fn flags(dialect: Dialect, named: Option<&'static Target>, model: Option<&str>) -> Flags {
    let knows = |target: &&Target| {
        model.is_some_and(|model| target.models.iter().any(|pattern| fits(pattern, model)))
    };
    let named = named.filter(|target| target.dialect == dialect);
    let target = named.or_else(|| all().iter().filter(|target| target.dialect == dialect).find(knows));
    Flags {
        own: target.map(|target| &target.flags),
        of_wire: table().defaults.iter().find(|(wire, _)| *wire == dialect).map(|(_, flags)| flags),
    }
}

impl Flags {
    fn get(self, flag: &str) -> Option<&'static Value<'static>> {
        let value = self.own.and_then(|own| own.get(flag)).or_else(|| self.of_wire?.get(flag));
        debug_assert!(value.is_some(), "{flag} is not in the table");
        value
    }

    /// A flag that is true or false.
    pub(super) fn is(self, flag: &str) -> bool {
        self.get(flag) == Some(&Value::Bool(true))
    }

    /// A flag that is a word.
    pub(super) fn word(self, flag: &str) -> &'static str {
        self.get(flag).and_then(Value::as_str).unwrap_or_default()
    }

    /// Another name for something, of a flag that maps names.
    pub(super) fn name(self, flag: &str, of: &str) -> Option<&'static str> {
        self.get(flag)?.get(of)?.as_str()
    }

    /// The names in a flag that maps names.
    pub(super) fn pairs(self, flag: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
        let pairs = self.get(flag).and_then(Value::as_object).into_iter().flat_map(Object::iter);
        pairs.filter_map(|(name, other)| Some((name.as_ref(), other.as_str()?)))
    }

    /// A flag that is a list of words.
    pub(super) fn words(self, flag: &str) -> impl Iterator<Item = &'static str> {
        self.get(flag).and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE, all, as_of, fits, flags, named};
    use crate::json::{Repeats, Value, parse_text};
    use crate::message::Dialect;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_well_formed() {
        let table = parse_text(TABLE, Repeats::Refused).unwrap().value;
        let date: Vec<usize> = as_of().split('-').filter_map(|n| n.parse().ok()).collect();
        assert!(matches!(date[..], [2026..=9999, 1..=12, 1..=31]) && as_of().len() == 10, "{}", as_of());
        let wires = table.get("flags").unwrap().as_object().unwrap();
        for (wire, flags) in wires.iter() {
            assert!(Dialect::from_name(wire).is_some(), "{wire}");
            for (name, flag) in flags.as_object().unwrap().iter() {
                assert!(flag.get("value").is_some(), "{wire} {name} has no default");
                assert!(
                    flag.get("says").and_then(Value::as_str).is_some_and(|says| says.len() > 20),
                    "{name}"
                );
                assert_eq!(flag.as_object().unwrap().len(), 2, "{name}");
            }
        }
        let mut names = HashSet::new();
        for target in table.get("targets").unwrap().as_array().unwrap() {
            let word = |key: &str| target.get(key).and_then(Value::as_str).unwrap();
            let name = word("name");
            assert!(names.insert(name), "{name} stands there twice");
            assert!(Dialect::from_name(name).is_none(), "{name} is a wire");
            assert!(word("source").starts_with("https://"), "{name}");
            assert_eq!(target.as_object().unwrap().len(), 5, "{name}");
            let known = wires.get(word("dialect")).unwrap().as_object().unwrap();
            let own = target.get("flags").unwrap().as_object().unwrap();
            assert!(!own.is_empty(), "{name} differs in nothing");
            for (flag, value) in own.iter() {
                let known =
                    known.get(flag).unwrap_or_else(|| panic!("{name}: {flag} is no flag of its wire"));
                let default = known.get("value").unwrap();
                assert_eq!(std::mem::discriminant(value), std::mem::discriminant(default), "{name}: {flag}");
                assert_ne!(value, default, "{name}: {flag} says nothing new");
                if let Some(word) = value.as_str() {
                    let says = known.get("says").and_then(Value::as_str).unwrap();
                    assert!(
                        says.split('`').skip(1).step_by(2).any(|said| said == word),
                        "{name}: {flag}: {word}"
                    );
                }
            }
        }
        assert_eq!(all().len(), names.len());
    }

    #[test]
    fn a_model_names_its_family_unless_a_target_is_named() {
        let parts = |named, model| flags(Dialect::Gemini, named, model).is("response_parts");
        assert!(parts(None, None) && parts(None, Some("gemini-3-pro")));
        assert!(!parts(None, Some("models/gemini-2.5-pro")));
        assert!(!parts(named("gemini-2"), Some("gemini-3-pro")));
        // One of another wire says nothing about this one.
        assert!(!parts(named("palmyra"), Some("gemini-2.5-pro")));
        assert!(all().iter().all(|target| target.dialect != Dialect::Chat || target.models.is_empty()));
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("*gemini-2*", "models/gemini-2.5-pro"));
        assert!(fits("a*c", "abc") && fits("a*", "a") && fits("a", "a"));
        assert!(!fits("a*c", "abd") && !fits("*gemini-2*", "gemini-3"));
    }
}
