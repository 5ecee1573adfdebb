//! Commands on boards over SSH: one, several side by side, or fetched later.

use crate::dates;
use crate::error::Error;
use crate::files;
use crate::output;
use crate::progress::{Progress, Remark};
use crate::report;
use prazo_board::{Address, Argument, Job, JobEnding, Output};
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc;

/// A command for boards.
#[derive(Clone, Debug)]
pub struct BoardRequest {
    /// The boards. Of several, each one's results go into a folder of its name.
    pub boards: Vec<Address>,
    /// The command's words behind the program's name.
    pub words: Vec<Argument>,
    /// Whether the command goes on without a connection, to be fetched later.
    pub detach: bool,
    /// Whether files here may be replaced.
    pub replace: bool,
    /// Where the command's output goes.
    pub output: BoardOutput,
    /// The command that repeats this, for the page.
    pub command: String,
}

/// Where the output of a command on one board goes; that of several comes as lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardOutput {
    /// To the terminal of this process, on which the board draws.
    Terminal,
    /// To standard output and standard error of this process.
    Inherited,
    /// Into the answer, as JSON; other lines go to the caller.
    Json,
}

/// Outcome of a command on boards.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Boards {
    /// Outcome of the command on each board, in the order in which the boards were named.
    pub boards: Vec<BoardEnd>,
    /// HTML page that compares the runs of all boards; null where there are fewer than two runs.
    pub page: Option<PathBuf>,
}

/// Outcome of a command on one board.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardEnd {
    /// Address of the board.
    pub board: String,
    /// Exit status of the command on the board; null where the command has not ended, or prazo did not see its end.
    pub status: Option<u8>,
    /// Files that were copied back from the board.
    pub files: Vec<PathBuf>,
    /// Address to give to `prazo fetch` while the command still runs; null otherwise.
    pub fetch: Option<String>,
    /// Why `status` is null; null where the status is known.
    pub reason: Option<String>,
    /// JSON that the command printed on the board; null where it printed none.
    pub answer: Option<serde_json::Value>,
    /// Exit status of prazo on this machine: that of the command; 0 where the command was detached, 3 where it still
    /// runs, 4 where it has no status.
    #[serde(skip)]
    pub exit_status: u8,
}

impl Boards {
    /// The status of all: a fail, else a usage error, else what could not be measured, else what is inconclusive.
    pub fn status(&self) -> u8 {
        let weight =
            |status: u8| [1, 2, 4, 3].iter().position(|one| *one == status).unwrap_or(if status == 0 { 5 } else { 0 });
        let statuses = self.boards.iter().map(|end| end.exit_status);
        statuses.min_by_key(|status| weight(*status)).unwrap_or(0)
    }
}

impl BoardEnd {
    fn of(board: &Address, ending: JobEnding) -> Self {
        match ending {
            JobEnding::Ended { status: Some(status), files, .. } => {
                let end = Self::without_status(board, status, String::new());
                Self { status: Some(status), files, reason: None, ..end }
            }
            JobEnding::Ended { status: None, files, .. } => {
                let reason = "the process that supervised the command was killed";
                Self { files, ..Self::without_status(board, 4, reason.into()) }
            }
            JobEnding::Detached { job } => Self {
                fetch: Some(job.to_string()),
                ..Self::without_status(board, 0, "the command continues on the board".into())
            },
            JobEnding::Running => {
                let end = Self::without_status(board, 3, "the command is still running".into());
                Self { fetch: Some(board.to_string()), ..end }
            }
        }
    }

    fn without_status(board: &Address, exit_status: u8, reason: String) -> Self {
        let (board, reason) = (board.to_string(), Some(reason));
        Self { board, status: None, files: Vec::new(), fetch: None, reason, answer: None, exit_status }
    }
}

/// Runs a command on each board, side by side, and brings back what it wrote. `line` gets the lines that boards print where
/// their output does not go to this process' own: the board's label, whether it is standard output, and the line.
///
/// # Errors
/// A file that shall be written is there; of one board: it cannot be reached, or does not run prazo. Of several, those that
/// fail say so in their own answer.
pub fn run(
    request: &BoardRequest,
    line: &(dyn Fn(&str, bool, &str) + Sync),
    progress: &mut dyn Progress,
) -> Result<Boards, Error> {
    for word in &request.words {
        if let Argument::Write(_, file) = word
            && file.is_file()
        {
            output::free(file)?;
        }
    }
    let stop = progress.stop().map_err(Error::failed)?;
    let stops = || stop.is_set();
    let [board] = request.boards.as_slice() else { return several(request, line, &stops, progress) };
    let printed = Mutex::new(String::new());
    let lines =
        |is_result: bool, text: &str| if is_result { keep(&printed, text) } else { line(&board.label(), false, text) };
    let output = match request.output {
        BoardOutput::Terminal => Output::Terminal,
        BoardOutput::Inherited => Output::Inherited,
        BoardOutput::Json => Output::Lines(&lines),
    };
    let job = request.job(PathBuf::new());
    let mut note = |text: &str| progress.remark(&Remark::Text(text.to_owned()));
    let ending = job.run(board, output, &stops, &mut note).map_err(board_error)?;
    tidy(board, &ending, progress);
    let mut end = BoardEnd::of(board, ending);
    end.answer = parsed(&printed);
    check(&end.files)?;
    Ok(Boards { boards: vec![end], page: None })
}

/// Takes the results of a command that was let go. `print` gets what it printed: whether it is standard output, and the bytes.
///
/// # Errors
/// The board cannot be reached, there is no such job, or results would replace files.
pub fn fetch(
    board: &Address,
    replace: bool,
    print: &dyn Fn(bool, &[u8]),
    progress: &mut dyn Progress,
) -> Result<BoardEnd, Error> {
    let printed = Mutex::new(String::new());
    let both = |is_result: bool, bytes: &[u8]| {
        if is_result {
            keep(&printed, String::from_utf8_lossy(bytes).trim_end());
        }
        print(is_result, bytes);
    };
    let ending = prazo_board::fetch(board, Path::new(""), replace, &both).map_err(board_error)?;
    tidy(board, &ending, progress);
    let end = BoardEnd { answer: parsed(&printed), ..BoardEnd::of(board, ending) };
    check(&end.files)?;
    Ok(end)
}

impl BoardRequest {
    fn job(&self, into: PathBuf) -> Job {
        Job { words: self.words.clone(), into, replace: self.replace, detach: self.detach }
    }

    /// For one of several boards: what it writes stays in its own folder.
    fn job_of(&self, board: &Address) -> Job {
        let into = PathBuf::from(board.label());
        let words = self.words.iter().map(|word| match word {
            Argument::Write(flag, file) if file.is_relative() => Argument::Word(format!("{flag}{}", file.display())),
            other => other.clone(),
        });
        Job { words: words.collect(), ..self.job(into) }
    }
}

fn several(
    request: &BoardRequest,
    line: &(dyn Fn(&str, bool, &str) + Sync),
    stops: &(dyn Fn() -> bool + Sync),
    progress: &mut dyn Progress,
) -> Result<Boards, Error> {
    let (remarks, heard) = mpsc::channel();
    let boards: Vec<BoardEnd> = std::thread::scope(|scope| {
        let running: Vec<_> = request
            .boards
            .iter()
            .map(|board| {
                let remarks = remarks.clone();
                scope.spawn(move || one_of(request, board, line, stops, &remarks))
            })
            .collect();
        drop(remarks);
        for remark in heard {
            progress.remark(&Remark::Text(remark));
        }
        running.into_iter().map(|one| one.join().expect("a board's thread does not panic")).collect()
    });
    let runs: Vec<PathBuf> = boards.iter().flat_map(|end| &end.files).filter(|file| is_run(file)).cloned().collect();
    check(&runs)?;
    let page = if runs.len() > 1 { Some(page(request, &runs, progress)?) } else { None };
    Ok(Boards { boards, page })
}

fn one_of(
    request: &BoardRequest,
    board: &Address,
    line: &(dyn Fn(&str, bool, &str) + Sync),
    stops: &(dyn Fn() -> bool + Sync),
    remarks: &mpsc::Sender<String>,
) -> BoardEnd {
    let (label, printed) = (board.label(), Mutex::new(String::new()));
    let is_json = request.output == BoardOutput::Json;
    let lines = |is_result: bool, text: &str| {
        if is_result && is_json { keep(&printed, text) } else { line(&label, is_result, text) }
    };
    let mut note = |text: &str| drop(remarks.send(text.to_owned()));
    match request.job_of(board).run(board, Output::Lines(&lines), &stops, &mut note) {
        Ok(ending) => BoardEnd { answer: parsed(&printed), ..BoardEnd::of(board, ending) },
        Err(error) => {
            let _ = remarks.send(format!("prazo: {error}"));
            BoardEnd::without_status(board, 4, error.to_string())
        }
    }
}

/// One page on the runs of all boards.
fn page(request: &BoardRequest, runs: &[PathBuf], progress: &mut dyn Progress) -> Result<PathBuf, Error> {
    let title = request.boards.iter().map(Address::label).collect::<Vec<_>>().join(" and ");
    let content = report::of_files(&title, runs, None, &request.command)?;
    let file = Path::new(files::RESULTS).join(format!("boards-{}.html", dates::stamp()));
    report::write(&content, report::Form::Html, &file, progress)?;
    Ok(file)
}

/// Says where a board kept its folder.
fn tidy(board: &Address, ending: &JobEnding, progress: &mut dyn Progress) {
    if let JobEnding::Ended { removed: false, .. } = ending {
        progress.remark(&Remark::Text(format!("prazo: {board} did not confirm that it removed the command's folder")));
    }
}

/// A run file that arrived damaged is an error here, not at its next reader's.
fn check(files: &[PathBuf]) -> Result<(), Error> {
    files.iter().filter(|file| is_run(file)).try_for_each(|file| files::open(file).map(drop))
}

fn is_run(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("prazo"))
}

fn keep(printed: &Mutex<String>, line: &str) {
    let mut printed = printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *printed += line;
    printed.push('\n');
}

fn parsed(printed: &Mutex<String>) -> Option<serde_json::Value> {
    let printed = printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    serde_json::from_str(&printed).ok()
}

fn board_error(error: prazo_board::BoardError) -> Error {
    match error {
        prazo_board::BoardError::Interrupted => Error::Interrupted,
        other => Error::failed(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(status: Option<u8>, reason: Option<&str>) -> BoardEnd {
        let board: Address = "ssh://b".parse().unwrap();
        match (status, reason) {
            (Some(_), _) => BoardEnd::of(&board, JobEnding::Ended { status, files: Vec::new(), removed: true }),
            (None, reason) => BoardEnd::without_status(&board, 4, reason.unwrap_or_default().into()),
        }
    }

    #[test]
    fn the_status_of_several_boards_is_the_one_that_matters_most() {
        let all = |ends: Vec<BoardEnd>| Boards { boards: ends, page: None }.status();
        assert_eq!(all(vec![end(Some(0), None), end(Some(0), None)]), 0);
        assert_eq!(all(vec![end(Some(3), None), end(Some(1), None), end(None, Some("lost"))]), 1);
        assert_eq!(all(vec![end(Some(0), None), end(None, Some("lost"))]), 4);
        assert_eq!(all(vec![end(Some(3), None), end(Some(0), None)]), 3);
        assert_eq!(all(vec![end(Some(137), None), end(Some(0), None)]), 137);
    }

    #[test]
    fn a_command_whose_watcher_was_killed_has_a_reason_and_no_status() {
        let board: Address = "ssh://b".parse().unwrap();
        let end = BoardEnd::of(&board, JobEnding::Ended { status: None, files: vec!["a.prazo".into()], removed: true });
        assert_eq!((end.status, end.exit_status, end.files.len()), (None, 4, 1));
        assert!(end.reason.is_some_and(|reason| reason.contains("was killed")));
    }
}
