//! The time that busy loops lost to gaps, as a share of the time in which they looked; shares of parts likewise.
//!
//! Sums come from the timeline, which has every sample that was kept: those beyond the histogram's bound as well.

use prazo_core::time::Duration;
use prazo_run::noise::ObservedCpu;
use prazo_run::run::Quantity;
use prazo_run::{Run, Series, serde_duration};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The gaps that a busy loop found on one processor, as a share of the observed time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lost {
    /// What the busy loop observed on the processor.
    #[serde(flatten)]
    pub observed: ObservedCpu,
    /// Number of gaps longer than the threshold.
    pub gaps: u64,
    /// Total length of the gaps; null where records were lost or values were not kept.
    pub lost_ns: Option<u64>,
    /// Total length of the gaps as a share of the observed time; null where the total is unknown or nothing was observed.
    pub share: Option<f64>,
    /// The longest gap; null without gaps.
    pub longest_ns: Option<i64>,
}

/// One line for each processor of a run whose loops looked for gaps.
pub fn lost(run: &Run) -> Vec<Lost> {
    let of = |observed: &ObservedCpu| {
        let series = run.series.iter().find(|series| series.cpu == Some(observed.cpu))?;
        Some(of_series(*observed, series))
    };
    run.noise.iter().flat_map(|observed| &observed.cpus).filter_map(of).collect()
}

fn of_series(observed: ObservedCpu, series: &Series) -> Lost {
    let lost_ns = sum_ns(series);
    let share = share(lost_ns, observed.observed);
    Lost { observed, gaps: series.activations.served, lost_ns, share, longest_ns: longest_ns(series) }
}

fn share(lost_ns: Option<u64>, observed: Duration) -> Option<f64> {
    let whole_ns = Some(observed.as_ns()).filter(|ns| *ns > 0);
    lost_ns.zip(whole_ns).map(|(lost, whole)| lost as f64 / whole as f64)
}

/// The gaps of all processors of a run together, as a share of the time observed on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LostInAll {
    /// Observed time of all processors together.
    #[serde(rename = "observed_ns", with = "serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub observed: Duration,
    /// Number of gaps longer than the threshold.
    pub gaps: u64,
    /// Total length of the gaps; null where the total of any processor is unknown.
    pub lost_ns: Option<u64>,
    /// Total length of the gaps as a share of the observed time; null where the total is unknown or nothing was observed.
    pub share: Option<f64>,
    /// The longest gap; null without gaps.
    pub longest_ns: Option<i64>,
}

/// The sum over the processors of a run whose loops looked for gaps; `None` of any other run.
pub fn lost_in_all(run: &Run) -> Option<LostInAll> {
    let cpus = lost(run);
    if cpus.is_empty() {
        return None;
    }
    let observed = Duration::from_ns(cpus.iter().map(|cpu| cpu.observed.observed.as_ns()).sum());
    let lost_ns: Option<u64> = cpus.iter().map(|cpu| cpu.lost_ns).sum();
    Some(LostInAll {
        observed,
        gaps: cpus.iter().map(|cpu| cpu.gaps).sum(),
        lost_ns,
        share: share(lost_ns, observed),
        longest_ns: cpus.iter().filter_map(|cpu| cpu.longest_ns).max(),
    })
}

/// A sample beyond the histogram's bound is among the worst.
fn longest_ns(series: &Series) -> Option<i64> {
    let kept = series.histogram.cells().next_back().map(|(value_ns, _)| value_ns);
    series.worst.first().map(|worst| worst.latency_ns).or(kept)
}

/// The timeline has every sample that was kept, those beyond the histogram's bound as well.
fn sum_ns(series: &Series) -> Option<u64> {
    let seconds = || series.timeline.iter().filter(|second| !second.warm_up);
    let is_complete = seconds().all(|second| second.lost == 0);
    let sum: i64 = seconds().map(|second| second.sum_ns).sum();
    u64::try_from(sum).ok().filter(|_| is_complete)
}

/// The time that one kind of noise took in all gaps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LostTo {
    /// The kind of noise.
    pub quantity: Quantity,
    /// Time that the kind of noise took in all split gaps of all processors.
    pub lost_ns: u64,
    /// Time that the kind of noise took, as a share of the observed time of all processors.
    pub share: f64,
    /// Longest time that the kind of noise took in one gap.
    pub longest_ns: Option<i64>,
    /// Number of gaps in which the kind of noise took time.
    pub gaps: u64,
}

/// The parts of the gaps of a run, of all processors together; empty where gaps were not split, or not all of them are there.
pub fn lost_to(run: &Run) -> Vec<LostTo> {
    let observed = lost_in_all(run).map(|all| all.observed);
    let Some(whole_ns) = observed.map(Duration::as_ns).filter(|ns| *ns > 0) else { return Vec::new() };
    let mut wholes = run.series.iter().filter(|series| series.split.is_some());
    // Parts of what is kept would be shares of a sum that is unknown.
    if wholes.any(|series| sum_ns(series).is_none()) {
        return Vec::new();
    }
    let parts = || run.series.iter().filter_map(|series| series.split.as_deref()).flat_map(|split| &split.parts);
    let quantities: BTreeSet<Quantity> = parts().map(|part| part.quantity).collect();
    let of = |quantity: Quantity| {
        let all: Vec<&Series> = parts().filter(|part| part.quantity == quantity).collect();
        let lost_ns = all.iter().map(|part| sum_ns(part)).sum::<Option<u64>>()?;
        let longest_ns = all.iter().filter_map(|part| longest_ns(part)).max().filter(|longest| *longest > 0);
        let gaps = all.iter().map(|part| some(part)).sum();
        Some(LostTo { quantity, lost_ns, share: lost_ns as f64 / whole_ns as f64, longest_ns, gaps })
    };
    quantities.into_iter().filter_map(of).collect()
}

/// How many samples are not zero.
fn some(part: &Series) -> u64 {
    let kept: u64 = part.histogram.cells().filter(|(value_ns, _)| *value_ns > 0).map(|(_, count)| count).sum();
    kept + part.histogram.overflow()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Histogram;
    use prazo_run::noise::Observed;
    use prazo_run::run::{Activations, Second};
    use prazo_run::split::{Split, SplitCounts, Splitter};

    fn series(quantity: Quantity, values_ns: &[i64]) -> Series {
        let mut histogram = Histogram::new();
        values_ns.iter().for_each(|value_ns| histogram.add(*value_ns, 1));
        let served = values_ns.len() as u64;
        let second = Second { count: served, sum_ns: values_ns.iter().sum(), ..Second::default() };
        let warm_up = Second { warm_up: true, sum_ns: 1_000_000, count: 1, lost: 5, ..Second::default() };
        Series {
            cpu: Some(1),
            quantity,
            activations: Activations { served, ..Activations::default() },
            histogram,
            timeline: vec![warm_up, second],
            ..Series::default()
        }
    }

    fn run() -> Run {
        let counts = SplitCounts { by: Splitter::Bpf, split: 2, never_slept: 0, unsplit: Default::default() };
        let parts = vec![series(Quantity::NoiseThread, &[0, 40]), series(Quantity::NoiseUnrecorded, &[10, 50])];
        let whole = Series {
            split: Some(Box::new(Split { counts, parts, causes: Vec::new() })),
            ..series(Quantity::Noise, &[10, 90])
        };
        let observed = ObservedCpu { cpu: 1, observed: Duration::from_ns(1_000), ..ObservedCpu::default() };
        let noise = Some(Observed { cpus: vec![observed], smis_unknown: None });
        Run { series: vec![whole], noise, ..Run::default() }
    }

    #[test]
    fn lost_time_is_a_share_of_what_was_observed_without_the_warm_up() {
        let [lost] = lost(&run())[..] else { panic!("one processor") };
        assert_eq!((lost.gaps, lost.lost_ns, lost.share, lost.longest_ns), (2, Some(100), Some(0.1), Some(90)));
    }

    #[test]
    fn all_processors_together_lost_a_share_of_what_was_observed_on_all_of_them() {
        let mut run = run();
        let second = ObservedCpu { cpu: 2, observed: Duration::from_ns(3_000), ..ObservedCpu::default() };
        run.noise.as_mut().unwrap().cpus.push(second);
        run.series.push(Series { cpu: Some(2), ..series(Quantity::Noise, &[200]) });
        let all = lost_in_all(&run).unwrap();
        assert_eq!((all.observed.as_ns(), all.gaps, all.longest_ns), (4_000, 3, Some(200)));
        assert_eq!((all.lost_ns, all.share), (Some(300), Some(0.075)));
        run.series[1].timeline[1].lost = 1;
        let all = lost_in_all(&run).unwrap();
        assert_eq!((all.lost_ns, all.share), (None, None), "one unknown sum makes the whole unknown");
        assert_eq!((all.observed.as_ns(), all.gaps), (4_000, 3), "what was counted stays");
    }

    #[test]
    fn the_parts_of_a_gap_add_up_to_the_time_that_it_lost() {
        let parts = lost_to(&run());
        let [thread, rest] = parts[..] else { panic!("{parts:?}") };
        assert_eq!((thread.lost_ns, thread.gaps, thread.longest_ns), (40, 1, Some(40)));
        assert_eq!((rest.lost_ns, rest.gaps, rest.longest_ns), (60, 2, Some(50)));
        assert!((thread.share + rest.share - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_sum_that_lacks_records_is_unknown() {
        let mut run = run();
        run.series[0].timeline[1].lost = 1;
        assert_eq!((lost(&run)[0].lost_ns, lost(&run)[0].share), (None, None));
        assert_eq!(lost_to(&run), [], "nor are the shares of its parts");
        run.noise = None;
        assert!(lost(&run).is_empty() && lost_to(&run).is_empty() && lost_in_all(&run).is_none());
    }

    #[test]
    fn without_observed_time_there_is_a_sum_and_no_share() {
        let mut run = run();
        run.noise.as_mut().unwrap().cpus[0].observed = Duration::ZERO;
        assert_eq!((lost(&run)[0].lost_ns, lost(&run)[0].share), (Some(100), None));
        let all = lost_in_all(&run).unwrap();
        assert_eq!((all.lost_ns, all.share), (Some(100), None));
        assert_eq!(lost_to(&run), []);
    }
}
