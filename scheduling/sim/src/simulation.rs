//! The run: timers fire one after the other, and at the end of each instant the scheduler core decides who runs.
//!
//! What happens at one instant happens in the order of the timers (`leaves.rs`) and reaches the scheduler as quiet changes;
//! only then does it decide, most urgent job first. A running job's end is a timer; who is preempted keeps the rest.

use crate::figures::{Figures, Miss};
use crate::leaves::{Leaves, Timer};
use crate::model::{Model, Policy, SimulatedCluster};
use crate::ready::{self, Ready};
use crate::repetition::{Repeats, Repetition};
use crate::sink::Sink;
use crate::state::{CpuState, NOBODY, OverrunState, TaskState};
use crate::timers::{NEVER, Timers};
use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, Kind};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::overrun::{self, Action, Overruns};
use prazo_core::scheduler::Switch;
use prazo_core::time::{Duration, Instant};
use std::collections::VecDeque;

/// Where a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Jobs that arrive before this instant are simulated, up to this instant.
    pub horizon_ns: u64,
    /// After so many events it ends even so.
    pub events: u64,
    /// It ends as soon as everything repeats.
    pub stop_when_repeating: bool,
}

impl Limits {
    /// All events up to `horizon_ns`.
    pub fn until(horizon_ns: u64) -> Self {
        Self { horizon_ns, events: u64::MAX, stop_when_repeating: false }
    }
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was counted.
    pub figures: Figures,
    /// The instant up to which it is known.
    pub end_ns: u64,
    /// From where on the schedule repeats, if it was seen to.
    pub repeats: Option<Repeats>,
}

/// Simulates `model` within `limits`, and hands every event to `sink`.
pub fn simulate<S: Sink>(model: &Model, limits: &Limits, sink: S) -> Outcome {
    Simulation::new(model, sink).run(limits)
}

/// One task's place in its cluster.
#[derive(Clone, Copy, Debug)]
struct Membership {
    cluster: usize,
    index: TaskIndex,
    global: TaskIndex,
}

struct Simulation<'a, S> {
    model: &'a Model,
    sink: S,
    leaves: Leaves,
    timers: Timers,
    clusters: Vec<Box<dyn Ready>>,
    /// By cluster and index there: the task.
    members: Vec<Vec<usize>>,
    memberships: Vec<Membership>,
    tasks: Vec<TaskState>,
    /// By task; empty where late jobs simply go on.
    overruns: Vec<OverrunState>,
    cpus: Vec<CpuState>,
    /// Clusters with changes that no decision has followed yet.
    unsettled: Vec<bool>,
    /// True if any cluster or processor has something left to do at this instant.
    is_open: bool,
    quantum_ns: Option<u64>,
    repetition: Option<Repetition>,
    figures: Figures,
}

impl<'a, S: Sink> Simulation<'a, S> {
    fn new(model: &'a Model, sink: S) -> Self {
        let leaves = Leaves::new(model.cpus(), model.tasks.len());
        let is_delayed = model.tasks.iter().any(|task| task.pattern.is_delayed());
        let members: Vec<Vec<usize>> = (0..model.clusters.len()).map(|cluster| model.members(cluster)).collect();
        let mut simulation = Self {
            sink,
            timers: Timers::new(leaves.count(is_delayed)),
            clusters: clusters(model, &members),
            memberships: memberships(model, &members),
            tasks: model.tasks.iter().map(|task| TaskState::before(&task.pattern)).collect(),
            overruns: overruns(model),
            cpus: vec![CpuState::IDLE; model.cpus()],
            unsettled: vec![false; members.len()],
            is_open: false,
            quantum_ns: match model.policy {
                Policy::RoundRobin { quantum_ns } => Some(quantum_ns),
                _ => None,
            },
            repetition: Repetition::of(model),
            figures: Figures::new(model.tasks.len()),
            members,
            leaves,
            model,
        };
        simulation.wind();
        simulation
    }

    /// Sets every timer that is known before the first event.
    fn wind(&mut self) {
        if let Some(period_ns) = self.model.tick_period_ns {
            self.set(Timer::Tick, period_ns);
        }
        for task in 0..self.tasks.len() {
            let first = self.tasks[task].arriving;
            self.set(Timer::Arrival(task), first.arrival_ns);
            self.set_deadline(task);
            if self.model.tasks[task].pattern.is_delayed() {
                self.set(Timer::Release(task), first.release_ns);
            }
        }
    }

    fn set(&mut self, timer: Timer, at_ns: u64) {
        self.timers.set(self.leaves.leaf(timer), at_ns);
    }

    fn set_deadline(&mut self, task: usize) {
        let at_ns = self.tasks[task].due.arrival_ns.saturating_add(self.model.tasks[task].deadline_ns);
        self.set(Timer::Deadline(task), at_ns);
    }

    fn run(mut self, limits: &Limits) -> Outcome {
        let mut now_ns = 0;
        loop {
            let (leaf, at_ns) = self.timers.first();
            if self.is_open && at_ns > now_ns && now_ns < limits.horizon_ns {
                self.settle(now_ns);
                continue;
            }
            if self.is_beyond(limits, leaf, at_ns) {
                return self.outcome(limits.horizon_ns);
            }
            if self.is_time_to_compare(leaf, at_ns) && self.repeats() && limits.stop_when_repeating {
                return self.outcome(at_ns);
            }
            if self.figures.events >= limits.events {
                return self.outcome(now_ns);
            }
            now_ns = at_ns;
            self.fire(self.leaves.timer(leaf), now_ns);
        }
    }

    /// True if nothing that counts happens any more: at the horizon itself jobs still end, but none arrives.
    fn is_beyond(&self, limits: &Limits, leaf: usize, at_ns: u64) -> bool {
        let comes_in = matches!(self.leaves.timer(leaf), Timer::Arrival(_) | Timer::Release(_));
        at_ns == NEVER || at_ns > limits.horizon_ns || (at_ns == limits.horizon_ns && comes_in)
    }

    fn fire(&mut self, timer: Timer, now_ns: u64) {
        match timer {
            Timer::Completion(cpu) => self.complete(cpu, now_ns),
            Timer::Quantum(cpu) => self.end_quantum(cpu, now_ns),
            Timer::Tick => self.tick(now_ns),
            Timer::Deadline(task) => self.pass_deadline(task, now_ns),
            Timer::Arrival(task) => self.arrive(task, now_ns),
            Timer::Release(task) => self.release(task, now_ns),
        }
    }

    fn emit(&mut self, at_ns: u64, task: usize, job: u64, kind: Kind) {
        self.figures.events += u64::from(kind.counts_in_rates());
        let task = self.memberships[task].global;
        self.sink.take(Event { at: Instant::from_ns(at_ns), task, job, kind });
    }

    fn open(&mut self, cluster: usize) {
        self.unsettled[cluster] = true;
        self.is_open = true;
    }

    fn arrive(&mut self, task: usize, now_ns: u64) {
        let pattern = &self.model.tasks[task].pattern;
        let place = self.tasks[task].arriving;
        let next = pattern.after(place);
        let is_delayed = pattern.is_delayed();
        self.tasks[task].arriving = next;
        self.set(Timer::Arrival(task), next.arrival_ns);
        self.emit(now_ns, task, place.job, Kind::Arrival);
        if self.is_left_out(task) {
            self.leave_out(task, place.job, now_ns);
        }
        if !is_delayed {
            self.make_ready(task, now_ns);
        }
    }

    fn release(&mut self, task: usize, now_ns: u64) {
        self.make_ready(task, now_ns);
        self.set(Timer::Release(task), self.tasks[task].releasing.release_ns);
    }

    /// The task's next job becomes ready; it joins the queue unless an older one is still pending.
    fn make_ready(&mut self, task: usize, now_ns: u64) {
        let is_first = self.pending(task) == 0;
        let state = &mut self.tasks[task];
        let job = state.releasing.job;
        state.releasing = self.model.tasks[task].pattern.after(state.releasing);
        if self.is_skipped(task, job) {
            return self.pass_over(task);
        }
        self.figures.tasks[task].released += 1;
        self.emit(now_ns, task, job, Kind::Release);
        self.charge_interrupt(self.memberships[task].cluster);
        if is_first {
            self.enqueue(task, now_ns);
        }
    }

    /// The release interrupt holds up the first processor of the cluster.
    fn charge_interrupt(&mut self, cluster: usize) {
        let cluster = &self.model.clusters[cluster];
        self.cpus[cluster.first_cpu as usize].owed_ns += cluster.charges.release_ns;
        self.is_open = true;
    }

    fn enqueue(&mut self, task: usize, now_ns: u64) {
        let Membership { cluster, index, .. } = self.memberships[task];
        let model = &self.model.tasks[task];
        let state = &mut self.tasks[task];
        let place = state.serving;
        state.remaining_ns = model.execution.of_job(place.job);
        state.last_cpu = None;
        let job = Job {
            number: place.job,
            arrival: Instant::from_ns(place.arrival_ns),
            release: Instant::from_ns(place.release_ns),
            absolute_deadline: Instant::from_ns(place.arrival_ns.saturating_add(model.deadline_ns)),
        };
        self.clusters[cluster].enqueue(index, job, Instant::from_ns(now_ns));
        self.open(cluster);
    }

    fn complete(&mut self, cpu: usize, now_ns: u64) {
        let task = std::mem::replace(&mut self.cpus[cpu].running, NOBODY);
        self.cpus[cpu].freed_ns = Some(now_ns);
        self.stop_timers(cpu);
        let Membership { cluster, index, .. } = self.memberships[task];
        self.clusters[cluster].finish(index);
        self.open(cluster);
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Completion { cpu: Cpu::LOWEST.plus(cpu) });
        self.count_completion(task, now_ns);
        self.serve_next(task, now_ns);
    }

    /// The oldest job of `task` is done; the next one joins the queue if it was released already.
    fn serve_next(&mut self, task: usize, now_ns: u64) {
        self.tasks[task].serving = self.model.tasks[task].pattern.after(self.tasks[task].serving);
        self.pass_over(task);
        if self.pending(task) > 0 {
            self.enqueue(task, now_ns);
        }
    }

    /// Jobs of `task` that were released and are not done.
    fn pending(&self, task: usize) -> u64 {
        let state = &self.tasks[task];
        let left_out = self
            .overruns
            .get(task)
            .map_or(0, |overruns| overruns.skipped.iter().filter(|job| **job < state.releasing.job).count() as u64);
        state.pending() - left_out
    }

    fn stop_timers(&mut self, cpu: usize) {
        self.set(Timer::Completion(cpu), NEVER);
        if self.quantum_ns.is_some() {
            self.set(Timer::Quantum(cpu), NEVER);
        }
    }

    fn count_completion(&mut self, task: usize, now_ns: u64) {
        let TaskState { serving, due, .. } = self.tasks[task];
        let response_ns = now_ns - serving.arrival_ns;
        let tardiness_ns = response_ns.saturating_sub(self.model.tasks[task].deadline_ns);
        self.figures.completed(task, response_ns, tardiness_ns);
        if due.job == serving.job {
            self.expect_next(task);
        }
    }

    /// The deadline of the next job that is not left out is the one to wait for.
    fn expect_next(&mut self, task: usize) {
        loop {
            self.tasks[task].due = self.model.tasks[task].pattern.after(self.tasks[task].due);
            if !self.is_skipped(task, self.tasks[task].due.job) {
                return self.set_deadline(task);
            }
        }
    }

    fn pass_deadline(&mut self, task: usize, now_ns: u64) {
        let due = self.tasks[task].due;
        self.emit(now_ns, task, due.job, Kind::Miss);
        self.figures.missed(Miss { task, job: due.job, arrival_ns: due.arrival_ns, deadline_ns: now_ns });
        self.expect_next(task);
        self.overrun(task, due.job, now_ns);
    }

    /// A job of `task` is late; the policy says what follows.
    fn overrun(&mut self, task: usize, job: u64, now_ns: u64) {
        let Some(state) = self.overruns.get_mut(task) else { return };
        let action = state.overruns.overrun();
        action.events().iter().for_each(|kind| self.emit(now_ns, task, job, *kind));
        if action == Action::Abort {
            self.figures.tasks[task].aborted += 1;
            match job < self.tasks[task].releasing.job {
                true => self.abort(task, now_ns),
                // Jitter has kept it back so far: it will not be released at all.
                false => self.overruns[task].skipped.push_back(job),
            }
        }
    }

    /// Ends the oldest job of `task`, wherever it is: the late one, since none outlives its deadline.
    fn abort(&mut self, task: usize, now_ns: u64) {
        let Membership { cluster, index, .. } = self.memberships[task];
        if let Some(cpu) = self.cpus.iter().position(|cpu| cpu.running == task) {
            self.cpus[cpu].running = NOBODY;
            self.cpus[cpu].freed_ns = Some(now_ns);
            self.stop_timers(cpu);
        }
        self.clusters[cluster].finish(index);
        self.open(cluster);
        self.serve_next(task, now_ns);
    }

    /// True if the job of `task` that arrives pays for an earlier one's overrun.
    fn is_left_out(&mut self, task: usize) -> bool {
        self.overruns.get_mut(task).is_some_and(|state| state.overruns.arrive() == overrun::Arrival::Skip)
    }

    fn leave_out(&mut self, task: usize, job: u64, now_ns: u64) {
        self.figures.tasks[task].skipped += 1;
        self.overruns[task].skipped.push_back(job);
        self.emit(now_ns, task, job, Kind::Skip);
        if self.tasks[task].due.job == job {
            self.expect_next(task);
        }
    }

    fn is_skipped(&self, task: usize, job: u64) -> bool {
        self.overruns.get(task).is_some_and(|state| state.skipped.contains(&job))
    }

    /// The oldest job of `task` that is not done is none that was left out and would have been released by now.
    fn pass_over(&mut self, task: usize) {
        let Some(overruns) = self.overruns.get_mut(task) else { return };
        let state = &mut self.tasks[task];
        while overruns.skipped.front() == Some(&state.serving.job) && state.serving.job < state.releasing.job {
            overruns.skipped.pop_front();
            state.serving = self.model.tasks[task].pattern.after(state.serving);
        }
    }

    fn tick(&mut self, now_ns: u64) {
        for cluster in &self.model.clusters {
            let cpus = cluster.first_cpu as usize..(cluster.first_cpu + cluster.cpus) as usize;
            self.cpus[cpus].iter_mut().for_each(|cpu| cpu.owed_ns += cluster.charges.tick_ns);
        }
        self.is_open = true;
        let period_ns = self.model.tick_period_ns.unwrap_or(NEVER);
        self.set(Timer::Tick, now_ns.saturating_add(period_ns));
    }

    fn end_quantum(&mut self, cpu: usize, now_ns: u64) {
        let task = self.cpus[cpu].running;
        let cluster = self.memberships[task].cluster;
        let decision = self.clusters[cluster].yield_now(Cpu::LOWEST.plus(cpu), Instant::from_ns(now_ns));
        self.restart_quantum(cpu, now_ns);
        if let Some(switch) = decision.switch() {
            self.step_back(task, cpu, now_ns);
            self.dispatch(cluster, &switch, now_ns);
        }
        self.open(cluster);
    }

    fn restart_quantum(&mut self, cpu: usize, from_ns: u64) {
        if let Some(quantum_ns) = self.quantum_ns {
            self.set(Timer::Quantum(cpu), from_ns.saturating_add(quantum_ns));
        }
    }

    /// The job of `task` gives `cpu` away at the end of its quantum.
    fn step_back(&mut self, task: usize, cpu: usize, now_ns: u64) {
        self.tasks[task].remaining_ns = self.timers.at(self.leaves.leaf(Timer::Completion(cpu))) - now_ns;
        self.cpus[cpu].freed_ns = Some(now_ns);
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Yield { cpu: Cpu::LOWEST.plus(cpu) });
    }

    /// Lets the scheduler decide about everything that happened at this instant.
    fn settle(&mut self, now_ns: u64) {
        self.is_open = false;
        for cluster in 0..self.clusters.len() {
            if !std::mem::take(&mut self.unsettled[cluster]) {
                continue;
            }
            while let Some(switch) = self.clusters[cluster].settle().switch() {
                self.preempt(cluster, &switch, now_ns);
                self.dispatch(cluster, &switch, now_ns);
            }
        }
        if self.model.is_charged {
            self.charge_what_is_owed(now_ns);
        }
    }

    fn preempt(&mut self, cluster: usize, switch: &Switch, now_ns: u64) {
        let Some(index) = switch.preempted else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        self.tasks[task].remaining_ns = self.timers.at(self.leaves.leaf(Timer::Completion(cpu))) - now_ns;
        self.figures.tasks[task].preemptions += 1;
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Preemption { cpu: switch.cpu });
    }

    fn dispatch(&mut self, cluster: usize, switch: &Switch, now_ns: u64) {
        let Some(index) = switch.runs else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        let start_ns = now_ns.max(self.cpus[cpu].held_until_ns) + self.cost_of_dispatch(cluster, task, cpu, now_ns);
        self.count_migration(task, switch.cpu, now_ns);
        let state = &mut self.tasks[task];
        let (job, end_ns) = (state.serving.job, start_ns + state.remaining_ns);
        state.last_cpu = Some(cpu);
        self.cpus[cpu].running = task;
        self.emit(now_ns, task, job, Kind::Dispatch { cpu: switch.cpu });
        self.set(Timer::Completion(cpu), end_ns);
        self.restart_quantum(cpu, start_ns);
    }

    /// What the platform takes before the job of `task` goes on, or begins, on `cpu`.
    fn cost_of_dispatch(&mut self, cluster: usize, task: usize, cpu: usize, now_ns: u64) -> u64 {
        let cluster = &self.model.clusters[cluster];
        let fetch = &self.model.tasks[task].charges;
        let is_resumed = self.tasks[task].last_cpu.is_some();
        let fetch_ns = if is_resumed { fetch.reload_ns } else { fetch.initial_load_ns };
        let is_here = self.cpus[cpu].freed_ns == Some(now_ns)
            || (cpu == cluster.first_cpu as usize && !self.model.has_interrupt_processor);
        let ipi_ns = if is_here { 0 } else { cluster.charges.ipi_ns };
        let owed_ns = std::mem::take(&mut self.cpus[cpu].owed_ns);
        cluster.charges.dispatch_ns + fetch_ns + ipi_ns + owed_ns
    }

    fn count_migration(&mut self, task: usize, to: Cpu, now_ns: u64) {
        let state = &self.tasks[task];
        let from = state.last_cpu.map(|cpu| Cpu::LOWEST.plus(cpu)).filter(|from| *from != to);
        if let Some(from) = from {
            let job = state.serving.job;
            self.figures.tasks[task].migrations += 1;
            self.emit(now_ns, task, job, Kind::Migration { from, to });
        }
    }

    /// Interrupts of this instant prolong the job that they held up, or hold up the next one.
    fn charge_what_is_owed(&mut self, now_ns: u64) {
        for cpu in 0..self.cpus.len() {
            let state = &mut self.cpus[cpu];
            let owed_ns = std::mem::take(&mut state.owed_ns);
            if owed_ns == 0 {
                continue;
            }
            if state.running == NOBODY {
                state.held_until_ns = state.held_until_ns.max(now_ns) + owed_ns;
            } else {
                let leaf = self.leaves.leaf(Timer::Completion(cpu));
                self.timers.set(leaf, self.timers.at(leaf) + owed_ns);
            }
        }
    }

    /// True at a multiple of the hyperperiod, once all jobs that end there have ended.
    fn is_time_to_compare(&self, leaf: usize, at_ns: u64) -> bool {
        let next_ns = self.repetition.as_ref().map_or(NEVER, Repetition::next_ns);
        at_ns > next_ns || (at_ns == next_ns && !matches!(self.leaves.timer(leaf), Timer::Completion(_)))
    }

    /// True if the state at this multiple of the hyperperiod was there before.
    fn repeats(&mut self) -> bool {
        let (timers, cpus, tasks) = (&self.timers, &self.cpus, &self.tasks);
        let remaining = |task: usize, at_ns: u64| match cpus.iter().position(|cpu| cpu.running == task) {
            Some(cpu) => (timers.at(cpu) - at_ns, true),
            None => (tasks[task].remaining_ns, false),
        };
        self.repetition.as_mut().is_some_and(|repetition| repetition.look(tasks, remaining))
    }

    fn outcome(mut self, end_ns: u64) -> Outcome {
        for (index, state) in self.tasks.iter().enumerate() {
            let is_pending = self.pending(index) > 0;
            let deadline_ns = state.serving.arrival_ns.saturating_add(self.model.tasks[index].deadline_ns);
            let figures = &mut self.figures.tasks[index];
            if is_pending {
                figures.tardiness_ns_max = figures.tardiness_ns_max.max(end_ns.saturating_sub(deadline_ns));
            }
        }
        let repeats = self.repetition.and_then(|repetition| repetition.repeats());
        Outcome { figures: self.figures, end_ns, repeats }
    }
}

fn clusters(model: &Model, members: &[Vec<usize>]) -> Vec<Box<dyn Ready>> {
    let cluster = |(index, place): (usize, &SimulatedCluster)| {
        let parameters: Vec<Parameters> = members[index].iter().map(|task| parameters(model, *task)).collect();
        ready::cluster(&model.policy, place, &parameters)
    };
    model.clusters.iter().enumerate().map(cluster).collect()
}

fn parameters(model: &Model, task: usize) -> Parameters {
    let simulated = &model.tasks[task];
    Parameters {
        period: Duration::from_ns(simulated.pattern.period_ns),
        relative_deadline: Duration::from_ns(simulated.deadline_ns),
        priority: match &model.policy {
            Policy::FixedPriority(ranks) => ranks[task],
            _ => 0,
        },
    }
}

/// What the policy remembers of each task, where it does anything at all.
fn overruns(model: &Model) -> Vec<OverrunState> {
    if model.overrun == overrun::Policy::Continue {
        return Vec::new();
    }
    model
        .tasks
        .iter()
        .map(|_| OverrunState { overruns: Overruns::new(model.overrun), skipped: VecDeque::new() })
        .collect()
}

fn memberships(model: &Model, members: &[Vec<usize>]) -> Vec<Membership> {
    let of_task = |task: usize| {
        let cluster = model.tasks[task].cluster as usize;
        let index = members[cluster].binary_search(&task).expect("a task is a member of its cluster");
        let stored = |number| TaskIndex::new(number).expect("the model has at most as many tasks as core can name");
        Membership { cluster, index: stored(index), global: stored(task) }
    };
    (0..model.tasks.len()).map(of_task).collect()
}
