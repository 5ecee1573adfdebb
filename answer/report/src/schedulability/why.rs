//! The sentence behind a finding: which inequality, at which task, by how much.

use super::Dossier;
use prazo_analysis::overheads::Overload;
use prazo_analysis::{Finding, Margin, MissedJob, Quantity, Reason, Verdict};

/// Why the finding says what it says, in a sentence without a full stop.
pub fn why(dossier: &Dossier<'_>, finding: &Finding) -> String {
    match &finding.reason {
        Reason::Holds => sides(dossier, finding, "holds"),
        Reason::DoesNotHold if finding.margin.is_none() => "no miss was found, which proves nothing".to_owned(),
        Reason::DoesNotHold => sides(dossier, finding, "does not hold"),
        Reason::NotApplicable(why) => format!("does not apply: {why}"),
        Reason::BudgetSpent => {
            format!("gave up after {} terms; a larger --budget may decide it", crate::words::count(finding.work))
        }
        Reason::Overloaded(overload) => overloaded(dossier, overload),
        Reason::Overdemand { window } => overdemand(dossier, finding, *window),
        Reason::Missed(job) => missed(dossier, job),
    }
}

fn sides(dossier: &Dossier<'_>, finding: &Finding, outcome: &str) -> String {
    let at = finding.task.map_or(String::new(), |task| format!(" at '{}'", dossier.name(task)));
    match finding.margin {
        Some(margin) => format!("{outcome}{at}: {}", inequality(dossier, margin)),
        None => format!("{outcome}{at}"),
    }
}

/// "density 1.62 of at most 1.5", "41ms of work where 40ms fit into a window of 20ms".
fn inequality(dossier: &Dossier<'_>, margin: Margin) -> String {
    let time = |ticks: f64| dossier.time_f64(ticks);
    let number = |value: f64| format!("{}", (value * 1e4).round() / 1e4);
    match margin.of {
        Quantity::Utilization => {
            format!("utilization {} of at most {}", number(margin.demand), number(margin.capacity))
        }
        Quantity::Density => format!("density {} of at most {}", number(margin.demand), number(margin.capacity)),
        Quantity::Work { window } => format!(
            "{} of work, {} available, in a window of {}",
            time(margin.demand),
            time(margin.capacity),
            dossier.time(window)
        ),
        Quantity::ResponseTime => {
            format!("response time {} of at most {}", time(margin.demand), time(margin.capacity))
        }
    }
}

fn overloaded(dossier: &Dossier<'_>, overload: &Overload) -> String {
    match overload {
        Overload::Interrupts => "ticks and release interrupts alone would take a whole processor".to_owned(),
        Overload::Task { task, cost, window } => format!(
            "with overheads '{}' needs {} within {}",
            dossier.name(*task),
            dossier.time(*cost),
            dossier.time(*window)
        ),
        Overload::Latency { task } => {
            format!("'{}' may be released so late that no time is left for it", dossier.name(*task))
        }
        Overload::ReleaseJitter { task } => format!(
            "'{}' has release jitter, so its release interrupts can come closer than they are charged",
            dossier.name(*task)
        ),
        Overload::Unusable(overhead) => format!("the overhead table has no usable {overhead}"),
    }
}

fn overdemand(dossier: &Dossier<'_>, finding: &Finding, window: Option<u64>) -> String {
    let asked = finding.margin.map_or(String::new(), |margin| format!(" ({})", inequality(dossier, margin)));
    match window {
        Some(window) => {
            format!("no schedule can serve what a window of {} can be asked for{asked}", dossier.time(window))
        }
        None => format!("more is asked for in the long run than the processors have{asked}"),
    }
}

fn missed(dossier: &Dossier<'_>, job: &MissedJob) -> String {
    let when = match dossier.tasks().iter().any(|task| task.jitter > 0) {
        true => ", its task's first arrival being 0 and all first releases together, as late as its jitter allows",
        false => " when all tasks arrive at 0 and then as often as they may",
    };
    format!(
        "job {} of '{}', arriving at {}, misses its deadline at {}{when}",
        job.job,
        dossier.name(job.task),
        dossier.time(job.arrival),
        dossier.time(job.deadline)
    )
}

/// Distance from the edge as a share of the capacity, where there are two sides: "12.3 %".
pub fn headroom(finding: &Finding) -> Option<f64> {
    let margin = finding.margin?;
    (finding.verdict != Verdict::Disproven && margin.capacity > 0.0).then(|| 1.0 - margin.demand / margin.capacity)
}
