//! The parts of the latencies of one wait, as `measure --split` gives them: where the time went from due to running.

use super::record::Off;
use super::rounded::{MinAndSum, kept};
use super::wait::Rule;
use crate::split::join;
use crate::split::parts::{Joined, Parts, Stamped};
use crate::split::quantities::{self, Part};
use crate::split::record::Wakeup;
use prazo_run::Histogram;
use prazo_run::run::Quantity;
use prazo_run::split::{SplitCounts, Splitter, Unsplit};
use std::collections::BTreeMap;

/// One latency, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latency<'a> {
    /// The instant that was due.
    pub due_ns: u64,
    /// The thread began to wait for it.
    pub wait_ns: u64,
    /// The wait was over.
    pub released_ns: u64,
    /// The last stretch in which it slept for it.
    pub sleep: Option<&'a Off>,
    /// Programmed expiry of the timer that ended the stretch; `None` where another thread or a device did.
    pub expiry_ns: Option<u64>,
}

/// What became of one latency.
pub(super) fn joined(rule: Rule, latency: Latency<'_>) -> Joined {
    let Latency { due_ns, wait_ns, released_ns, sleep, expiry_ns } = latency;
    let Some(off) = sleep else {
        return if due_ns <= wait_ns { Joined::NeverSlept } else { Joined::Unsplit(Unsplit::NoStamps) };
    };
    if rule == Rule::Event {
        let stamps = [due_ns, off.on_ns, released_ns];
        if !stamps.is_sorted() {
            return Joined::Unsplit(Unsplit::OutOfOrder);
        }
        let (wakeup_ns, own_stamp_ns) = ((off.on_ns - due_ns) as i64, (released_ns - off.on_ns) as i64);
        return Joined::Split(Parts { wakeup_ns, own_stamp_ns, cpu: off.cpu_on, ..Parts::default() });
    }
    let Some(expiry_ns) = expiry_ns.filter(|expiry| *expiry == due_ns) else {
        return Joined::Unsplit(Unsplit::OtherWakeUp);
    };
    let wakeup = Wakeup {
        thread_id: off.thread_id,
        never_slept: false,
        cpu: off.cpu_on,
        due_ns: expiry_ns,
        latest_ns: expiry_ns + off.latest_ns.saturating_sub(off.due_ns),
        handler_ns: off.handler_ns,
        waking_ns: off.waking_ns,
        switch_ns: off.on_ns,
    };
    join::split(&wakeup, Stamped { due_ns, woke_ns: released_ns })
}

/// One part of all latencies.
#[derive(Clone, Debug, Default)]
pub struct SeenPart {
    /// Its values; they keep 16 significant bits.
    pub histogram: Histogram,
    /// The smallest and the sum, to the nanosecond.
    pub exact: MinAndSum,
    /// The largest, to the nanosecond.
    pub max_ns: u64,
}

impl SeenPart {
    fn add(&mut self, ns: u64) {
        self.histogram.add(kept(ns), 1);
        self.exact.add(ns);
        self.max_ns = self.max_ns.max(ns);
    }
}

/// The parts of all latencies of one wait. Invariant: each latency is split, never slept, or unsplit with a reason.
#[derive(Clone, Debug)]
pub struct LatencyParts {
    /// What was split and what was not.
    pub counts: SplitCounts,
    /// Each part.
    pub parts: BTreeMap<Quantity, SeenPart>,
}

impl Default for LatencyParts {
    fn default() -> Self {
        let counts = SplitCounts { by: Splitter::Bpf, split: 0, never_slept: 0, unsplit: BTreeMap::new() };
        Self { counts, parts: BTreeMap::new() }
    }
}

impl LatencyParts {
    /// The parts that the latencies of such a wait have.
    pub fn quantities(rule: Rule) -> Vec<Quantity> {
        parts_of(rule).into_iter().map(|(quantity, _)| quantity).collect()
    }

    /// Counts one latency; its parts where it was split.
    pub(super) fn add(&mut self, rule: Rule, joined: Joined) -> Vec<(Quantity, u64)> {
        let parts = match joined {
            Joined::NeverSlept => {
                self.counts.never_slept += 1;
                return Vec::new();
            }
            Joined::Unsplit(why) => {
                *self.counts.unsplit.entry(why).or_default() += 1;
                return Vec::new();
            }
            Joined::Split(parts) => parts,
        };
        self.counts.split += 1;
        let value = |(quantity, of): Part| Some((quantity, of(&parts)?.max(0).cast_unsigned()));
        let found: Vec<(Quantity, u64)> = parts_of(rule).into_iter().filter_map(value).collect();
        found.iter().for_each(|(quantity, ns)| self.parts.entry(*quantity).or_default().add(*ns));
        found
    }
}

fn parts_of(rule: Rule) -> Vec<Part> {
    match rule {
        Rule::Absolute | Rule::Timer => quantities::of_watched(true),
        Rule::Event => quantities::of_watched(false),
        Rule::Relative => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleep() -> Off {
        let (off_ns, waking_ns, on_ns) = (500, 1_090, 1_095);
        Off { off_ns, waking_ns, on_ns, due_ns: 1_000, latest_ns: 1_050, handler_ns: 1_080, state: 1, ..Off::default() }
    }

    fn latency(sleep: Option<&Off>) -> Latency<'_> {
        Latency { due_ns: 1_000, wait_ns: 400, released_ns: 1_100, sleep, expiry_ns: Some(1_000) }
    }

    #[test]
    fn the_parts_add_up_to_the_latency_and_have_the_names_of_a_measured_run() {
        let mut of = LatencyParts::default();
        let off = sleep();
        let found = of.add(Rule::Absolute, joined(Rule::Absolute, latency(Some(&off))));
        let expected = [
            (Quantity::TimerSlack, 50),
            (Quantity::InterruptLatency, 30),
            (Quantity::ActivationLatency, 20),
            (Quantity::Handling, 10),
            (Quantity::WakeupLatency, 5),
            (Quantity::OwnStamp, 5),
        ];
        assert_eq!(found, expected);
        let whole: u64 = found.iter().take(3).map(|(_, ns)| ns).sum();
        assert_eq!((whole, of.counts.split, of.parts.len()), (100, 1, 6));
        assert_eq!(LatencyParts::quantities(Rule::Timer), expected.map(|(quantity, _)| quantity));
        assert_eq!(of.parts[&Quantity::TimerSlack].exact.sum_ns, 50);
    }

    #[test]
    fn each_latency_without_parts_has_a_reason() {
        let off = sleep();
        let other = Latency { expiry_ns: None, ..latency(Some(&off)) };
        let past = Latency { due_ns: 300, ..latency(None) };
        let early = Off { waking_ns: 1_070, ..sleep() };
        let cases = [
            (latency(None), Joined::Unsplit(Unsplit::NoStamps)),
            (past, Joined::NeverSlept),
            (other, Joined::Unsplit(Unsplit::OtherWakeUp)),
            (latency(Some(&early)), Joined::Unsplit(Unsplit::OutOfOrder)),
        ];
        let mut of = LatencyParts::default();
        for (latency, expected) in cases {
            let found = joined(Rule::Timer, latency);
            assert_eq!(found, expected);
            assert!(of.add(Rule::Timer, found).is_empty());
        }
        assert_eq!((of.counts.served(), of.counts.unsplit_total(), of.counts.never_slept), (4, 3, 1));
    }

    #[test]
    fn a_woken_thread_is_due_when_it_is_woken() {
        let off = sleep();
        let woken = Latency { due_ns: 1_090, expiry_ns: None, ..latency(Some(&off)) };
        let found = LatencyParts::default().add(Rule::Event, joined(Rule::Event, woken));
        assert_eq!(found, [(Quantity::WakeupLatency, 5), (Quantity::OwnStamp, 5)]);
    }
}
