//! The session: the board's description, the job's folder there, and a beat each second for as long as the job lasts.

use crate::address::Address;
use crate::error::BoardError;
use crate::guard::KEPT;
use crate::ssh::{self, Ssh};
use crate::survey::{self, SCRIPT, Survey};
use prazo_sys::shell;
use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the board hears that somebody is here.
const BEAT: Duration = Duration::from_secs(1);

/// What the board is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The user interrupts the command.
    Interrupt,
    /// The connection ends and the job goes on.
    Keep,
    /// The folder is no longer needed.
    Remove,
}

/// A board with a folder for one job. Dropped, the connection ends, and the board tidies.
pub(crate) struct Session {
    ssh: Ssh,
    /// What the board said of itself.
    pub(crate) survey: Survey,
    words: Option<Sender<Word>>,
    beating: Option<JoinHandle<()>>,
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Session {
    /// Connects, and has a folder made: in the address' folder or where the board lets programs start.
    pub(crate) fn open(address: &Address) -> Result<Self, BoardError> {
        Self::start(address, "new")
    }

    /// Connects to the folder of an earlier job.
    pub(crate) fn find(address: &Address) -> Result<Self, BoardError> {
        Self::start(address, "found")
    }

    fn start(address: &Address, which: &str) -> Result<Self, BoardError> {
        let ssh = Ssh::new(address)?;
        let folder = address.folder.as_deref().unwrap_or_default();
        let kept = KEPT.as_secs().to_string();
        let mut first = ssh.first(&shell::line(["sh", "-c", SCRIPT, "sh", which, folder, &kept]));
        first.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = ssh::start(first)?;
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let survey = match survey::read(address, &mut answers) {
            Ok(Some(survey)) => survey,
            other => {
                // Its input's end ends the script.
                drop(child.stdin.take());
                return Err(other.err().unwrap_or_else(|| refused(address, &mut child)));
            }
        };
        // A password's prompt is over; what OpenSSH's client says from here on is about a lost connection, which is told once.
        drop(child.stderr.take());
        let (words, input) = (mpsc::channel(), child.stdin.take().expect("it is piped"));
        let beating = std::thread::spawn(move || beat(input, &words.1));
        Ok(Self { ssh, survey, words: Some(words.0), beating: Some(beating), child, answers })
    }

    /// A command on the board, with a terminal there or without.
    pub(crate) fn command(&self, terminal: bool, words: &str) -> Command {
        self.ssh.further(terminal, words)
    }

    /// Runs a command on the board to its end, with `input`.
    pub(crate) fn output(&self, words: &str, input: &mut (dyn Read + Send)) -> Result<Output, BoardError> {
        let mut command = self.command(false, words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = ssh::start(command)?;
        let mut to = child.stdin.take().expect("it is piped");
        std::thread::scope(|scope| {
            // A board that reads no further has its reason in what it answers.
            scope.spawn(move || std::io::copy(input, &mut to));
            child.wait_with_output().map_err(|error| self.failed("wait for ssh", error.to_string()))
        })
    }

    /// The same where only success will do.
    pub(crate) fn must(&self, step: &str, words: &str, input: &mut (dyn Read + Send)) -> Result<Vec<u8>, BoardError> {
        let output = self.output(words, input)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(self.failed(step, last_lines(&String::from_utf8_lossy(&output.stderr))))
    }

    /// A step that failed.
    pub(crate) fn failed(&self, step: impl Into<String>, answer: String) -> BoardError {
        BoardError::Step { address: self.ssh.address.to_string(), step: step.into(), answer }
    }

    /// A command without a guard.
    pub(crate) fn unguarded(&self) -> BoardError {
        BoardError::Unguarded { address: self.ssh.address.to_string(), folder: self.job().to_string() }
    }

    /// The address of the job.
    pub(crate) fn job(&self) -> Address {
        self.ssh.address.at(&self.survey.folder)
    }

    /// True while the connection stands.
    pub(crate) fn stands(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The session, while the connection stands.
    pub(crate) fn standing(mut self) -> Option<Self> {
        self.stands().then_some(self)
    }

    /// The session with a folder as it was before the job, where the board says so.
    pub(crate) fn emptied(self) -> Option<Self> {
        let line = format!(
            "cd {} && rm -rf in out guard command status status.new interrupt && mkdir in out",
            shell::quoted(&self.survey.folder)
        );
        self.must("empty the command's folder", &line, &mut std::io::empty()).is_ok().then_some(self)
    }

    /// Tells the board something.
    pub(crate) fn tell(&self, word: Word) {
        if let Some(words) = &self.words {
            let _ = words.send(word);
        }
    }

    /// Removes the folder; false where the board did not say that it is gone.
    pub(crate) fn remove(mut self) -> bool {
        self.tell(Word::Remove);
        let mut answer = String::new();
        self.answers.read_to_string(&mut answer).is_ok_and(|_| answer.contains("removed"))
    }

    /// Ends a session whose job failed. The folder goes unless its results are still needed.
    pub(crate) fn give_up(self, error: BoardError) -> BoardError {
        if matches!(error, BoardError::Taken { .. }) {
            self.remove();
        }
        error
    }

    /// Ends the connection and lets the job go on.
    pub(crate) fn keep(mut self) {
        self.tell(Word::Keep);
        let mut rest = String::new();
        let _ = self.answers.read_to_string(&mut rest);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.words.take());
        if let Some(beating) = self.beating.take() {
            let _ = beating.join();
        }
        // The script ends with its input; a connection that is lost does not, so that its client is ended.
        for _ in 0..20 {
            if !self.stands() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A beat each second, and what the board is told, until nobody is left to tell or to hear.
fn beat(mut input: ChildStdin, words: &mpsc::Receiver<Word>) {
    loop {
        let line = match words.recv_timeout(BEAT) {
            Err(RecvTimeoutError::Timeout) => "beat\n",
            Ok(Word::Interrupt) => "interrupt\n",
            Ok(Word::Keep) => "keep\n",
            Ok(Word::Remove) => "remove\n",
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Why there is no connection, from the client's last lines.
fn refused(address: &Address, child: &mut Child) -> BoardError {
    let mut said = String::new();
    if let Some(errors) = &mut child.stderr {
        let _ = errors.read_to_string(&mut said);
    }
    let _ = child.wait();
    let (remedy, answer) = (ssh::remedy(&said), last_lines(&said));
    BoardError::Connect { address: address.to_string(), answer, remedy }
}

/// The last lines of what a program said, as one.
pub(crate) fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "no reason was given".into() } else { lines[lines.len().saturating_sub(3)..].join(" ") }
}
