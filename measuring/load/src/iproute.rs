//! iproute2, which joins network namespaces for loads and stations alike.

use std::io::{self, Read};
use std::process::{Command, Stdio};

/// Runs `ip` with these arguments in the caller's network namespace; its own words are the error.
pub fn ip(path: &str, arguments: &str) -> io::Result<()> {
    let mut command = Command::new("ip");
    command.args(arguments.split_whitespace()).env("PATH", path);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut words = String::new();
    child.stderr.take().map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut words))?;
    if child.wait()?.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("ip {arguments}: {}", words.trim())))
}
