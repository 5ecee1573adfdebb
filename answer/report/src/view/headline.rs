//! The verdict in a few lines, preceded by whatever makes a run worth less than it looks.

use crate::content::{ReportContent, RunEvidence};
use crate::view::{Tone, comparisons};
use crate::words;
use prazo_core::text::counted;
use prazo_platform::readiness::{CheckOutcome, CheckResult};
use prazo_run::Severity;
use prazo_run::plan::Policy;
use prazo_run::run::{Ending, Origin};
use prazo_verdict::claim::Tally;
use prazo_verdict::{Kind, Outcome, Requirement};
use serde::Serialize;

/// What stands at the top of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Headline {
    /// `Pass`, `Fail`, `Inconclusive`; without a verdict, what became of the claims, or of the checks.
    pub outcome: String,
    /// A sign for it, so that colour alone says nothing.
    pub mark: &'static str,
    /// How it is meant.
    pub tone: Tone,
    /// What was asked; empty without a requirement.
    pub asked: String,
    /// The answer in one sentence.
    pub sentence: String,
    /// What makes a run worth less than it looks: said first.
    pub warnings: Vec<String>,
    /// Why, most decisive first: what speaks for the outcome and is not in the sentence already.
    pub reasons: Vec<Reason>,
    /// What else was weighed: it would have kept a failure from passing, or is to be known and no more.
    pub others: Vec<Reason>,
}

/// One reason with what it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// `Fails`, `Prevents a pass`, `Supports a pass` or `To know`.
    pub role: &'static str,
    /// How it is meant.
    pub tone: Tone,
    /// The reason.
    pub text: String,
}

/// The headline of `evidence`.
pub fn headline(content: &ReportContent) -> Headline {
    let warnings = warnings(content);
    let Some(verdict) = &content.verdict else { return Headline { warnings, ..without_verdict(content) } };
    let decides = |reason: &&prazo_verdict::Reason| !reason.is_remark && reason.speaks_for == verdict.outcome;
    let said = |reason: &&prazo_verdict::Reason| reason.id == LENGTH || verdict.sentence.contains(&reason.text);
    let (reasons, others): (Vec<_>, Vec<_>) = verdict.reasons.iter().filter(|reason| !said(reason)).partition(decides);
    Headline {
        outcome: outcome_name(verdict.outcome).into(),
        mark: outcome_mark(verdict.outcome),
        tone: outcome_tone(verdict.outcome),
        asked: asked(&verdict.requirement),
        sentence: verdict.sentence.clone(),
        warnings,
        reasons: reasons.into_iter().map(reason).collect(),
        others: others.into_iter().map(reason).collect(),
    }
}

/// The remark on what the runs' length allows to say, which the meaning of the verdict says already.
const LENGTH: &str = "length";

/// True where runs are compared and nothing else is asked.
pub(super) fn is_comparison(content: &ReportContent) -> bool {
    content.verdict.is_none()
        && content.claims.is_empty()
        && (content.comparisons.len() == 1 || (content.is_comparison && !content.comparisons.is_empty()))
}

/// What there is to say first where nothing was judged: of the claims, else of the runs, else of the checks.
fn without_verdict(content: &ReportContent) -> Headline {
    let (outcome, mark, tone, sentence) = match (content.claims.len(), content.runs.len(), content.readiness.len()) {
        (0, 0, 0) => ("No verdict".into(), "?", Tone::Unsure, "There are no runs to judge.".into()),
        (0, 0, _) => of_checks(content),
        (0, ..) if is_comparison(content) => {
            let sentences: Vec<String> = content.comparisons.iter().map(comparisons::statement).collect();
            ("Compared".into(), "↔", Tone::Quiet, sentences.join(" "))
        }
        (0, runs, _) => {
            let sentence = own_deadlines(content)
                .unwrap_or_else(|| format!("No deadline was given, so {} shown without a verdict.", are(runs)));
            ("No verdict".into(), "?", Tone::Unsure, sentence)
        }
        _ => of_claims(content),
    };
    Headline {
        outcome,
        mark,
        tone,
        sentence,
        asked: String::new(),
        warnings: Vec::new(),
        reasons: Vec::new(),
        others: Vec::new(),
    }
}

/// What became of the deadlines that the runs were measured with; `None` where no run had one.
fn own_deadlines(content: &ReportContent) -> Option<String> {
    let misses: Vec<_> = content.runs.iter().filter_map(|run| run.misses.as_ref()).collect();
    let (first, rest) = misses.split_first()?;
    let is_one = rest.iter().all(|other| other.deadline_ns == first.deadline_ns);
    let sum = |of: fn(&prazo_stats::MissRate) -> u64| misses.iter().map(|misses| of(misses)).sum::<u64>();
    let deadline = match is_one {
        true => format!("a deadline of {}", words::length(prazo_core::time::Duration::from_ns(first.deadline_ns))),
        false => "different deadlines".to_owned(),
    };
    let measurements = match (misses.len(), content.runs.len()) {
        (1, 1) => "the measurement".to_owned(),
        (some, all) if some == all => "the measurements".to_owned(),
        (some, _) => format!("{some} of the measurements"),
    };
    Some(format!(
        "{} shown without a verdict; {measurements} had {deadline}, which {} of {} missed.",
        are(content.runs.len()),
        words::count(sum(|misses| misses.missed)),
        counted(sum(|misses| misses.due), "due activation"),
    ))
}

fn of_claims(content: &ReportContent) -> (String, &'static str, Tone, String) {
    let Tally { held, not_held: not, undecidable: open } = Tally::of(&content.claims);
    let (mark, tone) = if not + open == 0 { ("✓", Tone::Good) } else { ("≠", Tone::Unsure) };
    let all = content.claims.len();
    let sentence = format!(
        "Of {} checked against {}, the data supports {held} and contradicts {not}; {open} cannot be decided.",
        counted(all as u64, "claim"),
        counted(content.runs.len() as u64, "run")
    );
    (format!("{held} of {} held", counted(all as u64, "claim")), mark, tone, sentence)
}

fn of_checks(content: &ReportContent) -> (String, &'static str, Tone, String) {
    let count = |outcome, least| {
        let is_of = |row: &&CheckResult| row.outcome == outcome && row.severity >= least;
        content.readiness.iter().filter(is_of).count() as u64
    };
    let findings = counted(count(CheckOutcome::Finding, Severity::Info), "finding");
    let [found, unknown] = [CheckOutcome::Finding, CheckOutcome::Unknown].map(|outcome| count(outcome, Severity::High));
    let (mark, tone) = match (found, unknown) {
        (0, 0) => ("✓", Tone::Good),
        (0, _) => ("?", Tone::Unsure),
        _ => ("✗", Tone::Bad),
    };
    let open = if unknown > 0 { format!(" Unknown: {unknown}.") } else { String::new() };
    let sentence = format!("Findings that are fatal or of high severity for a real-time task: {found}.{open}");
    (findings.to_string(), mark, tone, sentence)
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

fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✓",
        Outcome::Fail => "✗",
        Outcome::Inconclusive => "?",
    }
}

fn reason(reason: &prazo_verdict::Reason) -> Reason {
    let (role, tone) = match (reason.is_remark, reason.speaks_for) {
        (true, _) => ("For information", Tone::Quiet),
        (_, Outcome::Fail) => ("Fails", Tone::Bad),
        (_, Outcome::Inconclusive) => ("Prevents a pass", Tone::Unsure),
        (_, Outcome::Pass) => ("Supports a pass", Tone::Good),
    };
    Reason { role, tone, text: reason.text.clone() }
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

/// What makes the judged runs worth less than they look, weightiest first; the same warning of several runs is said once.
fn warnings(content: &ReportContent) -> Vec<String> {
    let mut all: Vec<(Weight, String, Vec<&str>)> = Vec::new();
    for run in content.judged() {
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

/// More runs than this are counted rather than named one by one.
const RUNS_NAMED: usize = 4;

fn said_of(runs: &[&str]) -> String {
    let names: Vec<String> = runs.iter().take(RUNS_NAMED).map(|name| format!("'{name}'")).collect();
    match runs.len() {
        1 => format!("Run {}:", names[0]),
        few if few <= RUNS_NAMED => format!("Runs {}:", names.join(", ")),
        many => format!("{many} runs ({} and {} more):", names[..2].join(", "), many - 2),
    }
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
    all.extend(fatal.map(|caveat| (Weight::Fatal, format!("not valid; {}", caveat.what))));
    if run.ending != Ending::Complete {
        all.push((Weight::Ending, format!("ended early; {}.", words::ending(&run.ending))));
    }
    let lost: u64 = run.series.iter().map(|series| series.activations.lost).sum();
    if lost > 0 {
        let is_imported = matches!(run.origin, Origin::Imported { .. });
        let text = match is_imported {
            true => format!("{} without a sample in the imported file.", counted(lost, "activation")),
            false => format!("{} lost, so the maximum may be missing.", counted(lost, "record")),
        };
        all.push((Weight::Lost, text));
    }
    if run.origin == Origin::Synthetic {
        all.push((Weight::Synthetic, "synthetic data, not measured.".into()));
    }
    all
}

/// The caveat by which a probe says that the policy was not a real-time one.
const NOT_REAL_TIME: &str = "not-real-time";

fn not_real_time(evidence: &RunEvidence) -> Option<String> {
    let run = &evidence.run;
    let said = run.caveats.iter().find(|caveat| caveat.id == NOT_REAL_TIME).map(|caveat| caveat.what.clone());
    let planned = run.plan.as_ref().filter(|plan| plan.policy == Policy::Other && !evidence.is_cost_alone());
    said.or_else(|| planned.map(|_| "the policy is 'other': every real-time thread preempts such a thread.".into()))
}
