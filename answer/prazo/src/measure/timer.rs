//! How late threads run after their timers were due.

use super::target::{Target, processors};
use crate::error::Error;
use crate::guest::GuestOptions;
use crate::output::make_parent;
use crate::progress::Progress;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_probe::session::{RecordedRun, SessionOptions, TraceEvents};
use prazo_run::plan::{Plan, ThreadPlan};

/// Threads that wait for timers.
#[derive(Clone, Debug)]
pub struct TimerRequest {
    /// What is measured; the next three fields say by which threads.
    pub plan: Plan,
    /// Processors to measure, one thread on each; `None` is all that this process, or the guest, may use.
    pub cpus: Option<CpuSet>,
    /// Distance of two activations: one for all processors, or one for each.
    pub periods: Vec<Duration>,
    /// First activation after the common start: one for all processors, or one for each.
    pub phases: Vec<Duration>,
    /// The first activation of each processor comes this much behind that of the one before.
    pub aligned: Duration,
    /// Record these events of the kernel, and save those up to the latency that stops the run; `None` saves a trace that is
    /// running already.
    pub trace: Option<TraceEvents>,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
}

impl TimerRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let guest = self.guest.resolve()?;
        let threads = self.threads(processors(guest.as_ref())?)?;
        let plan = Plan { deadline, threads, ..self.plan.clone() };
        make_parent(target.file)?;
        match guest {
            Some(_) if self.trace.is_some() => {
                Err(Error::field("trace", "only this machine can be traced, not a guest")
                    .with_remedy("measure on this machine, or use --split=causes in the guest"))
            }
            Some(platform) => target.execute_in(&platform, plan, self.guest.timeout, progress),
            None => {
                let title = format!("timer, {}, {}", plan.method.name(), plan.policy.name());
                let options = SessionOptions { trace: self.trace.as_ref(), ..SessionOptions::default() };
                target.execute_with(plan, &options, &title, progress)
            }
        }
    }

    fn threads(&self, allowed: CpuSet) -> Result<Vec<ThreadPlan>, Error> {
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let periods = one_for_each("period", &self.periods, cpus.len())?;
        let phases = one_for_each("phase", &self.phases, cpus.len())?;
        let each = cpus.into_iter().zip(periods).zip(one_behind_another(phases, self.aligned));
        Ok(each.map(|((cpu, period), phase)| ThreadPlan { cpu, period, phase }).collect())
    }
}

/// Each processor's first activation comes this much behind that of the one before.
fn one_behind_another(phases: Vec<Duration>, offset: Duration) -> impl Iterator<Item = Duration> {
    let behind = move |(place, phase): (u64, Duration)| {
        Duration::from_ns(phase.as_ns().saturating_add(place.saturating_mul(offset.as_ns())))
    };
    (0..).zip(phases).map(behind)
}

/// Spreads one value over `count` processors, or takes a list of exactly that length.
fn one_for_each(field: &'static str, values: &[Duration], count: usize) -> Result<Vec<Duration>, Error> {
    match values {
        [one] => Ok(vec![*one; count]),
        list if list.len() == count => Ok(list.to_vec()),
        list => Err(Error::field(
            field,
            format!("found {} for {}", counted(list.len() as u64, "value"), counted(count as u64, "processor")),
        )
        .with_remedy("give one value for all processors, or one value for each processor")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_threads_start_together_or_one_behind_the_other() {
        let phases = |offset: u64, phases: &[u64]| -> Vec<u64> {
            let phases: Vec<Duration> = phases.iter().map(|us| Duration::from_us(*us)).collect();
            let each = one_for_each("phase", &phases, 3).unwrap();
            one_behind_another(each, Duration::from_us(offset)).map(|phase| phase.as_ns() / 1_000).collect()
        };
        assert_eq!(phases(0, &[0]), [0, 0, 0]);
        assert_eq!(phases(250, &[0]), [0, 250, 500]);
        assert_eq!(phases(250, &[10, 20, 30]), [10, 270, 530]);
    }
}
