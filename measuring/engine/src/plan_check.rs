//! Whether a plan can be measured at all: everything that is wrong with it before anything is touched.

use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::plan::{Length, PERIOD_MIN, Policy, RUNTIME_MIN, ThreadPlan, TimerMethod, WhenLate};
use prazo_run::source::{NoiseSource, Source, WakeMethod, WakerCpu, WakeupSource};
use std::path::Path;

/// The longest time that a real-time loop may keep its processor: half of what the process may use without a sleep.
pub const BUSY_RUNTIME_MAX: Duration = Duration::from_ms(500);
/// The largest part of its processor that a real-time loop may use; the kernel throttles at 95 % by default.
pub const BUSY_SHARE_MAX: f64 = 0.9;

/// What is wrong with a plan: a usage error that names the flag and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // Each variant's message says what it is.
pub enum PlanError {
    #[error("--cpus names no processor; give at least one, as in --cpus 0-1")]
    NoThreads,
    #[error("--cpus names processor {0} twice; name each processor once")]
    Twice(u32),
    #[error(
        "--cpus: processor {cpu} is offline (online: {online}); choose another processor, or write 1 to \
         /sys/devices/system/cpu/cpu{cpu}/online"
    )]
    Offline { cpu: u32, online: String },
    #[error("--cpus: processor {cpu} does not exist; this machine has processors {present}")]
    NoSuchProcessor { cpu: u32, present: String },
    #[error(
        "--cpus: processor {cpu} is not in this process's cpuset ({usable}); choose one of these, or move the shell to \
         a cpuset that contains it"
    )]
    OutsideCpuset { cpu: u32, usable: String },
    #[error("--housekeeping-cpu: processor {cpu} cannot be used; choose one of the usable processors ({usable})")]
    Housekeeping { cpu: u32, usable: String },
    #[error("--inherit is not possible with --method {0}, which has no mutex; choose --method mutex or condvar")]
    Inherit(&'static str),
    #[error("--waker-cpu: processor {cpu} cannot be used; choose one of the usable processors ({usable})")]
    Waker { cpu: u32, usable: String },
    #[error(
        "--waker-cpu other: this process may use processor {0} only; choose --waker-cpu same, or allow this process to \
         use more processors"
    )]
    NoOtherProcessor(u32),
    #[error(
        "--method {method}: this process may use processor {cpu} only, so that no thread can move; allow this process \
         to use more processors"
    )]
    NowhereToMove { method: &'static str, cpu: u32 },
    #[error(
        "--method push needs a real-time policy (--policy fifo or rr) and a waking thread on the same processor that is more urgent than the measured thread: give --waker-priority above --priority, and --waker-cpu same"
    )]
    Push,
    #[error("with --threshold 0, every reading of the clock counts as a gap; give at least 1us")]
    ThresholdZero,
    #[error(
        "--runtime is {runtime}; give more than the --threshold ({threshold}) and at most the --period of processor \
         {cpu} ({period})"
    )]
    BusyRuntime { runtime: Duration, threshold: Duration, cpu: u32, period: Duration },
    #[error(
        "--policy deadline cannot measure noise: the kernel stops a deadline thread that has used up its budget, and \
         the stop would count as a gap; choose fifo, rr or other"
    )]
    BusyDeadline,
    #[error(
        "--runtime {runtime} in a --period of {period} is too long for a real-time loop, because nothing else can run \
         on processor {cpu} meanwhile; give at most {BUSY_RUNTIME_MAX} and at most 90 % of --period, or choose \
         --policy other"
    )]
    BusyRealTime { runtime: Duration, cpu: u32, period: Duration },
    #[error("--period of processor {cpu} is {period}; the shortest possible period is {PERIOD_MIN}")]
    PeriodTooShort { cpu: u32, period: Duration },
    #[error(
        "--period of processor {cpu} is {period}, but setitimer takes whole µs only; give a whole number of µs or \
         choose --method posix-timer"
    )]
    PeriodNotWhole { cpu: u32, period: Duration },
    #[error(
        "--phase of processor {cpu} is {phase}, but the run ends after {length}; give a shorter --phase or a longer \
         --duration"
    )]
    PhaseTooLong { cpu: u32, phase: Duration, length: Duration },
    #[error("--priority {0} does not exist; real-time priorities are 1 to 99")]
    Priority(u8),
    #[error("--count 0 measures nothing; omit --count to measure for --duration")]
    CountZero,
    #[error("--duration 0 measures nothing; give at least one period")]
    DurationZero,
    #[error(
        "every activation misses --deadline 0; give the longest acceptable response latency, as in --deadline 200us"
    )]
    DeadlineZero,
    #[error("--when-late {rule} is not possible with --method {method}: {why}; choose {instead}")]
    WhenLate { rule: &'static str, method: &'static str, why: &'static str, instead: &'static str },
    #[error("--runtime is {runtime}; it must be between {RUNTIME_MIN} and the period of processor {cpu} ({period})")]
    Runtime { cpu: u32, runtime: Duration, period: Duration },
    #[error("--application {0}: process {0} does not exist; give the id of a running process")]
    NoSuchProcess(u32),
}

/// What the machine offers, as far as a plan depends on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Processors that exist, online or not.
    pub present: CpuSet,
    /// Processors that are online.
    pub online: CpuSet,
    /// Processors that this process may be given.
    pub usable: CpuSet,
}

/// Refuses a plan that cannot be measured, for the first reason found.
pub fn check(plan: &Plan, machine: &Machine) -> Result<(), PlanError> {
    check_threads(plan, machine)?;
    check_length(plan)?;
    check_policy(plan)?;
    check_when_late(plan.method, plan.when_late)?;
    if plan.deadline.is_some_and(Duration::is_zero) {
        return Err(PlanError::DeadlineZero);
    }
    match plan.beside_pid {
        Some(pid) if !Path::new(&format!("/proc/{pid}")).exists() => Err(PlanError::NoSuchProcess(pid)),
        _ => Ok(()),
    }
}

fn check_threads(plan: &Plan, machine: &Machine) -> Result<(), PlanError> {
    if plan.threads.is_empty() {
        return Err(PlanError::NoThreads);
    }
    for (number, thread) in plan.threads.iter().enumerate() {
        if plan.threads[..number].iter().any(|earlier| earlier.cpu == thread.cpu) {
            return Err(PlanError::Twice(thread.cpu));
        }
        check_cpu(thread.cpu, machine)?;
        check_period(plan.method, thread)?;
    }
    check_housekeeping(plan.housekeeping_cpu, machine)?;
    match &plan.source {
        Source::Wakeup(source) => check_waker(source, plan.policy, machine),
        Source::Noise(source) => {
            plan.threads.iter().try_for_each(|thread| check_busy_loop(source, plan.policy, thread))
        }
        _ => Ok(()),
    }
}

fn check_busy_loop(source: &NoiseSource, policy: Policy, thread: &ThreadPlan) -> Result<(), PlanError> {
    let NoiseSource { threshold, runtime } = *source;
    let ThreadPlan { cpu, period, .. } = *thread;
    if threshold.is_zero() {
        return Err(PlanError::ThresholdZero);
    }
    if runtime <= threshold || runtime > period {
        return Err(PlanError::BusyRuntime { runtime, threshold, cpu, period });
    }
    match policy {
        Policy::Other => Ok(()),
        Policy::Deadline { .. } => Err(PlanError::BusyDeadline),
        Policy::Fifo { .. } | Policy::Rr { .. } => {
            let share = runtime.as_ns() as f64 / period.as_ns() as f64;
            let fits = runtime <= BUSY_RUNTIME_MAX && share <= BUSY_SHARE_MAX;
            if fits { Ok(()) } else { Err(PlanError::BusyRealTime { runtime, cpu, period }) }
        }
    }
}

fn check_waker(source: &WakeupSource, policy: Policy, machine: &Machine) -> Result<(), PlanError> {
    if source.inherit && !source.method.has_mutex() {
        return Err(PlanError::Inherit(source.method.name()));
    }
    match (source.waker_cpu, machine.usable.iter().count()) {
        (WakerCpu::Cpu { cpu }, _) => {
            check_cpu(cpu, machine).map_err(|_| PlanError::Waker { cpu, usable: machine.usable.to_string() })?;
        }
        (WakerCpu::Other, 1) => return Err(PlanError::NoOtherProcessor(machine.usable.first().number())),
        _ => {}
    }
    check_move(source, policy, machine)?;
    check_priority(source.waker_policy)
}

/// A thread that moves needs a processor to move to; one that is pushed, somebody that pushes it.
fn check_move(source: &WakeupSource, policy: Policy, machine: &Machine) -> Result<(), PlanError> {
    let method = source.method;
    if !method.moves() {
        return Ok(());
    }
    if machine.usable.iter().count() == 1 {
        return Err(PlanError::NowhereToMove { method: method.name(), cpu: machine.usable.first().number() });
    }
    let pushes = match (policy, source.waker_policy) {
        (
            Policy::Fifo { priority } | Policy::Rr { priority },
            Policy::Fifo { priority: waker } | Policy::Rr { priority: waker },
        ) => waker > priority && source.waker_cpu == WakerCpu::Same,
        _ => false,
    };
    if method == WakeMethod::Push && !pushes { Err(PlanError::Push) } else { Ok(()) }
}

pub fn check_cpu(cpu: u32, machine: &Machine) -> Result<(), PlanError> {
    let is_in = |set: &CpuSet| Cpu::new(cpu).is_some_and(|cpu| set.contains(cpu));
    if !is_in(&machine.present) {
        return Err(PlanError::NoSuchProcessor { cpu, present: machine.present.to_string() });
    }
    if !is_in(&machine.online) {
        return Err(PlanError::Offline { cpu, online: machine.online.to_string() });
    }
    if !is_in(&machine.usable) {
        return Err(PlanError::OutsideCpuset { cpu, usable: machine.usable.to_string() });
    }
    Ok(())
}

fn check_housekeeping(cpu: Option<u32>, machine: &Machine) -> Result<(), PlanError> {
    match cpu {
        Some(cpu) => {
            check_cpu(cpu, machine).map_err(|_| PlanError::Housekeeping { cpu, usable: machine.usable.to_string() })
        }
        None => Ok(()),
    }
}

fn check_period(method: TimerMethod, thread: &ThreadPlan) -> Result<(), PlanError> {
    let ThreadPlan { cpu, period, .. } = *thread;
    if period < PERIOD_MIN {
        return Err(PlanError::PeriodTooShort { cpu, period });
    }
    if method == TimerMethod::Setitimer && !period.as_ns().is_multiple_of(1_000) {
        return Err(PlanError::PeriodNotWhole { cpu, period });
    }
    Ok(())
}

pub fn check_length(plan: &Plan) -> Result<(), PlanError> {
    let length = match plan.length {
        Length::Activations { count: 0 } => return Err(PlanError::CountZero),
        Length::Activations { .. } => return Ok(()),
        Length::Duration { length } => length,
    };
    if length.is_zero() {
        return Err(PlanError::DurationZero);
    }
    let length = plan.run_length();
    match plan.threads.iter().find(|thread| thread.phase >= length) {
        Some(ThreadPlan { cpu, phase, .. }) => Err(PlanError::PhaseTooLong { cpu: *cpu, phase: *phase, length }),
        None => Ok(()),
    }
}

fn check_priority(policy: Policy) -> Result<(), PlanError> {
    match policy {
        Policy::Fifo { priority } | Policy::Rr { priority } if !(1..=99).contains(&priority) => {
            Err(PlanError::Priority(priority))
        }
        _ => Ok(()),
    }
}

pub fn check_policy(plan: &Plan) -> Result<(), PlanError> {
    check_priority(plan.policy)?;
    match plan.policy {
        Policy::Deadline { runtime } => {
            let fits = |thread: &&ThreadPlan| runtime < RUNTIME_MIN || runtime > thread.period;
            match plan.threads.iter().find(fits) {
                Some(ThreadPlan { cpu, period, .. }) => Err(PlanError::Runtime { cpu: *cpu, runtime, period: *period }),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn check_when_late(method: TimerMethod, rule: WhenLate) -> Result<(), PlanError> {
    use TimerMethod as M;
    let refused = |rule, why, instead| Err(PlanError::WhenLate { rule, method: method.name(), why, instead });
    match (method, rule) {
        (M::Nanosleep, WhenLate::CatchUp) => {
            refused("catch-up", "a relative sleep has no due instants to catch up with", "--method clock-nanosleep")
        }
        (M::Setitimer, WhenLate::CatchUp) => refused(
            "catch-up",
            "the kernel drops missed expirations of setitimer without counting them",
            "--method timerfd or posix-timer",
        ),
        (M::Setitimer, WhenLate::RePhase) => refused(
            "re-phase",
            "setitimer cannot be started at an absolute time",
            "--method clock-nanosleep or timerfd",
        ),
        (M::PosixTimer, WhenLate::RePhase) => refused(
            "re-phase",
            "a signal that the timer sent before the phase changed may still be pending",
            "--method clock-nanosleep or timerfd",
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plans::plan;
    use super::*;

    fn machine() -> Machine {
        Machine { present: "0-4".parse().unwrap(), online: "0-3".parse().unwrap(), usable: "0-2".parse().unwrap() }
    }

    fn refused(change: impl FnOnce(&mut Plan)) -> PlanError {
        let mut plan = plan(&[0, 1]);
        change(&mut plan);
        check(&plan, &machine()).unwrap_err()
    }

    #[test]
    fn a_sound_plan_is_accepted() {
        assert_eq!(check(&plan(&[0, 1]), &machine()), Ok(()));
    }

    #[test]
    fn processors_must_be_online_and_usable_and_named_once() {
        assert_eq!(refused(|plan| plan.threads.clear()), PlanError::NoThreads);
        assert_eq!(refused(|plan| plan.threads[1].cpu = 0), PlanError::Twice(0));
        assert_eq!(refused(|plan| plan.threads[1].cpu = 4), PlanError::Offline { cpu: 4, online: "0-3".into() });
        for absent in [5, 9_999] {
            let error = refused(|plan| plan.threads[1].cpu = absent);
            assert_eq!(error, PlanError::NoSuchProcessor { cpu: absent, present: "0-4".into() });
        }
        assert_eq!(refused(|plan| plan.threads[1].cpu = 3), PlanError::OutsideCpuset { cpu: 3, usable: "0-2".into() });
        assert_eq!(
            refused(|plan| plan.housekeeping_cpu = Some(3)),
            PlanError::Housekeeping { cpu: 3, usable: "0-2".into() }
        );
    }

    #[test]
    fn lengths_must_leave_something_to_judge() {
        assert_eq!(refused(|plan| plan.length = Length::Activations { count: 0 }), PlanError::CountZero);
        assert_eq!(refused(|plan| plan.length = Length::Duration { length: Duration::ZERO }), PlanError::DurationZero);
        let longer_than_what_is_measured = Plan { warm_up: Duration::from_s(3_600), ..plan(&[0, 1]) };
        assert_eq!(check(&longer_than_what_is_measured, &machine()), Ok(()), "the warm-up comes before");
        assert!(matches!(
            refused(|plan| plan.threads[0].phase = Duration::from_s(3_600)),
            PlanError::PhaseTooLong { .. }
        ));
        assert_eq!(refused(|plan| plan.deadline = Some(Duration::ZERO)), PlanError::DeadlineZero);
    }

    #[test]
    fn periods_and_priorities_must_exist() {
        let period = Duration::ZERO;
        assert_eq!(refused(|plan| plan.threads[0].period = period), PlanError::PeriodTooShort { cpu: 0, period });
        for priority in [0, 100] {
            assert_eq!(refused(|plan| plan.policy = Policy::Fifo { priority }), PlanError::Priority(priority));
        }
        let runtime = Duration::from_s(2);
        assert!(matches!(refused(|plan| plan.policy = Policy::Deadline { runtime }), PlanError::Runtime { .. }));
    }

    #[test]
    fn a_waking_thread_needs_a_processor_that_can_be_used() {
        let woken = |waker_cpu| {
            let method = prazo_run::source::WakeMethod::Futex;
            WakeupSource { method, inherit: false, waker_cpu, waker_policy: Policy::Other }
        };
        let error = refused(|plan| plan.source = Source::Wakeup(woken(WakerCpu::Cpu { cpu: 3 })));
        assert_eq!(error, PlanError::Waker { cpu: 3, usable: "0-2".into() });
        let inherit = WakeupSource { inherit: true, ..woken(WakerCpu::Same) };
        assert_eq!(refused(|plan| plan.source = Source::Wakeup(inherit)), PlanError::Inherit("futex"));
        let plan = Plan { source: Source::Wakeup(woken(WakerCpu::Other)), ..plan(&[0]) };
        assert_eq!(check(&plan, &machine()), Ok(()));
        let alone = Machine { usable: "0".parse().unwrap(), ..machine() };
        assert_eq!(check(&plan, &alone), Err(PlanError::NoOtherProcessor(0)));
    }

    #[test]
    fn a_thread_that_moves_needs_a_processor_to_move_to_and_one_that_is_pushed_a_more_urgent_one() {
        let of = |method, waker_priority, waker_cpu| {
            let waker_policy = Policy::Fifo { priority: waker_priority };
            let source = WakeupSource { method, inherit: false, waker_cpu, waker_policy };
            Plan { policy: Policy::Fifo { priority: 50 }, source: Source::Wakeup(source), ..plan(&[0]) }
        };
        let alone = Machine { usable: "0".parse().unwrap(), ..machine() };
        let same = WakerCpu::Same;
        assert_eq!(check(&of(WakeMethod::Migrate, 49, same), &machine()), Ok(()));
        let nowhere = PlanError::NowhereToMove { method: "migrate", cpu: 0 };
        assert_eq!(check(&of(WakeMethod::Migrate, 49, same), &alone), Err(nowhere));
        assert_eq!(check(&of(WakeMethod::Push, 51, same), &machine()), Ok(()));
        for (priority, cpu) in [(50, same), (49, same), (51, WakerCpu::Other)] {
            assert_eq!(check(&of(WakeMethod::Push, priority, cpu), &machine()), Err(PlanError::Push));
        }
        let other = Plan { policy: Policy::Other, ..of(WakeMethod::Push, 51, same) };
        assert_eq!(check(&other, &machine()), Err(PlanError::Push));
    }

    #[test]
    fn a_busy_loop_leaves_time_to_others() {
        let source = |threshold, runtime| Source::Noise(NoiseSource { threshold, runtime });
        let (us, ms) = (Duration::from_us, Duration::from_ms);
        let checked = |policy, source, period| {
            let mut plan = Plan { policy, source, ..plan(&[0]) };
            plan.threads[0].period = period;
            check(&plan, &machine())
        };
        let fifo = Policy::Fifo { priority: 90 };
        assert_eq!(checked(fifo, source(us(5), ms(50)), ms(100)), Ok(()));
        assert_eq!(checked(Policy::Other, source(us(5), ms(100)), ms(100)), Ok(()), "an ordinary loop hangs nothing");
        assert_eq!(checked(fifo, source(us(0), ms(50)), ms(100)), Err(PlanError::ThresholdZero));
        for (runtime, period) in [(ms(95), ms(100)), (ms(600), ms(1_000))] {
            let error = PlanError::BusyRealTime { runtime, cpu: 0, period };
            assert_eq!(checked(fifo, source(us(5), runtime), period), Err(error));
        }
        for runtime in [us(5), ms(101)] {
            let error = PlanError::BusyRuntime { runtime, threshold: us(5), cpu: 0, period: ms(100) };
            assert_eq!(checked(Policy::Other, source(us(5), runtime), ms(100)), Err(error));
        }
        let deadline = Policy::Deadline { runtime: ms(50) };
        assert_eq!(checked(deadline, source(us(5), ms(50)), ms(100)), Err(PlanError::BusyDeadline));
    }

    #[test]
    fn setitimer_takes_whole_microseconds() {
        let error = refused(|plan| {
            plan.method = TimerMethod::Setitimer;
            plan.threads[0].period = Duration::from_ns(1_000_500);
        });
        assert!(matches!(error, PlanError::PeriodNotWhole { cpu: 0, .. }));
    }

    #[test]
    fn what_a_method_cannot_do_when_late_names_one_that_can() {
        let error = refused(|plan| {
            plan.method = TimerMethod::Setitimer;
            plan.when_late = WhenLate::CatchUp;
        });
        assert!(error.to_string().contains("choose --method timerfd"));
    }

    #[test]
    fn a_process_to_measure_beside_must_exist() {
        assert_eq!(refused(|plan| plan.beside_pid = Some(u32::MAX)), PlanError::NoSuchProcess(u32::MAX));
    }
}
