//! Where chunk results are kept: `chunks.jsonl`, a header and then one line a chunk, appended as they are won.
//!
//! Invariant: a line that ends with a newline was written whole. A process that is killed leaves at most one line without, which
//! the next one cuts off; its chunk is then made again, and is the same.

use super::chunk::{Chunk, ChunkResult, points};
use super::curve::Curve;
use super::error::ExperimentError;
use super::experiment::Experiment;
use super::tally::Tally;
use prazo_core::ratio::Ratio;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file's name.
pub const FILE: &str = "chunks.jsonl";

/// The first line: whose chunks these are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    experiment: String,
    fingerprint: String,
}

impl Header {
    fn of(experiment: &Experiment) -> Self {
        let (name, fingerprint) = (experiment.name().to_owned(), experiment.fingerprint.clone());
        Self { format: 1, experiment: name, fingerprint }
    }

    fn text(&self) -> String {
        format!("{} ({}, format {})", self.experiment, self.fingerprint, self.format)
    }
}

/// The open file; no other process writes into it meanwhile.
pub struct Folder {
    file: File,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, makes it where it is absent, and hands every chunk that it keeps to `each`.
    pub fn open(folder: &Path, of: &Experiment, each: &mut dyn FnMut(ChunkResult)) -> Result<Self, ExperimentError> {
        let path = folder.join(FILE);
        let failed = |action| move |cause| ExperimentError::Folder { path: folder.join(FILE), action, cause };
        std::fs::create_dir_all(folder).map_err(failed("create its folder"))?;
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(&path).map_err(failed("open the file"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ExperimentError::Busy { path }),
            Err(TryLockError::Error(cause)) => return Err(failed("lock the file")(cause)),
        }
        let mut folder = Self { file, path };
        let whole = read(&folder.file, &folder.path, of, each)?;
        folder.cut(whole).map_err(|cause| folder.failed("cut off an incomplete last line", cause))?;
        if whole == 0 {
            folder.append(&[Header::of(of)])?;
        }
        Ok(folder)
    }

    /// Adds a chunk; it is on the disk when this returns.
    pub fn keep(&mut self, chunk: &ChunkResult) -> Result<(), ExperimentError> {
        self.keep_all(&[chunk])
    }

    /// Adds chunks with one write; they are on the disk when this returns.
    pub fn keep_all(&mut self, chunks: &[&ChunkResult]) -> Result<(), ExperimentError> {
        match chunks {
            [] => Ok(()),
            chunks => self.append(chunks),
        }
    }

    fn append(&mut self, lines: &[impl Serialize]) -> Result<(), ExperimentError> {
        let line = |line| serde_json::to_string(line).expect("a line is plain data") + "\n";
        let text: String = lines.iter().map(line).collect();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|cause| self.failed("write the file", cause))
    }

    fn cut(&mut self, whole: u64) -> io::Result<()> {
        self.file.set_len(whole)?;
        self.file.seek(SeekFrom::End(0)).map(|_| ())
    }

    fn failed(&self, action: &'static str, cause: io::Error) -> ExperimentError {
        ExperimentError::Folder { path: self.path.clone(), action, cause }
    }
}

/// Hands the chunks of a folder to `each` without opening it for writing; none where there is no folder.
pub fn look(folder: &Path, of: &Experiment, each: &mut dyn FnMut(ChunkResult)) -> Result<(), ExperimentError> {
    let path = folder.join(FILE);
    match File::open(&path) {
        Ok(file) => read(&file, &path, of, each).map(|_| ()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(ExperimentError::Folder { path, action: "read the file", cause }),
    }
}

/// Reads line by line; answers how many bytes the whole lines hold.
fn read(file: &File, path: &Path, of: &Experiment, each: &mut dyn FnMut(ChunkResult)) -> Result<u64, ExperimentError> {
    let (mut reader, mut text, mut whole) = (BufReader::new(file), String::new(), 0u64);
    let points = points(of);
    for number in 1.. {
        text.clear();
        let bytes = reader.read_line(&mut text).map_err(|cause| match cause.kind() {
            io::ErrorKind::InvalidData => damaged(path, number, "the line is not UTF-8 text".into()),
            _ => ExperimentError::Folder { path: path.to_owned(), action: "read the file", cause },
        })?;
        if !text.ends_with('\n') {
            break;
        }
        match number {
            1 => check_header(&text, path, of)?,
            _ => each(chunk(&text, &points, of).map_err(|cause| damaged(path, number, cause))?),
        }
        whole += bytes as u64;
    }
    Ok(whole)
}

fn damaged(path: &Path, line: usize, cause: String) -> ExperimentError {
    ExperimentError::Damaged { path: path.to_owned(), line, cause }
}

fn check_header(text: &str, path: &Path, of: &Experiment) -> Result<(), ExperimentError> {
    let found: Header = serde_json::from_str(text).map_err(|error| damaged(path, 1, error.to_string()))?;
    let wanted = Header::of(of);
    if found == wanted {
        return Ok(());
    }
    Err(ExperimentError::OtherExperiment { path: path.to_owned(), found: found.text(), wanted: wanted.text() })
}

fn chunk(text: &str, points: &[(usize, Ratio)], of: &Experiment) -> Result<ChunkResult, String> {
    let result: ChunkResult = serde_json::from_str(text).map_err(|error| error.to_string())?;
    check(&result, points, of).map(|()| result).map_err(str::to_owned)
}

/// What is wrong with a chunk that another process made. `points` are the experiment's.
///
/// # Errors
/// The experiment has no such chunk, or the chunk's counts contradict each other.
pub fn check(result: &ChunkResult, points: &[(usize, Ratio)], of: &Experiment) -> Result<(), &'static str> {
    let chunk = Chunk::at(result.chunk, points, of).ok_or("the experiment has no chunk with this number")?;
    let curves = Curve::of_family(of, chunk.family).count();
    let sound = |tally: &Tally| {
        tally.sets.checked_add(result.not_drawn) == Some(chunk.sets)
            && tally.accepted.checked_add(tally.disproven).is_some_and(|sum| sum <= tally.sets)
    };
    match result.tallies.len() == curves && result.tallies.iter().all(sound) {
        true => Ok(()),
        false => Err("the counts of the chunk do not fit the experiment, or contradict each other"),
    }
}
