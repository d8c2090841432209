//! Streams: bytes in any pieces become events, and the events of one wire add up to the body it would have sent whole.

mod again;
mod grow;
mod raw;
mod sse;

use crate::dialect::{self, anthropic, bedrock, chat, gemini, no_answer, responses};
use crate::error::{Error, Result};
use crate::json::{Json, Object, Repeats, Value, parse};
use crate::message::{Dialect, Response, ToolCall};
use crate::path::Path;
use again::Pattern;

pub(super) use again::Slots;
pub(super) use grow::{append, extend, index, keep, keep_first};
pub(super) use raw::{Braces, Events};
use sse::Sse;
pub(super) use sse::write_event;

/// Adds up the events of one wire. Linear in what it is given: texts grow in place.
pub(super) trait Assembly: Send + Sync {
    /// One event: its own name, where it has one, and its data.
    fn event(&mut self, name: Option<&str>, data: &Value<'_>) -> Result<()>;

    /// Of the event that was taken last: what may differ in one that only appends another text in the same place, if
    /// there may be such a one.
    fn slots<'v>(&mut self, _data: &'v Value<'_>) -> Option<Slots<'v>> {
        None
    }

    /// The event of the last `slots` again, with this text and this number in them; false where it is another event by
    /// its number.
    fn again(&mut self, _text: &str, _number: Option<&str>) -> bool {
        false
    }

    /// What is there so far. May be asked for more than once.
    fn assembled(&self) -> Result<Assembled>;
}

/// The sum of the events so far.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    /// The body that the provider would have sent without streaming, without what is unfinished.
    pub(super) body: Object<'static>,
    /// Did the stream say that it has ended?
    pub(super) complete: bool,
    /// Calls that are still open.
    pub(super) unfinished: Vec<ToolCall>,
    /// An error that came inside the stream.
    pub(super) error: Option<Json>,
}

/// Takes an event: its own name, where it has one, and its data.
pub(super) type OnEvent<'e> = &'e mut dyn FnMut(Option<&str>, &[u8]) -> Result<()>;

/// Bytes to events.
pub(super) trait Framing: Send + Sync {
    /// Takes bytes as they came and hands on the events that are whole. A frame that cannot be read is an error; what
    /// came before it has been handed on.
    fn feed(&mut self, bytes: &[u8], event: OnEvent<'_>) -> Result<()>;
}

/// Reads one stream, from its first byte to its end.
pub struct StreamParser {
    dialect: Dialect,
    framing: Box<dyn Framing>,
    assembly: Box<dyn Assembly>,
    pattern: Pattern,
    events: usize,
    /// A frame could not be read: what follows it cannot be trusted.
    broken: bool,
    /// Where a lone surrogate was read as U+FFFD, since somebody asked.
    replaced: Vec<Path>,
}

impl StreamParser {
    pub fn new(dialect: Dialect) -> Result<Self> {
        let assembly: Box<dyn Assembly> = match dialect {
            Dialect::Chat => chat::assembly(),
            Dialect::Responses => responses::assembly(),
            Dialect::Anthropic => anthropic::assembly(),
            Dialect::Gemini => gemini::assembly(),
            Dialect::Bedrock => bedrock::assembly(),
            Dialect::Mcp => return Err(no_answer(dialect)),
        };
        Ok(Self {
            dialect,
            framing: framing(dialect),
            assembly,
            pattern: Pattern::default(),
            events: 0,
            broken: false,
            replaced: Vec::new(),
        })
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Takes the next bytes, cut anywhere. Refuses an event that is not JSON or has another shape; the parser then
    /// holds what came before it, and the answer will not be complete. The path of an error starts with the number
    /// of the event: `events[3].choices[0]`.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        if self.broken {
            return Err(Error::shape(Path::root(), "the stream was refused before: nothing more is read"));
        }
        let (events, assembly, pattern) = (&mut self.events, &mut self.assembly, &mut self.pattern);
        let replaced = &mut self.replaced;
        let fed = self.framing.feed(bytes, &mut |name, data| {
            if pattern.fit(name, data).is_some_and(|fit| assembly.again(&fit.text, fit.number)) {
                *events += 1;
                return Ok(());
            }
            if data == b"[DONE]" {
                pattern.forget();
                assembly.event(Some("[DONE]"), &Value::Null)?;
            } else {
                let parsed = parse(data, Repeats::LastWins)?;
                replaced.extend(parsed.replaced.into_iter().map(|path| within(*events, path)));
                pattern.forget();
                assembly.event(name, &parsed.value)?;
                if let Some(slots) = assembly.slots(&parsed.value) {
                    pattern.learn(name, data, &slots);
                }
            }
            *events += 1;
            Ok(())
        });
        self.broken = fed.is_err();
        fed.map_err(|error| Error { path: within(self.events, error.path), ..error })
    }

    /// Where a lone surrogate was read as U+FFFD since this was last asked.
    pub fn take_replaced(&mut self) -> Vec<Path> {
        std::mem::take(&mut self.replaced)
    }

    /// The answer as far as it came. `complete` only if the stream said itself that it has ended.
    pub fn finish(&self) -> Result<Response> {
        let Assembled { body, complete, unfinished, error } = self.assembly.assembled()?;
        let mut response = dialect::take_response(self.dialect, Value::Object(body), unfinished)?;
        response.complete &= complete && !self.broken && error.is_none();
        response.error = error;
        Ok(response)
    }
}

/// A path in an event as a path in the stream.
fn within(event: usize, path: Path) -> Path {
    let mut whole = Path::root().key("events").index(event);
    whole.extend(path);
    whole
}

fn framing(dialect: Dialect) -> Box<dyn Framing> {
    match dialect {
        Dialect::Bedrock => bedrock::framing(),
        Dialect::Gemini => gemini::framing(),
        Dialect::Chat | Dialect::Responses | Dialect::Anthropic | Dialect::Mcp => Box::new(Events::default()),
    }
}

/// Does this whole event end the turn for the client that waits for it, be it with an error? The blank line behind an event may be left
/// out.
pub fn is_terminal_event(dialect: Dialect, chunk: &[u8]) -> bool {
    // Nearly no event is: most say so by not having the word.
    let words: &[&str] = match dialect {
        Dialect::Chat => &["[DONE]", "error"],
        Dialect::Responses => &responses::LAST,
        Dialect::Anthropic => &anthropic::LAST,
        Dialect::Gemini | Dialect::Bedrock | Dialect::Mcp => &[""],
    };
    if !words.iter().any(|word| memchr::memmem::find(chunk, word.as_bytes()).is_some()) {
        return false;
    }
    let mut terminal = false;
    let mut look = |name: Option<&str>, data: &[u8]| {
        terminal |= match dialect {
            Dialect::Chat => chat::is_terminal(name, data),
            Dialect::Responses => responses::is_terminal(name, data),
            Dialect::Anthropic => anthropic::is_terminal(name, data),
            Dialect::Gemini => gemini::is_terminal(name, data),
            Dialect::Bedrock => bedrock::is_terminal(name, data),
            Dialect::Mcp => false,
        };
        Ok(())
    };
    let mut framing = framing(dialect);
    let ends: &[&[u8]] = if dialect == Dialect::Bedrock { &[chunk] } else { &[chunk, b"\n\n"] };
    // An event that cannot be read ends nothing.
    ends.iter().all(|bytes| framing.feed(bytes, &mut look).is_ok()) && terminal
}
