//! What lies in the plan itself: its policy, method, period and length, and what they cannot show.

use super::{RunObservations, each, is_real_time};
use prazo_core::text::{counted, grouped};
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Policy, TimerMethod};
use prazo_run::source::Source;
use prazo_run::{Caveat, Severity};

/// `not-real-time`.
pub(super) fn not_real_time(observed: &RunObservations<'_>) -> Option<Caveat> {
    (!is_real_time(observed.plan.policy)).then(|| {
        Caveat::new(
            "not-real-time",
            Severity::High,
            "the measuring threads ran under SCHED_OTHER, which guarantees no response time",
            "measure with --policy fifo to see the latencies of a real-time task",
        )
    })
}

/// `deadline-not-pinned`.
pub(super) fn deadline_not_pinned(observed: &RunObservations<'_>) -> Option<Caveat> {
    let is_deadline = matches!(observed.plan.policy, Policy::Deadline { .. });
    let free = each(observed, |worked| (!worked.prepared.pinned).then(|| "not pinned".into()))?;
    is_deadline.then(|| {
        Caveat::new(
            "deadline-not-pinned",
            Severity::Medium,
            format!(
                "the deadline threads were not pinned to their processors, because the kernel allows no affinity \
                 smaller than the root domain ({free})"
            ),
            "measure one processor in each run (prazo then makes it a root domain where it can), or run prazo inside an exclusive cpuset of only that processor (cpuset.cpus.partition=root)",
        )
    })
}

/// `period-too-short`.
pub(super) fn period_too_short(observed: &RunObservations<'_>) -> Option<Caveat> {
    if !matches!(observed.plan.source, Source::Timer | Source::Wakeup(_)) {
        return None;
    }
    let details = each(observed, |worked| {
        (worked.skipped() > worked.served()).then(|| {
            format!(
                "{} of {} skipped",
                grouped(worked.skipped()),
                counted(worked.skipped() + worked.served(), "activation")
            )
        })
    })?;
    Some(Caveat::new(
        "period-too-short",
        Severity::High,
        format!("the measuring loop skipped more activations than it served ({details})"),
        "give a longer --period: this machine cannot wake a thread that often",
    ))
}

/// Marsal 2013: the interval should be at most twice the smallest latency that is looked for.
pub(super) fn period_too_long_for_latency(observed: &RunObservations<'_>) -> Option<Caveat> {
    let sought = observed.plan.looks_for?;
    let limit = sought.checked_mul(2)?;
    let details = observed.plan.threads.iter().find(|thread| thread.period > limit)?;
    Some(Caveat::new(
        "period-too-long-for-latency",
        Severity::Medium,
        format!(
            "the run can miss latencies of {sought} (--detect), because its period is {}; the run needs a period of at \
             most {limit}",
            details.period
        ),
        format!("give --period {limit} or less"),
    ))
}

/// `setitimer-first-due`.
pub(super) fn setitimer_first_due(observed: &RunObservations<'_>) -> Option<Caveat> {
    let details =
        each(observed, |worked| Some(Duration::from_ns(worked.finished.first_due_uncertainty_ns).to_string()))?;
    (observed.plan.method == TimerMethod::Setitimer).then(|| {
        Caveat::new(
            "setitimer-first-due",
            Severity::Info,
            format!(
                "setitimer has no absolute start: every latency may be too large by up to the time that arming the \
                 timer took ({details})"
            ),
            "choose --method posix-timer, which also sends a signal but starts at an absolute instant",
        )
    })
}

/// `relative-sleep-drift`.
pub(super) fn relative_sleep_drift(observed: &RunObservations<'_>) -> Option<Caveat> {
    let details = each(observed, |worked| {
        let intervals = worked.finished.served.saturating_sub(1);
        let period = observed.plan.threads.iter().find(|thread| thread.cpu == worked.cpu)?.period;
        let taken = worked.finished.last_due_ns.saturating_sub(worked.finished.first_due_ns);
        let drift = taken.saturating_sub(intervals * period.as_ns());
        let mean = taken.checked_div(intervals)?;
        Some(format!(
            "drift {} after {}; mean period {}",
            Duration::from_ns(drift),
            counted(intervals, "period"),
            Duration::from_ns(mean)
        ))
    })?;
    (observed.plan.method == TimerMethod::Nanosleep).then(|| {
        Caveat::new(
            "relative-sleep-drift",
            Severity::Medium,
            format!("a relative sleep has no due instants: every latency delays all later activations ({details})"),
            "choose --method clock-nanosleep, which keeps activations at multiples of the period",
        )
    })
}

/// `no-trace-mark`.
pub(super) fn no_trace_mark(observed: &RunObservations<'_>) -> Option<Caveat> {
    let requested = observed.plan.stop_above.is_some();
    let refused = observed.workers.iter().any(|worked| !worked.prepared.can_mark);
    (requested && refused).then(|| {
        Caveat::new(
            "no-trace-mark",
            Severity::Info,
            "the kernel's trace contains no mark where the threshold was exceeded, because prazo could not write to \
             tracefs",
            "mount tracefs (mount -t tracefs nodev /sys/kernel/tracing) and run as root",
        )
    })
}

/// OSADL's farm judges 10^8 cycles; Marsal 2013 wants 10^9 and measured for 8 h.
pub(super) fn short_beside_published_runs(observed: &RunObservations<'_>) -> Option<Caveat> {
    if observed.plan.source.is_busy() {
        return None;
    }
    const OSADL: u64 = 100_000_000;
    let fewest = observed.workers.iter().map(|worked| worked.totals.measured.served).min()?;
    let requested = match observed.plan.length {
        Length::Duration { length } => format!("--duration {length}"),
        Length::Activations { count } => format!("--count {count}"),
    };
    (fewest < OSADL).then(|| {
        Caveat::new(
            "short-beside-published-runs",
            Severity::Info,
            format!(
                "each processor of this run served at least {} ({requested}); an OSADL run has 10^8 activations, and Marsal 2013 recommends \
                 10^9 activations or 8 h: rare events are less likely to occur in a run as short as this",
                counted(fewest, "activation")
            ),
            "measure longer, under the load of the real application",
        )
    })
}
