//! A workload of POET: YAML with a policy, a preemption model and tasks on one processor.
//!
//! ```text
//! scheduling policy: FP
//! preemption model: NP
//! task set:
//! - id: 1
//!   worst-case execution time: 50
//!   arrival curve: [220, [[1, 1], [105, 2]]]
//!   deadline: 100
//!   priority: 2
//! ```
//!
//! Times are ticks of no stated length. A step `[d, n]` of an arrival curve says that n jobs may arrive within d ticks but not within
//! d - 1, and the horizon H that the last n are the most within H. So at most n jobs arrive in a half-open interval whose length is
//! the next step less one, and for the last n the horizon: these are the steps of an [`ArrivalCurve`], of which those that others imply
//! are left out. Both describe the same arrivals, since every longer interval is a sum of such (Maida, Bozhko, Brandenburg 2022).

use super::rank;
use super::task_keys::TaskDraft;
use super::yaml::{self, Entry, Placed, Value, at};
use super::{stem, whole};
use crate::behaviour::Preemption;
use crate::curve::DensestArrivals;
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::set::{JobRanking, NamedTask, Priorities, Scenario};
use crate::unit::Scale;
use prazo_core::behaviour::{ArrivalCurve, ArrivalStep};
use prazo_core::task::Ticks;

/// The key that shows the format.
pub(super) const TASKS: &str = "task set";
const KEYS: [&str; 3] = ["scheduling policy", "preemption model", TASKS];
const TASK: [&str; 7] =
    ["id", "worst-case execution time", "period", "min interarrival", "arrival curve", "deadline", "priority"];

/// Reads `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let scenario = yaml::read(file, text, |root| workload(file, root))?;
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

fn workload(file: &str, root: &Value) -> Placed<Scenario> {
    let entries = root.entries(&KEYS)?;
    let find = |key: &str| {
        let found = entries.iter().find(|entry| entry.key == key);
        found.ok_or_else(|| (Problem::new("the key is missing", "add it").of(key), root.line))
    };
    let word = |key: &str, known: &[&str]| -> Placed<usize> {
        let entry = find(key)?;
        let text = at(entry.value.line, entry.value.text().map_err(|problem| problem.of(key)))?;
        known.iter().position(|one| *one == text).ok_or_else(|| {
            let problem = Problem::new(format!("unknown value '{text}'"), nearest::remedy(text, known));
            (problem.of(key), entry.value.line)
        })
    };
    // Each value has a short and a long name.
    let fixed = word("scheduling policy", &["FP", "fixed-priority", "EDF", "earliest-deadline-first"])? < 2;
    let preemptive = word("preemption model", &["FP", "fully-preemptive", "NP", "non-preemptive"])? < 2;
    let preemption = if preemptive { Preemption::Anywhere } else { Preemption::Never };
    let (mut tasks, mut urgencies) = (Vec::new(), Vec::new());
    for value in find(TASKS)?.value.list()? {
        let (named, urgency) = task(value, &preemption)?;
        tasks.push(named);
        urgencies.push(urgency);
    }
    let mut remarks = Vec::new();
    if fixed {
        let urgencies: Option<Vec<i128>> = urgencies.into_iter().collect();
        let ranks = rank::ranks(&urgencies.unwrap_or_default());
        tasks.iter_mut().zip(&ranks).for_each(|(named, rank): (&mut NamedTask, _)| named.priority = Some(*rank));
        remarks.extend(rank::any_equal(&ranks).then(|| rank::EQUAL.to_owned()));
    } else if urgencies.iter().any(Option::is_some) {
        remarks.push("the analysis does not use: priority".to_owned());
    }
    Ok(Scenario {
        name: stem(file),
        remarks,
        tasks,
        processors: Some(1),
        policy: Some(if fixed { JobRanking::FixedPriority(Priorities::Given) } else { JobRanking::Edf }),
        ..Scenario::default()
    })
}

/// The task, and its urgency where it has one: of POET's priorities the highest is the most urgent.
fn task(value: &Value, preemption: &Preemption) -> Placed<(NamedTask, Option<i128>)> {
    let entries = value.entries(&TASK)?;
    let Some(id) = entries.iter().find(|entry| entry.key == "id") else {
        return Err((Problem::new("the key is missing", "give every task a number as its id").of("id"), value.line));
    };
    let name = at(id.line, id.value.whole().map_err(|problem| problem.of("id")))?.to_string();
    let in_task = |(problem, line): (Problem, u32)| (problem.in_task(&name), line);
    let mut draft = TaskDraft { preemption: Some(preemption.clone()), ..TaskDraft::default() };
    let mut urgency = None;
    for Entry { key, value, .. } in entries {
        let time = || at(value.line, value.time(Scale::Tick, None).map_err(|problem| problem.of(key))).map_err(in_task);
        match key.as_str() {
            "worst-case execution time" => draft.cost = Some(time()?),
            "period" => draft.period = Some(time()?),
            "min interarrival" => draft.min_inter_arrival = Some(time()?),
            "deadline" => draft.deadline = Some(time()?),
            "arrival curve" => {
                draft.curve = Some(curve(value).map_err(|(problem, line)| (problem.of(key), line)).map_err(in_task)?);
            }
            "priority" => {
                let number = at(value.line, value.whole().map_err(|problem| problem.of(key))).map_err(in_task)?;
                urgency = Some(-i128::from(number));
            }
            _ => {}
        }
    }
    let stated = |key: &str| entries.iter().any(|entry| entry.key == key);
    let missing = ["worst-case execution time", "deadline"].into_iter().find(|key| !stated(key));
    let problem = match missing {
        Some(key) => Some(Problem::new("the key is missing", "add it").of(key)),
        None if ["period", "min interarrival", "arrival curve"].into_iter().filter(|key| stated(key)).count() != 1 => {
            let problem = "expected one of period, min interarrival and arrival curve";
            Some(Problem::new(problem, "keep or add one of the three keys"))
        }
        None => None,
    };
    if let Some(problem) = problem {
        return Err(in_task((problem, value.line)));
    }
    let named = at(value.line, draft.finish(&name)).map_err(in_task)?;
    Ok((named, urgency))
}

/// The curve that `[horizon, [[length, jobs], ...]]` describes.
fn curve(value: &Value) -> Placed<ArrivalCurve> {
    let wrong = |line| {
        let problem =
            "expected a horizon and ascending steps; the first step begins at 1, and the last one before the horizon";
        (Problem::new(problem, "write the curve as in [220, [[1, 1], [105, 2]]]"), line)
    };
    let number = |value: &Value| at(value.line, value.time(Scale::Tick, None));
    let [horizon, list] = value.list()? else { return Err(wrong(value.line)) };
    let horizon = number(horizon)?;
    let mut corners: Vec<(Ticks, u64)> = Vec::new();
    for corner in list.list()? {
        let [length, jobs] = corner.list()? else { return Err(wrong(corner.line)) };
        let (length, jobs) = (number(length)?, number(jobs)?);
        let ascends = corners.last().is_none_or(|(earlier, fewer)| *earlier < length && *fewer < jobs);
        if !ascends || (corners.is_empty() && length != 1) || length >= horizon {
            return Err(wrong(corner.line));
        }
        corners.push((length, jobs));
    }
    let ends = corners.iter().skip(1).map(|(length, _)| length - 1).chain([horizon]);
    let steps = corners.iter().zip(ends).map(|((_, jobs), within)| ArrivalStep { jobs: *jobs, within });
    needed(steps).map_err(|problem| (problem, value.line))?.ok_or_else(|| wrong(value.line))
}

/// The curve of those `steps` that the earlier ones do not imply; `None` if there is none.
fn needed(steps: impl Iterator<Item = ArrivalStep>) -> Result<Option<ArrivalCurve>, Problem> {
    let mut kept: Vec<ArrivalStep> = Vec::new();
    let mut curve = None;
    for step in steps {
        let implied = |curve: &ArrivalCurve| DensestArrivals::of(curve).earliest(step.jobs) >= u128::from(step.within);
        if curve.as_ref().is_some_and(implied) {
            continue;
        }
        kept.push(step);
        curve = Some(ArrivalCurve::new(&kept).ok_or_else(too_long)?);
    }
    Ok(curve)
}

fn too_long() -> Problem {
    let problem = format!(
        "the curve needs more than {} steps, or more than {} jobs in one step",
        ArrivalCurve::STEPS_MAX,
        ArrivalCurve::JOBS_MAX
    );
    Problem::new(
        problem,
        "shorten the horizon, or merge steps: [11, 2] and [21, 3] become [11, 3]; the curve then allows more arrivals",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Arrival;

    fn set(policy: &str, model: &str, tasks: &str) -> Result<Scenario, ReadError> {
        read("w.yaml", &format!("scheduling policy: {policy}  # how\npreemption model: {model}\ntask set:\n{tasks}\n"))
    }

    fn task_with(more: &str) -> String {
        format!("- id: 3\n  worst-case execution time: 5\n  deadline: 70\n{more}")
    }

    fn message(more: &str) -> String {
        set("EDF", "FP", &task_with(more)).unwrap_err().to_string()
    }

    #[test]
    fn tasks_have_a_policy_a_preemption_model_and_arrivals() {
        let tasks = format!(
            "{}\n{}",
            task_with("  period: 60\n  priority: -2"),
            task_with("  min interarrival: 50\n  priority: 9").replace("id: 3", "id: 4")
        );
        let scenario = set("FP", "NP", &tasks).unwrap();
        assert_eq!(scenario.policy, Some(JobRanking::FixedPriority(Priorities::Given)));
        assert_eq!((scenario.ranks(), scenario.processors, scenario.unit), (Some(vec![1, 0]), Some(1), None));
        let arrivals: Vec<_> = scenario.tasks.iter().map(|named| (named.arrival, named.task.period)).collect();
        assert_eq!(arrivals, [(Arrival::Periodic, 60), (Arrival::Sporadic, 50)]);
        assert!(scenario.tasks.iter().all(|named| named.behaviour.preemption == Preemption::Never));
        let edf = set("earliest-deadline-first", "fully-preemptive", &task_with("  period: 60")).unwrap();
        assert_eq!((edf.policy, edf.ranks()), (Some(JobRanking::Edf), None));
        assert!(edf.remarks.is_empty());
        let ignored = set("EDF", "FP", &task_with("  period: 60\n  priority: 9")).unwrap();
        assert_eq!(ignored.remarks, ["the analysis does not use: priority"]);
        let equal = set("FP", "FP", &tasks.replace("priority: 9", "priority: -2")).unwrap();
        assert_eq!(equal.remarks, [rank::EQUAL]);
    }

    #[test]
    fn a_curve_allows_exactly_the_arrivals_of_its_prefix() {
        let steps = |text: &str| -> Vec<(u64, Ticks)> {
            let scenario = set("EDF", "FP", &task_with(&format!("  arrival curve: {text}"))).unwrap();
            scenario.tasks[0].behaviour.curve.unwrap().steps().iter().map(|step| (step.jobs, step.within)).collect()
        };
        assert_eq!(steps("[220, [[1, 1], [105, 2]]]"), [(1, 104), (2, 220)]);
        // Two at once, none else in 7 ticks.
        assert_eq!(steps("[7, [[1, 2]]]"), [(2, 7)]);
        // That 2 arrive within 20 at most, 10 apart, says nothing new.
        assert_eq!(steps("[21, [[1, 1], [11, 2]]]"), [(1, 10), (2, 21)]);
        assert_eq!(steps("[20, [[1, 1], [11, 2]]]"), [(1, 10)]);
    }

    /// Prosa's definition: so many of the horizon's jobs as it fits, and those of the rest.
    #[test]
    fn a_curve_counts_as_prosas_extrapolation_where_that_is_subadditive() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let count = random.u64(1..=5);
            let (mut length, mut jobs) = (1, random.u64(1..=2));
            let mut corners = vec![(length, jobs)];
            for _ in 1..count {
                (length, jobs) = (length + random.u64(1..=9), jobs + random.u64(1..=2));
                corners.push((length, jobs));
            }
            let horizon = length + random.u64(1..=9);
            let inside: Vec<String> = corners.iter().map(|(length, jobs)| format!("[{length}, {jobs}]")).collect();
            let text = format!("  arrival curve: [{horizon}, [{}]]", inside.join(", "));
            let scenario = set("EDF", "FP", &task_with(&text)).unwrap();
            let curve = DensestArrivals::of(&scenario.tasks[0].behaviour.curve.unwrap());
            let within = |length: u64| corners.iter().rfind(|(from, _)| *from <= length).map_or(0, |(_, jobs)| *jobs);
            let prosa: Vec<u64> =
                (0..120).map(|length| length / horizon * within(horizon) + within(length % horizon)).collect();
            // The least sum over all ways to cut an interval, by definition.
            let mut least = prosa.clone();
            for length in 1..least.len() {
                least[length] = (1..length).map(|cut| least[cut] + least[length - cut]).fold(least[length], u64::min);
            }
            for (length, least) in least.iter().enumerate().skip(1) {
                let arrived = curve.arrived(length as u128 - 1);
                assert_eq!(arrived, u128::from(*least), "{corners:?} {horizon} {length}");
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        assert_eq!(message("  perod: 9"), "w.yaml:7: perod: unknown key; did you mean 'period'?");
        assert!(message("").contains("task '3': expected one of period"));
        assert!(message("  period: 9\n  min interarrival: 9").contains("expected one of period"));
        for wrong in ["nan", ".inf", "-3", "1e99", "0", "", "'9'", "09", "[1]", "2.5"] {
            let text = message(&format!("  period: {wrong}"));
            assert!(text.starts_with("w.yaml:7: period of task '3': "), "{text}");
        }
        for wrong in
            ["9", "[9]", "[9, []]", "[9, [[2, 1]]]", "[9, [[1, 1], [1, 2]]]", "[9, [[1, 1], [9, 2]]]", "[9, [1]]"]
        {
            let text = message(&format!("  arrival curve: {wrong}"));
            assert!(text.starts_with("w.yaml:7: arrival curve of task '3': "), "{text}");
        }
        let many: Vec<String> = (1..=25).map(|step: u64| format!("[{}, {step}]", step * step * step)).collect();
        assert!(message(&format!("  arrival curve: [20000, [{}]]", many.join(", "))).contains("more than 24 steps"));
        assert!(
            set("LIFO", "FP", &task_with("  period: 9")).unwrap_err().to_string().starts_with("w.yaml:1: scheduling")
        );
        let unranked = set("FP", "FP", &task_with("  period: 9")).unwrap_err().to_string();
        assert!(unranked.contains("priority of task '3': the key is missing"), "{unranked}");
        assert!(
            read("w.yaml", "task set: []\n").unwrap_err().to_string().contains("scheduling policy: the key is missing")
        );
        assert!(set("EDF", "FP", "").unwrap_err().to_string().starts_with("w.yaml:3: expected a list"));
    }
}
