//! One processor with blocking and bursts: what the tasks do, points of the demand, starts of last parts, or why a job is late.

use super::text::spaced;
use super::{NoCertificate, order};
use crate::blocking::shared::{Alone, Placed};
use crate::blocking::{System, arrivals::Arrivals, edf, fixed_priority, suspension, terms};
use crate::partition::Bin;
use crate::question::{JobRanking, Question, Shape};
use crate::{Budget, Finding, LateJob, Reason, Task};
use prazo_core::behaviour::{Behaviours, Supply};

/// More points, or more jobs of one busy interval, than this are not written.
const LINES_MAX: usize = 1_000_000;
/// Work that it may cost to find the numbers again.
const WORK_MAX: u64 = 200_000_000;

/// The lines that say what the tasks do; none if all are sporadic, independent and preemptable.
pub(super) fn behaviours(question: &Question<'_>) -> String {
    let Behaviours { locking, supply, .. } = question.behaviours;
    if question.behaviours.is_plain() {
        return String::new();
    }
    let system = system(question, &(0..question.tasks.len()).collect::<Vec<_>>());
    let all = || system.of_tasks.iter().enumerate();
    let mut lines = format!("behaviours locking {locking}\n");
    match supply {
        Some(Supply::Periodic { budget, period }) => lines += &format!("supply budget {budget} period {period}\n"),
        Some(Supply::BoundedDelay { rate, delay }) => lines += &format!("supply rate {rate} delay {delay}\n"),
        None => {}
    }
    for (task, behaviour) in all().filter(|(_, behaviour)| behaviour.non_preemptive.longest > 0) {
        let lengths = behaviour.non_preemptive;
        lines += &format!("non-preemptive {task} longest {} last {}\n", lengths.longest, lengths.last);
    }
    for (task, burst) in all().filter_map(|(task, behaviour)| Some((task, behaviour.burst?))) {
        lines += &format!("burst {task} jobs {} within {} distance {}\n", burst.jobs, burst.within, burst.distance);
    }
    for (task, curve) in all().filter_map(|(task, behaviour)| Some((task, behaviour.curve?))) {
        for step in curve.steps() {
            lines += &format!("step {task} jobs {} within {}\n", step.jobs, step.within);
        }
    }
    for (task, behaviour) in all().filter(|(_, behaviour)| behaviour.suspension > 0) {
        lines += &format!("suspension {task} at-most {}\n", behaviour.suspension);
    }
    for (task, cost) in all().filter_map(|(task, behaviour)| Some((task, behaviour.cost_high?))) {
        lines += &format!("criticality {task} cost-high {cost}\n");
    }
    for (task, behaviour) in all() {
        let mut sections = behaviour.sections.to_vec();
        sections.sort_by_key(|section| section.resource);
        for section in sections {
            let requests = if section.requests > 1 { format!(" requests {}", section.requests) } else { String::new() };
            lines += &format!("section {task} resource {} length {}{requests}\n", section.resource, section.length);
        }
    }
    lines
}

fn system<'a>(question: &Question<'a>, members: &[usize]) -> System<'a> {
    let tasks: Vec<Task> = members.iter().map(|&task| question.tasks[task]).collect();
    let of = |task: &usize| question.behaviours.of(*task);
    System::new(tasks, members.iter().map(of).collect(), question.behaviours.locking)
        .with_supply(question.behaviours.supply)
}

/// All processors with their tasks: with locks, a task's waits depend on where the others are.
pub(super) struct Processors<'a> {
    pub question: &'a Question<'a>,
    pub bins: &'a [Bin],
}

impl Processors<'_> {
    /// Each processor alone; `None` where nothing crosses them.
    fn alone(&self) -> Option<Option<Alone>> {
        let Question { tasks, behaviours, policy, .. } = *self.question;
        behaviours.crosses_processors().then(|| {
            let mut places = vec![0; tasks.len()];
            for (place, bin) in (0..).zip(self.bins) {
                bin.tasks.iter().for_each(|&task| places[task] = place);
            }
            let order: Option<Vec<usize>> = match policy {
                JobRanking::Edf => None,
                JobRanking::FixedPriority(priorities) => Some(order::of_all(priorities, tasks)),
            };
            let placed = Placed { tasks, behaviours, places: &places, order: order.as_deref() };
            placed.alone(&mut Budget::new(WORK_MAX)).ok().map(|(alone, _)| alone)
        })
    }

    pub(super) fn demand(&self, bin: &Bin) -> Option<String> {
        match self.alone() {
            None => demand(&system(self.question, &bin.tasks)),
            Some(alone) => demand(&alone?.system(&bin.tasks)),
        }
    }

    /// Of the tasks of one processor, the most urgent first.
    pub(super) fn responses(&self, order: &[usize]) -> Option<String> {
        match self.alone() {
            None => responses(&system(self.question, order), order),
            Some(alone) => responses(&alone?.system(order), order),
        }
    }
}

/// Points from the last interval that has to be looked at down to 0.
fn demand(system: &System<'_>) -> Option<String> {
    let system = system.counted();
    let mut at = edf::horizon(&system, &mut Budget::new(WORK_MAX)).ok()?;
    let mut lines = String::from("test blocked-demand\n");
    for _ in 0..LINES_MAX {
        let demand = edf::demand(&system, at);
        lines += &format!("point {at} demand {demand}\n");
        let reached = if demand == 0 { 0 } else { system.service().latest(demand).max(edf::step(&system, at)) };
        match reached.checked_sub(1) {
            None => return Some(lines),
            Some(next) if reached <= at => at = next,
            Some(_) => return None,
        }
    }
    None
}

/// What shows that each task of `order` is in time, which names tasks of the bin, the most urgent first.
fn responses(system: &System<'_>, order: &[usize]) -> Option<String> {
    if system.suspends() && suspension::covers(system) {
        suspended(system, order)
    } else {
        starts(&system.counted(), order)
    }
}

/// The bound of each task, with the tasks whose suspensions are counted in it.
fn suspended(system: &System<'_>, order: &[usize]) -> Option<String> {
    let bounds = suspension::bounds(system, &mut Budget::new(WORK_MAX)).ok()?;
    let mut lines = String::from("test suspended-response-times\n");
    for (task, bound) in order.iter().zip(bounds) {
        let suspension::Bound { response, chosen } = bound.ok()?;
        let counted = spaced(chosen.iter().map(|&place| order[place]));
        lines += &format!("suspended {task} response {response} counted{counted}\n");
    }
    Some(lines)
}

/// The starts of each task.
fn starts(system: &System<'_>, order: &[usize]) -> Option<String> {
    let blocked = terms::fixed_priority(system);
    let (all, service) = (system.all_arrivals(), system.service());
    let mut lines = String::from("test blocked-response-times\n");
    for (place, task) in order.iter().enumerate() {
        let work = |places: std::ops::Range<usize>, counts: &dyn Fn(&Arrivals) -> u128| -> u128 {
            places.map(|place| counts(&all[place]) * u128::from(system.tasks[place].cost)).sum()
        };
        let blocked = u128::from(blocked[place]);
        let until = least(1, |at| service.latest(blocked + work(0..place + 1, &|one| one.released_before(at))))?;
        let (cost, last) =
            (u128::from(system.tasks[place].cost), u128::from(system.of_tasks[place].non_preemptive.last));
        let counts_at = last > 0 && blocked == 0;
        let jobs = usize::try_from(all[place].released_before(until)).ok().filter(|jobs| *jobs <= LINES_MAX)?;
        let mut starts = Vec::with_capacity(jobs);
        for job in 0..jobs as u128 {
            let own = blocked + (job + 1) * cost - last;
            let released =
                |one: &Arrivals, at| if counts_at { one.released_through(at) } else { one.released_before(at) };
            starts.push(least(own, |at| service.latest(own + work(0..place, &|one| released(one, at))))?);
        }
        lines += &format!("starts {task} until {until}{}\n", spaced(starts));
    }
    Some(lines)
}

/// The least x from `from` on with x >= f(x), where f never falls.
fn least(from: u128, f: impl Fn(u128) -> u128) -> Option<u128> {
    let mut x = from;
    for _ in 0..LINES_MAX {
        let next = f(x);
        if next <= x {
            return Some(x);
        }
        x = next.min(1 << 100);
    }
    None
}

/// Why the tests for such sets disprove this one; `None` if the finding is none of theirs.
pub(super) fn because(question: &Question<'_>, finding: &Finding) -> Option<Result<String, NoCertificate>> {
    let edf = [edf::NAME, edf::SUPPLIED, edf::SUSPENDED];
    let names = [&edf[..], &[fixed_priority::NAME, fixed_priority::SUPPLIED, fixed_priority::SUSPENDED]].concat();
    if !names.contains(&finding.test) {
        return None;
    }
    let is_single = matches!(question.shape, Shape::Global { processors: 1 } | Shape::Clusters([1]));
    if !is_single || question.behaviours.crosses_processors() {
        return Some(Err(NoCertificate::NoProof));
    }
    Some(Ok(match finding.reason {
        Reason::Overdemand { window: None } => "rates".into(),
        Reason::Overdemand { window: Some(window) } => {
            let all: Vec<usize> = (0..question.tasks.len()).collect();
            format!("blocked-window {window} demand {}", edf::demand(&system(question, &all), window.into()))
        }
        Reason::Late(LateJob { task, job }) => format!("late task {task} job {job}"),
        _ => return Some(Err(NoCertificate::NoProof)),
    }))
}
