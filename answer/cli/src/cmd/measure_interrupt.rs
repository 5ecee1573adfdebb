//! `prazo measure interrupt`: interrupt and activation latency through the module irqlat.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::interrupt::LineFlags;
use crate::flags::load::LoadFlags;
use crate::flags::measuring::{HousekeepingFlag, RecordingFlags, length};
use crate::flags::requirement::RequirementFlags;
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, InterruptRequest};
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::plan::{Plan, Policy};
use prazo_run::source::Source;
use std::path::PathBuf;

/// Measure how late a handler and a task run after an interrupt
#[derive(clap::Args, Debug)]
#[command(mut_arg("warm_up", |arg| arg.default_value("0s")), after_help = "Examples:
  prazo measure interrupt --module kmod/irqlat    builds and loads the module
  prazo measure interrupt --platform lab:rt-full  in a virtual machine
  prazo measure interrupt --handler hard --load scheduler
  prazo measure interrupt --trigger frame --card eth1 -i 50ms -n 12000")]
pub(crate) struct Interrupt {
    /// Module irqlat.ko, or the folder of its source
    ///
    /// The default is the module irqlat that is already loaded.
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// Kernel headers for building the module [default: the running kernel's]
    #[arg(long, hide_short_help = true, value_name = "FOLDER", requires = "module")]
    headers: Option<PathBuf>,
    #[command(flatten)]
    line: LineFlags,
    /// Processor of the interrupt line and the task [default: the first]
    ///
    /// The default is the first processor that this process may use.
    #[arg(long, short, help_heading = "Measuring", value_name = "CPU")]
    cpu: Option<u32>,
    /// Real-time priority of the task under fifo, 1 to 99
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "N", default_value_t = defaults::PRIORITY)]
    priority: u8,
    /// Period of the triggers
    #[arg(long, help_heading = "Measuring", short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    period: Duration,
    /// Number of triggers, after the warm-up
    #[arg(long, help_heading = "Measuring", short = 'n', value_name = "N", default_value_t = 2_000)]
    count: u64,
    /// Duration of the measurement, instead of a number of triggers
    #[arg(long, help_heading = "Measuring", short = 'D', value_name = "TIME", conflicts_with = "count")]
    duration: Option<Duration>,
    #[command(flatten)]
    housekeeping: HousekeepingFlag,
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

impl Interrupt {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let count = self.duration.is_none().then_some(self.count);
        let length = length(count, self.duration.unwrap_or_default());
        let plan = Plan::new(Source::default(), Policy::Fifo { priority: self.priority }, Vec::new(), length);
        let plan = Plan { housekeeping_cpu: self.housekeeping.housekeeping_cpu, ..plan };
        let request = InterruptRequest {
            module: self.module,
            headers: self.headers,
            line: self.line.source(),
            trigger_cpu: self.line.trigger_cpu,
            cpu: self.cpu,
            period: self.period,
            plan: self.recording.plan(plan, &self.loads),
            guest: self.guest,
        };
        self.outlet.measure(Instrument::Interrupt(Box::new(request)), requirement)
    }
}
