//! Memory that threads and child processes share, as a slice of atomics, and the locking of memory.

use crate::check;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Words of shared memory, zero at first, mapped until dropped.
///
/// Invariant: `words` points at `count` words that stay mapped, readable and writable, as long as the value lives.
#[derive(Debug)]
pub struct SharedMemory {
    words: NonNull<AtomicU64>,
    count: usize,
    file: File,
}

// SAFETY: the memory is only ever seen as `&[AtomicU64]`, which may be shared; unmapping works from any thread.
unsafe impl Send for SharedMemory {}
// SAFETY: as above.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// `count` new words, in an unnamed file that a child process can inherit.
    pub fn new(count: usize) -> io::Result<Self> {
        let file = unnamed_file()?;
        file.set_len((count * 8) as u64)?;
        Self::map(file)
    }

    /// The words of a file that another process made.
    pub fn map(file: File) -> io::Result<Self> {
        let count = usize::try_from(file.metadata()?.len() / 8).map_err(io::Error::other)?;
        let words = map_words(&file, count)?;
        Ok(Self { words, count, file })
    }

    /// All words.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the invariant; a page is aligned for AtomicU64, and every access of every process is atomic.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }

    /// The file behind the words, for handing it to a child.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `map_words` mapped; no reference to it outlives `self`.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.count * 8) };
    }
}

fn unnamed_file() -> io::Result<File> {
    // SAFETY: the name is a C string; the call has no other pointer.
    let fd = check(unsafe { libc::memfd_create(c"prazo-samples".as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: `fd` was returned just now and is handed to exactly one owner.
    Ok(unsafe { File::from_raw_fd(fd) })
}

fn map_words(file: &File, count: usize) -> io::Result<NonNull<AtomicU64>> {
    mapped(count * 8, libc::MAP_SHARED | libc::MAP_POPULATE, file.as_raw_fd()).map(NonNull::cast)
}

/// Fresh readable and writable memory, until the caller unmaps it; `file` is -1 for anonymous memory.
fn mapped(bytes: usize, kind: i32, file: RawFd) -> io::Result<NonNull<libc::c_void>> {
    // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, kind, file, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(start).ok_or_else(|| io::Error::other("mmap returned the null address"))
}

/// Fresh memory of this process alone, in pages of the smallest size, zero at first, mapped until dropped.
///
/// Invariant: `words` points at `count` words that stay mapped, readable and writable, as long as the value lives.
#[derive(Debug)]
pub struct PrivateMemory {
    words: NonNull<u64>,
    count: usize,
}

impl PrivateMemory {
    /// At least `bytes`, in whole pages.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(Self::page_bytes());
        let start = mapped(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)?;
        // SAFETY: exactly the range that was mapped just now. A kernel without huge pages refuses, and has only small ones.
        unsafe { libc::madvise(start.as_ptr(), bytes, libc::MADV_NOHUGEPAGE) };
        Ok(Self { words: start.cast(), count: bytes / size_of::<u64>() })
    }

    /// The size of the machine's smallest page.
    pub fn page_bytes() -> usize {
        // SAFETY: takes a number and no pointer.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    }

    /// All words.
    pub fn words(&mut self) -> &mut [u64] {
        // SAFETY: the invariant, and `self` is borrowed alone; a page is aligned for u64, for which all bits are values.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_ptr(), self.count) }
    }

    /// All bytes, which begin with a page.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: as above, in bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_ptr().cast(), self.count * size_of::<u64>()) }
    }
}

impl Drop for PrivateMemory {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `new` mapped; no reference to it outlives `self`.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.count * size_of::<u64>()) };
    }
}

/// Locks every page the process has now, so that none is fetched or written back while measuring.
///
/// Not those of the future: with a limited RLIMIT_MEMLOCK an allocation of the recorder would then fail.
pub fn lock_current() -> io::Result<()> {
    // SAFETY: no pointers; affects residency only.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT) }).map(drop)
}

/// Unlocks every page of the process.
pub fn unlock_all() {
    // SAFETY: no pointers; affects residency only.
    unsafe { libc::munlockall() };
}

/// Locks `bytes` of memory made for the purpose and lets go of it again, leaving all other locks of the process alone.
pub fn try_to_lock_memory(bytes: usize) -> io::Result<()> {
    let memory = vec![0_u8; bytes];
    // SAFETY: the range is the live allocation `memory`; locking changes nothing that Rust can see.
    let result = unsafe { libc::mlock(memory.as_ptr().cast(), memory.len()) };
    check(result)?;
    // SAFETY: as above; the same range.
    check(unsafe { libc::munlock(memory.as_ptr().cast(), memory.len()) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn private_memory_is_whole_pages_of_zeros_that_keep_what_is_written() {
        let mut memory = PrivateMemory::new(PrivateMemory::page_bytes() + 1).unwrap();
        assert_eq!(memory.bytes().len(), 2 * PrivateMemory::page_bytes());
        assert!(memory.words().iter().all(|word| *word == 0));
        memory.words()[7] = u64::MAX;
        assert_eq!(memory.bytes()[7 * 8], 0xFF);
    }

    #[test]
    fn two_mappings_of_one_file_see_each_other() {
        let here = SharedMemory::new(1024).unwrap();
        let there = SharedMemory::map(File::from(here.file().try_clone_to_owned().unwrap())).unwrap();
        here.words()[1023].store(7, Relaxed);
        assert_eq!(there.words().len(), 1024);
        assert_eq!(there.words()[1023].load(Relaxed), 7);
        assert_eq!(there.words()[0].load(Relaxed), 0);
    }
}
