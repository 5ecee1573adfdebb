//! Judges evidence against a requirement.
//!
//! Three questions, in this order: may the runs be believed, did they miss the deadline, and was enough observed. A miss
//! counts also in a run that cannot be believed; a pass needs runs that can. So one more miss or caveat never improves a
//! verdict, and neither does an earlier deadline.

use crate::class::classify_all;
use crate::evidence::{self, Evidence, ReadinessFinding};
use crate::look::{Look, activations};
use crate::verdict::{self, Outcome, Verdict};
use crate::weight::{self, Weighed};
use crate::{Requirement, share, zero_misses};
use prazo_core::text::counted;
use prazo_core::time::{Duration, Exact, Offset};
use prazo_run::{Run, Severity};

/// The verdict on `evidence`.
pub fn judge(evidence: &Evidence<'_>) -> Verdict {
    let requirement = evidence.requirement;
    let looks: Vec<Look<'_>> =
        evidence.runs.iter().map(|(run, summary)| Look::at(run, summary, &requirement)).collect();
    let mut reasons: Vec<Weighed> = looks.iter().flat_map(|look| of_run(look, &requirement)).collect();
    reasons.extend(if requirement.allows_no_miss() {
        zero_misses::reasons(&looks, &requirement)
    } else {
        share::reasons(&looks, &requirement)
    });
    reasons.extend(evidence.findings.iter().filter_map(|finding| of_finding(finding, &requirement)));
    reasons.extend(
        evidence
            .runs
            .iter()
            .map(|(run, summary)| Weighed::remark("length", format!("{}: {}", run.name, summary.length_allows))),
    );
    let outcome = weight::outcome(&reasons);
    let reasons = weight::sorted(reasons);
    let sentence = sentence(outcome, &requirement, reasons.first().map_or("", |reason| reason.text.as_str()));
    let class = classify_all(evidence.runs.iter().map(|(run, _)| *run));
    Verdict { outcome, requirement, sentence, reasons, class }
}

/// What one run says by itself, whatever the kind of requirement.
fn of_run(look: &Look<'_>, requirement: &Requirement) -> Vec<Weighed> {
    let is_noise = evidence::is_noise(look.run);
    let mut reasons: Vec<Weighed> = below_minimum(look, requirement).into_iter().filter(|_| !is_noise).collect();
    reasons.extend(invalid(look.run, requirement));
    reasons.extend(unable_to_show(look, requirement));
    reasons
}

/// A deadline that no activation met has a reason of its own: the platform's floor, not its tail.
fn below_minimum(look: &Look<'_>, requirement: &Requirement) -> Option<Weighed> {
    let min_ns = look.min_ns.filter(|min| *min > 0 && min.unsigned_abs() > requirement.deadline.as_ns())?;
    let text = format!(
        "{}: the deadline of {} is shorter than the smallest observed latency, {} in {}",
        look.run.name,
        Exact(requirement.deadline),
        Exact(Offset::from_ns(min_ns)),
        activations(look.misses.due)
    );
    Some(Weighed::fails("deadline-below-minimum", text))
}

/// Why the run cannot be believed.
fn invalid(run: &Run, requirement: &Requirement) -> Vec<Weighed> {
    let mut reasons = Vec::new();
    match evidence::is_real_time(run) {
        Some(false) => reasons.push(Weighed::blocks(
            "not-real-time",
            format!("{}: its threads ran under the policy other, which is not a real-time policy", run.name),
        )),
        None => reasons.push(policy_unknown(run, requirement)),
        Some(true) => {}
    }
    if evidence::died(run) {
        let text = format!(
            "{}: the run ended unexpectedly, so its last samples are missing, and the largest latency may be among them",
            run.name
        );
        reasons.push(Weighed::blocks("run-died", text));
    }
    reasons.extend(run.caveats.iter().filter_map(|caveat| {
        let text = format!("{}: {} ({}; {})", run.name, caveat.what, caveat.id, caveat.remedy);
        by_severity(caveat.severity, ["fatal-caveat", "high-caveat"], requirement.allows_no_miss(), text)
    }));
    reasons
}

fn policy_unknown(run: &Run, requirement: &Requirement) -> Weighed {
    let text = format!("{}: the scheduling policy of the run's threads is unknown", run.name);
    if requirement.allows_no_miss() {
        Weighed::blocks("policy-unknown", text)
    } else {
        Weighed::remark("policy-unknown", text)
    }
}

/// A fatal threat always stands in the way; a high one where the tail decides, else it is remarked.
fn by_severity(severity: Severity, ids: [&'static str; 2], tail_decides: bool, text: String) -> Option<Weighed> {
    match severity {
        Severity::Fatal => Some(Weighed::blocks(ids[0], text)),
        Severity::High if tail_decides => Some(Weighed::blocks(ids[1], text)),
        Severity::High => Some(Weighed::remark(ids[1], text)),
        Severity::Medium | Severity::Info => None,
    }
}

/// A finding is about the platform, not about what was measured on it: it stands in the way only where every miss counts.
fn of_finding(finding: &ReadinessFinding, requirement: &Requirement) -> Option<Weighed> {
    let text = format!("platform: {} ({})", finding.text, finding.id);
    let id = match finding.severity {
        Severity::Fatal => "fatal-finding",
        Severity::High => "high-finding",
        Severity::Medium | Severity::Info => return None,
    };
    Some(if requirement.allows_no_miss() { Weighed::blocks(id, text) } else { Weighed::remark(id, text) })
}

/// Why the run, believed, cannot show that this deadline is met.
fn unable_to_show(look: &Look<'_>, requirement: &Requirement) -> Vec<Weighed> {
    let mut reasons = Vec::new();
    let name = &look.run.name;
    if evidence::is_noise(look.run) {
        reasons.push(only_noise(look, requirement));
    } else if look.misses.due == 0 {
        reasons.push(Weighed::blocks("nothing-due", format!("{name}: no activation was due")));
    } else if !evidence::covers_the_response(look.run) {
        let text = format!(
            "{name}: the run measured only a part of the response latency, which cannot show that the whole \
             meets the deadline"
        );
        reasons.push(Weighed::blocks("not-a-response-latency", text));
    }
    let resolution_ns = evidence::resolution_ns(look.run);
    if requirement.deadline.as_ns() < resolution_ns {
        let text = format!(
            "{name}: the deadline of {} is shorter than the samples' resolution of {resolution_ns} ns",
            Exact(requirement.deadline)
        );
        reasons.push(Weighed::blocks("deadline-below-resolution", text));
    }
    reasons
}

/// Gaps can show that a deadline is not met, and nothing else: no thread was woken.
fn only_noise(look: &Look<'_>, requirement: &Requirement) -> Weighed {
    let (name, deadline) = (&look.run.name, Exact(requirement.deadline));
    let observed: u64 = look.run.noise.iter().flat_map(|observed| &observed.cpus).map(|cpu| cpu.observed.as_ns()).sum();
    let time = match observed {
        0 => String::new(),
        ns => format!(" in {:.1} s of observed time", Duration::from_ns(ns).as_s_f64()),
    };
    let gaps = match (look.misses.missed, requirement.allows_no_miss()) {
        (0, _) => {
            format!("there was no gap longer than {deadline}{time}, but noise is only a part of the response latency")
        }
        (missed, true) => format!("the run has {} longer than {deadline}{time}", counted(missed, "gap")),
        (missed, false) => format!(
            "the run has {} longer than {deadline}{time}; the share of late activations depends on when they are due",
            counted(missed, "gap")
        ),
    };
    Weighed::blocks("only-noise", format!("{name}: {gaps}; measure the response with `prazo measure timer`"))
}

fn sentence(outcome: Outcome, requirement: &Requirement, decisive: &str) -> String {
    let short = verdict::short(outcome, requirement);
    match outcome {
        Outcome::Inconclusive if decisive.is_empty() => format!("{short}: there is no evidence."),
        _ => format!("{short}: {decisive}."),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
