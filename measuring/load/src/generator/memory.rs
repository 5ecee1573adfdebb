//! Memory mapped, written page by page in a random order, checked and unmapped again.

use std::io;

use prazo_sys::memory::PrivateMemory;

use super::super::numbers::Numbers;
use super::workers::Endless;

/// How often all of a mapping is written and checked before it is unmapped.
const PASSES: u64 = 2;
const WORD_BYTES: usize = size_of::<u64>();

/// One mapping's life: which page comes first, how far the next one is, and what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    first: u64,
    stride: u64,
    pattern: u64,
}

/// The rounds of a worker, without end.
fn rounds(seed: u64, worker: u32) -> impl Iterator<Item = Round> {
    let mut numbers = Numbers::of_worker(seed, worker);
    std::iter::repeat_with(move || Round {
        first: numbers.next() >> 1,
        stride: numbers.below(1 << 20) | 1,
        pattern: numbers.next(),
    })
}

impl Round {
    /// The pages below `count`, a power of two, each once: an odd stride meets them all.
    fn pages(self, count: usize) -> impl Iterator<Item = usize> {
        let mask = count as u64 - 1;
        (0..count as u64).map(move |step| (self.first.wrapping_add(step.wrapping_mul(self.stride)) & mask) as usize)
    }
}

/// Maps and unmaps up to `bytes` for ever.
pub(super) fn use_up(seed: u64, worker: u32, bytes: u64) -> Endless {
    let page_bytes = PrivateMemory::page_bytes();
    let pages = (usize::try_from(bytes).map_err(io::Error::other)? / page_bytes).max(1);
    let pages = 1 << pages.ilog2();
    for round in rounds(seed, worker) {
        live(round, pages, page_bytes / WORD_BYTES)?;
    }
    unreachable!("rounds have no end")
}

fn live(round: Round, pages: usize, page_words: usize) -> io::Result<()> {
    let mut memory = PrivateMemory::new(pages * page_words * WORD_BYTES)?;
    for pass in 0..PASSES {
        let pattern = round.pattern.wrapping_add(pass);
        for page in round.pages(pages) {
            memory.words()[page * page_words..][..page_words].fill(pattern);
        }
        if memory.words().iter().any(|word| *word != pattern) {
            return Err(io::Error::other("a page of memory does not contain what the load wrote to it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_meets_every_page_once_in_an_order_that_the_seed_decides() {
        let of = |seed| rounds(seed, 0).next().unwrap().pages(1024).collect::<Vec<_>>();
        let mut sorted = of(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1024).collect::<Vec<_>>());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_ne!(rounds(1, 0).next(), rounds(1, 1).next());
    }

    #[test]
    fn a_round_lives_in_one_page_and_in_many() {
        let round = rounds(1, 0).next().unwrap();
        live(round, 1, 512).unwrap();
        live(round, 256, 512).unwrap();
    }
}
