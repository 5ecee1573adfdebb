//! The next of many timers, and what comes first of things that happen at one instant.
//!
//! Each kind of timer has a tournament of its own: a binary tree whose leaves are the timers and whose inner places hold the
//! first of the two below. Setting a timer replays the games on the way to the top: log2 of the timers of that kind, no
//! allocation, no search. A run pays for the kinds that it uses.
//!
//! At one instant first jobs end, then quanta and budgets, then jobs reach a point of theirs, then the clock ticks, then a supply
//! begins or ends, then deadlines pass (a job that ends at its deadline is in time), then jobs arrive, then they are released, then
//! they resume; each in the order of processors or tasks. That order is that of the kinds here, and of the numbers within a kind.

use prazo_core::time::Instant;
use std::hint::select_unpredictable;

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The job on this processor ends.
    Completion(usize),
    /// What the job on this processor was granted in one go is used up: its quantum, or its server's budget.
    Grant(usize),
    /// The job on this processor comes to the edge of a part, or suspends itself.
    Point(usize),
    /// The clock ticks.
    Tick,
    /// The supply begins or ends.
    Supply,
    /// The deadline of this task's oldest job that is neither late nor done.
    Deadline(usize),
    /// This task's next job arrives.
    Arrival(usize),
    /// This task's next delayed job is released.
    Release(usize),
    /// This task's job has been suspended for as long as it wanted.
    Resumption(usize),
}

/// How many timers a run has of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub completions: usize,
    pub grants: usize,
    pub points: usize,
    pub ticks: usize,
    pub supplies: usize,
    pub deadlines: usize,
    pub arrivals: usize,
    pub releases: usize,
    pub resumptions: usize,
}

/// The kinds of timers, in the order of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Kind {
    Completion,
    Grant,
    Point,
    Tick,
    Supply,
    Deadline,
    Arrival,
    Release,
    Resumption,
}

impl Timer {
    /// Its kind, in the order of one instant, and its number among those.
    #[inline]
    const fn place(self) -> (Kind, usize) {
        match self {
            Self::Completion(cpu) => (Kind::Completion, cpu),
            Self::Grant(cpu) => (Kind::Grant, cpu),
            Self::Point(cpu) => (Kind::Point, cpu),
            Self::Tick => (Kind::Tick, 0),
            Self::Supply => (Kind::Supply, 0),
            Self::Deadline(task) => (Kind::Deadline, task),
            Self::Arrival(task) => (Kind::Arrival, task),
            Self::Release(task) => (Kind::Release, task),
            Self::Resumption(task) => (Kind::Resumption, task),
        }
    }

    #[inline(always)]
    const fn of(kind: Kind, number: usize) -> Self {
        match kind {
            Kind::Completion => Self::Completion(number),
            Kind::Grant => Self::Grant(number),
            Kind::Point => Self::Point(number),
            Kind::Tick => Self::Tick,
            Kind::Supply => Self::Supply,
            Kind::Deadline => Self::Deadline(number),
            Kind::Arrival => Self::Arrival(number),
            Kind::Release => Self::Release(number),
            Kind::Resumption => Self::Resumption(number),
        }
    }
}

/// The timer that fires first. Its kind cannot be predicted, so the run branches on it once, where it handles the timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    kind: Kind,
    number: usize,
}

impl First {
    #[inline(always)]
    pub(crate) const fn timer(self) -> Timer {
        Timer::of(self.kind, self.number)
    }
}

/// A fixed number of timers of each kind, all unset at first.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    /// In the order of one instant.
    kinds: [Tournament; KINDS],
    /// By kind: when its first timer fires.
    first: [Instant; KINDS],
}

const KINDS: usize = 9;
const ALL_KINDS: [Kind; KINDS] = [
    Kind::Completion,
    Kind::Grant,
    Kind::Point,
    Kind::Tick,
    Kind::Supply,
    Kind::Deadline,
    Kind::Arrival,
    Kind::Release,
    Kind::Resumption,
];
/// Those that every run has.
const PLAIN_KINDS: [Kind; 3] = [Kind::Completion, Kind::Deadline, Kind::Arrival];

impl Timers {
    /// So many timers, none of them set.
    pub(crate) fn new(counts: Counts) -> Self {
        let Counts { completions, grants, points, ticks, supplies, deadlines, arrivals, releases, resumptions } =
            counts;
        let counts = [completions, grants, points, ticks, supplies, deadlines, arrivals, releases, resumptions];
        Self { kinds: counts.map(Tournament::new), first: [Instant::NEVER; KINDS] }
    }

    /// Sets `timer`, one of those that the run was made with, to fire at `at`.
    #[inline(always)]
    pub(crate) fn set(&mut self, timer: Timer, at: Instant) {
        let (kind, number) = timer.place();
        self.first[kind as usize] = self.kinds[kind as usize].set(number, at);
    }

    /// The timer that fires first, with its instant; [`Instant::NEVER`] if none is set. If the run is `PLAIN`, only jobs' ends,
    /// deadlines and arrivals are looked at.
    #[inline(always)]
    pub(crate) fn first<const PLAIN: bool>(&self) -> (First, Instant) {
        if PLAIN { self.first_of(PLAIN_KINDS) } else { self.first_of(ALL_KINDS) }
    }

    #[inline(always)]
    fn first_of<const N: usize>(&self, kinds: [Kind; N]) -> (First, Instant) {
        let (mut first, mut at) = (kinds[0], self.first[kinds[0] as usize]);
        for kind in kinds {
            // The next kind cannot be predicted either.
            let of_kind = self.first[kind as usize];
            first = select_unpredictable(of_kind < at, kind, first);
            at = at.min(of_kind);
        }
        (First { kind: first, number: self.kinds[first as usize].winner() }, at)
    }

    /// When `timer` fires; never where the run has no timer of that kind.
    #[inline(always)]
    pub(crate) fn at(&self, timer: Timer) -> Instant {
        let (kind, number) = timer.place();
        self.kinds[kind as usize].at(number)
    }
}

/// The timers of one kind: place 1 is the final, the children of place i are 2i and 2i + 1, and the leaves are the timers.
#[derive(Clone, Debug)]
struct Tournament {
    /// By place: when the first timer below it fires.
    at: Vec<Instant>,
    /// By place: the number of that timer.
    winners: Vec<u32>,
    /// Its timers; the other leaves fill the tree.
    count: usize,
}

impl Tournament {
    /// One place at least, so that there is a final.
    fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two();
        let lowest = |place: usize| (place << (leaves.ilog2() - place.max(1).ilog2())) as u32;
        let winners = (0..2 * leaves).map(|place| lowest(place).saturating_sub(leaves as u32)).collect();
        Self { at: vec![Instant::NEVER; 2 * leaves], winners, count }
    }

    /// Answers when the first timer fires from now on. What is loaded on the way up does not depend on who wins there: only the winner is carried from game to game.
    #[inline]
    fn set(&mut self, number: usize, at: Instant) -> Instant {
        debug_assert!(number < self.count, "the run has this timer");
        let (mut at, mut winner) = (at, number as u32);
        let (times, winners) = (&mut self.at[..], &mut self.winners[..]);
        assert!(times.len() == winners.len() && number < times.len() / 2, "it has a leaf");
        let mut place = times.len() / 2 + number;
        times[place] = at;
        while place > 1 {
            let (rival_at, rival) = (times[place ^ 1], winners[place ^ 1]);
            // Of equals, the left one wins: the lower number. Who wins cannot be predicted, so nothing branches on it.
            let rival_wins = (rival_at < at) | ((rival_at == at) & (place % 2 == 1));
            at = select_unpredictable(rival_wins, rival_at, at);
            winner = select_unpredictable(rival_wins, rival, winner);
            place /= 2;
            (times[place], winners[place]) = (at, winner);
        }
        at
    }

    #[inline]
    fn winner(&self) -> usize {
        self.winners[1] as usize
    }

    #[inline]
    fn at(&self, number: usize) -> Instant {
        self.at.get(self.at.len() / 2 + number).copied().unwrap_or(Instant::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Purpose};

    #[test]
    fn a_plain_run_finds_the_first_of_its_three_kinds() {
        let mut timers = Timers::new(Counts { completions: 2, deadlines: 2, arrivals: 2, ..Counts::default() });
        let at = |ns| Instant::EPOCH.saturating_add(prazo_core::time::Duration::from_ns(ns));
        for (timer, ns, wanted) in [
            (Timer::Arrival(1), 9, Timer::Arrival(1)),
            (Timer::Deadline(0), 9, Timer::Deadline(0)),
            (Timer::Completion(1), 9, Timer::Completion(1)),
            (Timer::Arrival(0), 8, Timer::Arrival(0)),
        ] {
            timers.set(timer, at(ns));
            let ((plain, plain_at), (any, any_at)) = (timers.first::<true>(), timers.first::<false>());
            assert_eq!((plain.timer(), plain_at, any.timer(), any_at), (wanted, at(ns), wanted, at(ns)));
        }
    }

    #[test]
    fn the_first_is_always_the_smallest_by_instant_then_kind_then_number() {
        const SEED: u64 = 11;
        for count in [1usize, 2, 3, 7, 20, 33] {
            let (which, when) = (Draws::new(SEED, count, Purpose::Offset), Draws::new(SEED, count, Purpose::Jitter));
            let all = Counts {
                completions: count,
                grants: count,
                points: count,
                ticks: 1,
                supplies: 1,
                deadlines: count,
                arrivals: count,
                releases: count,
                resumptions: count,
            };
            let of = |kind: fn(usize) -> Timer| (0..count).map(kind);
            let plain: Vec<Timer> = of(Timer::Completion)
                .chain(of(Timer::Grant))
                .chain(of(Timer::Point))
                .chain([Timer::Tick, Timer::Supply])
                .chain(of(Timer::Deadline))
                .chain(of(Timer::Arrival))
                .chain(of(Timer::Release))
                .chain(of(Timer::Resumption))
                .collect();
            let (mut timers, mut times) = (Timers::new(all), vec![Instant::NEVER; plain.len()]);
            for step in 0..2_000 {
                let leaf = which.up_to(step, plain.len() as u64 - 1) as usize;
                let at = if when.up_to(step, 9) == 0 { Instant::NEVER } else { Instant::from_ns(when.up_to(step, 50)) };
                timers.set(plain[leaf], at);
                times[leaf] = at;
                let least = *times.iter().min().unwrap();
                let first = times.iter().position(|at| *at == least).unwrap();
                let (found, at_first) = timers.first::<false>();
                assert_eq!(
                    (found.timer(), at_first),
                    (plain[first], least),
                    "seed {SEED}, {count} timers, step {step}"
                );
                assert_eq!(timers.at(plain[leaf]), at);
            }
        }
    }
}
