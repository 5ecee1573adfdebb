//! The instants at which the tasks of one cluster are to be woken, earliest first.
//!
//! A tournament of fours: every task has a leaf, every inner node the earliest of the four below it. Setting an alarm plays
//! the matches above its leaf anew, four with 128 tasks; reading the earliest is one load. Four rather than two, since a node
//! more costs as much as three more instants to compare. Where many alarms change at once, all are set in one go, in n steps.
//! A list sorted by instant, as the public copy of the paper's system keeps it, is walked on insertion.
//!
//! ```text
//! leaves   128 129 130 131 ... 252 253 254 255       below node n stand 4n to 4n + 3
//! nodes    32 ... 63, 8 ... 15, 2 and 3, 0           the root is 0; below it stand 2 and 3, and two that are never due
//! ```
//!
//! Instant and task share a word, the instant in its upper bits, so that one comparison decides, even between equals.

use prazo_core::time::Instant;

/// Later than every alarm: no alarm is set.
pub const NEVER: Instant = Instant::from_ns(u64::MAX >> TASK_BITS);

/// Bits of a word that name the task; the others hold 2^56 ns, more than two years.
const TASK_BITS: u32 = 8;
/// As many are below a node.
const FAN: usize = 4;

/// One alarm for each of at most `TASKS` tasks, a power of two.
pub struct Alarms<const TASKS: usize> {
    /// Inner nodes by number; [`NOBODY`] at 0, which stands for the root, and at numbers that no level has.
    nodes: [u64; TASKS],
    /// The tasks' own.
    leaves: [u64; TASKS],
    root: u64,
}

/// Later than every word of a task.
const NOBODY: u64 = u64::MAX;

const fn word(task: usize, instant: Instant) -> u64 {
    let ns = if instant.as_ns() < NEVER.as_ns() { instant.as_ns() } else { NEVER.as_ns() };
    ns << TASK_BITS | task as u64
}

/// The earliest of the four words `4 * group` and following.
#[inline]
const fn earliest_of<const TASKS: usize>(words: &[u64; TASKS], group: usize) -> u64 {
    let (groups, _) = words.as_chunks::<FAN>();
    // The remainder changes nothing: it tells the compiler that the group is one of the array's.
    let [a, b, c, d] = groups[group % (TASKS / FAN)];
    let (ab, cd) = (if b < a { b } else { a }, if d < c { d } else { c });
    if cd < ab { cd } else { ab }
}

impl<const TASKS: usize> Alarms<TASKS> {
    /// Levels between root and leaves.
    const LEVELS: u32 = TASKS.ilog(FAN);

    /// No alarm set.
    pub const fn new() -> Self {
        const { assert!(TASKS.is_power_of_two() && TASKS >= FAN && TASKS <= 1 << TASK_BITS) };
        let mut alarms = Self { nodes: [NOBODY; TASKS], leaves: [0; TASKS], root: NOBODY };
        let mut task = 0;
        while task < TASKS {
            alarms.leaves[task] = word(task, NEVER);
            task += 1;
        }
        alarms.play_all();
        alarms
    }

    /// The earliest alarm and whose it is, the lower index among equals; [`NEVER`] if none is set.
    #[inline]
    pub const fn earliest(&self) -> (usize, Instant) {
        (self.root as usize % TASKS, Instant::from_ns(self.root >> TASK_BITS))
    }

    /// Wakes `task` at `instant` and no longer at the one before; [`NEVER`] or later for not at all.
    #[inline]
    pub fn set(&mut self, task: usize, instant: Instant) {
        self.leaves[task] = word(task, instant);
        let mut best = earliest_of(&self.leaves, task / FAN);
        let mut node = (TASKS + task) / FAN;
        for _ in 0..Self::LEVELS {
            self.nodes[node % TASKS] = best;
            node /= FAN;
            best = earliest_of(&self.nodes, node);
        }
        self.root = best;
    }

    /// Wakes every task when `instant` says, and no longer when it was to be woken before.
    pub fn set_all(&mut self, instant: impl Fn(usize) -> Instant) {
        for (task, leaf) in self.leaves.iter_mut().enumerate() {
            *leaf = word(task, instant(task));
        }
        self.play_all();
    }

    /// Plays all matches, from the leaves up. A number that no level has stands above such numbers alone.
    const fn play_all(&mut self) {
        let mut node = TASKS / 2;
        while node > 1 {
            node -= 1;
            let is_above_leaves = node >= TASKS / FAN;
            self.nodes[node] = if is_above_leaves {
                earliest_of(&self.leaves, node - TASKS / FAN)
            } else {
                earliest_of(&self.nodes, node)
            };
        }
        self.root = earliest_of(&self.nodes, 0);
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
    fn earliest_in(instants: &[Instant]) -> (usize, Instant) {
        let (task, instant) = instants.iter().enumerate().min_by_key(|(task, instant)| (**instant, *task)).unwrap();
        (task, *instant)
    }

    /// One alarm at a time, and now and then all of them; few instants, so that many are equal.
    fn agrees_with_a_table<const TASKS: usize>() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        println!("seed {state}, {TASKS} tasks");
        let mut alarms = Alarms::<TASKS>::new();
        let mut table = [NEVER; TASKS];
        assert_eq!(alarms.earliest(), (0, NEVER));
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let task = (state >> 48) as usize % TASKS;
            let instant = if state >> 40 & 7 == 0 { NEVER } else { Instant::from_ns(state >> 33 & 31) };
            if state >> 20 & 63 == 0 {
                table.iter_mut().step_by(1 + task).for_each(|place| *place = instant);
                alarms.set_all(|task| table[task]);
            } else {
                table[task] = instant;
                alarms.set(task, instant);
            }
            assert_eq!(alarms.earliest(), earliest_in(&table));
        }
    }

    #[test]
    fn agrees_with_a_table_that_is_searched() {
        agrees_with_a_table::<4>();
        agrees_with_a_table::<8>();
        agrees_with_a_table::<16>();
        agrees_with_a_table::<128>();
        agrees_with_a_table::<256>();
    }
}
