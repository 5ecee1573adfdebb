//! A whole machine one unit of time after the other: processors in clusters, every policy, servers, overruns, and what the
//! platform takes for itself.
//!
//! No timers, no queues, no charges in advance: at each instant it asks every job and every processor what happens now,
//! sorts what waits, and lets each running job consume one unit.

use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, EventKind};
use prazo_core::job::TaskIndex;
use prazo_core::overrun;
use prazo_core::time::Instant;

/// What is simulated. All times are whole units, which the trace calls nanoseconds.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The tasks with their jobs.
    pub tasks: Vec<MachineTask>,
    /// Who shares a queue; processors are numbered through.
    pub clusters: Vec<MachineCluster>,
    /// Who ranks jobs.
    pub policy: Policy,
    /// What becomes of a job whose deadline passes, and of the one after it.
    pub overrun: overrun::OverrunPolicy,
    /// Distance of two ticks.
    pub tick_period: Option<u64>,
    /// True if a processor that is none of these takes the release interrupts.
    pub has_interrupt_processor: bool,
}

/// One task.
#[derive(Clone, Debug)]
pub struct MachineTask {
    /// Its jobs, in order.
    pub jobs: Vec<MachineJob>,
    /// True if a job may be released after it has arrived.
    pub is_delayed: bool,
    /// T.
    pub period: u64,
    /// D.
    pub deadline: u64,
    /// Q in every P of its constant-bandwidth server.
    pub server: Option<(u64, u64)>,
    /// Its cluster.
    pub cluster: usize,
    /// A job's first fetch of its working set.
    pub initial_load: u64,
    /// Fetching it again after a preemption.
    pub reload: u64,
}

/// One job.
#[derive(Clone, Copy, Debug)]
pub struct MachineJob {
    /// When it arrives.
    pub arrival: u64,
    /// When it becomes ready.
    pub release: u64,
    /// What it executes.
    pub execution: u64,
}

/// Processors that share a queue, and what its events cost.
#[derive(Clone, Copy, Debug)]
pub struct MachineCluster {
    /// How many processors.
    pub cpus: usize,
    /// The release interrupt.
    pub release: u64,
    /// Choosing and switching to a job.
    pub dispatch: u64,
    /// Request to entry of an interrupt between processors.
    pub ipi: u64,
    /// One tick.
    pub tick: u64,
}

/// Who ranks jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Earliest absolute deadline first.
    EarliestDeadlineFirst,
    /// Shorter period first.
    RateMonotonic,
    /// Shorter relative deadline first.
    DeadlineMonotonic,
    /// By number, 0 the most urgent; one for each task.
    FixedPriority(Vec<u32>),
    /// In the order of release, never preempting.
    FirstComeFirstServed,
    /// In turn, each for at most a quantum.
    RoundRobin {
        /// How long a job runs before it steps behind the others.
        quantum: u64,
    },
}

impl Policy {
    fn is_preemptive(&self) -> bool {
        match self {
            Self::EarliestDeadlineFirst | Self::RateMonotonic | Self::DeadlineMonotonic | Self::FixedPriority(_) => {
                true
            }
            Self::FirstComeFirstServed | Self::RoundRobin { .. } => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Coming,
    Backlog,
    Waiting,
    Running,
    Done,
}

struct TwinJob {
    task: usize,
    number: u64,
    arrival: u64,
    release: u64,
    deadline: u64,
    remaining: u64,
    joined: u64,
    stage: Stage,
    ran_on: Option<usize>,
}

#[derive(Clone, Default)]
struct TwinCpu {
    job: Option<usize>,
    cluster: usize,
    owed: u64,
    held_until: u64,
    freed_at: Option<u64>,
    quantum_at: u64,
}

/// Q in every P, as section 3 of Abeni and Buttazzo 1998 states it, one unit at a time.
#[derive(Clone, Copy)]
struct TwinServer {
    full: u64,
    period: u64,
    budget: u64,
    deadline: u64,
}

struct Twin<'a> {
    machine: &'a Machine,
    jobs: Vec<TwinJob>,
    cpus: Vec<TwinCpu>,
    last_cpu: Vec<Option<usize>>,
    owed_skips: Vec<u64>,
    servers: Vec<Option<TwinServer>>,
    trace: Vec<Event>,
}

/// Every event of `machine` up to `horizon`.
pub fn trace(machine: &Machine, horizon: u64) -> Vec<Event> {
    let mut twin = Twin::new(machine, horizon);
    for now in 0..=horizon {
        twin.complete(now);
        twin.end_quanta(now);
        twin.use_up_budgets(now);
        twin.tick(now);
        twin.pass_deadlines(now);
        if now == horizon {
            break;
        }
        twin.arrive(now);
        twin.interrupt(now);
        for cluster in 0..machine.clusters.len() {
            while twin.decide(cluster, now) {}
        }
        twin.charge(now);
        twin.run();
    }
    twin.trace
}

impl<'a> Twin<'a> {
    fn new(machine: &'a Machine, horizon: u64) -> Self {
        let mut jobs = Vec::new();
        for (index, task) in machine.tasks.iter().enumerate() {
            let coming = task.jobs.iter().enumerate().take_while(|(_, job)| job.arrival <= horizon);
            jobs.extend(coming.map(|(number, job)| TwinJob {
                task: index,
                number: number as u64,
                arrival: job.arrival,
                release: job.release,
                deadline: job.arrival + task.deadline,
                remaining: job.execution,
                joined: 0,
                stage: Stage::Coming,
                ran_on: None,
            }));
        }
        let cpus = machine
            .clusters
            .iter()
            .enumerate()
            .flat_map(|(cluster, place)| (0..place.cpus).map(move |_| TwinCpu { cluster, ..TwinCpu::default() }));
        Self {
            jobs,
            cpus: cpus.collect(),
            last_cpu: vec![None; machine.tasks.len()],
            owed_skips: vec![0; machine.tasks.len()],
            servers: machine.tasks.iter().map(|task| task.server.map(server)).collect(),
            trace: Vec::new(),
            machine,
        }
    }

    fn emit(&mut self, now: u64, job: usize, kind: EventKind) {
        let (task, number) = (TaskIndex::new(self.jobs[job].task).unwrap(), self.jobs[job].number);
        self.trace.push(Event { at: Instant::from_ns(now), task, job: number, kind });
    }

    fn complete(&mut self, now: u64) {
        for cpu in 0..self.cpus.len() {
            let Some(job) = self.cpus[cpu].job.filter(|job| self.jobs[*job].remaining == 0) else { continue };
            self.cpus[cpu].job = None;
            self.cpus[cpu].freed_at = Some(now);
            self.jobs[job].stage = Stage::Done;
            self.emit(now, job, EventKind::Completion { cpu: name(cpu) });
            self.refill(job, now);
            self.promote(self.jobs[job].task, now);
        }
    }

    /// The oldest job of `task` in the backlog waits for a processor from now on.
    fn promote(&mut self, task: usize, now: u64) {
        let heir = self.jobs.iter().position(|other| other.task == task && other.stage == Stage::Backlog);
        if let Some(heir) = heir {
            self.jobs[heir].stage = Stage::Waiting;
            self.jobs[heir].joined = now;
        }
    }

    fn overrun(&mut self, job: usize, now: u64) {
        match self.machine.overrun {
            overrun::OverrunPolicy::Continue => {}
            overrun::OverrunPolicy::SkipNext => {
                self.emit(now, job, EventKind::Overrun);
                self.owed_skips[self.jobs[job].task] += 1;
            }
            overrun::OverrunPolicy::Abort => {
                self.emit(now, job, EventKind::Overrun);
                self.emit(now, job, EventKind::Abortion);
                let was_ready = std::mem::replace(&mut self.jobs[job].stage, Stage::Done) != Stage::Coming;
                if let Some(cpu) = self.cpus.iter_mut().find(|cpu| cpu.job == Some(job)) {
                    cpu.job = None;
                    cpu.freed_at = Some(now);
                }
                if was_ready {
                    self.promote(self.jobs[job].task, now);
                }
            }
        }
    }

    fn end_quanta(&mut self, now: u64) {
        let Policy::RoundRobin { quantum } = self.machine.policy else { return };
        for cpu in 0..self.cpus.len() {
            let Some(job) = self.cpus[cpu].job.filter(|_| self.cpus[cpu].quantum_at == now) else { continue };
            self.cpus[cpu].quantum_at = now + quantum;
            self.jobs[job].joined = now;
            let cluster = self.cpus[cpu].cluster;
            if let Some(next) = self.most_urgent(cluster) {
                self.cpus[cpu].freed_at = Some(now);
                self.jobs[job].stage = Stage::Waiting;
                self.emit(now, job, EventKind::Yield { cpu: name(cpu) });
                self.start(next, cpu, now);
            }
        }
    }

    fn use_up_budgets(&mut self, now: u64) {
        for job in self.cpus.iter().filter_map(|cpu| cpu.job).collect::<Vec<_>>() {
            self.refill(job, now);
        }
    }

    /// A server with nothing left has all again, and serves by a deadline that is a period later.
    fn refill(&mut self, job: usize, now: u64) {
        let Some(server) = self.servers[self.jobs[job].task].as_mut().filter(|server| server.budget == 0) else {
            return;
        };
        server.budget = server.full;
        server.deadline += server.period;
        let absolute_deadline = Instant::from_ns(server.deadline);
        self.emit(now, job, EventKind::BudgetExhaustion);
        self.emit(now, job, EventKind::Replenishment { absolute_deadline });
    }

    /// A job comes to a server that serves none: the old pair of budget and deadline holds only within the bandwidth.
    fn wake(&mut self, task: usize, now: u64) {
        let Some(server) = &mut self.servers[task] else { return };
        let keeps = server.deadline > now && server.budget * server.period < (server.deadline - now) * server.full;
        if !keeps {
            server.budget = server.full;
            server.deadline = now + server.period;
        }
    }

    /// Every running job, and its server's budget, has one unit less.
    fn run(&mut self) {
        for job in self.cpus.iter().filter_map(|cpu| cpu.job) {
            self.jobs[job].remaining -= 1;
            if let Some(server) = &mut self.servers[self.jobs[job].task] {
                server.budget -= 1;
            }
        }
    }

    fn tick(&mut self, now: u64) {
        let Some(period) = self.machine.tick_period else { return };
        if now > 0 && now.is_multiple_of(period) {
            for cpu in &mut self.cpus {
                cpu.owed += self.machine.clusters[cpu.cluster].tick;
            }
        }
    }

    fn pass_deadlines(&mut self, now: u64) {
        for job in 0..self.jobs.len() {
            if self.jobs[job].deadline == now && self.jobs[job].stage != Stage::Done {
                self.emit(now, job, EventKind::Miss);
                self.overrun(job, now);
            }
        }
    }

    fn arrive(&mut self, now: u64) {
        for job in 0..self.jobs.len() {
            if self.jobs[job].arrival == now {
                self.emit(now, job, EventKind::Arrival);
                let task = self.jobs[job].task;
                if self.owed_skips[task] > 0 {
                    self.owed_skips[task] -= 1;
                    self.jobs[job].stage = Stage::Done;
                    self.emit(now, job, EventKind::Skip);
                    continue;
                }
                if !self.machine.tasks[self.jobs[job].task].is_delayed {
                    self.release(job, now);
                }
            }
        }
        for job in 0..self.jobs.len() {
            if self.jobs[job].release == now && self.jobs[job].stage == Stage::Coming {
                self.release(job, now);
            }
        }
    }

    fn release(&mut self, job: usize, now: u64) {
        let task = self.jobs[job].task;
        let is_behind = |other: &TwinJob| !matches!(other.stage, Stage::Coming | Stage::Done);
        let is_behind = self.jobs.iter().any(|other| other.task == task && is_behind(other));
        self.jobs[job].stage = if is_behind { Stage::Backlog } else { Stage::Waiting };
        if !is_behind {
            self.wake(task, now);
        }
        self.jobs[job].joined = now;
        self.emit(now, job, EventKind::Release);
    }

    /// An alarm stands for every job's release, whatever has become of the job by then.
    fn interrupt(&mut self, now: u64) {
        for job in self.jobs.iter().filter(|job| job.release == now) {
            let cluster = &self.machine.clusters[self.machine.tasks[job.task].cluster];
            let first = self.first_cpu(self.machine.tasks[job.task].cluster);
            self.cpus[first].owed += cluster.release;
        }
    }

    fn first_cpu(&self, cluster: usize) -> usize {
        self.cpus.iter().position(|cpu| cpu.cluster == cluster).expect("a cluster has a processor")
    }

    /// The smaller the more urgent; the second part decides between waiting jobs alone.
    fn rank(&self, job: usize) -> (u64, usize) {
        let (machine, job) = (self.machine, &self.jobs[job]);
        let task = &machine.tasks[job.task];
        match &machine.policy {
            Policy::EarliestDeadlineFirst => (self.servers[job.task].map_or(job.deadline, |server| server.deadline), 0),
            Policy::RateMonotonic => (task.period, job.task),
            Policy::DeadlineMonotonic => (task.deadline, job.task),
            Policy::FixedPriority(ranks) => (ranks[job.task].into(), job.task),
            Policy::FirstComeFirstServed => (job.release, 0),
            Policy::RoundRobin { .. } => (job.joined, 0),
        }
    }

    fn most_urgent(&self, cluster: usize) -> Option<usize> {
        let here = |job: &TwinJob| self.machine.tasks[job.task].cluster == cluster;
        let waiting =
            (0..self.jobs.len()).filter(|job| self.jobs[*job].stage == Stage::Waiting && here(&self.jobs[*job]));
        waiting.min_by_key(|job| (self.rank(*job), self.jobs[*job].task))
    }

    /// One decision of the house rules; false once there is nothing to decide.
    fn decide(&mut self, cluster: usize, now: u64) -> bool {
        let Some(next) = self.most_urgent(cluster) else { return false };
        let cpus: Vec<usize> = (0..self.cpus.len()).filter(|cpu| self.cpus[*cpu].cluster == cluster).collect();
        let idle: Vec<usize> = cpus.iter().copied().filter(|cpu| self.cpus[*cpu].job.is_none()).collect();
        let last = self.last_cpu[self.jobs[next].task].filter(|last| idle.contains(last));
        if let Some(cpu) = last.or(idle.first().copied()) {
            self.start(next, cpu, now);
            return true;
        }
        if !self.machine.policy.is_preemptive() {
            return false;
        }
        let running = |cpu: &usize| self.cpus[*cpu].job.expect("no processor idles");
        let weakest =
            cpus.into_iter().max_by_key(|cpu| (self.rank(running(cpu)), self.jobs[running(cpu)].task)).unwrap();
        let victim = running(&weakest);
        if self.rank(next) >= self.rank(victim) {
            return false;
        }
        self.jobs[victim].stage = Stage::Waiting;
        self.emit(now, victim, EventKind::Preemption { cpu: name(weakest) });
        self.start(next, weakest, now);
        true
    }

    fn start(&mut self, job: usize, cpu: usize, now: u64) {
        let task = self.jobs[job].task;
        let (cluster, fetch) = (&self.machine.clusters[self.cpus[cpu].cluster], &self.machine.tasks[task]);
        let held = self.cpus[cpu].held_until.saturating_sub(now);
        let is_here = self.cpus[cpu].freed_at == Some(now)
            || (cpu == self.first_cpu(self.cpus[cpu].cluster) && !self.machine.has_interrupt_processor);
        let ipi = if is_here { 0 } else { cluster.ipi };
        let fetch = if self.jobs[job].ran_on.is_some() { fetch.reload } else { fetch.initial_load };
        let cost = held + cluster.dispatch + ipi + fetch + std::mem::take(&mut self.cpus[cpu].owed);
        if let Some(from) = self.jobs[job].ran_on.filter(|from| *from != cpu) {
            self.emit(now, job, EventKind::Migration { from: name(from), to: name(cpu) });
        }
        self.emit(now, job, EventKind::Dispatch { cpu: name(cpu) });
        self.jobs[job].remaining += cost;
        self.jobs[job].stage = Stage::Running;
        self.jobs[job].ran_on = Some(cpu);
        self.last_cpu[task] = Some(cpu);
        self.cpus[cpu].job = Some(job);
        if let Policy::RoundRobin { quantum } = self.machine.policy {
            self.cpus[cpu].quantum_at = now + cost + quantum;
        }
    }

    fn charge(&mut self, now: u64) {
        for cpu in 0..self.cpus.len() {
            let owed = std::mem::take(&mut self.cpus[cpu].owed);
            match self.cpus[cpu].job {
                Some(job) => self.jobs[job].remaining += owed,
                None if owed > 0 => self.cpus[cpu].held_until = self.cpus[cpu].held_until.max(now) + owed,
                None => {}
            }
        }
    }
}

fn server((full, period): (u64, u64)) -> TwinServer {
    TwinServer { full, period, budget: full, deadline: 0 }
}

fn name(cpu: usize) -> Cpu {
    Cpu::LOWEST.plus(cpu)
}
