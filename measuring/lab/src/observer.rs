//! A plugin of the emulator that records while a guest runs: its arguments, and the unnamed file that it writes to.

use crate::error::LabError;
use prazo_sys::child as sys;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::process::Command;

/// The descriptors under which the emulator finds the file, and the windows that it shall record.
const RECORDED: RawFd = 102;
const WINDOWS: RawFd = 103;

/// Largest size of a recording, so that a plugin that does not stop cannot fill the disk.
pub(crate) const BYTES_MAX: u64 = 8 << 30;

/// The kind of the record that replaces the first one where the file could not be written (`plugin/record.h`).
const FAILED: u32 = 10;

/// A plugin with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observer {
    pub plugin: PathBuf,
    /// The plugin's arguments, separated by commas; `out=FILE` and `windows=FILE` are added to them.
    pub words: String,
    /// The windows to record, a line each: an argument would be too short for those of a whole run. Empty for none.
    pub windows: String,
    /// What the plugin was asked to record, for messages: "3 windows".
    pub what: String,
}

impl Observer {
    /// Adds the plugin to an emulator's command, and returns the file that the plugin will write.
    pub(crate) fn attach(&self, command: &mut Command) -> Result<File, LabError> {
        let failed = || LabError::system("make a temporary file for the recording of a guest");
        let file = tempfile::tempfile().map_err(failed())?;
        let copy = file.try_clone().map_err(failed())?;
        sys::hand_over(command, copy, RECORDED).map_err(failed())?;
        let mut words = format!("{},out={},{}", self.plugin.display(), sys::handed_path(RECORDED), self.words);
        if !self.windows.is_empty() {
            let mut windows = tempfile::tempfile().map_err(failed())?;
            windows.write_all(self.windows.as_bytes()).map_err(failed())?;
            sys::hand_over(command, windows, WINDOWS).map_err(failed())?;
            words += &format!(",windows={}", sys::handed_path(WINDOWS));
        }
        command.arg("-plugin").arg(words);
        Ok(file)
    }

    /// An error where the plugin could not write all of the file, mostly because a disk is full.
    ///
    /// The guest's own answer is on the same disk, so that this comes before any judgement of that answer.
    pub(crate) fn check(&self, file: &mut File) -> Result<(), LabError> {
        let failure = failure(file).map_err(LabError::system("read the recording of a guest"))?;
        let Some((errno, bytes)) = failure else { return Ok(()) };
        let source = io::Error::from_raw_os_error(errno);
        Err(LabError::RecordingCut { what: self.what.clone(), folder: std::env::temp_dir(), bytes, source })
    }
}

/// The errno and the bytes written, where the file begins with the record of a failed write.
fn failure(file: &mut File) -> io::Result<Option<(i32, u64)>> {
    let mut record = [0; 16];
    file.rewind()?;
    match file.read_exact(&mut record) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let [kind, errno] =
        [0, 4].map(|at| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]));
    let bytes = record[8..].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    Ok((kind == FAILED).then_some((errno as i32, bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(bytes: &[u8]) -> Result<(), LabError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let observer = Observer { what: "3 windows".to_owned(), ..Observer::default() };
        observer.check(&mut file)
    }

    #[test]
    fn a_write_that_failed_is_an_error_that_names_the_disk_the_request_and_the_remedy() {
        const FULL: u8 = 28;
        let record = [&[10, 0, 0, 0, FULL, 0, 0, 0][..], &3_145_728u64.to_le_bytes(), &[0; 16]].concat();
        let error = checked(&record).unwrap_err().to_string();
        let folder = std::env::temp_dir().display().to_string();
        for part in [folder.as_str(), "3 windows", "3,145,728 bytes", "No space left", "TMPDIR"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn a_recording_beyond_the_limit_is_not_blamed_on_the_disk() {
        const TOO_LARGE: u8 = 27;
        let record = [&[10, 0, 0, 0, TOO_LARGE, 0, 0, 0][..], &BYTES_MAX.to_le_bytes(), &[0; 16]].concat();
        let error = checked(&record).unwrap_err().to_string();
        assert!(error.contains("shorter time") && !error.contains("TMPDIR"), "{error}");
    }

    #[test]
    fn other_recordings_and_empty_ones_are_left_to_their_reader() {
        assert!(checked(&[]).is_ok() && checked(&[10, 0, 0]).is_ok());
        assert!(checked(&[[9, 0, 0, 0], [28, 0, 0, 0]].concat().repeat(4)).is_ok());
    }
}
