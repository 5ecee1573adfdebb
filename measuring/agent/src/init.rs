//! Process 1 of the guest: prepares, has it measured, tells the host, powers off.

use crate::{mount, port, work};
use prazo_abi::guest::Answer;
use prazo_platform::programs;
use prazo_sys::{first_process as sys, process};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

/// Does everything, once; it comes back only where the kernel refuses to power off.
pub(crate) fn main() -> ExitCode {
    let answer = mount::all().map_or_else(Answer::Failed, |()| measured());
    if let Err(error) = port::send(&answer) {
        eprintln!("prazo-agent: {error}");
    }
    let error = sys::power_off();
    eprintln!("prazo-agent: cannot power off: {error}");
    ExitCode::FAILURE
}

/// Starts the measuring process and waits for its end; its orphans are reaped meanwhile.
fn measured() -> Answer {
    let child = match start() {
        Ok(child) => child,
        Err(error) => return Answer::Failed(format!("cannot start the measuring process: {error}")),
    };
    loop {
        match process::reap() {
            Ok((pid, status)) if pid == child.id() => return work::outcome(status),
            Ok(_) => {}
            Err(error) => return Answer::Failed(format!("cannot wait for the measuring process: {error}")),
        }
    }
}

fn start() -> std::io::Result<Child> {
    std::fs::create_dir_all(Path::new(work::FILE).parent().unwrap_or(Path::new("/run")))?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(work::WORD).env("PATH", programs::SYSTEM).env("HOME", "/tmp").current_dir("/tmp");
    command.stdin(Stdio::null()).spawn()
}
