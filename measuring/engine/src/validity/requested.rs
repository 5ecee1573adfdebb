//! What lies in the plan itself: its policy, method, period and length, and what they cannot show.

use super::{Evidence, each, is_real_time};
use prazo_core::text::{counted, grouped};
use prazo_core::time::{Duration, Wait};
use prazo_run::plan::{Length, Policy, TimerMethod};
use prazo_run::source::Source;
use prazo_run::{Caveat, Severity};

/// `not-real-time`.
pub(super) fn not_real_time(evidence: &Evidence<'_>) -> Option<Caveat> {
    (!is_real_time(evidence.plan.policy)).then(|| {
        Caveat::new(
            "not-real-time",
            Severity::High,
            "the measuring threads ran under SCHED_OTHER, which guarantees no response time",
            "measure with --policy fifo to see the latencies of a real-time task",
        )
    })
}

/// `deadline-not-pinned`.
pub(super) fn deadline_not_pinned(evidence: &Evidence<'_>) -> Option<Caveat> {
    let is_deadline = matches!(evidence.plan.policy, Policy::Deadline { .. });
    let free = each(evidence, |worked| (!worked.prepared.pinned).then(|| "not pinned".into()))?;
    is_deadline.then(|| {
        Caveat::new(
            "deadline-not-pinned",
            Severity::Medium,
            format!(
                "the deadline threads were not pinned to their processors, because the kernel allows no affinity \
                 smaller than the root domain ({free})"
            ),
            "make an exclusive cpuset for each measured processor (cpuset.cpus.partition=root) and measure inside it",
        )
    })
}

/// `period-too-short`.
pub(super) fn period_too_short(evidence: &Evidence<'_>) -> Option<Caveat> {
    if !matches!(evidence.plan.source, Source::Timer | Source::Wakeup(_)) {
        return None;
    }
    let details = each(evidence, |worked| {
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
pub(super) fn period_too_long_for_latency(evidence: &Evidence<'_>) -> Option<Caveat> {
    let sought = evidence.plan.looks_for?;
    let limit = sought.checked_mul(2)?;
    let details = evidence.plan.threads.iter().find(|thread| thread.period > limit)?;
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
pub(super) fn setitimer_first_due(evidence: &Evidence<'_>) -> Option<Caveat> {
    let details =
        each(evidence, |worked| Some(Duration::from_ns(worked.finished.first_due_uncertainty_ns).to_string()))?;
    (evidence.plan.method == TimerMethod::Setitimer).then(|| {
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
pub(super) fn relative_sleep_drift(evidence: &Evidence<'_>) -> Option<Caveat> {
    let details = each(evidence, |worked| {
        let intervals = worked.finished.served.saturating_sub(1);
        let period = evidence.plan.threads.iter().find(|thread| thread.cpu == worked.cpu)?.period;
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
    (evidence.plan.method == TimerMethod::Nanosleep).then(|| {
        Caveat::new(
            "relative-sleep-drift",
            Severity::Medium,
            format!("a relative sleep has no due instants: every latency delays all later activations ({details})"),
            "choose --method clock-nanosleep, which keeps activations at multiples of the period",
        )
    })
}

/// `no-trace-mark`.
pub(super) fn no_trace_mark(evidence: &Evidence<'_>) -> Option<Caveat> {
    let requested = evidence.plan.stop_above.is_some();
    let refused = evidence.workers.iter().any(|worked| !worked.prepared.can_mark);
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
pub(super) fn short_beside_published_runs(evidence: &Evidence<'_>) -> Option<Caveat> {
    if evidence.plan.source.is_busy() {
        return None;
    }
    const OSADL: u64 = 100_000_000;
    let fewest = evidence.workers.iter().map(|worked| worked.totals.measured.served).min()?;
    let requested = match evidence.plan.length {
        Length::Duration { length } => format!("--duration {length}"),
        Length::Activations { count } => format!("--count {count}"),
    };
    (fewest < OSADL).then(|| {
        Caveat::new(
            "short-beside-published-runs",
            Severity::Info,
            format!(
                "each processor of this run has at least {} in {} ({requested}); an OSADL run has 10^8 activations, and Marsal 2013 recommends \
                 10^9 activations or 8 h: rare events were less likely to occur in this run",
                counted(fewest, "activation"),
                Wait(evidence.elapsed)
            ),
            "measure longer, under the load of the real application",
        )
    })
}
