//! Prazo's view of one load: its keeper as a child process, and what that has reported so far.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use prazo_run::Caveat;

use super::counters::Counters;
use super::error::LoadError;
use super::folder;
use super::keeper::{self, KeeperRequest, Report};
use prazo_sys::poll::wait_readable;

/// How often it looks whether the caller was asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// One load under its keeper.
#[derive(Debug)]
pub(super) struct Kept {
    pub request: KeeperRequest,
    outer: Child,
    socket: UnixStream,
    unread: Vec<u8>,
    /// The generators' commands, once it is ready.
    pub commands: Vec<String>,
    pub history: History,
}

/// What a load did, as its keeper reported it; times in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// When it was on.
    pub on_ns: Vec<(u64, u64)>,
    /// Since when it has been on, if it is.
    pub on_since_ns: Option<u64>,
    /// What was counted while it was on; `None` before the first count.
    pub counted: Option<Counters>,
    /// Why it is dead, and since when; the first reason.
    pub died: Option<(u64, String)>,
    /// Threats that the keeper noticed.
    pub caveats: Vec<Caveat>,
    /// Processes that could not be ended.
    pub left: Vec<u32>,
    /// Why the load is not held as tightly as asked.
    pub refused: Vec<String>,
}

/// What became of a keeper while its answer was awaited.
pub(super) enum Answer {
    Ready,
    Refused(String),
}

impl Kept {
    /// Starts the keeper; the load itself waits for [`Kept::go`].
    pub(crate) fn spawn(request: KeeperRequest, executable: &Path) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Keeper { load: request.load.clone(), executable: executable.into(), source };
        let (socket, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = Command::new(executable);
        command.args(keeper::arguments("outer", &request)).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        let outer = command.spawn().map_err(failed)?;
        let (unread, commands) = (Vec::new(), Vec::new());
        Ok(Self { request, outer, socket, unread, commands, history: History::default() })
    }

    /// The number of the keeper's outer half, as prazo sees it.
    pub(crate) fn pid(&self) -> u32 {
        self.outer.id()
    }

    /// The load's folder.
    pub(crate) fn work(&self) -> PathBuf {
        self.request.work.clone()
    }

    /// Waits until the load is prepared.
    pub(crate) fn answer(&mut self, within: Duration, is_stopped: &dyn Fn() -> bool) -> Result<Answer, LoadError> {
        let until = Instant::now() + within;
        loop {
            match self.next_report(Some(until.min(Instant::now() + LOOK_EVERY))) {
                Ok(Some(Report::Ready { commands, caveats })) => {
                    self.commands = commands;
                    self.history.caveats.extend(caveats);
                    return Ok(Answer::Ready);
                }
                Ok(Some(Report::Refused { why })) => return Ok(Answer::Refused(why)),
                Ok(Some(Report::Failed { what })) => {
                    return Err(LoadError::SetUp { load: self.request.load.clone(), what });
                }
                Ok(Some(other)) => self.history.note(other),
                Ok(None) if is_stopped() => return Err(LoadError::Stopped { load: self.request.load.clone() }),
                Ok(None) if Instant::now() < until => {}
                Ok(None) => return Err(self.silent(format!("no answer within {} s", within.as_secs()))),
                Err(error) => return Err(self.silent(error.to_string())),
            }
        }
    }

    fn silent(&self, what: String) -> LoadError {
        let executable = std::env::current_exe().unwrap_or_default();
        LoadError::Silent { load: self.request.load.clone(), executable, what }
    }

    /// Turns the load on, from now on in its rhythm.
    pub(crate) fn go(&mut self) {
        if let Err(error) = keeper::go(&self.socket) {
            self.history.bury(format!("the load's supervisor process did not receive the start command: {error}"));
        }
    }

    /// Takes in what was reported since the last call, without waiting.
    pub(crate) fn listen(&mut self) {
        loop {
            match self.next_report(Some(Instant::now())) {
                Ok(Some(report)) => self.history.note(report),
                Ok(None) => return,
                Err(error) => return self.history.bury(format!("the load's supervisor process has ended: {error}")),
            }
        }
    }

    /// Asks the keeper to end, without waiting for it.
    pub(crate) fn ask_to_end(&self) {
        // One that is gone already needs no asking.
        let _ = self.socket.shutdown(Shutdown::Write);
    }

    /// Waits for the keeper's last reports and its end; one that takes too long is killed, and its load with it.
    pub(crate) fn see_end(&mut self, within: Duration) {
        let until = Instant::now() + within;
        while let Ok(Some(report)) = self.next_report(Some(until)) {
            self.history.note(report);
        }
        if !matches!(self.outer.try_wait(), Ok(Some(_))) && !self.ends_before(until) {
            let _ = self.outer.kill();
            let what =
                format!("the load's supervisor process did not end within {} s and was killed", within.as_secs());
            self.history.bury(what);
        }
        let _ = self.outer.wait();
        // A supervisor that was killed has not done it.
        folder::remove(&self.request.work);
        self.history.close(prazo_sys::clock::monotonic_ns());
    }

    fn ends_before(&mut self, until: Instant) -> bool {
        let Ok(handle) = prazo_sys::process::ProcessHandle::open(self.outer.id()) else { return true };
        let left = until.saturating_duration_since(Instant::now()).as_millis() as u32;
        wait_readable([std::os::fd::AsFd::as_fd(&handle)], Some(left)) == [true]
    }

    /// The next report; `None` if none has come by `until`, an error if none will come any more.
    fn next_report(&mut self, until: Option<Instant>) -> io::Result<Option<Report>> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).map(Some).map_err(io::Error::from);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()).as_millis() as u32);
            if wait_readable([std::os::fd::AsFd::as_fd(&self.socket)], left) == [false] {
                return Ok(None);
            }
            let mut bytes = [0; 4096];
            match (&self.socket).read(&mut bytes)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                taken => self.unread.extend(&bytes[..taken]),
            }
        }
    }
}

impl History {
    fn note(&mut self, report: Report) {
        match report {
            Report::On { at_ns } => self.on_since_ns = Some(at_ns),
            Report::Off { from_ns, to_ns, counted } => {
                self.on_since_ns = None;
                self.on_ns.push((from_ns, to_ns));
                self.counted = Some(self.counted.take().map_or_else(|| *counted.clone(), |sum| sum.plus(&counted)));
            }
            Report::Died { at_ns, what } => drop(self.died.get_or_insert((at_ns, what))),
            Report::Left { pids } => self.left.extend(pids),
            Report::Ready { .. } | Report::Refused { .. } | Report::Failed { .. } => {}
        }
    }

    fn bury(&mut self, what: String) {
        self.died.get_or_insert((prazo_sys::clock::monotonic_ns(), what));
    }

    /// A keeper that ended without a last word: its load was on until somebody noticed.
    fn close(&mut self, now_ns: u64) {
        if let Some(since_ns) = self.on_since_ns.take() {
            self.on_ns.push((since_ns, now_ns));
            self.counted = None;
            self.bury("the load's supervisor process ended without a count".into());
        }
    }

    /// How long it was on, in seconds.
    pub(crate) fn on_seconds(&self) -> f64 {
        self.on_ns.iter().map(|(from, to)| to.saturating_sub(*from)).sum::<u64>() as f64 / 1e9
    }
}
