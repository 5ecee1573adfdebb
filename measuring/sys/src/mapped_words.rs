//! A map of the kernel's that is read without a system call.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// The words of a map, mapped read-only until dropped.
///
/// Invariant: `words` points at `count` words that stay mapped and readable as long as the value lives.
#[derive(Debug)]
pub struct MappedWords {
    words: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: the memory is only ever seen as `&[AtomicU64]` and only loaded from; unmapping works from any thread.
unsafe impl Send for MappedWords {}

impl MappedWords {
    /// The first `count` words of a map that was made with BPF_F_MMAPABLE.
    pub fn map(map: BorrowedFd<'_>, count: usize) -> io::Result<Self> {
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), count * 8, libc::PROT_READ, libc::MAP_SHARED, map.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let words = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mmap returned the null address"))?;
        Ok(Self { words, count })
    }

    /// All words; they may only be loaded.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the invariant; a page is aligned for AtomicU64, and a relaxed load of eight aligned bytes writes nothing.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }
}

impl Drop for MappedWords {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `map` mapped; no reference to it outlives `self`.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.count * 8) };
    }
}
