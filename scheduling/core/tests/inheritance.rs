//! Priority inheritance against a slow, obvious twin: what is lent is searched from end to end after every step.

#[path = "support/random.rs"]
mod random;

use prazo_core::inheritance::{Inheritance, Locking};
use prazo_core::job::TaskIndex;
use prazo_core::rank::Rank;
use random::Random;

const SEED: u64 = 1_990;
const SEQUENCES: u64 = 20_000;
const STEPS: usize = 60;
const TASKS: usize = 8;
const MUTEXES: usize = 4;

/// Who holds and who waits, and nothing else.
struct Naive {
    ranks: [u64; TASKS],
    holders: [Option<usize>; MUTEXES],
    waits_for: [Option<usize>; TASKS],
}

impl Naive {
    /// The most urgent rank among `task`'s own and those of all that wait for it, over any number of others.
    fn effective(&self, task: usize) -> u64 {
        self.inherited(task).map_or(self.ranks[task], |inherited| inherited.min(self.ranks[task]))
    }

    fn inherited(&self, task: usize) -> Option<u64> {
        let waits = |other: &usize| self.waits_for[*other].is_some_and(|mutex| self.holders[mutex] == Some(task));
        (0..TASKS).filter(waits).map(|other| self.effective(other)).min()
    }

    /// True if `task` would wait for itself if it waited for `mutex`.
    fn is_circle(&self, task: usize, mutex: usize) -> bool {
        let holder = self.holders[mutex].expect("somebody holds it");
        holder == task || self.waits_for[holder].is_some_and(|next| self.is_circle(task, next))
    }

    fn lock(&mut self, task: usize, mutex: usize) -> Locking {
        if self.holders[mutex].is_none() {
            self.holders[mutex] = Some(task);
            return Locking::Holds;
        }
        if self.is_circle(task, mutex) {
            return Locking::Deadlock;
        }
        self.waits_for[task] = Some(mutex);
        Locking::Waits
    }

    fn unlock(&mut self, mutex: usize) -> Option<usize> {
        let waiting = (0..TASKS).filter(|task| self.waits_for[*task] == Some(mutex));
        let next = waiting.min_by_key(|task| (self.effective(*task), *task));
        self.holders[mutex] = next;
        if let Some(next) = next {
            self.waits_for[next] = None;
        }
        next
    }
}

fn task(number: usize) -> TaskIndex {
    TaskIndex::new(number).unwrap()
}

/// One step of both; `lent` is kept as those who are told would keep it.
fn step(
    real: &mut Inheritance<TASKS, MUTEXES>,
    naive: &mut Naive,
    lent: &mut [Option<Rank>; TASKS],
    random: &mut Random,
) {
    let (who, mutex) = (random.below(TASKS), random.below(MUTEXES));
    let lend = |task: TaskIndex, rank| lent[task.index()] = rank;
    match (random.below(5), naive.waits_for[who]) {
        (0, _) => {
            naive.ranks[who] = random.below(6) as u64;
            real.rerank(task(who), Rank::new(naive.ranks[who]), lend);
        }
        (1..=2, None) => {
            let locking = real.lock(mutex, task(who), Rank::new(naive.ranks[who]), lend);
            assert_eq!(locking, naive.lock(who, mutex));
        }
        (_, None) if naive.holders[mutex] == Some(who) => {
            assert_eq!(real.unlock(mutex, task(who), lend).map(TaskIndex::index), naive.unlock(mutex));
        }
        _ => {}
    }
}

fn sequence(seed: u64) {
    let mut random = Random(seed);
    let ranks = [(); TASKS].map(|()| random.below(6) as u64);
    let mut naive = Naive { ranks, holders: [None; MUTEXES], waits_for: [None; TASKS] };
    let mut real = Inheritance::new(TASKS);
    let mut lent = [None; TASKS];
    for number in 0..STEPS {
        step(&mut real, &mut naive, &mut lent, &mut random);
        for (who, actual) in lent.iter().enumerate() {
            let expected = naive.inherited(who).map(Rank::new);
            assert_eq!(real.inherited(task(who)), expected, "task {who}, step {number}, seed {seed}");
            assert_eq!(*actual, expected, "task {who} was not told, step {number}, seed {seed}");
        }
    }
}

#[test]
fn what_is_inherited_agrees_with_a_search_of_all_that_wait() {
    eprintln!("seeds {SEED}..{}", SEED + SEQUENCES);
    (SEED..SEED + SEQUENCES).for_each(sequence);
}
