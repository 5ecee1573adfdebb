//! What runs on the board beside the command: it passes the user's interrupt on, ends the command when the connection is
//! lost, and removes the job's folder in the end.

use crate::pack;
use prazo_sys::process::ProcessHandle;
use prazo_sys::{child, signal};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The hidden first word of this program's own calls on a board.
pub(crate) const WORD: &str = "__prazo-board";

/// Without a beat for this long, the connection is lost.
pub const SILENCE: Duration = Duration::from_secs(6);

/// How long a job without a connection stays after its end.
pub(crate) const KEPT: Duration = Duration::from_secs(3_600);

/// How long the command has to end by itself after SIGINT, and then after SIGTERM.
const PATIENCE: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(15)];

/// How often the guard looks; it has nothing else to do.
const LOOK: Duration = Duration::from_millis(500);

/// Runs one of this program's own calls on a board: `__prazo-board guard|detach|pack|unpack FOLDER [COMMAND ...]`. `None` for
/// everything else. `words` begin behind the program's name.
pub fn child_main(words: &[OsString]) -> Option<ExitCode> {
    let [word, action, folder, rest @ ..] = words else { return None };
    if word != WORD {
        return None;
    }
    let folder = Path::new(folder);
    let done = match action.to_str()? {
        "guard" => guard(folder, rest, false),
        "detached" => guard(folder, rest, true),
        "detach" => detach(folder, rest).map(|()| ExitCode::SUCCESS),
        "pack" => pack::pack(folder, io::stdout().lock()).map(|()| ExitCode::SUCCESS),
        "unpack" => pack::unpack(folder, io::stdin().lock()).map(|_| ExitCode::SUCCESS),
        _ => return None,
    };
    Some(done.unwrap_or_else(|error| {
        // There is no library between here and the connection.
        let _ = io::Write::write_all(&mut io::stderr(), format!("prazo: {}: {error}\n", folder.display()).as_bytes());
        ExitCode::from(4)
    }))
}

/// Starts the guard in a session of its own, with its output in files, and returns.
fn detach(folder: &Path, words: &[OsString]) -> io::Result<()> {
    let mut guard = Command::new(std::env::current_exe()?);
    guard.args([OsStr::new(WORD), OsStr::new("detached"), folder.as_os_str()]).args(words).stdin(Stdio::null());
    guard.stdout(File::create(folder.join("stdout"))?).stderr(File::create(folder.join("stderr"))?);
    child::start_own_session(&mut guard);
    let started = guard.spawn()?;
    // From here on the folder is the guard's.
    std::fs::write(folder.join("guard"), started.id().to_string())
}

/// Runs the command in the job's folder and watches over it to its end.
fn guard(folder: &Path, words: &[OsString], detached: bool) -> io::Result<ExitCode> {
    signal::outlive_interrupts()?;
    std::fs::write(folder.join("guard"), std::process::id().to_string())?;
    let program = std::env::current_exe()?;
    let mut command = Command::new(&program);
    let mut child = command.args(words).current_dir(folder.join("out")).spawn()?;
    // For whoever asks whether it lives when this guard was killed.
    std::fs::write(folder.join("command"), child.id().to_string())?;
    let handle = ProcessHandle::open(child.id())?;
    let mut watch = Watch::new(folder, detached);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if let Some(number) = watch.due_signal(Instant::now()) {
            send(&handle, number);
        }
        std::thread::sleep(LOOK);
    };
    if status.signal().is_some() {
        // Whoever is killed puts nothing back; any later start does.
        let mut check = Command::new(program);
        let _ =
            check.args(["check", "--json"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    let code = code(status);
    let written = std::fs::write(folder.join("status.new"), code.to_string());
    let _ = written.and_then(|()| std::fs::rename(folder.join("status.new"), folder.join("status")));
    if detached || watch.is_lost() {
        keep_for_a_while(folder);
    }
    Ok(ExitCode::from(code))
}

/// A command that a signal ended has the status that shells give it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(4)
}

fn send(handle: &ProcessHandle, number: i32) {
    // One that has just ended needs no signal.
    let _ = handle.signal(number);
}

/// Leaves the folder until it is fetched or an hour is over; an empty one goes at once.
fn keep_for_a_while(folder: &Path) {
    let mut watch = Watch::new(folder, true);
    let has_results = std::fs::read_dir(folder.join("out")).is_ok_and(|mut entries| entries.next().is_some())
        || std::fs::metadata(folder.join("stdout")).is_ok_and(|file| file.len() > 0);
    // Whoever comes back for them beats, and the time begins anew.
    while has_results && folder.exists() && watch.silence(Instant::now()) < KEPT {
        std::thread::sleep(LOOK);
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// Whether somebody is still there, and which signal the command is due.
struct Watch {
    beat: PathBuf,
    interrupt: PathBuf,
    detached: bool,
    /// The last beat's time by the board's clock, which may jump: only that it changes counts.
    last: Option<SystemTime>,
    /// When it changed, by a clock that does not jump.
    changed: Instant,
    lost: bool,
    /// Since when the command is asked to end, and how many signals it got.
    ending: Option<(Instant, usize)>,
}

impl Watch {
    fn new(folder: &Path, detached: bool) -> Self {
        let (beat, interrupt) = (folder.join("beat"), folder.join("interrupt"));
        Self { beat, interrupt, detached, last: None, changed: Instant::now(), lost: false, ending: None }
    }

    fn is_lost(&self) -> bool {
        self.lost
    }

    /// Looks, and says for how long no beat has come.
    fn silence(&mut self, now: Instant) -> Duration {
        let beat = std::fs::metadata(&self.beat).and_then(|file| file.modified()).ok();
        if beat != self.last {
            (self.last, self.changed) = (beat, now);
        }
        now.duration_since(self.changed)
    }

    /// Looks, and says which signal is to be sent now.
    fn due_signal(&mut self, now: Instant) -> Option<i32> {
        let silent = self.silence(now) > SILENCE;
        self.lost |= silent && !self.detached;
        let wanted = self.lost || std::fs::remove_file(&self.interrupt).is_ok();
        match self.ending {
            None if wanted => {
                self.ending = Some((now, 1));
                Some(libc::SIGINT)
            }
            // A second interrupt of the user's.
            Some((_, 1)) if wanted && !self.lost => Some(libc::SIGINT),
            // Whoever interrupts waits as long as they like; without a connection nobody does.
            Some((since, sent @ 1..=2)) if self.lost && now.duration_since(since) > PATIENCE[sent - 1] => {
                self.ending = Some((since, sent + 1));
                Some([libc::SIGTERM, libc::SIGKILL][sent - 1])
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_connection_ends_the_command_step_by_step() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::new(folder.path(), false);
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        std::fs::write(folder.path().join("beat"), "").unwrap();
        assert_eq!(watch.due_signal(after(1)), None);
        assert_eq!(watch.due_signal(after(7)), None, "six seconds are allowed");
        assert_eq!(watch.due_signal(after(8)), Some(libc::SIGINT));
        assert_eq!(watch.due_signal(after(9)), None);
        assert_eq!(watch.due_signal(after(19)), Some(libc::SIGTERM));
        assert_eq!(watch.due_signal(after(24)), Some(libc::SIGKILL));
        assert_eq!(watch.due_signal(after(60)), None);
        assert!(watch.is_lost());
    }

    #[test]
    fn a_beat_ends_the_silence() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::new(folder.path(), true);
        let start = Instant::now() + Duration::from_secs(1);
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        assert!(watch.silence(after(3_000)) > Duration::from_secs(3_000), "no beat has come");
        std::fs::write(folder.path().join("beat"), "").unwrap();
        assert_eq!(watch.silence(after(3_500)), Duration::ZERO);
        assert_eq!(watch.silence(after(3_600)), Duration::from_secs(100));
    }

    #[test]
    fn the_users_interrupt_is_passed_on_once_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::new(folder.path(), true);
        let later = Instant::now() + Duration::from_secs(100);
        assert_eq!(watch.due_signal(later), None, "a detached job waits for no beat");
        for _ in 0..2 {
            std::fs::write(folder.path().join("interrupt"), "").unwrap();
            assert_eq!(watch.due_signal(later), Some(libc::SIGINT));
            assert_eq!(watch.due_signal(later), None);
        }
        assert!(!watch.is_lost());
    }

    /// Not tried end to end: a time namespace has no CLOCK_REALTIME of its own, and the machine's is not a test's to set.
    #[test]
    fn a_clock_that_jumps_back_is_still_a_beat() {
        let folder = tempfile::tempdir().unwrap();
        let beat = folder.path().join("beat");
        std::fs::write(&beat, "").unwrap();
        let mut watch = Watch::new(folder.path(), false);
        let start = Instant::now();
        assert_eq!(watch.due_signal(start), None);
        let past = SystemTime::now() - Duration::from_secs(100_000);
        File::options().write(true).open(&beat).unwrap().set_modified(past).unwrap();
        assert_eq!(watch.due_signal(start + Duration::from_secs(5)), None);
        assert_eq!(watch.due_signal(start + Duration::from_secs(10)), None);
        assert!(!watch.is_lost());
    }

    #[test]
    fn a_status_is_that_of_the_command_or_of_its_signal() {
        assert_eq!(code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code(ExitStatus::from_raw(9)), 137);
    }
}
