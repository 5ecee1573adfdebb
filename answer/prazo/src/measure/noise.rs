//! How much of the processors' time other things take from a busy loop.

use super::event::not_deadline;
use super::target::{Target, processors};
use crate::error::Error;
use crate::guest::GuestOptions;
use crate::output::make_parent;
use crate::progress::Progress;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::session::RecordedRun;
use prazo_run::plan::{Plan, ThreadPlan};
use prazo_run::source::{NoiseSource, Source};

/// Busy loops that look for gaps.
#[derive(Clone, Debug)]
pub struct NoiseRequest {
    /// What counts as a gap, and how long a loop runs in each period.
    pub source: NoiseSource,
    /// The loops' period.
    pub period: Duration,
    /// Processors to look at, one loop on each; `None` is all that this process, or the guest, may use.
    pub cpus: Option<CpuSet>,
    /// All else that is measured; its source and its threads follow from the fields above.
    pub plan: Plan,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
}

impl NoiseRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        not_deadline(self.plan.policy)?;
        let guest = self.guest.resolve()?;
        let threads = self.threads(processors(guest.as_ref())?);
        let plan = Plan { source: Source::Noise(self.source), deadline, threads, ..self.plan.clone() };
        let title = format!("noise, gaps above {}, {}", self.source.threshold, plan.policy.name());
        make_parent(target.file)?;
        match guest {
            Some(platform) => target.execute_in(&platform, plan, self.guest.timeout, progress),
            None => target.execute(plan, &title, progress),
        }
    }

    /// The windows of the processors are spread over the period, so that a machine of two is never kept busy altogether by
    /// loops that run half of the time.
    fn threads(&self, allowed: CpuSet) -> Vec<ThreadPlan> {
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let apart_ns = self.period.as_ns() / cpus.len() as u64;
        let thread = |(place, cpu): (u64, &u32)| ThreadPlan {
            cpu: *cpu,
            period: self.period,
            phase: Duration::from_ns(place * apart_ns),
        };
        (0..).zip(&cpus).map(thread).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::plan::{Length, Policy};

    #[test]
    fn half_busy_loops_of_two_processors_take_turns() {
        let source = NoiseSource { threshold: Duration::from_us(5), runtime: Duration::from_ms(50) };
        let length = Length::Duration { length: Duration::from_s(1) };
        let request = NoiseRequest {
            source,
            period: Duration::from_ms(100),
            cpus: Some("2-3".parse().unwrap()),
            plan: Plan::new(Source::Noise(source), Policy::Other, Vec::new(), length),
            guest: GuestOptions::default(),
        };
        let threads = request.threads("0-7".parse().unwrap());
        let places: Vec<_> = threads.iter().map(|thread| (thread.cpu, thread.phase.as_ns())).collect();
        assert_eq!(places, [(2, 0), (3, 50_000_000)]);
    }
}
