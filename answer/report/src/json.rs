//! The same evidence for programs: one JSON object with a published schema.
//!
//! A figure that was not measured is null, and `not_measured` of the same object says why. Times are integers in the unit
//! that ends their name. Histograms are given in the report's common bins; the lossless ones are in the run files.

use crate::chart::Charts;
use crate::content::{ReportContent, RunEvidence, SpreadRow};
use crate::cost::ProgramCosts;
use crate::view::headline;
use prazo_core::text::acts;
use prazo_platform::fingerprint::{Difference, Fingerprint};
use prazo_platform::readiness::CheckResult;
use prazo_platform::tunable::TunableRecord;
use prazo_run::plan::Plan;
use prazo_run::run::{Activations, Ending, LoadRecord, Origin, Quantity, Series, StatedFigures, WorstSample};
use prazo_run::split::{SampleExplanation, SplitCounts};
use prazo_run::watched::WatchedAccount;
use prazo_run::{Caveat, serde_duration};
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

/// A report on runs: verdict, figures, comparisons and findings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// Version of the report's JSON format; it increases when a field is removed or changes its meaning.
    pub schema_version: u32,
    /// Heading of the report.
    pub title: &'a str,
    /// Date of the report; null where the report must not depend on the date.
    pub made_at: Option<&'a str>,
    /// Command line that produces this report again.
    pub command: &'a str,
    /// Verdict on the requirement; null where no requirement was given.
    pub verdict: Option<&'a Verdict>,
    /// Defects of the judged runs, such as lost records or an early end, one sentence each.
    pub warnings: Vec<String>,
    /// The runs with their figures, in the order of the report.
    pub runs: Vec<RunReport<'a>>,
    /// Comparisons of two runs each: quantiles, crossings of the curves, and observed maxima.
    pub comparisons: &'a [Comparison],
    /// Results of the readiness checks of the machine; empty where they did not run.
    pub readiness: &'a [CheckResult],
    /// Claims of a study, each with its outcome; empty without a study.
    pub claims: &'a [ClaimResult],
    /// Spread between the runs of each cell of a study; empty where no cell was repeated or measured under counted time.
    pub spreads: &'a [SpreadRow],
    /// Costs of running programs on the platforms, one entry for each setting; empty where no cost was measured.
    pub costs: &'a [ProgramCosts],
    /// Histograms of all runs over common bins; null where no run has a sample.
    pub histograms: Option<Histograms>,
    /// Reason for each figure of the report that is null, by the name of its field.
    pub not_measured: NotMeasured,
}

/// One run with its plan, its figures and the threats to its validity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport<'a> {
    /// Name of the run.
    pub name: &'a str,
    /// Where the samples of the run came from: measured, imported from a file, or synthetic.
    pub origin: &'a Origin,
    /// The plan that the run executed; null where it is not known.
    pub plan: Option<&'a Plan>,
    /// Command line that repeats the run.
    pub command: &'a str,
    /// Start of the run, in nanoseconds of CLOCK_REALTIME since 1970; only a label, not for computing intervals.
    pub started_at_unix_ns: Option<i64>,
    /// Duration of the run.
    #[serde(rename = "elapsed_ns", with = "serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub elapsed: Option<prazo_core::time::Duration>,
    /// How the run ended, such as `complete` or `interrupted`.
    pub ending: &'a Ending,
    /// Longest delay of the thread that recorded the samples of the run.
    #[serde(rename = "recorder_delay_max_ns", with = "serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub recorder_delay_max: Option<prazo_core::time::Duration>,
    /// Threats to the validity of the run, each with what to do about it.
    pub caveats: &'a [Caveat],
    /// Activations, worst samples and causes of each series of the run.
    pub series: Vec<SeriesReport<'a>>,
    /// Count, mean, quantiles and maximum of each series, and of all processors together (`cpu` null).
    pub summaries: &'a [Summary],
    /// What the length of the run shows about events that did not occur in it, in a few sentences.
    pub length_allows: &'a str,
    /// Figures of each part of the latencies, all processors together; empty where latencies were not split.
    pub parts: Vec<PartSummary>,
    /// Each watched thread and section of the run, with what took its time and what made its activations late; empty for other
    /// runs.
    pub watched: &'a [WatchedAccount],
    /// Time that each processor's loop observed and lost in a noise run; empty for other runs.
    pub noise: Vec<Lost>,
    /// Totals over all loops of a noise run: observed time and lost time; absent for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_total: Option<LostInAll>,
    /// Time lost on all processors to each source of noise (interrupts, softirqs, threads); empty where gaps were not split.
    pub noise_by: Vec<LostTo>,
    /// Count and rate of deadline misses in the run; null where no deadline was given.
    pub misses: Option<&'a MissRate>,
    /// Loads that were applied during the run, with their requested and reached rates.
    pub loads: &'a [LoadRecord],
    /// Settings that prazo changed for the run, each with the requested value and the value that was read back.
    pub tunables: &'a [TunableRecord],
    /// Facts about the platform before the run; null where they were not recorded.
    pub platform: Option<&'a Fingerprint>,
    /// Platform facts that changed during the run but should not have; those that always change (`now.`) are omitted.
    pub platform_differences: Option<Vec<Difference>>,
    /// Reason for each figure of the run that is null, by the name of its field.
    pub not_measured: NotMeasured,
}

/// One series of a run: one quantity on one processor, or of one watched thread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeriesReport<'a> {
    /// Processor of the series; null for a watched thread, and where the source does not state it.
    pub cpu: Option<u32>,
    /// The watched thread whose activations, or passes through a section, are in the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<&'a prazo_run::watched::SeriesThread>,
    /// Quantity that was measured in the series, such as the response latency.
    pub quantity: Quantity,
    /// Period of the activations; null where the source does not state it.
    #[serde(rename = "period_ns", with = "serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub period: Option<prazo_core::time::Duration>,
    /// Resolution of the samples in the source.
    pub resolution_ns: u64,
    /// Counts of the activations: due, served, skipped, missed and lost.
    pub activations: Activations,
    /// Number of samples beyond the largest value that the histogram records.
    pub overflow: u64,
    /// Count, minimum, mean and maximum as an imported file states them; null where the source states none.
    pub stated: Option<StatedFigures>,
    /// The largest samples of the series, largest first; at most 20.
    pub worst: &'a [WorstSample],
    /// Number of activations that were split into parts, and of those that were not split, by reason; null where latencies were not split.
    pub split: Option<&'a SplitCounts>,
    /// Causes of the largest samples of the series, largest first; at most 20.
    pub causes: &'a [SampleExplanation],
    /// Reason for each figure of the series that is null, by the name of its field.
    pub not_measured: NotMeasured,
}

/// How many of the worst samples are listed for each series.
pub const WORST_LISTED: usize = 20;

/// Histograms over common bins; a bin includes its lower edge and excludes its upper edge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Histograms {
    /// Edges of the bins, ascending; n bins have n + 1 edges.
    pub edges_ns: Vec<i64>,
    /// A histogram for each run and quantity; a report on a single run also has one for each processor and part.
    pub lines: Vec<HistogramLine>,
}

/// Histogram of one quantity of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistogramLine {
    /// Name of the run, with the quantity, processor or part of the latency where the run has several.
    pub label: String,
    /// Number of samples in each bin.
    pub counts: Vec<u64>,
    /// Number of samples beyond all bins, whose values are unknown.
    pub overflow: u64,
}

/// The evidence as one line of JSON.
pub fn render(content: &ReportContent) -> String {
    printable(serde_json::to_string(&report(content)).expect("a report is plain data with text keys"))
}

/// The evidence as indented JSON.
pub fn render_pretty(content: &ReportContent) -> String {
    printable(serde_json::to_string_pretty(&report(content)).expect("a report is plain data with text keys"))
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

fn report(content: &ReportContent) -> Report<'_> {
    Report {
        schema_version: SCHEMA_VERSION,
        title: &content.title,
        made_at: Some(content.made_at.as_str()).filter(|at| !at.is_empty()),
        command: &content.command,
        verdict: content.verdict.as_ref(),
        warnings: headline::headline(content).warnings,
        runs: content.runs.iter().map(run).collect(),
        comparisons: &content.comparisons,
        readiness: &content.readiness,
        claims: &content.claims,
        spreads: &content.spreads,
        costs: &content.costs,
        histograms: Charts::of(content).map(histograms),
        not_measured: reasons(&[
            ("made_at", content.made_at.is_empty(), "the date was omitted, so that the report does not depend on it"),
            ("verdict", content.verdict.is_none(), "no requirement was given"),
            ("histograms", content.runs.iter().all(is_empty), "no run has a sample"),
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
        watched: &run.watched,
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
        Origin::Measured => {
            "this kind of run does not record this value, or the run ended before the value was recorded"
        }
        Origin::Imported { .. } => "the source of the run does not state this value",
        Origin::Synthetic => "the run is synthetic, so this value was not measured",
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
        Some(_) => {
            "this series is not judged, or its lost samples and samples of unknown value may lie on either side of the deadline"
        }
        None => "no deadline was given",
    };
    let silent = "the source does not state this value";
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
            ("cpu", series.cpu.is_none() && series.thread.is_none(), silent),
            ("cpu", series.thread.is_some(), "a watched thread may run on several processors"),
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
