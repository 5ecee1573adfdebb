//! A working set as a chain of cache lines, each naming the next, so that no line can be fetched before the one in front of it.

use std::hint::black_box;

/// Bytes of a line on every processor that this is for.
const LINE_BYTES: usize = 64;

/// One line: the number of the next, how often it was visited, and what fills it.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct CacheLine {
    next: u32,
    visits: u32,
    _rest: [u32; LINE_BYTES / 4 - 2],
}

/// A closed chain through all lines, in an order that no prefetcher guesses.
pub(super) struct Chain {
    lines: Vec<CacheLine>,
}

impl Chain {
    /// A chain of so many KiB, ordered by a seed.
    pub(super) fn new(kib: u32, seed: u64) -> Self {
        let count = (kib as usize * 1_024 / LINE_BYTES).max(1);
        let mut next: Vec<u32> = (0..count as u32).collect();
        let mut random = fastrand::Rng::with_seed(seed);
        // Sattolo 1986: a permutation that is one cycle, so that one walk meets every line.
        for last in (1..count).rev() {
            next.swap(last, random.usize(0..last));
        }
        let line = |next| CacheLine { next, visits: 0, _rest: [0; LINE_BYTES / 4 - 2] };
        Self { lines: next.into_iter().map(line).collect() }
    }

    /// Walks it once around, and writes to each line: no other processor keeps a copy that it could come back to.
    #[inline(never)]
    pub(super) fn walk(&mut self) {
        let mut at = 0;
        for _ in 0..self.lines.len() {
            let line = &mut self.lines[at as usize];
            line.visits = line.visits.wrapping_add(1);
            at = line.next;
        }
        black_box(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_walk_meets_every_line_and_ends_where_it_began() {
        for kib in [1, 2, 64] {
            let mut chain = Chain::new(kib, 7);
            chain.walk();
            assert!(chain.lines.iter().all(|line| line.visits == 1), "{kib} KiB");
            assert_eq!(chain.lines.len(), kib as usize * 16);
        }
    }
}
