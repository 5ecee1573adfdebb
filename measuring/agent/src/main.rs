//! The guest's side of the lab: a plan comes in, a run goes out.
//!
//! The kernel starts this program as process 1 from the initramfs ([`init`]); it mounts what a probe looks for, starts itself
//! again to measure ([`work`]), so that whatever becomes of the measuring process is still told, sends the answer through a
//! serial port ([`answer`]), and powers off. It is small, static and built reproducibly: a change of prazo's report does not
//! change a guest's bytes, and so not its trajectory.
#![forbid(unsafe_code)]

mod among;
mod answer;
mod cards;
mod costing;
mod disk;
mod init;
mod modules;
mod mount;
mod port;
mod quiet;
mod request;
mod work;
mod workloads;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some(code) = prazo_probe::child_main(&words) {
        return code;
    }
    match words.get(1).and_then(|word| word.to_str()) {
        Some(work::WORD) => work::main(),
        Some(costing::WORD) => costing::main(),
        _ if std::process::id() == 1 => init::main(),
        _ => {
            eprintln!("prazo-agent: this program runs as process 1 of a guest in prazo's lab; see docs/lab.md");
            ExitCode::from(2)
        }
    }
}
