//! The activations of a run that Xenomai's `latency` measured in a user task, among the readings of the guest's clock.
//!
//! The tool lists no activation, but its task reads the clock once before it starts the timer and then once in each activation. The first
//! activation is due a millisecond after that reading, and the others follow each period. What is found must have the tool's figures:
//! each cell of its histogram, and minimum, mean and maximum of its whole seconds.

use super::readings::Found;
use prazo_lab::recording::ClockReading;
use prazo_run::Run;
use prazo_run::run::{Series, StatedFigures, WorstSample};
use prazo_run::source::Source;
use std::collections::BTreeMap;

const SECOND_NS: u64 = 1_000_000_000;
/// From the reading before the timer starts to the first due instant.
const START_NS: f64 = 1e6;
/// Seconds that the tool measures but does not count.
const WARM_UP_S: u64 = 1;
/// A latency may differ so much from the tool's: two readings of the clock are rounded, and so are the mean and each figure.
const SLACK_NS: f64 = 4.0;
/// A counter's rate differs from the clock's at most by this part.
const RATE_ERROR: f64 = 1e-3;

/// True for a run that a core's own tool measured.
pub(super) fn measured(run: &Run) -> bool {
    matches!(run.plan.as_ref().map(|plan| &plan.source), Some(Source::Xenomai(_)))
}

/// Why the activations of such a series cannot be found, and what to do.
pub(super) fn obstacle(series: &Series) -> Option<(&'static str, &'static str)> {
    let Some(figures) = Figures::of(series) else {
        return Some(("has no figures of a whole second by the core's tool", "measure for 3 s or longer"));
    };
    figures.has_skipped.then_some((
        "skipped activations, so the due instants of the others are unknown",
        "measure with a longer period, so that none is skipped",
    ))
}

/// All activations after the warm-up, in order; `None` where no readings have the tool's figures. The latency in the counter's time is 0
/// for activations that began early.
pub(super) fn activations(series: &Series, readings: &[ClockReading]) -> Option<Vec<Found>> {
    let figures = Figures::of(series)?;
    let mut by_thread = BTreeMap::<u32, Vec<&ClockReading>>::new();
    for reading in readings {
        by_thread.entry(reading.thread).or_default().push(reading);
    }
    let needed = figures.needed();
    by_thread.values().find_map(|all| all.windows(needed).find_map(|readings| figures.found(readings)))
}

/// What the tool says about its activations.
struct Figures {
    period_ns: u64,
    /// Lower and upper edge of the cell of each latency, ascending; latencies without their sign.
    cells: Vec<(f64, f64)>,
    /// Of the whole seconds.
    min_ns: f64,
    mean_ns: f64,
    max_ns: f64,
    has_skipped: bool,
}

impl Figures {
    fn of(series: &Series) -> Option<Self> {
        let period_ns = series.period.map(|period| period.as_ns()).filter(|period_ns| *period_ns > 0)?;
        let StatedFigures { min_ns, mean_ns, max_ns, .. } = series.stated?;
        let (min_ns, mean_ns, max_ns) = (min_ns? as f64, mean_ns?, max_ns? as f64);
        let width = series.resolution.as_ns() as f64;
        let cell = |(edge, count): (i64, u64)| (0..count).map(move |_| (edge as f64, edge as f64 + width));
        let mut cells: Vec<_> = series.histogram.cells().flat_map(cell).collect();
        let last = cells.last().map_or(0.0, |cell| cell.1);
        cells.extend((0..series.histogram.overflow()).map(|_| (last, f64::INFINITY)));
        let has_skipped = series.activations.skipped != Some(0);
        let figures = Self { period_ns, cells, min_ns, mean_ns, max_ns, has_skipped };
        (figures.whole_seconds() > 0).then_some(figures)
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
        1 + self.warm_up() + self.cells.len()
    }

    /// Activations of the whole seconds, of which alone the tool states minimum, mean and maximum.
    fn whole_seconds(&self) -> usize {
        let seconds = self.cells.len().checked_div(self.per_second()).unwrap_or(0);
        seconds * self.per_second()
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
        let whole = self.whole_seconds();
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
        let whole = &latencies[..self.whole_seconds()];
        let smallest = whole.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = whole.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_near = |found: f64, stated: f64| (found - stated).abs() <= SLACK_NS;
        let mut sizes: Vec<f64> = latencies.iter().map(|latency| latency.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let is_in = |(size, cell): (&f64, &(f64, f64))| *size >= cell.0 - SLACK_NS && *size <= cell.1 + SLACK_NS;
        is_near(smallest, self.min_ns) && is_near(largest, self.max_ns) && sizes.iter().zip(&self.cells).all(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::Histogram;

    const MS: u64 = 1_000_000;
    const TASK: u32 = 5;

    fn latency(number: u64) -> i64 {
        15_000 + (number * 7_919 % 9_001) as i64
    }

    /// The tool's own series of 2,400 activations after its warm-up.
    fn series() -> Series {
        let counted: Vec<i64> = (1_000..3_400).map(latency).collect();
        let mut series = Series { period: Some(Duration::from_ms(1)), ..Series::default() };
        series.resolution = Duration::from_us(1);
        counted.iter().for_each(|latency| series.histogram.add(latency / 1_000 * 1_000, 1));
        let whole = &counted[..2_000];
        let mean = |values: &[i64]| values.iter().sum::<i64>() / values.len() as i64;
        series.stated = Some(StatedFigures {
            count: Some(2_400),
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
        assert_eq!(found.len(), 2_400);
        for (one, number) in found.iter().zip(0..) {
            assert_eq!((one.sample.activation, one.sample.at_ns), (number, (number * MS) as i64));
            let expected = latency(1_000 + number);
            assert!(one.sample.latency_ns.abs_diff(expected) <= SLACK_NS as u64, "{one:?}, {expected}");
        }
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
        let mut skipped = series();
        skipped.activations.skipped = Some(2);
        assert!(obstacle(&skipped).unwrap().0.contains("skipped"));
    }
}
