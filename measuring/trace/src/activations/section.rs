//! The sections of one thread: from the places that it reaches to one account for each section.
//!
//! A function is in a section from its outermost entry to that one's return. Between two places the last beginning counts. A
//! function that was left without a return, as by an exception, is seen when a later entry has as much of the stack again.

use super::account::{Account, Limits};
use super::activation::Activation;
use super::record::{Faults, PlaceReached};
use super::wait::{Clock, Rule, Source};

/// One section of one thread.
#[derive(Clone, Debug)]
pub(super) struct SectionAccount {
    /// Each time that it was passed, as an activation that is due when it begins.
    pub account: Account,
    /// Begun again before it had ended.
    pub restarted: u64,
    /// Ended without having begun.
    pub unbegun: u64,
    is_function: bool,
    /// Entries that have not returned: the stack's end at each, outermost first.
    entries: Vec<u64>,
}

/// On some processors the return address is on the stack at an entry, and gone at the return.
const RETURN_ADDRESS: u64 = 8;
/// Entries of a recursive function that are kept.
const DEPTH: usize = 4_096;

impl SectionAccount {
    /// It was not passed yet; `number` is its place among the sections of the watch.
    pub(super) fn new(number: usize, limits: &Limits) -> Self {
        let section = &limits.places.sections[number];
        let source = Source { wait: section.to_string(), rule: Rule::Event, clock: Clock::Monotonic };
        Self {
            account: Account::of_section(number, source, limits),
            restarted: 0,
            unbegun: 0,
            is_function: section.end.is_none(),
            entries: Vec::new(),
        }
    }

    /// It begins.
    pub(super) fn begin(&mut self, at: &PlaceReached, limits: &Limits) {
        if self.is_function {
            // A stack grows downwards: an entry with as much of it free again as an earlier one had is no inner call.
            while self.entries.last().is_some_and(|outer| at.stack >= *outer) {
                self.entries.pop();
                self.restarted += u64::from(self.entries.is_empty());
            }
            if self.entries.len() < DEPTH {
                self.entries.push(at.stack);
            }
            if self.entries.len() > 1 {
                return;
            }
        } else {
            self.restarted += u64::from(self.account.open.is_some());
        }
        let activation = Activation {
            due_own_ns: Some(at.at_ns.cast_signed()),
            from_ns: at.at_ns,
            wait_ns: at.at_ns,
            released_ns: at.at_ns,
            faults: at.faults,
            ..Activation::default()
        };
        self.account.begin(activation, limits);
    }

    /// It ends; when, where this is its end.
    pub(super) fn end(&mut self, at: &PlaceReached) -> Option<(u64, Faults)> {
        if self.is_function {
            // Inner calls that were left without a return have less of the stack than the one that returns now.
            while self.entries.last().is_some_and(|inner| inner + RETURN_ADDRESS < at.stack) {
                self.entries.pop();
            }
            let was_entered = self.entries.pop().is_some();
            if !was_entered {
                self.unbegun += 1;
                self.restarted += u64::from(self.account.open.take().is_some());
            }
            return (was_entered && self.entries.is_empty()).then_some((at.at_ns, at.faults));
        }
        self.unbegun += u64::from(self.account.open.is_none());
        self.account.open.map(|_| (at.at_ns, at.faults))
    }

    /// Records of this thread were lost.
    pub(super) fn lost(&mut self) {
        self.entries.clear();
        self.account.is_gap = true;
        self.account.unseen += 1;
        self.account.open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::*;

    struct Script {
        section: SectionAccount,
        limits: Limits,
        ended: Vec<u64>,
    }

    impl Script {
        fn new(section: &str) -> Self {
            let places = Places { sections: vec![section.parse().unwrap()], others: Vec::new() };
            let limits = Limits { places, worst: 10, ..Limits::default() };
            Self { section: SectionAccount::new(0, &limits), limits, ended: Vec::new() }
        }

        fn begin(&mut self, at_ns: u64, stack: u64) {
            self.section.begin(&PlaceReached { at_ns, stack, ..PlaceReached::default() }, &self.limits);
        }

        fn end(&mut self, at_ns: u64, stack: u64) {
            let reached = PlaceReached { at_ns, stack, ..PlaceReached::default() };
            if let Some((end_ns, faults)) = self.section.end(&reached) {
                let ended = self.section.account.end(end_ns, faults, &[], &self.limits);
                self.ended.extend(ended.map(|one| one.activation.response_ns()));
            }
        }

        fn counts(&self) -> (u64, usize, u64, u64) {
            let SectionAccount { account, restarted, unbegun, .. } = &self.section;
            (account.served, self.ended.len(), *restarted, *unbegun)
        }
    }

    #[test]
    fn a_recursive_function_is_one_section_from_its_outermost_entry_to_that_ones_return() {
        let mut script = Script::new("walk");
        for (at, stack) in [(10, 0x900), (20, 0x800), (30, 0x700)] {
            script.begin(at, stack);
        }
        for (at, stack) in [(40, 0x708), (50, 0x808), (60, 0x908)] {
            script.end(at, stack);
        }
        script.begin(100, 0x900);
        script.end(107, 0x908);
        assert_eq!((script.counts(), script.ended.as_slice()), ((2, 2, 0, 0), [50, 7].as_slice()));
    }

    #[test]
    fn a_function_that_is_left_without_a_return_is_counted_and_hides_no_later_one() {
        let mut script = Script::new("walk");
        script.begin(10, 0x900);
        script.begin(100, 0x900);
        script.end(130, 0x908);
        assert_eq!((script.counts(), script.ended.as_slice()), ((2, 1, 1, 0), [30].as_slice()));
        // Only an inner call is left: the outer one returns.
        script.begin(200, 0x900);
        script.begin(210, 0x800);
        script.end(250, 0x908);
        assert_eq!(script.ended.as_slice(), [30, 50]);
        script.end(300, 0x908);
        assert_eq!(script.counts(), (3, 2, 1, 1));
    }

    #[test]
    fn between_two_places_the_last_beginning_counts() {
        let mut script = Script::new("a..b");
        script.end(5, 0);
        for at in [10, 20] {
            script.begin(at, 0);
        }
        script.end(50, 0);
        script.end(60, 0);
        assert_eq!((script.counts(), script.ended.as_slice()), ((2, 1, 1, 2), [30].as_slice()));
        script.begin(70, 0);
        script.section.lost();
        script.end(80, 0);
        assert_eq!((script.counts(), script.section.account.unseen), ((3, 1, 1, 3), 1));
    }
}
