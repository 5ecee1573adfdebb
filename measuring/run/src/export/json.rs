//! A run as one JSON document, after docs/schema/export-json.json: everything but raw samples.

use crate::plan::Plan;
use crate::run::{Activations, Ending, LoadRecord, Origin, Quantity, Second, StatedFigures, WorstSample};
use crate::split::{Cause, Split, SplitCounts};
use crate::watched::SeriesThread;
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

/// A run. An unknown figure is null, never 0.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunDocument<'a> {
    /// `prazo-run-1`.
    pub format: &'static str,
    /// The run's name.
    pub name: &'a str,
    /// Where its samples came from.
    pub origin: &'a Origin,
    /// The plan.
    pub plan: Option<&'a Plan>,
    /// The command line that repeats it.
    pub command: &'a str,
    /// Start, in nanoseconds of CLOCK_REALTIME since 1970; a label only.
    pub started_at_unix_ns: Option<i64>,
    /// Its duration.
    pub elapsed_ns: Option<u64>,
    /// How it ended.
    pub ending: &'a Ending,
    /// The platform before the run.
    pub platform_before: Option<&'a Fingerprint>,
    /// The platform after the run.
    pub platform_after: Option<&'a Fingerprint>,
    /// One for each processor and quantity.
    pub series: Vec<SeriesDocument<'a>>,
    /// Loads with the rates that they reached.
    pub loads: &'a [LoadRecord],
    /// What workloads cost, in the order in which they were executed.
    pub workloads: &'a [WorkloadRecord],
    /// What was set for the run.
    pub tunables: &'a [TunableRecord],
    /// Longest delay of the recording thread.
    pub recorder_delay_max_ns: Option<u64>,
    /// Processor time that measuring one activation took.
    pub probe_cost_ns: Option<u64>,
    /// Threats to the result's validity.
    pub caveats: &'a [Caveat],
}

/// The samples of one quantity on one processor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeriesDocument<'a> {
    /// The processor.
    pub cpu: Option<u32>,
    /// The watched thread whose activations these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a SeriesThread>,
    /// What was measured.
    pub quantity: Quantity,
    /// Period of the activations.
    pub period_ns: Option<u64>,
    /// The resolution of the source.
    pub resolution_ns: u64,
    /// Counts of the activations.
    pub activations: Activations,
    /// Samples, warm-up excluded.
    pub histogram: HistogramDocument,
    /// Samples of the warm-up.
    pub warm_up: HistogramDocument,
    /// Figures as the source itself states them.
    pub stated: Option<StatedFigures>,
    /// One entry for each second.
    pub timeline: &'a [Second],
    /// Coarse histograms of consecutive blocks of time.
    pub blocks: Vec<BlockDocument>,
    /// The worst samples, worst first.
    pub worst: &'a [WorstSample],
    /// The parts of these latencies, where they were measured.
    pub split: Option<SplitDocument<'a>>,
}

/// The parts of one series' latencies.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SplitDocument<'a> {
    /// Counts of the served activations.
    pub counts: &'a SplitCounts,
    /// One series for each part.
    pub parts: Vec<SeriesDocument<'a>>,
    /// Activity around the worst samples, worst first.
    pub causes: &'a [Cause],
}

/// Values with counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistogramDocument {
    /// Pairs of latency in nanoseconds and count, ascending.
    pub cells: Vec<(i64, u64)>,
    /// Samples above the bound.
    pub overflow: u64,
}

/// One block of consecutive seconds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockDocument {
    /// Its first second.
    pub from_s: u32,
    /// Its length in seconds.
    pub length_s: u32,
    /// Its samples, rounded toward zero to 1/128 of their size.
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
