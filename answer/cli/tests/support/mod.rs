//! What the black-box tests share: the command in a folder of its own, and what it answered.

#![allow(dead_code)] // Each test binary uses its own part.

pub(crate) mod openmetrics;
pub(crate) mod processes;
pub(crate) mod schema;
pub(crate) mod watching;

use prazo_testing::{Need, Skipped, skipped};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The command under test.
pub(crate) const PRAZO: &str = env!("CARGO_BIN_EXE_prazo");

/// A folder to work in, with a journal of tunables of its own.
pub(crate) struct Desk {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file in the folder; its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).expect("the folder can be written");
        self.path(name)
    }

    /// Any program, in the folder, with its output caught.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("PRAZO_STATE_DIR", self.path("state"));
        command.env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `prazo` with these words; none of them may hold a space.
    pub(crate) fn prazo(&self, words: &str) -> Answer {
        Answer::of(self.command(PRAZO).args(words.split_whitespace()).output().expect("prazo starts"))
    }

    /// A shell script; `$PRAZO` is the command.
    pub(crate) fn shell(&self, wrapper: &[&str], script: &str) -> Answer {
        let words = [wrapper, &["sh", "-c", script]].concat();
        let output = self.command(words[0]).args(&words[1..]).env("PRAZO", PRAZO).output();
        Answer::of(output.expect("a shell starts"))
    }

    /// `prazo` in the background.
    pub(crate) fn start(&self, words: &str) -> Child {
        self.command(PRAZO).args(words.split_whitespace()).spawn().expect("prazo starts")
    }

    /// A run file of two seconds under `fifo`, or under `other` where real-time policies are refused.
    pub(crate) fn measured(&self, name: &str) -> PathBuf {
        let policy = if is_real_time_granted() { "fifo" } else { "other" };
        self.prazo(&format!("measure timer -D 2s -p {policy} --plain -o {name}")).expect_code(0);
        self.path(name)
    }
}

impl Answer {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("prazo prints UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Standard output, which must be one JSON document and nothing else.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// Standard error names all of `words`, and standard output is empty.
    #[track_caller]
    pub(crate) fn expect_error(&self, words: &[&str]) {
        assert_eq!(self.stdout, "", "an error leaves standard output empty");
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is not in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// The ids of a document's caveats.
pub(crate) fn caveats(document: &Value) -> Vec<&str> {
    document["caveats"].as_array().expect("caveats").iter().filter_map(|caveat| caveat["id"].as_str()).collect()
}

/// due = served + skipped + outstanding, over all processors.
#[track_caller]
pub(crate) fn adds_up(measured: &Value) {
    let figure = |name: &str| measured[name].as_u64().unwrap_or_else(|| panic!("{name} is {}", measured[name]));
    assert_eq!(figure("due"), figure("served") + figure("skipped") + figure("outstanding"));
}

/// Waits until `condition` holds; false after `limit`.
pub(crate) fn wait_for(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    condition()
}

/// A skip for want of `need` unless this command works.
#[track_caller]
pub(crate) fn possible(need: Need, words: &[&str]) -> Result<(), Skipped> {
    if works(words) { Ok(()) } else { Err(skipped(need, format!("`{}` does not work here", words.join(" ")))) }
}

fn works(words: &[&str]) -> bool {
    let tried = Command::new(words[0]).args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// A mount namespace of one's own, which takes root.
pub(crate) const OWN_MOUNTS: &[&str] = &["unshare", "--mount", "--propagation", "private"];

/// A skip unless a mount namespace can be had.
pub(crate) fn may_mount() -> Result<(), Skipped> {
    possible(Need::Root, &[OWN_MOUNTS, &["true"]].concat())
}

/// True where threads of this process may become real-time ones.
pub(crate) fn is_real_time_granted() -> bool {
    works(&REAL_TIME)
}

/// A skip unless threads of this process may become real-time ones.
pub(crate) fn may_be_real_time() -> Result<(), Skipped> {
    possible(Need::RealTime, &REAL_TIME)
}

const REAL_TIME: [&str; 4] = ["chrt", "--fifo", "1", "true"];
