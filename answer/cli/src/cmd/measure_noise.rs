//! `prazo measure noise`: what other things take from a busy loop.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::measuring::MeasuringFlags;
use crate::flags::requirement::RequirementFlags;
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, NoiseRequest};
use prazo_core::time::Duration;
use prazo_run::plan::{Plan, Splitting};
use prazo_run::source::NoiseSource;

/// Measure the time that is taken from a busy loop
#[derive(clap::Args, Debug)]
#[command(mut_arg("priority", |arg| {
    let help = "Real-time priority under fifo and rr, 1 to 99";
    arg.long_help(format!("{help}\n\nThreads with a lower priority take no time from the loop."))
}))]
#[command(after_help = "Examples:
  prazo measure noise                          every processor, 30 s
  prazo measure noise --threshold 1us -c 3 -D 10min
  prazo measure noise -p other --runtime 100ms  threads take time too
  prazo measure noise --deadline 50us --load timer-interrupts --json")]
pub(crate) struct Noise {
    /// Count a gap where two consecutive clock readings are further apart than this
    #[arg(long, value_name = "TIME", default_value = "5us")]
    threshold: Duration,
    /// Time for which the loop runs in each period
    ///
    /// For the rest of the period the loop sleeps and observes nothing. Under fifo and rr, prazo refuses
    /// more than 500ms or more than 90 % of --period.
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    runtime: Duration,
    /// Period of the windows in which the loop runs
    ///
    /// The processors' windows are spread over the period, so that they do not all begin at the same time.
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    period: Duration,
    /// Measure the gaps only; do not record what took the processor
    #[arg(long)]
    no_split: bool,
    #[command(flatten)]
    measuring: MeasuringFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestOptions,
    #[command(flatten)]
    outlet: Outlet,
}

impl Noise {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = NoiseRequest {
            source: NoiseSource { threshold: self.threshold, runtime: self.runtime },
            period: self.period,
            cpus: self.measuring.cpus,
            plan: Plan {
                split: if self.no_split { Splitting::Off } else { Splitting::Causes },
                ..self.measuring.plan(None, self.period, &self.loads)
            },
            guest: self.guest,
        };
        self.outlet.measure(Instrument::Noise(Box::new(request)), requirement)
    }
}
