//! The program zstd at one end of a pipe.

use crate::error::LabError;
use prazo_platform::programs;
use prazo_sys::child as sys;
use std::fs::File;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running zstd; dropped, it is gone.
pub(super) struct Zstd(Child);

impl Zstd {
    /// One that packs what it is given into a file.
    pub(super) fn packing(into: File) -> Result<(Self, ChildStdin), LabError> {
        let mut zstd =
            Self::start(programs::command("zstd").args(["-q", "-T0", "-c"]).stdin(Stdio::piped()).stdout(into))?;
        let input = zstd.0.stdin.take().expect("it is piped");
        Ok((zstd, input))
    }

    /// One that unpacks a file.
    pub(super) fn unpacking(file: File) -> Result<(Self, ChildStdout), LabError> {
        let mut zstd =
            Self::start(programs::command("zstd").args(["-q", "-d", "-c"]).stdin(file).stdout(Stdio::piped()))?;
        let output = zstd.0.stdout.take().expect("it is piped");
        Ok((zstd, output))
    }

    fn start(command: &mut Command) -> Result<Self, LabError> {
        sys::tie_to_starter(command);
        let absent = |_| LabError::Missing { what: "zstd".into(), remedy: "install the package zstd".into() };
        command.stderr(Stdio::null()).spawn().map(Self).map_err(absent)
    }

    /// Waits for its end; true if all went well.
    pub(super) fn end(mut self) -> bool {
        self.0.wait().is_ok_and(|status| status.success())
    }
}

impl Drop for Zstd {
    fn drop(&mut self) {
        // Both fail only for a process that was waited for before, and that one is gone.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
