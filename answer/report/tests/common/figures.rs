//! Plain figures for made-up runs, without the intervals that the real statistics make, and a small source of chance.

use prazo_run::run::Quantity;
use prazo_run::{Run, Series};
use prazo_stats::{MissRate, Per, Quantile, RunSummary, Summary};

/// A seeded source of chance (splitmix64), so that each report is the same every time.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A latency about `typical` ns, log-normal with `spread`, and with probability `stalls` far beyond.
    pub fn latency(&mut self, typical: i64, spread: f64, stalls: f64) -> i64 {
        let normal: f64 = (0..6).map(|_| self.uniform()).sum::<f64>() - 3.0;
        let stall =
            if self.uniform() < stalls { (12.0 * (1.0 / (1.0 - self.uniform())).powf(0.6)).min(400.0) } else { 1.0 };
        (typical as f64 * (normal * spread * 1.4).exp() * stall) as i64
    }
}

pub fn summarise(run: &Run) -> RunSummary {
    let mut summaries: Vec<Summary> =
        run.series.iter().map(|series| summary(series.cpu, series.quantity, &cells(&[series]), [series])).collect();
    let all: Vec<&Series> = run.of(Quantity::ResponseLatency).collect();
    if all.len() > 1 {
        summaries.push(summary(None, Quantity::ResponseLatency, &cells(&all), all));
    }
    let length_allows = "Causes rarer than about three in this many activations may not have shown themselves.".into();
    RunSummary { run: run.name.clone(), summaries, length_allows }
}

fn cells(series: &[&Series]) -> Vec<(i64, u64)> {
    let mut all = prazo_run::Histogram::new();
    series.iter().for_each(|series| all.merge(&series.histogram));
    all.cells().collect()
}

fn summary<'a>(
    cpu: Option<u32>,
    quantity: Quantity,
    cells: &[(i64, u64)],
    of: impl IntoIterator<Item = &'a Series>,
) -> Summary {
    let series: Vec<&Series> = of.into_iter().collect();
    let overflow = series.iter().map(|series| series.histogram.overflow()).sum();
    let in_range: u64 = cells.iter().map(|(_, count)| count).sum();
    let sum = |power: i32| cells.iter().map(|(ns, count)| (*ns as f64).powi(power) * *count as f64).sum::<f64>();
    let mean = (in_range > 0).then(|| sum(1) / in_range as f64);
    let stated = series.iter().filter_map(|series| series.stated?.max_ns);
    Summary {
        cpu,
        quantity,
        per: Per::ServedWakeUp,
        count: in_range + overflow,
        min_ns: cells.first().map(|(ns, _)| *ns),
        mean_ns: mean,
        mean_is_lower_bound: overflow > 0,
        sd_ns: mean.map(|mean| (sum(2) / in_range as f64 - mean * mean).max(0.0).sqrt()),
        max_ns: cells.last().map(|(ns, _)| *ns).into_iter().chain(stated).max(),
        overflow,
        quantiles: [0.5, 0.99, 0.999, 0.9999, 0.99999].map(|q| quantile(cells, in_range + overflow, q)).into(),
    }
}

fn quantile(cells: &[(i64, u64)], total: u64, q: f64) -> Quantile {
    let rank = (total as f64 * q).ceil() as u64;
    let values_above = total - rank.min(total);
    let mut seen = 0;
    let value = cells.iter().find(|(_, count)| {
        seen += count;
        seen >= rank
    });
    let supported = values_above >= 10;
    let reason = if supported {
        "no blocks to resample".into()
    } else {
        format!("only {values_above} values lie above this rank; 10 are wanted")
    };
    let value_ns = value.map(|(ns, _)| *ns).filter(|_| supported);
    Quantile { q, value_ns, at_least: false, values_above, interval_ns: None, reason }
}

pub fn misses(run: &Run, deadline_ns: i64) -> MissRate {
    let all: Vec<(i64, u64)> = run.series.iter().flat_map(|series| series.histogram.cells()).collect();
    let overflow: u64 = run.series.iter().map(|series| series.histogram.overflow()).sum();
    let skipped: u64 = run.series.iter().filter_map(|series| series.activations.skipped).sum();
    let due = all.iter().map(|(_, count)| count).sum::<u64>() + overflow + skipped;
    let late: u64 = all.iter().filter(|(ns, _)| *ns > deadline_ns).map(|(_, count)| count).sum();
    let seconds = || run.series.iter().flat_map(|series| &series.timeline).filter(|second| !second.warm_up);
    let missed = late + overflow + skipped;
    MissRate {
        deadline_ns: deadline_ns as u64,
        due,
        missed,
        rate: (due > 0).then(|| missed as f64 / due as f64),
        blocks: seconds().count() as u64,
        blocks_with_miss: seconds().filter(|second| second.max_ns > Some(deadline_ns)).count() as u64,
        block_rate_upper: None,
        runs_test_p: None,
        rate_upper_if_independent: Some(3.0 / due.max(1) as f64),
        method: "Served late plus skipped, per due activation; no bound on seconds in a made-up run.".into(),
    }
}
