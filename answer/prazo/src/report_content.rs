//! From runs and a requirement to everything a report shows: summaries, misses, verdict, comparisons.

use crate::dates::made_at;
use prazo_platform::readiness::{CheckOutcome, CheckResult};
use prazo_report::{ReportContent, RunEvidence};
use prazo_run::plan::Policy;
use prazo_run::{Caveat, Run};
use prazo_stats::{RunSummary, compare_all};
use prazo_verdict::{ReadinessFinding, Requirement, Verdict, judge};

/// Each caveat once, as the first of the weightiest has it.
pub fn each_once<'a>(caveats: impl IntoIterator<Item = &'a Caveat>) -> Vec<Caveat> {
    let mut all: Vec<Caveat> = Vec::new();
    for caveat in caveats {
        match all.iter_mut().find(|one| one.id == caveat.id) {
            None => all.push(caveat.clone()),
            Some(one) if caveat.severity > one.severity => *one = caveat.clone(),
            Some(_) => {}
        }
    }
    all
}

/// A report's evidence on these runs; a requirement adds misses and the verdict over all of them but the controls.
pub fn of_runs(title: &str, runs: Vec<Run>, requirement: Option<Requirement>, command: &str) -> ReportContent {
    let mut runs: Vec<RunEvidence> = runs.into_iter().map(|run| of_run(run, requirement)).collect();
    if requirement.is_some() {
        mark_controls(&mut runs);
    }
    let speaking: Vec<&RunEvidence> = runs.iter().filter(|run| !run.is_control).collect();
    ReportContent {
        title: title.to_owned(),
        verdict: requirement.map(|requirement| verdict(&speaking, &[], requirement)),
        comparisons: compare_all(&runs.iter().map(|evidence| &evidence.run).collect::<Vec<_>>()),
        runs,
        command: command.to_owned(),
        made_at: made_at(),
        ..ReportContent::default()
    }
}

/// Beside a real-time thread, one under `other` shows what the policy is worth, and does not speak for the requirement.
fn mark_controls(runs: &mut [RunEvidence]) {
    let is_other = |one: &RunEvidence| one.run.plan.as_ref().is_some_and(|plan| plan.policy == Policy::Other);
    let is_real_time = |one: &RunEvidence| one.run.plan.is_some() && !is_other(one);
    if runs.iter().any(is_real_time) {
        runs.iter_mut().for_each(|run| run.is_control = is_other(run));
    }
}

/// One run with the figures computed from it.
pub fn of_run(run: Run, requirement: Option<Requirement>) -> RunEvidence {
    RunEvidence::of(run, requirement.map(|requirement| requirement.deadline))
}

/// The verdict over runs that all speak for the requirement.
pub fn verdict(runs: &[&RunEvidence], checks: &[CheckResult], requirement: Requirement) -> Verdict {
    let pairs: Vec<(&Run, &RunSummary)> = runs.iter().map(|evidence| (&evidence.run, &evidence.summary)).collect();
    let findings = findings(checks);
    judge(&prazo_verdict::Evidence { runs: &pairs, findings: &findings, requirement })
}

/// Findings that weigh enough to touch a verdict.
fn findings(checks: &[CheckResult]) -> Vec<ReadinessFinding> {
    let found = checks.iter().filter(|check| check.outcome == CheckOutcome::Finding);
    found
        .map(|check| ReadinessFinding {
            id: check.id.clone(),
            severity: check.severity,
            text: format!("{}: found {}, expected {}", check.title, check.found, check.wanted),
        })
        .collect()
}
