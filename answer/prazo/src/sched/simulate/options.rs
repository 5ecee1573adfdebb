//! What is simulated: the scheduler, what varies, and for how long.

use crate::error::Error;
use crate::sched::options::SchedulerOptions;
use prazo_core::time::Duration;
use prazo_scenario::Criterion;
use prazo_sim::{Policy, Variation};

/// Who schedules, what varies, and for how long.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// How the scheduler differs from what the scenario says.
    pub scheduler: SchedulerOptions,
    /// How long a job runs in turn under round robin.
    pub quantum: Duration,
    /// How long to simulate; by default until the schedule repeats, at most 10 million events.
    pub duration: Option<Duration>,
    /// Arrivals, execution times, what becomes of late jobs, and the seed of all that is drawn.
    pub variation: Variation,
}

impl Default for SimulationOptions {
    fn default() -> Self {
        Self {
            scheduler: SchedulerOptions::default(),
            quantum: Duration::from_ms(1),
            duration: None,
            variation: Variation { seed: 1, ..Variation::default() },
        }
    }
}

impl SimulationOptions {
    /// The policies that analysis does not know.
    pub(crate) fn unanalysed(&self) -> Option<Policy> {
        match self.scheduler.policy {
            Some(Criterion::FirstComeFirstServed) => Some(Policy::FirstComeFirstServed),
            Some(Criterion::RoundRobin) => Some(Policy::RoundRobin { quantum: self.quantum }),
            _ => None,
        }
    }

    /// Refuses durations that no run has.
    pub fn check(&self) -> Result<(), Error> {
        match self.duration {
            Some(duration) if duration.is_zero() || duration > prazo_sim::model::LONGEST => {
                Err(Error::field("duration", "give a length above zero and at most 73 years, as in 10s"))
            }
            _ => Ok(()),
        }
    }
}
