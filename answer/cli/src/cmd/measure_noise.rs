//! `prazo measure noise`: what other things take from a busy loop.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::plan::{POLICIES, PolicyName};
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::{station, under, words};
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, NoiseRequest};
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Plan, Splitting};
use prazo_run::source::{NoiseSource, Source};

/// Measure the time that is taken from a busy loop
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure noise                          every processor, 30 s
  prazo measure noise --threshold 1us -c 3 -D 10min
  prazo measure noise -p other --runtime 100ms  threads take time too
  prazo measure noise --deadline 50us --load timer-interrupts --json")]
pub(crate) struct Noise {
    /// Count a gap where two readings of the clock are further apart
    #[arg(long, value_name = "TIME", default_value = "5us")]
    threshold: Duration,
    /// Time for which the loop runs in each period
    ///
    /// The loop sleeps for the rest, and observes nothing there. Under fifo and rr, at most 500ms and 90 % of --period.
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    runtime: Duration,
    /// Period of the windows
    ///
    /// The windows of the processors are spread over it, so that they do not all begin at the same time.
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    period: Duration,
    /// Measure the gaps only; do not record what took the processor
    #[arg(long)]
    no_split: bool,
    /// Scheduling policy of the loops
    #[arg(long, short, help_heading = "Measuring", value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    policy: PolicyName,
    /// Real-time priority of the loops under fifo and rr, 1 to 99
    ///
    /// Threads with a lower priority take no time from the loop.
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "N", default_value_t = 95)]
    priority: u8,
    /// Processors of the loops, for example 0-3,5 [default: all]
    ///
    /// One loop runs on each. The default is every processor that this process may use.
    #[arg(long, short, help_heading = "Measuring", value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Duration of the measurement, after the warm-up
    #[arg(long, help_heading = "Measuring", short = 'D', value_name = "TIME", default_value = "30s")]
    duration: Duration,
    /// Stop at the first gap above this
    ///
    /// A mark is written to the kernel's trace.
    #[arg(long, help_heading = "Measuring", short = 'b', value_name = "TIME")]
    stop_above: Option<Duration>,
    /// Loop for this long before measuring (rounded up to whole seconds)
    ///
    /// The samples are kept, labelled warm-up, and excluded from the figures.
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "TIME", default_value = "1s")]
    warm_up: Duration,
    /// Processor of the recording thread [default: one that is not measured, if there is one]
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "CPU")]
    housekeeping_cpu: Option<u32>,
    #[command(flatten)]
    recording: RecordingFlags,
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
        let policy = station::policy(self.policy, self.priority)?;
        let source = NoiseSource { threshold: self.threshold, runtime: self.runtime };
        let length = Length::Duration { length: self.duration };
        let plan = Plan::new(Source::Noise(source), policy, Vec::new(), length);
        let request = NoiseRequest {
            source,
            period: self.period,
            cpus: self.cpus,
            plan: Plan {
                split: if self.no_split { Splitting::Off } else { Splitting::Causes },
                stop_above: self.stop_above,
                housekeeping_cpu: self.housekeeping_cpu,
                ..under(plan, self.warm_up, &self.loads, self.recording)
            },
            guest: self.guest,
        };
        self.outlet.measure(Instrument::Noise(Box::new(request)), requirement)
    }
}
