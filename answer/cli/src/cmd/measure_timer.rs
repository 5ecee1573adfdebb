//! `prazo measure timer`: how late threads wake up after a timer expires.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::timer::TimerFlags;
use prazo::guest::GuestOptions;
use prazo::measure::Instrument;

/// Measure how late threads wake up after a timer expires
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer                       30 s, every processor, policy fifo
  prazo measure timer -D 8h --deadline 200us --load udp-flood=50000
  prazo measure timer --split               the parts and causes of latencies
  prazo measure timer -p other -c 1 -n 100000 --json
  prazo measure timer --platform lab:rt-full -D 10s")]
pub(crate) struct Timer {
    #[command(flatten)]
    timer: TimerFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestOptions,
    #[command(flatten)]
    outlet: Outlet,
}

impl Timer {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = self.timer.request(&self.loads, self.guest);
        self.outlet.measure(Instrument::Timer(Box::new(request)), requirement)
    }
}
