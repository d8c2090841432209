//! Arguments that come in fragments, each with a JSON path to its place, and the object they add up to.
//! <https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling>

use crate::error::{Error, Result};
use crate::json::{Cursor, Json, MAX_DEPTH, Object, Value, compact};
use std::collections::HashMap;

/// How deep in an answer the arguments of a call stand.
const ABOVE_ARGUMENTS: usize = 8;

/// A value that is still being put together.
enum Node {
    Object {
        members: Vec<(String, Node)>,
        places: HashMap<String, usize>,
    },
    Array(Vec<Node>),
    /// A text, and whether more of it is to come.
    Text(String, bool),
    Whole(Json),
}

enum Step {
    Key(String),
    Index(usize),
}

/// The arguments so far.
pub(super) struct Arguments {
    root: Node,
    /// How many texts are not over.
    open: usize,
}

impl Arguments {
    /// `whole` are those that came whole before any fragment.
    pub(super) fn new(whole: Option<&Object<'_>>) -> Self {
        let mut root = empty();
        if let (Node::Object { members, places }, Some(whole)) = (&mut root, whole) {
            for (key, value) in whole.iter() {
                places.insert(key.to_string(), members.len());
                members.push((key.to_string(), Node::Whole(value.clone().into_owned())));
            }
        }
        Self { root, open: 0 }
    }

    /// Did every text of them come whole?
    pub(super) fn are_whole(&self) -> bool {
        self.open == 0
    }

    pub(super) fn to_json(&self) -> Json {
        to_json(&self.root)
    }

    /// Their text as far as it came: without what closes the value that came last and all that it stands in.
    pub(super) fn so_far(&self) -> String {
        let mut text = compact(&to_json(&self.root));
        let mut last = &self.root;
        loop {
            let next = match last {
                Node::Object { members, places: _ } => members.last().map(|(_, node)| node),
                Node::Array(items) => items.last(),
                Node::Text(_, open) => {
                    text.truncate(text.len() - usize::from(*open));
                    return text;
                }
                Node::Whole(_) => return text,
            };
            // The closers stand at the end, the outermost one last; a quote that is not over stands before them.
            let Some(next) = next else { return String::new() };
            text.pop();
            last = next;
        }
    }

    /// Takes a fragment. What has no place among those before it is refused.
    pub(super) fn add(&mut self, fragment: Cursor<'_>) -> Result<()> {
        let fields = fragment.fields()?;
        let path = fields.need("jsonPath")?;
        let steps = steps(path.str()?).filter(|steps| steps.len() <= MAX_DEPTH - ABOVE_ARGUMENTS);
        let steps = steps.ok_or_else(|| path.expected("the JSON path of an argument"))?;
        let continues = fields.some("willContinue").map(|more| more.bool()).transpose()?.unwrap_or(false);
        let mut node = &mut self.root;
        for step in steps {
            node =
                node.member(step).ok_or_else(|| Error::shape(path.path(), "leads through another value"))?;
        }
        let whole = ["numberValue", "boolValue"].into_iter().find_map(|key| fields.some(key));
        if fields.get("nullValue").is_some() || whole.is_some() {
            self.open -= usize::from(matches!(node, Node::Text(_, true)));
            *node = Node::Whole(whole.map_or(Value::Null, |value| value.to_json()));
            return Ok(());
        }
        let piece = fields.some_str("stringValue")?.unwrap_or_default();
        match node {
            Node::Text(text, more @ true) => {
                text.push_str(piece);
                *more = continues;
                self.open -= usize::from(!continues);
            }
            other => {
                *other = Node::Text(piece.to_owned(), continues);
                self.open += usize::from(continues);
            }
        }
        Ok(())
    }
}

fn empty() -> Node {
    Node::Object { members: Vec::new(), places: HashMap::new() }
}

impl Node {
    /// The value at a step, made where nothing stands yet; none where the step leads nowhere.
    fn member(&mut self, step: Step) -> Option<&mut Node> {
        if let Node::Whole(Value::Null) = self {
            *self = match step {
                Step::Key(_) => empty(),
                Step::Index(_) => Node::Array(Vec::new()),
            };
        }
        match (self, step) {
            (Node::Object { members, places }, Step::Key(key)) => {
                let at = *places.entry(key.clone()).or_insert(members.len());
                if at == members.len() {
                    members.push((key, Node::Whole(Value::Null)));
                }
                members.get_mut(at).map(|(_, node)| node)
            }
            (Node::Array(items), Step::Index(at)) => {
                if at == items.len() {
                    items.push(Node::Whole(Value::Null));
                }
                items.get_mut(at)
            }
            _ => None,
        }
    }
}

fn to_json(node: &Node) -> Json {
    match node {
        Node::Object { members, places: _ } => {
            let members = members.iter().map(|(key, node)| (key.clone().into(), to_json(node)));
            Value::Object(Object(members.collect()))
        }
        Node::Array(items) => Value::Array(items.iter().map(to_json).collect()),
        Node::Text(text, _) => text.clone().into(),
        Node::Whole(value) => value.clone(),
    }
}

/// The steps of a path such as `$.beds[0]['next reading']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let (name, behind) = behind.split_at(end);
            steps.push(Step::Key((!name.is_empty()).then(|| name.to_owned())?));
            rest = behind;
            continue;
        }
        let inner = rest.strip_prefix('[')?;
        if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (name, behind) = quoted(&inner[1..], quote)?;
            steps.push(Step::Key(name));
            rest = behind.strip_prefix(']')?;
        } else {
            let (digits, behind) = inner.split_once(']')?;
            steps.push(Step::Index(digits.parse().ok()?));
            rest = behind;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// A name up to its closing quote, and what stands behind that.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?.1),
            c if c == quote => return Some((name, &text[at + 1..])),
            c => name.push(c),
        }
    }
    None
}
