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
    let warnings = warnings(evidence);
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
        Kind::Firm => {
            format!("within {deadline} of being due, firm: {} of activations", words::share(requirement.quantile))
        }
        Kind::Soft => {
            format!("within {deadline} of being due, soft: {} of activations", words::share(requirement.quantile))
        }
    }
}

/// A class of platform in words (papers/001).
pub fn class(class: PlatformClass) -> &'static str {
    match class {
        PlatformClass::Soft => "soft: not guaranteed, independent of less urgent activity in user space",
        PlatformClass::StrictNonCertifiable => {
            "strict, not certifiable: not guaranteed, independent of all less urgent activity"
        }
        PlatformClass::StrictCertifiable => "strict, certifiable: fluctuating but bounded",
        PlatformClass::Absolute => "absolute: fixed",
    }
}

/// What makes runs worth less than they look, weightiest first; the same warning of several runs is said once.
fn warnings(evidence: &Evidence) -> Vec<String> {
    let mut all: Vec<(Weight, String, Vec<&str>)> = Vec::new();
    for run in &evidence.runs {
        for (weight, text) in warnings_of(run) {
            match all.iter_mut().find(|(_, known, _)| *known == text) {
                Some((_, _, runs)) => runs.push(&run.run.name),
                None => all.push((weight, text, vec![&run.run.name])),
            }
        }
    }
    all.sort_by_key(|(weight, _, _)| *weight);
    all.into_iter().map(|(_, text, runs)| format!("{} {text}", said_of(&runs))).collect()
}

fn said_of(runs: &[&str]) -> String {
    let names: Vec<String> = runs.iter().map(|name| format!("'{name}'")).collect();
    format!("{} {}:", if runs.len() == 1 { "Run" } else { "Runs" }, names.join(", "))
}

/// The order in which warnings are said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    NotRealTime,
    Fatal,
    Ending,
    Lost,
    Synthetic,
}

fn warnings_of(evidence: &RunEvidence) -> Vec<(Weight, String)> {
    let run = &evidence.run;
    let mut all = Vec::new();
    all.extend(not_real_time(evidence).map(|why| (Weight::NotRealTime, format!("not real-time; {why}"))));
    let fatal = run.caveats.iter().filter(|caveat| caveat.severity == Severity::Fatal && caveat.id != NOT_REAL_TIME);
    all.extend(fatal.map(|caveat| (Weight::Fatal, format!("does not show what it claims to; {}", caveat.what))));
    if run.ending != Ending::Complete {
        all.push((Weight::Ending, format!("did not end as planned; {}.", words::ending(&run.ending))));
    }
    let lost: u64 = run.series.iter().map(|series| series.activations.lost).sum();
    if lost > 0 {
        all.push((Weight::Lost, format!("lost {}, so the maximum may be missing.", words::counted(lost, "record"))));
    }
    if run.origin == Origin::Synthetic {
        all.push((Weight::Synthetic, "synthetic; nobody measured this.".into()));
    }
    all
}

/// The caveat by which a probe says that the policy was not a real-time one.
const NOT_REAL_TIME: &str = "not-real-time";

fn not_real_time(evidence: &RunEvidence) -> Option<String> {
    let run = &evidence.run;
    let said = run.caveats.iter().find(|caveat| caveat.id == NOT_REAL_TIME).map(|caveat| caveat.what.clone());
    let planned = run.plan.as_ref().filter(|plan| plan.policy == Policy::Other);
    said.or_else(|| planned.map(|_| "its policy is 'other', which gives way to every real-time thread.".into()))
}
