//! The instants at which the tasks of one cluster are to be woken, earliest first.
//!
//! A tournament, as the ready queue's: every task has a leaf, every inner node the earlier of the two below it. Setting an
//! alarm replays the matches above its leaf, log2(n) at most, and stops where nothing changes; reading the earliest is one
//! load. A list sorted by instant, as the public copy of the paper's system keeps it, is walked on insertion.
//!
//! Instant and task share a word, the instant in its upper bits, so that one comparison decides, also between equals.

use prazo_core::time::Instant;

/// Later than every alarm: no alarm is set.
pub const NEVER: Instant = Instant::from_ns(u64::MAX >> TASK_BITS);

/// Bits of a word that name the task; the others hold 2^56 ns, more than two years.
const TASK_BITS: u32 = 8;

/// One alarm for each of at most `TASKS` tasks, a power of two.
pub struct Alarms<const TASKS: usize> {
    /// Inner nodes, the root at 1; what stands at 0 is read and not used.
    nodes: [u64; TASKS],
    /// The tasks' own.
    leaves: [u64; TASKS],
}

const fn word(task: usize, instant: Instant) -> u64 {
    instant.as_ns() << TASK_BITS | task as u64
}

impl<const TASKS: usize> Alarms<TASKS> {
    /// No alarm set.
    pub const fn new() -> Self {
        const { assert!(TASKS.is_power_of_two() && TASKS > 1 && TASKS <= 1 << TASK_BITS) };
        let mut alarms = Self { nodes: [0; TASKS], leaves: [0; TASKS] };
        let mut node = 2 * TASKS - 1;
        while node > 0 {
            if node >= TASKS {
                alarms.leaves[node - TASKS] = word(node - TASKS, NEVER);
            } else {
                alarms.nodes[node] =
                    if 2 * node < TASKS { alarms.nodes[2 * node] } else { word(2 * node - TASKS, NEVER) };
            }
            node -= 1;
        }
        alarms
    }

    /// The earliest alarm and whose it is, the lower index among equals; [`NEVER`] if none is set.
    #[inline]
    pub fn earliest(&self) -> (usize, Instant) {
        let word = self.nodes[1];
        (word as usize % (1 << TASK_BITS), Instant::from_ns(word >> TASK_BITS))
    }

    /// Wakes `task` at `instant` and no longer at the one before; [`NEVER`] or later for not at all.
    #[inline]
    pub fn set(&mut self, task: usize, instant: Instant) {
        let own = word(task, instant.min(NEVER));
        self.leaves[task] = own;
        let mut best = own.min(self.leaves[task ^ 1]);
        let mut node = (TASKS + task) / 2;
        while node > 0 {
            // The mask changes nothing: it tells the compiler that a node is one of the array's.
            let place = &mut self.nodes[node % TASKS];
            if *place == best {
                return;
            }
            *place = best;
            best = best.min(self.nodes[(node ^ 1) % TASKS]);
            node /= 2;
        }
    }
}

impl<const TASKS: usize> Default for Alarms<TASKS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::println;

    /// The slow, obvious twin.
    fn earliest_of(instants: &[Instant]) -> (usize, Instant) {
        let (task, instant) = instants.iter().enumerate().min_by_key(|(task, instant)| (**instant, *task)).unwrap();
        (task, *instant)
    }

    #[test]
    fn agrees_with_a_table_that_is_searched() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        println!("seed {state}");
        let mut alarms = Alarms::<16>::new();
        let mut table = [NEVER; 16];
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let task = (state >> 60) as usize;
            let instant = if state >> 40 & 7 == 0 { NEVER } else { Instant::from_ns(state >> 33 & 31) };
            alarms.set(task, instant);
            table[task] = instant;
            assert_eq!(alarms.earliest(), earliest_of(&table));
        }
    }
}
