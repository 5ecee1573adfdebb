//! Servers: the budget of a running job has an alarm, and when it is used up the job's deadline is postponed, as core has it.
//!
//! A server is charged from the decision that gives its job a processor to the one that takes it back, so the time in which
//! a processor follows a decision is the served task's and nobody else's.

use super::{NEVER, Queue};
use crate::configuration::{CRITERION, Criterion, TASKS};
use crate::queue::Processors;
use crate::trace::TraceEvent;
use prazo_core::criterion::Criterion as _;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::server::Server;
use prazo_core::time::{Duration, Instant};
use prazo_kernel::alarms::Alarms;
use prazo_scenario::binary::ServerTimes;

/// The budgets of one queue's tasks.
pub(super) struct Budgets {
    alarms: Alarms<TASKS>,
    servers: [Option<Server>; TASKS],
    /// Since when the task runs uncharged.
    since: [Option<Instant>; TASKS],
}

impl Budgets {
    pub(super) const fn new() -> Self {
        Self { alarms: Alarms::new(), servers: [None; TASKS], since: [None; TASKS] }
    }

    pub(super) fn earliest(&self) -> Instant {
        self.alarms.earliest().1
    }

    /// The deadline by which the server of `task` serves on, where it has one.
    pub(super) fn kept_deadline(&self, task: TaskIndex) -> Option<Instant> {
        self.servers[task.index()].map(|server| server.absolute_deadline())
    }

    pub(super) fn start(&mut self, task: TaskIndex, now: Instant) {
        if let Some(server) = &self.servers[task.index()] {
            self.since[task.index()] = Some(now);
            self.alarms.set(task.index(), now + server.budget());
        }
    }

    /// The task's new deadline, if what it ran until `now` has used the budget up.
    fn stop(&mut self, task: TaskIndex, now: Instant) -> Option<Instant> {
        let ran = Duration::from_ns(now.as_ns().saturating_sub(self.since[task.index()].take()?.as_ns()));
        self.alarms.set(task.index(), NEVER);
        self.servers[task.index()].as_mut()?.charge(ran)
    }
}

impl Queue {
    /// Gives `task` its server, if any. Panics where jobs do not rank by deadlines: a postponed one would change nothing.
    pub(super) fn serve(&mut self, task: TaskIndex, server: Option<ServerTimes>) {
        assert!(server.is_none() || ranks_by_deadline(), "task {}: a server needs EDF", task.number());
        self.budgets.servers[task.index()] =
            server.map(|times| Server::new(times.budget, times.period).expect("the table was checked"));
    }

    /// The deadline by which `job` ranks, which arrives at a server that may be idle.
    pub(super) fn served_deadline(&mut self, task: TaskIndex, job: &Job) -> Instant {
        let is_idle = self.cluster.pending(task).is_none();
        match &mut self.budgets.servers[task.index()] {
            Some(server) if is_idle => server.arrive(job.arrival),
            Some(server) => server.absolute_deadline(),
            None => job.absolute_deadline,
        }
    }

    /// Postpones the deadlines of those whose budget has run out at `now`; the processors concerned.
    pub(super) fn exhaust_due(&mut self, now: Instant) -> Processors {
        let mut concerned = 0;
        loop {
            let (task, at) = self.budgets.alarms.earliest();
            if at > now {
                return concerned;
            }
            let task = TaskIndex::new(task).expect("alarms are as many as tasks");
            concerned |= self.postpone(task, now);
            // A decision may have taken the processor, and with it the alarm, from the task; else it runs on.
            if self.cluster.cpus().any(|cpu| self.cluster.running(cpu) == Some(task)) {
                self.budgets.start(task, now);
            }
        }
    }

    /// Charges what `task` ran until `now`; the processors concerned where that postpones its deadline.
    pub(super) fn postpone(&mut self, task: TaskIndex, now: Instant) -> Processors {
        let Some(deadline) = self.charge(task, now) else { return 0 };
        let decision = self.cluster.change_deadline(task, deadline);
        self.take(decision, now)
    }

    /// Charges what `task` ran until `now`; the deadline that its server serves by from now on, where the budget is used up.
    pub(super) fn charge(&mut self, task: TaskIndex, now: Instant) -> Option<Instant> {
        let deadline = self.budgets.stop(task, now)?;
        let number = self.activities[task.index()].served;
        self.trace.record(now, TraceEvent::BudgetExhaustion, task, number, 0);
        self.trace.record(now, TraceEvent::Replenishment, task, number, 0);
        Some(deadline)
    }
}

/// True if a later deadline makes a job less urgent under this kernel's criterion.
fn ranks_by_deadline() -> bool {
    let job = |deadline_ns| Job {
        number: 0,
        arrival: Instant::from_ns(0),
        release: Instant::from_ns(0),
        absolute_deadline: Instant::from_ns(deadline_ns),
    };
    let task = TaskIndex::new(0).expect("there is a first task");
    let rank = |deadline_ns| {
        let parameters = Parameters::implicit(Duration::from_ms(1));
        CRITERION.rank(task, &parameters, &job(deadline_ns), Instant::from_ns(0))
    };
    Criterion::DYNAMIC && rank(1).is_more_urgent_than(rank(2))
}
