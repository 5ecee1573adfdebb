//! One step of long work that another program does: what it prints goes on line by line, what it complains of becomes the error.

use crate::error::LabError;
use prazo_sys::child as sys;
use std::io::{BufRead, BufReader, Read, Seek};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often a program is looked at that prints nothing.
const GLANCE: Duration = Duration::from_millis(250);

/// Runs a step; `say` gets what it prints, line by line, and `remedy` is for its failure.
pub(crate) fn run(step: &str, remedy: &str, command: &mut Command, say: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    run_watched(step, remedy, command, &mut |heard| heard.into_iter().for_each(&mut *say))
}

/// The same command, which ends with all that it started when prazo ends, for whatever reason: the kernel would end only the
/// program itself. Its environment is kept, and its input is empty.
pub(crate) fn with_its_children(command: &Command) -> Command {
    // The shell gives what it starts in the background no input, so that the pipe needs a number of its own.
    const SCRIPT: &str = "exec 3<&0 </dev/null; \"$@\" 3<&- & made=$!; { read -r line <&3; kill -KILL 0; } & guard=$!; \
                          wait $made; status=$?; kill -KILL $guard; exit $status";
    let mut all = Command::new("/bin/sh");
    all.args(["-c", SCRIPT, "sh"]).arg(command.get_program()).args(command.get_args()).env_clear();
    all.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    all
}

/// The same; `say` is also called every now and then while nothing is printed.
pub(crate) fn run_watched(
    step: &str,
    remedy: &str,
    command: &mut Command,
    say: &mut dyn FnMut(Option<&str>),
) -> Result<(), LabError> {
    let failed = || LabError::system(format!("run a program for {step}"));
    let mut complaints = tempfile::tempfile().map_err(failed())?;
    sys::tie_to_starter(command);
    // Nothing is written to it: it tells a program of `with_its_children` that prazo is there.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints.try_clone().map_err(failed())?);
    let mut child = command.spawn().map_err(failed())?;
    let _open = child.stdin.take();
    let output = child.stdout.take().expect("it is piped");
    listen(output, say);
    if child.wait().map_err(failed())?.success() {
        return Ok(());
    }
    let mut answer = String::new();
    complaints.rewind().and_then(|()| complaints.read_to_string(&mut answer)).map_err(failed())?;
    Err(LabError::Step { step: step.to_owned(), answer: in_one_line(&answer), remedy: remedy.to_owned() })
}

/// Hands on what is printed, line by line, and the silence in between.
fn listen(output: ChildStdout, say: &mut dyn FnMut(Option<&str>)) {
    let (tell, messages) = mpsc::channel();
    let read = move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| tell.send(line));
    let reader = std::thread::spawn(read);
    loop {
        match messages.recv_timeout(GLANCE) {
            Ok(line) => say(Some(&line)),
            Err(RecvTimeoutError::Timeout) => say(None),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // It has nothing to say but that nobody listened.
    let _ = reader.join();
}

/// The errors among the lines of apt or of a compiler, or else the last lines.
fn in_one_line(answer: &str) -> String {
    const MOST: usize = 8;
    let is_error = |line: &&str| line.starts_with("E: ") || line.contains(" error: ");
    let errors: Vec<_> = answer.lines().filter(is_error).take(MOST).collect();
    if !errors.is_empty() {
        return errors.join("; ");
    }
    let lines: Vec<_> = answer.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MOST)..].join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Vec<String>, Result<(), LabError>) {
        let mut heard = Vec::new();
        let mut command = Command::new("sh");
        let answer = run("trying", "Try again.", command.args(["-c", script]), &mut |line| heard.push(line.to_owned()));
        (heard, answer)
    }

    #[test]
    fn what_is_printed_is_heard_line_by_line() {
        let (heard, answer) = shell("echo one; echo two; echo warning >&2");
        assert_eq!((heard, answer.is_ok()), (vec!["one".to_owned(), "two".to_owned()], true));
    }

    #[test]
    fn a_program_with_its_children_is_heard_and_has_only_its_own_environment() {
        let mut heard = Vec::new();
        let mut script = Command::new("/bin/sh");
        script.args(["-c", "echo \"$1 $OWN $HOME\"; cat; exit 3", "sh", "a b"]).env("OWN", "own");
        let answer = run("trying", "", &mut with_its_children(&script), &mut |line| heard.push(line.to_owned()));
        assert_eq!(heard, ["a b own "]);
        assert!(answer.is_err(), "its status is its program's");
    }

    #[test]
    fn a_failed_step_tells_its_errors_or_its_last_lines_and_the_remedy() {
        let (_, answer) = shell("echo a.c:1: error: no such thing >&2; echo make: stopped >&2; exit 2");
        assert_eq!(answer.unwrap_err().to_string(), "trying failed: a.c:1: error: no such thing. Try again.");
        let (_, answer) = shell("for i in 1 2 3 4 5 6 7 8 9; do echo $i >&2; done; exit 2");
        assert_eq!(answer.unwrap_err().to_string(), "trying failed: 2; 3; 4; 5; 6; 7; 8; 9. Try again.");
    }
}
