//! What stands around the list of messages in a body: model, tools, settings; read once for as long as it stays equal.

use crate::dialect;
use crate::error::Result;
use crate::graph::{Tools, printed};
use crate::identity::{self, Identity, Print};
use crate::json::{Entry, Object, Repeats, Slice, Value, compact, parse_text};
use crate::message::{Dialect, Message};
use crate::request::{self, apply_overrides};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct Shell {
    /// The body with an empty list.
    text: String,
    /// Where its list opens; its end is the next byte.
    split: usize,
    pub(super) tools: Arc<Tools>,
    /// The messages that stand here, before those of the list.
    pub(super) messages: Vec<(Arc<Message>, Print)>,
    /// Of the wire and the text.
    pub(super) settings: Identity,
    /// The last provider form, and the overrides that made it.
    sealed: Mutex<Option<(Option<Arc<Overrides>>, Sealed)>>,
}

/// A provider body in front of its list and behind it.
#[derive(Clone)]
pub(super) struct Sealed {
    pub(super) head: Arc<[u8]>,
    pub(super) tail: Arc<[u8]>,
}

/// Model and sampling knobs of an evaluation. Equal ones are spelled alike.
#[derive(Debug)]
pub struct Overrides {
    model: String,
    sampling: Object<'static>,
    spelled: String,
}

impl Overrides {
    pub fn new(model: String, sampling: Object<'static>) -> Arc<Self> {
        let spelled = compact(&Value::Object(sampling.clone()));
        Arc::new(Self { model, sampling, spelled })
    }

    /// The provider form of a whole body.
    pub(super) fn apply<'a>(&self, dialect: Dialect, body: &'a [u8]) -> Result<request::Sealed<'a>> {
        apply_overrides(dialect, None, body, &self.model, &self.sampling)
    }

    /// Does the sampling name a top-level member?
    fn names(&self, key: &str) -> bool {
        let more = self.sampling.get("extra_body").and_then(Value::as_object);
        self.sampling.get(key).is_some() || more.is_some_and(|more| more.get(key).is_some())
    }
}

impl PartialEq for Overrides {
    fn eq(&self, other: &Self) -> bool {
        self.model == other.model && self.spelled == other.spelled
    }
}

impl Eq for Overrides {}

/// What tells apart requests that say the same: the wire, and all that stands around the list.
pub(super) fn settings(dialect: Dialect, text: &[u8]) -> Identity {
    identity::of_texts(&[dialect.as_str().as_bytes(), text])
}

impl Shell {
    /// Reads a body with its list cut out; `list` is where it stood, between the brackets. Tools that are known already
    /// are not hashed again.
    pub(super) fn read(
        dialect: Dialect,
        text: String,
        list: usize,
        mut known: impl Iterator<Item = Arc<Tools>>,
    ) -> Result<Self> {
        let request = dialect::read_request(dialect, &parse_text(&text, Repeats::LastWins)?.value)?;
        let messages = request.messages.into_iter().map(printed).collect();
        let tools = known.find(|known| known.list == request.tools);
        let tools = tools.unwrap_or_else(|| Tools::of(request.tools));
        let settings = settings(dialect, text.as_bytes());
        Ok(Self { text, split: list, tools, messages, settings, sealed: Mutex::new(None) })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// In front of the list, its bracket included.
    pub(super) fn head(&self) -> &[u8] {
        self.text.as_bytes().get(..self.split).unwrap_or_default()
    }

    /// Behind the list, from its bracket on.
    pub(super) fn tail(&self) -> &[u8] {
        self.text.as_bytes().get(self.split..).unwrap_or_default()
    }

    /// Is this the shell of a body, as far as one can tell without reading the list?
    pub(super) fn may_fit(&self, body: &[u8]) -> bool {
        body.len() >= self.text.len() && body.starts_with(self.head()) && body.ends_with(self.tail())
    }

    pub(super) fn is(&self, head: &[u8], tail: &[u8]) -> bool {
        self.head() == head && self.tail() == tail
    }

    /// Do their conversations start with the same tools and messages?
    pub(super) fn same_start(&self, other: &Self) -> bool {
        let own = self.messages.iter().map(|(_, print)| print);
        self.tools.start == other.tools.start && own.eq(other.messages.iter().map(|(_, print)| print))
    }

    /// The provider form; none where it must be made of the whole body.
    pub(super) fn sealed(&self, dialect: Dialect, overrides: Option<&Arc<Overrides>>) -> Option<Sealed> {
        let mut last = self.sealed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, sealed)) = &*last
            && known.as_ref() == overrides
        {
            return Some(sealed.clone());
        }
        let sealed = self.seal(dialect, overrides.map(Arc::as_ref))?;
        *last = Some((overrides.cloned(), sealed.clone()));
        Some(sealed)
    }

    fn seal(&self, dialect: Dialect, overrides: Option<&Overrides>) -> Option<Sealed> {
        let text = self.text.as_bytes();
        let key = list_key(dialect).ok()?;
        if overrides.is_some_and(|overrides| overrides.names(key)) {
            return None;
        }
        let sealed = match overrides {
            Some(overrides) => overrides.apply(dialect, text),
            None => request::seal(dialect, None, text),
        };
        let sealed = sealed.ok().filter(|sealed| sealed.losses.is_empty())?.body;
        let list = list_of(dialect, &sealed).filter(|list| list.is_empty())?;
        let (head, tail) = sealed.split_at_checked(list.start)?;
        Some(Sealed { head: head.into(), tail: tail.into() })
    }
}

/// The key of the list that holds the conversation.
pub(super) fn list_key(dialect: Dialect) -> Result<&'static str> {
    dialect::result_form(dialect).map(|form| form.messages)
}

/// Where the list of a body stands, between its brackets; none where there is none, or several.
pub(super) fn list_of(dialect: Dialect, body: &[u8]) -> Option<Range<usize>> {
    let key = list_key(dialect).ok()?;
    let (_, entries) = Slice::members(body).ok()?;
    let mut lists = entries.iter().filter(|entry: &&Entry<'_>| entry.is(key));
    let list = lists.next().filter(|entry| entry.value.is_array())?.value;
    lists.next().is_none().then(|| list.start + 1..list.end() - 1)
}
