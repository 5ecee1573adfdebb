//! A server on loopback that is ours: up before the workload begins, ended by its id afterwards, and dead when we are.

use crate::sys;
use prazo_platform::Root;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

/// A server that runs for as long as this value lives.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
}

impl Server {
    /// Starts a server and waits until it listens on `port` of loopback; `Err` says what became of it.
    pub fn start(words: &[String], folder: &Path, port: u16) -> Result<Self, String> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = sys::tie_to_caller(&mut command).spawn().map_err(|error| error.to_string())?;
        let mut server = Self { child };
        server.wait_until_listening(port).map(|()| server)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn wait_until_listening(&mut self, port: u16) -> Result<(), String> {
        let begun = Instant::now();
        while !is_listening(port) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("it ended at once ({status})"));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("not within {} s", PATIENCE.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has ended was what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
    fn a_server_that_ends_at_once_is_told() {
        let reason = Server::start(&["false".into()], Path::new("/"), 1).unwrap_err();
        assert!(reason.contains("ended at once"), "{reason}");
        assert!(Server::start(&["/nowhere/at/all".into()], Path::new("/"), 1).is_err());
    }
}
