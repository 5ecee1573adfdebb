//! From records to series: which quantities a run has, which pairs are samples, and which are marked and left out.

use super::record::{OverheadKind, Record};
use super::task::Span;
use super::trace::{Attached, Stretch};
use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::overheads::{Mark, TracedKind};
use prazo_run::run::Quantity;
use prazo_run::source::OverheadsSource;
use prazo_run::store::{Sample, SeriesOpening, SeriesSecond};
use std::collections::BTreeMap;

const SECOND_NS: u64 = 1_000_000_000;

/// Why there is no figure of a kind that was not requested.
pub const NOT_ASKED: &str = "this kind of overhead was not requested";

/// What a plan can ask for.
pub(super) const ASKED: [(Quantity, OverheadKind); 6] = [
    (Quantity::ReleaseOverhead, OverheadKind::Release),
    (Quantity::EventLatency, OverheadKind::Event),
    (Quantity::SchedulingOverhead, OverheadKind::Scheduling),
    (Quantity::ContextSwitchOverhead, OverheadKind::Switch),
    (Quantity::TickOverhead, OverheadKind::Tick),
    (Quantity::IpiLatency, OverheadKind::Ipi),
];

/// Each traced quantity, the kind of pair that it is of, and its amount.
pub(super) const QUANTITIES: [(Quantity, OverheadKind); 8] = [
    (Quantity::ReleaseOverhead, OverheadKind::Release),
    (Quantity::ReleaseOverheadPerJob, OverheadKind::Release),
    (Quantity::SchedulingOverhead, OverheadKind::Scheduling),
    (Quantity::ContextSwitchOverhead, OverheadKind::Switch),
    (Quantity::TickOverhead, OverheadKind::Tick),
    (Quantity::IpiLatency, OverheadKind::Ipi),
    (Quantity::EventLatency, OverheadKind::Event),
    (Quantity::StampCost, OverheadKind::Stamp),
];

/// The series of a run: the tasks' own response latency, then each quantity of each processor.
pub fn series_of(source: &OverheadsSource) -> Vec<SeriesOpening> {
    let (period, resolution) = (None, Duration::from_ns(1));
    let of = |cpu, quantity| SeriesOpening { cpu, quantity, period, resolution, part_of: None };
    let cpus: &[u32] = if source.kinds.is_empty() { &[] } else { &source.cpus };
    let traced = cpus.iter().flat_map(|cpu| QUANTITIES.map(|(quantity, _)| of(Some(*cpu), quantity)));
    std::iter::once(of(None, Quantity::ResponseLatency)).chain(traced).collect()
}

/// What stands for one second of one series.
pub(super) type Batches = BTreeMap<(u32, usize), SeriesSecond>;

/// Sorts pairs and wake-ups into seconds of series; the passes stand one behind the other.
pub(super) struct Sorter {
    /// Seconds of a pass, the last perhaps not whole.
    seconds: u32,
    warm_up: Duration,
    batches: Batches,
    activations: BTreeMap<usize, u64>,
}

/// One pass of the tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// Counted from 0.
    pub number: u32,
    /// When it was.
    pub span: Span,
}

impl Sorter {
    /// Every second of every series, empty.
    pub(super) fn new(plan: &Plan, source: &OverheadsSource, length_ns: u64, passes: u32) -> Self {
        let (seconds, warm_up) = (length_ns.div_ceil(SECOND_NS) as u32, plan.warm_up_kept_apart());
        let series = series_of(source).len();
        let each = (0..passes * seconds).flat_map(|at_s| (0..series).map(move |series| (at_s, series)));
        let batch = |(at_s, series): (u32, usize)| {
            let is_warm_up = u64::from(at_s % seconds) * SECOND_NS < warm_up.as_ns();
            ((at_s, series), SeriesSecond { series, at_s, warm_up: is_warm_up, ..SeriesSecond::default() })
        };
        Self { seconds, warm_up, batches: each.map(batch).collect(), activations: BTreeMap::new() }
    }

    /// A task's job.
    pub(super) fn job(&mut self, pass: Pass, sample: Sample) {
        self.keep(0, self.offset_ns(pass) + sample.due_ns, sample.latency_ns);
    }

    fn offset_ns(&self, pass: Pass) -> i64 {
        i64::from(pass.number * self.seconds) * SECOND_NS as i64
    }

    /// One processor's pairs; what is no sample goes into the kinds' marks.
    pub(super) fn stretch(&mut self, pass: Pass, place: usize, stretch: &Stretch, kinds: &mut [TracedKind]) {
        let mut entered_ns = 0;
        for record in &stretch.records {
            let mark = mark(record).or(set_late(record, &mut entered_ns));
            for (number, (_, kind)) in QUANTITIES.iter().enumerate() {
                if *kind == record.kind {
                    self.pair(pass, 1 + place * QUANTITIES.len() + number, (record, mark), &mut kinds[number]);
                }
            }
        }
    }

    fn pair(&mut self, pass: Pass, series: usize, (record, mark): (&Record, Option<Mark>), kind: &mut TracedKind) {
        let Span { start_ns, end_ns } = pass.span;
        // Stamps are compared before the tasks start.
        let is_stamp = record.kind == OverheadKind::Stamp;
        let at_ns = if is_stamp { start_ns + self.warm_up.as_ns() } else { record.at_ns };
        if !(start_ns..end_ns).contains(&at_ns) {
            return;
        }
        let at_ns = self.offset_ns(pass) + (at_ns - start_ns) as i64;
        match mark {
            None => self.keep(series, at_ns, i64::from(amount(kind.quantity, record))),
            Some(mark) => {
                if self.skip(series, at_ns) {
                    kind.mark(mark, 1, Some(u64::from(record.cost_ns)));
                }
            }
        }
    }

    fn keep(&mut self, series: usize, at_ns: i64, latency_ns: i64) {
        let activation = self.activations.entry(series).or_default();
        let sample = Sample { activation: *activation, due_ns: at_ns, latency_ns };
        *activation += 1;
        if let Some(batch) = self.batches.get_mut(&(second_of(at_ns), series)) {
            batch.samples.push(sample);
        }
    }

    /// Leaves one out; true where it counts, outside of the warm-up.
    fn skip(&mut self, series: usize, at_ns: i64) -> bool {
        let Some(batch) = self.batches.get_mut(&(second_of(at_ns), series)) else { return false };
        batch.skipped += 1;
        !batch.warm_up
    }

    /// Pairs without a second stamp have no instant: they stand in the pass's last second.
    pub(super) fn incomplete(&mut self, pass: Pass, place: usize, number: usize, count: u64) {
        let last = (pass.number + 1) * self.seconds - 1;
        if let Some(batch) = self.batches.get_mut(&(last, 1 + place * QUANTITIES.len() + number)) {
            batch.skipped += count;
        }
    }

    /// All seconds, in order.
    pub(super) fn batches(self) -> impl Iterator<Item = SeriesSecond> {
        self.batches.into_values()
    }
}

fn second_of(at_ns: i64) -> u32 {
    (at_ns / SECOND_NS as i64) as u32
}

/// What a pair costs; of a release also for each of its jobs, rounded up.
fn amount(quantity: Quantity, record: &Record) -> u32 {
    match quantity {
        Quantity::ReleaseOverheadPerJob => record.cost_ns.div_ceil(record.jobs.max(1).into()),
        _ => record.cost_ns,
    }
}

/// Why a pair is no sample: the first reason that holds.
fn mark(record: &Record) -> Option<Mark> {
    let marks = [
        (record.interrupted, Mark::Interrupted),
        (record.migrated, Mark::Migrated),
        (record.among_others, Mark::AmongOthers),
    ];
    marks.into_iter().find_map(|(holds, mark)| holds.then_some(mark))
}

/// Had a timer been set by then, the timer interrupt before would have served it.
fn set_late(record: &Record, entered_ns: &mut u64) -> Option<Mark> {
    if record.kind != OverheadKind::Event {
        return None;
    }
    let before_ns = std::mem::replace(entered_ns, record.at_ns + u64::from(record.cost_ns));
    (record.at_ns < before_ns).then_some(Mark::SetLate)
}

/// Each quantity as it is traced here, before any pair.
pub(super) fn traced(ways: &BTreeMap<OverheadKind, Attached>) -> Vec<TracedKind> {
    let of = |(quantity, kind): (Quantity, OverheadKind)| {
        let way = ways.get(&kind).cloned().unwrap_or_else(|| Err(NOT_ASKED.to_owned()));
        let (between, untraced) = match way {
            Ok(between) => (between, None),
            Err(reason) => (String::new(), Some(reason)),
        };
        TracedKind { quantity, between, untraced, marked: BTreeMap::new(), stamp_ns: None }
    };
    QUANTITIES.map(of).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(at_ns: u64, migrated: bool) -> Record {
        let kind = OverheadKind::Release;
        Record { at_ns, cost_ns: 901, kind, interrupted: false, migrated, among_others: true, jobs: 2 }
    }

    #[test]
    fn a_release_of_two_jobs_costs_each_half_of_it_rounded_up() {
        assert_eq!(amount(Quantity::ReleaseOverheadPerJob, &release(0, false)), 451);
        assert_eq!(amount(Quantity::ReleaseOverhead, &release(0, false)), 901);
    }

    #[test]
    fn the_first_reason_that_holds_is_the_mark() {
        assert_eq!(mark(&release(0, true)), Some(Mark::Migrated));
        assert_eq!(mark(&release(0, false)), Some(Mark::AmongOthers));
        assert_eq!(mark(&Record { among_others: false, ..release(0, false) }), None);
    }
    #[test]
    fn a_timer_that_expired_before_the_interrupt_in_front_was_set_late() {
        let event =
            |at_ns| Record { kind: OverheadKind::Event, migrated: false, among_others: false, ..release(at_ns, false) };
        let mut entered_ns = 0;
        let mut marks = [10_000, 20_000, 20_500, 30_000].map(|at_ns| set_late(&event(at_ns), &mut entered_ns));
        assert_eq!(marks, [None, None, Some(Mark::SetLate), None]);
        marks[0] = set_late(&release(0, false), &mut entered_ns);
        assert_eq!((marks[0], entered_ns), (None, 30_901), "other kinds are none of its business");
    }
}
