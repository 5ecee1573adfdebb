//! A run as one JSON document, after docs/schema/export-json.json: everything but raw samples.

use crate::plan::Plan;
use crate::run::{Activations, Ending, LoadRecord, Origin, Quantity, Second, StatedFigures, WorstSample};
use crate::split::{SampleExplanation, Split, SplitCounts};
use crate::watched::{SeriesThread, WatchedAccount};
use crate::workload::WorkloadRecord;
use crate::{Caveat, Histogram, Run, Series};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::Fingerprint;
use prazo_platform::tunable::TunableRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// What `format` says in each document.
const FORMAT: &str = "prazo-run-1";

/// A measured or imported run. A figure that is not known is null, never 0.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunDocument<'a> {
    /// Name and version of this format: `prazo-run-1`.
    pub format: &'static str,
    /// Name of the run.
    pub name: &'a str,
    /// Where the run's samples came from.
    pub origin: &'a Origin,
    /// The plan of the measurement; null where an imported file does not state one.
    pub plan: Option<&'a Plan>,
    /// Command line that repeats the run.
    pub command: &'a str,
    /// Start of the run, in nanoseconds of CLOCK_REALTIME since 1970; only a label, not for computing intervals.
    pub started_at_unix_ns: Option<i64>,
    /// Duration of the run; null where it is not known.
    pub elapsed_ns: Option<u64>,
    /// How the run ended.
    pub ending: &'a Ending,
    /// Fingerprint of the platform before the run.
    pub platform_before: Option<&'a Fingerprint>,
    /// Fingerprint of the platform after the run.
    pub platform_after: Option<&'a Fingerprint>,
    /// Series of samples: one for each measured quantity of each processor or watched thread.
    pub series: Vec<SeriesDocument<'a>>,
    /// Loads that ran during the measurement, with the rates that they reached.
    pub loads: &'a [LoadRecord],
    /// Workloads of the plan with their measured costs, in the order in which they were executed.
    pub workloads: &'a [WorkloadRecord],
    /// Platform settings that prazo changed for the run.
    pub tunables: &'a [TunableRecord],
    /// Longest delay of the recording thread after an instant at which it should have run.
    pub recorder_delay_max_ns: Option<u64>,
    /// Mean processor time that the measuring threads used for one activation.
    pub probe_cost_ns: Option<u64>,
    /// Caveats: threats to the validity of the result.
    pub caveats: &'a [Caveat],
    /// For each watched thread and section: the causes of its delays, with the time that each cause took; empty in runs
    /// that watch no thread.
    pub watched: &'a [WatchedAccount],
}

/// Samples of one quantity on one processor, or of one watched thread.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeriesDocument<'a> {
    /// Processor on which the samples were taken; null where the source does not state it.
    pub cpu: Option<u32>,
    /// The watched thread whose activations were measured; absent in runs that watch no thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a SeriesThread>,
    /// Quantity that was measured.
    pub quantity: Quantity,
    /// Period of the activations; null where the activations are not periodic.
    pub period_ns: Option<u64>,
    /// Resolution of the samples: 1 ns for prazo, 1 µs for most files of cyclictest.
    pub resolution_ns: u64,
    /// Numbers of due, served, skipped, missed, unfinished and lost activations.
    pub activations: Activations,
    /// Histogram of the samples, warm-up excluded.
    pub histogram: HistogramDocument,
    /// Histogram of the samples of the warm-up.
    pub warm_up: HistogramDocument,
    /// Figures that an imported file itself states.
    pub stated: Option<StatedFigures>,
    /// Counts and extreme latencies of each second, in order of time.
    pub timeline: &'a [Second],
    /// Coarse histograms of consecutive blocks of seconds, from which confidence intervals are computed.
    pub blocks: Vec<BlockDocument>,
    /// The largest samples, largest first.
    pub worst: &'a [WorstSample],
    /// Parts of the latencies of this series; null where latencies were not split.
    pub split: Option<SplitDocument<'a>>,
}

/// How the latencies of one series were split into parts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SplitDocument<'a> {
    /// Numbers of served activations whose latency was split, and of those whose latency was not split.
    pub counts: &'a SplitCounts,
    /// The parts: one series of samples for each.
    pub parts: Vec<SeriesDocument<'a>>,
    /// What happened around the largest samples, largest first.
    pub causes: &'a [SampleExplanation],
}

/// A histogram: latencies with counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistogramDocument {
    /// Pairs of a latency in nanoseconds and the number of samples with it, in ascending order of latency.
    pub cells: Vec<(i64, u64)>,
    /// Number of samples above the histogram's bound; their values are not in `cells`.
    pub overflow: u64,
}

/// Histogram of one block of consecutive seconds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockDocument {
    /// First second of the block.
    pub from_s: u32,
    /// Length of the block in seconds.
    pub length_s: u32,
    /// Samples of the block; each latency is rounded toward zero by at most 1/128 of its size.
    pub histogram: HistogramDocument,
}

/// The document of a run.
pub fn document(run: &Run) -> RunDocument<'_> {
    RunDocument {
        format: FORMAT,
        name: &run.name,
        origin: &run.origin,
        plan: run.plan.as_ref(),
        command: &run.command,
        started_at_unix_ns: run.started_at_unix_ns,
        elapsed_ns: run.elapsed.map(Duration::as_ns),
        ending: &run.ending,
        platform_before: run.platform_before.as_ref(),
        platform_after: run.platform_after.as_ref(),
        series: run.series.iter().map(series).collect(),
        loads: &run.loads,
        workloads: &run.workloads,
        tunables: &run.tunables,
        recorder_delay_max_ns: run.recorder_delay_max.map(Duration::as_ns),
        probe_cost_ns: run.probe_cost.map(Duration::as_ns),
        caveats: &run.caveats,
        watched: &run.watched,
    }
}

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &document(run))?;
    writeln!(out)
}

/// A value that JSON writes as one word, as that word.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a word of a closed list became {other:?}"),
    }
}

fn series(of: &Series) -> SeriesDocument<'_> {
    SeriesDocument {
        cpu: of.cpu,
        thread: of.thread.as_ref(),
        quantity: of.quantity,
        period_ns: of.period.map(Duration::as_ns),
        resolution_ns: of.resolution.as_ns(),
        activations: of.activations,
        histogram: histogram(&of.histogram),
        warm_up: histogram(&of.warm_up),
        stated: of.stated,
        timeline: &of.timeline,
        blocks: of.blocks.iter().map(block).collect(),
        worst: &of.worst,
        split: of.split.as_deref().map(split),
    }
}

fn split(of: &Split) -> SplitDocument<'_> {
    SplitDocument { counts: &of.counts, parts: of.parts.iter().map(series).collect(), causes: &of.causes }
}

fn histogram(of: &Histogram) -> HistogramDocument {
    HistogramDocument { cells: of.cells().collect(), overflow: of.overflow() }
}

fn block(of: &crate::run::Block) -> BlockDocument {
    BlockDocument { from_s: of.from_s, length_s: of.length_s, histogram: histogram(&of.histogram) }
}
