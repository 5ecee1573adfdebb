//! A server on loopback that is ours: up before the workload begins, ended by its id afterwards, and dead when we are.

use crate::apart::Helper;
use prazo_platform::{Root, programs};
use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

/// What it says goes here, in its folder.
const OUTPUT: &str = "server.output";
/// How much of it is told when it ends too early.
const LINES_TOLD: usize = 4;

/// A server that runs for as long as this value lives.
#[derive(Debug)]
pub(super) struct Server {
    helper: Helper,
    output: PathBuf,
}

impl Server {
    /// Starts a server and waits until it listens on `port` of loopback; `Err` says what became of it.
    pub(super) fn start(words: &[String], folder: &Path, port: u16) -> Result<Self, String> {
        let failed = |error: io::Error| error.to_string();
        let output = folder.join(OUTPUT);
        let file = File::create(&output).map_err(failed)?;
        let mut command = programs::command(&words[0]);
        command.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
        command.stdout(file.try_clone().map_err(failed)?).stderr(file);
        let mut server = Self { helper: Helper::start(&mut command).map_err(failed)?, output };
        server.wait_until_listening(port).map(|()| server)
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.helper.pid()
    }

    /// The last lines that it said, in one.
    pub(super) fn last_lines(&self) -> String {
        let printed = std::fs::read(&self.output).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let mut lines: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last_lines = lines.split_off(lines.len().saturating_sub(LINES_TOLD));
        if last_lines.is_empty() {
            "the server printed nothing".into()
        } else {
            format!("the server last printed: {}", last_lines.join("; "))
        }
    }

    fn wait_until_listening(&mut self, port: u16) -> Result<(), String> {
        let begun = Instant::now();
        while !is_listening(port) {
            if let Ok(Some(status)) = self.helper.child.try_wait() {
                return Err(format!("the server ended before it listened ({status}); {}", self.last_lines()));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("the server was not ready within {} s; {}", PATIENCE.as_secs(), self.last_lines()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// A port of loopback that nobody listens on now.
pub(super) fn free_port() -> std::io::Result<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr().map(|address| address.port())
}

/// Looked up in the kernel's table, since a connection to try would be a request to answer.
fn is_listening(port: u16) -> bool {
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    tables.iter().any(|table| Root::system().read(table).is_ok_and(|text| listens_in(&text, port)))
}

/// True for a line whose local port is `port` in state 0A, which is LISTEN.
fn listens_in(table: &str, port: u16) -> bool {
    let suffix = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace();
        fields.nth(1).is_some_and(|local| local.ends_with(&suffix)) && fields.nth(1) == Some("0A")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_seen_in_the_kernels_table_and_a_free_port_has_none() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(is_listening(listener.local_addr().unwrap().port()));
        let line = "  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 0\n";
        assert!(listens_in(line, 8080) && !listens_in(line, 80));
        assert!(!listens_in(&line.replace("0A", "01"), 8080), "connected is not listening");
    }

    #[test]
    fn a_server_that_ends_at_once_is_told_with_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let start = |words: &[&str]| {
            Server::start(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), folder.path(), 1)
        };
        let reason = start(&["sh", "-c", "echo one; echo two >&2; exit 3"]).unwrap_err();
        assert!(
            reason.contains("ended before it listened") && reason.ends_with("the server last printed: one; two"),
            "{reason}"
        );
        assert!(start(&["/nowhere/at/all"]).is_err());
    }
}
