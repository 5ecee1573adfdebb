//! From the module's samples to the seconds of a run: the response, its parts, and whatever has no sample.
//!
//! Pure: no clock, no device. The first trigger is the run's start. Triggers are numbered, so that a gap in the numbers is
//! triggers without a sample: dropped ones were served and lost, the others (overruns, lost lines) were skipped.

use prazo_abi::irqlat::{Counts, Sample};
use prazo_engine::crossing::{Boundary, Crossing, further};
use prazo_run::run::{Activations, Quantity};
use prazo_run::split::{SplitCounts, Splitter, Unsplit};
use prazo_run::store::{self, SeriesSecond};
use std::collections::BTreeMap;

const SECOND_NS: u64 = 1_000_000_000;

/// The series of a run: the whole, and its parts in the order of their stamps.
pub(super) fn quantities(has_hard_stamp: bool) -> &'static [Quantity] {
    const ALL: [Quantity; 5] = [
        Quantity::ResponseLatency,
        Quantity::InterruptLatency,
        Quantity::ActivationLatency,
        Quantity::HardEntry,
        Quantity::ThreadStart,
    ];
    if has_hard_stamp { &ALL } else { &ALL[..3] }
}

fn latency_ns(sample: &Sample, quantity: Quantity) -> i64 {
    let (to, from) = match quantity {
        Quantity::InterruptLatency => (sample.t2_ns, sample.t1_ns),
        Quantity::ActivationLatency => (sample.t3_ns, sample.t2_ns),
        Quantity::HardEntry => (sample.hard_ns, sample.t1_ns),
        Quantity::ThreadStart => (sample.t2_ns, sample.hard_ns),
        _ => (sample.t3_ns, sample.t1_ns),
    };
    to.wrapping_sub(from) as i64
}

/// What the seconds are counted from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// A response above this is missed.
    pub deadline_ns: Option<u64>,
    /// Seconds that begin earlier than this are warm-up.
    pub warm_up_ns: u64,
    /// Between two triggers, in the mean.
    pub period_ns: u64,
    /// The measured processor.
    pub cpu: u32,
    /// The samples carry a stamp of the interrupt beside that of the thread.
    pub has_hard_stamp: bool,
}

impl Frame {
    /// The warm-up ends with the second that it ends in.
    fn boundary(&self, start_ns: u64) -> Boundary {
        let warm_up_ns = self.warm_up_ns.div_ceil(SECOND_NS).saturating_mul(SECOND_NS);
        Boundary { measured_from_ns: start_ns.saturating_add(warm_up_ns), period_ns: self.period_ns }
    }
}

/// Takes samples, gives pieces of seconds.
#[derive(Debug)]
pub(super) struct Seconds {
    frame: Frame,
    start_ns: Option<u64>,
    next: u64,
    dropped: u64,
    at_s: u32,
    measured: Tally,
    warm_up: Tally,
    hidden: Hidden,
    elsewhere: u64,
    crossing: Option<Crossing>,
}

/// How late the timers that triggered were themselves: t1 after they were due, which is in no figure of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Triggers that say when they were due.
    pub count: u64,
    /// Of all of them.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// What became of the triggers of one part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    kept: u64,
    lost: u64,
    skipped: u64,
    missed: u64,
}

impl Seconds {
    /// Nothing yet.
    pub(super) fn new(frame: Frame) -> Self {
        let (measured, warm_up) = (Tally::default(), Tally::default());
        let hidden = Hidden::default();
        let (start_ns, crossing) = (None, None);
        Self { frame, start_ns, next: 0, dropped: 0, at_s: 0, measured, warm_up, hidden, elsewhere: 0, crossing }
    }

    /// The first trigger's t1.
    pub(super) fn start_ns(&self) -> Option<u64> {
        self.start_ns
    }

    /// Takes samples that came together, with the counts then; the pieces of their seconds, in order.
    pub(super) fn take(&mut self, samples: &[Sample], counts: &Counts) -> Vec<SeriesSecond> {
        let mut pieces = BTreeMap::new();
        for sample in samples {
            let start_ns = *self.start_ns.get_or_insert(sample.t1_ns);
            self.at_s = (sample.t1_ns.saturating_sub(start_ns) / SECOND_NS) as u32;
            let gap = self.gap(sample.sequence, counts);
            let piece = pieces.entry(self.at_s).or_insert_with(|| self.empty(self.at_s));
            Self::add(&self.frame, piece, sample, start_ns);
            self.book(piece, gap);
            self.next = sample.sequence + 1;
            self.hidden.add(sample);
            self.crossing =
                further(self.crossing, self.frame.boundary(start_ns).crossed_by(sample.t1_ns, sample.t3_ns));
            self.elsewhere += u64::from(sample.handler_cpu != self.frame.cpu || sample.task_cpu != self.frame.cpu);
        }
        self.counted(pieces)
    }

    /// The triggers behind the last sample; the one under way is the run's to count.
    pub(super) fn finish(&mut self, counts: &Counts) -> Vec<SeriesSecond> {
        let gap = self.gap(counts.sent - counts.outstanding, counts);
        let mut piece = self.empty(self.at_s);
        self.book(&mut piece, gap);
        self.counted(BTreeMap::from([(self.at_s, piece)]))
    }

    /// Triggers without a sample before the one of this number: served and lost, skipped.
    fn gap(&mut self, sequence: u64, counts: &Counts) -> (u64, u64) {
        let gap = sequence.saturating_sub(self.next);
        let lost = gap.min(counts.dropped - self.dropped);
        self.dropped += lost;
        self.next = self.next.max(sequence);
        (lost, gap - lost)
    }

    fn empty(&self, at_s: u32) -> Vec<SeriesSecond> {
        let warm_up = u64::from(at_s) * SECOND_NS < self.frame.warm_up_ns;
        let series = 0..quantities(self.frame.has_hard_stamp).len();
        series.map(|series| SeriesSecond { series, at_s, warm_up, ..SeriesSecond::default() }).collect()
    }

    fn add(frame: &Frame, piece: &mut [SeriesSecond], sample: &Sample, start_ns: u64) {
        let due_ns = sample.t1_ns.wrapping_sub(start_ns) as i64;
        for (second, quantity) in piece.iter_mut().zip(quantities(frame.has_hard_stamp)) {
            let latency_ns = latency_ns(sample, *quantity);
            second.samples.push(store::Sample { activation: sample.sequence, due_ns, latency_ns });
        }
        let response_ns = latency_ns(sample, Quantity::ResponseLatency);
        let is_late = frame.deadline_ns.is_some_and(|limit| response_ns > limit as i64);
        piece[0].missed += u64::from(is_late);
    }

    /// A part has no skipped activations of its own.
    fn book(&self, piece: &mut [SeriesSecond], (lost, skipped): (u64, u64)) {
        piece.iter_mut().for_each(|second| second.lost += lost);
        piece[0].skipped += skipped;
    }

    fn counted(&mut self, pieces: BTreeMap<u32, Vec<SeriesSecond>>) -> Vec<SeriesSecond> {
        for whole in pieces.values().map(|piece| &piece[0]) {
            let tally = if whole.warm_up { &mut self.warm_up } else { &mut self.measured };
            tally.kept += whole.samples.len() as u64;
            tally.lost += whole.lost;
            tally.skipped += whole.skipped;
            tally.missed += whole.missed;
        }
        pieces.into_values().flatten().filter(|second| !is_empty(second)).collect()
    }

    /// What became of the triggers that count, and of those of the warm-up.
    pub(super) fn activations(&self, outstanding: u64) -> (Activations, Activations) {
        let has_deadline = self.frame.deadline_ns.is_some();
        (self.measured.activations(outstanding, has_deadline), self.warm_up.activations(0, has_deadline))
    }

    /// How late the triggers themselves were.
    pub(super) fn hidden(&self) -> Hidden {
        self.hidden
    }

    /// The response that began in the warm-up and went on into the measured time.
    pub(super) fn crossing(&self) -> Option<Crossing> {
        self.crossing
    }

    /// Samples whose handler or task ran on another processor.
    pub(super) fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// How many were split: all whose samples were kept.
    pub(super) fn split(&self) -> SplitCounts {
        let lost = self.measured.lost;
        let unsplit = if lost > 0 { BTreeMap::from([(Unsplit::RingFull, lost)]) } else { BTreeMap::new() };
        SplitCounts { by: Splitter::Module, split: self.measured.kept, never_slept: 0, unsplit }
    }
}

impl Hidden {
    fn add(&mut self, sample: &Sample) {
        if sample.due_ns == 0 {
            return;
        }
        let late_ns = sample.t1_ns.saturating_sub(sample.due_ns);
        self.count += 1;
        self.sum_ns += late_ns;
        self.max_ns = self.max_ns.max(late_ns);
    }
}

impl Tally {
    fn activations(self, outstanding: u64, has_deadline: bool) -> Activations {
        let served = self.kept + self.lost;
        Activations {
            due: Some(served + self.skipped + outstanding),
            served,
            skipped: Some(self.skipped),
            missed: has_deadline.then_some(self.missed),
            outstanding,
            lost: self.lost,
        }
    }
}

fn is_empty(second: &SeriesSecond) -> bool {
    second.samples.is_empty() && second.lost == 0 && second.skipped == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::device::records;
    use prazo_abi::Record;

    const FRAME: Frame =
        Frame { deadline_ns: Some(50_000), warm_up_ns: 0, period_ns: 1_000_000, cpu: 0, has_hard_stamp: false };

    fn sample(sequence: u64, t1_ns: u64) -> Sample {
        let (t2_ns, t3_ns) = (t1_ns + 8_000, t1_ns + 30_000);
        Sample { sequence, t1_ns, hard_ns: t1_ns + 1_000, t2_ns, t3_ns, ..Sample::default() }
    }

    fn counts(sent: u64, dropped: u64, outstanding: u64) -> Counts {
        Counts { sent, dropped, outstanding, ..Counts::default() }
    }

    #[test]
    fn parts_of_a_sample_add_up_to_its_response() {
        let sample = sample(0, 77);
        let of = |quantity| latency_ns(&sample, quantity);
        let response = of(Quantity::ResponseLatency);
        assert_eq!(response, of(Quantity::InterruptLatency) + of(Quantity::ActivationLatency));
        assert_eq!(of(Quantity::InterruptLatency), of(Quantity::HardEntry) + of(Quantity::ThreadStart));
    }

    #[test]
    fn samples_go_to_the_second_of_their_trigger_and_count_from_the_first() {
        let mut seconds = Seconds::new(FRAME);
        let pieces = seconds.take(&[sample(0, 5_000), sample(1, 5_000 + SECOND_NS)], &counts(2, 0, 0));
        assert_eq!(
            pieces.iter().map(|p| (p.series, p.at_s)).collect::<Vec<_>>(),
            [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
        );
        assert_eq!(pieces[3].samples[0], store::Sample { activation: 1, due_ns: SECOND_NS as i64, latency_ns: 30_000 });
    }

    #[test]
    fn every_trigger_is_served_skipped_or_under_way() {
        let mut seconds = Seconds::new(FRAME);
        seconds.take(&[sample(0, 0), sample(4, 40)], &counts(5, 1, 0));
        seconds.finish(&counts(9, 1, 1));
        let (of, _) = seconds.activations(1);
        assert_eq!((of.due, of.served, of.skipped, of.lost, of.outstanding), (Some(9), 3, Some(5), 1, 1));
        assert_eq!(seconds.split().served(), of.served);
    }

    #[test]
    fn a_late_response_is_missed_and_a_warm_up_is_kept_apart() {
        let mut seconds = Seconds::new(Frame { deadline_ns: Some(29_999), warm_up_ns: SECOND_NS, ..FRAME });
        seconds.take(&[sample(0, 0), sample(1, SECOND_NS)], &counts(2, 0, 0));
        let (measured, warm_up) = seconds.activations(0);
        assert_eq!((measured.served, measured.missed, warm_up.served), (1, Some(1), 1));
    }

    #[test]
    fn what_t1_hides_is_told_apart() {
        let mut seconds = Seconds::new(FRAME);
        let late = |sequence, by_ns: u64| Sample { due_ns: 1_000_000 - by_ns, ..sample(sequence, 1_000_000) };
        seconds.take(&[late(0, 10), late(1, 50), sample(2, 1_000_000)], &counts(3, 0, 0));
        assert_eq!(seconds.hidden(), Hidden { count: 2, sum_ns: 60, max_ns: 50 });
    }

    #[test]
    fn a_handler_on_another_processor_is_counted() {
        let mut seconds = Seconds::new(FRAME);
        seconds.take(&[sample(0, 0), Sample { handler_cpu: 1, ..sample(1, 1) }], &counts(2, 0, 0));
        assert_eq!(seconds.elsewhere(), 1);
    }

    #[test]
    fn recorded_bytes_read_back_as_the_samples_they_were() {
        let all = [sample(0, 0), sample(1, 1_000_000)];
        let mut bytes = vec![0; 2 * Sample::SIZE + 5];
        all.iter().zip(bytes.chunks_exact_mut(Sample::SIZE)).for_each(|(sample, room)| sample.write_to(room));
        assert_eq!(records(&bytes).collect::<Vec<_>>(), all, "what is left behind the last record is none");
    }

    #[test]
    fn one_look_or_many_give_the_same_totals() {
        let all: Vec<_> = (0..5_000).filter(|n| n % 7 != 3).map(|n| sample(n, n * 1_300_000)).collect();
        let mut at_once = Seconds::new(FRAME);
        at_once.take(&all, &counts(5_000, 0, 0));
        at_once.finish(&counts(5_000, 0, 0));
        let mut in_looks = Seconds::new(FRAME);
        all.chunks(77).for_each(|some| drop(in_looks.take(some, &counts(5_000, 0, 0))));
        in_looks.finish(&counts(5_000, 0, 0));
        assert_eq!(at_once.activations(0), in_looks.activations(0));
        assert_eq!(at_once.activations(0).0.due, Some(5_000));
    }
}
