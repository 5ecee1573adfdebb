//! A run as scripts read it; its schema is in docs/schema/measure.json.

use prazo_report::RunEvidence;
use prazo_run::Run;
use prazo_run::run::Activations;
use prazo_run::split::{SampleExplanation, SplitCounts};
use prazo_stats::noise::{Lost, LostInAll, LostTo, lost, lost_in_all, lost_to};
use prazo_stats::{PartSummary, Per, Quantile, RunSummary, Summary};
use prazo_verdict::Verdict;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// One run, for scripts. Times are nanoseconds; what was not measured is null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Measured")]
pub struct MeasureDocument<'a> {
    /// Name of the run.
    run: &'a str,
    /// Path of the complete run file: the requested file, or another file if the requested file could not be written
    /// completely.
    file: String,
    /// Command that repeats the run.
    command: &'a str,
    /// Number of activations that were due; for a relative sleep, which has no due instants, the number of served
    /// activations.
    due: Option<u64>,
    /// Number of activations that were served, warm-up excluded.
    served: u64,
    /// Number of skipped activations; 0 for a relative sleep, which cannot skip any.
    skipped: Option<u64>,
    /// Number of activations served after their deadline; null without a deadline.
    missed: Option<u64>,
    /// Number of activations that had not ended when the run ended.
    outstanding: u64,
    /// Number of served activations whose record could not be kept.
    lost: u64,
    /// Number of samples beyond the range of the histogram.
    overflow: u64,
    /// Summary of the samples of each processor, one sample per served wake-up.
    cpus: Vec<Cpu<'a>>,
    /// Summary of the samples of each processor, one sample per due activation; empty for a relative sleep.
    cpus_per_due: Vec<Cpu<'a>>,
    /// Parts of the latencies, over all processors; empty where the latencies were not split.
    parts: Vec<PartSummary>,
    /// For each series, how many activations were split and why the others were not; null where splitting was not
    /// requested.
    split: Vec<Option<&'a SplitCounts>>,
    /// Time that each processor's loop observed and lost in a noise run; empty for other runs.
    noise: Vec<Lost>,
    /// Totals over all loops of a noise run: observed time and lost time; absent for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    noise_total: Option<LostInAll>,
    /// Time that the loops on all processors lost, for each source of noise; empty where gaps were not split.
    noise_by: Vec<LostTo>,
    /// Why system-management interrupts were not counted in a noise run; null where they were counted, and for other
    /// runs.
    smis_unknown: Option<&'a str>,
    /// Activity around the worst samples of all processors, worst first.
    causes: Vec<&'a SampleExplanation>,
    /// How the run ended, such as `complete` or `interrupted`.
    ending: &'a prazo_run::run::Ending,
    /// Threats to the validity of the run, each with what to do about it.
    caveats: &'a [prazo_run::Caveat],
    /// Loads that ran during the measurement, with the rates that they reached.
    loads: &'a [prazo_run::run::LoadRecord],
    /// Longest delay of the thread that recorded the samples of the run.
    recorder_delay_max_ns: Option<u64>,
    /// Verdict on the deadline; null without a deadline.
    verdict: Option<&'a Verdict>,
}

/// Summary of the samples of one processor.
#[derive(Serialize, JsonSchema)]
struct Cpu<'a> {
    cpu: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<&'a str>,
    count: u64,
    min_ns: Option<i64>,
    mean_ns: Option<f64>,
    sd_ns: Option<f64>,
    max_ns: Option<i64>,
    quantiles: &'a [Quantile],
}

impl<'a> MeasureDocument<'a> {
    /// The object for one run.
    pub(super) fn of(evidence: &'a RunEvidence, file: &Path, verdict: Option<&'a Verdict>) -> Self {
        let RunEvidence { run, summary, .. } = evidence;
        // An activation counts once, where the parts of its latency are series of their own as well.
        let principal = prazo_stats::principal_quantity(run);
        let whole = || run.series.iter().filter(move |series| Some(series.quantity) == principal);
        let sum = |figure: fn(&Activations) -> u64| whole().map(|series| figure(&series.activations)).sum();
        let sum_known =
            |figure: fn(&Activations) -> Option<u64>| whole().map(|series| figure(&series.activations)).sum();
        Self {
            run: &run.name,
            file: file.display().to_string(),
            command: &run.command,
            due: sum_known(|a| a.due),
            served: sum(|a| a.served),
            skipped: sum_known(|a| a.skipped),
            missed: sum_known(|a| a.missed),
            outstanding: sum(|a| a.outstanding),
            lost: sum(|a| a.lost),
            overflow: whole().map(|series| series.histogram.overflow()).sum(),
            cpus: cpus(summary, Per::ServedWakeUp),
            cpus_per_due: cpus(summary, Per::DueActivation),
            parts: prazo_stats::parts(run),
            split: run.series.iter().map(|series| series.split.as_deref().map(|split| &split.counts)).collect(),
            noise: lost(run),
            noise_total: lost_in_all(run),
            noise_by: lost_to(run),
            smis_unknown: run.noise.as_ref().and_then(|observed| observed.smis_unknown.as_deref()),
            causes: causes(run),
            ending: &run.ending,
            caveats: &run.caveats,
            loads: &run.loads,
            recorder_delay_max_ns: run.recorder_delay_max.map(|delay| delay.as_ns()),
            verdict,
        }
    }
}

fn causes(run: &Run) -> Vec<&SampleExplanation> {
    let splits = run.series.iter().filter_map(|series| series.split.as_deref());
    let mut causes: Vec<&SampleExplanation> = splits.flat_map(|split| &split.causes).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.sample.latency_ns));
    causes
}

fn cpus(summary: &RunSummary, per: Per) -> Vec<Cpu<'_>> {
    let rows = || summary.summaries.iter().filter(|row| row.per == per);
    // A source that names no processor, as a board or Xenomai's tools, has only rows without one.
    let names_cpus = rows().any(|row| !row.is_of_all());
    rows().filter(|row| row.is_of_all() != names_cpus).map(cpu).collect()
}

fn cpu(row: &Summary) -> Cpu<'_> {
    Cpu {
        cpu: row.cpu,
        thread: row.thread.as_deref(),
        count: row.count,
        min_ns: row.min_ns,
        mean_ns: row.mean_ns,
        sd_ns: row.sd_ns,
        max_ns: row.max_ns,
        quantiles: &row.quantiles,
    }
}
