//! From the entries of one ring to complete seconds: numbers, latencies, misses, and whatever has no sample.
//!
//! Pure: no clock, no ring. An entry belongs to the second in which its activation was due; a second is complete when an
//! entry of a later one arrives, or the stream ends. Entries come in the order of their due instants.

use super::crossing::{Boundary, Crossing, further};
use super::ring::{Entry, Gap, Sample};
use prazo_run::run::Activations;
use prazo_run::store::{self, SeriesSecond};

const SECOND_NS: u64 = 1_000_000_000;

/// What the numbers of one series are counted from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The series' index in the run.
    pub series: usize,
    /// The common start: second 0 begins here.
    pub start_ns: u64,
    /// Period of the activations.
    pub period_ns: u64,
    /// A latency above this is missed.
    pub deadline_ns: Option<u64>,
    /// Seconds that begin earlier than this after the start are warm-up.
    pub warm_up_ns: u64,
    /// Activations have numbers on a grid; otherwise they are numbered as they come.
    pub has_due_grid: bool,
}

impl Frame {
    /// The warm-up ends with the second that it ends in.
    fn boundary(&self) -> Boundary {
        let warm_up_ns = self.warm_up_ns.div_ceil(SECOND_NS).saturating_mul(SECOND_NS);
        Boundary { measured_from_ns: self.start_ns.saturating_add(warm_up_ns), period_ns: self.period_ns }
    }
}

/// What became of the activations, measured and warm-up apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// After the warm-up.
    pub measured: Counts,
    /// During the warm-up.
    pub warm_up: Counts,
    /// The stall that went on from the one into the other.
    pub crossing: Option<Crossing>,
}

/// Activations of one part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Served, lost ones included.
    pub served: u64,
    /// Jumped over.
    pub skipped: u64,
    /// Served after the deadline.
    pub missed: u64,
    /// Served, sample not kept.
    pub lost: u64,
}

impl Counts {
    /// As the run has it.
    pub(crate) fn activations(self, outstanding: u64, has_deadline: bool) -> Activations {
        Activations {
            due: Some(self.served + self.skipped + outstanding),
            served: self.served,
            skipped: Some(self.skipped),
            missed: has_deadline.then_some(self.missed),
            outstanding,
            lost: self.lost,
        }
    }
}

/// Takes entries, gives seconds.
#[derive(Debug)]
pub(crate) struct Assembler {
    frame: Frame,
    first_due_ns: Option<u64>,
    last_due_ns: u64,
    arrived: u64,
    building: SeriesSecond,
    totals: Totals,
}

impl Assembler {
    /// Nothing yet; room for a second and a half of samples is taken at once.
    pub(crate) fn new(frame: Frame) -> Self {
        let room = (SECOND_NS + SECOND_NS / 2).div_ceil(frame.period_ns) as usize;
        let building =
            SeriesSecond { series: frame.series, samples: Vec::with_capacity(room), ..SeriesSecond::default() };
        let last_due_ns = frame.start_ns;
        Self { frame, first_due_ns: None, last_due_ns, arrived: 0, building, totals: Totals::default() }
    }

    /// Takes one entry; hands every second that it completes to `done`.
    pub(crate) fn take<E>(
        &mut self,
        entry: Entry,
        done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>,
    ) -> Result<(), E> {
        match entry {
            Entry::Sample(sample) => self.take_sample(sample, done),
            Entry::Gap(Gap { lost: 0, skipped }) => self.take_skipped(skipped, done),
            Entry::Gap(gap) => self.take_loss(gap, done),
        }
    }

    /// Takes what did not fit into the ring at the end, completes the last second, and answers the totals.
    pub(crate) fn finish<E>(
        &mut self,
        unwritten: Gap,
        done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>,
    ) -> Result<Totals, E> {
        if unwritten != Gap::default() {
            self.take(Entry::Gap(unwritten), done)?;
        }
        self.complete(done)?;
        Ok(self.totals)
    }

    fn take_sample<E>(
        &mut self,
        sample: Sample,
        done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>,
    ) -> Result<(), E> {
        self.reach(self.second_of(sample.due_ns), done)?;
        let latency_ns = sample.woke_ns.wrapping_sub(sample.due_ns) as i64;
        let number = self.number(sample.due_ns);
        let due_ns = sample.due_ns.wrapping_sub(self.frame.start_ns) as i64;
        self.building.samples.push(store::Sample { activation: number, due_ns, latency_ns });
        let crossing = self.frame.boundary().crossed_by(sample.due_ns, sample.woke_ns);
        self.totals.crossing = further(self.totals.crossing, crossing);
        let limit = self.frame.deadline_ns.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        self.building.missed += u64::from(limit.is_some_and(|limit| latency_ns > limit));
        self.arrived += 1;
        self.last_due_ns = sample.due_ns;
        Ok(())
    }

    fn number(&mut self, due_ns: u64) -> u64 {
        let first_due_ns = *self.first_due_ns.get_or_insert(due_ns);
        if self.frame.has_due_grid { (due_ns - first_due_ns) / self.frame.period_ns } else { self.arrived }
    }

    /// Books `skipped` activations, one period apart behind the last one, each in its own second.
    fn take_skipped<E>(&mut self, skipped: u64, done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>) -> Result<(), E> {
        let (last_ns, period_ns) = (self.last_due_ns, self.frame.period_ns);
        let mut booked = 0;
        while booked < skipped {
            let second = self.second_of(last_ns + (booked + 1) * period_ns);
            let end_ns = self.frame.start_ns + (u64::from(second) + 1) * SECOND_NS;
            let until = ((end_ns - last_ns - 1) / period_ns).min(skipped);
            self.reach(second, done)?;
            self.building.skipped += until - booked;
            booked = until;
        }
        self.last_due_ns += skipped * period_ns;
        self.arrived += skipped;
        Ok(())
    }

    /// Books a loss in the second in which it began: when each lost activation was due is not known.
    fn take_loss<E>(&mut self, gap: Gap, done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>) -> Result<(), E> {
        self.reach(self.second_of(self.last_due_ns + self.frame.period_ns), done)?;
        self.building.lost += gap.lost;
        self.building.skipped += gap.skipped;
        self.arrived += gap.lost + gap.skipped;
        Ok(())
    }

    fn second_of(&self, due_ns: u64) -> u32 {
        (due_ns.saturating_sub(self.frame.start_ns) / SECOND_NS) as u32
    }

    fn reach<E>(&mut self, second: u32, done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>) -> Result<(), E> {
        if second > self.building.at_s {
            self.complete(done)?;
            self.building.at_s = second;
        }
        Ok(())
    }

    fn complete<E>(&mut self, done: &mut dyn FnMut(&SeriesSecond) -> Result<(), E>) -> Result<(), E> {
        let built = &mut self.building;
        if is_empty(built) {
            return Ok(());
        }
        built.warm_up = u64::from(built.at_s) * SECOND_NS < self.frame.warm_up_ns;
        let totals = if built.warm_up { &mut self.totals.warm_up } else { &mut self.totals.measured };
        totals.served += built.samples.len() as u64 + built.lost;
        totals.skipped += built.skipped;
        totals.missed += built.missed;
        totals.lost += built.lost;
        let answer = done(built);
        built.samples.clear();
        (built.skipped, built.missed, built.lost) = (0, 0, 0);
        answer
    }
}

fn is_empty(second: &SeriesSecond) -> bool {
    second.samples.is_empty() && second.skipped == 0 && second.lost == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    const START_NS: u64 = 5_000_000_000;
    const PERIOD_NS: u64 = 90_000_000;

    fn frame() -> Frame {
        Frame {
            series: 3,
            start_ns: START_NS,
            period_ns: PERIOD_NS,
            deadline_ns: Some(1_000),
            warm_up_ns: 1_500_000_000,
            has_due_grid: true,
        }
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    struct Second {
        samples: Vec<(u64, i64)>,
        skipped: u64,
        missed: u64,
        lost: u64,
    }

    type Seconds = BTreeMap<u32, Second>;

    fn assembled(frame: Frame, entries: &[Entry], unwritten: Gap) -> (Seconds, Totals) {
        let mut seconds = Seconds::new();
        let mut keep = |batch: &SeriesSecond| {
            assert_eq!(batch.series, 3);
            assert_eq!(batch.warm_up, batch.at_s < 2, "a second partly inside the warm-up is warm-up");
            let samples = batch.samples.iter().map(|sample| (sample.activation, sample.latency_ns)).collect();
            let (skipped, missed, lost) = (batch.skipped, batch.missed, batch.lost);
            let again = seconds.insert(batch.at_s, Second { samples, skipped, missed, lost });
            assert!(again.is_none(), "a second came twice");
            Ok::<(), Infallible>(())
        };
        let mut assembler = Assembler::new(frame);
        for entry in entries {
            let Ok(()) = assembler.take(*entry, &mut keep);
        }
        let Ok(totals) = assembler.finish(unwritten, &mut keep);
        (seconds, totals)
    }

    /// A grid walked one activation at a time: `Some(latency)` is served, `None` skipped.
    fn walked(fates: &[Option<u64>]) -> (Vec<Entry>, Seconds) {
        let (mut entries, mut seconds, mut skipped) = (Vec::new(), Seconds::new(), 0);
        for (number, fate) in fates.iter().enumerate() {
            let due_ns = START_NS + number as u64 * PERIOD_NS;
            let second = seconds.entry((number as u64 * PERIOD_NS / SECOND_NS) as u32).or_default();
            match fate {
                None => {
                    second.skipped += 1;
                    skipped += 1;
                }
                Some(latency_ns) => {
                    second.samples.push((number as u64, *latency_ns as i64));
                    second.missed += u64::from(*latency_ns > 1_000);
                    if skipped > 0 {
                        entries.push(Entry::Gap(Gap { lost: 0, skipped: std::mem::take(&mut skipped) }));
                    }
                    entries.push(Entry::Sample(Sample { due_ns, woke_ns: due_ns + latency_ns }));
                }
            }
        }
        if skipped > 0 {
            entries.push(Entry::Gap(Gap { lost: 0, skipped }));
        }
        (entries, seconds)
    }

    proptest! {
        #[test]
        fn seconds_agree_with_walking_the_grid(mut fates in prop::collection::vec(prop::option::of(0u64..2_000), 1..80)) {
            fates[0] = Some(5); // The first activation is always served.
            let (entries, expected) = walked(&fates);
            let (seconds, totals) = assembled(frame(), &entries, Gap::default());
            prop_assert_eq!(seconds, expected);
            let all = [totals.measured, totals.warm_up];
            prop_assert_eq!(all.iter().map(|counts| counts.served + counts.skipped).sum::<u64>(), fates.len() as u64);
        }
    }

    fn sample(number: u64) -> Entry {
        let due_ns = START_NS + number * PERIOD_NS;
        Entry::Sample(Sample { due_ns, woke_ns: due_ns + 7 })
    }

    #[test]
    fn losses_are_booked_where_they_began_and_count_as_served() {
        let entries = [sample(0), Entry::Gap(Gap { lost: 20, skipped: 1 }), sample(22)];
        let (seconds, totals) = assembled(frame(), &entries, Gap { lost: 2, skipped: 3 });
        assert_eq!((seconds[&0].lost, seconds[&0].skipped), (20, 1));
        assert_eq!((seconds[&2].lost, seconds[&2].skipped), (2, 3));
        assert_eq!(totals.warm_up, Counts { served: 22, skipped: 1, missed: 0, lost: 20 });
        assert_eq!(totals.measured, Counts { served: 2, skipped: 3, missed: 0, lost: 2 });
        let counted = totals.measured.activations(1, true);
        assert_eq!(counted.due, Some(6));
    }

    #[test]
    fn a_stall_that_goes_on_behind_the_warm_up_is_noted_and_one_that_ends_in_it_is_not() {
        let served = |number: u64, late: u64| {
            let due_ns = START_NS + number * PERIOD_NS;
            Entry::Sample(Sample { due_ns, woke_ns: due_ns + late })
        };
        // The warm-up of 1.5 s ends with its second, at 2 s: activation 22 is the last of it, due at 1.98 s.
        let ends_within = [served(0, 5), served(22, 80_000_000)];
        assert_eq!(assembled(frame(), &ends_within, Gap::default()).1.crossing, None);
        let goes_on = [served(0, 5), served(22, 300_000_000), Entry::Gap(Gap { lost: 0, skipped: 3 }), served(26, 5)];
        let crossing = assembled(frame(), &goes_on, Gap::default()).1.crossing.unwrap();
        assert_eq!((crossing.late.as_ns(), crossing.into.as_ns()), (300_000_000, 280_000_000));
    }

    #[test]
    fn without_a_grid_activations_are_numbered_as_they_come() {
        let entries = [sample(0), sample(3), Entry::Gap(Gap { lost: 5, skipped: 0 }), sample(9)];
        let (seconds, _) = assembled(Frame { has_due_grid: false, ..frame() }, &entries, Gap::default());
        assert_eq!(seconds[&0].samples.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 7]);
    }

    #[test]
    fn a_wake_up_before_its_time_is_negative() {
        let early = Entry::Sample(Sample { due_ns: START_NS + 50, woke_ns: START_NS + 20 });
        let (seconds, _) = assembled(frame(), &[early], Gap::default());
        assert_eq!(seconds[&0].samples, [(0, -30)]);
    }

    #[test]
    fn a_sink_that_fails_stops_the_assembly() {
        let mut assembler = Assembler::new(frame());
        let mut full = |_: &SeriesSecond| Err("disk full");
        assert_eq!(assembler.take(sample(0), &mut full), Ok(()));
        assert_eq!(assembler.take(sample(20), &mut full), Err("disk full"));
    }
}
