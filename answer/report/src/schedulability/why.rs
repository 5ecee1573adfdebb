//! The sentence behind a finding: which inequality, at which task, by how much.

use super::Dossier;
use prazo_analysis::blocking::{edf, fixed_priority};
use prazo_analysis::mixed::edf_vd;
use prazo_analysis::overheads::Overload;
use prazo_analysis::{
    ExecutedJob, Finding, LateExecution, LateJob, LatePattern, Margin, MissedJob, Quantity, Reason, Verdict,
};
use prazo_analysis::{reach, schedule_graph};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::text::counted;

/// Why the finding says what it says, in a sentence without a full stop.
pub fn why(dossier: &Dossier<'_>, finding: &Finding) -> String {
    let sentence = sentence(dossier, finding);
    match finding.mode.filter(|_| finding.verdict == Verdict::Disproven) {
        Some(CriticalityMode::Low) => format!("in low mode, if each job runs for its cost: {sentence}"),
        Some(CriticalityMode::High) => {
            format!(
                "in high mode, if each job of high criticality runs for its cost_high and no other job arrives: {sentence}"
            )
        }
        None => sentence,
    }
}

fn sentence(dossier: &Dossier<'_>, finding: &Finding) -> String {
    match &finding.reason {
        Reason::Holds if reach::NAMES.contains(&finding.test) => searched(finding),
        Reason::Holds if schedule_graph::NAMES.contains(&finding.test) => {
            "no job is late in any order in which the jobs can start: the whole schedule graph was searched".to_owned()
        }
        Reason::Holds => sides(dossier, finding, true),
        Reason::DoesNotHold if finding.margin.is_none() => {
            "no miss that disproves the set was found; this does not prove that there is none".to_owned()
        }
        Reason::DoesNotHold => sides(dossier, finding, false),
        Reason::NotApplicable(why) => format!("does not apply: {why}"),
        Reason::BudgetSpent => {
            format!(
                "stopped after {}; a larger --budget may lead to a decision",
                counted(finding.work, "evaluated term")
            )
        }
        Reason::Overloaded(overload) => overloaded(dossier, overload),
        Reason::Overdemand { window } => overdemand(dossier, finding, *window),
        Reason::Missed(job) => missed(dossier, finding, job),
        Reason::MissedIn(pattern) => missed_in(dossier, pattern),
        Reason::MissedBy(execution) => missed_by(dossier, execution),
        Reason::Late(job) => late(dossier, finding, job),
    }
}

fn sides(dossier: &Dossier<'_>, finding: &Finding, holds: bool) -> String {
    let outcome = if holds { "holds" } else { "does not hold" };
    let outcome = match finding.test {
        edf_vd::NAME => match dossier.answer.virtual_deadlines {
            Some(factor) => format!("with virtual deadlines of {factor} D, {outcome}"),
            None => format!("with virtual deadlines, {outcome}"),
        },
        edf::SUSPENDED => format!("with suspensions counted as execution, {outcome}"),
        _ => outcome.to_owned(),
    };
    let at = finding.task.map_or(String::new(), |task| format!(" at '{}'", dossier.name(task)));
    let mode = finding.mode.map_or(String::new(), |mode| format!(" in {mode} mode"));
    match finding.margin {
        Some(margin) => format!("{outcome}{at}{mode}: {}", inequality(dossier, margin, !holds)),
        None => format!("{outcome}{at}{mode}"),
    }
}

/// "density 1.62 of at most 1.5", "work 41 of at most 40 ticks in a window of 20 ticks: 1 tick too much".
/// Both sides in one unit and to as many digits as tell them apart, with what is too much where the test fails.
fn inequality(dossier: &Dossier<'_>, margin: Margin, fails: bool) -> String {
    let Margin { demand, capacity, of } = margin;
    match of {
        Quantity::Utilization => format!("utilization {}", shares(demand, capacity, fails)),
        Quantity::Density => format!("density {}", shares(demand, capacity, fails)),
        Quantity::Work { window } => {
            let sides = one_unit(dossier, demand, capacity);
            let excess = excess(dossier, demand, capacity, fails);
            format!("work {sides} in a window of {}{excess}", dossier.time(window))
        }
        Quantity::ResponseTime => {
            let excess = excess(dossier, demand, capacity, fails);
            format!("response time {}{excess}", one_unit(dossier, demand, capacity))
        }
    }
}

fn shares(demand: f64, capacity: f64, fails: bool) -> String {
    let at = |digits: usize| [demand, capacity].map(|value| rounded(value, digits));
    let [left, right] = (4..=15).map(at).find(|[left, right]| left != right).unwrap_or_else(|| at(4));
    match demand == capacity && fails {
        // Floats do not decide: the exact demand may be larger by less than they resolve, or less is required.
        true => {
            format!(
                "{left} of {right}: equal within rounding; the exact value is larger, or the test requires strictly less"
            )
        }
        false => format!("{left} of at most {right}"),
    }
}

fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `22,000.002 of at most 22,000.000 µs`, without decimals where neither has any; bare ticks for a set without a unit.
fn one_unit(dossier: &Dossier<'_>, demand: f64, capacity: f64) -> String {
    match dossier.ns_per_tick {
        Some(unit) => {
            let sides = [demand, capacity].map(|ticks| format!("{:.3}", ticks * unit as f64 / 1e3));
            let is_whole = sides.iter().all(|side| side.ends_with(".000"));
            let [demand, capacity] = sides.map(|side| grouped(if is_whole { side.replace(".000", "") } else { side }));
            format!("{demand} of at most {capacity} µs")
        }
        None => format!("{} of at most {} ticks", rounded(demand, 3), rounded(capacity, 3)),
    }
}

/// `: 2 ns too much` where a test fails. Only whole ticks are exact in floats.
fn excess(dossier: &Dossier<'_>, demand: f64, capacity: f64, fails: bool) -> String {
    let is_exact = demand.fract() == 0.0 && capacity.fract() == 0.0 && demand.max(capacity) < 2f64.powi(53);
    match demand - capacity {
        _ if !fails => String::new(),
        0.0 if is_exact => ": equal, but the test requires strictly less".into(),
        0.0 => ": equal within rounding; the exact value is larger, or the test requires strictly less".into(),
        excess if excess >= 0.5 => format!(": {} too much", dossier.time_f64(excess)),
        excess if excess > 0.0 => format!(": less than {} too much", dossier.time(1)),
        _ => String::new(),
    }
}

/// The digits before the point in groups of three.
fn grouped(text: String) -> String {
    let (whole, fraction) = text.find('.').map_or((text.as_str(), ""), |point| text.split_at(point));
    match whole.parse() {
        Ok(whole) => format!("{}{fraction}", crate::words::count(whole)),
        Err(_) => text,
    }
}

fn overloaded(dossier: &Dossier<'_>, overload: &Overload) -> String {
    match overload {
        Overload::Interrupts => "timer ticks and release interrupts alone would take a whole processor".to_owned(),
        Overload::Task { task, cost, window } => format!(
            "with overheads, '{}' needs {} of processor time within {}",
            dossier.name(*task),
            dossier.time(*cost),
            dossier.time(*window)
        ),
        Overload::Latency { task } => {
            format!("with overheads, the release delay may leave '{}' no time before its deadline", dossier.name(*task))
        }
        Overload::ReleaseJitter { task } => format!(
            "'{}' has release jitter, so its release interrupts can be closer together than this overhead accounting assumes",
            dossier.name(*task)
        ),
        Overload::Unusable(overhead) => format!("the overhead table has no usable {overhead}"),
    }
}

fn overdemand(dossier: &Dossier<'_>, finding: &Finding, window: Option<u64>) -> String {
    let asked = finding.margin.map_or(String::new(), |margin| format!(" ({})", inequality(dossier, margin, true)));
    match window {
        Some(window) if finding.test == edf::NAME => {
            format!("the demand, with any blocking, does not fit into a window of {}{asked}", dossier.time(window))
        }
        Some(window) if finding.test == edf::SUPPLIED => {
            format!("the demand exceeds the guaranteed supply in a window of {}{asked}", dossier.time(window))
        }
        Some(window) if finding.test == edf::SUSPENDED => {
            let window = dossier.time(window);
            format!(
                "the demand plus the self-suspension of a job due at the window's end does not fit into a window of {window}{asked}"
            )
        }
        Some(window) => {
            format!("no schedule can serve the demand in a window of {}{asked}", dossier.time(window))
        }
        None if [edf::SUPPLIED, fixed_priority::SUPPLIED].contains(&finding.test) => {
            format!("the long-run demand exceeds the supply{asked}")
        }
        None => format!("the long-run demand exceeds the capacity of the processors{asked}"),
    }
}

fn late(dossier: &Dossier<'_>, finding: &Finding, job: &LateJob) -> String {
    let asked = finding.margin.map_or(String::new(), |margin| format!(": {}", inequality(dossier, margin, true)));
    let when = match finding.test {
        fixed_priority::SUPPLIED => "the supply begins as late as possible",
        fixed_priority::SUSPENDED => "no other task suspends itself",
        _ => "the job is blocked as long as possible",
    };
    format!(
        "job {} of '{}' misses its deadline when {when} and all more urgent tasks are released with job 0 of its task{asked}",
        job.job,
        dossier.name(job.task)
    )
}

fn missed(dossier: &Dossier<'_>, finding: &Finding, job: &MissedJob) -> String {
    let when = match dossier.tasks().iter().any(|task| task.jitter > 0) {
        false if finding.mode == Some(CriticalityMode::High) => {
            " when all tasks of high criticality arrive at 0, and then as often as allowed"
        }
        true => {
            " when its task first arrives at 0, and all tasks are first released together, as late as jitter allows"
        }
        false => " when all tasks arrive at 0, and then as often as allowed",
    };
    format!(
        "job {} of '{}', arriving at {}, misses its deadline at {}{when}",
        job.job,
        dossier.name(job.task),
        dossier.time(job.arrival),
        dossier.time(job.deadline)
    )
}

/// What a search of all states that found no miss has looked at.
fn searched(finding: &Finding) -> String {
    let arrivals = if finding.test == reach::NAME_DISCRETE { "at whole ticks" } else { "at any instant" };
    format!("no job is late in any pattern of arrivals {arrivals}: all states were searched")
}

/// "job 1 of 'c', arriving at 3, misses its deadline at 7 when 'a' arrives at 0 and 2, 'b' at 1".
fn missed_in(dossier: &Dossier<'_>, pattern: &LatePattern) -> String {
    let LatePattern { parts, arrivals, job } = pattern;
    let time = |at: u64| fraction(dossier, at, *parts);
    let of_task = |task: usize| {
        let at: Vec<String> =
            arrivals.iter().filter(|arrival| arrival.task == task).map(|arrival| time(arrival.at)).collect();
        (!at.is_empty()).then(|| format!("'{}' at {}", dossier.name(task), list(&at)))
    };
    let all: Vec<String> = (0..dossier.tasks().len()).filter_map(of_task).collect();
    format!(
        "job {} of '{}', arriving at {}, misses its deadline at {} with these arrivals: {}",
        job.job,
        dossier.name(job.task),
        time(job.arrival),
        time(job.deadline),
        all.join("; ")
    )
}

/// "job 1 of 'c', arriving at 3, misses its deadline at 7 if 'a' is released at 0 and needs 2, ...": the last jobs before it.
fn missed_by(dossier: &Dossier<'_>, execution: &LateExecution) -> String {
    const JOBS_SHOWN: usize = 6;
    let LateExecution { parts, jobs, late } = execution;
    let time = |at: u64| fraction(dossier, at, *parts);
    let of = |job: &ExecutedJob| {
        format!("'{}' is released at {} and runs for {}", dossier.name(job.task), time(job.release), time(job.cost))
    };
    let mut before: Vec<&ExecutedJob> = jobs.iter().filter(|job| job.release <= late.deadline).collect();
    before.sort_by_key(|job| job.release);
    let left_out = before.len().saturating_sub(JOBS_SHOWN);
    let shown: Vec<String> = before[left_out..].iter().map(|job| of(job)).collect();
    let others = match left_out {
        0 => String::new(),
        count => format!("; {} not shown here (--pattern writes all)", counted(count as u64, "earlier job")),
    };
    format!(
        "job {} of '{}', arriving at {}, misses its deadline at {} in this execution: {}{others}",
        late.job,
        dossier.name(late.task),
        time(late.arrival),
        time(late.deadline),
        shown.join("; ")
    )
}

/// "0, 2 and 4".
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// An instant in parts of a tick: in the set's unit where it is whole, else in ticks as a fraction.
fn fraction(dossier: &Dossier<'_>, at: u64, parts: u64) -> String {
    let (whole, rest) = (at / parts, at % parts);
    if rest == 0 {
        return dossier.time(whole);
    }
    let common =
        (1..=rest).rev().find(|common| rest.is_multiple_of(*common) && parts.is_multiple_of(*common)).unwrap_or(1);
    let (rest, parts) = (rest / common, parts / common);
    match dossier.ns_per_tick {
        Some(unit) if unit.is_multiple_of(parts) => {
            let ns = whole * unit + rest * (unit / parts);
            prazo_core::time::Duration::from_ns(ns).to_string()
        }
        _ if whole == 0 => format!("{rest}/{parts}"),
        _ => format!("{whole} {rest}/{parts}"),
    }
}

/// Distance from the edge as a share of the capacity, where there are two sides: "12.3 %".
pub fn headroom(finding: &Finding) -> Option<f64> {
    let margin = finding.margin?;
    (finding.verdict != Verdict::Disproven && margin.capacity > 0.0).then(|| 1.0 - margin.demand / margin.capacity)
}
