//! What one measuring thread is told to do: its share of the plan, as plain data that a child process can be sent.

use super::serve::Pace;
use super::trace_mark::MarkedTrace;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy, ThreadPlan, TimerMethod, WhenLate};
use prazo_run::source::Source;
use serde::{Deserialize, Serialize};

/// One thread's share of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerRequest {
    /// The processor to stay on.
    pub cpu: u32,
    /// How to wait.
    pub method: TimerMethod,
    /// Under which policy.
    pub policy: Policy,
    /// What to do when late.
    pub when_late: WhenLate,
    /// Period of the activations.
    pub period_ns: u64,
    /// The distance of two samples that its ring has room for.
    pub sample_distance_ns: u64,
    /// Delay of the first activation after the common start.
    pub phase_ns: u64,
    /// How much is measured, behind the warm-up.
    pub length: Length,
    /// How long after the common start activations do not count: they are not measured yet.
    pub warm_up_ns: u64,
    /// A latency above this stops the run.
    pub stop_above_ns: Option<u64>,
    /// Timer slack to set.
    pub timer_slack_ns: Option<u64>,
    /// The kernel's trace, where there is one and a threshold.
    pub trace: Option<MarkedTrace>,
}

impl WorkerRequest {
    /// One request for each thread of the plan, in the plan's order.
    pub fn all_of(plan: &Plan, trace: Option<MarkedTrace>) -> Vec<Self> {
        plan.threads
            .iter()
            .map(|thread| Self {
                cpu: thread.cpu,
                method: plan.method,
                policy: plan.policy,
                when_late: plan.when_late,
                period_ns: thread.period.as_ns(),
                sample_distance_ns: sample_distance_ns(plan, thread),
                phase_ns: thread.phase.as_ns(),
                length: plan.length,
                warm_up_ns: plan.warm_up_kept_apart().as_ns(),
                stop_above_ns: plan.stop_above.map(|latency| latency.as_ns()),
                timer_slack_ns: plan.timer_slack.map(|slack| slack.as_ns()),
                trace: trace.clone(),
            })
            .collect()
    }

    /// The loop's limits for a run that starts at `start_ns`.
    pub fn pace(&self, start_ns: u64) -> Pace {
        let measured_from_ns = start_ns.saturating_add(self.warm_up_ns);
        let (end_ns, count) = match self.length {
            Length::Duration { length } => (measured_from_ns.saturating_add(length.as_ns()), u64::MAX),
            Length::Activations { count } => (u64::MAX, count),
        };
        Pace {
            period_ns: self.period_ns,
            end_ns,
            count,
            measured_from_ns,
            stop_above_ns: self.stop_above_ns.unwrap_or(u64::MAX),
        }
    }

    /// Slots of a ring that holds at least ten seconds of samples, with room for the gaps among them.
    pub fn ring_capacity(&self) -> usize {
        const TEN_SECONDS_NS: u64 = 10_000_000_000;
        let activations = TEN_SECONDS_NS.div_ceil(self.sample_distance_ns) as usize;
        (activations + 1_000).next_power_of_two()
    }
}

/// Gaps of a busy loop come when they come: with ticks at 1 kHz, some interrupts and softirqs between them.
fn sample_distance_ns(plan: &Plan, thread: &ThreadPlan) -> u64 {
    const GAPS_NS: u64 = 100_000;
    if matches!(plan.source, Source::Noise(_)) { GAPS_NS } else { thread.period.as_ns() }
}

#[cfg(test)]
mod tests {
    use super::super::plans::plan;
    use super::*;
    use prazo_core::time::Duration;

    #[test]
    fn a_ring_holds_ten_seconds_and_more() {
        let mut plan = plan(&[0]);
        for period in [Duration::from_us(1), Duration::from_us(100), Duration::from_ms(1), Duration::from_s(60)] {
            plan.threads[0].period = period;
            let request = &WorkerRequest::all_of(&plan, None)[0];
            assert!(request.ring_capacity() as u64 * period.as_ns() > 10_000_000_000);
            assert!(request.ring_capacity() >= 1_024);
        }
    }

    #[test]
    fn an_order_survives_its_text() {
        let trace = MarkedTrace { folder: "/sys/kernel/tracing".into(), stops: true };
        let request = WorkerRequest::all_of(&plan(&[1]), Some(trace)).remove(0);
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<WorkerRequest>(&text).unwrap(), request);
    }
}
