//! Two traces of one queue, event by event, as far as the schedule is beyond doubt.

use prazo_core::time::Duration;
use prazo_lab::own_kernel::Event;

/// Instants closer than this may change places on a platform that costs something.
pub(super) const APART: Duration = Duration::from_ms(2);
/// What each event of a queue adds to the lateness of a job that is dispatched again and again. The kernel's clock goes on while it
/// switches, so that budgets and costs end later and later, and near the end of a run perhaps behind it.
const LATER_BY_EVENT: Duration = Duration::from_us(10);
/// Events that both write.
const COMPARED: [&str; 12] = [
    "arrival",
    "release",
    "dispatch",
    "migration",
    "preemption",
    "completion",
    "miss",
    "overrun",
    "abortion",
    "skip",
    "budget_exhaustion",
    "replenishment",
];
/// The name under which the instant of a deadline stands among the simulated events, be the job late or not.
pub(super) const DEADLINE: &str = "deadline";
/// And that under which the end of a budget does of which nothing was to be seen.
pub(super) const BUDGET_END: &str = "budget_end";
/// What a clock brings about; all that it brings at one instant is served together.
const ALARMS: [&str; 3] = ["arrival", "miss", DEADLINE];
/// What a thread brings about, or its server: must be alone.
const ENDS: [&str; 3] = ["completion", "budget_exhaustion", BUDGET_END];

/// Two instants too close to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    /// The first of them.
    pub at_ns: u64,
    /// The task.
    pub tasks: Vec<usize>,
}

/// How far two traces were compared, and agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Events.
    pub count: usize,
    /// The instant from which on nothing was compared.
    pub until_ns: u64,
    /// True if that is the end of the run.
    pub is_whole: bool,
}

impl Agreement {
    /// Compares one queue. Every event of one trace must be in the other, at the same place; an error shows where not.
    pub(super) fn of_queue(queue: u64, simulated: &[Event], ran: &[Event], duration: Duration) -> Result<Self, String> {
        let doubt = doubt_in(queue, simulated);
        let (simulated, ran) = (of_queue(queue, simulated), of_queue(queue, ran));
        let late_ns = APART.as_ns() + LATER_BY_EVENT.as_ns() * simulated.len() as u64;
        let end = duration.as_ns().saturating_sub(late_ns);
        let until_ns = doubt.map_or(end, |doubt| doubt.at_ns.min(end));
        // The kernel's instants are a little late, never as late as half of what lies between two.
        let before = |events: &[&Event], at_ns| events.iter().filter(|event| event.at_ns < at_ns).count();
        let count = before(&simulated, until_ns).max(before(&ran, until_ns.saturating_sub(APART.as_ns() / 2)));
        match (0..count).find(|place| step(&simulated, *place) != step(&ran, *place)) {
            None => Ok(Self { count, until_ns, is_whole: until_ns == end }),
            Some(place) => Err(format!("queue {queue} differs at event {place}:\n{}", around(place, &simulated, &ran))),
        }
    }
}

impl std::fmt::Display for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, until_ns, is_whole } = self;
        let why = if *is_whole { "" } else { ", where instants lie less than 2 ms apart" };
        write!(f, "{count} events agree, up to {} ms{why}", until_ns / 1_000_000)
    }
}

/// The first instant of a queue that a platform with costs may order otherwise.
pub(super) fn doubt_in(queue: u64, simulated: &[Event]) -> Option<Doubt> {
    doubt(&simulated.iter().filter(|event| event.queue == queue).collect::<Vec<_>>())
}

/// Arrivals and deadlines at one instant are served together; an end must be alone with the dispatch that follows from it.
fn doubt(events: &[&Event]) -> Option<Doubt> {
    let is_alarm = |event: &Event| ALARMS.contains(&event.event.as_str());
    let is_cause = |event: &&&Event| is_alarm(event) || ENDS.contains(&event.event.as_str());
    let mut causes: Vec<&&Event> = events.iter().filter(is_cause).collect();
    causes.sort_by_key(|event| event.at_ns);
    let is_doubtful = |pair: &&[&&Event]| {
        let gap = pair[1].at_ns - pair[0].at_ns;
        let are_alarms = pair.iter().all(|event| is_alarm(event));
        gap < APART.as_ns() && !(gap == 0 && are_alarms)
    };
    let pair = causes.windows(2).find(is_doubtful)?;
    Some(Doubt { at_ns: pair[0].at_ns, tasks: pair.iter().map(|event| event.task as usize).collect() })
}

fn of_queue(queue: u64, events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.queue == queue && COMPARED.contains(&event.event.as_str())).collect()
}

/// What is compared of an event.
fn step<'a>(events: &[&'a Event], place: usize) -> Option<(&'a str, u64, u64)> {
    events.get(place).map(|event| (event.event.as_str(), event.task, event.job))
}

/// Both traces near `place`, side by side.
fn around(place: usize, simulated: &[&Event], ran: &[&Event]) -> String {
    let description = |events: &[&Event], place| {
        let words =
            |event: &&Event| format!("{} {} {} at {} us", event.event, event.task, event.job, event.at_ns / 1_000);
        events.get(place).map_or("nothing".to_owned(), words)
    };
    let line = |near| {
        format!("  {near:>6}  simulated: {:<40} ran: {}\n", description(simulated, near), description(ran, near))
    };
    (place.saturating_sub(3)..place + 3).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DURATION: Duration = Duration::from_ms(100);

    fn event(at_ms: u64, event: &str, task: u64) -> Event {
        Event { queue: 0, at_ns: at_ms * 1_000_000, event: event.into(), task, job: 0, cpu: 0 }
    }

    fn compared(simulated: &[Event], ran: &[Event]) -> Result<usize, String> {
        Agreement::of_queue(0, simulated, ran, DURATION).map(|agreement| agreement.count)
    }

    fn doubt_at(simulated: &[Event]) -> Option<u64> {
        doubt_in(0, simulated).map(|doubt| doubt.at_ns)
    }

    #[test]
    fn instants_and_processors_may_differ_and_the_order_may_not() {
        let simulated = [event(0, "arrival", 0), event(0, "dispatch", 0), event(5, "completion", 0)];
        let mut ran = simulated.clone();
        ran[2].at_ns += 7_000;
        ran[1].cpu = 3;
        assert_eq!(compared(&simulated, &ran), Ok(3));
        ran.swap(0, 1);
        assert!(compared(&simulated, &ran).unwrap_err().contains("event 0"));
    }

    #[test]
    fn an_event_too_many_on_either_side_is_a_difference_unless_it_lies_at_the_end() {
        let few = [event(0, "release", 0)];
        let more = [event(0, "release", 0), event(50, "dispatch", 0)];
        let late = [event(0, "release", 0), event(99, "dispatch", 0)];
        assert!(compared(&few, &more).is_err() && compared(&more, &few).is_err());
        assert_eq!((compared(&few, &late), compared(&late, &few)), (Ok(1), Ok(1)));
    }

    /// Seed 77716 of the random sets: 259 events before it, a budget ended 2.4 ms before the end, and in the kernel not at all.
    #[test]
    fn lateness_adds_up_and_the_end_of_a_long_run_is_left_out() {
        let mut simulated: Vec<Event> = (0..259).map(|number| event(number * 9, "arrival", number)).collect();
        let ran = simulated.clone();
        simulated.push(Event { at_ns: 2_497_642_000, ..event(0, "budget_exhaustion", 3) });
        let agreement = Agreement::of_queue(0, &simulated, &ran, Duration::from_ms(2_500)).unwrap();
        assert_eq!((agreement.count, agreement.until_ns), (259, 2_495_400_000));
        simulated[259].at_ns -= 3_000_000;
        assert!(
            Agreement::of_queue(0, &simulated, &ran, Duration::from_ms(2_500)).is_err(),
            "what lies before is compared"
        );
    }

    #[test]
    fn a_completion_at_the_instant_of_an_arrival_ends_the_comparison() {
        let simulated = [event(0, "arrival", 0), event(20, "completion", 0), event(20, "arrival", 1)];
        let ran = [event(0, "arrival", 0), event(20, "arrival", 1), event(20, "completion", 0)];
        let agreement = Agreement::of_queue(0, &simulated, &ran, DURATION).unwrap();
        assert_eq!(agreement, Agreement { count: 1, until_ns: 20_000_000, is_whole: false });
        assert!(compared(&simulated, &ran[1..]).is_err(), "before that nothing may be missing");
    }

    #[test]
    fn arrivals_at_one_instant_are_beyond_doubt() {
        assert_eq!(doubt_in(0, &[event(0, "arrival", 0), event(0, "arrival", 1), event(9, "completion", 0)]), None);
        assert_eq!(doubt_at(&[event(0, "arrival", 0), event(1, "arrival", 1)]), Some(0));
    }

    #[test]
    fn a_job_that_ends_at_its_deadline_could_be_late_or_not() {
        assert_eq!(doubt_at(&[event(5, "completion", 0), event(6, DEADLINE, 0)]), Some(5_000_000));
        assert_eq!(doubt_in(0, &[event(6, DEADLINE, 0), event(6, "miss", 0), event(6, "arrival", 0)]), None);
    }

    #[test]
    fn what_only_the_simulator_writes_is_not_compared() {
        assert_eq!(compared(&[event(0, DEADLINE, 0), event(0, "release", 0)], &[event(0, "release", 0)]), Ok(1));
    }
}
