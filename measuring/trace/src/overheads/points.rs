//! Which points of a kernel each kind of overhead lies between, and where kernels differ: the alternatives, best first.

use super::record::OverheadKind;

/// A program of `bpf/overheads.bpf.c` and what it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attachment {
    /// The program.
    pub program: &'static str,
    /// What it hangs on.
    pub point: Point,
}

/// What a program can hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// A trace point.
    Trace(&'static str),
    /// A function's entry, through a trampoline; the kernel's types must name it.
    Entry(&'static str),
    /// A function's entry, through a probe; the compiler may have renamed it.
    Probe(&'static str),
}

impl Point {
    /// The name of point or function.
    #[cfg(test)]
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Trace(name) | Self::Entry(name) | Self::Probe(name) => name,
        }
    }
}

const fn trace(program: &'static str, point: &'static str) -> Attachment {
    Attachment { program, point: Point::Trace(point) }
}

/// One end of a pair: the first of these that a kernel has.
type Ends = &'static [Attachment];

const INTERRUPT_BEGINS: Ends = &[trace("timer_interrupt_begins", "local_timer_entry")];
const INTERRUPT_ENDS: Ends = &[trace("timer_interrupt_ends", "local_timer_exit")];
const TIMER_EXPIRES: Ends = &[trace("timer_expires", "hrtimer_expire_entry")];
const JOB_IS_READY: Ends = &[trace("job_is_ready", "sched_wakeup")];
const SCHEDULER_BEGINS: Ends = &[
    trace("scheduler_entered", "sched_entry_tp"),
    Attachment { program: "scheduler_notes", point: Point::Entry("rcu_note_context_switch") },
];
const SCHEDULER_DECIDED: Ends = &[trace("scheduler_decided", "sched_switch")];
const SWITCH_BEGINS: Ends = &[trace("switch_begins", "sched_switch")];
const SWITCH_ENDS: Ends = &[
    trace("scheduler_left", "sched_exit_tp"),
    Attachment { program: "sleep_ends", point: Point::Entry(SLEEP_ENDS) },
    Attachment { program: "switch_finishes", point: Point::Probe("finish_task_switch") },
];
/// Where a task that slept goes on, on kernels without a point at the scheduler's exit.
const SLEEP_ENDS: &str = "hrtimer_try_to_cancel";
const TICK_ENDS: Ends = &[trace("tick_ends", "hrtimer_expire_exit")];
const IPI_IS_SENT: Ends = &[
    trace("interrupt_is_sent", "ipi_send_cpu"),
    Attachment { program: "reschedule_is_called", point: Point::Entry("native_smp_send_reschedule") },
];
const IPI_BEGINS: Ends = &[trace("reschedule_begins", "reschedule_entry")];

/// Interrupts that may come between the stamps around a decision or a switch, where those are so far out that it can be
/// interrupted; not every kernel has all.
pub(super) const INTERRUPTS: [Attachment; 5] = [
    trace("other_local_timer_entry", "local_timer_entry"),
    trace("other_reschedule_entry", "reschedule_entry"),
    trace("other_irq_handler_entry", "irq_handler_entry"),
    trace("other_call_function_entry", "call_function_entry"),
    trace("other_call_function_single_entry", "call_function_single_entry"),
];

/// Two programs on one point, which run in this order.
pub(super) const STAMP: [Attachment; 2] = [trace("stamp_begins", "sched_switch"), trace("stamp_ends", "sched_switch")];

/// The ends that a kind needs, all of them; what its samples lie between comes first.
pub(super) const fn of(kind: OverheadKind) -> &'static [Ends] {
    match kind {
        OverheadKind::Release => &[INTERRUPT_BEGINS, JOB_IS_READY, TIMER_EXPIRES, INTERRUPT_ENDS],
        OverheadKind::Scheduling => &[SCHEDULER_BEGINS, SCHEDULER_DECIDED],
        OverheadKind::Switch => &[SWITCH_BEGINS, SWITCH_ENDS],
        OverheadKind::Tick => &[TIMER_EXPIRES, TICK_ENDS],
        OverheadKind::Ipi => &[IPI_IS_SENT, IPI_BEGINS],
        OverheadKind::Event => &[INTERRUPT_BEGINS, TIMER_EXPIRES, INTERRUPT_ENDS],
        OverheadKind::Stamp => &[],
    }
}

/// Kinds that are traced together, each pass with the tasks from their start: few programs at a time, so that what a pair holds
/// of the tracing stays small.
pub(super) const PASSES: [&[OverheadKind]; 4] = [
    &[OverheadKind::Release, OverheadKind::Event],
    &[OverheadKind::Scheduling],
    &[OverheadKind::Switch],
    &[OverheadKind::Tick, OverheadKind::Ipi],
];

/// True where interrupts are on at one of the points: then they may come in between.
pub(super) fn can_be_interrupted(way: &str) -> bool {
    ["sched_entry_tp", "sched_exit_tp", SLEEP_ENDS].iter().any(|point| way.contains(point))
}

/// The tick's function, by the names that it has had: until 6.7 the second was that of a clock without high resolution.
pub(super) const TICK_FUNCTIONS: [&str; 2] = ["tick_sched_timer", "tick_nohz_handler"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_in_the_source_on_its_point() {
        let source = include_str!("../../bpf/overheads.bpf.c");
        let steps = OverheadKind::ALL.into_iter().flat_map(of).copied().flatten().chain(&STAMP);
        for step in steps {
            let section = match step.point {
                Point::Trace(name) => format!("tp_btf/{name}"),
                Point::Entry(name) => format!("fentry/{name}"),
                Point::Probe(name) => format!("kprobe/{name}"),
            };
            assert!(source.contains(&format!("SEC(\"{section}\")\nint {}(", step.program)), "{step:?}");
        }
        for step in INTERRUPTS {
            assert!(source.contains(&format!("OTHER_INTERRUPT({})", step.point.name())), "{step:?}");
        }
    }
}
