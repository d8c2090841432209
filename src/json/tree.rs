//! A JSON value that keeps key order and number spelling, and how text becomes one.

use crate::error::{Error, Kind, Result};
use crate::json::lexer::{Lexer, utf8};
use crate::json::{MAX_DEPTH, canonical, canonical_number};
use crate::path::{Path, Step};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A JSON value. Equality is that of JSON: key order does not count, and `1.0` is `1`.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    /// The literal as it was written.
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    Object(Object<'a>),
}

/// A value that borrows nothing.
pub type Json = Value<'static>;

/// The members of an object in their order, each key once.
#[derive(Clone, Debug, Default)]
pub struct Object<'a>(pub Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Object<'a> {
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, (Cow<'a, str>, Value<'a>)> {
        self.0.iter()
    }

    /// Does this object have this key, or one in it?
    pub fn holds_key(&self, key: &str) -> bool {
        self.iter().any(|(own, member)| own == key || member.holds_key(key))
    }

    /// Sets a member, in its place if it is there, else at the end.
    pub fn set(&mut self, key: &str, value: Value<'a>) {
        match self.0.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((Cow::Owned(key.to_owned()), value)),
        }
    }

    /// Adds the members whose keys are not here yet. Linear, however many there are.
    pub fn add_absent<'b>(&mut self, members: impl IntoIterator<Item = &'b (Cow<'a, str>, Value<'a>)>)
    where
        'a: 'b,
    {
        let index = Index::of(&self.0);
        let absent: Vec<_> =
            members.into_iter().filter(|(key, _)| index.place(&self.0, key).is_none()).cloned().collect();
        self.0.extend(absent);
    }

    /// Sets every member: a key that is here gets the new value in its place, the others come at the end. Linear.
    pub fn set_all(&mut self, members: impl IntoIterator<Item = (Cow<'a, str>, Value<'a>)>) {
        let index = Index::of(&self.0);
        let mut new = Vec::new();
        for (key, value) in members {
            match index.place(&self.0, &key) {
                Some(at) => self.0[at].1 = value,
                None => new.push((key, value)),
            }
        }
        self.0.extend(new);
    }

    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let at = self.0.iter().position(|(k, _)| k == key)?;
        Some(self.0.remove(at).1)
    }

    /// Builder form of `set`.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.0.push((Cow::Borrowed(key), value.into()));
        self
    }

    /// `with`, left out when there is no value.
    #[must_use]
    pub fn with_some(self, key: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub fn into_owned(self) -> Object<'static> {
        Object(self.0.into_iter().map(|(k, v)| (Cow::Owned(k.into_owned()), v.into_owned())).collect())
    }
}

/// Where each key stands, for objects too large to look through for every key.
enum Index {
    Small,
    Large(HashMap<Box<str>, usize>),
}

impl Index {
    fn of(members: &[(Cow<'_, str>, Value<'_>)]) -> Self {
        if members.len() <= 16 {
            return Index::Small;
        }
        Index::Large(members.iter().enumerate().map(|(at, (key, _))| (key.as_ref().into(), at)).collect())
    }

    fn place(&self, members: &[(Cow<'_, str>, Value<'_>)], key: &str) -> Option<usize> {
        match self {
            Index::Small => members.iter().position(|(k, _)| k == key),
            Index::Large(places) => places.get(key).copied(),
        }
    }
}

impl<'a> Value<'a> {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Value::Object(o) => Some(o),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }

    /// A number that counts something: digits alone.
    pub fn as_index(&self) -> Option<usize> {
        match self {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Does a value nest at most this deep?
    pub fn nests_within(&self, depth: usize) -> bool {
        match self {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
            Value::Array(_) | Value::Object(_) if depth == 0 => false,
            Value::Array(items) => items.iter().all(|item| item.nests_within(depth - 1)),
            Value::Object(object) => object.iter().all(|(_, member)| member.nests_within(depth - 1)),
        }
    }

    /// A member of an object; none where this is something else.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    /// Does an object in this value have this key?
    pub fn holds_key(&self, key: &str) -> bool {
        match self {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            Value::Array(items) => items.iter().any(|item| item.holds_key(key)),
            Value::Object(object) => object.holds_key(key),
        }
    }

    /// The string member `type`, which names the kind of nearly everything on these wires.
    pub fn kind(&self) -> Option<&str> {
        self.get("type")?.as_str()
    }

    pub fn into_owned(self) -> Json {
        match self {
            Value::Null => Value::Null,
            Value::Bool(b) => Value::Bool(b),
            Value::Number(n) => Value::Number(Cow::Owned(n.into_owned())),
            Value::String(s) => Value::String(Cow::Owned(s.into_owned())),
            Value::Array(a) => Value::Array(a.into_iter().map(Value::into_owned).collect()),
            Value::Object(o) => Value::Object(o.into_owned()),
        }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => {
                a == b || matches!((canonical_number(a), canonical_number(b)), (Some(x), Some(y)) if x == y)
            }
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        // Nearly always the order is the same.
        if self.0.iter().zip(&other.0).all(|((k, _), (k2, _))| k == k2) {
            return self.0.iter().zip(&other.0).all(|((_, v), (_, v2))| v == v2);
        }
        let index = Index::of(&other.0);
        self.0.iter().all(|(key, value)| index.place(&other.0, key).is_some_and(|at| other.0[at].1 == *value))
    }
}

impl Eq for Object<'_> {}

impl std::hash::Hash for Value<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        canonical(self).hash(state);
    }
}

impl std::hash::Hash for Object<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.len().hash(state);
    }
}

impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(s: &'a str) -> Self {
        Value::String(Cow::Borrowed(s))
    }
}

impl From<String> for Value<'_> {
    fn from(s: String) -> Self {
        Value::String(Cow::Owned(s))
    }
}

impl From<u32> for Value<'_> {
    fn from(n: u32) -> Self {
        Value::Number(Cow::Owned(n.to_string()))
    }
}

impl From<u64> for Value<'_> {
    fn from(n: u64) -> Self {
        Value::Number(Cow::Owned(n.to_string()))
    }
}

impl From<usize> for Value<'_> {
    fn from(n: usize) -> Self {
        Value::Number(Cow::Owned(n.to_string()))
    }
}

/// The shortest spelling that reads as the same double, always with a fraction or an exponent. What is no number of
/// JSON is null.
impl From<f64> for Value<'_> {
    fn from(n: f64) -> Self {
        if n.is_finite() { Value::Number(Cow::Owned(format!("{n:?}"))) } else { Value::Null }
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(o: Object<'a>) -> Self {
        Value::Object(o)
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(a: Vec<Value<'a>>) -> Self {
        Value::Array(a)
    }
}

/// What reading a repeated key gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The last value, in the first one's place: what Python's `json` and most servers do.
    LastWins,
    /// An error.
    Refused,
}

/// A value and the places where a lone surrogate was read as U+FFFD.
#[derive(Debug)]
pub struct Parsed<'a> {
    pub value: Value<'a>,
    pub replaced: Vec<Path>,
}

/// Reads a whole JSON text.
pub fn parse(bytes: &[u8], repeats: Repeats) -> Result<Parsed<'_>> {
    parse_within(bytes, repeats, MAX_DEPTH)
}

/// `parse` for text that is known to be UTF-8.
pub fn parse_text(text: &str, repeats: Repeats) -> Result<Parsed<'_>> {
    parse(text.as_bytes(), repeats)
}

/// `parse` with a depth limit of its own, for a format of ours that wraps what was read from a body.
pub fn parse_within(bytes: &[u8], repeats: Repeats, deepest: usize) -> Result<Parsed<'_>> {
    let text = utf8(bytes)?;
    let (mut lexer, mut room) = (Lexer::new(text), String::new());
    let mut reader = Reader { deepest, ..Reader::new(&mut lexer, &mut room, repeats) };
    let value = reader.document()?;
    if reader.replaced == 0 {
        return Ok(Parsed { value, replaced: Vec::new() });
    }
    // Rare: go again, this time knowing where we are.
    let (mut lexer, mut room) = (Lexer::new(text), String::new());
    let mut reader =
        Reader { deepest, at: Some(Path::root()), ..Reader::new(&mut lexer, &mut room, repeats) };
    let value = reader.document()?;
    Ok(Parsed { value, replaced: reader.found })
}

pub(super) struct Reader<'a, 'l> {
    lexer: &'l mut Lexer<'a>,
    room: &'l mut String,
    repeats: Repeats,
    /// Deepest nesting that is read.
    deepest: usize,
    replaced: usize,
    repeated: bool,
    at: Option<Path>,
    found: Vec<Path>,
}

impl<'a, 'l> Reader<'a, 'l> {
    fn new(lexer: &'l mut Lexer<'a>, room: &'l mut String, repeats: Repeats) -> Self {
        Self {
            lexer,
            room,
            repeats,
            deepest: MAX_DEPTH,
            replaced: 0,
            repeated: false,
            at: None,
            found: Vec::new(),
        }
    }

    /// Reads one value that stands in this many containers, and nothing behind it; tells whether a key was repeated
    /// in it. `room` is for `Lexer::meaning`.
    pub(super) fn read(
        lexer: &'l mut Lexer<'a>,
        room: &'l mut String,
        depth: usize,
        repeats: Repeats,
    ) -> Result<(Value<'a>, bool)> {
        let mut reader = Reader::new(lexer, room, repeats);
        let value = reader.value(depth)?;
        Ok((value, reader.repeated))
    }

    fn document(&mut self) -> Result<Value<'a>> {
        let value = self.value(0)?;
        self.lexer.end()?;
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>> {
        let mut value = Value::Null;
        self.put(&mut value, depth)?;
        Ok(value)
    }

    /// Reads a value into its place: handed back through each level, it would be copied there.
    fn put(&mut self, place: &mut Value<'a>, depth: usize) -> Result<()> {
        *place = match self.lexer.next()? {
            b'"' => Value::String(self.text()?),
            b'{' => Value::Object(self.object(depth)?),
            b'[' => Value::Array(self.array(depth)?),
            b't' => {
                self.lexer.literal("true")?;
                Value::Bool(true)
            }
            b'f' => {
                self.lexer.literal("false")?;
                Value::Bool(false)
            }
            b'n' => return self.lexer.literal("null"),
            b'-' | b'0'..=b'9' => Value::Number(Cow::Borrowed(self.lexer.number()?)),
            _ => return Err(self.lexer.error("expected a value")),
        };
        Ok(())
    }

    /// A string; the position is on its opening quote.
    fn text(&mut self) -> Result<Cow<'a, str>> {
        let (text, replaced) = self.lexer.meaning(self.room)?;
        if replaced > 0 {
            self.replaced += replaced;
            if let Some(at) = &self.at {
                self.found.push(at.clone());
            }
        }
        Ok(text)
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<Cow<'a, str>> {
        if self.lexer.next()? != b'"' {
            return Err(self.lexer.error("expected a key"));
        }
        let key = self.text()?;
        self.lexer.expect(b':', "expected a colon")?;
        Ok(key)
    }

    fn enter(&mut self, step: impl FnOnce() -> Step) {
        if let Some(at) = &mut self.at {
            at.push(step());
        }
    }

    fn leave(&mut self) {
        if let Some(at) = &mut self.at {
            at.pop();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Value<'a>>> {
        if depth == self.deepest {
            return Err(Lexer::too_deep(self.deepest));
        }
        self.lexer.pos += 1;
        let mut items = Vec::new();
        if self.lexer.next()? == b']' {
            self.lexer.pos += 1;
            return Ok(items);
        }
        loop {
            self.enter(|| Step::Index(items.len()));
            items.push(Value::Null);
            let last = items.len() - 1;
            self.put(&mut items[last], depth + 1)?;
            self.leave();
            match self.lexer.next()? {
                b',' => self.lexer.pos += 1,
                b']' => {
                    self.lexer.pos += 1;
                    return Ok(items);
                }
                _ => return Err(self.lexer.error("expected a comma or the end of the array")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Object<'a>> {
        if depth == self.deepest {
            return Err(Lexer::too_deep(self.deepest));
        }
        self.lexer.pos += 1;
        let mut members = Vec::new();
        if self.lexer.next()? == b'}' {
            self.lexer.pos += 1;
            return Ok(Object(members));
        }
        loop {
            let key = self.key()?;
            self.enter(|| Step::Key(key.as_ref().into()));
            members.push((key, Value::Null));
            let last = members.len() - 1;
            self.put(&mut members[last].1, depth + 1)?;
            self.leave();
            match self.lexer.next()? {
                b',' => self.lexer.pos += 1,
                b'}' => {
                    self.lexer.pos += 1;
                    return self.once(members);
                }
                _ => return Err(self.lexer.error("expected a comma or the end of the object")),
            }
        }
    }

    /// Keeps each key once.
    fn once(&mut self, members: Vec<(Cow<'a, str>, Value<'a>)>) -> Result<Object<'a>> {
        let repeated = if members.len() <= 16 {
            members.iter().enumerate().any(|(n, (k, _))| members[..n].iter().any(|(k2, _)| k == k2))
        } else {
            let mut seen = HashSet::with_capacity(members.len());
            !members.iter().all(|(k, _)| seen.insert(k.as_ref()))
        };
        if !repeated {
            return Ok(Object(members));
        }
        if self.repeats == Repeats::Refused {
            return Err(Error::new(Kind::Syntax, Path::root(), "an object repeats a key"));
        }
        self.repeated = true;
        let mut places: HashMap<String, usize> = HashMap::with_capacity(members.len());
        let mut kept: Vec<(Cow<'a, str>, Value<'a>)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            match places.get(key.as_ref()) {
                Some(&at) => kept[at].1 = value,
                None => {
                    places.insert(key.to_string(), kept.len());
                    kept.push((key, value));
                }
            }
        }
        Ok(Object(kept))
    }
}
