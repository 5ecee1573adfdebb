//! From what was observed to caveats: a pure function of the evidence, so that every one can be tested without its cause.
//!
//! What makes a run something else than it claims stands first.

mod accounts;
mod kept_waiting;
mod requested;
#[cfg(test)]
mod tests;
mod threads;

use super::assemble::Totals;
use super::control::Reason;
use super::follow;
use super::follow::changes::Changes;
use super::machine_readings::Reading;
use super::rivals::Rival;
use super::worker::{Finished, Prepared};
use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use prazo_run::{Caveat, Plan};

/// Everything that was observed about one run.
#[derive(Clone, Debug)]
pub(crate) struct RunObservations<'a> {
    /// What was asked.
    pub plan: &'a Plan,
    /// The processors on which the measuring threads ran.
    pub cpus: &'a [u32],
    /// The machine before.
    pub before: &'a Reading,
    /// The machine after.
    pub after: &'a Reading,
    /// The workers, in the plan's order.
    pub workers: &'a [Worked],
    /// How long the run lasted.
    pub elapsed: Duration,
    /// The recorder's processor.
    pub housekeeping: u32,
    /// Why idle states could not be held off.
    pub idle_not_held: Option<&'a str>,
    /// Why the run was stopped early.
    pub stopped: Option<Reason>,
    /// Foreign threads at or above the measured ones.
    pub rivals: &'a [Rival],
    /// What changed meanwhile.
    pub changes: &'a Changes,
    /// The highest real-time priority of the application that is measured beside.
    pub application_priority: Option<u32>,
}

/// What one worker said and served.
#[derive(Clone, Debug)]
pub(crate) struct Worked {
    /// Its processor.
    pub cpu: u32,
    /// What it said before the start.
    pub prepared: Prepared,
    /// What it said at the end.
    pub finished: Finished,
    /// What its samples add up to.
    pub totals: Totals,
}

impl Worked {
    fn served(&self) -> u64 {
        self.totals.measured.served + self.totals.warm_up.served
    }

    fn skipped(&self) -> u64 {
        self.totals.measured.skipped + self.totals.warm_up.skipped
    }

    fn lost(&self) -> u64 {
        self.totals.measured.lost + self.totals.warm_up.lost
    }
}

/// The caveats of a run.
pub(crate) fn caveats(observed: &RunObservations<'_>) -> Vec<Caveat> {
    let of_run = [
        accounts::counts_differ,
        threads::processor_time_limit,
        requested::deadline_not_pinned,
        threads::memory_not_locked,
        threads::samples_lost,
        threads::stall_across_warm_up,
        kept_waiting::real_time_throttling,
        threads::page_faults,
        threads::preempted,
        kept_waiting::not_above_application,
        kept_waiting::foreign_real_time,
        kept_waiting::no_dma_latency,
        threads::recorder_on_measured_cpu,
        requested::period_too_short,
        requested::period_too_long_for_latency,
        requested::setitimer_first_due,
        requested::relative_sleep_drift,
        requested::no_trace_mark,
        requested::short_beside_published_runs,
        accounts::probe_cost,
    ];
    let what_it_is = requested::not_real_time(observed).into_iter().chain(follow::caveats::of(observed.changes));
    let of_machine = observed.before.caveats_until(observed.after, observed.cpus, observed.elapsed);
    what_it_is.chain(of_run.iter().filter_map(|check| check(observed))).chain(of_machine).collect()
}

/// "processor 1: 5, processor 2: 7" of what is worth telling.
fn each(observed: &RunObservations<'_>, tell: impl Fn(&Worked) -> Option<String>) -> Option<String> {
    let one = |worked: &Worked| Some(format!("processor {}: {}", worked.cpu, tell(worked)?));
    let details: Vec<String> = observed.workers.iter().filter_map(one).collect();
    (!details.is_empty()).then(|| details.join(", "))
}

fn is_real_time(policy: Policy) -> bool {
    !matches!(policy, Policy::Other)
}
