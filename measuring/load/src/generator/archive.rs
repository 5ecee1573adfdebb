//! The prepared tree read through a pipe by one process, sorted block by block and written by another.

use std::fs::{self, File};
use std::io::{self, Read, Write};

use super::super::numbers::Numbers;
use super::tree;
use super::workers::{self, Endless};

/// What is computed with at a time.
const BLOCK_BYTES: usize = 64 << 10;
/// An archive is complete after so many blocks; then the next one takes its place.
const BLOCKS: usize = 64;

/// The files of a pass, in the order in which they are read.
fn order(seed: u64, worker: u32) -> impl Iterator<Item = u32> {
    let mut numbers = Numbers::of_worker(seed, worker);
    std::iter::repeat_with(move || numbers.shuffled(tree::FILES)).flatten()
}

/// Packs for ever.
pub(super) fn pack(seed: u64, worker: u32) -> Endless {
    let (mut from, to) = io::pipe()?;
    workers::start(|| read(seed, worker, &to))?;
    // The reader's end must be the only one, so that this side sees it close.
    drop(to);
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let mut archive = File::create(format!("archive-{worker}"))?;
        for _ in 0..BLOCKS {
            from.read_exact(&mut block)?;
            archive.write_all(&sorted(&block))?;
        }
    }
}

fn read(seed: u64, worker: u32, mut to: &io::PipeWriter) -> Endless {
    for file in order(seed, worker) {
        to.write_all(&fs::read(tree::name(file))?)?;
    }
    unreachable!("files are read again and again")
}

/// The bytes in the order of what follows each of them, as bzip2 sorts a block before it encodes it; every second one is kept.
fn sorted(block: &[u8]) -> Vec<u8> {
    const KEY_BYTES: usize = 8;
    let key = |place: u32| -> u64 {
        let bytes = (0..KEY_BYTES).map(|offset| block[(place as usize + offset) % block.len()]);
        bytes.fold(0, |key, byte| key << 8 | u64::from(byte))
    };
    let mut places: Vec<(u64, u32)> = (0..block.len() as u32).map(|place| (key(place), place)).collect();
    places.sort_unstable();
    places.iter().step_by(2).map(|(_, place)| block[(*place as usize + block.len() - 1) % block.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_order_of_the_files() {
        let of = |seed, worker| order(seed, worker).take(tree::FILES as usize).collect::<Vec<_>>();
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(1, 1));
    }

    /// All rotations of a word, sorted, and the last letter of every second one.
    #[test]
    fn a_block_is_sorted_by_what_follows_each_byte() {
        // abcd bcda cdab dabc: last letters d a b c.
        assert_eq!(sorted(b"abcd"), b"db");
        assert_eq!(sorted(&[7; 100]), [7; 50]);
    }
}
