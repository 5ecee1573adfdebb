//! The activations of a run that Xenomai's `latency` measured in a user task, among the readings of the guest's clock.
//!
//! The tool lists no activation, but its task reads the clock once before it starts the timer and then once in each activation. The first
//! activation is due a millisecond after that reading, and the others follow each period. The tool's mean fixes the clock's rate. Its
//! histogram, and minimum and maximum of its whole seconds, must then agree with what is found.

use super::readings::Found;
use prazo_lab::recording::ClockReading;
use prazo_run::Histogram;
use prazo_run::run::{Series, StatedFigures, WorstSample};
use std::collections::BTreeMap;

const SECOND_NS: u64 = 1_000_000_000;
/// From the reading before the timer starts to the first due instant.
const START_NS: f64 = 1e6;
/// Seconds that the tool measures but does not count.
const WARM_UP_S: u64 = 1;
/// A latency may differ so much from the tool's. The readings are rounded; the mean is, twice, by up to 2 ns in all, and the rate doubles this
/// at the end of a run.
const SLACK_NS: f64 = 8.0;
/// A reading of the clock is repeated at most so much later: an interrupt lies between the two.
const SOON_NS: u64 = 50_000;
/// A counter's rate differs from the clock's at most by this part.
const RATE_ERROR: f64 = 1e-3;

/// Why the activations of such a series cannot be found, and what to do.
pub(super) fn obstacle(series: &Series) -> Option<(&'static str, &'static str)> {
    let Some(figures) = Figures::of(series) else {
        return Some(("has no histogram, or no minimum, mean and maximum, by the core's tool", "measure again"));
    };
    if figures.per_second() == 0 {
        return Some((
            "has a period of more than a second, for which the tool states no figures",
            "measure with a shorter one",
        ));
    }
    if figures.in_whole_seconds() == 0 {
        return Some((
            "is shorter than a whole second, and the tool states its figures of whole seconds only",
            "measure for 3 s or longer",
        ));
    }
    figures.has_skipped.then_some((
        "skipped activations, and the tool does not say which",
        "measure with a longer period, so that none is skipped",
    ))
}

/// All activations after the warm-up, in order; `None` where no thread's readings have the tool's figures. The latency in the counter's time
/// is 0 for activations whose task ran early.
pub(super) fn activations(series: &Series, readings: &[ClockReading]) -> Option<Vec<Found>> {
    let figures = Figures::of(series)?;
    let mut by_thread = BTreeMap::<u32, Vec<&ClockReading>>::new();
    for reading in readings {
        by_thread.entry(reading.thread).or_default().push(reading);
    }
    let found = |all: &[&ClockReading]| all.windows(figures.needed()).find_map(|readings| figures.found(readings));
    by_thread.values().find_map(|all| found(all).or_else(|| found(&figures.without_repeated(all))))
}

/// What the tool says about its activations.
struct Figures<'a> {
    period_ns: u64,
    /// Of the latencies without their sign.
    histogram: &'a Histogram,
    cell_ns: f64,
    /// Of the whole seconds.
    min_ns: f64,
    mean_ns: f64,
    max_ns: f64,
    has_skipped: bool,
}

impl<'a> Figures<'a> {
    fn of(series: &'a Series) -> Option<Self> {
        let period_ns = series.period.map(|period| period.as_ns()).filter(|period_ns| *period_ns > 0)?;
        let StatedFigures { min_ns, mean_ns, max_ns, .. } = series.stated?;
        let (histogram, cell_ns) = (&series.histogram, series.resolution.as_ns() as f64);
        let (min_ns, mean_ns, max_ns) = (min_ns? as f64, mean_ns?, max_ns? as f64);
        let has_skipped = series.activations.skipped != Some(0);
        let figures = Self { period_ns, histogram, cell_ns, min_ns, mean_ns, max_ns, has_skipped };
        (!histogram.is_empty()).then_some(figures)
    }

    fn per_second(&self) -> usize {
        (SECOND_NS / self.period_ns) as usize
    }

    /// Activations before the first one that counts.
    fn warm_up(&self) -> usize {
        self.per_second() * WARM_UP_S as usize
    }

    /// Readings from the one before the timer starts to the last activation.
    fn needed(&self) -> usize {
        1 + self.warm_up() + self.histogram.total() as usize
    }

    /// Number of activations in whole seconds. The tool states minimum, mean and maximum of these only.
    fn in_whole_seconds(&self) -> usize {
        let seconds = (self.histogram.total() as usize).checked_div(self.per_second()).unwrap_or(0);
        seconds * self.per_second()
    }

    /// The readings without those that the task repeated soon, because the kernel set the clock meanwhile. The repeated one counts.
    fn without_repeated<'r>(&self, readings: &[&'r ClockReading]) -> Vec<&'r ClockReading> {
        let soon = SOON_NS.min(self.period_ns / 4);
        let is_last =
            |place: usize| readings.get(place + 1).is_none_or(|next| next.counter - readings[place].counter > soon);
        (0..readings.len()).filter(|place| is_last(*place)).map(|place| readings[place]).collect()
    }

    /// The activations, if these are the readings of the tool's task.
    fn found(&self, readings: &[&ClockReading]) -> Option<Vec<Found>> {
        let (start, activations) = readings.split_first()?;
        // The counter's time since that first reading, and the clock's time from it to the due instant.
        let since = |reading: &ClockReading| (reading.counter - start.counter) as f64;
        let due = |number: usize| START_NS + (number as u64 * self.period_ns) as f64;
        let may_be = |(number, reading): (usize, &&ClockReading)| {
            let late = since(reading) - due(number);
            late.abs() < self.period_ns as f64 + due(number) * RATE_ERROR
        };
        if !activations.iter().enumerate().all(may_be) {
            return None;
        }
        let counted = || activations.iter().enumerate().skip(self.warm_up());
        let whole = self.in_whole_seconds();
        let mean = |value: &dyn Fn((usize, &&ClockReading)) -> f64| {
            counted().take(whole).map(value).sum::<f64>() / whole as f64
        };
        let rate = mean(&|(_, reading)| since(reading)) / (self.mean_ns + mean(&|(number, _)| due(number)));
        let latencies: Vec<f64> = counted().map(|(number, reading)| since(reading) / rate - due(number)).collect();
        if (rate - 1.0).abs() > RATE_ERROR || !self.agree(&latencies) {
            return None;
        }
        let activation = |((place, (_, reading)), latency): ((usize, (usize, &&ClockReading)), &f64)| {
            let (activation, latency_ns) = (place as u64, latency.round() as i64);
            let sample = WorstSample { at_ns: (activation * self.period_ns) as i64, latency_ns, activation };
            let latency = (latency * rate).round().max(0.0) as u64;
            Found { sample, counter: reading.counter, instructions: reading.instructions, latency }
        };
        Some(counted().enumerate().zip(&latencies).map(activation).collect())
    }

    /// True where the latencies have the tool's extremes and its histogram. Their mean was used to find the rate.
    fn agree(&self, latencies: &[f64]) -> bool {
        let whole = &latencies[..self.in_whole_seconds()];
        let smallest = whole.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = whole.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_near = |found: f64, stated: f64| (found - stated).abs() <= SLACK_NS;
        is_near(smallest, self.min_ns) && is_near(largest, self.max_ns) && self.has_cells(latencies)
    }

    /// True where each cell has as many latencies as in the histogram; one at an edge may be on the other side of it.
    fn has_cells(&self, latencies: &[f64]) -> bool {
        let mut sizes: Vec<f64> = latencies.iter().map(|latency| latency.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let (mut sizes, mut behind) = (sizes.as_slice(), 0.0);
        for (edge, count) in self.histogram.cells() {
            let Some((of_cell, rest)) = sizes.split_at_checked(count as usize) else { return false };
            let from = edge as f64 - SLACK_NS;
            behind = edge as f64 + self.cell_ns;
            if of_cell.first().is_some_and(|size| *size < from)
                || of_cell.last().is_some_and(|size| *size > behind + SLACK_NS)
            {
                return false;
            }
            sizes = rest;
        }
        sizes.len() as u64 == self.histogram.overflow() && sizes.first().is_none_or(|size| *size >= behind - SLACK_NS)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use prazo_core::time::Duration;

    const MS: u64 = 1_000_000;
    const TASK: u32 = 5;

    /// Activations behind the warm-up.
    pub(in crate::lab::explain) const LATENCIES: u64 = 2_400;

    fn latency(number: u64) -> i64 {
        15_000 + (number * 7_919 % 9_001) as i64
    }

    /// The tool's own series of its activations after the warm-up.
    pub(in crate::lab::explain) fn series() -> Series {
        let counted: Vec<i64> = (1_000..1_000 + LATENCIES).map(latency).collect();
        let mut series = Series { period: Some(Duration::from_ms(1)), ..Series::default() };
        series.resolution = Duration::from_us(1);
        counted.iter().for_each(|latency| series.histogram.add(latency / 1_000 * 1_000, 1));
        let whole = &counted[..2_000];
        let mean = |values: &[i64]| values.iter().sum::<i64>() / values.len() as i64;
        series.stated = Some(StatedFigures {
            count: Some(LATENCIES),
            min_ns: whole.iter().min().copied(),
            mean_ns: Some(((mean(&whole[..1_000]) + mean(&whole[1_000..])) / 2) as f64),
            max_ns: whole.iter().max().copied(),
        });
        series.activations.skipped = Some(0);
        series
    }

    /// The task's readings by a counter that is 20 millionths fast, behind one of the library's, and among those of another thread.
    fn readings() -> Vec<ClockReading> {
        let reading = |counter, thread| ClockReading {
            in_user_mode: true,
            thread,
            instructions: counter / 8,
            counter,
            address: 0x7000,
        };
        let counter = |since: u64| 7_000_000_123 + (since as f64 * 1.000_02).round() as u64;
        let mut all = vec![reading(counter(0) - 90_000, TASK), reading(counter(0), TASK)];
        let read = |number: u64| counter(MS + number * MS + latency(number) as u64);
        all.extend((0..3_450).map(|number| reading(read(number), TASK)));
        all.extend((0..40_000).map(|other| reading(7_000_000_011 + other * 99_991, 6)));
        all.sort_by_key(|reading| reading.counter);
        all
    }

    #[test]
    fn each_activation_of_the_tool_is_found_to_a_few_nanoseconds() {
        let (series, readings) = (series(), readings());
        assert_eq!(obstacle(&series), None);
        let found = activations(&series, &readings).unwrap();
        assert_eq!(found.len() as u64, LATENCIES);
        for (one, number) in found.iter().zip(0..) {
            assert_eq!((one.sample.activation, one.sample.at_ns), (number, (number * MS) as i64));
            let expected = latency(1_000 + number);
            assert!(one.sample.latency_ns.abs_diff(expected) <= SLACK_NS as u64, "{one:?}, {expected}");
        }
    }

    /// The clock was set between a reading and its use, so the task read it again.
    #[test]
    fn a_repeated_reading_counts_instead_of_the_one_before_it() {
        let mut readings = readings();
        let place = readings.iter().rposition(|reading| reading.thread == TASK).unwrap();
        let last = readings[place - 400];
        readings.push(ClockReading { counter: last.counter - 14_000, instructions: last.instructions - 1_750, ..last });
        readings.sort_by_key(|reading| reading.counter);
        assert_eq!(activations(&series(), &readings).unwrap().len() as u64, LATENCIES);
    }

    #[test]
    fn samples_beyond_the_last_cell_are_found_there_and_negative_ones_by_their_size() {
        let (mut beyond, readings) = (series(), readings());
        let cells: Vec<_> = beyond.histogram.cells().collect();
        let (last, others) = cells.split_last().unwrap();
        beyond.histogram = Histogram::new();
        others.iter().for_each(|(edge, count)| beyond.histogram.add(*edge, *count));
        beyond.histogram.add_overflow(last.1);
        assert!(activations(&beyond, &readings).is_some());
        beyond.histogram.add_overflow(1);
        beyond.histogram.add(others[0].0, 0);
        assert!(activations(&beyond, &readings).is_none());
        let early = Figures { cell_ns: 1e3, ..Figures::of(&beyond).unwrap() };
        let histogram = {
            let mut all = Histogram::new();
            all.add(0, 1);
            all.add(1_000, 2);
            all
        };
        assert!(Figures { histogram: &histogram, ..early }.has_cells(&[-1_500.0, 200.0, 1_100.0]));
    }

    #[test]
    fn readings_that_lack_one_figure_of_the_tool_are_not_taken() {
        let readings = readings();
        let of = |change: &dyn Fn(&mut Series)| {
            let mut changed = series();
            change(&mut changed);
            activations(&changed, &readings)
        };
        assert!(of(&|_| {}).is_some());
        let stated = |series: &mut Series, by: [i64; 3]| {
            let stated = series.stated.as_mut().unwrap();
            stated.min_ns = stated.min_ns.map(|min| min + by[0]);
            stated.mean_ns = stated.mean_ns.map(|mean| mean + by[1] as f64);
            stated.max_ns = stated.max_ns.map(|max| max + by[2]);
        };
        assert!(of(&|series| stated(series, [20, 0, 0])).is_none());
        assert!(of(&|series| stated(series, [0, 200, 0])).is_none());
        assert!(of(&|series| stated(series, [0, 0, -20])).is_none());
        // One activation is in another cell.
        let moved = |series: &mut Series| {
            let mut histogram = Histogram::new();
            let cells: Vec<_> = series.histogram.cells().collect();
            let change = |place: usize| if place == 2 { -1 } else { i64::from(place == 4) };
            let changed = cells.iter().enumerate().map(|(place, (edge, count))| (edge, *count as i64 + change(place)));
            changed.for_each(|(edge, count)| histogram.add(*edge, count as u64));
            series.histogram = histogram;
        };
        assert!(of(&moved).is_none());
    }

    #[test]
    fn a_run_of_less_than_a_second_or_with_skipped_activations_says_why_not() {
        let mut short = series();
        short.histogram = Histogram::new();
        short.histogram.add(15_000, 900);
        assert!(obstacle(&short).unwrap().1.contains("longer"));
        let slow = Series { period: Some(Duration::from_s(2)), ..series() };
        assert!(obstacle(&slow).unwrap().1.contains("shorter"));
        let mut skipped = series();
        skipped.activations.skipped = Some(2);
        assert!(obstacle(&skipped).unwrap().0.contains("skipped"));
    }
}
