//! How often a deadline was missed, and how often it may be with this much evidence.
//!
//! The deadline need not be the plan's: late activations are counted anew from the histogram, and a second holds a miss
//! exactly if its maximum exceeds the deadline or something was skipped in it. Two kinds of bound follow. That on **seconds
//! with a miss** is exact once a runs test finds nothing against independence; else longer blocks are tried. That on the
//! **share of activations** counts a burst of misses as one event: for its lower end a second with misses is one event; for
//! its upper end every event is as large as the largest burst that the run can have held, and at least [`DEPENDENCE_MIN`].
//!
//! Invariants, shown by tests: one more miss never lowers a bound, and a later deadline never raises one.

use crate::binomial::Share;
use crate::bursts::{Suspects, largest_burst};
use crate::confidence::{ALPHA, ALPHA_OF_A_SIDE};
use crate::deadline::counted;
use crate::distribution::Distribution;
use crate::runs_test::runs_test_p;
use crate::scope;
use crate::seconds::{PooledSecond, pooled};
use crate::served::served;
use prazo_core::text;
use prazo_core::time::Duration;
use prazo_run::run::Quantity;
use prazo_run::{Run, Series, skipped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Misses of one deadline in one run, all processors together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissRate {
    /// The deadline against which misses were counted.
    pub deadline_ns: u64,
    /// The measured quantity that was compared with the deadline. A response latency covers all of the time from
    /// the due instant until the thread runs; a wake-up latency, for example, covers only a part of it.
    pub quantity: Option<Quantity>,
    /// Number of due activations behind the figures.
    pub due: u64,
    /// Missed plus skipped activations (a skipped activation never ran, so it counts as missed).
    pub missed: u64,
    /// Activations that may or may not have missed the deadline: lost, skipped in unknown number, beyond the histogram's
    /// bound, or within the source's resolution.
    pub undecided: u64,
    /// Share of due activations that missed the deadline, missed / due; null where none was due.
    pub rate: Option<f64>,
    /// Length in seconds of the blocks of time that are tested for misses; 1 unless the runs test required longer ones.
    pub block_s: u32,
    /// Number of blocks of time observed; 0 where the run has no record over time.
    pub blocks: u64,
    /// Number of blocks of time with at least one miss.
    pub blocks_with_miss: u64,
    /// Exact (Clopper-Pearson) 95 % upper bound on the share of blocks with a miss; null where there is none, and
    /// `method` says why.
    pub block_rate_upper: Option<f64>,
    /// p-value of the runs test for independence of the blocks of time; null where the test does not apply.
    pub runs_test_p: Option<f64>,
    /// 95 % upper bound on the probability of a miss per activation, valid only if activations were independent, which
    /// they are not.
    pub rate_upper_if_independent: Option<f64>,
    /// Burst size: the number of activations counted as one for the upper end of `share_interval`.
    pub dependence: f64,
    /// Two-sided 95 % interval of the share of due activations that miss the deadline, with each burst of misses
    /// counted as one event.
    pub share_interval: Option<(f64, f64)>,
    /// How the bounds and intervals were computed, with caveats, in one or two sentences.
    pub method: String,
}

/// Activations that share one cause, at the least, since what a run shows too rarely cannot be estimated from it. So many
/// were the most of three runs of 100,000 wake-ups on a virtual machine: in a run of jitterdebugger, which serves every
/// activation after a stall, the values above p99.9 came in clusters of 20 (an extremal index of 0.05).
pub const DEPENDENCE_MIN: f64 = 20.0;

/// Fewer blocks than this are not joined to longer ones.
const BLOCKS_MIN: usize = 10;

/// The misses of `deadline` in `run`, all processors of its main quantity together.
pub fn miss_rate(run: &Run, deadline: Duration) -> MissRate {
    let series = scope::principal_series(run);
    let deadline_ns = i64::try_from(deadline.as_ns()).unwrap_or(i64::MAX);
    let tally = series.iter().map(|one| Tally::of(run, one, deadline)).fold(Tally::default(), Tally::plus);
    let seconds = pooled(&series);
    let marks = Marks::of(&seconds, deadline_ns, tally.resolution_ns);
    let blocks = Blocks::choose(&marks);
    let suspects = Suspects {
        run,
        series: &series,
        seconds: &seconds,
        deadline,
        resolution_ns: tally.resolution_ns,
        late: tally.possible,
        late_seconds: marks.possible.iter().filter(|mark| **mark).count() as u64,
    };
    let dependence = dependence(&suspects, &tally);
    MissRate {
        deadline_ns: deadline.as_ns(),
        quantity: scope::principal_quantity(run),
        due: tally.due,
        missed: tally.missed,
        undecided: tally.possible - tally.missed,
        rate: (tally.due > 0).then(|| tally.missed as f64 / tally.due as f64),
        block_s: blocks.length_s,
        blocks: blocks.count,
        blocks_with_miss: blocks.with_miss,
        block_rate_upper: blocks.rate_upper(),
        runs_test_p: blocks.runs_test_p,
        rate_upper_if_independent: (tally.due > 0).then(|| tally.possible_share(1.0).upper(ALPHA)),
        dependence,
        share_interval: (tally.due > 0).then(|| dependent_share_interval(&tally, &marks, dependence)),
        method: method(&tally, &blocks, dependence),
    }
}

/// What was due, and what of it certainly and possibly missed the deadline.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    due: u64,
    missed: u64,
    possible: u64,
    /// Activations without a sample that may have missed.
    lost: u64,
    /// Misses that only the source's own figures show.
    stated: u64,
    /// Skipped by an unknown count, at least as the latencies imply.
    implied: u64,
    resolution_ns: i64,
    /// Periods that the longest latency spans: the misses that one stall can bring.
    stall: u64,
}

impl Tally {
    fn of(run: &Run, series: &Series, deadline: Duration) -> Self {
        let deadline_ns = i64::try_from(deadline.as_ns()).unwrap_or(i64::MAX);
        let served = served(run, series);
        let resolution_ns = i64::try_from(series.resolution.as_ns()).unwrap_or(i64::MAX).max(1);
        let skipped = skipped::counted(series);
        let period = series.period.filter(|period| !period.is_zero());
        let implied = if skipped.is_some() { 0 } else { skipped::implied(run, series).unwrap_or(0) };
        let certain = served.certainly_above(deadline_ns);
        let possible = served.possibly_above(deadline_ns.saturating_sub(resolution_ns - 1));
        // What was counted while measuring decides samples that the histogram left without a value.
        let counted = counted(run, series, deadline).filter(|missed| (certain..=possible).contains(missed));
        let (certain, late) = counted.map_or((certain, possible), |missed| (missed, missed));
        let missed = certain + skipped.unwrap_or(0);
        let lost = scope::lost(series);
        let hidden = Hidden::of(series, lost, &served, certain, deadline_ns);
        let unknown = hidden.possible.saturating_sub(hidden.certain);
        let longest = served.reached().max(hidden.longest_ns);
        let longest = longest.and_then(|longest| u64::try_from(longest).ok()).unwrap_or(0);
        Self {
            due: scope::due(series),
            missed: missed + hidden.certain,
            possible: late + skipped.unwrap_or(0) + hidden.possible + implied,
            lost: unknown,
            stated: hidden.certain,
            implied,
            resolution_ns,
            stall: period.map_or(1, |period| longest.div_ceil(period.as_ns())),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            due: self.due + other.due,
            missed: self.missed + other.missed,
            possible: self.possible + other.possible,
            lost: self.lost + other.lost,
            stated: self.stated + other.stated,
            implied: self.implied + other.implied,
            resolution_ns: self.resolution_ns.max(other.resolution_ns),
            stall: self.stall.max(other.stall),
        }
    }

    /// All that may have missed, `dependence` activations counting as one.
    fn possible_share(&self, dependence: f64) -> Share {
        Share { events: self.possible as f64 / dependence, trials: (self.due + self.implied) as f64 / dependence }
    }
}

/// What is known of activations without a sample: the smallest and the largest that the source itself states.
#[derive(Clone, Copy, Debug, Default)]
struct Hidden {
    certain: u64,
    possible: u64,
    longest_ns: Option<i64>,
}

impl Hidden {
    /// `certain` samples missed the deadline. Figures that the samples contradict say nothing.
    fn of(series: &Series, lost: u64, served: &Distribution, certain: u64, deadline_ns: i64) -> Self {
        let unknown = Self { possible: lost, ..Self::default() };
        let stated = series.stated.filter(|_| lost > 0).and_then(|stated| stated.min_ns.zip(stated.max_ns));
        let is_consistent = |(smallest, largest): &(i64, i64)| {
            served.reached().is_none_or(|one| one <= *largest) && served.min().is_none_or(|one| one >= *smallest)
        };
        let Some((smallest, largest)) = stated.filter(is_consistent) else { return unknown };
        // A tool may cut its figures off to its resolution.
        let resolution_ns = i64::try_from(series.resolution.as_ns()).unwrap_or(i64::MAX).max(1);
        let certain = match (smallest > deadline_ns, largest > deadline_ns) {
            (true, _) => lost,
            (false, true) => u64::from(certain == 0),
            (false, false) => 0,
        };
        let largest_possible = largest.saturating_add(resolution_ns - 1);
        // A latency beyond the period skips activations, which a source that does not count them hides.
        let skips = |period: Duration| u64::try_from(largest_possible).is_ok_and(|ns| ns > period.as_ns());
        let may_skip = skipped::counted(series).is_none() && series.period.is_none_or(skips);
        let possible = if largest_possible > deadline_ns || may_skip { lost } else { 0 };
        Self { certain, possible, longest_ns: Some(largest) }
    }
}

/// Which seconds certainly and possibly hold a miss; both empty without a timeline.
struct Marks {
    certain: Vec<bool>,
    possible: Vec<bool>,
}

impl Marks {
    fn of(seconds: &[PooledSecond], deadline_ns: i64, resolution_ns: i64) -> Self {
        Self {
            certain: seconds.iter().map(|second| second.certainly_late(deadline_ns)).collect(),
            possible: seconds.iter().map(|second| second.possibly_late(deadline_ns, resolution_ns.max(1))).collect(),
        }
    }

    fn joined(&self, length: usize) -> Self {
        let any = |marks: &[bool]| marks.chunks_exact(length).map(|block| block.contains(&true)).collect();
        Self { certain: any(&self.certain), possible: any(&self.possible) }
    }
}

/// The blocks that a bound on their share of misses rests on.
struct Blocks {
    length_s: u32,
    count: u64,
    with_miss: u64,
    possibly_with_miss: u64,
    runs_test_p: Option<f64>,
    independent: bool,
}

impl Blocks {
    /// Seconds, or the shortest longer blocks whose order the runs test does not reject; seconds if it rejects all.
    fn choose(marks: &Marks) -> Self {
        let seconds = marks.certain.len();
        let lengths =
            (0..).map(|power| 1usize << power).take_while(|length| *length == 1 || seconds / length >= BLOCKS_MIN);
        let mut tried = lengths.map(|length| Self::of(&marks.joined(length), length as u32));
        tried.find(|blocks| blocks.independent).unwrap_or_else(|| Self::of(marks, 1))
    }

    fn of(marks: &Marks, length_s: u32) -> Self {
        let runs_test_p = runs_test_p(&marks.certain);
        let count = |marks: &[bool]| marks.iter().filter(|mark| **mark).count() as u64;
        Self {
            length_s,
            count: marks.certain.len() as u64,
            with_miss: count(&marks.certain),
            possibly_with_miss: count(&marks.possible),
            runs_test_p,
            independent: runs_test_p.is_none_or(|p| p >= ALPHA),
        }
    }

    fn rate_upper(&self) -> Option<f64> {
        let share = Share { events: self.possibly_with_miss as f64, trials: self.count as f64 };
        (self.count > 0 && self.independent).then(|| share.upper(ALPHA))
    }
}

/// How many activations count as one: the largest burst that the run can have held, or the least that is assumed.
fn dependence(suspects: &Suspects<'_>, tally: &Tally) -> f64 {
    DEPENDENCE_MIN.max(largest_burst(suspects).unwrap_or(0) as f64).max(tally.stall as f64)
}

/// The two-sided 95 % interval of the share of due activations that miss, where misses come in bursts;
/// [`crate::share_interval`] is for independent events.
fn dependent_share_interval(tally: &Tally, marks: &Marks, dependence: f64) -> (f64, f64) {
    (certain_share(tally, marks).lower(ALPHA_OF_A_SIDE), tally.possible_share(dependence).upper(ALPHA_OF_A_SIDE))
}

/// The certain misses, those of one second counting as one event.
fn certain_share(tally: &Tally, marks: &Marks) -> Share {
    if tally.missed == 0 {
        return Share { events: 0.0, trials: tally.due as f64 };
    }
    let seconds = marks.certain.iter().filter(|mark| **mark).count() as f64;
    let events = if marks.certain.is_empty() { tally.missed as f64 / DEPENDENCE_MIN } else { seconds.max(1.0) };
    let events = events.min(tally.missed as f64);
    Share { events, trials: tally.due as f64 * events / tally.missed as f64 }
}

fn method(tally: &Tally, blocks: &Blocks, dependence: f64) -> String {
    let mut parts = vec![blocks_method(blocks)];
    parts.push(format!("the interval of the share of activations counts {dependence:.0} dependent activations as one"));
    if tally.stated > 0 {
        parts.push(format!(
            "the source states latencies above the deadline for {} without a sample",
            text::counted(tally.stated, "activation")
        ));
    }
    if tally.lost > 0 {
        parts.push(format!("{} without a sample may hide misses", text::counted(tally.lost, "activation")));
    }
    if tally.implied > 0 {
        parts.push(format!(
            "the source does not count skipped activations; its latencies imply up to {} of them",
            tally.implied
        ));
    }
    if tally.resolution_ns > 1 {
        parts.push(format!("latencies have a resolution of {} ns", tally.resolution_ns));
    }
    parts.join("; ")
}

fn blocks_method(blocks: &Blocks) -> String {
    let named =
        format!("{} of {} s, {} with a miss", text::counted(blocks.count, "block"), blocks.length_s, blocks.with_miss);
    match (blocks.count, blocks.runs_test_p) {
        (0, _) => "the number of seconds with a miss has no bound, because the run has no record over time; misses are assumed to be dependent".into(),
        (_, None) => {
            format!("{named}; the runs test does not apply, because either every block has a miss or no block has one")
        }
        (_, Some(p)) if blocks.independent => {
            format!("{named}; the runs test does not reject independence (p = {p:.3})")
        }
        (_, Some(p)) => format!(
            "{named}; no bound on the share of blocks with a miss, because the runs test rejects independence \
             (p = {p:.2e}), for these blocks and for all longer ones"
        ),
    }
}

#[cfg(test)]
#[path = "misses_tests.rs"]
pub(crate) mod tests;
