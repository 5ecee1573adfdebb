//! A machine that goes on unit by unit and writes down what happens: periodic tasks, one scheduler, no shortcuts.
//!
//! At each instant jobs end first, then jobs arrive, then is decided, then everybody who runs does so for one unit.

use prazo_core::cpu::Cpu;
use prazo_core::criterion::Criterion;
use prazo_core::event::EventKind;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision, Scheduler};
use prazo_core::shape::{Shape, Value};
use prazo_core::time::{Duration, Instant};

/// A periodic task in units of the test's own: C, T, D, its first arrival, and the queue it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub cost: u64,
    pub period: u64,
    pub deadline: u64,
    pub offset: u64,
    pub queue: usize,
}

/// (C, T), arriving first at 0, in the first queue.
pub(crate) const fn implicit(cost: u64, period: u64) -> Spec {
    Spec { cost, period, deadline: period, offset: 0, queue: 0 }
}

/// A task while it runs.
struct Progress {
    spec: Spec,
    remaining: u64,
    arrived: u64,
    ended: u64,
}

/// The trace of `specs` until `end`: lines such as `3 dispatch 1.0 on 0`, task and job with a point between them.
pub(crate) fn trace<C: Criterion + Copy>(criterion: C, heads: &[u16], specs: &[Spec], end: u64) -> Vec<String> {
    let shape = Value::of(heads, heads.iter().map(|heads| usize::from(*heads)).sum()).expect("a sound shape");
    let cluster = |queue| Cluster::<C, 16, 4>::of(criterion, &shape, queue, specs.len());
    let mut clusters: Vec<_> = (0..heads.len()).map(cluster).collect();
    let mut scheduler = Scheduler::new(shape, &mut clusters);
    let mut tasks: Vec<Progress> = vec![];
    for (task, spec) in specs.iter().enumerate() {
        let [period, relative_deadline] = [spec.period, spec.deadline].map(Duration::from_ns);
        let parameters = Parameters { period, relative_deadline, priority: task as u32 };
        scheduler.admit(TaskIndex::new(task).expect("few tasks"), spec.queue, parameters);
        tasks.push(Progress { spec: *spec, remaining: 0, arrived: 0, ended: 0 });
    }
    let mut lines = vec![];
    (0..end).for_each(|now| step(&mut scheduler, &mut tasks, now, &mut lines));
    lines
}

type Machine<'a, C> = Scheduler<'a, C, Value, 16, 4>;

fn step<C: Criterion>(scheduler: &mut Machine<'_, C>, tasks: &mut [Progress], now: u64, lines: &mut Vec<String>) {
    complete(scheduler, tasks, now, lines);
    arrive(scheduler, tasks, now);
    for queue in 0..scheduler.clusters().len() {
        while let Decision::Switch(switch) = scheduler.clusters()[queue].settle() {
            for (task, kind) in switch.events() {
                lines.push(line(now, kind, task.index(), tasks[task.index()].ended));
            }
        }
    }
    for cpu in cpus(scheduler) {
        if let Some(task) = scheduler.cluster_at(cpu).running(cpu) {
            tasks[task.index()].remaining -= 1;
        }
    }
}

fn complete<C: Criterion>(scheduler: &mut Machine<'_, C>, tasks: &mut [Progress], now: u64, lines: &mut Vec<String>) {
    for cpu in cpus(scheduler) {
        let Some(task) = scheduler.cluster_at(cpu).running(cpu) else { continue };
        let progress = &mut tasks[task.index()];
        if progress.remaining > 0 {
            continue;
        }
        lines.push(line(now, EventKind::Completion { cpu }, task.index(), progress.ended));
        scheduler.cluster_of(task).finish(task);
        progress.ended += 1;
        if progress.ended < progress.arrived {
            release(scheduler, task, progress, now);
        }
    }
}

fn arrive<C: Criterion>(scheduler: &mut Machine<'_, C>, tasks: &mut [Progress], now: u64) {
    for (number, progress) in tasks.iter_mut().enumerate() {
        let Spec { offset, period, .. } = progress.spec;
        if now < offset || !(now - offset).is_multiple_of(period) {
            continue;
        }
        progress.arrived += 1;
        if progress.arrived == progress.ended + 1 {
            release(scheduler, TaskIndex::new(number).expect("few tasks"), progress, now);
        }
    }
}

/// The oldest pending job of `task` joins the queue.
fn release<C: Criterion>(scheduler: &mut Machine<'_, C>, task: TaskIndex, progress: &mut Progress, now: u64) {
    let Spec { offset, period, cost, .. } = progress.spec;
    let arrival = Instant::from_ns(offset + progress.ended * period);
    progress.remaining = cost;
    let cluster = scheduler.cluster_of(task);
    let job = Job::arriving(progress.ended, arrival, cluster.parameters(task));
    cluster.enqueue(task, job, Instant::from_ns(now));
}

fn cpus<C: Criterion>(scheduler: &Machine<'_, C>) -> impl Iterator<Item = Cpu> + use<C> {
    (0..scheduler.shape().processors()).map(|number| Cpu::LOWEST.plus(number))
}

fn line(now: u64, kind: EventKind, task: usize, job: u64) -> String {
    let place = kind.cpu().map_or(String::new(), |cpu| format!(" on {cpu}"));
    format!("{now} {} {task}.{job}{place}", kind.name())
}
