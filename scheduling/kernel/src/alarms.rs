//! The instants at which the tasks of one cluster are to be woken, earliest first.
//!
//! A tournament, as the ready queue's: every task has a leaf, every inner node knows the earlier of the two below it. Setting
//! an alarm replays the matches above its leaf, log2(n) at most, and stops where nothing changes; reading the earliest is one
//! load. A list sorted by instant, as the public copy of the paper's system keeps it, is walked on insertion.

use prazo_core::time::Instant;

/// Later than every alarm: no alarm is set.
pub const NEVER: Instant = Instant::from_ns(u64::MAX);

/// One alarm for each of at most `TASKS` tasks, a power of two.
pub struct Alarms<const TASKS: usize> {
    instants: [Instant; TASKS],
    /// Who is the earliest below a node; node 1 is the root, the leaves of node `n` in the last row are `2n - TASKS` and the next.
    winners: [u16; TASKS],
}

impl<const TASKS: usize> Alarms<TASKS> {
    /// No alarm set.
    pub const fn new() -> Self {
        const { assert!(TASKS.is_power_of_two() && TASKS > 1, "alarms come in powers of two") };
        let mut winners = [0; TASKS];
        let mut node = TASKS - 1;
        while node > 0 {
            winners[node] = if 2 * node < TASKS { winners[2 * node] } else { (2 * node - TASKS) as u16 };
            node -= 1;
        }
        Self { instants: [NEVER; TASKS], winners }
    }

    /// The earliest alarm and whose it is, the lower index among equals; [`NEVER`] if none is set.
    #[inline]
    pub fn earliest(&self) -> (usize, Instant) {
        let task = usize::from(self.winners[1]);
        (task, self.instants[task])
    }

    /// Wakes `task` at `instant` and no longer at the one before; [`NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, task: usize, instant: Instant) {
        self.instants[task] = instant;
        let mut winner = task;
        let mut best = instant;
        let mut child = TASKS + task;
        while child > 1 {
            let rival = self.winner(child ^ 1);
            let rival_instant = self.instants[rival];
            if rival_instant < best || rival_instant == best && rival < winner {
                (winner, best) = (rival, rival_instant);
            }
            child /= 2;
            if usize::from(self.winners[child]) == winner && winner != task {
                return;
            }
            self.winners[child] = winner as u16;
        }
    }

    /// Who is the earliest below `node`, which may be a leaf.
    #[inline]
    fn winner(&self, node: usize) -> usize {
        if node >= TASKS { node - TASKS } else { usize::from(self.winners[node]) }
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
