//! What a run may hold: bounds on every value, so that nothing behind the store can overflow.
//!
//! Checked before a run is saved and after one is read, so that what can be saved can be read. The bounds are far beyond
//! anything real: three years of latency, thirty years of run.

use super::connection::VALUE_BYTES_MAX;
use super::split::LIST_MAX;
use super::{Opening, jobs};
use crate::plan::Length;
use crate::run::{Activations, LoadRecord, Second, Series, WORST_KEPT, WorstSample};
use crate::split::{CAUSES_KEPT, SampleExplanation, Split};
use crate::watched::WatchedAccount;
use crate::workload::WorkloadRecord;
use crate::{Histogram, Plan, Run};
use prazo_core::text;
use prazo_core::time::Duration;

const LATENCY_NS_MAX: u64 = 100_000_000_000_000_000;
const DURATION_NS_MAX: u64 = 1_000_000_000_000_000_000;
const CPU_MAX: u32 = 65_535;
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Most rows of each kind that are read.
pub(super) const SERIES_MAX: usize = 8_192;
/// Most distinct latencies of a whole run.
pub(super) const CELLS_MAX: usize = 1 << 24;
/// Most seconds of all timelines together: half a year of one processor.
pub(super) const SECONDS_MAX: usize = 1 << 24;
/// Most blocks of one series.
pub(super) const BLOCKS_MAX: usize = 1 << 16;
/// Most parts of one series.
const PARTS_MAX: usize = 16;
/// Most distinct latencies of one block.
const BLOCK_CELLS_MAX: usize = 1 << 17;
/// Most facts, caveats, loads, tunables.
pub(super) const NOTES_MAX: usize = 1 << 16;
/// Most accounts of watched threads and sections.
pub(super) const ACCOUNTS_MAX: usize = 1 << 16;
/// Most workloads of a run, and most figures of each.
const WORKLOADS_MAX: usize = 1_000;
const FIGURES_MAX: usize = 100;

/// True for a latency that can be one.
pub(super) fn is_latency(latency_ns: i64) -> bool {
    latency_ns.unsigned_abs() <= LATENCY_NS_MAX
}

/// Says what in the run cannot be, if anything.
pub(super) fn run(run: &Run) -> Result<(), String> {
    want(run.series.len() <= SERIES_MAX, || too_many(run.series.len(), "series"))?;
    run.plan.as_ref().map_or(Ok(()), plan)?;
    [run.elapsed, run.recorder_delay_max, run.probe_cost]
        .into_iter()
        .flatten()
        .try_for_each(|time| duration("a recorded duration", time))?;
    run.series
        .iter()
        .enumerate()
        .try_for_each(|(id, of)| series(of).map_err(|what| format!("series {id} with {what}")))?;
    run.loads.iter().try_for_each(load)?;
    workloads(&run.workloads)?;
    jobs::check(&run.sets)?;
    watched(&run.watched)?;
    texts(run)?;
    add_up(run)?;
    run.series.iter().enumerate().try_for_each(|(id, of)| served(of).map_err(|what| format!("series {id} with {what}")))
}

/// Says what in the opening of a run cannot be, if anything.
pub(super) fn opening(opening: &Opening) -> Result<(), String> {
    want(opening.series.len() <= SERIES_MAX, || too_many(opening.series.len(), "series"))?;
    plan(&opening.plan)?;
    let is_whole = |whole: usize| opening.series.get(whole).is_some_and(|of| of.part_of.is_none());
    want(opening.series.iter().filter_map(|of| of.part_of).all(is_whole), || {
        "a part of a latency without the series of the whole latency".into()
    })?;
    let has_parts = opening.series.iter().any(|of| of.part_of.is_some());
    want(has_parts == opening.split_by.is_some(), || {
        "parts of latencies without the source of their stamps, or a source of stamps without parts".into()
    })?;
    opening
        .series
        .iter()
        .flat_map(|of| of.period.into_iter().chain([of.resolution]))
        .try_for_each(|time| duration("a period", time))
}

/// Sums over the whole run stay within 63 bits.
fn add_up(run: &Run) -> Result<(), String> {
    let all = || run.series.iter().flat_map(with_parts);
    let counts = all().flat_map(|of| {
        let seconds = of.timeline.iter().flat_map(|s| [s.count, s.skipped, s.missed, s.lost]);
        let a = of.activations;
        let activations = [a.due.unwrap_or(0), a.served, a.skipped.unwrap_or(0), a.missed.unwrap_or(0), a.lost];
        seconds.chain(activations).chain([a.outstanding, of.stated.and_then(|s| s.count).unwrap_or(0)]).chain(
            [&of.histogram, &of.warm_up].into_iter().chain(of.blocks.iter().map(|b| &b.histogram)).flat_map(counts),
        )
    });
    let splits = all().filter_map(|of| of.split.as_deref()).flat_map(|split| {
        let of = &split.counts;
        [of.split, of.never_slept].into_iter().chain(of.unsplit.values().copied())
    });
    let times = all().flat_map(|of| of.timeline.iter().map(|s| s.sum_ns.unsigned_abs()));
    let adds_up = bounded_sum(counts.chain(splits)).is_some() && bounded_sum(times).is_some();
    want(adds_up, || "counts or times whose sum exceeds 63 bits".into())
}

fn with_parts(of: &Series) -> impl Iterator<Item = &Series> {
    std::iter::once(of).chain(of.split.iter().flat_map(|split| &split.parts))
}

fn counts(histogram: &Histogram) -> impl Iterator<Item = u64> + '_ {
    histogram.cells().map(|(_, count)| count).chain([histogram.overflow()])
}

fn bounded_sum(mut values: impl Iterator<Item = u64>) -> Option<u64> {
    values.try_fold(0u64, |sum, value| sum.checked_add(value).filter(|sum| *sum <= i64::MAX as u64))
}

fn series(of: &Series) -> Result<(), String> {
    want(of.cpu.is_none_or(|cpu| cpu <= CPU_MAX), || "a processor number that is too large".into())?;
    of.period.into_iter().chain([of.resolution]).try_for_each(|time| duration("a period", time))?;
    [&of.histogram, &of.warm_up].into_iter().try_for_each(histogram)?;
    want(of.blocks.len() <= BLOCKS_MAX, || too_many(of.blocks.len(), "histogram blocks"))?;
    for block in &of.blocks {
        want(block.from_s.checked_add(block.length_s).is_some(), || {
            format!("a histogram block from second {} whose end is too large", block.from_s)
        })?;
        want(block.histogram.distinct() <= BLOCK_CELLS_MAX, || {
            "a histogram block with too many distinct latencies".into()
        })?;
        histogram(&block.histogram)?;
    }
    activations(&of.activations)?;
    timeline(&of.timeline)?;
    worst(&of.worst)?;
    stated(of)?;
    of.split.as_deref().map_or(Ok(()), split)
}

/// What was due was served, skipped, or under way at the end, and what missed was served.
fn activations(of: &Activations) -> Result<(), String> {
    let Activations { due, served, skipped, missed, outstanding, lost } = *of;
    want(outstanding <= 1, || {
        format!("{outstanding} unfinished activations at the end of the series; at most one is possible")
    })?;
    want(lost <= served, || format!("{}, but only {served} served", text::counted(lost, "lost activation")))?;
    want(missed.unwrap_or(0) <= served, || {
        format!("{}, but only {served} served", text::counted(missed.unwrap_or(0), "missed activation"))
    })?;
    let Some((due, skipped)) = due.zip(skipped) else { return Ok(()) };
    let counted = served.checked_add(skipped).and_then(|sum| sum.checked_add(outstanding));
    want(counted == Some(due), || {
        format!(
            "{}, which is not the sum of {served} served, {skipped} skipped and {outstanding} \
             unfinished",
            text::counted(due, "due activation")
        )
    })
}

fn split(of: &Split) -> Result<(), String> {
    want(of.parts.len() <= PARTS_MAX, || too_many(of.parts.len(), "parts of a latency"))?;
    want(of.parts.iter().all(|part| part.split.is_none()), || "a part of a split latency that is itself split".into())?;
    of.parts.iter().try_for_each(series)?;
    want(of.causes.len() <= CAUSES_KEPT, || too_many(of.causes.len(), "explanations of latencies"))?;
    of.causes.iter().try_for_each(cause)
}

/// Every served activation was split, or it is counted why not.
fn served(of: &Series) -> Result<(), String> {
    let (Some(split), served) = (of.split.as_deref(), of.activations.served) else { return Ok(()) };
    let counted = split.counts.served();
    want(counted == served, || {
        format!("{}, but {counted} split or counted as not split", text::counted(served, "served activation"))
    })
}

/// Longest account of one watched thread, as JSON; a value of the file is twice as long at most.
pub const ACCOUNT_BYTES_MAX: usize = 4 << 20;

/// An account is one value of the file, and its instants and times can be added.
fn watched(accounts: &[WatchedAccount]) -> Result<(), String> {
    want(accounts.len() <= ACCOUNTS_MAX, || too_many(accounts.len(), "records of watched threads"))?;
    for WatchedAccount { thread, figures } in accounts {
        let bytes = serde_json::to_string(figures).map_or(usize::MAX, |text| text.len());
        want(bytes <= ACCOUNT_BYTES_MAX, || {
            format!("a record of thread {} that is larger than four megabytes", thread.thread_id)
        })?;
        let tables = [&figures.preempted_by, &figures.blocked_in];
        let taken = tables.iter().flat_map(|taken| taken.by.iter().map(|one| one.total_ns).chain([taken.others_ns]));
        let times = figures.worst.iter().flat_map(|worst| [worst.latency_ns, worst.response_ns]);
        let times = times.chain(taken).chain([figures.preempted_ns, figures.blocked_ns]);
        want(times.max() <= Some(DURATION_NS_MAX), || {
            format!("a time of thread {} that is too long", thread.thread_id)
        })?;
    }
    Ok(())
}

fn cause(of: &SampleExplanation) -> Result<(), String> {
    want(of.shares.len() <= LIST_MAX, || {
        format!("an explanation of a latency with {} activities, which are too many", of.shares.len())
    })?;
    let bytes = of.shares.iter().map(|share| share.name.len()).chain([of.sentence.len()]).max();
    want(bytes <= Some(TEXT_BYTES_MAX), || "an explanation of a latency with more than a megabyte of text".into())?;
    worst(std::slice::from_ref(&of.sample))?;
    of.shares.iter().map(|share| share.length_ns).try_for_each(latency)
}

fn histogram(histogram: &Histogram) -> Result<(), String> {
    want(histogram.distinct() <= CELLS_MAX, || {
        format!("a histogram with {} distinct latencies, which are too many", histogram.distinct())
    })?;
    let ends = histogram.cells().next().into_iter().chain(histogram.cells().next_back());
    ends.map(|(latency_ns, _)| latency_ns).try_for_each(latency)
}

fn timeline(seconds: &[Second]) -> Result<(), String> {
    let ascending = seconds.windows(2).all(|two| two[0].at_s < two[1].at_s);
    want(ascending && seconds.len() <= SECONDS_MAX, || "a timeline that is too long or unordered".into())?;
    seconds.iter().flat_map(|second| second.min_ns.into_iter().chain(second.max_ns)).try_for_each(latency)
}

fn worst(of: &[WorstSample]) -> Result<(), String> {
    let falling = of.windows(2).all(|two| two[0].latency_ns >= two[1].latency_ns);
    want(falling && of.len() <= WORST_KEPT, || "a list of worst samples that is too long or unordered".into())?;
    let number = |sample: &WorstSample| sample.activation <= i64::MAX as u64;
    want(of.iter().all(number), || "an activation number that is too large".into())?;
    of.iter().map(|sample| sample.latency_ns).try_for_each(latency)
}

fn stated(of: &Series) -> Result<(), String> {
    let Some(stated) = of.stated else { return Ok(()) };
    want(stated.mean_ns.is_none_or(f64::is_finite), || "a stated mean that is not a finite number".into())?;
    stated.min_ns.into_iter().chain(stated.max_ns).try_for_each(latency)
}

fn load(load: &LoadRecord) -> Result<(), String> {
    let rates = load.asked.into_iter().chain(load.reached);
    let finite = rates.chain(load.on_s.iter().flat_map(|(from, to)| [*from, *to])).all(f64::is_finite);
    want(finite && load.on_s.len() <= NOTES_MAX, || {
        format!("load '{}' with a rate or time that is not a finite number, or with too many times", load.name)
    })
}

/// Figures are whole numbers of 63 bits, and few.
pub(super) fn workloads(of: &[WorkloadRecord]) -> Result<(), String> {
    let figures = of.iter().flat_map(|one| &one.figures);
    let values = figures.clone().filter_map(|figure| figure.value).chain(of.iter().map(|one| one.size));
    let few = of.len() <= WORKLOADS_MAX && of.iter().all(|one| one.figures.len() <= FIGURES_MAX);
    want(few, || "too many workloads, or a workload with too many figures".into())?;
    want(values.into_iter().all(|value| value <= i64::MAX as u64), || {
        "a size or figure of a workload that is too large".into()
    })
}

fn plan(plan: &Plan) -> Result<(), String> {
    let length = match plan.length {
        Length::Duration { length } => length,
        Length::Activations { .. } => Duration::ZERO,
    };
    let optional = [plan.deadline, plan.stop_above, plan.looks_for, plan.timer_slack];
    let threads = plan.threads.iter().flat_map(|thread| [thread.period, thread.phase]);
    let all = [plan.warm_up, plan.lead_in, plan.histogram_bound, length].into_iter();
    all.chain(optional.into_iter().flatten())
        .chain(threads)
        .try_for_each(|time| duration("a planned duration", time))?;
    want(plan.threads.iter().all(|thread| thread.cpu <= CPU_MAX), || {
        "a processor number of the plan that is too large".into()
    })?;
    want(plan.loads.iter().all(|load| load.rate.is_none_or(f64::is_finite)), || {
        "a load's rate in the plan that is not a finite number".into()
    })
}

fn texts(run: &Run) -> Result<(), String> {
    let platforms = run.platform_before.iter().chain(&run.platform_after);
    let facts = platforms
        .flat_map(|of| &of.facts)
        .flat_map(|(name, fact)| [name.as_str(), &fact.source].into_iter().chain(fact.value.as_deref()));
    let caveats = run.caveats.iter().flat_map(|of| [of.id.as_str(), &of.what, &of.remedy]);
    let loads = run.loads.iter().flat_map(|of| [of.name.as_str(), &of.generator, &of.unit, &of.note, &of.contained]);
    let tunables = run.tunables.iter().flat_map(|of| {
        let optional = of.before.as_deref().into_iter().chain(of.effective.as_deref());
        [of.knob.as_str(), &of.requested].into_iter().chain(optional)
    });
    let own = [run.name.as_str(), &run.command];
    let longest = own.into_iter().chain(facts).chain(caveats).chain(loads).chain(tunables).map(str::len).max();
    want(longest.is_none_or(|bytes| bytes <= TEXT_BYTES_MAX), || "a text of more than a megabyte".into())?;
    let plan = serde_json::to_vec(&(&run.plan, &run.origin)).map_or(usize::MAX, |text| text.len());
    want(plan <= VALUE_BYTES_MAX as usize / 2, || "a plan of more than four megabytes".into())
}

fn too_many(count: usize, what: &str) -> String {
    format!("{count} {what}, which are too many")
}

fn latency(latency_ns: i64) -> Result<(), String> {
    want(is_latency(latency_ns), || format!("a latency of {latency_ns} ns, which is too large"))
}

fn duration(what: &str, time: Duration) -> Result<(), String> {
    want(time.as_ns() <= DURATION_NS_MAX, || format!("{what} of {time}, which is too long"))
}

fn want(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}
