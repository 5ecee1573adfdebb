//! The kernel's trace file system: where it is mounted, and the numbers of its events.

use crate::root::{Root, Unavailable};

/// Where tracefs may be mounted.
pub const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Where tracefs is mounted; an empty folder is a place for it and no more.
pub fn tracing_folder(root: &Root) -> Option<&'static str> {
    FOLDERS.into_iter().find(|folder| root.exists(&format!("{folder}/current_tracer")))
}

/// Why the number of an event is unknown.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// There is no tracefs, or this user may not look into it.
    #[error("cannot read tracefs: run as root; if it is not mounted, run `mount -t tracefs nodev /sys/kernel/tracing`")]
    NoTracefs,
    /// The file of the number cannot be read, or holds no number.
    #[error("{0}")]
    Unreadable(#[from] Unavailable),
}

/// The number of a tracepoint, as perf takes it. `event` is named as in the folder `events`: `raw_syscalls/sys_enter`.
///
/// # Errors
/// Tracefs is missing or not readable, or the kernel has no such event.
pub fn event_number(root: &Root, event: &str) -> Result<u64, EventError> {
    let folder = tracing_folder(root).ok_or(EventError::NoTracefs)?;
    let path = format!("{folder}/events/{event}/id");
    let text = root.read(&path)?;
    Ok(text.parse().map_err(|_| Unavailable::nonsense(&path, "a number", &text))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree_of_files::tree;

    #[test]
    fn an_event_s_number_is_in_tracefs_wherever_that_is_mounted() {
        for folder in ["sys/kernel/tracing", "sys/kernel/debug/tracing"] {
            let id = format!("{folder}/events/raw_syscalls/sys_enter/id");
            let (_files, root) = tree(&[(&format!("{folder}/current_tracer"), "nop\n"), (&id, "17\n")]);
            assert_eq!(event_number(&root, "raw_syscalls/sys_enter").unwrap(), 17, "{folder}");
            let error = event_number(&root, "raw_syscalls/none").unwrap_err().to_string();
            assert!(error.contains("events/raw_syscalls/none/id"), "{error}");
        }
    }

    #[test]
    fn without_tracefs_the_reason_says_how_to_mount_it() {
        let (_files, root) = tree(&[("sys/kernel/tracing/other", "")]);
        let error = event_number(&root, "raw_syscalls/sys_enter").unwrap_err();
        assert!(matches!(error, EventError::NoTracefs) && error.to_string().contains("mount -t tracefs"), "{error}");
    }

    #[test]
    fn a_file_without_a_number_is_named() {
        let folder = "sys/kernel/tracing";
        let id = format!("{folder}/events/a/b/id");
        let (_files, root) = tree(&[(&format!("{folder}/current_tracer"), "nop\n"), (&id, "x\n")]);
        let error = event_number(&root, "a/b").unwrap_err().to_string();
        assert_eq!(error, "/sys/kernel/tracing/events/a/b/id: 'x' is not a number");
    }
}
