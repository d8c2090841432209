//! Appending to a file: one writer, whole lines, and what was acknowledged stays.

use crate::graph::{Node, Shared};
use crate::journal::read::{Journaled, Report, opening};
use crate::journal::{Failure, HEADER, line, refused};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

/// When a node counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When the system has it: it outlives this process, but not a power cut.
    Flush,
    /// When the disk has it.
    Fsync,
}

/// A journal that is open for appending. It locks its file until it is dropped.
#[derive(Debug)]
pub struct Journal {
    file: File,
    durability: Durability,
    /// The process that opened it. One that was forked from it shares the file and its lock, but must not write.
    process: u32,
    report: Report,
    nodes: usize,
    /// Over the nodes that are in the file.
    written: Sha256,
    /// Where the last whole line ends, and with it the file.
    end: u64,
    /// The graph whose nodes those are.
    graph: Option<Shared>,
    /// Is it unknown what stands behind `end`?
    broken: bool,
}

impl Journal {
    /// Opens a file, or makes one. What is in it is read and checked; a torn last line is cut off.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, Failure> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(refused("not a regular file").into());
        }
        lock(&file)?;
        if opening(&mut &file)?.1 {
            return Err(refused("compressed: a journal is finished then, and only read").into());
        }
        (&file).rewind()?;
        let journaled = Journaled::read(&file)?;
        let report = journaled.report()?;
        let mut written = Sha256::new();
        journaled.graph.nodes().iter().for_each(|node| tell(&mut written, node));
        let (nodes, end) = (report.nodes, journaled.whole);
        if report.dropped > 0 {
            file.set_len(end)?;
        }
        let process = std::process::id();
        let (graph, broken) = (None, false);
        let mut journal = Self { file, durability, process, report, nodes, written, end, graph, broken };
        if end == 0 {
            journal.put(HEADER)?;
        }
        if durability == Durability::Fsync {
            // Whoever wrote the file before may not have waited for the disk.
            journal.file.sync_all()?;
            sync_folder(path)?;
        }
        Ok(journal)
    }

    /// What opening the file came to.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How many nodes are in the file.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Writes the nodes of a graph that are not in the file yet; gives their number. They are written when it
    /// returns, and none of them is where it fails. The first nodes of the graph must be those in the file.
    pub fn append(&mut self, graph: &Shared) -> Result<usize, Failure> {
        if self.process != std::process::id() {
            return Err(refused("opened by the process that this one was forked from").into());
        }
        if self.broken {
            return Err(refused("an earlier write failed: open the journal anew").into());
        }
        let new = self.missing(graph)?;
        let mut lines = Vec::new();
        for (id, node) in (self.nodes..).zip(&new) {
            line::write(id, node, &mut lines)?;
        }
        if !lines.is_empty() {
            if self.file.metadata()?.len() != self.end {
                return Err(refused("somebody else changed the file: open the journal anew").into());
            }
            self.put(&lines)?;
        }
        new.iter().for_each(|node| tell(&mut self.written, node));
        self.nodes += new.len();
        self.graph = Some(graph.clone());
        Ok(new.len())
    }

    /// The nodes that are not in the file. Only copies them while it holds the lock.
    fn missing(&self, graph: &Shared) -> Result<Vec<Node>, Failure> {
        let trusted = self.graph.as_ref().is_some_and(|last| last.is(graph));
        let graph = graph.read();
        let known = graph.nodes().get(..self.nodes);
        let same = known.is_some_and(|known| {
            trusted || {
                let mut digest = Sha256::new();
                known.iter().for_each(|node| tell(&mut digest, node));
                digest.finalize() == self.written.clone().finalize()
            }
        });
        match graph.nodes().get(self.nodes..) {
            Some(new) if same => Ok(new.to_vec()),
            _ => Err(refused("the first nodes of the graph are not those in the file").into()),
        }
    }

    /// Writes whole lines at the end, or nothing.
    fn put(&mut self, lines: &[u8]) -> Result<(), Failure> {
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(lines));
        if let Err(error) = written {
            self.broken = self.file.set_len(self.end).is_err();
            return Err(error.into());
        }
        if self.durability == Durability::Fsync
            && let Err(error) = self.file.sync_data()
        {
            // A system that failed to write a page may forget that it has to.
            self.broken = true;
            let _ = self.file.set_len(self.end);
            return Err(error.into());
        }
        self.end += lines.len() as u64;
        Ok(())
    }
}

impl Drop for Journal {
    /// A forked process may hold the file open for longer; it must not keep the lock.
    fn drop(&mut self) {
        if self.process == std::process::id() {
            let _ = self.file.unlock();
        }
    }
}

/// Adds to a digest what makes a node the one it is.
fn tell(digest: &mut Sha256, node: &Node) {
    digest.update(node.parent().unwrap_or(u32::MAX).to_le_bytes());
    digest.update(node.conversation.0);
    digest.update([u8::from(node.sampled)]);
    digest.update(node.timestamp.to_bits().to_le_bytes());
}

fn lock(file: &File) -> Result<(), Failure> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(refused("another journal has this file open").into()),
        // Some file systems cannot.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Makes the name of a file last, not only what is in it.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let path = path.canonicalize()?;
    match File::open(path.parent().unwrap_or(&path))?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput) => Ok(()),
        synced => synced,
    }
}

/// Elsewhere a folder is no file that could be synced.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
