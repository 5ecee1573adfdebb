//! Files written and read past the page cache, so that every request reaches the disk.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use prazo_sys::memory::PrivateMemory;

use super::super::numbers::Numbers;
use super::workers::Endless;

/// The file that is read.
pub(in super::super) const READ_FILE: &str = "read";
const WRITTEN_BYTES: u32 = 4096;
const READ_BYTES: u64 = 1 << 20;

/// The blocks of a file in the order in which they are written.
fn write_order(numbers: &mut Numbers, bytes: u32) -> Vec<u32> {
    numbers.shuffled((bytes / WRITTEN_BYTES).max(1))
}

/// Writes a file of this size block after block in a random order, removes it and begins again, for ever.
pub(super) fn write(seed: u64, worker: u32, bytes: u32) -> Endless {
    let mut numbers = Numbers::of_worker(seed, worker);
    let mut memory = PrivateMemory::new(WRITTEN_BYTES as usize)?;
    let block = &mut memory.bytes()[..WRITTEN_BYTES as usize];
    let name = format!("written-{worker}");
    loop {
        let file = direct(OpenOptions::new().write(true).create(true).truncate(true), &name)?;
        for place in write_order(&mut numbers, bytes) {
            block.fill(numbers.next() as u8);
            file.write_all_at(block, u64::from(place) * u64::from(WRITTEN_BYTES))?;
        }
        file.sync_all()?;
        std::fs::remove_file(&name)?;
    }
}

/// The places of a pass over `blocks` blocks: in order, from a random one on.
fn read_order(numbers: &mut Numbers, blocks: u64) -> impl Iterator<Item = u64> + use<> {
    let first = numbers.below(blocks);
    (first..blocks).chain(0..first)
}

/// Reads the prepared file for ever.
pub(super) fn read(seed: u64, worker: u32) -> Endless {
    let file = direct(OpenOptions::new().read(true), READ_FILE)?;
    let blocks = (file.metadata()?.len() / READ_BYTES).max(1);
    let mut numbers = Numbers::of_worker(seed, worker);
    let mut memory = PrivateMemory::new(READ_BYTES as usize)?;
    loop {
        for block in read_order(&mut numbers, blocks) {
            file.read_exact_at(memory.bytes(), block * READ_BYTES)?;
        }
    }
}

/// Opens a file past the page cache; a file system that cannot do so is named.
fn direct(how: &mut OpenOptions, name: &str) -> io::Result<File> {
    how.custom_flags(libc::O_DIRECT).open(name).map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL) => io::Error::new(
            error.kind(),
            "the file system of the load's working folder (by default /var/tmp) does not support O_DIRECT; the load \
             needs a file system with O_DIRECT",
        ),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_written_once_in_an_order_that_the_seed_decides() {
        let of = |seed| write_order(&mut Numbers::of_worker(seed, 0), 1 << 20);
        let mut sorted = of(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..256).collect::<Vec<_>>());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(write_order(&mut Numbers::of_worker(1, 0), 1), [0]);
    }

    #[test]
    fn a_pass_reads_every_block_once() {
        let mut numbers = Numbers::of_worker(1, 0);
        let mut pass: Vec<u64> = read_order(&mut numbers, 128).collect();
        let first = pass[0];
        assert_ne!(read_order(&mut numbers, 128).next(), Some(first), "the next pass begins elsewhere");
        pass.sort_unstable();
        assert_eq!(pass, (0..128).collect::<Vec<_>>());
    }
}
