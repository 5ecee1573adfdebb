//! From what the sources saw to one figure each: the best source that answered, and what it leaves out.
//!
//! Pure, so that a container, a machine without root and a kernel without delay accounting can be played through in tests.

use crate::counters::Counts;
use crate::ending::CommandEnding;
use crate::figure::Figure;
use crate::group::GroupTime;
use crate::taskstats::Totals;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

/// What one run of a command and all its descendants cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Account {
    /// Elapsed time from the start of the command to its own end; its descendants may end later.
    pub wall_ns: Figure,
    /// Processor time of the command and its descendants in user mode.
    pub user_ns: Figure,
    /// Processor time of the command and its descendants in the kernel.
    pub system_ns: Figure,
    /// Run-queue wait: time for which tasks were runnable and did not run, summed over all tasks.
    pub run_queue_wait_ns: Figure,
    /// Blocked time: time for which tasks neither ran nor were runnable, from fork to exit, summed over all tasks.
    pub blocked_ns: Figure,
    /// Part of the blocked time in which tasks waited for block devices or for swapped-out or thrashing pages.
    pub io_wait_ns: Figure,
    /// Number of voluntary context switches: away from a task that slept or yielded.
    pub voluntary_switches: Figure,
    /// Number of involuntary context switches: away from a task that could have continued.
    pub involuntary_switches: Figure,
    /// Number of page faults that the kernel served without a block device.
    pub minor_faults: Figure,
    /// Number of page faults that waited for a block device.
    pub major_faults: Figure,
    /// Number of times that a task moved to another processor.
    pub migrations: Figure,
    /// Number of processes: the command and its descendants.
    pub processes: Figure,
    /// Number of threads of the command and its descendants, including the main thread of each process.
    pub tasks: Figure,
    /// Number of instructions in user and kernel mode, including those of interrupts that hit the command.
    pub instructions: Figure,
    /// Number of processor cycles in user and kernel mode, including those of interrupts that hit the command.
    pub cycles: Figure,
    /// Processor time of the processes that serve the command, such as a workload's server; no other figure includes
    /// it. Null where no process serves the command.
    pub apart_ns: Option<Figure>,
    /// How the run of the command ended, and how many of its descendants were still running.
    pub exit: CommandEnding,
}

impl Account {
    /// The command's own figures by name, in the order in which they are shown.
    pub fn figures(&self) -> [(&'static str, &Figure); 15] {
        [
            ("wall_ns", &self.wall_ns),
            ("user_ns", &self.user_ns),
            ("system_ns", &self.system_ns),
            ("run_queue_wait_ns", &self.run_queue_wait_ns),
            ("blocked_ns", &self.blocked_ns),
            ("io_wait_ns", &self.io_wait_ns),
            ("voluntary_switches", &self.voluntary_switches),
            ("involuntary_switches", &self.involuntary_switches),
            ("minor_faults", &self.minor_faults),
            ("major_faults", &self.major_faults),
            ("migrations", &self.migrations),
            ("processes", &self.processes),
            ("tasks", &self.tasks),
            ("instructions", &self.instructions),
            ("cycles", &self.cycles),
        ]
    }
}

/// What each source saw of one run, or why it saw nothing.
#[derive(Clone, Debug)]
pub(crate) struct CostReadings {
    pub wall_ns: u64,
    pub ending: CommandEnding,
    pub usage: Usage,
    pub counts: Counts,
    pub totals: Result<Totals, String>,
    pub group: Result<GroupTime, String>,
    pub apart: Option<Result<u64, String>>,
    pub delays_are_kept: bool,
}

const RECORDS: &str = "taskstats exit records";
const GROUP: &str = "cgroup cpu.stat";
const RUSAGE: &str = "wait4 rusage";
const FAULTS: &str = "perf page faults";
const CLOCK: &str = "CPU-time clocks of the serving processes";
const NOT_BY_INSTRUCTION: &str =
    "page faults before exec, and pages that the kernel faults in itself, without an exception (get_user_pages)";
const LAST_SWITCH: &str =
    "the switch away from a task that has ended; getrusage(2) and time(1) count it once per process";
const SWITCHES_OF_COLLECTED: &str = "descendants that no parent waited for, such as those of a parent that ignores \
                                     SIGCHLD; unlike exit records, this count includes the switch away from each process \
                                     that has ended";
const NOT_COLLECTED: &str = "descendants that no parent waited for, such as those of a parent that ignores SIGCHLD";

/// One figure each.
pub(crate) fn account(evidence: &CostReadings) -> Account {
    let evidence = &without_a_group_that_was_left(evidence.clone());
    let of_records = |figure: fn(&Totals) -> u64, usage: fn(&Usage) -> u64| {
        let known = |totals: &Totals| Figure::known(figure(totals), RECORDS);
        let fallback = || Figure::known(usage(&evidence.usage), RUSAGE).leaving_out(NOT_COLLECTED);
        evidence.totals.as_ref().map_or_else(|_| fallback(), known)
    };
    let faults = |figure: fn(&Totals) -> u64, count: &Result<u64, String>, usage: fn(&Usage) -> u64| match count {
        Ok(count) if evidence.totals.is_err() => Figure::known(*count, FAULTS).leaving_out(NOT_BY_INSTRUCTION),
        _ => of_records(figure, usage),
    };
    let records_alone = |figure: fn(&Totals) -> u64| match &evidence.totals {
        Ok(totals) => Figure::known(figure(totals), RECORDS),
        Err(reason) => Figure::missing(reason.as_str()),
    };
    Account {
        wall_ns: Figure::known(evidence.wall_ns, "CLOCK_MONOTONIC")
            .leaving_out("the time for which descendants ran after the end of the command"),
        user_ns: processor_time(evidence, |group| group.user_ns, |usage| usage.user_ns),
        system_ns: processor_time(evidence, |group| group.system_ns, |usage| usage.system_ns),
        run_queue_wait_ns: run_queue_wait(evidence),
        blocked_ns: blocked(evidence),
        io_wait_ns: io_wait(evidence),
        voluntary_switches: voluntary_switches(evidence),
        involuntary_switches: of_records(|totals| totals.involuntary_switches, |usage| usage.involuntary_switches),
        minor_faults: faults(|totals| totals.minor_faults, &evidence.counts.minor_faults, |usage| usage.minor_faults),
        major_faults: faults(|totals| totals.major_faults, &evidence.counts.major_faults, |usage| usage.major_faults),
        migrations: counted(&evidence.counts.migrations, "perf cpu-migrations"),
        processes: records_alone(|totals| totals.processes),
        tasks: records_alone(|totals| totals.tasks),
        instructions: counted(&evidence.counts.instructions, "perf instructions"),
        cycles: counted(&evidence.counts.cycles, "perf cycles"),
        apart_ns: evidence.apart.as_ref().map(|used| match used {
            Ok(ns) => Figure::known(*ns, CLOCK).leaving_out("processes that the serving processes forked"),
            Err(reason) => Figure::missing(reason.as_str()),
        }),
        exit: evidence.ending,
    }
}

/// A group that has less processor time than what was in it was left by somebody (systemd-run, a container's tools, a
/// process that moved itself), and says nothing of the command any more.
fn without_a_group_that_was_left(evidence: CostReadings) -> CostReadings {
    let Ok(time) = evidence.group else { return evidence };
    let tasks = evidence.totals.as_ref().map_or(0, |totals| totals.tasks);
    let most_ns = time.user_ns + time.system_ns + ROUNDING_NS * (2 + tasks);
    let of_records_ns = evidence.totals.as_ref().map_or(0, |totals| totals.executed_ns_min);
    let is_left = (evidence.usage.user_ns + evidence.usage.system_ns).max(of_records_ns) > most_ns;
    CostReadings { group: if is_left { Err(LEFT.into()) } else { Ok(time) }, ..evidence }
}

/// The kernel writes an exit record before it leaves the task for good, and wait4 reads its counter afterwards.
fn voluntary_switches(evidence: &CostReadings) -> Figure {
    match &evidence.totals {
        Ok(totals) => Figure::known(totals.voluntary_switches, RECORDS).leaving_out(LAST_SWITCH),
        Err(_) => Figure::known(evidence.usage.voluntary_switches, RUSAGE).leaving_out(SWITCHES_OF_COLLECTED),
    }
}

const LEFT: &str = "a process of the command left the control group, so the group counted less processor time than the \
                    command used";

fn processor_time(evidence: &CostReadings, group: fn(&GroupTime) -> u64, usage: fn(&Usage) -> u64) -> Figure {
    match &evidence.group {
        Ok(time) => {
            Figure::known(group(time), GROUP).leaving_out("the time of interrupts, if the kernel counts it separately")
        }
        Err(_) => Figure::known(usage(&evidence.usage), RUSAGE).leaving_out(NOT_COLLECTED),
    }
}

fn counted(count: &Result<u64, String>, source: &'static str) -> Figure {
    match count {
        Ok(count) => Figure::known(*count, source).leaving_out("the time between fork and exec of the command"),
        Err(reason) => Figure::missing(reason.as_str()),
    }
}

/// A kernel without this account leaves the number of dispatches at 0, which no task that ran can have.
fn run_queue_wait(evidence: &CostReadings) -> Figure {
    match &evidence.totals {
        Ok(totals) if totals.dispatches == 0 => {
            Figure::missing("this kernel does not account for run-queue waits; it needs CONFIG_TASK_DELAY_ACCT")
        }
        Ok(totals) => Figure::known(totals.run_queue_wait_ns, RECORDS),
        Err(reason) => Figure::missing(reason.as_str()),
    }
}

/// Lifetimes less run-queue wait less processor time. That is from a source that is exact for short tasks, since what a
/// record says of it is as old as its last tick; the group's begins with the command's fork, as its lifetime does.
fn blocked(evidence: &CostReadings) -> Figure {
    let (totals, wait_ns) = match (&evidence.totals, run_queue_wait(evidence)) {
        (Ok(totals), Figure { value: Some(wait_ns), .. }) => (totals, wait_ns),
        (_, wait) => return Figure::missing(wait.reason.unwrap_or_default()),
    };
    let (processor_ns, source) = match (&evidence.group, &evidence.counts.processor_ns) {
        (Ok(time), _) => (time.user_ns + time.system_ns, "taskstats lifetimes, cgroup cpu.stat"),
        (_, Ok(ns)) => (*ns, "taskstats lifetimes, perf task-clock"),
        (Err(reason), Err(other)) => return Figure::missing(format!("{reason}; {other}")),
    };
    let not_waiting_ns = totals.lifetime_ns.saturating_sub(wait_ns);
    if totals.executed_ns_min > not_waiting_ns + ROUNDING_NS * totals.tasks {
        return Figure::missing(
            "the exit records are inconsistent: the tasks' execution and waiting times exceed their lifetimes",
        );
    }
    Figure::known(not_waiting_ns.saturating_sub(processor_ns), source).leaving_out(AFTER_THE_RECORDS)
}

/// A lifetime comes in whole microseconds.
const ROUNDING_NS: u64 = 1_000;
/// Processor time after a task's record is taken off its blocked time, too; no time is less than none.
const AFTER_THE_RECORDS: &str = "some blocked time (as much as the time for which tasks still execute after their exit records, to free memory), so the figure is a lower bound";

fn io_wait(evidence: &CostReadings) -> Figure {
    match &evidence.totals {
        Err(reason) => Figure::missing(reason.as_str()),
        Ok(_) if !evidence.delays_are_kept => Figure::missing(
            "delay accounting is off, or its state is unknown; enable it with sysctl kernel.task_delayacct=1 (kernels before Linux 5.14 or without CONFIG_TASK_DELAY_ACCT lack this setting)",
        ),
        Ok(totals) => Figure::known(totals.io_wait_ns, RECORDS).leaving_out("waits for networks, pipes and locks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> CostReadings {
        let count = Ok(7);
        CostReadings {
            wall_ns: 100,
            ending: CommandEnding::USUAL,
            usage: Usage { user_ns: 1, system_ns: 2, minor_faults: 3, ..Usage::default() },
            counts: Counts {
                processor_ns: Ok(30),
                migrations: count.clone(),
                minor_faults: count.clone(),
                major_faults: count.clone(),
                instructions: count.clone(),
                cycles: count,
            },
            totals: Ok(Totals {
                lifetime_ns: 200,
                run_queue_wait_ns: 50,
                dispatches: 4,
                minor_faults: 9,
                ..Totals::default()
            }),
            group: Ok(GroupTime { user_ns: 10, system_ns: 20 }),
            apart: None,
            delays_are_kept: true,
        }
    }

    #[test]
    fn blocked_is_the_lifetime_that_neither_ran_nor_waited_for_a_processor() {
        let account = account(&evidence());
        assert_eq!(account.blocked_ns.value, Some(200 - 50 - 30));
        assert_eq!((account.user_ns.value, account.user_ns.source), (Some(10), Some(GROUP)));
        assert_eq!((account.minor_faults.value, account.minor_faults.leaves_out), (Some(9), None));
    }

    #[test]
    fn without_a_group_the_blocked_time_is_perfs_and_says_so() {
        let account = account(&CostReadings { group: Err("read-only".into()), ..evidence() });
        assert_eq!(account.blocked_ns.value, Some(200 - 50 - 30));
        assert!(account.blocked_ns.source.unwrap().contains("perf"));
    }

    #[test]
    fn a_group_that_was_left_is_not_believed() {
        let used = |ns| Usage { user_ns: ns, ..Usage::default() };
        let with = |usage| account(&CostReadings { usage, ..evidence() });
        assert_eq!(with(used(2_030)).user_ns.source, Some(GROUP), "each source rounds to microseconds");
        let left = with(used(2_031));
        assert_eq!((left.user_ns.value, left.user_ns.source), (Some(2_031), Some(RUSAGE)));
        assert!(left.blocked_ns.source.unwrap().contains("perf"));
        let records = Totals { executed_ns_min: 5_000, tasks: 1, ..evidence().totals.unwrap() };
        let left = account(&CostReadings { totals: Ok(records), ..evidence() });
        assert_eq!(left.user_ns.source, Some(RUSAGE));
    }

    #[test]
    fn what_runs_apart_has_a_figure_of_its_own_or_none() {
        assert_eq!(account(&evidence()).apart_ns, None);
        let seen = account(&CostReadings { apart: Some(Ok(8)), ..evidence() }).apart_ns.unwrap();
        assert_eq!((seen.value, seen.leaves_out), (Some(8), Some("processes that the serving processes forked")));
        let unseen = account(&CostReadings { apart: Some(Err("it is gone".into())), ..evidence() }).apart_ns.unwrap();
        assert_eq!((unseen.value, unseen.reason.as_deref()), (None, Some("it is gone")));
    }

    #[test]
    fn without_root_rusage_answers_and_says_what_it_leaves_out() {
        let account =
            account(&CostReadings { totals: Err("needs root".into()), group: Err("read-only".into()), ..evidence() });
        assert_eq!((account.user_ns.value, account.user_ns.leaves_out), (Some(1), Some(NOT_COLLECTED)));
        assert_eq!((account.minor_faults.value, account.minor_faults.source), (Some(7), Some(FAULTS)));
        let switches = &account.voluntary_switches;
        assert_eq!((switches.value, switches.source), (Some(0), Some(RUSAGE)));
        assert_eq!(switches.leaves_out, Some(SWITCHES_OF_COLLECTED));
        for missing in [&account.run_queue_wait_ns, &account.blocked_ns, &account.io_wait_ns, &account.processes] {
            assert_eq!((missing.value, missing.reason.as_deref()), (None, Some("needs root")));
        }
    }

    #[test]
    fn accounting_that_is_switched_off_is_missing_and_never_0() {
        let off = account(&CostReadings { delays_are_kept: false, ..evidence() });
        assert_eq!(off.io_wait_ns.value, None);
        assert!(off.io_wait_ns.reason.unwrap().contains("kernel.task_delayacct"));
        let none = Totals { dispatches: 0, run_queue_wait_ns: 0, ..evidence().totals.unwrap() };
        let none = account(&CostReadings { totals: Ok(none), ..evidence() });
        assert_eq!((none.run_queue_wait_ns.value, none.blocked_ns.value), (None, None));
    }

    #[test]
    fn work_after_the_records_never_makes_the_blocked_time_less_than_none() {
        let with = |ns| account(&CostReadings { group: Ok(GroupTime { user_ns: ns, system_ns: 0 }), ..evidence() });
        assert_eq!([150, 151].map(|ns| with(ns).blocked_ns.value), [Some(0), Some(0)]);
        let contradictory = Totals { executed_ns_min: 1_151, tasks: 1, ..evidence().totals.unwrap() };
        let contradictory = account(&CostReadings { totals: Ok(contradictory), ..evidence() });
        assert!(contradictory.blocked_ns.reason.unwrap().contains("the exit records are inconsistent"));
    }
}
