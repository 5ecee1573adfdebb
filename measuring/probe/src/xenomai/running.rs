//! A tool that runs: started, looked at ten times a second, ended by its id, and its words kept.

use super::error::XenomaiError;
use prazo_core::time::Duration;
use prazo_engine::StopFlag;
use prazo_sys::child::tie_to_caller;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// How often it is looked at.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);
/// The most that is read of what it prints.
const BYTES_MAX: u64 = 16 << 20;

/// A tool that runs; dropped, it is ended.
pub(super) struct Running {
    program: PathBuf,
    child: Child,
    printed: File,
    words: File,
}

impl Running {
    pub(super) fn start(program: PathBuf, arguments: &[String]) -> Result<Self, XenomaiError> {
        let failed = |source| XenomaiError::Run { program: program.display().to_string(), source };
        let (printed, words) = (unnamed().map_err(failed)?, unnamed().map_err(failed)?);
        let mut command = Command::new(&program);
        command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        command.stdout(printed.try_clone().map_err(failed)?).stderr(words.try_clone().map_err(failed)?);
        let child = tie_to_caller(&mut command).spawn().map_err(failed)?;
        Ok(Self { program, child, printed, words })
    }

    /// The process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Until it has ended well; `look` is told ten times a second how long it has run.
    pub(super) fn watch(
        &mut self,
        limit: Duration,
        stop: &StopFlag,
        look: &mut dyn FnMut(Duration),
    ) -> Result<(), XenomaiError> {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().map_err(|source| self.failed(source))?;
            let elapsed = Duration::from(begun.elapsed());
            match ended {
                Some(status) if status.success() => return Ok(()),
                Some(status) => {
                    let status = status.to_string();
                    // What it says of its end comes before the figures that it printed until then.
                    let words = last_line(&self.words()?).or(last_line(&self.printed()?));
                    let words = words.unwrap_or_else(|| "the program printed nothing".to_owned());
                    return Err(XenomaiError::Refused { program: self.name(), status, words });
                }
                None if stop.is_set() => return Err(XenomaiError::Interrupted),
                None if elapsed >= limit => return Err(XenomaiError::Hung { program: self.name(), limit }),
                None => {}
            }
            look(elapsed);
            std::thread::sleep(LOOK);
        }
    }

    /// What it printed.
    pub(super) fn printed(&self) -> Result<String, XenomaiError> {
        whole(&self.printed).map_err(|source| self.failed(source))
    }

    fn words(&self) -> Result<String, XenomaiError> {
        whole(&self.words).map_err(|source| self.failed(source))
    }

    fn name(&self) -> String {
        self.program.display().to_string()
    }

    fn failed(&self, source: io::Error) -> XenomaiError {
        XenomaiError::Run { program: self.name(), source }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file without a name, so that nothing is left of it.
fn unnamed() -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_TMPFILE).open(std::env::temp_dir())
}

fn whole(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn last_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}
