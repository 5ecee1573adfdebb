//! What a foreign program prints for its version: one line, in one language, and never waited for long.

use crate::foreign_programs::Program;
use crate::programs;
use prazo_sys::poll::wait_readable;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first line that `program`, which is the file `found`, prints when it is asked for its version; `None` where it
/// prints none within two seconds.
///
/// The user's locale does not count, so that equal programs have equal versions everywhere.
pub fn program_version(program: &Program, found: &Path) -> Option<String> {
    let mut command = Command::new(found);
    command.arg(program.version).env("PATH", programs::search_path()).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let until = Instant::now() + PATIENCE;
    let printed = child.stdout.take().and_then(|pipe| first_line(pipe, until));
    let printed = printed.or_else(|| child.stderr.take().and_then(|pipe| first_line(pipe, until)));
    // It has said enough, or will not say anything; one that has ended by itself cannot be killed, which is as well.
    let _ = child.kill();
    let _ = child.wait();
    printed
}

/// The first line that is not blank, if it comes in time.
fn first_line(mut pipe: impl Read + AsFd, until: Instant) -> Option<String> {
    let mut printed = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now()).as_millis() as u32;
        let mut bytes = [0; 1024];
        let taken = if wait_readable([pipe.as_fd()], Some(left)) == [true] { pipe.read(&mut bytes).ok()? } else { 0 };
        printed.extend(&bytes[..taken]);
        let text = String::from_utf8_lossy(&printed);
        let whole = if taken == 0 { text.as_ref() } else { text.rsplit_once('\n').map_or("", |(whole, _)| whole) };
        let line = whole.lines().map(str::trim).find(|line| !line.is_empty());
        if line.is_some() || taken == 0 {
            return line.map(String::from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign_programs::CAT;

    #[test]
    fn a_version_is_one_line() {
        let line = program_version(&CAT, Path::new("/bin/cat")).unwrap();
        assert!(line.starts_with("cat ") && !line.contains('\n'), "{line}");
    }

    #[test]
    fn a_version_may_come_on_standard_error_in_pieces_or_never() {
        let folder = tempfile::tempdir().unwrap();
        let printed = |text: &str| {
            let file = folder.path().join("program");
            std::fs::write(&file, format!("{text}\n")).unwrap();
            let version: &str = Box::leak(file.display().to_string().into_boxed_str());
            program_version(&Program { name: "program", package: "none", version }, Path::new("/bin/sh"))
        };
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(printed("echo; printf 'program 1'; sleep 0.05; echo .2; echo more"), line("program 1.2"));
        assert_eq!(printed("echo 'program 3' >&2"), line("program 3"));
        assert_eq!(printed("printf unfinished"), line("unfinished"));
        assert_eq!(printed("exit 1"), None);
        assert_eq!(printed("exec sleep 60"), None);
        assert_eq!(printed("echo in $LC_ALL"), line("in C"));
    }
}
