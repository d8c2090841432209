//! Reading a journal, line by line: from a file, compressed or not, or from a text.

use crate::error::{Error, Kind, Result};
use crate::graph::{Graph, Tools};
use crate::journal::{Failure, HEADER, VERSION, line, refused};
use crate::json::{MAX_BYTES, Object, Repeats, Value, parse};
use crate::path::Path;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// What reading a file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many nodes were read.
    pub nodes: usize,
    /// Bytes of a torn last line, which were dropped.
    pub dropped: usize,
    /// The number of that line, counted from 1.
    pub line: Option<usize>,
    /// The format version of the file.
    pub version: u32,
}

/// What a journal holds: its whole lines, and what stands behind the last line feed.
pub(super) struct Journaled {
    pub(super) graph: Graph,
    /// How many bytes the whole lines have.
    pub(super) whole: u64,
    lines: usize,
    tail: Vec<u8>,
    tools: Option<Arc<Tools>>,
}

/// The graph of a file and a report of how it was read. A torn last line is dropped, and a file without even a whole
/// header is an empty journal.
pub fn resume(path: &std::path::Path) -> std::result::Result<(Graph, Report), Failure> {
    let journaled = Journaled::read(File::open(path)?)?;
    let report = journaled.report()?;
    Ok((journaled.graph, report))
}

/// The graph of a text that holds a whole journal; only the last line feed may be missing.
pub fn from_jsonl(text: &[u8]) -> Result<Graph> {
    let read = Journaled::read(text).map_err(|failure| match failure {
        Failure::Refused(error) => error,
        Failure::Io(_) => refused("cannot be read"),
    });
    let mut journaled = read?;
    if journaled.lines == 0 || !journaled.tail.is_empty() {
        let last = std::mem::take(&mut journaled.tail);
        journaled.take(&last)?;
    }
    Ok(journaled.graph)
}

impl Journaled {
    pub(super) fn read(mut source: impl Read) -> std::result::Result<Self, Failure> {
        let (first, compressed) = opening(&mut source)?;
        let source = io::Cursor::new(first).chain(source);
        if !compressed {
            return Self::lines(BufReader::with_capacity(64 * 1024, source), MAX_BYTES);
        }
        Self::lines(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(source)), MAX_BYTES)
    }

    fn lines(mut source: impl BufRead, longest: usize) -> std::result::Result<Self, Failure> {
        let mut read = Self { graph: Graph::default(), whole: 0, lines: 0, tail: Vec::new(), tools: None };
        let mut line = Vec::new();
        loop {
            line.clear();
            let got = source.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut line);
            got.map_err(|error| read.failure(error))?;
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            read.take(whole)?;
            read.whole += line.len() as u64;
        }
        if line.len() > longest {
            return Err(read.at(refused(format!("longer than {longest} bytes"))).into());
        }
        if let Some((end, whole)) = line.split_last()
            && *end != 0
            && read.lines > 0
            && line::restore(whole, &mut read.graph, &mut read.tools).is_ok()
        {
            // No crash does that: the line was written to its end, and acknowledged.
            return Err(read.at(refused("its line feed is damaged")).into());
        }
        read.tail = line;
        Ok(read)
    }

    /// Takes the next line.
    fn take(&mut self, line: &[u8]) -> Result<()> {
        let taken = match self.lines {
            0 => header(line),
            _ => line::restore(line, &mut self.graph, &mut self.tools),
        };
        taken.map_err(|error| self.at(error))?;
        self.lines += 1;
        Ok(())
    }

    /// An error of the line that is being read.
    fn at(&self, error: Error) -> Error {
        let mut path = Path::shown(&format!("line {}", self.lines + 1));
        path.extend(error.path);
        Error::new(Kind::Journal, path, error.what)
    }

    /// The system has a number for what went wrong; where there is none, the compressed data are damaged.
    fn failure(&self, error: io::Error) -> Failure {
        match error.raw_os_error() {
            Some(_) => Failure::Io(error),
            None => Failure::Refused(self.at(refused("the compressed data are damaged or end early"))),
        }
    }

    pub(super) fn report(&self) -> Result<Report> {
        let torn = !self.tail.is_empty();
        if torn && self.lines == 0 && !is_torn_header(&self.tail) {
            return Err(self.at(not_a_header()));
        }
        Ok(Report {
            nodes: self.graph.len(),
            dropped: self.tail.len(),
            line: torn.then_some(self.lines + 1),
            version: VERSION,
        })
    }
}

/// The first two bytes, and whether they open a file that was compressed with gzip.
pub(super) fn opening(source: &mut impl Read) -> io::Result<(Vec<u8>, bool)> {
    let mut first = Vec::new();
    source.by_ref().take(2).read_to_end(&mut first)?;
    let compressed = first == [0x1f, 0x8b];
    Ok((first, compressed))
}

fn not_a_header() -> Error {
    refused("not the header of a journal")
}

fn header(line: &[u8]) -> Result<()> {
    if HEADER.strip_suffix(b"\n") == Some(line) {
        return Ok(());
    }
    let parsed = parse(line, Repeats::Refused).map_err(|_| not_a_header())?;
    let object = parsed.value.as_object().ok_or_else(not_a_header)?;
    let version = |key| whole_number(object, key);
    match (object.get("toolwire").and_then(Value::as_str), version("version"), version("identity")) {
        (Some("journal"), Some(version), _) if version > VERSION => Err(refused(format!(
            "a journal of version {version}, made by a newer toolwire; this one reads version {VERSION}"
        ))),
        (Some("journal"), Some(VERSION), Some(identity)) if identity != 1 => {
            Err(refused(format!("identities of version {identity}; a journal of version 1 has version 1")))
        }
        _ => Err(not_a_header()),
    }
}

fn whole_number(object: &Object<'_>, key: &str) -> Option<u32> {
    match object.get(key) {
        Some(Value::Number(literal)) => literal.parse().ok(),
        _ => None,
    }
}

/// The start of a header, and zeros where a system grew the file but lost the rest. Anything else is not ours, and
/// must not be taken for an empty journal.
fn is_torn_header(tail: &[u8]) -> bool {
    let same = tail.iter().zip(HEADER).take_while(|(a, b)| a == b).count();
    tail[same..].iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// What reading says of these bytes where a line may be a hundred bytes long.
    fn refusal(source: impl Read) -> String {
        match Journaled::lines(BufReader::new(source), 100) {
            Err(Failure::Refused(error)) => error.to_string(),
            Err(Failure::Io(error)) => error.to_string(),
            Ok(_) => String::new(),
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_read_to_its_end() {
        assert_eq!(refusal(io::repeat(b'x')), "line 1: longer than 100 bytes");
        assert_eq!(refusal(HEADER.chain(io::repeat(0))), "line 2: longer than 100 bytes");
        let line = [b'x'; 100];
        assert_eq!(refusal(HEADER.chain(&line[..])), "");
        assert!(refusal(HEADER.chain(&line[..]).chain(&b"\n"[..])).starts_with("line 2: does not end"));
        // Little data that stand for many.
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(HEADER).unwrap();
        bomb.write_all(&vec![b'x'; 10_000_000]).unwrap();
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 20_000);
        // Only its start is there: whoever read on would find its end missing.
        let start = MultiGzDecoder::new(&bomb[..bomb.len() / 2]);
        assert_eq!(refusal(start), "line 2: longer than 100 bytes");
    }
}
