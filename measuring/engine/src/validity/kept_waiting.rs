//! What kept measuring threads from running at once, by their policy and what they used: throttling, more urgent
//! threads of others, idle states.

use super::{RunObservations, Worked, each};
use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use prazo_run::{Caveat, Severity};

/// The kernel counts throttling nowhere that can be read, so it is inferred from the share a measuring thread used.
pub(super) fn real_time_throttling(observed: &RunObservations<'_>) -> Option<Caveat> {
    let (runtime_us, period_us) = observed.before.real_time_share_us.filter(|(runtime_us, _)| *runtime_us >= 0)?;
    if !matches!(observed.plan.policy, Policy::Fifo { .. } | Policy::Rr { .. }) || period_us <= 0 {
        return None;
    }
    let (allowed, elapsed) = (runtime_us as f64 / period_us as f64, observed.elapsed.as_s_f64().max(1e-9));
    let share = |worked: &Worked| Duration::from_ns(worked.finished.cpu_ns).as_s_f64() / elapsed;
    let details =
        each(observed, |worked| (share(worked) > 0.95 * allowed).then(|| format!("{:.0} %", 100.0 * share(worked))))?;
    Some(Caveat::new(
        "real-time-throttling",
        Severity::High,
        format!(
            "measuring threads used nearly all of the {:.0} % of a processor that real-time threads may use \
             ({details}); the kernel has probably throttled them",
            100.0 * allowed
        ),
        "give a longer --period, or set kernel.sched_rt_runtime_us to -1; with -1, a thread that never sleeps hangs \
         its processor",
    ))
}

/// `not-above-application`.
pub(super) fn not_above_application(observed: &RunObservations<'_>) -> Option<Caveat> {
    let theirs = observed.application_priority?;
    let ours = match observed.plan.policy {
        Policy::Other => 0,
        Policy::Fifo { priority } | Policy::Rr { priority } => u32::from(priority),
        Policy::Deadline { .. } => return None,
    };
    (ours <= theirs).then(|| {
        Caveat::new(
            "not-above-application",
            Severity::High,
            format!(
                "the application runs at priority {theirs} and the measuring threads at {ours}, so that latencies \
                 contain the application's own execution"
            ),
            "measure under fifo or rr with a --priority above that of the application; if the application has priority 99, or 100 (a deadline thread), lower its priority first",
        )
    })
}

/// `foreign-real-time`.
pub(super) fn foreign_real_time(observed: &RunObservations<'_>) -> Option<Caveat> {
    const TOLD: usize = 5;
    let (first, rest) = observed.rivals.split_at(observed.rivals.len().min(TOLD));
    let named: Vec<String> = first
        .iter()
        .map(|rival| format!("{} ({}, process {})", rival.name, rival.priority, rival.process_id))
        .collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    (!first.is_empty()).then(|| {
        Caveat::new(
            "foreign-real-time",
            Severity::Info,
            format!("other threads run at or above the priority of the measuring threads: {}{more}", named.join(", ")),
            "measure under fifo or rr with a higher --priority if the real task will run above these threads; no priority is above deadline threads",
        )
    })
}

/// `no-dma-latency`.
pub(super) fn no_dma_latency(observed: &RunObservations<'_>) -> Option<Caveat> {
    let why = observed.idle_not_held?;
    Some(Caveat::new(
        "no-dma-latency",
        Severity::Medium,
        format!(
            "deep idle states could not be disabled ({why}), so that latencies contain the exit latency of idle states"
        ),
        "run as root, or boot with processor.max_cstate=1, on Intel also with intel_idle.max_cstate=0 (in a guest: on the host)",
    ))
}
