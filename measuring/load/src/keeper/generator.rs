//! The programs of a load while it is on: started, started again after each pass, and judged when they end.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::super::load_kind::{Invocation, Lasts};
use super::network::Network;
use super::request::KeeperRequest;
use prazo_sys::child::tie_to_caller;

pub(super) use super::super::load_kind::Side;

/// How often in a row a finite program may fail before the load counts as dead.
const FAILURES_MAX: u32 = 3;
/// How long a server may take to listen.
const LISTEN_PATIENCE: Duration = Duration::from_secs(3);

/// The programs of one load.
#[derive(Debug)]
pub(super) struct Generator {
    steps: Vec<Invocation>,
    path: String,
    folder: PathBuf,
    running: BTreeMap<u32, usize>,
    failures: u32,
    /// Passes of finite programs so far.
    pub passes: u64,
}

impl Generator {
    /// The programs `steps`, none of them started.
    pub(super) fn new(request: &KeeperRequest, steps: Vec<Invocation>) -> Self {
        let (path, folder) = (request.path.clone(), request.work.clone());
        Self { steps, path, folder, running: BTreeMap::new(), failures: 0, passes: 0 }
    }

    /// Starts all programs, in order; a step behind a server waits until that listens.
    pub(super) fn start(&mut self, network: Option<&Network>) -> io::Result<()> {
        self.failures = 0;
        (0..self.steps.len()).try_for_each(|step| self.start_step(step, network))
    }

    /// Forgets what ran: to be called when all of it has been ended.
    pub(super) fn forget(&mut self) {
        self.running.clear();
    }

    /// Takes note that `pid` has ended: starts the next pass, or says why the load is dead. Orphans are nobody's step.
    pub(super) fn ended(&mut self, pid: u32, status: ExitStatus, network: Option<&Network>) -> Result<(), String> {
        let Some(step) = self.running.remove(&pid) else { return Ok(()) };
        match self.steps[step].lasts {
            Lasts::OnePass(good) if status.code().is_some_and(|code| good.contains(&code)) => {
                self.passes += 1;
                self.failures = 0;
            }
            Lasts::OnePass(_) if self.failures + 1 < FAILURES_MAX => self.failures += 1,
            _ => return Err(self.obituary(step, &status.to_string())),
        }
        self.start_step(step, network).map_err(|error| self.obituary(step, &error.to_string()))
    }

    fn start_step(&mut self, step: usize, network: Option<&Network>) -> io::Result<()> {
        let mut command = self.command(step)?;
        let mut spawn = move || command.spawn();
        let child = match network {
            Some(network) => network.at(self.steps[step].side, &mut spawn),
            None => spawn(),
        };
        let child = child.map_err(|error| io::Error::new(error.kind(), self.obituary(step, &error.to_string())))?;
        self.running.insert(child.id(), step);
        match self.steps[step].lasts {
            Lasts::ForEverListening(port) => wait_until_listening(port),
            _ => Ok(()),
        }
    }

    fn command(&self, step: usize) -> io::Result<Command> {
        let mut command = Command::new(self.steps[step].program);
        command.args(&self.steps[step].arguments).env_clear().env("PATH", &self.path).env("LC_ALL", "C");
        command.env("TMPDIR", &self.folder).env("HOME", &self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(self.words(step))?);
        tie_to_caller(&mut command);
        Ok(command)
    }

    /// The file that a step's standard error goes to.
    fn words(&self, step: usize) -> PathBuf {
        self.folder.join(format!("stderr-{step}"))
    }

    fn obituary(&self, step: usize, how: &str) -> String {
        let last = last_words(&self.words(step)).unwrap_or_default();
        let last = if last.is_empty() {
            "the command printed no error message".into()
        } else {
            format!("the command's error output ended with: {last}")
        };
        format!("'{}' failed ({how}); {last}", self.steps[step].command_line())
    }
}

/// The end of a file, as one line of at most a few hundred characters.
fn last_words(path: &std::path::Path) -> io::Result<String> {
    const MOST: u64 = 300;
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MOST)))?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" "))
}

fn wait_until_listening(port: u16) -> io::Result<()> {
    let until = Instant::now() + LISTEN_PATIENCE;
    while !listens(&fs::read_to_string("/proc/thread-self/net/tcp")?, port) {
        if Instant::now() > until {
            return Err(io::Error::other(format!(
                "the load's server did not start to listen on TCP port {port} within {} s",
                LISTEN_PATIENCE.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// True if the text of /proc/net/tcp shows a socket in the state LISTEN (0A) at this port.
fn listens(table: &str, port: u16) -> bool {
    let port = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next().is_some_and(|local| local.ends_with(&port)) && words.nth(1) == Some("0A")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_listening_socket_at_the_port_counts() {
        let table = "  sl  local_address rem_address   st\n   0: 0100000A:1451 00000000:0000 0A 0\n   1: 0100000A:0050 0100000A:1452 01 0\n";
        assert!(listens(table, 5201));
        assert!(!listens(table, 80) && !listens(table, 5202));
    }

    #[test]
    fn last_words_are_short_whatever_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        fs::write(&path, [b"x".repeat(1 << 20), b"\n\xff the end\n".to_vec()].concat()).unwrap();
        let words = last_words(&path).unwrap();
        assert!(words.ends_with("the end") && words.len() < 400, "{words}");
        assert!(last_words(&folder.path().join("none")).is_err());
    }
}
