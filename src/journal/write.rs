//! Appending to a file: one writer, whole lines, and what was acknowledged stays.

use crate::error::Error;
use crate::graph::{Mark, Node, Shared};
use crate::journal::read::{Journaled, Report, opening};
use crate::journal::{Failure, HEADER, line, refused};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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
    /// Where the file was opened, whatever the working directory is by now.
    path: PathBuf,
    durability: Durability,
    /// The process that opened it. One that was forked from it shares the file and its lock, but must not write.
    process: u32,
    report: Report,
    nodes: usize,
    /// Over the sums of the nodes that are in the file.
    written: Sha256,
    /// Where the last whole line ends, and with it the file.
    end: u64,
    /// The graph whose nodes those are known to be.
    graph: Option<Mark>,
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
        let written = sums(journaled.graph.nodes())?;
        let (nodes, end) = (report.nodes, journaled.whole);
        if report.dropped > 0 {
            file.set_len(end)?;
        }
        let mut journal = Self {
            file,
            path: std::path::absolute(path)?,
            durability,
            process: std::process::id(),
            report,
            nodes,
            written,
            end,
            graph: None,
            broken: false,
        };
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
    /// returns, and none of them is where it fails. The first nodes of the graph must be those in the file: of a
    /// graph that is not the one of the last time, their lines are made anew to see.
    pub fn append(&mut self, graph: &Shared) -> Result<usize, Failure> {
        if self.process != std::process::id() {
            return Err(refused("opened by the process that this one was forked from").into());
        }
        if self.broken {
            return Err(refused("an earlier write failed: open the journal anew").into());
        }
        let other = || {
            refused(
                "the first nodes of the graph are not those in the file: append the graph that it was resumed to",
            )
        };
        let trusted = self.graph.as_ref().is_some_and(|last| graph.is(last));
        let from = if trusted { self.nodes } else { 0 };
        // Nothing but this copy is made while the graph is locked.
        let nodes = graph.read().nodes().get(from..).map(<[Node]>::to_vec).ok_or_else(other)?;
        let (known, new) = nodes.split_at_checked(self.nodes - from).ok_or_else(other)?;
        if !trusted && !sums(known).is_ok_and(|known| known.finalize() == self.written.clone().finalize()) {
            return Err(other().into());
        }
        let (mut lines, mut written) = (Vec::new(), self.written.clone());
        for (id, node) in (self.nodes..).zip(new) {
            written.update(line::write(id, node, &mut lines)?);
        }
        self.check_file()?;
        if !lines.is_empty() {
            self.put(&lines)?;
        }
        (self.written, self.nodes) = (written, self.nodes + new.len());
        self.graph = Some(graph.mark());
        Ok(new.len())
    }

    /// Nothing may be acknowledged that whoever looks for the file would not find in it.
    fn check_file(&self) -> Result<(), Failure> {
        let file = self.file.metadata()?;
        if !is_at(&file, &self.path)? {
            return Err(refused("somebody moved or removed the file").into());
        }
        if file.len() != self.end {
            return Err(refused("somebody else changed the file: open the journal anew").into());
        }
        Ok(())
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

/// A digest over the sums of these nodes, the first ones of a graph, as they are written today: whoever wrote the file
/// may have spelled a line otherwise.
fn sums(nodes: &[Node]) -> Result<Sha256, Error> {
    let (mut digest, mut line) = (Sha256::new(), Vec::new());
    for (id, node) in nodes.iter().enumerate() {
        line.clear();
        digest.update(line::write(id, node, &mut line)?);
    }
    Ok(digest)
}

/// Does the path still lead to the file that is open?
#[cfg(unix)]
fn is_at(file: &Metadata, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    match path.metadata() {
        Ok(there) => Ok((there.dev(), there.ino()) == (file.dev(), file.ino())),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        // The process may have given up the right to look.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(error),
    }
}

/// Elsewhere a file has no numbers that would tell.
#[cfg(not(unix))]
fn is_at(_file: &Metadata, _path: &Path) -> io::Result<bool> {
    Ok(true)
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
