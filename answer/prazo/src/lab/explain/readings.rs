//! Finds the activations of a run among the readings of the guest's clock.
//!
//! An activation ends with a reading of the time-stamp counter. The run has its instant on the guest's monotonic clock, whose
//! start and exact rate the run does not know. The distances of many activations fit the readings in one place only.

use prazo_lab::recording::{ClockReading, WindowRequest};
use prazo_run::run::WorstSample;

/// Number of activations that are enough to find the place.
const USED: usize = 64;
/// How far a reading may be from where it is expected: a fixed time, and a part of the distance to the last one.
const SLACK_NS: f64 = 100.0;
const SLACK_FIRST: f64 = 1e-3;
const SLACK_LATER: f64 = 1e-5;
/// A rate is taken from two readings at least so far apart.
const BASE_NS: f64 = 1e6;

/// An activation that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::lab) struct Found {
    pub sample: WorstSample,
    /// What the task read when it ran.
    pub counter: u64,
    /// Instructions executed until then.
    pub instructions: u64,
    /// The latency in the counter's time.
    pub latency: u64,
}

impl Found {
    /// Everything from due to running, if the processor never halts in it, and something around it.
    pub(super) fn window(&self, instruction_ns: u64, lead: u64, tail: u64) -> WindowRequest {
        let before = self.latency.div_ceil(instruction_ns) + lead;
        WindowRequest { from: self.instructions.saturating_sub(before), to: self.instructions + tail }
    }
}

/// Where the readings of a monotonic clock are among those of the counter.
struct Fit {
    rate: f64,
    /// Largest difference between a reading and where it was expected.
    error: f64,
    /// An activation's end on the monotonic clock, and the counter's reading then.
    anchors: Vec<(f64, u64)>,
}

/// The samples among the readings. `listed` are activations of the same run: their distances show where the run lies among the readings.
pub(super) fn find(samples: &[WorstSample], listed: &[WorstSample], readings: &[ClockReading]) -> Option<Vec<Found>> {
    let counters: Vec<_> = readings.iter().map(|reading| reading.counter).collect();
    let fit = fit(&ends(listed), &counters)?;
    samples.iter().map(|sample| fit.find(sample, &counters, readings)).collect()
}

/// Every activation that is due at one of these instants, by the task's first reading after it. Instants that passed while the task was still
/// late were skipped and have no reading.
pub(super) fn periodic(
    dues: impl Iterator<Item = (u64, i64)>,
    listed: &[WorstSample],
    readings: &[ClockReading],
) -> Option<Vec<Found>> {
    let counters: Vec<_> = readings.iter().map(|reading| reading.counter).collect();
    let fit = fit(&ends(listed), &counters)?;
    let ClockReading { thread, address, .. } = readings[counters.binary_search(&fit.anchors.first()?.1).ok()?];
    let is_tasks = |reading: &&ClockReading| (reading.thread, reading.address) == (thread, address);
    let of_task: Vec<_> = readings.iter().filter(is_tasks).collect();
    let (mut all, mut last) = (Vec::new(), 0);
    for (activation, at_ns) in dues {
        let due = fit.counter(at_ns as f64);
        // A reading is rounded, and so is the instant.
        let place = of_task.partition_point(|reading| (reading.counter as f64) < due - 1.0);
        let Some(reading) = of_task.get(place) else { break };
        if due <= last as f64 {
            continue;
        }
        last = reading.counter;
        let latency = reading.counter as f64 - due;
        let sample = WorstSample { at_ns, latency_ns: (latency / fit.rate).round() as i64, activation };
        let latency = latency.round() as u64;
        all.push(Found { sample, counter: reading.counter, instructions: reading.instructions, latency });
    }
    Some(all)
}

/// When activations ended, in order, [`USED`] of them at most.
fn ends(listed: &[WorstSample]) -> Vec<f64> {
    let mut ends: Vec<_> = listed.iter().map(end).collect();
    ends.sort_by(f64::total_cmp);
    let step = ends.len().div_ceil(USED).max(1);
    ends.into_iter().step_by(step).collect()
}

fn end(sample: &WorstSample) -> f64 {
    (sample.at_ns + sample.latency_ns) as f64
}

/// The place where the ends fit best; `None` where they fit nowhere.
fn fit(ends: &[f64], counters: &[u64]) -> Option<Fit> {
    let fits = counters.iter().filter_map(|first| follow(*first, ends, counters));
    fits.min_by(|a, b| a.error.total_cmp(&b.error))
}

/// Goes from end to end, if the first one is this reading.
fn follow(first: u64, ends: &[f64], counters: &[u64]) -> Option<Fit> {
    let mut fit = Fit { rate: 1.0, error: 0.0, anchors: vec![(*ends.first()?, first)] };
    for end in &ends[1..] {
        let (last_end, last) = *fit.anchors.last()?;
        let distance = end - last_end;
        let base = last_end - ends[0];
        let slack = SLACK_NS + distance * if base > BASE_NS { SLACK_LATER } else { SLACK_FIRST };
        let expected = last as f64 + distance * fit.rate;
        let found = nearest(expected, counters)?;
        let error = (found as f64 - expected).abs();
        if error > slack {
            return None;
        }
        if base > BASE_NS {
            fit.error = fit.error.max(error);
        }
        if end - ends[0] > BASE_NS {
            fit.rate = (found - first) as f64 / (end - ends[0]);
        }
        fit.anchors.push((*end, found));
    }
    Some(fit)
}

impl Fit {
    /// The anchor that is closest to an instant; there is at least one.
    fn near(&self, at: f64) -> (f64, u64) {
        let closest = self.anchors.iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs()));
        closest.copied().unwrap_or_default()
    }

    /// What the counter shows at an instant of the monotonic clock.
    fn counter(&self, at: f64) -> f64 {
        let near = self.near(at);
        near.1 as f64 + (at - near.0) * self.rate
    }

    fn find(&self, sample: &WorstSample, counters: &[u64], readings: &[ClockReading]) -> Option<Found> {
        let end = end(sample);
        let near = self.near(end);
        let expected = self.counter(end);
        let counter = nearest(expected, counters)?;
        if (counter as f64 - expected).abs() > SLACK_NS + (end - near.0).abs() * SLACK_LATER {
            return None;
        }
        let reading = readings[counters.binary_search(&counter).ok()?];
        let latency = (sample.latency_ns as f64 * self.rate).round() as u64;
        Some(Found { sample: *sample, counter, instructions: reading.instructions, latency })
    }
}

fn nearest(expected: f64, counters: &[u64]) -> Option<u64> {
    let behind = counters.partition_point(|counter| (*counter as f64) < expected);
    let around = counters[behind.saturating_sub(1)..].iter().take(2);
    around.min_by(|a, b| (**a as f64 - expected).abs().total_cmp(&(**b as f64 - expected).abs())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Activations each millisecond with latencies that differ, read by a counter that is 20 millionths fast and has another
    /// start, among readings of others.
    #[test]
    fn activations_are_found_though_start_and_rate_of_the_clock_are_unknown() {
        let sample = |activation: u64| WorstSample {
            at_ns: activation as i64 * 1_000_000,
            latency_ns: 20_000 + (activation * 7_919 % 3_001) as i64,
            activation,
        };
        let samples: Vec<_> = (0..900).map(sample).collect();
        let counter = |sample: &WorstSample| 7_000_000_123 + (end(sample) * 1.00002).round() as u64;
        let mut readings: Vec<_> = samples.iter().map(|sample| (counter(sample), true)).collect();
        readings.extend((0..5_000).map(|other| (7_000_050_000 + other * 190_007, other % 3 == 0)));
        readings.sort_unstable();
        let reading = |(number, (counter, in_user_mode)): (usize, &(u64, bool))| ClockReading {
            in_user_mode: *in_user_mode,
            instructions: number as u64,
            counter: *counter,
            ..ClockReading::default()
        };
        let readings: Vec<_> = readings.iter().enumerate().map(reading).collect();
        let found = find(&samples[400..410], &samples, &readings).unwrap();
        for one in &found {
            assert!(one.counter.abs_diff(counter(&one.sample)) <= 1, "{one:?}");
        }
        assert_eq!(find(&samples[..1], &samples, &readings[..2_000]), None);
    }

    /// The task reads the clock twice in each activation; activation 10 is 2.5 periods late, so that 11 and 12 are skipped.
    #[test]
    fn all_activations_are_found_by_the_tasks_first_reading_behind_each_due_instant() {
        const TASK: (u32, u64) = (5, 0x7000);
        let latency =
            |activation: u64| if activation == 10 { 2_500_000 } else { 30_000 + activation as i64 % 7 * 1_000 };
        let sample = |activation: u64| WorstSample {
            at_ns: activation as i64 * 1_000_000,
            latency_ns: latency(activation),
            activation,
        };
        let served: Vec<_> = (0..100).filter(|number| ![11, 12].contains(number)).map(sample).collect();
        let reading = |counter, (thread, address)| ClockReading {
            in_user_mode: true,
            thread,
            instructions: counter / 8,
            counter,
            address,
        };
        let counter = |sample: &WorstSample| 5_000_000_000 + end(sample) as u64;
        let mut readings: Vec<_> = served.iter().map(|one| reading(counter(one), TASK)).collect();
        readings.extend(served.iter().map(|one| reading(counter(one) + 9_000, TASK)));
        readings.extend((0..3_000).map(|other| reading(5_000_000_011 + other * 33_333, (6, TASK.1))));
        readings.sort_by_key(|reading| reading.counter);
        let dues = (0..100).map(|number| (number, number as i64 * 1_000_000));
        let found = periodic(dues, &served[5..60], &readings).unwrap();
        assert_eq!(found.iter().map(|one| one.sample).collect::<Vec<_>>(), served);
    }

    #[test]
    fn a_window_holds_the_latency_and_something_around_it() {
        let sample = WorstSample { at_ns: 0, latency_ns: 100, activation: 0 };
        let found = Found { sample, counter: 5, instructions: 1_000, latency: 100 };
        assert_eq!(found.window(8, 50, 10), WindowRequest { from: 937, to: 1_010 });
    }
}
