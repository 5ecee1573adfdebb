//! Figures for whoever watches: since the start for each processor, and the last seconds as a moving histogram.

use super::sink::{CpuProgress, RECENT_S};
use prazo_run::Histogram;
use prazo_run::store::SeriesSecond;
use std::collections::BTreeMap;

/// Figures of all series, fed with the seconds as they are completed.
#[derive(Debug)]
pub struct Live {
    cpus: Vec<CpuProgress>,
    sums_ns: Vec<i128>,
    /// Whether what was added last belongs to the warm-up, for each series.
    is_warm_up: Vec<bool>,
    /// Histograms of the last seconds, by second.
    recent: BTreeMap<u32, Histogram>,
}

impl Live {
    /// Nothing yet, for the given processors.
    pub fn new(cpus: impl IntoIterator<Item = u32>) -> Self {
        let cpus: Vec<_> = cpus.into_iter().map(|cpu| CpuProgress { cpu, ..CpuProgress::default() }).collect();
        Self { sums_ns: vec![0; cpus.len()], is_warm_up: vec![false; cpus.len()], cpus, recent: BTreeMap::new() }
    }

    /// Adds one second of one series. What was shown of the warm-up ends with it, as it is left out of the run's figures.
    pub fn add(&mut self, batch: &SeriesSecond) {
        let was_warm_up = std::mem::replace(&mut self.is_warm_up[batch.series], batch.warm_up);
        if was_warm_up && !batch.warm_up {
            let cpu = &mut self.cpus[batch.series];
            (*cpu, self.sums_ns[batch.series]) = (CpuProgress { cpu: cpu.cpu, ..CpuProgress::default() }, 0);
            // Seconds of the warm-up come before it, on every processor.
            self.recent.retain(|second, _| *second >= batch.at_s);
        }
        let (cpu, sum_ns) = (&mut self.cpus[batch.series], &mut self.sums_ns[batch.series]);
        let recent = self.recent.entry(batch.at_s).or_default();
        for latency_ns in batch.samples.iter().map(|sample| sample.latency_ns) {
            *sum_ns += i128::from(latency_ns);
            cpu.min_ns = Some(cpu.min_ns.map_or(latency_ns, |min_ns| min_ns.min(latency_ns)));
            cpu.max_ns = Some(cpu.max_ns.map_or(latency_ns, |max_ns| max_ns.max(latency_ns)));
            cpu.last_ns = Some(latency_ns);
            recent.add(coarse(latency_ns), 1);
        }
        cpu.served += batch.samples.len() as u64 + batch.lost;
        cpu.skipped += batch.skipped;
        cpu.missed += batch.missed;
        cpu.lost += batch.lost;
        let kept = cpu.served - cpu.lost;
        cpu.mean_ns = (kept > 0).then(|| *sum_ns as f64 / kept as f64);
        while self.recent.len() > RECENT_S {
            self.recent.pop_first();
        }
    }

    /// The figures of each processor.
    pub fn cpus(&self) -> &[CpuProgress] {
        &self.cpus
    }

    /// The last seconds together.
    pub fn recent(&self) -> Histogram {
        let mut all = Histogram::new();
        self.recent.values().for_each(|second| all.merge(second));
        all
    }
}

/// Rounded down to 1/128 of its size; exact below 256 ns, and below zero.
fn coarse(latency_ns: i64) -> i64 {
    let bits = 63_u32.saturating_sub(latency_ns.leading_zeros());
    let shift = bits.saturating_sub(7);
    if latency_ns < 0 { latency_ns } else { latency_ns >> shift << shift }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::store::Sample;

    fn batch(at_s: u32, samples: &[(u64, i64)]) -> SeriesSecond {
        let sample = |&(activation, latency_ns): &(u64, i64)| Sample { activation, due_ns: 0, latency_ns };
        let samples = samples.iter().map(sample).collect();
        SeriesSecond { series: 0, at_s, warm_up: false, samples, skipped: 1, missed: 0, lost: 2 }
    }

    #[test]
    fn coarse_values_are_at_most_a_128th_smaller() {
        for value in [-5, 0, 1, 255, 256, 1_000, 123_456_789, i64::MAX] {
            let rounded = coarse(value);
            assert!(rounded <= value && value - rounded <= value.abs() / 128, "{value} became {rounded}");
        }
    }

    #[test]
    fn the_warm_up_is_shown_until_it_ends() {
        let mut live = Live::new([5]);
        live.add(&SeriesSecond { warm_up: true, ..batch(0, &[(0, 900_000)]) });
        assert_eq!((live.cpus()[0].max_ns, live.cpus()[0].skipped), (Some(900_000), 1));
        live.add(&batch(1, &[(1, 100)]));
        let cpu = live.cpus()[0];
        assert_eq!((cpu.cpu, cpu.served, cpu.skipped, cpu.max_ns, cpu.mean_ns), (5, 3, 1, Some(100), Some(100.0)));
        assert_eq!(live.recent().total(), 1);
    }

    #[test]
    fn figures_add_up_and_the_histogram_moves() {
        let mut live = Live::new([5]);
        (0..20).for_each(|second| live.add(&batch(second, &[(0, 100), (1, 200)])));
        let cpu = live.cpus()[0];
        assert_eq!((cpu.served, cpu.skipped, cpu.lost, cpu.cpu), (80, 20, 40, 5));
        assert_eq!((cpu.min_ns, cpu.mean_ns, cpu.max_ns, cpu.last_ns), (Some(100), Some(150.0), Some(200), Some(200)));
        assert_eq!(live.recent().total(), 2 * RECENT_S as u64);
    }
}
