//! Arithmetic of several kinds, in turns that a seed decides.

use std::hint::black_box;

use super::super::numbers::Numbers;
use super::workers::Endless;

/// What a turn computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Whole numbers in registers.
    Integers,
    /// Floating-point registers.
    Floats,
    /// A table as large as a level-2 cache, at random places.
    Table,
}

const TURNS: [Turn; 3] = [Turn::Integers, Turn::Floats, Turn::Table];
const STEPS: u64 = 50_000;
/// 256 KiB.
const TABLE_WORDS: usize = 32 << 10;

/// The turns of a worker, without end, each with a number to begin with.
fn turns(seed: u64, worker: u32) -> impl Iterator<Item = (Turn, u64)> {
    let mut numbers = Numbers::of_worker(seed, worker);
    std::iter::repeat_with(move || (TURNS[numbers.below(TURNS.len() as u64) as usize], numbers.next()))
}

/// Computes for ever.
pub(super) fn compute(seed: u64, worker: u32) -> Endless {
    let mut table = vec![0; TABLE_WORDS];
    for (turn, first) in turns(seed, worker) {
        match turn {
            Turn::Integers => drop(black_box(integers(first))),
            Turn::Floats => drop(black_box(floats(first))),
            Turn::Table => jump(&mut table, first),
        }
    }
    unreachable!("turns have no end")
}

fn integers(first: u64) -> u64 {
    (0..STEPS).fold(first, |x, step| (x ^ (x >> 7)).wrapping_mul(step | 1).rotate_left(17))
}

fn floats(first: u64) -> f64 {
    let first = 1.0 + first as f64 / u64::MAX as f64;
    (0..STEPS).fold(first, |x, _| (x * x + 1.0).sqrt() / (x + 0.5) + 0.5)
}

fn jump(table: &mut [u64], first: u64) {
    let mut place = first;
    for _ in 0..STEPS {
        place = place.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let word = &mut table[(place >> 40) as usize % TABLE_WORDS];
        *word = word.wrapping_add(place);
    }
    black_box(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_turns() {
        let of = |seed, worker| turns(seed, worker).take(50).collect::<Vec<_>>();
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(1, 1));
        assert!(TURNS.iter().all(|turn| of(1, 0).iter().any(|(one, _)| one == turn)));
    }

    #[test]
    fn a_turn_s_result_depends_on_where_it_begins() {
        assert_ne!(integers(1), integers(2));
        let mut table = vec![0; TABLE_WORDS];
        jump(&mut table, 1);
        assert!(table.iter().filter(|word| **word != 0).count() > TABLE_WORDS / 2);
        assert!((0.5..3.0).contains(&floats(u64::MAX)));
    }
}
