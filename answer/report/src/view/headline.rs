//! The verdict in a few lines, preceded by whatever makes a run worth less than it looks.

use crate::evidence::{Evidence, RunEvidence};
use crate::view::Tone;
use crate::words;
use prazo_run::Severity;
use prazo_run::plan::Policy;
use prazo_run::run::{Ending, Origin};
use prazo_verdict::{Kind, Outcome, PlatformClass, Requirement};
use serde::Serialize;

/// What stands at the top of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// `Pass`, `Fail`, `Inconclusive`, or `No verdict`.
    pub outcome: String,
    /// How it is meant.
    pub tone: Tone,
    /// What was asked; empty without a requirement.
    pub asked: String,
    /// The sentence that a reader takes home.
    pub sentence: String,
    /// What makes a run worth less than it looks: said first.
    pub warnings: Vec<String>,
    /// Why, most decisive first.
    pub reasons: Vec<Reason>,
    /// The class of platform that the result speaks for; empty without a verdict.
    pub class: String,
}

/// One reason with the outcome it speaks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// `Pass`, `Fail` or `Inconclusive`.
    pub speaks_for: String,
    /// How it is meant.
    pub tone: Tone,
    /// The reason.
    pub text: String,
}

/// The headline of `evidence`.
pub fn headline(evidence: &Evidence) -> Headline {
    let warnings = evidence.runs.iter().flat_map(warnings).collect();
    let Some(verdict) = &evidence.verdict else { return without_verdict(evidence, warnings) };
    Headline {
        outcome: outcome_name(verdict.outcome).into(),
        tone: outcome_tone(verdict.outcome),
        asked: asked(&verdict.requirement),
        sentence: verdict.sentence.clone(),
        warnings,
        reasons: verdict.reasons.iter().map(reason).collect(),
        class: class(verdict.class).into(),
    }
}

fn without_verdict(evidence: &Evidence, warnings: Vec<String>) -> Headline {
    let sentence = match evidence.runs.len() {
        0 => "There is no run to judge.".into(),
        runs => format!("No deadline was given, so {} shown without judging.", are(runs)),
    };
    let (outcome, tone) = ("No verdict".into(), Tone::Unsure);
    Headline { outcome, tone, asked: String::new(), sentence, warnings, reasons: Vec::new(), class: String::new() }
}

fn are(runs: usize) -> String {
    if runs == 1 { "1 run is".into() } else { format!("{runs} runs are") }
}

/// The name of an outcome.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "Pass",
        Outcome::Fail => "Fail",
        Outcome::Inconclusive => "Inconclusive",
    }
}

fn outcome_tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Pass => Tone::Good,
        Outcome::Fail => Tone::Bad,
        Outcome::Inconclusive => Tone::Unsure,
    }
}

fn reason(reason: &prazo_verdict::Reason) -> Reason {
    let (speaks_for, tone) = (outcome_name(reason.speaks_for).into(), outcome_tone(reason.speaks_for));
    Reason { speaks_for, tone, text: reason.text.clone() }
}

/// The requirement in one line: `within 1 ms of being due, firm, 99.9 % of activations`.
pub fn asked(requirement: &Requirement) -> String {
    let deadline = words::length(requirement.deadline);
    match requirement.kind {
        Kind::Hard => format!("within {deadline} of being due, hard: every activation"),
        Kind::Firm => format!("within {deadline} of being due, firm: {} of activations", words::share(requirement.quantile)),
        Kind::Soft => format!("within {deadline} of being due, soft: {} of activations", words::share(requirement.quantile)),
    }
}

/// A class of platform in words (papers/001).
pub fn class(class: PlatformClass) -> &'static str {
    match class {
        PlatformClass::Soft => "soft: not guaranteed, independent of less urgent activity in user space",
        PlatformClass::StrictNonCertifiable => "strict, not certifiable: not guaranteed, independent of all less urgent activity",
        PlatformClass::StrictCertifiable => "strict, certifiable: fluctuating but bounded",
        PlatformClass::Absolute => "absolute: fixed",
    }
}

/// What makes this run worth less than it looks, weightiest first.
fn warnings(evidence: &RunEvidence) -> Vec<String> {
    let run = &evidence.run;
    let name = &run.name;
    let mut warnings = Vec::new();
    if let Some(why) = not_real_time(evidence) {
        warnings.push(format!("Run '{name}' was not real-time: {why}"));
    }
    let fatal = run.caveats.iter().filter(|caveat| caveat.severity == Severity::Fatal && caveat.id != NOT_REAL_TIME);
    warnings.extend(fatal.map(|caveat| format!("Run '{name}' does not show what it claims to: {}", caveat.what)));
    if run.origin == Origin::Synthetic {
        warnings.push(format!("Run '{name}' is synthetic: nobody measured it."));
    }
    if run.ending != Ending::Complete {
        warnings.push(format!("Run '{name}' did not end as planned: {}.", words::ending(&run.ending)));
    }
    let lost: u64 = run.series.iter().map(|series| series.activations.lost).sum();
    if lost > 0 {
        warnings.push(format!("Run '{name}' lost {}: its maximum may be missing.", words::counted(lost, "record")));
    }
    warnings
}

/// The caveat by which a probe says that the policy was not a real-time one.
const NOT_REAL_TIME: &str = "not-real-time";

fn not_real_time(evidence: &RunEvidence) -> Option<String> {
    let run = &evidence.run;
    let said = run.caveats.iter().find(|caveat| caveat.id == NOT_REAL_TIME).map(|caveat| caveat.what.clone());
    let planned = run.plan.as_ref().filter(|plan| plan.policy == Policy::Other);
    said.or_else(|| planned.map(|_| "its policy is 'other', which gives way to every real-time thread.".into()))
}
