//! What looks on while a guest runs: a plugin of the emulator, its words, and the file without a name that it writes to.

use crate::error::LabError;
use prazo_sys::child as sys;
use std::fs::File;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::process::Command;

/// The descriptor under which the emulator finds the file.
const RECORDED: RawFd = 102;

/// More than this is not recorded: a plugin that writes without an end shall not fill the disk.
pub(crate) const BYTES_MAX: u64 = 8 << 30;

/// A plugin with what it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observer {
    pub plugin: PathBuf,
    /// The plugin's own words, separated by commas; the file's comes on top.
    pub words: String,
}

impl Observer {
    /// Adds the plugin to an emulator's command; the file is what it will have written.
    pub(crate) fn attach(&self, command: &mut Command) -> Result<File, LabError> {
        let failed = || LabError::system("make a file for a recording");
        let file = tempfile::tempfile().map_err(failed())?;
        let copy = file.try_clone().map_err(failed())?;
        sys::hand_over(command, copy, RECORDED).map_err(failed())?;
        let out = sys::handed_path(RECORDED);
        command.arg("-plugin").arg(format!("{},out={out},{}", self.plugin.display(), self.words));
        Ok(file)
    }
}
