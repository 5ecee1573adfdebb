//! What the tests of `prazo watch` share: programs that are compiled and started, watched, and found in the answer.

use super::{Answer, Desk, PRAZO, may_be_real_time, wait_for};
use prazo_testing::{Need, Skipped, program, skipped};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// A skip unless threads can be followed here.
pub(crate) fn may_watch() -> Result<(), Skipped> {
    may_be_real_time()?;
    let desk = Desk::new();
    let answer = desk.prazo("watch -- true");
    match answer.code {
        Some(0) => Ok(()),
        _ => Err(skipped(Need::Tracing, format!("programs cannot be watched here: {}", answer.stderr.trim()))),
    }
}

/// The program from `testing/data/watch/NAME.c`, compiled into the desk's folder.
pub(crate) fn compiled(desk: &Desk, name: &str) -> Result<PathBuf, Skipped> {
    compiled_by("cc", &["-O1", "-pthread", "-pie", "-fPIE"], desk, &format!("{name}.c"), &[])
}

/// The same of a source of any language, by its compiler; `libraries` come last.
pub(crate) fn compiled_by(
    compiler: &'static str,
    flags: &[&str],
    desk: &Desk,
    source: &str,
    libraries: &[&str],
) -> Result<PathBuf, Skipped> {
    let compiler = program(compiler)?;
    let binary = desk.path(source.split('.').next().expect("a name"));
    let mut command = desk.command(compiler.to_str().expect("UTF-8"));
    command.args(flags).arg("-o").arg(&binary).arg(source_of(source)).args(libraries);
    let answer = Answer::of(command.output().expect("the compiler runs"));
    assert!(answer.code == Some(0), "the program compiles: {}", answer.stderr);
    Ok(binary)
}

/// A program's source.
pub(crate) fn source_of(name: &str) -> PathBuf {
    prazo_testing::data::path(&format!("watch/{name}"))
}

/// A program that a test started; it ends with the test, also with one that fails.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(desk: &Desk, program: &Path, words: &[&str]) -> Self {
        Self(desk.command(program.to_str().expect("UTF-8")).args(words).spawn().expect("the program starts"))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn goes_on(&mut self) -> bool {
        self.0.try_wait().expect("it is a child").is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A server removes what it shares only if it may end by itself. A failure here would hide the test's own.
        if self.0.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = Command::new("kill").arg(self.id().to_string()).status();
            wait_for(Duration::from_secs(5), || !matches!(self.0.try_wait(), Ok(None)));
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// The answer of a watch, with all of the worst activations.
pub(crate) fn watched(desk: &Desk, words: &str) -> Answer {
    let mut command = desk.command(PRAZO);
    command
        .args(["watch", "--json"])
        .args((!words.contains("--worst")).then_some("--worst=100"))
        .args(words.split_whitespace());
    Answer::of(command.output().expect("prazo starts"))
}

/// The one thread with this name.
#[track_caller]
pub(crate) fn thread<'a>(document: &'a Value, name: &str) -> &'a Value {
    let threads = document["threads"].as_array().expect("threads");
    let mut named = threads.iter().filter(|thread| thread["name"] == name && thread["rule"] != "event");
    let first = named.next().unwrap_or_else(|| panic!("{name} is not in {document:#}"));
    assert!(named.next().is_none(), "{document:#}");
    first
}

/// A figure of a thread.
pub(crate) fn count(thread: &Value, name: &str) -> u64 {
    thread[name].as_u64().unwrap_or_else(|| panic!("{name} in {thread:#}"))
}

/// The counts that a program prints of itself: served and skipped.
pub(crate) fn served_and_skipped(answer: &Answer) -> [u64; 2] {
    let line = answer.stderr.lines().rfind(|line| line.starts_with("served")).unwrap_or_default();
    let own: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    own.try_into().unwrap_or_else(|_| panic!("{}", answer.stderr))
}
