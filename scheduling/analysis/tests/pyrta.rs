//! The same bounds as pyRTA's for tasks with parts that are not preempted: its time is discrete, in thousandths of a tick, and its
//! blocking one of these thousandths shorter than the part.

use prazo_analysis::blocking::fixed_priority::Response;
use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Task, Verdict};
use prazo_core::behaviour::{Behaviour, Locking, NonPreemptive};

const BOUNDS: &str = include_str!("../../../testing/data/pyrta/bounds.txt");

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
