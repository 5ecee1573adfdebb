//! One kind of wait of one thread, activation by activation: what was served, how late, for how long, and which were worst.

use super::activation::Activation;
use super::body::{self, Body};
use super::grid::{self, Grid};
use super::parts::LatencyParts;
use super::places::Places;
use super::record::{Faults, Off};
use super::rounded::{MinAndSum, kept};
use super::rules::{About, ActivationRule, Deeds, Held, Tally};
use super::samples::Samples;
use super::wait::{Rule, Source};
use crate::split::parts::Joined;
use prazo_run::Histogram;
use std::collections::BTreeMap;

/// What overrules what is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The period.
    pub period_ns: Option<u64>,
    /// The relative deadline; by default the period.
    pub deadline_ns: Option<u64>,
    /// What one activation may compute.
    pub budget_ns: Option<u64>,
    /// How many of the worst activations are kept of each thread.
    pub worst: usize,
    /// Of so many of the worst activations of all threads together, what happened around them is kept as well.
    pub keeps_around: usize,
    /// Every activation is kept until it is taken, for a run file.
    pub is_recorded: bool,
    /// The processors' interrupts and switches, and the duration of page faults, are not traced: causes come from the threads'
    /// own waits alone.
    pub without_events: bool,
    /// What each activation is held against.
    pub rules: Vec<ActivationRule>,
    /// The places of the program that are looked at.
    pub places: Places,
    /// When the watch began, on CLOCK_MONOTONIC.
    pub began_ns: u64,
}

/// What is known of a task before it is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskTimes {
    /// Its period.
    pub period_ns: u64,
    /// Its relative deadline.
    pub deadline_ns: u64,
    /// What one activation may compute.
    pub budget_ns: u64,
}

/// What the kernel was told of a deadline thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub period_ns: u64,
    pub deadline_ns: u64,
}

/// Observed maxima.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maxima {
    /// From due to running.
    pub latency_ns: u64,
    /// From due to the next wait.
    pub response_ns: u64,
    /// Computing within one activation.
    pub own_ns: u64,
}

/// The same of each quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// From due to running.
    pub latency: MinAndSum,
    /// From due to the next wait.
    pub response: MinAndSum,
    /// Computing within one activation.
    pub own: MinAndSum,
}

impl Limits {
    /// The rules about activations or a section, ready to be held against one.
    fn held(&self, about: About) -> Held<'_> {
        Held { rules: &self.rules, about, began_ns: self.began_ns }
    }

    /// True where a rule asks which system calls are made.
    pub(super) fn asks_for_calls(&self) -> bool {
        self.rules.iter().any(|rule| rule.condition.is_about_calls())
    }
}

/// An activation that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndedActivation {
    pub activation: Activation,
    /// It missed its deadline.
    pub is_late: bool,
    /// It is one of the worst so far.
    pub is_worst: bool,
}

/// What became of one kind of wait, or of one section.
#[derive(Clone, Debug)]
pub(super) struct Account {
    /// Which rules are about it.
    about: About,
    pub source: Source,
    /// Of a deadline thread's own wait.
    pub declared: Option<Declared>,
    pub grid: Grid,
    pub served: u64,
    pub missed: u64,
    pub overruns: u64,
    /// Activations of which it is not known how late they were.
    pub unseen: u64,
    pub latency: Histogram,
    pub response: Histogram,
    pub own: Histogram,
    /// The largest latency, response and own time, to the nanosecond.
    pub max: Maxima,
    /// The smallest of each and their sums, to the nanosecond.
    pub exact: Exact,
    /// Where the time of each latency went.
    pub parts: LatencyParts,
    pub samples: Samples,
    pub body: Body,
    pub faults: (u64, u64),
    /// One for each rule.
    pub tallies: Vec<Tally>,
    pub open: Option<Activation>,
    /// System calls since the last release, with the first instant of each; 0 where that is not known.
    calls: BTreeMap<u32, u64>,
    /// Other places that were reached since then, and how often.
    reached: BTreeMap<usize, u64>,
    /// Since when each of those is looked at in the thread's process.
    pub looked_at: BTreeMap<usize, u64>,
    /// Responses before the period was settled.
    early: Vec<u64>,
    /// What the exact count of missed deadlines was made with.
    counted_with_ns: Option<u64>,
    /// The responses of the worst that are kept, for the next to be compared with.
    worst: Vec<u64>,
    /// Waits were lost since the last release.
    pub is_gap: bool,
}

impl Account {
    /// Of a wait that has not been released yet.
    pub(super) fn new(source: Source, limits: &Limits) -> Self {
        Self::about(About::Activations, source, limits)
    }

    /// Of a section that was not passed yet.
    pub(super) fn of_section(number: usize, source: Source, limits: &Limits) -> Self {
        Self::about(About::Section(number), source, limits)
    }

    fn about(about: About, source: Source, limits: &Limits) -> Self {
        Self {
            about,
            source,
            declared: None,
            exact: Exact::default(),
            parts: LatencyParts::default(),
            samples: Samples::new(limits.is_recorded, limits.began_ns),
            grid: Grid::default(),
            served: 0,
            missed: 0,
            overruns: 0,
            unseen: 0,
            latency: Histogram::new(),
            response: Histogram::new(),
            own: Histogram::new(),
            max: Maxima::default(),
            body: Body::default(),
            faults: (0, 0),
            tallies: vec![Tally::default(); limits.rules.len()],
            open: None,
            calls: BTreeMap::new(),
            reached: BTreeMap::new(),
            looked_at: BTreeMap::new(),
            early: Vec::new(),
            counted_with_ns: None,
            worst: Vec::new(),
            is_gap: false,
        }
    }

    /// True for a wait, false for a section.
    pub(super) fn is_of_activations(&self) -> bool {
        self.about == About::Activations
    }

    /// The wait is over: an activation begins.
    pub(super) fn begin(&mut self, activation: Activation, limits: &Limits) {
        let activation = Activation { number: self.served, ..activation };
        let on_grid = activation.due_own_ns.unwrap_or(activation.from_ns as i64);
        let distance_ns = self.grid.add(on_grid, std::mem::take(&mut self.is_gap));
        if activation.due_own_ns.is_some() && self.about == About::Activations {
            self.latency.add(kept(activation.latency_ns()), 1);
            self.max.latency_ns = self.max.latency_ns.max(activation.latency_ns());
            self.exact.latency.add(activation.latency_ns());
        }
        let has_grid = matches!(self.source.rule, Rule::Absolute | Rule::Timer);
        let period_ns = self.period_ns(limits).filter(|_| has_grid);
        let skipped = period_ns.map_or(0, |period| grid::between(distance_ns, period));
        self.samples.begun(&activation, skipped);
        self.open = Some(activation);
        self.calls.clear();
        self.reached.clear();
        self.served += 1;
    }

    /// Where the time from due to running went of the activation that has just begun.
    pub(super) fn split(&mut self, joined: Joined) {
        let Some(open) = self.open.filter(|open| open.due_own_ns.is_some()) else { return };
        for (quantity, ns) in self.parts.add(self.source.rule, joined) {
            self.samples.part(&open, quantity, ns);
        }
    }

    /// A system call was made within the activation that is under way.
    pub(super) fn called(&mut self, call: u32, at_ns: u64) {
        if self.open.is_some() {
            self.calls.entry(call).or_insert(at_ns);
        }
    }

    /// Another place was reached within the activation that is under way.
    pub(super) fn reached(&mut self, place: usize) {
        if self.open.is_some() {
            *self.reached.entry(place).or_default() += 1;
        }
    }

    /// The thread waits again: the activation is over.
    pub(super) fn end(
        &mut self,
        end_ns: u64,
        faults: Faults,
        offs: &[&Off],
        limits: &Limits,
    ) -> Option<EndedActivation> {
        let open = self.open.take()?;
        let activation = Activation { end_ns, faults: faults.since(open.faults), ..open };
        let body = body::body(&activation, offs);
        self.add_body(&body);
        let Self { calls, reached, looked_at, .. } = self;
        let deeds = Deeds { body: &body, offs, calls, reached, looked_at };
        limits.held(self.about).hold(&mut self.tallies, &activation, deeds);
        self.own.add(kept(body.own_ns), 1);
        self.max.own_ns = self.max.own_ns.max(body.own_ns);
        self.exact.own.add(body.own_ns);
        self.samples.executed(&activation, body.own_ns);
        self.overruns += u64::from(limits.budget_ns.is_some_and(|budget| body.own_ns > budget));
        self.faults.0 += u64::from(activation.faults.minor);
        self.faults.1 += u64::from(activation.faults.major);
        if activation.due_own_ns.is_none() {
            return Some(EndedActivation { activation, is_late: false, is_worst: false });
        }
        let is_late = self.respond(&activation, limits);
        let is_worst = self.is_worst(activation.response_ns(), limits);
        Some(EndedActivation { activation, is_late, is_worst })
    }

    fn add_body(&mut self, body: &Body) {
        self.body.own_ns += body.own_ns;
        self.body.preempted_ns += body.preempted_ns;
        self.body.preemptions += body.preemptions;
        self.body.blocked_ns += body.blocked_ns;
        self.body.migrations += body.migrations;
    }

    /// True where it missed the deadline, as far as that is known yet.
    fn respond(&mut self, activation: &Activation, limits: &Limits) -> bool {
        let response_ns = activation.response_ns();
        self.response.add(kept(response_ns), 1);
        self.max.response_ns = self.max.response_ns.max(response_ns);
        self.exact.response.add(response_ns);
        self.samples.responded(activation, response_ns);
        // Only rules say how long a section may take.
        if self.about != About::Activations {
            return false;
        }
        self.judge(response_ns, limits);
        let has_deadline = match self.source.rule {
            Rule::Absolute | Rule::Timer => true,
            Rule::Event => limits.deadline_ns.or(limits.period_ns).is_some(),
            Rule::Relative => false,
        };
        has_deadline && self.counted_with_ns.is_some_and(|deadline| response_ns > deadline)
    }

    fn judge(&mut self, response_ns: u64, limits: &Limits) {
        if self.counted_with_ns.is_none() {
            self.early.push(response_ns);
            let found = || self.grid.period_ns().filter(|_| self.grid.is_settled());
            self.counted_with_ns = self.fixed_deadline_ns(limits).or_else(found);
            if let Some(deadline) = self.counted_with_ns {
                self.missed = self.early.drain(..).filter(|response| *response > deadline).count() as u64;
            }
        } else if let Some(deadline) = self.counted_with_ns {
            self.missed += u64::from(response_ns > deadline);
        }
    }

    /// The kernel was told this of the thread; where it is told something else, what was counted before stays.
    pub(super) fn declare(&mut self, declared: Declared) {
        self.declared = Some(declared);
    }

    /// One that never ended: it is late already.
    pub(super) fn unfinished(&mut self, now_ns: u64, limits: &Limits) -> Option<Activation> {
        if let Some(open) = self.open {
            let activation = Activation { end_ns: now_ns, ..open };
            limits.held(self.about).hold_unfinished(&mut self.tallies, &activation);
        }
        if self.about != About::Activations {
            return None;
        }
        let deadline = self.deadline_ns(limits)?;
        // What it faulted since nobody has said yet.
        let activation = Activation { end_ns: now_ns, faults: Faults::default(), ..self.open? };
        activation.due_own_ns?;
        if activation.response_ns() <= deadline {
            return None;
        }
        self.open = None;
        self.respond(&activation, limits);
        Some(activation)
    }

    /// The found period, or the given one.
    pub(super) fn period_ns(&self, limits: &Limits) -> Option<u64> {
        let declared = self.declared.map(|declared| declared.period_ns);
        limits.period_ns.or(declared).or_else(|| self.grid.period_ns())
    }

    /// The given deadline, the one that the kernel was told, or the period.
    pub(super) fn deadline_ns(&self, limits: &Limits) -> Option<u64> {
        self.fixed_deadline_ns(limits).or_else(|| self.grid.period_ns())
    }

    /// The given deadline, or the one that the kernel was told; `None` where the found period is the deadline.
    pub(super) fn fixed_deadline_ns(&self, limits: &Limits) -> Option<u64> {
        limits.deadline_ns.or(limits.period_ns).or(self.declared.map(|declared| declared.deadline_ns))
    }

    /// Missed deadlines; counted again from the histogram where the period turned out to be another.
    pub(super) fn missed(&self, limits: &Limits) -> Option<u64> {
        let deadline = self.deadline_ns(limits)?;
        if self.recounted_ns(limits).is_none() {
            return Some(self.missed);
        }
        let late = self.response.cells().filter(|(response, _)| *response > kept(deadline));
        Some(late.map(|(_, count)| count).sum())
    }

    /// The deadline that missed ones are counted again with; `None` where it is the one that they were counted with.
    pub(super) fn recounted_ns(&self, limits: &Limits) -> Option<u64> {
        self.deadline_ns(limits).filter(|deadline| self.counted_with_ns != Some(*deadline))
    }

    /// The typical time that an activation computes.
    pub(super) fn typical_own_ns(&self) -> u64 {
        let (half, mut before) = (self.own.in_range() / 2, 0);
        let middle = self.own.cells().find(|(_, count)| {
            before += count;
            before > half
        });
        middle.map_or(0, |(own, _)| own as u64)
    }

    fn is_worst(&mut self, response_ns: u64, limits: &Limits) -> bool {
        let place = self.worst.partition_point(|kept| *kept >= response_ns);
        if place >= limits.worst {
            return false;
        }
        self.worst.insert(place, response_ns);
        self.worst.truncate(limits.worst);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activations::wait::Clock;

    fn account() -> Account {
        let source = Source { wait: "clock_nanosleep".into(), rule: Rule::Absolute, clock: Clock::Monotonic };
        Account::new(source, &LIMITS)
    }

    fn activation(due: u64, late: u64) -> Activation {
        let (due_own_ns, from_ns, wait_ns, released_ns) = (Some(due as i64), due, due - 500, due + late);
        Activation { due_own_ns, from_ns, wait_ns, released_ns, ..Activation::default() }
    }

    const LIMITS: Limits = Limits {
        period_ns: None,
        deadline_ns: None,
        budget_ns: Some(300),
        worst: 2,
        keeps_around: 0,
        is_recorded: true,
        without_events: false,
        rules: Vec::new(),
        places: Places { sections: Vec::new(), others: Vec::new() },
        began_ns: 0,
    };

    #[test]
    fn a_response_beyond_the_found_period_is_a_miss_also_before_the_period_was_known() {
        let mut account = account();
        for number in 1..=20_u64 {
            account.begin(activation(number * 1_000, 10), &LIMITS);
            let response = if number == 2 || number == 15 { 1_001 } else { 100 };
            let ended = account.end(number * 1_000 + response, Faults::default(), &[], &LIMITS).unwrap();
            // The second came before the period was known.
            assert_eq!(ended.is_late, number == 15, "{number}");
        }
        assert_eq!((account.served, account.missed(&LIMITS), account.period_ns(&LIMITS)), (20, Some(2), Some(1_000)));
        assert_eq!((account.overruns, account.typical_own_ns()), (2, 90));
        let strict = Limits { deadline_ns: Some(99), ..LIMITS };
        assert_eq!(account.missed(&strict), Some(20), "another deadline is counted from the histogram");
        assert_eq!((account.fixed_deadline_ns(&LIMITS), account.deadline_ns(&LIMITS)), (None, Some(1_000)));
        account.declare(Declared { period_ns: 1_000, deadline_ns: 800 });
        assert_eq!((account.fixed_deadline_ns(&LIMITS), account.fixed_deadline_ns(&strict)), (Some(800), Some(99)));
    }

    #[test]
    fn one_that_does_not_end_is_a_miss_once_it_is_late() {
        let (mut account, limits) = (account(), Limits { deadline_ns: Some(800), ..LIMITS });
        account.begin(activation(1_000, 10), &limits);
        assert_eq!(account.unfinished(1_800, &limits), None);
        assert!(account.unfinished(1_801, &limits).is_some());
        assert_eq!(account.missed(&limits), Some(1));
    }

    #[test]
    fn only_what_is_worse_than_the_kept_is_handed_back() {
        let mut account = account();
        let mut worst = Vec::new();
        for (number, response) in [(1, 50), (2, 40), (3, 60), (4, 45)] {
            account.begin(activation(number * 1_000, 10), &LIMITS);
            let ended = account.end(number * 1_000 + response, Faults::default(), &[], &LIMITS).unwrap();
            worst.extend(ended.is_worst.then_some(ended.activation.number));
        }
        assert_eq!(worst, [0, 1, 2]);
    }
}
