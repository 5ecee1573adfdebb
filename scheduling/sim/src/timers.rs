//! The next of many timers: a tournament, whose winner is known at once and whose rounds are replayed after a change.
//!
//! Every timer is a leaf; each inner place holds the leaf that fires first among those below it. Setting a timer replays
//! the games on the way to the top: log2 of the timers, no allocation, no search. Of timers at the same instant the one
//! with the lowest number wins, so the order of what happens at one instant is the order of the leaves.

use prazo_core::time::Instant;

/// A fixed number of timers, all unset at first.
#[derive(Clone, Debug)]
pub struct Timers {
    /// Times by leaf, [`Instant::NEVER`] where one is not set; padded to a power of two.
    at: Vec<Instant>,
    /// Winners of the games; place 1 is the final, the children of place i are 2i and 2i + 1.
    winners: Vec<u32>,
}

impl Timers {
    /// `count` timers, none of them set.
    pub fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two().max(2);
        let mut timers = Self { at: vec![Instant::NEVER; leaves], winners: vec![0; leaves] };
        (1..leaves).rev().for_each(|place| timers.winners[place] = timers.play(place));
        timers
    }

    /// Sets timer `leaf` to fire at `at`.
    pub fn set(&mut self, leaf: usize, at: Instant) {
        self.at[leaf] = at;
        let mut place = (leaf + self.at.len()) / 2;
        while place > 0 {
            self.winners[place] = self.play(place);
            place /= 2;
        }
    }

    /// The timer that fires first, with its instant; [`Instant::NEVER`] if none is set.
    pub fn first(&self) -> (usize, Instant) {
        let leaf = self.winners[1] as usize;
        (leaf, self.at[leaf])
    }

    /// When timer `leaf` fires.
    pub fn at(&self, leaf: usize) -> Instant {
        self.at[leaf]
    }

    fn play(&self, place: usize) -> u32 {
        let leaves = self.at.len();
        let (left, right) = if place * 2 >= leaves {
            ((place * 2 - leaves) as u32, (place * 2 - leaves + 1) as u32)
        } else {
            (self.winners[place * 2], self.winners[place * 2 + 1])
        };
        if self.at[right as usize] < self.at[left as usize] { right } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Purpose};

    #[test]
    fn the_winner_is_always_the_first_smallest() {
        const SEED: u64 = 11;
        for count in [1usize, 2, 3, 7, 20, 33] {
            let (which, when) = (Draws::new(SEED, count, Purpose::Offset), Draws::new(SEED, count, Purpose::Jitter));
            let (mut timers, mut plain) = (Timers::new(count), vec![Instant::NEVER; count]);
            for step in 0..2_000 {
                let leaf = which.up_to(step, count as u64 - 1) as usize;
                let at = if when.up_to(step, 9) == 0 { Instant::NEVER } else { Instant::from_ns(when.up_to(step, 50)) };
                timers.set(leaf, at);
                plain[leaf] = at;
                let least = *plain.iter().min().unwrap();
                let first = plain.iter().position(|at| *at == least).unwrap();
                assert_eq!(timers.first(), (first, least), "seed {SEED}, {count} timers, step {step}");
            }
        }
    }
}
