//! What happened to the measuring and recording threads themselves.

use super::{RunObservations, each, is_real_time};
use crate::control::Reason;
use crate::crossing;
use crate::worker::Finished;
use prazo_core::text::counted;
use prazo_run::{Caveat, Severity};

/// `processor-time-limit`.
pub(super) fn processor_time_limit(observed: &RunObservations<'_>) -> Option<Caveat> {
    (observed.stopped == Some(Reason::ProcessorTime)).then(|| {
        Caveat::new(
            "processor-time-limit",
            Severity::Fatal,
            "the run was stopped because a measuring thread used up its processor-time limit without blocking",
            "give a longer --period or --when-late skip; the loop cannot serve activations at this rate",
        )
    })
}

/// `memory-not-locked`.
pub(super) fn memory_not_locked(observed: &RunObservations<'_>) -> Option<Caveat> {
    let which = each(observed, |worked| (!worked.prepared.memory_locked).then(|| "not locked".into()))?;
    Some(Caveat::new(
        "memory-not-locked",
        Severity::High,
        format!("mlockall was refused, so page faults can occur during the measurement ({which})"),
        "raise memlock in /etc/security/limits.d or run with CAP_IPC_LOCK",
    ))
}

/// `samples-lost`.
pub(super) fn samples_lost(observed: &RunObservations<'_>) -> Option<Caveat> {
    let lost = each(observed, |worked| (worked.lost() > 0).then(|| counted(worked.lost(), "sample").to_string()))?;
    Some(Caveat::new(
        "samples-lost",
        Severity::High,
        format!("samples were lost because the recording thread was too slow ({lost})"),
        "use a faster disk, a less busy --housekeeping-cpu or a longer --period",
    ))
}

/// `stall-across-warm-up`.
pub(super) fn stall_across_warm_up(observed: &RunObservations<'_>) -> Option<Caveat> {
    crossing::caveat(observed.workers.iter().filter_map(|worked| Some((worked.cpu, worked.totals.crossing?))))
}

/// `page-faults`.
pub(super) fn page_faults(observed: &RunObservations<'_>) -> Option<Caveat> {
    let details = each(observed, |worked| {
        let Finished { minor_faults, major_faults, .. } = worked.finished;
        (minor_faults + major_faults > 0)
            .then(|| format!("{}, {}", counted(minor_faults, "minor fault"), counted(major_faults, "major fault")))
    })?;
    Some(Caveat::new(
        "page-faults",
        Severity::High,
        format!("page faults occurred in the measuring loop ({details}); latencies contain the time that they took"),
        "allow prazo to lock memory (memlock limit, CAP_IPC_LOCK) and disable page migration (NUMA balancing, \
         compaction)",
    ))
}

/// A real-time loop that is preempted more often than once in a thousand activations shares its processor with something.
pub(super) fn preempted(observed: &RunObservations<'_>) -> Option<Caveat> {
    let source = &observed.plan.source;
    // A move takes a thread off its processor, and a busy loop measures just that.
    if !is_real_time(observed.plan.policy) || source.is_busy() || source.moves_its_threads() {
        return None;
    }
    let details = each(observed, |worked| {
        let times = worked.finished.involuntary_switches;
        (times > worked.served() / 1_000)
            .then(|| format!("{} in {}", counted(times, "time"), counted(worked.served(), "activation")))
    })?;
    Some(Caveat::new(
        "preempted",
        Severity::Medium,
        format!("measuring threads were preempted in their loop ({details})"),
        "under fifo and rr, raise --priority above the priorities of the threads that share the processor, or move those threads to other \
         processors",
    ))
}

/// `recorder-on-measured-cpu`.
pub(super) fn recorder_on_measured_cpu(observed: &RunObservations<'_>) -> Option<Caveat> {
    let cpu = observed.housekeeping;
    let shares = observed.workers.iter().any(|worked| worked.cpu == cpu);
    let what = match shares {
        true => format!("the recording thread shares processor {cpu} with a measuring thread and runs once a second"),
        false => {
            format!("the recording thread runs once a second on processor {cpu}, to which a measuring thread moves")
        }
    };
    (shares || observed.cpus.contains(&cpu)).then(|| {
        Caveat::new(
            "recorder-on-measured-cpu",
            Severity::Medium,
            what,
            "leave one processor out of --cpus for the recording thread, or name another processor with \
             --housekeeping-cpu",
        )
    })
}
