//! An experiment's chunks made by the workers of a Dask cluster, which Python's module hands out (docs/python.md).

use crate::error::Error;
use crate::progress::{Count, Progress};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The variable that names another Python than `python3`.
const PYTHON: &str = "PRAZO_PYTHON";
/// What to do where Python or its modules are missing.
const INSTALL: &str = "install Dask with `pip install 'prazo[dask]'`, or name another Python in PRAZO_PYTHON";
/// How often an interrupt is looked for.
const LOOK_FOR_STOP: Duration = Duration::from_millis(100);

/// Has the cluster at `address` make the chunks that `folder` lacks. They are kept as they come, so that a second call goes on.
///
/// # Errors
/// There is no Python with the modules, no scheduler at the address, or a chunk cannot be made or kept.
pub(super) fn make_missing(
    experiment: &str,
    folder: &Path,
    address: &str,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-m", "prazo.cluster", experiment]).arg(folder).arg(address);
    let failed = |why: String| Error::failed(why).attempting(format!("cannot use the Dask scheduler at {address}"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("cannot start {}: {error}", python.display())).with_remedy(INSTALL))?;
    let errors = child.stderr.take().map(|pipe| std::thread::spawn(move || text(pipe)));
    let is_stopped = || stop.is_set();
    if let Some(pipe) = child.stdout.take() {
        count(pipe, &is_stopped, progress);
    }
    if is_stopped() {
        child.kill().map_err(|error| failed(error.to_string()))?;
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    let said = errors.and_then(|reader| reader.join().ok()).unwrap_or_default();
    if stop.is_set() {
        return Err(Error::Interrupted);
    }
    if status.success() {
        return Ok(());
    }
    let last = said
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("the Python process ended without giving a reason");
    let error = failed(last.trim().to_owned());
    Err(if last.contains("No module named") { error.with_remedy(INSTALL) } else { error })
}

fn text(mut pipe: impl Read) -> String {
    let mut text = Vec::new();
    // What was read before an error still says why.
    let _ = pipe.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Counts the lines `DONE TOTAL`, one after each batch, until the pipe is closed or the command is to stop.
fn count(pipe: ChildStdout, is_stopped: &dyn Fn() -> bool, progress: &mut dyn Progress) {
    let (send, lines) = mpsc::channel();
    // It ends with the pipe, which the child closes.
    std::thread::spawn(move || BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let mut found = None;
    while !is_stopped() {
        let line = match lines.recv_timeout(LOOK_FOR_STOP) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut numbers = line.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        if let (Some(done), Some(total)) = (numbers.next(), numbers.next()) {
            let found = *found.get_or_insert(done);
            progress.count(&Count { parts: "chunks", done, found, total, left: None, elapsed: None });
        }
    }
}
