//! JUnit XML, for gates: one test case a series, failed where a due activation missed the deadline.
//!
//! A skipped activation counts as missed. The case is an error, never a pass, where samples have no value and might lie on either
//! side, where there are none at all, where the latencies leave room for skipped activations that nobody counted, and in every run
//! with a fatal caveat. The gate is on what was
//! observed; whether that is evidence enough is the verdict's business.

use super::distribution::Distribution;
use super::xml::escaped;
use crate::{Run, Series, Severity, skipped};
use prazo_core::text::{counted, grouped};
use prazo_core::time::{Duration, Offset};
use std::io::{self, Write};

/// What became of one series.
enum CaseResult {
    Met(String),
    Missed(String),
    /// No sample was late, but activations were jumped over, each of which counts as missed.
    Skipped(String),
    Undecided(String),
    NotAsked,
}

/// Writes one suite; without a deadline here or in the plan, its cases are skipped.
pub(super) fn write(run: &Run, deadline: Option<Duration>, out: &mut dyn Write) -> io::Result<()> {
    let deadline = deadline.or(run.plan.as_ref().and_then(|plan| plan.deadline));
    let outcomes: Vec<CaseResult> = run.series.iter().map(|series| outcome(run, series, deadline)).collect();
    let count = |of: fn(&CaseResult) -> bool| outcomes.iter().filter(|outcome| of(outcome)).count();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites><testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        escaped(&run.name),
        outcomes.len(),
        count(|outcome| matches!(outcome, CaseResult::Missed(_) | CaseResult::Skipped(_))),
        count(|outcome| matches!(outcome, CaseResult::Undecided(_))),
        count(|outcome| matches!(outcome, CaseResult::NotAsked)),
    )?;
    for (series, outcome) in run.series.iter().zip(&outcomes) {
        case(run, series, outcome, out)?;
    }
    writeln!(out, "</testsuite></testsuites>")
}

fn outcome(run: &Run, series: &Series, deadline: Option<Duration>) -> CaseResult {
    let Some(deadline) = deadline else { return CaseResult::NotAsked };
    if let Some(fatal) = run.caveats.iter().find(|caveat| caveat.severity == Severity::Fatal) {
        return CaseResult::Undecided(format!("{}: {}", fatal.id, fatal.what));
    }
    let of = Distribution::of(run, [series]);
    let total = of.total();
    let samples = counted(total, "sample");
    let (counted_skips, implied) = (skipped::counted(series), skipped::implied(run, series));
    let (skipped, skips) = match (counted_skips, implied) {
        (Some(skipped), _) => (skipped, format!("{} skipped", counted(skipped, "activation"))),
        (None, Some(0)) => (0, "no latency long enough to imply a skipped activation".to_owned()),
        (None, Some(most)) => {
            (0, format!("up to {} skipped (estimated from the latencies)", counted(most, "activation")))
        }
        (None, None) => (0, "an unknown number of activations skipped".to_owned()),
    };
    let may_have_skipped = counted_skips.is_none() && implied.is_some_and(|most| most > 0);
    // What was counted while measuring decides samples that the histogram left without a value.
    let is_own = run.plan.as_ref().and_then(|plan| plan.deadline) == Some(deadline);
    let missed = series.activations.missed.filter(|_| is_own);
    let late = of.above(i64::try_from(deadline.as_ns()).unwrap_or(i64::MAX)).or(missed);
    let max = of.max_ns().map_or_else(|| "unknown".into(), |max_ns| Offset::from_ns(max_ns).to_string());
    match late {
        Some(0) if total == 0 && skipped == 0 => CaseResult::Undecided("no samples".into()),
        Some(0) if may_have_skipped => CaseResult::Undecided(format!(
            "none of {samples} above {deadline}, but {skips}, each of which would count as missed; maximum {max}"
        )),
        Some(0) if skipped == 0 => {
            CaseResult::Met(format!("none of {samples} above {deadline}, {skips}; maximum {max}"))
        }
        Some(0) => CaseResult::Skipped(format!(
            "none of {samples} above {deadline}, but {skips}, each counted as missed; maximum {max}"
        )),
        None if skipped == 0 => CaseResult::Undecided(format!(
            "{} of unknown latency, which may exceed the deadline of {deadline}",
            counted(of.unlisted(), "sample")
        )),
        _ => CaseResult::Missed(format!(
            "{} of {samples} above {deadline}, {skips}; maximum {max}{}",
            late.map_or_else(|| "an unknown number".into(), |late| grouped(late).to_string()),
            culprit(run, series)
        )),
    }
}

/// Who made the worst activation of a watched thread late.
fn culprit(run: &Run, series: &Series) -> String {
    let worst = run.account_of(series).and_then(|account| account.figures.worst.first());
    worst.map_or_else(String::new, |worst| format!("; worst: {worst}"))
}

fn case(run: &Run, series: &Series, outcome: &CaseResult, out: &mut dyn Write) -> io::Result<()> {
    let cpu = match (&series.thread, series.cpu) {
        (Some(thread), _) => escaped(&format!("thread {thread}")),
        (None, Some(cpu)) => format!("cpu {cpu}"),
        (None, None) => "all cpus".into(),
    };
    let time = run.elapsed.map_or_else(String::new, |elapsed| format!(" time=\"{:.3}\"", elapsed.as_s_f64()));
    let body = match outcome {
        CaseResult::Met(what) => format!("<system-out>{}</system-out>", escaped(what)),
        CaseResult::Missed(what) => format!("<failure type=\"deadline-missed\" message=\"{}\"/>", escaped(what)),
        CaseResult::Skipped(what) => format!("<failure type=\"activations-skipped\" message=\"{}\"/>", escaped(what)),
        CaseResult::Undecided(what) => format!("<error type=\"undecided\" message=\"{}\"/>", escaped(what)),
        CaseResult::NotAsked => "<skipped message=\"no deadline was given\"/>".into(),
    };
    let (class, name) = (escaped(&run.name), format!("{} {cpu}", series.quantity));
    writeln!(out, "  <testcase classname=\"{class}\" name=\"{name}\"{time}>{body}</testcase>")
}
