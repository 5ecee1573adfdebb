//! How late threads run after their timers were due.

use super::target::{Target, processors};
use crate::error::Error;
use crate::files::make_parent;
use crate::guest::GuestOptions;
use crate::progress::Progress;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::session::RecordedRun;
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
            Some(platform) => target.execute_in(&platform, plan, self.guest.timeout, progress),
            None => {
                let title = format!("timer, {}, {}", plan.method.name(), plan.policy.name());
                target.execute(plan, &title, progress)
            }
        }
    }

    fn threads(&self, allowed: CpuSet) -> Result<Vec<ThreadPlan>, Error> {
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let periods = one_for_each("period", &self.periods, cpus.len())?;
        let phases = one_for_each("phase", &self.phases, cpus.len())?;
        let each = cpus.into_iter().zip(periods).zip(phases);
        Ok(each.map(|((cpu, period), phase)| ThreadPlan { cpu, period, phase }).collect())
    }
}

/// Spreads one value over `count` processors, or takes a list of exactly that length.
fn one_for_each(field: &'static str, values: &[Duration], count: usize) -> Result<Vec<Duration>, Error> {
    match values {
        [one] => Ok(vec![*one; count]),
        list if list.len() == count => Ok(list.to_vec()),
        list => Err(Error::field(field, format!("got {} values for {count} processors", list.len()))
            .with_remedy("give one value for all or one for each")),
    }
}
