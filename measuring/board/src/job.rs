//! One command on one board, from the copying of prazo to the results that lie here.

use crate::address::Address;
use crate::error::BoardError;
use crate::guard::WORD;
use crate::pack;
use crate::program;
use crate::session::{Session, Word, last_lines};
use crate::ssh;
use crate::survey::{Ended, Survey};
use prazo_sys::shell;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A word of a command. A file's name may have a flag before it in the same word, as in `--tasks=robot.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A word that names no file here.
    Word(String),
    /// A flag or nothing, and a file here that the command reads.
    Read(String, PathBuf),
    /// A flag or nothing, and a file or folder here that the command shall write.
    Write(String, PathBuf),
}

/// A command for a board.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command's words behind the program's name.
    pub words: Vec<Argument>,
    /// The folder here that results are put into.
    pub into: PathBuf,
    /// Whether results may replace files that are here.
    pub replace: bool,
    /// Whether the command goes on when the connection ends, to be fetched later.
    pub detach: bool,
}

/// Where the command's output goes.
pub enum Output<'a> {
    /// To this process' terminal; the board draws on it.
    Terminal,
    /// To this process' standard output and standard error.
    Inherited,
    /// To the caller, line by line; true for standard output.
    Lines(&'a (dyn Fn(bool, &str) + Sync)),
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnding {
    /// The command ended with a status; these files were put here.
    Ended {
        /// The command's exit status; `None` where the process that supervised the command was killed.
        status: Option<u8>,
        /// The files, as paths from here.
        files: Vec<PathBuf>,
        /// Whether the board said that its folder is gone.
        removed: bool,
    },
    /// The command runs on without a connection; this address fetches it.
    Detached {
        /// Board and folder.
        job: Address,
    },
    /// The command that was to be fetched still runs.
    Running,
}

/// What a command that was seen to end gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The command's exit status.
    pub status: u8,
    /// Its files, as paths from here.
    pub files: Vec<PathBuf>,
}

impl Job {
    /// Runs the command on the board. `stop` is asked a few times a second; once it is true, the command is interrupted there.
    /// `note` gets what is worth a line meanwhile.
    pub fn run(
        &self,
        address: &Address,
        output: Output<'_>,
        stop: &dyn Fn() -> bool,
        note: &mut dyn FnMut(&str),
    ) -> Result<JobEnding, BoardError> {
        let mut session = ready(address, note)?;
        if self.detach {
            let words = self.copy(address, &session)?;
            if stop() {
                return Err(BoardError::Interrupted);
            }
            session.must("start the command", &guarded(&session, "detach", &words), &mut io::empty())?;
            let job = session.job();
            session.keep();
            return Ok(JobEnding::Detached { job });
        }
        match self.run_in(address, &mut session, output, stop) {
            Ok(Done { status, files }) => {
                Ok(JobEnding::Ended { status: Some(status), files, removed: session.remove() })
            }
            Err(error) => Err(session.give_up(error)),
        }
    }

    /// The same where the program is on the board already. The folder there stays, with what the command left in it.
    pub(crate) fn run_in(
        &self,
        address: &Address,
        session: &mut Session,
        output: Output<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Done, BoardError> {
        let words = self.copy(address, session)?;
        if stop() {
            return Err(BoardError::Interrupted);
        }
        let began = Instant::now();
        let line = guarded(session, "guard", &words);
        let status = run(session, &line, output, stop)?;
        let lost = || BoardError::Lost {
            address: address.to_string(),
            seconds: began.elapsed().as_secs(),
            folder: session.job().to_string(),
        };
        let status = status.ok_or_else(lost)?;
        let files = self.take(session).map_err(|error| match error {
            // What a command needed hours for is not given up for a full disk here.
            BoardError::Here { .. } | BoardError::Step { .. } => {
                BoardError::Untaken { cause: Box::new(error), folder: session.job().to_string() }
            }
            other => other,
        })?;
        Ok(Done { status, files })
    }

    /// Copies the files that the command reads; returns its words for the board.
    fn copy(&self, address: &Address, session: &Session) -> Result<Vec<String>, BoardError> {
        let survey = &session.survey;
        let reads: Vec<(PathBuf, String)> = self.numbered().filter_map(read_file).collect();
        check_room(address, survey, reads.iter().map(|(file, _)| file.as_path()))?;
        if !reads.is_empty() {
            let mut archive = Vec::new();
            pack::pack_files(&reads, &mut archive).map_err(here("read", &reads[0].0))?;
            let line = shell::line([&*program_in(survey), WORD, "unpack", &format!("{}/in", survey.folder)]);
            session.must("copy the command's files", &line, &mut &archive[..])?;
        }
        let folders = self.numbered().filter_map(|(number, word)| {
            written_name(number, word)?.rsplit_once('/').map(|(folder, _)| folder.to_owned())
        });
        let folders: Vec<String> = folders.map(|name| format!("{}/out/{name}", survey.folder)).collect();
        if !folders.is_empty() {
            let line = shell::line(["mkdir", "-p", "--"].into_iter().chain(folders.iter().map(String::as_str)));
            session.must("make the folders for the results", &line, &mut io::empty())?;
        }
        Ok(self.numbered().map(|(number, word)| word_there(&survey.folder, number, word)).collect())
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Argument)> {
        self.words.iter().enumerate()
    }

    /// Puts what the command wrote into its places here.
    fn take(&self, session: &Session) -> Result<Vec<PathBuf>, BoardError> {
        let given = self.numbered().filter_map(|(number, word)| match word {
            Argument::Write(_, file) => Some((PathBuf::from(written_name(number, word)?), file.clone())),
            _ => None,
        });
        let given: Vec<(PathBuf, PathBuf)> = given.collect();
        let place = |name: &Path| {
            let own = given.iter().find_map(|(there, file)| match name.strip_prefix(there) {
                Ok(rest) if rest.as_os_str().is_empty() => Some(file.clone()),
                // A folder of results.
                Ok(rest) => Some(file.join(rest)),
                Err(_) => derived_place(there, file, name),
            });
            own.unwrap_or_else(|| self.into.join(name))
        };
        take(session, &self.into, self.replace, &place)
    }
}

/// Connects, and copies prazo for the board's processor into a folder there.
pub(crate) fn ready(address: &Address, note: &mut dyn FnMut(&str)) -> Result<Session, BoardError> {
    let mut session = Session::open(address)?;
    let survey = &session.survey;
    note(&format!("{address}: {}, Linux {}; folder {}", survey.machine, survey.kernel, survey.folder));
    let program = program::find(address, &survey.machine)?;
    let taken_kib = check_room(address, survey, [program.as_path()].into_iter())?;
    let copy = program_in(survey);
    let word = shell::quoted(&copy);
    let mut file = std::fs::File::open(&program).map_err(here("read", &program))?;
    session.must("copy prazo", &format!("cat > {word} && chmod 700 {word}"), &mut file)?;
    let version = session.output(&format!("{word} --version"), &mut io::empty())?;
    if !version.status.success() {
        return Err(BoardError::NotRunning {
            address: address.to_string(),
            answer: last_lines(&String::from_utf8_lossy(&version.stderr)),
            program,
            machine: survey.machine.clone(),
        });
    }
    session.survey.free_kib -= taken_kib;
    Ok(session)
}

/// The copied program.
fn program_in(survey: &Survey) -> String {
    format!("{}/prazo", survey.folder)
}

/// The line that has the copied program run a command under its guard.
fn guarded(session: &Session, action: &str, words: &[String]) -> String {
    let all = [program_in(&session.survey), WORD.into(), action.into(), session.survey.folder.clone()];
    shell::line(all.iter().chain(words).map(String::as_str))
}

/// What files take on the board, in KiB, where there is room for them and for what the command writes first.
fn check_room<'a>(
    address: &Address,
    survey: &Survey,
    files: impl Iterator<Item = &'a Path>,
) -> Result<u64, BoardError> {
    let mut files_kib = 0;
    for file in files {
        files_kib += std::fs::metadata(file).map_err(here("read", file))?.len() / 1024;
    }
    let needed_kib = files_kib + 1024;
    if survey.free_kib >= needed_kib {
        return Ok(files_kib);
    }
    Err(BoardError::NoRoom {
        address: address.to_string(),
        folder: survey.folder.clone(),
        free_kib: survey.free_kib,
        needed_kib,
        example: address.at("/mnt/data").to_string(),
    })
}

fn here(step: &'static str, file: &Path) -> impl FnOnce(io::Error) -> BoardError + use<> {
    let file = file.to_owned();
    move |cause| BoardError::Here { step, file, cause }
}

/// Takes the results of a job that ran without a connection, and removes it there. What it printed goes to `print`.
pub fn fetch(
    address: &Address,
    into: &Path,
    replace: bool,
    print: &dyn Fn(bool, &[u8]),
) -> Result<JobEnding, BoardError> {
    let session = Session::find(address)?;
    let status = match session.survey.ended {
        Some(Ended::Status(status)) => Some(status),
        Some(Ended::Unguarded) => None,
        None => {
            session.keep();
            return Ok(JobEnding::Running);
        }
    };
    for (is_result, name) in [(false, "stderr"), (true, "stdout")] {
        let file = shell::quoted(&format!("{}/{name}", session.survey.folder));
        print(
            is_result,
            &session.must("read the command's output", &format!("cat {file} 2>/dev/null || true"), &mut io::empty())?,
        );
    }
    let files = take(&session, into, replace, &|name| into.join(name))?;
    Ok(JobEnding::Ended { status, files, removed: session.remove() })
}

fn take(
    session: &Session,
    into: &Path,
    replace: bool,
    place: &dyn Fn(&Path) -> PathBuf,
) -> Result<Vec<PathBuf>, BoardError> {
    let results = format!("{}/out", session.survey.folder);
    let line = shell::line([&*program_in(&session.survey), WORD, "pack", &results]);
    let archive = session.must("read the results", &line, &mut io::empty())?;
    std::fs::create_dir_all(into).map_err(here("make", into))?;
    let first = tempfile::Builder::new().prefix(".prazo-").tempdir_in(into).map_err(here("make a folder in", into))?;
    let names = pack::unpack(first.path(), &archive[..]).map_err(here("unpack the results in", first.path()))?;
    let places: Vec<PathBuf> = names.iter().map(|name| place(name)).collect();
    if let Some(taken) = places.iter().find(|place| !replace && place.exists()) {
        return Err(BoardError::Taken { file: taken.clone(), kept: first.keep() });
    }
    for (name, place) in names.iter().zip(&places) {
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), std::fs::create_dir_all).map_err(here("write", place))?;
        let from = first.path().join(name);
        // Another file system takes a copy.
        std::fs::rename(&from, place)
            .or_else(|_| std::fs::copy(&from, place).map(drop))
            .map_err(here("write", place))?;
    }
    Ok(places)
}

/// A file that is copied, and its name in the job's folder `in`.
fn read_file((number, word): (usize, &Argument)) -> Option<(PathBuf, String)> {
    let Argument::Read(_, file) = word else { return None };
    Some((file.clone(), read_name(number, file)))
}

fn read_name(number: usize, file: &Path) -> String {
    format!("{number}-{}", file.file_name().unwrap_or_default().to_string_lossy())
}

/// A file that is written, as a path in the job's folder `out`: its own path, or a name where that leads elsewhere.
fn written_name(number: usize, word: &Argument) -> Option<String> {
    let Argument::Write(_, file) = word else { return None };
    let stays = file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    Some(if stays { file.to_string_lossy().into_owned() } else { read_name(number, file) })
}

/// The place of a file whose name the command made of a given one, as `wakes.prazo` becomes `wakes-futex.prazo`: beside the
/// given one.
fn derived_place(given: &Path, place: &Path, name: &Path) -> Option<PathBuf> {
    let stem = |file: &Path| Some(file.file_stem()?.to_str()?.to_owned());
    let is_beside = name.parent() == given.parent() && name.extension() == given.extension();
    let rest = stem(name)?.strip_prefix(&stem(given)?).filter(|rest| is_beside && rest.starts_with('-'))?.to_owned();
    let ending =
        place.extension().and_then(|ending| ending.to_str()).map_or(String::new(), |ending| format!(".{ending}"));
    Some(place.with_file_name(format!("{}{rest}{ending}", stem(place)?)))
}

/// The word as the board needs it. The command runs in `out`.
fn word_there(folder: &str, number: usize, word: &Argument) -> String {
    match word {
        Argument::Word(text) => text.clone(),
        Argument::Read(before, file) => format!("{before}{folder}/in/{}", read_name(number, file)),
        Argument::Write(before, _) => format!("{before}{}", written_name(number, word).unwrap_or_default()),
    }
}

/// Runs the guarded command; `None` where the connection was lost.
fn run(
    session: &mut Session,
    line: &str,
    output: Output<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<u8>, BoardError> {
    let mut command = session.command(matches!(output, Output::Terminal), line);
    if !matches!(output, Output::Terminal) {
        command.stdin(Stdio::null());
    }
    if matches!(output, Output::Lines(_)) {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let mut child = ssh::start(command)?;
    let status = std::thread::scope(|scope| {
        if let Output::Lines(print) = output {
            let (results, notes) = (child.stdout.take(), child.stderr.take());
            scope.spawn(move || results.map(|from| each_line(from, &|line| print(true, line))));
            scope.spawn(move || notes.map(|from| each_line(from, &|line| print(false, line))));
        }
        wait(session, &mut child, stop)
    });
    let status = status.map_err(|error| session.failed("wait for ssh", error.to_string()))?;
    // ssh(1) itself fails with 255, and a command may end with it too: the guard wrote down which.
    if status != Some(255) || !session.stands() {
        return Ok(status.filter(|status| *status != 255));
    }
    let file = shell::quoted(&format!("{}/status", session.survey.folder));
    let written = session.output(&format!("cat {file}"), &mut io::empty())?;
    match String::from_utf8_lossy(&written.stdout).trim().parse() {
        Ok(status) => Ok(Some(status)),
        // The connection may have been lost meanwhile.
        Err(_) if !written.status.success() && session.stands() && written.status.code() != Some(255) => {
            Err(session.unguarded())
        }
        Err(_) => Ok(None),
    }
}

fn wait(session: &Session, child: &mut Child, stop: &dyn Fn() -> bool) -> io::Result<Option<u8>> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().and_then(|code| u8::try_from(code).ok()));
        }
        if stop() && !told {
            session.tell(Word::Interrupt);
            told = true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn each_line(from: impl Read, print: &dyn Fn(&str)) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        print(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_get_places_in_the_jobs_folder() {
        let there = |word| word_there("/dev/shm/prazo-1", 2, &word);
        assert_eq!(there(Argument::Word("-D".into())), "-D");
        assert_eq!(
            there(Argument::Read("--tasks=".into(), "../a/robot.toml".into())),
            "--tasks=/dev/shm/prazo-1/in/2-robot.toml"
        );
        assert_eq!(there(Argument::Write(String::new(), "runs/a.prazo".into())), "runs/a.prazo");
        assert_eq!(there(Argument::Write(String::new(), "/tmp/a.prazo".into())), "2-a.prazo");
        assert_eq!(there(Argument::Write(String::new(), "../a.prazo".into())), "2-a.prazo");
    }

    #[test]
    fn a_file_whose_name_is_made_of_a_given_one_comes_beside_it() {
        let place = |given: &str, file: &str, name: &str| derived_place(given.as_ref(), file.as_ref(), name.as_ref());
        assert_eq!(
            place("2-wakes.prazo", "/tmp/wakes.prazo", "2-wakes-futex.prazo"),
            Some("/tmp/wakes-futex.prazo".into())
        );
        assert_eq!(place("runs/w.prazo", "runs/w.prazo", "runs/w-futex.prazo"), Some("runs/w-futex.prazo".into()));
        for other in ["w-futex.prazo", "runs/v-futex.prazo", "runs/w-futex.csv", "runs/ww.prazo"] {
            assert_eq!(place("runs/w.prazo", "/tmp/w.prazo", other), None, "{other}");
        }
    }
}
