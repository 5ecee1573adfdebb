//! What the platform costs at each event, in whole nanoseconds, from an `Overheads` value.
//!
//! | event | who pays | what |
//! |---|---|---|
//! | release, or its alarm for a job left out | the processor that takes the interrupt, or nobody where one of its own does | release |
//! | release | the job, before it is ready | event latency (`arrival.rs`) |
//! | dispatch | the dispatched job | scheduling, context switch |
//! | first dispatch of a job | the job | initial cache load |
//! | dispatch after a preemption, here or elsewhere | the job | cache delay |
//! | dispatch on another processor than the one that decided | the job | IPI latency |
//! | tick | every processor | tick |
//!
//! Amounts depend on the tasks of the cluster, cache costs on the task's working set; fractions are rounded up.

use crate::model::SimulationError;
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::time::Duration;

/// What the events of one cluster cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterCharges {
    /// The release interrupt.
    pub release: Duration,
    /// Choosing and switching to a job.
    pub dispatch: Duration,
    /// Request to entry of an interrupt between processors.
    pub ipi: Duration,
    /// One tick.
    pub tick: Duration,
    /// Programmed time to entry of the release interrupt.
    pub event_latency: Duration,
}

/// What the events of one task cost beyond its cluster's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCharges {
    /// A job's first fetch of its working set.
    pub initial_load: Duration,
    /// Fetching it again after a preemption.
    pub reload: Duration,
}

/// An `Overheads` value with the length of its tick.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a> {
    /// What it costs, in ticks of the scenario.
    pub overheads: Overheads<'a>,
    /// Nanoseconds of one tick.
    pub ns_per_tick: u64,
}

impl Platform<'_> {
    /// What the events of a cluster with this many tasks cost.
    pub fn cluster(&self, tasks: u64) -> Result<ClusterCharges, SimulationError> {
        let all = &self.overheads;
        let length = |overhead: &Overhead<'_>| self.length(overhead, tasks);
        Ok(ClusterCharges {
            // With a processor of its own for release interrupts, no other one is held up.
            release: if all.dedicated_interrupt_processor { Duration::ZERO } else { length(&all.release)? },
            dispatch: length(&all.scheduling)?.saturating_add(length(&all.context_switch)?),
            ipi: length(&all.ipi_latency)?,
            tick: if all.tick_period.is_some() { length(&all.tick)? } else { Duration::ZERO },
            event_latency: length(&all.event_latency)?,
        })
    }

    /// What the events of a task with this working set cost.
    pub fn task(&self, working_set_kib: u64) -> Result<TaskCharges, SimulationError> {
        Ok(TaskCharges {
            initial_load: self.length(&self.overheads.initial_cache_load, working_set_kib)?,
            reload: self.length(&self.overheads.cache_delay, working_set_kib)?,
        })
    }

    /// Distance of two ticks; `None` where no clock ticks, or where its tick costs nothing.
    pub fn tick_period(&self) -> Result<Option<Duration>, SimulationError> {
        let ticks = self.overheads.tick_period;
        let length =
            |ticks: u64| ticks.checked_mul(self.ns_per_tick).map(Duration::from_ns).ok_or(SimulationError::Overhead);
        ticks.map(length).transpose()
    }

    fn length(&self, overhead: &Overhead<'_>, count: u64) -> Result<Duration, SimulationError> {
        let ticks = overhead.at(count).ok_or(SimulationError::Overhead)?.value;
        let ns = ticks.checked_mul(self.ns_per_tick.into()).ok_or(SimulationError::Overhead)?.ceil();
        let length = u64::try_from(ns).ok().map(Duration::from_ns);
        length.filter(|length| *length <= crate::model::LONGEST).ok_or(SimulationError::Overhead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::ratio::Ratio;

    fn platform() -> Platform<'static> {
        let half = Overhead::constant(Ratio::new(1, 2).unwrap());
        let overheads = Overheads { release: half, scheduling: half, context_switch: half, ..Overheads::NONE };
        Platform { overheads, ns_per_tick: 3 }
    }

    #[test]
    fn fractions_of_a_tick_are_rounded_up_each() {
        let charges = platform().cluster(4).unwrap();
        assert_eq!((charges.release, charges.dispatch), (Duration::from_ns(2), Duration::from_ns(4)));
    }

    #[test]
    fn an_interrupt_processor_of_its_own_takes_releases_off_the_others() {
        let overheads = Overheads { dedicated_interrupt_processor: true, ..platform().overheads };
        assert_eq!(Platform { overheads, ..platform() }.cluster(4).unwrap().release, Duration::ZERO);
    }
}
