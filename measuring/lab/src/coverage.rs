//! Which code of the kernel's way from an interrupt to a thread was executed in watched boots, and which was not.
//!
//! ```text
//! executed blocks of windows ─► Coverage ─► by path: functions and bytes ─► functions with the most code that did not run
//! ```
//! A bound from sections says nothing of code that did not run; this module counts it. A function's bytes reach to the next symbol, so
//! a few of them are padding. Functions belong to a path by their section or the
//! beginning of their names. Pieces such as `f.cold` are functions of their own.

use crate::recording::{CodeRange, Function, Symbols};

/// A part of the way from an interrupt to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodePath {
    /// Into interrupts, faults and system calls, through softirqs, and back.
    Entry,
    /// Timers and their interrupts.
    Timer,
    /// Waking a thread, choosing it, switching to it.
    Scheduler,
}

/// Beginnings of the names of a path's functions, apart from leading underscores.
const NAMES: [(CodePath, &[&str]); 3] = [
    (
        CodePath::Entry,
        &[
            "sysvec_",
            "common_interrupt",
            "irqentry_",
            "irq_enter",
            "irq_exit",
            "exit_to_user_mode",
            "syscall_enter_",
            "syscall_exit_",
            "do_syscall_64",
            "do_softirq",
            "handle_softirqs",
            "raise_softirq",
            "handle_irq",
            "handle_edge_irq",
            "handle_fasteoi_irq",
            "generic_handle_irq",
            // 64-bit Arm.
            "el0_",
            "el1_",
            "do_interrupt_handler",
            "do_el0_svc",
            "gic_handle_irq",
            "generic_handle_domain_irq",
            "handle_percpu_devid_irq",
            "exit_to_kernel_mode",
            "enter_from_kernel_mode",
        ],
    ),
    (
        CodePath::Timer,
        &[
            "hrtimer_",
            "timerqueue_",
            "tick_program_event",
            "tick_sched_",
            "tick_nohz_",
            "clockevents_program",
            "lapic_next_",
            "local_apic_timer",
            "arch_timer_",
            "do_nanosleep",
            "ktime_get",
        ],
    ),
    (
        CodePath::Scheduler,
        &[
            "schedule",
            "preempt_schedule",
            "pick_next_task",
            "pick_task",
            "pick_next_entity",
            "put_prev_task",
            "put_prev_entity",
            "set_next_task",
            "set_next_entity",
            "enqueue_task",
            "dequeue_task",
            "enqueue_entity",
            "dequeue_entity",
            "try_to_wake_up",
            "ttwu_",
            "wake_up_process",
            "wake_up_q",
            "check_preempt_",
            "wakeup_preempt",
            "resched_curr",
            "update_curr",
            "finish_task_switch",
            "switch_to",
            "switch_mm",
            "activate_task",
            "deactivate_task",
            "select_task_rq",
            "balance_rt",
            "balance_fair",
            "balance_dl",
            "balance_stop",
            "newidle_balance",
            "pull_rt_task",
            "push_rt_task",
        ],
    ),
];

impl CodePath {
    /// As a row of a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Timer => "timer",
            Self::Scheduler => "scheduler",
        }
    }

    fn of(function: &Function, symbols: &Symbols) -> Option<Self> {
        if symbols.is_entry(function.address) {
            return Some(Self::Entry);
        }
        let name = function.name.trim_start_matches('_');
        let found = NAMES.iter().find(|(_, beginnings)| beginnings.iter().any(|beginning| name.starts_with(beginning)));
        found.map(|(path, _)| *path)
    }
}

/// How much of a path was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathCoverage {
    /// The path.
    pub path: CodePath,
    /// Its functions.
    pub functions: u64,
    /// Those that were executed, at least in part.
    pub functions_executed: u64,
    /// Bytes of the functions that were executed, at least in part.
    pub bytes: u64,
    /// Bytes that were executed.
    pub bytes_executed: u64,
}

/// A function that was executed in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// The path that it belongs to.
    pub path: CodePath,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Bytes that were executed.
    pub bytes_executed: u64,
}

/// Code that was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// In order, apart from each other.
    ranges: Vec<CodeRange>,
}

impl Coverage {
    /// Adds what a window executed.
    pub fn add(&mut self, executed: &[CodeRange]) {
        self.ranges.extend_from_slice(executed);
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, last| {
            let touches = next.from <= last.to;
            if touches {
                last.to = last.to.max(next.to);
            }
            touches
        });
    }

    /// Executed bytes between two addresses.
    fn within(&self, from: u64, to: u64) -> u64 {
        let first = self.ranges.partition_point(|range| range.to <= from);
        let inside = self.ranges[first..].iter().take_while(|range| range.from < to);
        inside.map(|range| range.to.min(to) - range.from.max(from)).sum()
    }

    /// Every function of the three paths.
    fn functions(&self, symbols: &Symbols) -> impl Iterator<Item = FunctionCoverage> {
        symbols.extents().filter_map(|(function, end)| {
            Some(FunctionCoverage {
                path: CodePath::of(function, symbols)?,
                name: function.name.clone(),
                bytes: end - function.address,
                bytes_executed: self.within(function.address, end),
            })
        })
    }

    /// How much of each path was executed.
    pub fn paths(&self, symbols: &Symbols) -> Vec<PathCoverage> {
        let mut all = NAMES.map(|(path, _)| PathCoverage {
            path,
            functions: 0,
            functions_executed: 0,
            bytes: 0,
            bytes_executed: 0,
        });
        for function in self.functions(symbols) {
            for path in all.iter_mut().filter(|one| one.path == function.path) {
                path.functions += 1;
                if function.bytes_executed > 0 {
                    path.functions_executed += 1;
                    path.bytes += function.bytes;
                    path.bytes_executed += function.bytes_executed;
                }
            }
        }
        all.into()
    }

    /// The executed functions with the most code that was not executed, at most `count` of them.
    pub fn largest_unexecuted(&self, symbols: &Symbols, count: usize) -> Vec<FunctionCoverage> {
        let is_partial = |one: &FunctionCoverage| (1..one.bytes).contains(&one.bytes_executed);
        let mut found: Vec<_> = self.functions(symbols).filter(is_partial).collect();
        found.sort_by(|a, b| {
            let left = |one: &FunctionCoverage| one.bytes - one.bytes_executed;
            left(b).cmp(&left(a)).then_with(|| a.name.cmp(&b.name))
        });
        found.truncate(count);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 t helper
ffffffff81000100 t __hrtimer_run_queues
ffffffff81000180 T __schedule
ffffffff81000400 t other
ffffffff81e00000 T __entry_text_start
ffffffff81e00000 T asm_sysvec_apic_timer_interrupt
ffffffff81e00040 T entry_SYSCALL_64
ffffffff81e00080 T __entry_text_end
ffffffff81e00080 T behind
";
    const TEXT_FROM: u64 = 0xffff_ffff_8100_0000;

    fn range(from: u64, to: u64) -> CodeRange {
        CodeRange { from: TEXT_FROM + from, to: TEXT_FROM + to }
    }

    #[test]
    fn overlapping_blocks_count_once_and_only_inside_of_functions_of_the_paths() {
        let symbols = Symbols::parse(TEXT).unwrap();
        let mut coverage = Coverage::default();
        coverage.add(&[range(0x1c0, 0x200), range(0x170, 0x190)]);
        coverage.add(&[range(0x1f0, 0x210), range(0x0, 0x50), range(0xe0_0000, 0xe0_0040)]);
        let paths: Vec<_> = coverage
            .paths(&symbols)
            .into_iter()
            .map(|one| (one.path, one.functions, one.functions_executed, one.bytes, one.bytes_executed))
            .collect();
        assert_eq!(
            paths,
            [
                (CodePath::Entry, 2, 1, 0x40, 0x40),
                (CodePath::Timer, 1, 1, 0x80, 0x10),
                (CodePath::Scheduler, 1, 1, 0x280, 0x60),
            ]
        );
        let least: Vec<_> = coverage.largest_unexecuted(&symbols, 9).into_iter().map(|one| one.name).collect();
        assert_eq!(least, ["__schedule", "__hrtimer_run_queues"]);
    }
}
