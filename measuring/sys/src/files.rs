//! Questions and requests to file systems.

use rustix::fs::{Access, Advice, AtFlags, CWD, accessat, fadvise, statfs};
use std::fs::File;
use std::io;
use std::path::Path;

/// True where files of this folder lie in memory (tmpfs, ramfs) and reach no block device.
pub fn is_in_memory(folder: &Path) -> io::Result<bool> {
    const TMPFS: u64 = 0x0102_1994;
    const RAMFS: u64 = 0x8584_58F6;
    let kind = statfs(folder)?.f_type as u64 & u64::from(u32::MAX);
    Ok([TMPFS, RAMFS].contains(&kind))
}

/// An error if the caller may not write the file or change the folder: for lack of permission, or on a read-only mount.
pub fn check_writable(path: &Path) -> io::Result<()> {
    Ok(accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
}

/// Has the kernel forget what it holds of a file, so that the next read comes from the disk; what is not written yet stays.
pub fn forget_cached(file: &File) -> io::Result<()> {
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_no_memory_and_a_folder_that_is_not_there_is_an_error() {
        assert!(!is_in_memory(Path::new("/proc")).unwrap());
        assert!(is_in_memory(Path::new("/nowhere")).is_err());
    }
}
