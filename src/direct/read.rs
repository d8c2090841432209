//! Anthropic messages as pieces of the text they stand in, as long as they hold nothing but text, calls and results.

use crate::error::Result;
use crate::json::{RawString, Scan, Value};

/// The container levels around the input of a call: body, list, message, content, block.
const INPUT: usize = 5;

/// So many members are looked through for each new key.
const FLAT: usize = 16;

/// A string token with its quotes, as it stands in the body.
pub(super) type Token<'a> = &'a str;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

/// What a message or a result holds.
pub(super) enum Content<'a> {
    Text(Token<'a>),
    Blocks(Vec<Block<'a>>),
}

pub(super) enum Block<'a> {
    Text(Token<'a>),
    Call { id: Token<'a>, name: Token<'a>, input: Input<'a> },
    Result { id: Token<'a>, texts: Texts<'a>, is_error: Option<bool> },
}

/// The input of a call.
pub(super) enum Input<'a> {
    /// Keys without quotes and scalars as they stand, with no escape among them and no key twice.
    Flat(Vec<(&'a str, Token<'a>)>),
    Tree(Value<'a>),
}

/// The content of a result.
pub(super) enum Texts<'a> {
    One(Token<'a>),
    Many(Vec<Token<'a>>),
}

pub(super) struct Message<'a> {
    pub(super) role: Role,
    pub(super) content: Content<'a>,
}

/// Reads the message that starts here. None where it holds anything else: another kind of block, another field, a key
/// twice. Then the place in the scan is anywhere within it.
pub(super) fn message<'a>(scan: &mut Scan<'a>) -> Result<Option<Message<'a>>> {
    let (mut role, mut content) = (None, None);
    let whole = members(scan, |scan, key| {
        match key {
            "role" if role.is_none() => {
                role = match scan.skip()? {
                    "\"user\"" => Some(Role::User),
                    "\"assistant\"" => Some(Role::Assistant),
                    _ => return Ok(false),
                }
            }
            "content" if content.is_none() => {
                content = match scan.peek() {
                    Some(b'"') => Some(Content::Text(scan.skip()?)),
                    Some(b'[') => list(scan, block)?.map(Content::Blocks),
                    _ => None,
                };
                return Ok(content.is_some());
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(match (role, content) {
        (Some(role), Some(content)) if whole => Some(Message { role, content }),
        _ => None,
    })
}

/// The fields of any block that is read here.
#[derive(Default)]
struct Fields<'a> {
    kind: Option<Token<'a>>,
    text: Option<Token<'a>>,
    id: Option<Token<'a>>,
    name: Option<Token<'a>>,
    input: Option<Input<'a>>,
    tool_use_id: Option<Token<'a>>,
    content: Option<Texts<'a>>,
    is_error: Option<bool>,
}

fn block<'a>(scan: &mut Scan<'a>) -> Result<Option<Block<'a>>> {
    let mut fields = Fields::default();
    let mut count = 0;
    let whole = members(scan, |scan, key| {
        count += 1;
        let place = match key {
            "type" => &mut fields.kind,
            "text" => &mut fields.text,
            "id" => &mut fields.id,
            "name" => &mut fields.name,
            "tool_use_id" => &mut fields.tool_use_id,
            "input" if fields.input.is_none() && scan.peek() == Some(b'{') => {
                fields.input = Some(input(scan)?);
                return Ok(true);
            }
            "content" if fields.content.is_none() => {
                fields.content = match scan.peek() {
                    Some(b'"') => Some(Texts::One(scan.skip()?)),
                    Some(b'[') => texts(scan)?,
                    _ => None,
                };
                return Ok(fields.content.is_some());
            }
            "is_error" if fields.is_error.is_none() => {
                fields.is_error = match scan.skip()? {
                    "true" => Some(true),
                    "false" => Some(false),
                    _ => None,
                };
                return Ok(fields.is_error.is_some());
            }
            _ => return Ok(false),
        };
        if place.is_some() || scan.peek() != Some(b'"') {
            return Ok(false);
        }
        *place = Some(scan.skip()?);
        Ok(true)
    })?;
    if !whole {
        return Ok(None);
    }
    let Fields { kind, text, id, name, input, tool_use_id, content, is_error } = fields;
    Ok(match (kind, count) {
        (Some("\"text\""), 2) => text.map(Block::Text),
        (Some("\"tool_use\""), 4) => match (id, name, input) {
            (Some(id), Some(name), Some(input)) => Some(Block::Call { id, name, input }),
            _ => None,
        },
        (Some("\"tool_result\""), 3 | 4) if count == 3 + usize::from(is_error.is_some()) => {
            match (tool_use_id, content) {
                (Some(id), Some(texts)) => Some(Block::Result { id, texts, is_error }),
                _ => None,
            }
        }
        _ => None,
    })
}

fn input<'a>(scan: &mut Scan<'a>) -> Result<Input<'a>> {
    let start = scan.pos();
    let mut flat: Vec<(&str, Token<'a>)> = Vec::new();
    let is_flat = members(scan, |scan, key| {
        if flat.len() == FLAT
            || flat.iter().any(|(other, _)| *other == key)
            || matches!(scan.peek(), Some(b'{' | b'['))
        {
            return Ok(false);
        }
        let value = scan.skip()?;
        flat.push((key, value));
        Ok(!value.contains('\\'))
    })?;
    if is_flat {
        return Ok(Input::Flat(flat));
    }
    scan.go(start);
    scan.value(INPUT).map(Input::Tree)
}

/// The text of a block that holds nothing else.
fn text<'a>(scan: &mut Scan<'a>) -> Result<Option<Token<'a>>> {
    Ok(match block(scan)? {
        Some(Block::Text(text)) => Some(text),
        _ => None,
    })
}

/// One text block and its text are the same; an empty list says something else.
fn texts<'a>(scan: &mut Scan<'a>) -> Result<Option<Texts<'a>>> {
    let start = scan.pos();
    scan.eat(b'[');
    if let Some(only) = text(scan)?
        && scan.eat(b']')
    {
        return Ok(Some(Texts::One(only)));
    }
    scan.go(start);
    Ok(list(scan, text)?.filter(|texts| !texts.is_empty()).map(Texts::Many))
}

/// Goes through the members of an object; false as soon as `member` refuses one, or where it is no object.
fn members<'a>(
    scan: &mut Scan<'a>,
    mut member: impl FnMut(&mut Scan<'a>, &'a str) -> Result<bool>,
) -> Result<bool> {
    if !scan.eat(b'{') || scan.eat(b'}') {
        return Ok(false);
    }
    loop {
        let RawString { raw, escaped } = scan.key()?;
        if escaped || !member(scan, raw)? {
            return Ok(false);
        }
        if !scan.eat(b',') {
            return Ok(scan.eat(b'}'));
        }
    }
}

/// The elements of a list; none as soon as `element` refuses one.
fn list<'a, T>(
    scan: &mut Scan<'a>,
    mut element: impl FnMut(&mut Scan<'a>) -> Result<Option<T>>,
) -> Result<Option<Vec<T>>> {
    let mut elements = Vec::new();
    if !scan.eat(b'[') || scan.eat(b']') {
        return Ok(Some(elements));
    }
    loop {
        match element(scan)? {
            Some(element) => elements.push(element),
            None => return Ok(None),
        }
        if !scan.eat(b',') {
            return Ok(scan.eat(b']').then_some(elements));
        }
    }
}
