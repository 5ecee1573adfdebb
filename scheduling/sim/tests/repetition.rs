//! A schedule that repeats is a proof, and where nothing may be claimed nothing is.

mod support;

use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_core::time::{Duration, Instant};
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::sink::{Memory, Nowhere};
use prazo_sim::{Limits, Model, Policy, Repeats, Request, SimulationResult, Variation, simulate};
use support::sets::{Kinds, Set};

const UNTIL_IT_REPEATS: Limits =
    Limits { horizon: Instant::from_ns(1 << 40), events: 20_000, stop_when_repeating: true };

fn run(tasks: &[Task], processors: u32, overheads: Overheads<'_>, variation: Variation) -> SimulationResult {
    let request = Request {
        tasks,
        conduct: &[],
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: 1,
        clusters: &[processors],
        places: &vec![0; tasks.len()],
        policy: &Policy::EarliestDeadlineFirst,
        overheads,
        variation,
    };
    simulate(&Model::new(&request).unwrap(), &UNTIL_IT_REPEATS, Nowhere)
}

#[test]
fn constrained_deadlines_repeat_after_one_hyperperiod() {
    let outcome = run(&[Task::implicit(2, 4), Task::implicit(3, 6)], 1, Overheads::NONE, Variation::default());
    assert_eq!(outcome.repeats, Some(Repeats { from: Instant::EPOCH, period: Duration::from_ns(12) }));
    assert_eq!((outcome.end.as_ns(), outcome.figures.total(|task| task.missed)), (12, 0));
}

/// The backlog of the long deadline grows for seven hyperperiods before the first miss, at 401.
#[test]
fn long_deadlines_are_not_believed_after_one_hyperperiod() {
    let tasks = [Task::implicit(2, 6), Task::implicit(1, 6), Task::new(26, 27, 77)];
    let outcome = run(&tasks, 2, Overheads::NONE, Variation::default());
    assert_eq!(outcome.figures.misses.first().map(|miss| (miss.task, miss.deadline.as_ns())), Some((2, 401)));
}

#[test]
fn an_overload_never_repeats() {
    let outcome = run(&[Task::implicit(2, 3), Task::implicit(2, 3)], 1, Overheads::NONE, Variation::default());
    assert_eq!(outcome.repeats, None);
    assert!(outcome.figures.total(|task| task.missed) > 1_000);
}

#[test]
fn nothing_is_claimed_for_chance_or_for_overheads() {
    let tasks = [Task::implicit(1, 4), Task::implicit(1, 6)];
    let quarter = Overhead::constant(Ratio::new(1, 4).unwrap());
    let overheads = Overheads { scheduling: quarter, ..Overheads::NONE };
    assert_eq!(run(&tasks, 1, overheads, Variation::default()).repeats, None);
    let sporadic = Arrivals::Sporadic { extra_thousandths: 500 };
    for variation in [
        Variation { offsets: Offsets::Random, ..Variation::default() },
        Variation { arrivals: sporadic, ..Variation::default() },
    ] {
        assert_eq!(run(&tasks, 1, Overheads::NONE, variation).repeats, None);
    }
}

/// What follows a repetition is what was there before, shifted by the period: shown by simulating on.
#[test]
fn what_repeats_goes_on_repeating() {
    let (seed, mut seen) = (support::seed("repetition", 20_261_123), 0);
    for number in 0..300 {
        let model = Set::draw(seed, number, Kinds::default()).model();
        let Some(Repeats { from, period }) = simulate(&model, &UNTIL_IT_REPEATS, Nowhere).repeats else {
            continue;
        };
        let (from_ns, period_ns) = (from.as_ns(), period.as_ns());
        let mut memory = Memory::new(usize::MAX);
        let _ = simulate(&model, &Limits::until(Instant::from_ns(from_ns + 3 * period_ns)), &mut memory);
        let lap = |number: u64| {
            let (start, end) = (from_ns + number * period_ns, from_ns + (number + 1) * period_ns);
            let inside = memory.events.iter().filter(move |event| (start..end).contains(&event.at.as_ns()));
            let runs = inside.filter(|event| matches!(event.kind.name(), "release" | "preemption"));
            runs.map(move |event| (event.at.as_ns() - start, event.task, event.kind.name())).collect::<Vec<_>>()
        };
        let kind = |mut lap: Vec<_>| {
            lap.sort();
            lap
        };
        assert_eq!(kind(lap(1)), kind(lap(2)), "seed {seed}, set {number}");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} of 300 sets repeat");
}

#[test]
fn the_same_seed_gives_the_same_trace_and_another_seed_another() {
    let tasks = [Task::implicit(30, 100), Task::implicit(50, 170)];
    let trace = |seed| {
        let variation =
            Variation { seed, arrivals: Arrivals::Sporadic { extra_thousandths: 500 }, ..Variation::default() };
        let request = Request {
            tasks: &tasks,
            conduct: &[],
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            ns_per_tick: 1,
            clusters: &[1],
            places: &[0, 0],
            policy: &Policy::RateMonotonic,
            overheads: Overheads::NONE,
            variation,
        };
        let mut memory = Memory::new(1_000);
        let _ = simulate(&Model::new(&request).unwrap(), &Limits::until(Instant::from_ns(20_000)), &mut memory);
        memory.events
    };
    assert_eq!(trace(1), trace(1));
    assert_ne!(trace(1), trace(2));
}
