//! The tasks of Vitor 2013 section IV-A as a plan: so many periodic threads, drawn from a seed.

use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::defaults;
use prazo_run::plan::{Length, Policy, ThreadPlan, WhenLate};
use prazo_run::run::Quantity;
use prazo_run::source::{OverheadsSource, Source, TaskAffinity};

/// The priority of the task with the shortest period, under fixed priorities; the others come below it, in order.
pub const PRIORITY: u8 = defaults::PRIORITY;

/// Periods in microseconds: "uma distribuição uniforme entre [3, 33]" milliseconds.
const PERIODS_US: std::ops::RangeInclusive<u64> = 3_000..=33_000;
/// A deadline task's budget is at most this; a job takes a small part of it.
const RUNTIME_MAX_NS: u64 = 500_000;
/// The share of the processors that all budgets together ask for at most; the kernel grants 95 %.
const SHARE_MAX: f64 = 0.9;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Draw {
    /// How many tasks.
    pub tasks: u32,
    /// Earliest deadline first by SCHED_DEADLINE; else fixed priorities by SCHED_FIFO, rate monotonic.
    pub by_deadline: bool,
    /// The processors on which they run.
    pub cpus: Vec<u32>,
    /// Which of these a task may use.
    pub shape: TaskAffinity,
    /// How long they run.
    pub length: Duration,
    /// This long after the start is left out of the figures.
    pub warm_up: Duration,
    /// What is traced.
    pub kinds: Vec<Quantity>,
    /// Working sets, in KiB, of which the cache-related delay is measured.
    pub working_sets_kib: Vec<u32>,
    /// Seeds periods and offsets.
    pub seed: u64,
}

impl Draw {
    /// The plan.
    pub fn plan(&self) -> Plan {
        let threads = self.threads();
        let runtime = Duration::from_ns(runtime_ns(&threads, self.cpus.len()));
        let policy = if self.by_deadline { Policy::Deadline { runtime } } else { Policy::Fifo { priority: PRIORITY } };
        let source = OverheadsSource {
            cpus: self.cpus.clone(),
            shape: self.shape,
            kinds: self.kinds.clone(),
            working_sets_kib: self.working_sets_kib.clone(),
        };
        let length = Length::Duration { length: self.length };
        Plan {
            when_late: WhenLate::CatchUp,
            warm_up: self.warm_up,
            seed: self.seed,
            ..Plan::new(Source::Overheads(source), policy, threads, length)
        }
    }

    /// Another number of tasks is another draw; tasks are dealt to the processors in turn.
    fn threads(&self) -> Vec<ThreadPlan> {
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_mul(1_000).wrapping_add(self.tasks.into()));
        let mut thread = |cpu: &u32| {
            let period_ns = random.u64(PERIODS_US) * 1_000;
            let phase = Duration::from_ns(random.u64(0..period_ns));
            ThreadPlan { cpu: *cpu, period: Duration::from_ns(period_ns), phase }
        };
        self.cpus.iter().cycle().take(self.tasks as usize).map(&mut thread).collect()
    }
}

/// The same budget for each, so that the kernel admits them all.
fn runtime_ns(threads: &[ThreadPlan], processors: usize) -> u64 {
    let rate: f64 = threads.iter().map(|thread| 1.0 / thread.period.as_ns() as f64).sum();
    let shared_ns = SHARE_MAX * processors as f64 / rate;
    (shared_ns as u64).min(RUNTIME_MAX_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(tasks: u32, seed: u64) -> Draw {
        let length = Duration::from_s(1);
        let (cpus, shape) = (vec![0, 1], TaskAffinity::Global);
        Draw {
            tasks,
            by_deadline: true,
            cpus,
            shape,
            length,
            warm_up: Duration::ZERO,
            kinds: Vec::new(),
            working_sets_kib: Vec::new(),
            seed,
        }
    }

    #[test]
    fn tasks_are_those_of_the_paper_and_the_kernel_can_admit_their_budgets() {
        for seed in 0..20 {
            let plan = draw(125, seed).plan();
            assert_eq!(plan.threads.len(), 125);
            assert!(plan.threads.iter().all(|thread| PERIODS_US.contains(&(thread.period.as_ns() / 1_000))));
            assert!(plan.threads.iter().all(|thread| thread.phase < thread.period));
            let Policy::Deadline { runtime } = plan.policy else { panic!("by deadline") };
            let share: f64 = plan.threads.iter().map(|t| runtime.as_ns() as f64 / t.period.as_ns() as f64).sum();
            assert!(share <= SHARE_MAX * 2.0 && runtime.as_ns() <= RUNTIME_MAX_NS, "{share} of two processors");
        }
    }

    #[test]
    fn a_seed_draws_the_same_again_and_another_number_others() {
        assert_eq!(draw(5, 7).plan(), draw(5, 7).plan());
        assert_ne!(draw(5, 7).plan().threads, draw(5, 8).plan().threads);
        assert_ne!(draw(15, 7).plan().threads[..5], draw(5, 7).plan().threads);
    }
}
