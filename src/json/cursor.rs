//! How every reader reads: a value together with the path to it, so that each error names its place.

use crate::error::{Error, Result};
use crate::json::{Json, Object, Value};
use crate::path::{Path, Step};

#[derive(Clone, Copy)]
enum Here<'p> {
    Root,
    Base(&'p Path),
    Key(&'p Here<'p>, &'p str),
    Index(&'p Here<'p>, usize),
}

impl Here<'_> {
    fn path(&self) -> Path {
        let mut steps = Path::root();
        let mut here = self;
        loop {
            match here {
                Here::Root => break,
                Here::Base(path) => {
                    steps.reverse();
                    let mut whole = (*path).clone();
                    whole.extend(steps);
                    return whole;
                }
                Here::Key(parent, key) => {
                    steps.push(Step::Key((*key).into()));
                    here = parent;
                }
                Here::Index(parent, index) => {
                    steps.push(Step::Index(*index));
                    here = parent;
                }
            }
        }
        steps.reverse();
        steps
    }
}

/// A value and where it stands.
#[derive(Clone, Copy)]
pub struct Cursor<'p> {
    pub value: &'p Value<'p>,
    here: Here<'p>,
}

/// An object and where it stands.
#[derive(Clone, Copy)]
pub struct Fields<'p> {
    pub object: &'p Object<'p>,
    here: Here<'p>,
}

impl<'p> Cursor<'p> {
    pub fn root(value: &'p Value<'p>) -> Self {
        Self { value, here: Here::Root }
    }

    /// A cursor that starts below `base`.
    pub fn below(base: &'p Path, value: &'p Value<'p>) -> Self {
        Self { value, here: Here::Base(base) }
    }

    pub fn path(&self) -> Path {
        self.here.path()
    }

    /// "expected …" at this place.
    pub fn expected(&self, what: &str) -> Error {
        Error::shape(self.path(), format!("expected {what}"))
    }

    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    pub fn str(&self) -> Result<&'p str> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub fn bool(&self) -> Result<bool> {
        match self.value {
            Value::Bool(b) => Ok(*b),
            _ => Err(self.expected("true or false")),
        }
    }

    /// The literal of a number.
    pub fn number(&self) -> Result<&'p str> {
        match self.value {
            Value::Number(literal) => Ok(literal),
            _ => Err(self.expected("a number")),
        }
    }

    /// Checks a list of strings.
    pub fn strings(&'p self) -> Result<()> {
        self.items()?.try_for_each(|item| item.str().map(|_| ()))
    }

    pub fn fields(&self) -> Result<Fields<'p>> {
        match self.value {
            Value::Object(object) => Ok(Fields { object, here: self.here }),
            _ => Err(self.expected("an object")),
        }
    }

    /// The elements of an array. The parent cursor must outlive them: they point back at it for their path.
    pub fn items(&'p self) -> Result<impl ExactSizeIterator<Item = Cursor<'p>>> {
        match self.value {
            Value::Array(items) => Ok(items
                .iter()
                .enumerate()
                .map(|(n, value)| Cursor { value, here: Here::Index(&self.here, n) })),
            _ => Err(self.expected("a list")),
        }
    }

    pub fn to_json(&self) -> Json {
        self.value.clone().into_owned()
    }
}

impl<'p> Fields<'p> {
    pub fn path(&self) -> Path {
        self.here.path()
    }

    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::shape(self.path(), what)
    }

    /// A member, null included.
    pub fn get(&'p self, key: &'p str) -> Option<Cursor<'p>> {
        let value = self.object.get(key)?;
        Some(Cursor { value, here: Here::Key(&self.here, key) })
    }

    /// A member that is there and not null.
    pub fn some(&'p self, key: &'p str) -> Option<Cursor<'p>> {
        self.get(key).filter(|c| !c.is_null())
    }

    /// A member that must be there (it may be null).
    pub fn need(&'p self, key: &'p str) -> Result<Cursor<'p>> {
        self.get(key).ok_or_else(|| Error::shape(self.path().key(key), "missing"))
    }

    /// A string member that must be there.
    pub fn need_str(&'p self, key: &'p str) -> Result<&'p str> {
        self.need(key)?.str()
    }

    /// A string member; none where it is absent or null.
    pub fn some_str(&'p self, key: &'p str) -> Result<Option<&'p str>> {
        self.some(key).map(|c| c.str()).transpose()
    }

    /// Every member with its cursor.
    pub fn each(&'p self) -> impl Iterator<Item = (&'p str, Cursor<'p>)> {
        self.object
            .iter()
            .map(|(key, value)| (key.as_ref(), Cursor { value, here: Here::Key(&self.here, key) }))
    }

    /// A copy of the members that are not in `known`.
    pub fn rest(&self, known: &[&str]) -> Object<'static> {
        Object(
            self.object
                .iter()
                .filter(|(key, _)| !known.contains(&key.as_ref()))
                .map(|(key, value)| (key.to_string().into(), value.clone().into_owned()))
                .collect(),
        )
    }
}
