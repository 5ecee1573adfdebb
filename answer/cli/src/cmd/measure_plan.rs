//! `prazo measure plan`: the plan of a run, or of a JSON file, on this machine.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use prazo::measure::{Instrument, PlanRequest};
use prazo_core::cpu::CpuSet;
use std::path::PathBuf;

/// Measure with the plan of another run
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure plan before.prazo                the same measurement again
  prazo measure plan laptop.prazo --on ssh://root@board -c 0-3

The plan consists of the probe, its policy and periods, the duration, the loads
and the seed.")]
pub(crate) struct MeasurePlan {
    /// Run file, or JSON file with a plan
    #[arg(value_name = "FILE")]
    plan: PathBuf,
    /// Processors instead of the plan's, for example 0-3,5
    ///
    /// Each processor gets a thread with the settings of the plan's first thread.
    #[arg(long, short, value_name = "LIST")]
    cpus: Option<CpuSet>,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl MeasurePlan {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let Self { plan, cpus, .. } = self;
        self.outlet.measure(Instrument::Plan(PlanRequest { plan, cpus }), requirement)
    }
}
