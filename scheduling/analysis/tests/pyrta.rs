//! The same bounds as pyRTA's for tasks with parts that are not preempted: its time is discrete, in thousandths of a tick, and its
//! blocking one of these thousandths shorter than the part.

use prazo_analysis::Response;
use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Task, Verdict};
use prazo_core::behaviour::{ArrivalCurve, ArrivalStep, Behaviour, Locking, NonPreemptive};

const BOUNDS: &str = include_str!("../../../testing/data/pyrta/bounds.txt");

const CURVES: &str = include_str!("../../../testing/data/pyrta/curves.txt");

/// One line: the policy, the system, and the bounds in thousandths of a tick.
fn read(line: &str) -> (&str, System<'static>, Vec<Option<u64>>) {
    let (set, bounds) = line.split_once(" : ").expect("bounds behind the tasks");
    let mut words = set.split(' ');
    let policy = words.next().expect("a policy");
    let (tasks, behaviours) = words.map(member).unzip();
    let bounds = bounds.split(' ').map(|bound| bound.parse().ok()).collect();
    (policy, System::new(tasks, behaviours, Locking::Srp), bounds)
}

fn member(word: &str) -> (Task, Behaviour<'static>) {
    let numbers: Vec<u64> = word.split(',').map(|number| number.parse().expect("a number")).collect();
    let [cost, period, deadline, jitter, longest, last] = numbers[..] else { panic!("six numbers, not {word}") };
    let non_preemptive = NonPreemptive { longest, last };
    (Task { jitter, ..Task::new(cost, period, deadline) }, Behaviour { non_preemptive, ..Behaviour::default() })
}

#[test]
fn bounds_and_verdicts_are_those_of_pyrta_between_its_ticks() {
    let (mut bounds_compared, mut verdicts) = (0, [0; 2]);
    let began = std::time::Instant::now();
    for line in BOUNDS.lines() {
        let (policy, system, theirs) = read(line);
        let within = |(task, bound): (&Task, &Option<u64>)| bound.is_some_and(|bound| bound <= 1_000 * task.deadline);
        let is_schedulable = system.tasks.iter().zip(&theirs).all(within);
        let budget = &mut Budget::unlimited();
        if policy == "edf" {
            let proven = edf::test(&system, budget).verdict == Verdict::Proven;
            assert_eq!(proven, is_schedulable, "{line}");
            verdicts[usize::from(proven)] += 1;
            continue;
        }
        assert_eq!(fixed_priority::test(&system, budget).is_proven(), is_schedulable, "{line}");
        for (place, response) in fixed_priority::responses(&system, budget).unwrap().into_iter().enumerate() {
            let below = system.of_tasks[place + 1..].iter().any(|behaviour| behaviour.non_preemptive.longest > 0);
            let Response::Within(ours) = response else { continue };
            assert_eq!(theirs[place], Some(1_000 * ours - u64::from(below)), "task {place} of {line}");
            bounds_compared += 1;
        }
    }
    eprintln!("{bounds_compared} bounds, {verdicts:?} verdicts of EDF, in {:?}", began.elapsed());
    assert!(bounds_compared > 500 && verdicts.iter().all(|count| *count > 50));
}

fn stepped(word: &str) -> (Task, Behaviour<'static>) {
    let parts: Vec<&str> = word.split(',').collect();
    let [cost, deadline, steps] = parts[..] else { panic!("three parts, not {word}") };
    let step = |text: &str| {
        let (jobs, within) = text.split_once(':')?;
        Some(ArrivalStep { jobs: jobs.parse().ok()?, within: within.parse().ok()? })
    };
    let steps: Vec<ArrivalStep> = steps.split(';').map(|text| step(text).expect("jobs and time")).collect();
    let curve = ArrivalCurve::new(&steps).expect("a curve");
    let ArrivalStep { jobs, within } = curve.longest();
    let task = Task::new(cost.parse().unwrap(), within.div_ceil(jobs), deadline.parse().unwrap());
    (task, Behaviour { curve: Some(curve), ..Behaviour::default() })
}

#[test]
fn bounds_with_arrival_curves_are_those_of_pyrta() {
    let (mut bounds_compared, mut verdicts) = (0, [0; 2]);
    for line in CURVES.lines() {
        let (set, bounds) = line.split_once(" : ").expect("bounds behind the tasks");
        let (policy, set) = set.split_once(' ').expect("a policy");
        let (tasks, behaviours): (Vec<Task>, _) = set.split(' ').map(stepped).unzip();
        let theirs: Vec<Option<u64>> = bounds.split(' ').map(|bound| bound.parse().ok()).collect();
        let within = |(task, bound): (&Task, &Option<u64>)| bound.is_some_and(|bound| bound <= task.deadline);
        let is_schedulable = tasks.iter().zip(&theirs).all(within);
        let system = System::new(tasks, behaviours, Locking::Srp);
        let budget = &mut Budget::unlimited();
        if policy == "edf" {
            let proven = edf::test(&system, budget).verdict == Verdict::Proven;
            assert_eq!(proven, is_schedulable, "{line}");
            verdicts[usize::from(proven)] += 1;
            continue;
        }
        assert_eq!(fixed_priority::test(&system, budget).is_proven(), is_schedulable, "{line}");
        for (place, response) in fixed_priority::responses(&system, budget).unwrap().into_iter().enumerate() {
            match response {
                Response::Within(ours) => assert_eq!(theirs[place], Some(ours), "task {place} of {line}"),
                Response::Beyond { .. } => {
                    assert!(theirs[place].is_none_or(|theirs| theirs > system.tasks[place].deadline));
                }
            }
            bounds_compared += 1;
        }
    }
    eprintln!("{bounds_compared} bounds, {verdicts:?} verdicts of EDF");
    assert!(bounds_compared > 500 && verdicts.iter().all(|count| *count > 30));
}
