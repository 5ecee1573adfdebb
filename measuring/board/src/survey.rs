//! What a board says of itself.

use crate::address::Address;
use crate::error::BoardError;
use std::io::BufRead;

/// The script that describes the board and keeps the job's folder.
pub(crate) const SCRIPT: &str = include_str!("survey.sh");

/// What a board says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// `uname -m`.
    pub(crate) machine: String,
    /// `uname -r`.
    pub(crate) kernel: String,
    /// What is free where the folder is, in KiB.
    pub(crate) free_kib: u64,
    /// The job's folder.
    pub(crate) folder: String,
    /// How an earlier job ended; `None` where there is none, or it runs.
    pub(crate) ended: Option<Ended>,
}

/// How an earlier job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With a status.
    Status(u8),
    /// Nobody knows: the process that watched over it was killed.
    Unguarded,
}

impl Ended {
    fn of(word: &str) -> Option<Self> {
        if word == "unguarded" { Some(Self::Unguarded) } else { word.parse().ok().map(Self::Status) }
    }
}

/// Reads the script's lines up to the folder, which is its last.
pub(crate) fn read(address: &Address, lines: &mut impl BufRead) -> Result<Option<Survey>, BoardError> {
    let mut survey = Survey::default();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or(0) == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "machine" => survey.machine = rest.to_owned(),
            "kernel" => survey.kernel = rest.to_owned(),
            "free-kib" => survey.free_kib = rest.parse().unwrap_or(0),
            "ended" => survey.ended = Ended::of(rest),
            "folder" if !survey.machine.is_empty() => {
                survey.folder = rest.to_owned();
                return Ok(Some(survey));
            }
            "no-folder" => return Err(no_folder(address, rest)),
            "no-job" => {
                return Err(BoardError::NoJob {
                    address: address.to_string(),
                    answer: format!("{rest} is not the folder of a prazo command"),
                });
            }
            _ => return Err(BoardError::Survey { address: address.to_string(), answer: line.to_owned() }),
        }
    }
}

fn no_folder(address: &Address, tried: &str) -> BoardError {
    let reason = |one: &str| match one.rsplit_once(':') {
        Some((folder, "cannot-execute")) => format!("{folder} does not allow programs to be executed (noexec)"),
        Some((folder, _)) => format!("{folder} cannot be written"),
        None => one.to_owned(),
    };
    let tried = tried.split_whitespace().map(reason).collect::<Vec<_>>().join(", ");
    BoardError::NoFolder { address: address.to_string(), tried, example: address.at("/mnt/data").to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, Permissions};
    use std::io::{BufReader, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant, SystemTime};

    fn address() -> Address {
        "ssh://board".parse().unwrap()
    }

    fn script(words: &[&str], input: &[u8]) -> String {
        answer(Command::new("sh").args(["-c", SCRIPT, "sh"]).args(words), input)
    }

    fn answer(shell: &mut Command, input: &[u8]) -> String {
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdin.take().unwrap().write_all(input).unwrap();
        String::from_utf8(shell.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn this_machine_describes_itself_and_the_folder_goes_with_the_connection() {
        let place = tempfile::tempdir().unwrap();
        let lines = script(&["new", place.path().to_str().unwrap(), "3600"], b"beat\n");
        let survey = read(&address(), &mut BufReader::new(lines.as_bytes())).unwrap().unwrap();
        assert_eq!(survey.machine, std::env::consts::ARCH);
        assert!(survey.free_kib > 0 && survey.folder.starts_with(place.path().to_str().unwrap()), "{survey:?}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing is left");
    }

    /// The folder of a job whose guard is this process.
    fn job(place: &Path) -> PathBuf {
        let folder = place.join("prazo-1");
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(std::env::current_exe().unwrap(), folder.join("prazo")).unwrap();
        std::fs::write(folder.join("guard"), std::process::id().to_string()).unwrap();
        folder
    }

    fn within(limit: Duration, holds: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        while !holds() && began.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(50));
        }
        holds()
    }

    #[test]
    fn results_that_a_lost_connection_left_behind_wait_and_then_go() {
        for ending in ["the guard wrote down the status and ended", "the guard was killed"] {
            let place = tempfile::tempdir().unwrap();
            let folder = job(place.path());
            if ending.contains("status") {
                std::fs::write(folder.join("status"), "0").unwrap();
            } else {
                let mut ended = Command::new("true").spawn().unwrap();
                ended.wait().unwrap();
                std::fs::write(folder.join("guard"), ended.id().to_string()).unwrap();
            }
            script(&["found", folder.to_str().unwrap(), "2"], b"beat\n");
            assert!(folder.exists(), "{ending}: results can be fetched");
            assert!(within(Duration::from_secs(10), || !folder.exists()), "{ending}: and then nothing is left");
        }
    }

    #[test]
    fn a_command_whose_guard_was_killed_keeps_its_folder_until_it_has_ended() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        let mut guard = Command::new("true").spawn().unwrap();
        guard.wait().unwrap();
        std::fs::write(folder.join("guard"), guard.id().to_string()).unwrap();
        std::fs::remove_file(folder.join("prazo")).unwrap();
        // A program that this process writes cannot be started while another test's new process holds the file open.
        assert!(Command::new("cp").arg("/bin/sleep").arg(folder.join("prazo")).status().unwrap().success());
        let mut command = Command::new(folder.join("prazo")).arg("600").spawn().unwrap();
        std::fs::write(folder.join("command"), command.id().to_string()).unwrap();
        let name = folder.to_str().unwrap();
        let ended = || {
            let lines = script(&["found", name, "2"], b"keep\n");
            read(&address(), &mut BufReader::new(lines.as_bytes())).unwrap().unwrap().ended
        };
        assert_eq!(ended(), None, "it still runs");
        script(&["found", name, "1"], b"beat\n");
        let is_removed = within(Duration::from_secs(4), || !folder.exists());
        command.kill().unwrap();
        command.wait().unwrap();
        assert!(!is_removed, "its folder is in use");
        assert!(within(Duration::from_secs(10), || !folder.exists()), "then nothing is left");
        // Other processes have the numbers.
        let folder = job(place.path());
        std::fs::remove_file(folder.join("prazo")).unwrap();
        std::fs::write(folder.join("prazo"), "").unwrap();
        std::fs::write(folder.join("command"), std::process::id().to_string()).unwrap();
        assert_eq!(ended(), Some(Ended::Unguarded), "nobody knows how it ended");
    }

    #[test]
    fn whoever_comes_back_for_results_does_not_lose_them() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        std::fs::write(folder.join("status"), "0").unwrap();
        script(&["found", folder.to_str().unwrap(), "3"], b"beat\n");
        for _ in 0..12 {
            std::thread::sleep(Duration::from_millis(500));
            std::fs::write(folder.join("beat"), "").expect("the folder of a connection that beats is there");
        }
        assert!(within(Duration::from_secs(15), || !folder.exists()), "without beats the folder is removed");
    }

    /// Sets a file's time to so many seconds before now.
    fn set_back(file: &Path, seconds: u64) {
        let past = SystemTime::now() - Duration::from_secs(seconds);
        File::options().write(true).open(file).unwrap().set_modified(past).unwrap();
    }

    #[test]
    fn beats_of_a_clock_that_was_set_back_keep_the_results() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        std::fs::write(folder.join("status"), "0").unwrap();
        script(&["found", folder.to_str().unwrap(), "3"], b"beat\n");
        for beat in 0..12 {
            std::thread::sleep(Duration::from_millis(500));
            assert!(folder.exists(), "the folder of a connection that beats is there");
            // The clock jumps back by a day and goes on from there.
            set_back(&folder.join("beat"), 86_400 - beat);
        }
        assert!(within(Duration::from_secs(15), || !folder.exists()), "without beats the folder is removed");
    }

    #[test]
    fn where_a_file_s_time_cannot_be_copied_later_beats_count_and_the_folder_still_goes() {
        let place = tempfile::tempdir().unwrap();
        // The first copies nothing, the second, as some boards do, no more than whole seconds.
        for touch in ["exit 1", "exec /usr/bin/touch -d \"$(date -r \"$2\" '+%F %T')\" \"$3\""] {
            let folder = job(place.path());
            std::fs::write(folder.join("status"), "0").unwrap();
            let programs = tempfile::tempdir().unwrap();
            std::fs::write(programs.path().join("touch"), format!("#!/bin/sh\n{touch}\n")).unwrap();
            std::fs::set_permissions(programs.path().join("touch"), Permissions::from_mode(0o700)).unwrap();
            let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
            let mut shell = Command::new("sh");
            shell.args(["-c", SCRIPT, "sh", "found", folder.to_str().unwrap(), "3"]).env("PATH", path);
            answer(&mut shell, b"beat\n");
            for _ in 0..8 {
                std::thread::sleep(Duration::from_millis(500));
                std::fs::write(folder.join("beat"), "").expect("the folder of a connection that beats is there");
            }
            assert!(within(Duration::from_secs(15), || !folder.exists()), "without beats the folder is removed");
        }
    }

    #[test]
    fn a_guard_that_still_runs_keeps_its_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        script(&["found", folder.to_str().unwrap(), "1"], b"beat\n");
        assert!(!within(Duration::from_secs(3), || !folder.exists()), "the command has not ended");
        std::fs::remove_file(folder.join("guard")).unwrap();
        assert!(within(Duration::from_secs(5), || !folder.exists()), "without a guard there are no results");
    }

    #[test]
    fn a_guarded_folder_stays_until_it_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        std::fs::write(folder.join("status"), "3").unwrap();
        let name = folder.to_str().unwrap();
        let lines = script(&["found", name, "3600"], b"beat\n");
        let survey = read(&address(), &mut BufReader::new(lines.as_bytes())).unwrap().unwrap();
        assert_eq!(survey.ended, Some(Ended::Status(3)));
        assert!(folder.join("beat").exists());
        assert!(script(&["found", name, "3600"], b"remove\n").ends_with("removed\n"));
        assert!(!folder.exists());
        let lines = script(&["found", name, "3600"], b"");
        let error = read(&address(), &mut BufReader::new(lines.as_bytes())).unwrap_err();
        assert!(matches!(error, BoardError::NoJob { .. }), "{error}");
    }

    #[test]
    fn a_folder_that_is_written_to_while_it_is_removed_is_removed_and_one_that_stays_is_not_called_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = job(place.path());
        let name = folder.to_str().unwrap();
        let removing = |rm: &str| {
            std::fs::write(place.path().join("rm"), format!("#!/bin/sh\n{rm}\n")).unwrap();
            std::fs::set_permissions(place.path().join("rm"), Permissions::from_mode(0o700)).unwrap();
            let path = format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap());
            answer(Command::new("sh").args(["-c", SCRIPT, "sh", "found", name, "3600"]).env("PATH", path), b"remove\n")
        };
        assert!(!removing("exit 1").contains("removed") && folder.exists());
        // The first time, a file appears once all others are gone.
        let first = "[ -e \"$0.tried\" ] && PATH=/usr/bin:/bin exec rm \"$@\"; : >\"$0.tried\"; \
                     /bin/rm -rf \"$2\"/*; : >\"$2/seen.1\"; exit 1";
        assert!(removing(first).ends_with("removed\n") && !folder.exists());
    }

    #[test]
    fn a_board_without_a_folder_names_each_with_its_reason() {
        let lines = script(&["new", "/proc /nowhere", "3600"], b"");
        let error = read(&address(), &mut BufReader::new(lines.as_bytes())).unwrap_err().to_string();
        assert!(error.contains("/proc cannot be written, /nowhere cannot be written"), "{error}");
    }

    #[test]
    fn a_talkative_login_is_named() {
        let error = read(&address(), &mut BufReader::new(&b"Welcome to the board\n"[..])).unwrap_err().to_string();
        assert!(error.contains("'Welcome to the board'"), "{error}");
        assert_eq!(read(&address(), &mut BufReader::new(&b""[..])).unwrap(), None);
    }
}
