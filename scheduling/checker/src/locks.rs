//! Locks across processors: every task as its own processor sees it, with what its jobs wait for the others.
//!
//! A job makes at most so many requests of a resource and none while it holds another. Processors schedule their own tasks.
//!
//! MSRP: who requests a resource that several processors use is not preempted until it gives it back, and spins meanwhile; first come, first
//! served. Each other processor is in front with one request at most. So a request takes at most the sum, over the other processors, of their longest
//! section of it, then its own; the processor sees a longer cost and a part that is not preempted. Other resources are under SRP (Gai,
//! Lipari, Di Natale, RTSS 2001).
//!
//! Semaphores: who waits is suspended, who holds runs before all that do not. Call a job suspended whenever it is pending and neither it nor a
//! more urgent job of its processor executes: so defined, the processor schedules tasks that suspend themselves. How long in all:
//!
//! - Each request, apart from its own section. FMLP+: the earliest request that is not done is first in its queue and first
//!   on its processor, so at most one of each other task comes before, of those that resources and processors connect with it (Brandenburg 2011).
//!   MPCP: it is granted by any w that all holders before fit into; then one section of each task beside it (Rajkumar 1990).
//! - Less urgent tasks of the processor that hold something: one section of each when the job is released, and at the end of each of its requests.
//!   While it is ready they request nothing.
//!
//! That a holder under MPCP is delayed by one section of each task beside it holds because those must run without a resource before
//! they request another.

use crate::behaviour::{Behaviour, Behaviours, Member};
use crate::certificate::{Bin, Certificate, JobRanking};
use crate::rejected::{Rejected, applies, show};
use prazo_core::behaviour::Locking;
use prazo_core::task::{TICKS_MAX, Task};

/// Rounds that the checker is willing to compute.
const ROUNDS_MAX: u64 = 1_000_000;

/// All tasks with what they do, each for its processor alone; `None` where no lock crosses processors.
pub(crate) fn seen(
    certificate: &Certificate,
    behaviours: &Behaviours,
    bins: &[Bin],
) -> Result<Option<(Vec<Task>, Behaviours)>, Rejected> {
    if !behaviours.crosses_processors() {
        return Ok(None);
    }
    let tasks = &certificate.tasks;
    let single = bins.iter().all(|bin| bin.processors == 1);
    applies(single, "locks across processors are covered only if every queue serves a single processor")?;
    let preemptable = behaviours.of_tasks.iter().all(|one| one.longest == 0 && one.suspension == 0);
    applies(
        preemptable && behaviours.supply.is_none(),
        "no test covers locks across processors together with non-preemptive parts, suspension or a supply",
    )?;
    let fits = |(task, one): (&Task, &Behaviour)| held(one).is_some_and(|held| held <= task.cost.into());
    applies(tasks.iter().zip(&behaviours.of_tasks).all(fits), "critical sections nest, or exceed the cost")?;
    let order = match &certificate.policy {
        JobRanking::Edf => None,
        JobRanking::FixedPriority(priorities) => {
            let all: Vec<usize> = (0..tasks.len()).collect();
            let order = priorities.order(tasks, &all);
            Some(order.ok_or_else(|| {
                Rejected::NotApplicable(
                    "locks across processors need a stated order of priorities for all tasks".into(),
                )
            })?)
        }
    };
    let mut homes = vec![0; tasks.len()];
    for (home, bin) in bins.iter().enumerate() {
        bin.members.iter().for_each(|&member| homes[member] = home);
    }
    let platform = Platform { tasks, of_tasks: &behaviours.of_tasks, homes, order };
    let (mut tasks, mut of_tasks) = (Vec::new(), Vec::new());
    for task in 0..platform.tasks.len() {
        let (one, behaviour) = match behaviours.locking {
            Locking::Mpcp => {
                applies(platform.order.is_some(), "MPCP needs fixed priorities")?;
                platform.suspended(task, platform.waited_by_urgency(task)?)?
            }
            Locking::Fmlp => platform.suspended(task, platform.waited_in_turn(task))?,
            _ => platform.spinning(task)?,
        };
        Member { task: &one, behaviour: &behaviour }.check(task)?;
        tasks.push(one);
        of_tasks.push(behaviour);
    }
    Ok(Some((tasks, Behaviours { locking: Locking::Srp, supply: None, of_tasks })))
}

/// What the sections of a job take in all.
fn held(behaviour: &Behaviour) -> Option<u128> {
    behaviour
        .sections
        .iter()
        .try_fold(0u128, |sum, &(_, length, times)| sum.checked_add(u128::from(length) * u128::from(times)))
}

/// The tasks at home on their processors.
struct Platform<'a> {
    tasks: &'a [Task],
    of_tasks: &'a [Behaviour],
    /// By task: its processor.
    homes: Vec<usize>,
    /// The most urgent first; `None` under EDF.
    order: Option<Vec<usize>>,
}

impl Platform<'_> {
    /// The longest section of `task`, of one resource or of all.
    fn section(&self, task: usize, resource: Option<u32>) -> u128 {
        let all = self.of_tasks[task].sections.iter();
        let of = all.filter(|(used, ..)| resource.is_none_or(|resource| resource == *used));
        of.map(|&(_, length, _)| u128::from(length)).max().unwrap_or(0)
    }

    fn uses(&self, task: usize, resource: u32) -> bool {
        self.section(task, Some(resource)) > 0
    }

    fn requests(&self, task: usize) -> u128 {
        self.of_tasks[task].sections.iter().map(|&(.., times)| u128::from(times)).sum()
    }

    fn others(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.tasks.len()).filter(move |&other| other != task)
    }

    /// One section of each task beside `task`.
    fn beside(&self, task: usize) -> u128 {
        self.others(task)
            .filter(|&other| self.homes[other] == self.homes[task])
            .map(|one| self.section(one, None))
            .sum()
    }

    /// MSRP.
    fn spinning(&self, task: usize) -> Result<(Task, Behaviour), Rejected> {
        let mut behaviour = Behaviour { sections: Vec::new(), ..self.of_tasks[task].clone() };
        let mut cost = u128::from(self.tasks[task].cost);
        for &(resource, length, times) in &self.of_tasks[task].sections {
            let mut of_homes = vec![0; self.homes.iter().max().map_or(0, |last| last + 1)];
            for other in self.others(task).filter(|&other| self.homes[other] != self.homes[task]) {
                let of_home = &mut of_homes[self.homes[other]];
                *of_home = self.section(other, Some(resource)).max(*of_home);
            }
            let spun: u128 = of_homes.iter().sum();
            if spun == 0 {
                behaviour.sections.push((resource, length, times));
            } else {
                cost += u128::from(times) * spun;
                behaviour.longest = behaviour.longest.max(ticks(task, spun + u128::from(length))?);
            }
        }
        Ok((Task { cost: ticks(task, cost)?, ..self.tasks[task] }, behaviour))
    }

    /// Semaphores, where the requests of a job of `task` take so long in all beside its own sections.
    fn suspended(&self, task: usize, requests: u128) -> Result<(Task, Behaviour), Rejected> {
        let is_below = |other: usize| {
            let place = |one: usize| self.order.as_ref().and_then(|order| order.iter().position(|task| *task == one));
            self.order.is_none() || place(other) > place(task)
        };
        let below = self.others(task).filter(|&other| self.homes[other] == self.homes[task] && is_below(other));
        let begun: u128 = below.map(|other| self.section(other, None)).sum();
        let suspension = ticks(task, requests + (self.requests(task) + 1) * begun)?;
        let behaviour = Behaviour { suspension, sections: Vec::new(), ..self.of_tasks[task].clone() };
        Ok((self.tasks[task], behaviour))
    }

    /// FMLP+.
    fn waited_in_turn(&self, task: usize) -> u128 {
        let mut reached = vec![false; self.tasks.len()];
        let mut open = vec![task];
        while let Some(one) = open.pop() {
            if std::mem::replace(&mut reached[one], true) {
                continue;
            }
            let connects = |&other: &usize| {
                let resources = self.of_tasks[one].sections.iter();
                self.homes[one] == self.homes[other] || resources.clone().any(|&(used, ..)| self.uses(other, used))
            };
            open.extend(self.others(one).filter(connects));
        }
        let before: u128 =
            self.others(task).filter(|&other| reached[other]).map(|other| self.section(other, None)).sum();
        self.requests(task) * before
    }

    /// MPCP.
    fn waited_by_urgency(&self, task: usize) -> Result<u128, Rejected> {
        let order = self.order.as_deref().unwrap_or_default();
        let own = order.iter().position(|one| *one == task).unwrap_or(0);
        let (above, below) = (&order[..own], &order[(own + 1).min(order.len())..]);
        let mut sum = self.requests(task) * self.beside(task);
        for &(resource, _, times) in &self.of_tasks[task].sections {
            let holds = |&other: &usize| match self.section(other, Some(resource)) {
                0 => 0,
                section => section + self.beside(other),
            };
            let first = below.iter().map(holds).max().unwrap_or(0);
            let before = |w: u128| {
                let of = |other: &usize| {
                    let member = Member { task: &self.tasks[*other], behaviour: &self.of_tasks[*other] };
                    let jobs = member.arrived_within(w + u128::from(member.task.deadline));
                    let sections = member.behaviour.sections.iter().filter(|(used, ..)| *used == resource);
                    let requests: u128 = sections.map(|&(.., times)| u128::from(times)).sum();
                    jobs.saturating_mul(requests).saturating_mul(holds(other))
                };
                above.iter().map(of).fold(first, u128::saturating_add)
            };
            let (mut w, mut rounds) = (0, 0);
            while before(w) > w {
                w = before(w);
                rounds += 1;
                show(w <= self.tasks[task].deadline.into() && rounds < ROUNDS_MAX, || {
                    format!("a request of task {task} may wait beyond its deadline")
                })?;
            }
            sum += u128::from(times) * w;
        }
        Ok(sum)
    }
}

fn ticks(task: usize, time: u128) -> Result<u64, Rejected> {
    let time = u64::try_from(time).ok().filter(|time| *time <= TICKS_MAX);
    time.ok_or_else(|| Rejected::NotShown(format!("jobs of task {task} may wait longer than 2^48 ticks")))
}
