//! The bound: one blocking section, the way to the task, and the interrupts that may come meanwhile.
//!
//! ```text
//! L = timer + max(off, scheduler) + to-scheduler + scheduler + return + I(L)
//! I(L) = longest interrupt + longest softirqs + sum over interrupts of (most arrivals in a window of L) x (longest of its kind)
//! ```
//! `max(off, scheduler)`: when the activation becomes due, either interrupts or preemption are off, or the scheduler is switching to
//! another thread. The longest interrupt in front of the sum is the one that is being handled then: its arrival lies before the
//! window. It may have come into the softirqs behind an earlier interrupt, which are interruptible: they are under way as well. L is
//! the least solution, found by iteration from the sections alone.

use super::arrivals::most_within;
use super::kind::SectionKind;
use super::seen::{Interrupts, SOFTIRQS, Sections};

/// A solution beyond this many instructions is none: interrupts take all of the time.
const MOST: u64 = 1 << 40;

/// A bound in instructions, with what it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// All of it.
    pub instructions: u64,
    /// What blocks a thread once, or is on its way.
    pub terms: Vec<Term>,
    /// The longest interrupt and the longest softirqs behind one, which may both be under way when the activation becomes due.
    pub carried_in: u64,
    /// What interferes with it.
    pub interference: Vec<Interference>,
}

/// A section that is counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its kind.
    pub kind: SectionKind,
    /// The longest one seen.
    pub instructions: u64,
}

/// One kind of interrupt in the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interference {
    /// Its name.
    pub name: String,
    /// How many come at most in a window as long as the bound.
    pub arrivals: u64,
    /// Instructions of the longest one.
    pub longest: u64,
}

impl Bound {
    /// From sections, and from how late the timer itself is, in instructions; `None` where there is no solution.
    pub fn of(sections: &Sections, timer: u64) -> Option<Self> {
        let longest = |kind| Term { kind, instructions: sections.longest(kind) };
        let (off, scheduler) = (longest(SectionKind::Off), longest(SectionKind::Scheduler));
        let blocks = if off.instructions >= scheduler.instructions { off } else { scheduler };
        let terms = vec![blocks, longest(SectionKind::ToScheduler), scheduler, longest(SectionKind::Return)];
        let alone = timer + terms.iter().map(|term| term.instructions).sum::<u64>();
        let longest_of = |softirqs: bool| {
            let of = sections.interrupts.iter().filter(|(name, _)| (name.as_str() == SOFTIRQS) == softirqs);
            of.map(|(_, one)| one.longest).max().unwrap_or(0)
        };
        let carried_in = longest_of(false) + longest_of(true);
        let mut instructions = alone + carried_in;
        loop {
            let interference: Vec<Interference> = interference(sections, instructions);
            let interferes = interference.iter().map(|one| one.arrivals.saturating_mul(one.longest));
            let next = interferes.fold(alone + carried_in, u64::saturating_add);
            if next <= instructions {
                return Some(Self { instructions, terms, carried_in, interference });
            }
            if next > MOST {
                return None;
            }
            instructions = next;
        }
    }
}

fn interference(sections: &Sections, window: u64) -> Vec<Interference> {
    let one = |(name, interrupts): (&String, &Interrupts)| Interference {
        name: name.clone(),
        arrivals: interrupts.arrivals.iter().map(|boot| most_within(boot, window)).max().unwrap_or(0),
        longest: interrupts.longest,
    };
    sections.interrupts.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::seen::SectionEnds;
    use super::*;

    fn sections(off: u64, arrivals: &[u64], longest: u64) -> Sections {
        let mut all = Sections::default();
        let lengths = [
            (SectionKind::Off, off),
            (SectionKind::Scheduler, 50),
            (SectionKind::ToScheduler, 5),
            (SectionKind::Return, 20),
        ];
        for (kind, length) in lengths {
            all.add(kind, SectionEnds::default(), length, 0, length);
        }
        for at in arrivals {
            all.interrupt("timer", longest, *at);
        }
        all
    }

    #[test]
    fn the_least_solution_counts_the_interrupts_that_fit_into_it() {
        // 7 + max(100, 50) + 5 + 50 + 20 = 182; one interrupt of 30 carried in: 212. Of arrivals each 100, three lie within 242
        // or less, and each adds 30: 212 + 3 x 30 = 302, in which four lie: 332, still four.
        let arrivals: Vec<u64> = (0..50).map(|number| number * 100).collect();
        let bound = Bound::of(&sections(100, &arrivals, 30), 7).unwrap();
        assert_eq!((bound.instructions, bound.carried_in), (332, 30));
        assert_eq!(bound.interference, [Interference { name: "timer".into(), arrivals: 4, longest: 30 }]);
        assert_eq!(bound.terms.iter().map(|term| term.instructions).sum::<u64>(), 175);
    }

    /// The definition: the least L at which demand is no more than L, found by trying each.
    #[test]
    fn it_is_the_least_length_that_holds_its_own_demand() {
        for (off, longest, step) in [(10, 3, 17), (100, 30, 100), (400, 9, 40), (1, 1, 5)] {
            let arrivals: Vec<u64> = (0..200).map(|number| number * step + number % 3).collect();
            let sections = sections(off, &arrivals, longest);
            let demand = |length: u64| {
                let once = off.max(50) + 5 + 50 + 20 + longest;
                let inside = |start: &u64| arrivals.iter().filter(|at| (*start..start + length).contains(at)).count();
                once + arrivals.iter().map(inside).max().unwrap_or(0) as u64 * longest
            };
            let least = (1..100_000).find(|length| demand(*length) <= *length).unwrap();
            assert_eq!(Bound::of(&sections, 0).unwrap().instructions, least, "{off} {longest} {step}");
        }
    }

    #[test]
    fn an_interrupt_may_have_come_into_the_softirqs_behind_another() {
        let mut sections = sections(100, &[500], 30);
        sections.interrupt(SOFTIRQS, 24, 530);
        sections.interrupt("device interrupt, vector 35", 12, 900);
        let bound = Bound::of(&sections, 0).unwrap();
        // Once 175; under way 30 and 24; one of each that may come in 295.
        assert_eq!((bound.carried_in, bound.instructions), (30 + 24, 175 + 54 + 30 + 24 + 12));
    }

    #[test]
    fn a_longer_section_moves_the_bound_by_as_much_where_no_interrupt_comes() {
        let of = |off| Bound::of(&sections(off, &[], 0), 0).unwrap().instructions;
        assert_eq!(of(1_100) - of(100), 1_000);
    }

    #[test]
    fn interrupts_that_take_all_of_the_time_give_no_bound() {
        let arrivals: Vec<u64> = (0..10).map(|number| number * 10).collect();
        let few = Bound::of(&sections(100, &arrivals, 1 << 38), 0);
        assert_eq!(few, None);
    }
}
