//! The system calls that tie a child to its starter; each is one small function.

use crate::check;
use crate::containment::block_no_signal;
use crate::process::die_with_parent;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the kernel kill the child when the thread that starts it ends, for whatever reason; and puts it into a process group
/// of its own, so that a terminal's interrupt reaches prazo first.
pub fn tie_to_starter(command: &mut Command) {
    let starter = std::process::id();
    // SAFETY: between fork and exec the closure only makes system calls; it neither allocates nor takes a lock.
    unsafe { command.process_group(0).pre_exec(move || die_with(starter)) };
}

fn die_with(starter: u32) -> io::Result<()> {
    die_with_parent()?;
    // A starter that ended before the call above sends no signal any more, but the child has another parent by now.
    // SAFETY: takes no argument, cannot fail.
    let parent = unsafe { libc::getppid() };
    if parent as u32 == starter { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

/// Has the kernel kill the child when the thread that starts it ends, and lets the terminal's interrupt reach prazo alone: the
/// child stays in prazo's process group, because it may ask for a password or draw on the terminal.
pub fn tie_without_interrupts(command: &mut Command) {
    let starter = std::process::id();
    let hook = move || {
        die_with(starter)?;
        // SAFETY: SIG_IGN is no function that could run.
        if unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) } == libc::SIG_ERR {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    };
    // SAFETY: between fork and exec the closure only makes system calls; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(hook) };
}

/// Has what `command` starts die with the caller and block no signal.
pub fn tie_to_caller(command: &mut Command) -> &mut Command {
    let hook = || {
        die_with_parent()?;
        block_no_signal()
    };
    // SAFETY: between fork and exec the hook makes two system calls that are async-signal-safe, and allocates nothing.
    unsafe { command.pre_exec(hook) }
}

/// Copies the calling process: the copy's number in the original, `None` in the copy, which dies with the original.
///
/// Only a process with one thread is copied, since a lock that another thread held would stay held in the copy.
pub fn fork_tied() -> io::Result<Option<u32>> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("prazo can fork only while its process has one thread; this process has several"));
    }
    let original = std::process::id();
    // SAFETY: takes no argument; the caller has one thread, so that the copy's memory and locks are whole.
    match check(unsafe { libc::fork() })? {
        0 => die_with(original).map(|()| None),
        copy => Ok(Some(copy as u32)),
    }
}

/// Starts the child as the leader of a session of its own, which no terminal's end reaches.
pub fn start_own_session(command: &mut Command) {
    // SAFETY: between fork and exec the closure only makes one system call.
    unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
}

/// Lets no file that the child writes grow beyond `bytes`, so that no child can fill a disk.
pub fn limit_file_size(command: &mut Command, bytes: u64) {
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // SAFETY: between fork and exec the closure only makes one system call, with a pointer to its own live value.
    unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Fsize, limit)?)) };
}

/// Numbers from here on are never a child's: what is handed over waits there, so that no hand-over hits another's file.
const WAITING: RawFd = 200;

/// Gives the child an open file under a number of its own below [`WAITING`], for as long as the child lives; no name leads to
/// it but [`handed_path`].
pub fn hand_over(command: &mut Command, file: File, number: RawFd) -> io::Result<()> {
    assert!(number < WAITING, "{number} may be where another file waits");
    let file = moved_up(&file)?;
    // SAFETY: between fork and exec the closure only makes one system call, and the file is open as long as the closure lives.
    unsafe { command.pre_exec(move || check(libc::dup2(file.as_raw_fd(), number)).map(drop)) };
    Ok(())
}

/// The same open file under a number of at least [`WAITING`], closed by exec.
fn moved_up(file: &File) -> io::Result<OwnedFd> {
    // SAFETY: takes two numbers and no pointer.
    let moved = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, WAITING) };
    check(moved)?;
    // SAFETY: the kernel made this descriptor just now, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(moved) })
}

/// Where the child finds what it was handed.
pub fn handed_path(number: RawFd) -> String {
    format!("/proc/self/fd/{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A file whose number is `number`: where another one is to go.
    fn at(number: RawFd, text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        // SAFETY: takes two numbers and no pointer.
        check(unsafe { libc::dup2(file.as_raw_fd(), number) }).unwrap();
        // SAFETY: made just now, and nobody else in this test's process uses so high a number.
        unsafe { File::from_raw_fd(number) }
    }

    #[test]
    fn a_file_whose_number_is_where_another_goes_is_handed_over_all_the_same() {
        let mut command = Command::new("cat");
        command.args([150, 151].map(handed_path));
        for (file, number) in [(at(151, "one "), 150), (at(150, "two"), 151)] {
            hand_over(&mut command, file, number).unwrap();
        }
        assert_eq!(String::from_utf8_lossy(&command.output().unwrap().stdout), "one two");
    }
}
