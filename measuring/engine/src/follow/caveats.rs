//! What changed while a run measured, as its caveats: policy and affinity of its threads, its processors, and who came to run above
//! them.

use super::changes::{Change, ChangeKind, ChangedSetting, Changes, When, in_words};
use crate::rivals::{DEADLINE, Rival};
use prazo_core::text::counted;
use prazo_core::time::Offset;
use prazo_run::{Caveat, Severity};
use prazo_sys::scheduling::{SCHED_FIFO, SCHED_RR};

/// One caveat for each change that was kept, then one for each kind of which there were more.
pub(crate) fn of(changes: &Changes) -> Vec<Caveat> {
    let kept = changes.kept.iter().map(of_change);
    let more = changes.more.iter().map(|(kind, (count, last))| of_more(*kind, *count, *last));
    let mut all: Vec<Caveat> = kept.chain(more).collect();
    // The weightiest first; otherwise in the order in which they happened.
    all.sort_by_key(|caveat| std::cmp::Reverse(caveat.severity));
    all
}

fn of_change(Change { when, what }: &Change) -> Caveat {
    let when = between(*when);
    match what {
        ChangedSetting::Policy { name, from, to } => {
            policy(format!("the policy of {name} was changed from {} to {}, {when}", in_words(from), in_words(to)))
        }
        ChangedSetting::Affinity { name, from, to } => affinity(
            // A thread that could move before stays what it was called: free to move.
            if from.count() == 1 { Severity::Fatal } else { Severity::High },
            format!("the affinity of {name} was changed from {from} to {to}, {when}"),
        ),
        ChangedSetting::Processor { cpu, online } => {
            let went = if *online { "came back online" } else { "went offline" };
            processor(format!("measured processor {cpu} {went}, {when}"))
        }
        ChangedSetting::Rival(of) => rival(format!(
            "a real-time thread that the measured threads cannot preempt was started: {}, {when}",
            described(of)
        )),
    }
}

fn of_more(kind: ChangeKind, count: u64, last: Offset) -> Caveat {
    let more = |what: &str| {
        format!(
            "in addition, {what} {}, the last time {} after the start of the run",
            counted(count, "time"),
            seconds(last)
        )
    };
    match kind {
        ChangeKind::Policy => policy(more("the policies of measured threads were changed")),
        ChangeKind::Affinity => affinity(Severity::High, more("the affinity of measured threads was changed")),
        ChangeKind::Processor => processor(more("measured processors went offline or came back online")),
        ChangeKind::Rival => rival(more("real-time threads that the measured threads cannot preempt were started")),
    }
}

fn policy(what: String) -> Caveat {
    let remedy = "find the program that changed the policy (chrt, a daemon) and repeat the run; all samples after the \
                  change were taken under the new policy";
    Caveat::new("policy-changed", Severity::Fatal, what, remedy)
}

fn affinity(severity: Severity, what: String) -> Caveat {
    let remedy = "find out what changed the affinity (taskset, a cpuset, a processor that went offline) and repeat the \
                  run; samples after the change may come from other processors";
    Caveat::new("affinity-changed", severity, what, remedy)
}

fn processor(what: String) -> Caveat {
    let remedy = "keep the measured processors online and repeat the run";
    Caveat::new("processor-offline", Severity::High, what, remedy)
}

fn rival(what: String) -> Caveat {
    let remedy = "stop the new real-time thread, or give a --priority above that of the thread (impossible for a deadline thread), and repeat \
                  the run; if the thread belongs to the real system, start it before the run";
    Caveat::new("foreign-real-time-started", Severity::High, what, remedy)
}

fn described(rival: &Rival) -> String {
    let Rival { process_id, thread_id, name, policy, priority, cpus } = rival;
    let policy = match *policy {
        _ if *policy == DEADLINE => "deadline".into(),
        SCHED_FIFO => format!("fifo priority {priority}"),
        SCHED_RR => format!("rr priority {priority}"),
        _ => format!("policy number {policy}, priority {priority}"),
    };
    let place = cpus.map_or(String::new(), |cpus| {
        format!(", on {} {cpus}", if cpus.iter().count() == 1 { "processor" } else { "processors" })
    });
    format!("{name} (process {process_id}, thread {thread_id}), {policy}{place}")
}

fn between(When { after, seen }: When) -> String {
    format!("between {} and {} after the start of the run", seconds(after), seconds(seen))
}

/// A look before the start is at the start: nothing was measured yet.
fn seconds(offset: Offset) -> String {
    format!("{:.2} s", offset.as_ns().max(0) as f64 / 1e9)
}
