//! The same evidence for programs: one JSON object with a published schema.
//!
//! A figure that was not measured is null, and `not_measured` of the same object says why. Times are integers in the unit
//! that ends their name. Histograms are given in the report's common bins; the lossless ones are in the run files.

use crate::chart::Charts;
use crate::cost::ProgramCosts;
use crate::evidence::{Evidence, RunEvidence, SpreadRow};
use crate::view::headline;
use prazo_core::text::acts;
use prazo_platform::fingerprint::{Difference, Fingerprint};
use prazo_platform::readiness::CheckResult;
use prazo_platform::tunable::TunableRecord;
use prazo_run::plan::Plan;
use prazo_run::run::{Activations, Ending, LoadRecord, Origin, Quantity, Series, StatedFigures, WorstSample};
use prazo_run::split::{Cause, SplitCounts};
use prazo_run::{Caveat, edge};
use prazo_stats::noise::{Lost, LostInAll, LostTo, lost, lost_in_all, lost_to};
use prazo_stats::{Comparison, MissRate, PartSummary, Summary};
use prazo_verdict::Verdict;
use prazo_verdict::claim::ClaimResult;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Changes when a field is removed or changes its meaning; added fields leave it as it is.
pub const SCHEMA_VERSION: u32 = 1;

/// Why figures of an object are null: the field's name and the reason.
pub type NotMeasured = BTreeMap<&'static str, String>;

/// A report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// Version of this format.
    pub schema_version: u32,
    /// The report's heading.
    pub title: &'a str,
    /// Date of the report; null where the report must not depend on the date.
    pub made_at: Option<&'a str>,
    /// The command line that repeats it.
    pub command: &'a str,
    /// The answer; null where no requirement was judged.
    pub verdict: Option<&'a Verdict>,
    /// Threats to the validity of a run.
    pub warnings: Vec<String>,
    /// The runs.
    pub runs: Vec<RunReport<'a>>,
    /// Comparisons of two runs.
    pub comparisons: &'a [Comparison],
    /// Readiness checks.
    pub readiness: &'a [CheckResult],
    /// A study's claims.
    pub claims: &'a [ClaimResult],
    /// The spread between the runs of a study's cells.
    pub spreads: &'a [SpreadRow],
    /// What platforms cost programs, for each setting; empty where no cost was measured.
    pub costs: &'a [ProgramCosts],
    /// Histograms over common bins; null where no run has a sample.
    pub histograms: Option<Histograms>,
    /// Why figures are null.
    pub not_measured: NotMeasured,
}

/// One run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport<'a> {
    /// Its name.
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
    #[serde(rename = "elapsed_ns", with = "edge::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub elapsed: Option<prazo_core::time::Duration>,
    /// How it ended.
    pub ending: &'a Ending,
    /// Longest delay of the recording thread.
    #[serde(rename = "recorder_delay_max_ns", with = "edge::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub recorder_delay_max: Option<prazo_core::time::Duration>,
    /// Threats to its validity.
    pub caveats: &'a [Caveat],
    /// Counts of the activations, by series.
    pub series: Vec<SeriesReport<'a>>,
    /// Summaries, by series and over all processors (`cpu` null).
    pub summaries: &'a [Summary],
    /// What its length supports about rarer events.
    pub length_allows: &'a str,
    /// The parts of the latencies, all processors together; empty where nothing was split.
    pub parts: Vec<PartSummary>,
    /// Of a noise run, what each processor's loop observed and lost; empty elsewhere.
    pub noise: Vec<Lost>,
    /// What all of its loops observed and lost together; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_total: Option<LostInAll>,
    /// The lost time of all processors by who took it; empty where gaps were not split.
    pub noise_by: Vec<LostTo>,
    /// Misses of the deadline.
    pub misses: Option<&'a MissRate>,
    /// The loads as they ran.
    pub loads: &'a [LoadRecord],
    /// What was set, and what was read back.
    pub tunables: &'a [TunableRecord],
    /// The platform before the run.
    pub platform: Option<&'a Fingerprint>,
    /// Facts that changed during the run but should not have; those that always change (`now.`) are omitted.
    pub platform_differences: Option<Vec<Difference>>,
    /// Why figures are null.
    pub not_measured: NotMeasured,
}

/// One series of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeriesReport<'a> {
    /// The processor; null where the source does not say.
    pub cpu: Option<u32>,
    /// The watched thread whose activations these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a prazo_run::watched::SeriesThread>,
    /// What was measured.
    pub quantity: Quantity,
    /// Period of the activations.
    #[serde(rename = "period_ns", with = "edge::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub period: Option<prazo_core::time::Duration>,
    /// The resolution of the source.
    pub resolution_ns: u64,
    /// Counts of the activations.
    pub activations: Activations,
    /// Samples beyond the histogram.
    pub overflow: u64,
    /// What the source itself states.
    pub stated: Option<StatedFigures>,
    /// The worst samples, worst first; at most [`WORST_LISTED`].
    pub worst: &'a [WorstSample],
    /// Number of activations that were split into parts, and why the others were not; null where that was not measured.
    pub split: Option<&'a SplitCounts>,
    /// Activity around the worst samples, worst first; at most [`WORST_LISTED`].
    pub causes: &'a [Cause],
    /// Why figures are null.
    pub not_measured: NotMeasured,
}

/// How many of the worst samples are listed for each series.
pub const WORST_LISTED: usize = 20;

/// Histograms of all lines over common bins `[edge, next edge)`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Histograms {
    /// Edges; one more than each line has counts.
    pub edges_ns: Vec<i64>,
    /// One for each run and quantity.
    pub lines: Vec<HistogramLine>,
}

/// One line of the histograms.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistogramLine {
    /// The run, and the quantity or processor.
    pub label: String,
    /// Samples in each bin.
    pub counts: Vec<u64>,
    /// Samples of unknown value beyond all bins.
    pub overflow: u64,
}

/// The evidence as one line of JSON.
pub fn render(evidence: &Evidence) -> String {
    printable(serde_json::to_string(&report(evidence)).expect("a report is plain data with text keys"))
}

/// The evidence as indented JSON.
pub fn render_pretty(evidence: &Evidence) -> String {
    printable(serde_json::to_string_pretty(&report(evidence)).expect("a report is plain data with text keys"))
}

/// The same document with JSON's escapes for the characters that act on a terminal. JSON itself asks for those of ASCII only.
pub fn printable(json: String) -> String {
    // Line ends stand between values, never inside a text: there they are escaped already.
    let is_raw = |c: char| c != '\n' && acts(c);
    if !json.contains(is_raw) {
        return json;
    }
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match is_raw(c) {
            // All of them lie below U+10000, so that one escape suffices.
            true => write!(safe, "\\u{:04x}", u32::from(c)).expect("a String takes all"),
            false => safe.push(c),
        }
    }
    safe
}

/// The published JSON Schema of [`Report`].
pub fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(Report<'_>)).expect("a schema is plain JSON")
}

fn report(evidence: &Evidence) -> Report<'_> {
    Report {
        schema_version: SCHEMA_VERSION,
        title: &evidence.title,
        made_at: Some(evidence.made_at.as_str()).filter(|at| !at.is_empty()),
        command: &evidence.command,
        verdict: evidence.verdict.as_ref(),
        warnings: headline::headline(evidence).warnings,
        runs: evidence.runs.iter().map(run).collect(),
        comparisons: &evidence.comparisons,
        readiness: &evidence.readiness,
        claims: &evidence.claims,
        spreads: &evidence.spreads,
        costs: &evidence.costs,
        histograms: Charts::of(evidence).map(histograms),
        not_measured: reasons(&[
            ("made_at", evidence.made_at.is_empty(), "the report does not depend on the date"),
            ("verdict", evidence.verdict.is_none(), "no requirement was given"),
            ("histograms", evidence.runs.iter().all(is_empty), "no run has a sample"),
        ]),
    }
}

fn is_empty(run: &RunEvidence) -> bool {
    run.run.series.iter().all(|series| series.histogram.is_empty())
}

/// The reasons that apply.
fn reasons(all: &[(&'static str, bool, &str)]) -> NotMeasured {
    all.iter().filter(|(_, applies, _)| *applies).map(|(field, _, reason)| (*field, (*reason).to_owned())).collect()
}

fn run(evidence: &RunEvidence) -> RunReport<'_> {
    let run = &evidence.run;
    RunReport {
        name: &run.name,
        origin: &run.origin,
        plan: run.plan.as_ref(),
        command: &run.command,
        started_at_unix_ns: run.started_at_unix_ns,
        elapsed: run.elapsed,
        ending: &run.ending,
        recorder_delay_max: run.recorder_delay_max,
        caveats: &run.caveats,
        series: run.series.iter().map(|one| series(evidence, one)).collect(),
        summaries: &evidence.summary.summaries,
        length_allows: &evidence.summary.length_allows,
        parts: prazo_stats::parts(run),
        noise: lost(run),
        noise_total: lost_in_all(run),
        noise_by: lost_to(run),
        misses: evidence.misses.as_ref(),
        loads: &run.loads,
        tunables: &run.tunables,
        platform: run.platform_before.as_ref(),
        platform_differences: platform_differences(evidence),
        not_measured: run_reasons(evidence),
    }
}

fn platform_differences(evidence: &RunEvidence) -> Option<Vec<Difference>> {
    Some(evidence.run.platform_before.as_ref()?.drift(evidence.run.platform_after.as_ref()?))
}

fn run_reasons(evidence: &RunEvidence) -> NotMeasured {
    let run = &evidence.run;
    let silent = match run.origin {
        Origin::Measured => "the run was cut short before it was recorded",
        Origin::Imported { .. } => "the imported file does not say",
        Origin::Synthetic => "this run was not measured",
    };
    let smis_unknown = run.noise.as_ref().and_then(|observed| observed.smis_unknown.as_deref());
    reasons(&[
        ("noise.smis", smis_unknown.is_some(), smis_unknown.unwrap_or_default()),
        ("plan", run.plan.is_none(), silent),
        ("started_at_unix_ns", run.started_at_unix_ns.is_none(), silent),
        ("elapsed_ns", run.elapsed.is_none(), silent),
        ("recorder_delay_max_ns", run.recorder_delay_max.is_none(), silent),
        ("misses", evidence.misses.is_none(), "no deadline was given"),
        ("platform", run.platform_before.is_none(), silent),
        ("platform_differences", platform_differences(evidence).is_none(), silent),
    ])
}

fn series<'a>(evidence: &RunEvidence, series: &'a Series) -> SeriesReport<'a> {
    let missed = match evidence.misses {
        Some(_) => "lost samples and samples of unknown value may lie on either side of the deadline",
        None => "no deadline was given",
    };
    let silent = "the source does not say";
    SeriesReport {
        cpu: series.cpu,
        thread: series.thread.as_ref(),
        quantity: series.quantity,
        period: series.period,
        resolution_ns: series.resolution.as_ns(),
        activations: series.activations,
        overflow: series.histogram.overflow(),
        stated: series.stated,
        worst: &series.worst[..series.worst.len().min(WORST_LISTED)],
        split: series.split.as_deref().map(|split| &split.counts),
        causes: series.split.as_deref().map_or(&[], |split| &split.causes[..split.causes.len().min(WORST_LISTED)]),
        not_measured: reasons(&[
            ("cpu", series.cpu.is_none(), silent),
            ("period_ns", series.period.is_none(), silent),
            ("activations.due", series.activations.due.is_none(), silent),
            ("activations.skipped", series.activations.skipped.is_none(), silent),
            ("activations.missed", series.activations.missed.is_none(), missed),
            ("split", series.split.is_none(), "latencies were not split"),
            ("stated", series.stated.is_none(), "the source states no figures of its own"),
        ]),
    }
}

fn histograms(charts: Charts) -> Histograms {
    let line = |line: crate::chart::histogram::HistogramLine| HistogramLine {
        label: line.label,
        counts: line.counts,
        overflow: line.beyond,
    };
    Histograms { edges_ns: charts.histograms.edges_ns, lines: charts.histograms.lines.into_iter().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn a_document_keeps_its_texts_and_acts_on_no_terminal() {
        let name = "\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2028}\n µ 板 \\ \"";
        let document = serde_json::json!({ "name": name, "at": [1, 2] });
        let text = printable(serde_json::to_string_pretty(&document).unwrap());
        assert!(!text.contains(|c| c != '\n' && prazo_core::text::acts(c)), "{text:?}");
        assert!(text.contains("\\u009b31m\\u007f\\u202e\\u2028") && text.contains(" µ 板 "), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), document);
    }
}
