//! A disk of the guest's own: a block device in its memory, whose requests complete in a timer's interrupt, with a file system that
//! keeps a journal.
//!
//! The host's disk would be the host's time. The device is there when the host packed its driver; everything else about it is fixed, so
//! that the same seed gives the same disk.

use prazo_sys::guest as sys;
use std::path::Path;
use std::process::Command;

/// What the driver makes.
const DEVICE: &str = "/dev/nullb0";
/// Where it is mounted.
const PLACE: &str = "/mnt";
/// Where files lie without it: in the guest's memory.
const MEMORY: &str = "/var/tmp";

/// The size of the file system, and what would else be drawn at random or from the clock, or done in the background later.
const SIZE: &str = "400M";
const FIXED: [&str; 6] = [
    "-U",
    "70726172-6f00-4000-8000-000000000001",
    "-E",
    "hash_seed=70726172-6f00-4000-8000-000000000002,lazy_itable_init=0,lazy_journal_init=0",
    "-m",
    "0",
];

/// The folder that loads shall use: on the guest's disk, where it has one.
pub(crate) fn prepare() -> Result<&'static Path, String> {
    if !Path::new(DEVICE).exists() {
        return Ok(Path::new(MEMORY));
    }
    format()?;
    let mounted = std::fs::create_dir_all(PLACE).and_then(|()| sys::mount(DEVICE, "ext4", Path::new(PLACE)));
    mounted.map_err(|error| format!("cannot mount {DEVICE}: {error}")).map(|()| Path::new(PLACE))
}

fn format() -> Result<(), String> {
    let mut command = Command::new("mke2fs");
    command.args(["-q", "-F", "-t", "ext4", "-b", "4096"]).args(FIXED).args([DEVICE, SIZE]);
    match command.output() {
        Err(error) => Err(format!("cannot start mke2fs (package e2fsprogs): {error}")),
        Ok(answer) if answer.status.success() => Ok(()),
        Ok(answer) => Err(format!(
            "mke2fs {DEVICE} failed ({}): {}",
            answer.status,
            String::from_utf8_lossy(&answer.stderr).trim()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_device_files_lie_in_memory() {
        if !Path::new(DEVICE).exists() {
            assert_eq!(prepare(), Ok(Path::new(MEMORY)));
        }
    }
}
