//! The file systems that a probe and its loads look for; what a kernel lacks is left out, and missed where it matters.

use prazo_sys::first_process as sys;
use std::io;
use std::path::Path;

/// Type and place; the first three must be there.
const ALL: [(&str, &str); 10] = [
    ("proc", "/proc"),
    ("sysfs", "/sys"),
    ("devtmpfs", "/dev"),
    ("tmpfs", "/run"),
    ("tmpfs", "/tmp"),
    ("tmpfs", "/dev/shm"),
    ("devpts", "/dev/pts"),
    ("cgroup2", "/sys/fs/cgroup"),
    ("tracefs", "/sys/kernel/tracing"),
    ("securityfs", "/sys/kernel/security"),
];
const NEEDED: usize = 3;

/// Mounts them all.
pub(crate) fn all() -> Result<(), String> {
    for (number, (kind, place)) in ALL.into_iter().enumerate() {
        let mounted = one(kind, Path::new(place));
        if let (Err(error), true) = (mounted, number < NEEDED) {
            return Err(format!("cannot mount {kind} on {place}: {error}"));
        }
    }
    Ok(())
}

fn one(kind: &str, place: &Path) -> io::Result<()> {
    std::fs::create_dir_all(place)?;
    match sys::mount(kind, kind, place) {
        // The kernel may have put devices there itself.
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => Ok(()),
        answer => answer,
    }
}
