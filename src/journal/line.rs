//! One node and its line, each made from the other.

use crate::error::{Error, Kind, Result};
use crate::graph::{Graph, Held, Node, NodeId, Origin, Stamp, Tools};
use crate::identity::{self, Identity};
use crate::journal::{DEPTH, refused};
use crate::json::{self, Cursor, Fields, MAX_BYTES, Object, Repeats, Value, parse_within};
use crate::message::{message_from_plain, message_to_plain, only, tool_from_plain, tool_to_plain};
use crate::path::Path;
use sha2::{Digest, Sha256};
use std::sync::Arc;

const MEMBERS: [&str; 9] =
    ["id", "parent", "tools", "identity", "sampled", "timestamp", "message", "metadata", "sum"];

/// What stands around the digits of the sum.
const BEFORE_SUM: &[u8] = b",\"sum\":\"";
const AFTER_SUM: &[u8] = b"\"}";
const SUM_DIGITS: usize = 16;

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(SUM_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// Appends the line of a node, or leaves `out` as it was; gives the sum of the line.
pub(super) fn write(id: usize, node: &Node, out: &mut Vec<u8>) -> Result<String> {
    let cannot = |kind, what: &str| Err(Error::new(kind, Path::root().key("nodes").index(id), what));
    let message = node.held.message();
    // A line that would not be read back must not be written.
    if identity::of(&message) != node.identity {
        return cannot(Kind::Journal, "its identity is not that of its message");
    }
    if !node.timestamp.is_finite() {
        return cannot(Kind::Journal, "its timestamp is not a finite number");
    }
    let (parent, tools) = match &node.origin {
        Origin::Root(tools) => (Value::Null, Some(tools.list.iter().map(tool_to_plain).collect::<Vec<_>>())),
        Origin::Child(parent) => (Value::from(*parent), None),
    };
    let line = Value::Object(
        Object::default()
            .with("id", id)
            .with("parent", parent)
            .with_some("tools", tools)
            .with("identity", node.identity.to_string())
            .with("sampled", node.sampled)
            .with("timestamp", node.timestamp)
            .with("message", message_to_plain(&message))
            .with_some("metadata", node.metadata.as_deref().cloned()),
    );
    if !line.nests_within(DEPTH) {
        return cannot(Kind::Limit, "nested deeper than a line may");
    }
    let start = out.len();
    json::write(&line, out);
    out.pop();
    let sum = sum(&out[start..]);
    out.extend_from_slice(BEFORE_SUM);
    out.extend_from_slice(sum.as_bytes());
    out.extend_from_slice(AFTER_SUM);
    if out.len() - start > MAX_BYTES {
        out.truncate(start);
        return cannot(Kind::Limit, "longer than a line may be");
    }
    out.push(b'\n');
    Ok(sum)
}

/// Adds the node of a line (its line feed taken off) behind those that are there. `last` are the tools of the root
/// before: roots in a row that were opened with the same tools share them.
pub(super) fn restore(line: &[u8], graph: &mut Graph, last: &mut Option<Arc<Tools>>) -> Result<()> {
    check_sum(line)?;
    let parsed = parse_within(line, Repeats::Refused, DEPTH)?;
    if let Some(place) = parsed.replaced.into_iter().next() {
        return Err(Error::new(Kind::Journal, place, "a lone surrogate"));
    }
    let cursor = Cursor::root(&parsed.value);
    let fields = cursor.fields()?;
    only(&fields, &MEMBERS)?;
    let id = fields.need("id")?;
    let expected = graph.len();
    if id.number()? != expected.to_string() {
        return Err(id.expected(&expected.to_string()));
    }
    let origin = origin(&fields, graph, last)?;
    let message = message_from_plain(fields.need("message")?)?;
    let own = identity::of(&message);
    if Identity::from_hex(fields.need_str("identity")?) != Some(own) {
        return Err(Error::shape(Path::root().key("identity"), "not the identity of the message"));
    }
    let stamp = Stamp {
        sampled: fields.need("sampled")?.bool()?,
        timestamp: Stamp::seconds(fields.need("timestamp")?)?,
        metadata: match fields.get("metadata") {
            Some(metadata) => Some(Box::new(metadata.fields()?.rest(&[]))),
            None => None,
        },
    };
    graph
        .restore(origin, Held::Message(Arc::new(message)), own, stamp)
        .map(|_| ())
        .ok_or_else(|| Error::shape(Path::root().key("parent"), "expected the id of an earlier node"))
}

fn check_sum(line: &[u8]) -> Result<()> {
    let at = line.len().saturating_sub(BEFORE_SUM.len() + SUM_DIGITS + AFTER_SUM.len());
    let (bytes, end) = line.split_at(at);
    let digits = end.strip_prefix(BEFORE_SUM).and_then(|end| end.strip_suffix(AFTER_SUM));
    match digits {
        None => Err(refused("does not end with its sum: the line is not as it was written")),
        Some(digits) if digits != sum(bytes).as_bytes() => {
            Err(refused("the sum differs: the line is not as it was written"))
        }
        Some(_) => Ok(()),
    }
}

fn origin(fields: &Fields<'_>, graph: &Graph, last: &mut Option<Arc<Tools>>) -> Result<Origin> {
    let parent = fields.need("parent")?;
    if !parent.is_null() {
        if fields.get("tools").is_some() {
            return Err(Error::shape(Path::root().key("tools"), "only a root has tools"));
        }
        let id: Option<NodeId> = parent.number()?.parse().ok();
        return match id.filter(|id| (*id as usize) < graph.len()) {
            Some(id) => Ok(Origin::Child(id)),
            None => Err(parent.expected("the id of an earlier node")),
        };
    }
    let tools = fields.need("tools")?;
    let list: Vec<_> = tools.items()?.map(tool_from_plain).collect::<Result<_>>()?;
    let tools = match last.take() {
        Some(tools) if tools.list == list => tools,
        _ => Tools::of(list),
    };
    *last = Some(tools.clone());
    Ok(Origin::Root(tools))
}
