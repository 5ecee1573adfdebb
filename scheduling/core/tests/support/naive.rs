//! The slow, obvious twin: one unsorted list of all pending jobs, searched from end to end at every question.

use prazo_core::cpu::Cpu;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Decision, Switch};
use prazo_core::time::Instant;

/// The policies, told apart as a reader would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    FirstComeFirstServed,
    RoundRobin,
    FixedPriority,
    RateMonotonic,
    DeadlineMonotonic,
    EarliestDeadlineFirst,
}

/// What decides, then the task index where the policy says that it does so too; lower goes first.
pub(crate) type Urgency = (u64, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Dormant,
    Suspended,
    Waiting,
    Running(Cpu),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub task: TaskIndex,
    pub queue: usize,
    pub parameters: Parameters,
    pub job: Option<Job>,
    joined: Instant,
    /// Fixed where the job joined, as a rank is.
    urgency: Urgency,
    inherited: Option<Urgency>,
    pub state: State,
    last: Option<Cpu>,
}

pub(crate) struct Naive {
    pub policy: Policy,
    /// By queue: its processors.
    pub cpus: Vec<Vec<Cpu>>,
    pub entries: Vec<Entry>,
}

impl Naive {
    fn preemptive(&self) -> bool {
        !matches!(self.policy, Policy::FirstComeFirstServed | Policy::RoundRobin)
    }

    pub(crate) fn admit(&mut self, task: TaskIndex, queue: usize, parameters: Parameters) {
        let (joined, urgency) = (Instant::from_ns(0), (0, 0));
        let (inherited, state) = (None, State::Dormant);
        self.entries.push(Entry { task, queue, parameters, job: None, joined, urgency, inherited, state, last: None });
    }

    pub(crate) fn entry(&mut self, task: TaskIndex) -> &mut Entry {
        self.entries.iter_mut().find(|entry| entry.task == task).expect("a member")
    }

    pub(crate) fn urgency(&mut self, task: TaskIndex) -> Urgency {
        let policy = self.policy;
        let entry = self.entry(task);
        let (job, index) = (entry.job.unwrap(), task.index() as u64);
        let own = match policy {
            Policy::FirstComeFirstServed => (job.release.as_ns(), 0),
            Policy::RoundRobin => (entry.joined.as_ns(), 0),
            Policy::FixedPriority => (u64::from(entry.parameters.priority), index),
            Policy::RateMonotonic => (entry.parameters.period.as_ns(), index),
            Policy::DeadlineMonotonic => (entry.parameters.relative_deadline.as_ns(), index),
            Policy::EarliestDeadlineFirst => (job.absolute_deadline.as_ns(), 0),
        };
        entry.inherited.map_or(own, |inherited| inherited.min(own))
    }

    fn first_waiting(&self, queue: usize) -> Option<Entry> {
        let waiting = |entry: &&Entry| entry.queue == queue && entry.state == State::Waiting;
        self.entries.iter().filter(waiting).min_by_key(|entry| (entry.urgency, entry.task)).copied()
    }

    pub(crate) fn running(&self, cpu: Cpu) -> Option<Entry> {
        self.entries.iter().find(|entry| entry.state == State::Running(cpu)).copied()
    }

    fn start(&mut self, cpu: Cpu, task: TaskIndex, preempted: Option<TaskIndex>) -> Decision {
        if let Some(preempted) = preempted {
            self.entry(preempted).state = State::Waiting;
        }
        let entry = self.entry(task);
        entry.state = State::Running(cpu);
        let migrated_from = entry.last.filter(|last| *last != cpu);
        entry.last = Some(cpu);
        Decision::Switch(Switch { cpu, runs: Some(task), preempted, migrated_from })
    }

    pub(crate) fn settle(&mut self, queue: usize) -> Decision {
        let Some(first) = self.first_waiting(queue) else { return Decision::Stay };
        let cpus = self.cpus[queue].clone();
        let idle: Vec<Cpu> = cpus.iter().copied().filter(|cpu| self.running(*cpu).is_none()).collect();
        if let Some(lowest) = idle.first() {
            let last = first.last.filter(|last| idle.contains(last));
            return self.start(last.unwrap_or(*lowest), first.task, None);
        }
        let running = cpus.iter().map(|cpu| (self.running(*cpu).unwrap(), *cpu));
        let (least, cpu) = running.max_by_key(|(entry, _)| (entry.urgency, entry.task)).unwrap();
        if self.preemptive() && first.urgency < least.urgency {
            return self.start(cpu, first.task, Some(least.task));
        }
        Decision::Stay
    }

    pub(crate) fn fill(&mut self, queue: usize, cpu: Cpu) -> Decision {
        match self.first_waiting(queue) {
            Some(first) => self.start(cpu, first.task, None),
            None => Decision::Switch(Switch { cpu, runs: None, preempted: None, migrated_from: None }),
        }
    }

    pub(crate) fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant) {
        self.entry(task).job = Some(job);
        self.join(task, now);
    }

    pub(crate) fn join(&mut self, task: TaskIndex, now: Instant) {
        self.entry(task).joined = now;
        let urgency = self.urgency(task);
        (self.entry(task).urgency, self.entry(task).state) = (urgency, State::Waiting);
    }

    /// Leaves queue or processor, which is answered; deciding is another matter.
    pub(crate) fn withdraw(&mut self, task: TaskIndex, state: State) -> Option<Cpu> {
        match core::mem::replace(&mut self.entry(task).state, state) {
            State::Running(cpu) => Some(cpu),
            _ => None,
        }
    }

    pub(crate) fn leave(&mut self, task: TaskIndex, state: State) -> Decision {
        let queue = self.entry(task).queue;
        match self.withdraw(task, state) {
            Some(cpu) => self.fill(queue, cpu),
            None => Decision::Stay,
        }
    }

    pub(crate) fn choose(&mut self, queue: usize, cpu: Cpu) -> Decision {
        match (self.running(cpu), self.first_waiting(queue)) {
            (None, Some(first)) => self.start(cpu, first.task, None),
            (Some(running), Some(first)) if self.preemptive() && first.urgency < running.urgency => {
                self.start(cpu, first.task, Some(running.task))
            }
            _ => Decision::Stay,
        }
    }

    pub(crate) fn choose_another(&mut self, queue: usize, cpu: Cpu) -> Decision {
        match (self.running(cpu), self.first_waiting(queue)) {
            (Some(running), Some(first)) => self.start(cpu, first.task, Some(running.task)),
            (None, Some(first)) => self.start(cpu, first.task, None),
            (_, None) => Decision::Stay,
        }
    }

    pub(crate) fn yield_now(&mut self, queue: usize, cpu: Cpu, now: Instant) -> Decision {
        let Some(running) = self.running(cpu) else { return Decision::Stay };
        self.entry(running.task).joined = now;
        let urgency = self.urgency(running.task);
        self.entry(running.task).urgency = urgency;
        match self.first_waiting(queue) {
            Some(first) if first.urgency <= urgency => self.start(cpu, first.task, Some(running.task)),
            _ => Decision::Stay,
        }
    }

    pub(crate) fn inherit(&mut self, task: TaskIndex, urgency: Option<Urgency>) -> Decision {
        self.entry(task).inherited = urgency;
        self.rerank(task)
    }

    pub(crate) fn rerank(&mut self, task: TaskIndex) -> Decision {
        let entry = *self.entry(task);
        if !matches!(entry.state, State::Waiting | State::Running(_)) {
            return Decision::Stay;
        }
        let urgency = self.urgency(task);
        self.entry(task).urgency = urgency;
        self.settle(entry.queue)
    }
}
