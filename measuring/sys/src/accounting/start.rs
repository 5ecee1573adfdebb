//! How a command begins: a holder waits for the word in the command's place, so that no wait of ours is in the account.
//!
//! ```text
//! prazo ──fork──► holder: waits until counters are on it and the word comes, forks prazo another child, ends
//!   └──────────── command: inherits the counters, begins in its group, executes its program
//! ```
//! The holder is collected at once and is not part of the account; the command is a child of ours as if we had forked it.

use super::Mask;
use crate::check;
use crate::clock::monotonic_ns;
use rustix::pipe::{PipeFlags, pipe_with};
use std::ffi::{CStr, CString};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

/// Where a command's standard output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Output {
    /// Where ours goes.
    #[default]
    Inherited,
    /// To our standard error, since our own output is a document.
    ToError,
    /// Nowhere.
    Discarded,
}

/// Where a command shall begin, and with what.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The program and its arguments.
    pub words: &'a [CString],
    /// The file that is the program; searched along PATH where it is a name alone.
    pub program: &'a CStr,
    /// What it finds in its environment, instead of ours.
    pub environment: Option<&'a [CString]>,
    /// The folder it runs in.
    pub folder: Option<&'a CStr>,
    /// A file to read from, instead of ours.
    pub input: Option<BorrowedFd<'a>>,
    /// Where standard output goes.
    pub output: Output,
    /// A file that swallows all, for `Output::Discarded`.
    pub nothing: BorrowedFd<'a>,
    /// A control group of version 2 to begin in.
    pub group: Option<BorrowedFd<'a>>,
    /// The signals that the command shall find blocked.
    pub mask: &'a Mask,
}

/// A process that waits for the word to fork the command.
pub struct Held {
    /// Its number; not the command's.
    pub holder: u32,
    /// A byte written here lets the command begin; closing it ends the holder.
    pub go: OwnedFd,
    /// Gives a [`Born`] once the command has been forked.
    pub born: OwnedFd,
    /// Gives an error's number if the program could not be executed, nothing if it was.
    pub failed: OwnedFd,
}

/// What the holder says of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Born {
    /// CLOCK_MONOTONIC just before its fork.
    pub begun_ns: u64,
    /// The command's process; the error if it could not be forked.
    pub pid: Result<u32, i32>,
    /// Why it did not begin in its group, if it was to.
    pub refused: Option<i32>,
}

impl Born {
    /// Its length on the way.
    pub const BYTES: usize = 16;

    /// Reads what the holder wrote.
    pub fn read(bytes: [u8; Self::BYTES]) -> Self {
        let number = |at: usize| i32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let begun_ns = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
        let (pid, refused) = (number(8), number(12));
        Self { begun_ns, pid: u32::try_from(pid).map_err(|_| -pid), refused: (refused != 0).then_some(refused) }
    }
}

/// What is needed behind a fork, made before it, since nothing may be allocated there.
struct Exec<'a> {
    program: &'a CStr,
    environment: Option<Vec<*const libc::c_char>>,
    arguments: Vec<*const libc::c_char>,
    folder: Option<&'a CStr>,
    input: Option<RawFd>,
    output: Option<RawFd>,
    group: Option<RawFd>,
    go: RawFd,
    go_end_of_parent: RawFd,
    born: RawFd,
    failed: RawFd,
    mask: libc::sigset_t,
}

/// Forks a holder, which waits for its word and dies with the calling thread.
pub fn hold(start: &Start<'_>) -> io::Result<Held> {
    let pipe = || pipe_with(PipeFlags::CLOEXEC);
    let ((go, word), (born, birth), (failed, failure)) = (pipe()?, pipe()?, pipe()?);
    let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
    let exec = Exec {
        program: start.program,
        environment: start.environment.map(pointers),
        arguments: pointers(start.words),
        folder: start.folder,
        input: start.input.map(|fd| fd.as_raw_fd()),
        output: match start.output {
            Output::Inherited => None,
            Output::ToError => Some(libc::STDERR_FILENO),
            Output::Discarded => Some(start.nothing.as_raw_fd()),
        },
        group: start.group.map(|fd| fd.as_raw_fd()),
        go: go.as_raw_fd(),
        go_end_of_parent: word.as_raw_fd(),
        born: birth.as_raw_fd(),
        failed: failure.as_raw_fd(),
        mask: start.mask.0,
    };
    // SAFETY: a plain fork; the child only calls `hold_place`, which is sound there.
    match check(unsafe { libc::fork() })? {
        // SAFETY: this is the child of a fork, and `exec` was made before it.
        0 => unsafe { hold_place(&exec) },
        holder => Ok(Held { holder: holder as u32, go: word, born, failed }),
    }
}

/// Waits for the word, forks the command as a sister, says so, and ends.
///
/// # Safety
/// Only in the child of a fork. Everything called here is async-signal-safe and allocates nothing.
unsafe fn hold_place(exec: &Exec<'_>) -> ! {
    let mut word = 0u8;
    // SAFETY: descriptors and texts of `exec` live in this copy of the parent's memory; what is written lives on this stack.
    unsafe {
        libc::close(exec.go_end_of_parent);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::read(exec.go, (&raw mut word).cast(), 1) == 1 {
            let begun_ns = monotonic_ns();
            let (pid, refused) = fork_command(exec);
            let mut born = [0u8; Born::BYTES];
            born[..8].copy_from_slice(&begun_ns.to_ne_bytes());
            born[8..12].copy_from_slice(&pid.to_ne_bytes());
            born[12..].copy_from_slice(&refused.to_ne_bytes());
            libc::write(exec.born, born.as_ptr().cast(), born.len());
        }
        libc::_exit(0)
    }
}

/// Forks the command; its number or a negative error, and the error of its group or 0.
///
/// # Safety
/// As for [`hold_place`].
unsafe fn fork_command(exec: &Exec<'_>) -> (libc::c_int, libc::c_int) {
    let mut refused = 0;
    // SAFETY: what the caller has promised holds for the children, too; both calls are plain forks, see there.
    unsafe {
        if let Some(group) = exec.group {
            match fork_into(group) {
                0 => become_command(exec),
                pid if pid > 0 => return (pid as libc::c_int, 0),
                _ => refused = *libc::__errno_location(),
            }
        }
        // Without a group the older call is used, which more containers allow.
        let flags = libc::c_long::from(libc::CLONE_PARENT | libc::SIGCHLD);
        match libc::syscall(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize) {
            0 => become_command(exec),
            pid if pid > 0 => (pid as libc::c_int, refused),
            _ => (-*libc::__errno_location(), refused),
        }
    }
}

/// Of clone3(2); beyond the range of the type that libc gives it.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

/// What clone3(2) takes, the same for all processors; libc has it for 64-bit ones alone.
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Forks a sister of the caller into a control group. Sisters end with the signal that the caller ends with.
///
/// # Safety
/// As for a fork: the child may only call what is async-signal-safe.
unsafe fn fork_into(group: RawFd) -> libc::c_long {
    let flags = libc::CLONE_PARENT as u64 | CLONE_INTO_CGROUP;
    let arguments = CloneArguments { flags, cgroup: group as u64, ..CloneArguments::default() };
    // SAFETY: no memory is shared and no stack given, so this is a fork; the structure's true size is given.
    unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size_of::<CloneArguments>()) }
}

/// Becomes the program, or says why not.
///
/// # Safety
/// As for [`hold_place`].
unsafe fn become_command(exec: &Exec<'_>) -> ! {
    // SAFETY: descriptors and texts of `exec` live in this copy of the parent's memory; errors end the child.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        if let Some(input) = exec.input {
            libc::dup2(input, libc::STDIN_FILENO);
        }
        if let Some(output) = exec.output {
            libc::dup2(output, libc::STDOUT_FILENO);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const exec.mask, std::ptr::null_mut());
        if exec.folder.is_none_or(|folder| libc::chdir(folder.as_ptr()) == 0) {
            match &exec.environment {
                Some(environment) => libc::execve(exec.program.as_ptr(), exec.arguments.as_ptr(), environment.as_ptr()),
                None => libc::execvp(exec.program.as_ptr(), exec.arguments.as_ptr()),
            };
        }
        let error = *libc::__errno_location();
        libc::write(exec.failed, (&raw const error).cast(), size_of::<libc::c_int>());
        libc::_exit(127)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_holder_says_is_read_back() {
        let decoded = |pid: i32, refused: i32| {
            let bytes = [&7u64.to_ne_bytes()[..], &pid.to_ne_bytes(), &refused.to_ne_bytes()].concat();
            Born::read(bytes.try_into().unwrap())
        };
        assert_eq!(decoded(12, 0), Born { begun_ns: 7, pid: Ok(12), refused: None });
        assert_eq!(decoded(-libc::EAGAIN, libc::EACCES).pid, Err(libc::EAGAIN));
        assert_eq!(decoded(12, libc::EACCES).refused, Some(libc::EACCES));
    }
}
