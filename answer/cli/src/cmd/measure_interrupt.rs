//! `prazo measure interrupt`: interrupt and activation latency through the module irqlat.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::conditions;
use crate::flags::guest::GuestFlags;
use crate::flags::interrupt::LineFlags;
use crate::flags::load::LoadFlags;
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use prazo::measure::{Conditions, Instrument, InterruptRequest};
use prazo_core::time::Duration;
use prazo_run::plan::Length;
use std::path::PathBuf;

/// How late a handler, and the task behind it, run after an interrupt was raised.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure interrupt --module irqlat.ko                          2,000 triggers of a timer, QEMU's parallel port
  prazo measure interrupt --module kmod/irqlat                        the same, the module built from its source first
  prazo measure interrupt --platform lab:rt-full                      in a virtual machine that repeats itself
  prazo measure interrupt --handler hard --load scheduler             the handler not threaded, under load
  prazo measure interrupt --trigger other-cpu --task user --thread-priority 95
  prazo measure interrupt --trigger frame --card eth1 -i 50ms -n 12000
  prazo measure interrupt --device gpio:pinctrl-bcm2835:17:27")]
pub(crate) struct Interrupt {
    /// The module irqlat.ko, or the folder of its source; loaded for the run. Without it, the loaded one is used
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// The kernel's headers, for building the module [default: the running kernel's]
    #[arg(long, value_name = "FOLDER", requires = "module")]
    headers: Option<PathBuf>,
    #[command(flatten)]
    line: LineFlags,
    /// The measured processor: line and task go there [default: the first that this process may use]
    #[arg(long, short, value_name = "CPU")]
    cpu: Option<u32>,
    /// Real-time priority of the task (fifo), 1 to 99
    #[arg(long, value_name = "N", default_value_t = 90)]
    priority: u8,
    /// Distance of two triggers
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// How many triggers to measure, after the warm-up; the run ends when they were sent, whatever became of them
    #[arg(long, short = 'n', value_name = "N", default_value_t = 2_000)]
    count: u64,
    /// How long to measure instead, after the warm-up
    #[arg(long, short = 'D', value_name = "TIME", conflicts_with = "count")]
    duration: Option<Duration>,
    /// Trigger for this long before measuring (rounded up to whole seconds); the samples are labelled warm-up and left out of the figures
    #[arg(long, value_name = "TIME", default_value = "0s")]
    warm_up: Duration,
    /// Processor of the reading thread [default: one that is not measured, where there is one]
    #[arg(long, value_name = "CPU")]
    housekeeping_cpu: Option<u32>,
    #[command(flatten)]
    recording: RecordingFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl Interrupt {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = InterruptRequest {
            module: self.module,
            headers: self.headers,
            line: self.line.line(),
            cpu: self.cpu,
            priority: self.priority,
            period: self.period,
            length: self
                .duration
                .map_or(Length::Activations { count: self.count }, |length| Length::Duration { length }),
            conditions: Conditions {
                housekeeping_cpu: self.housekeeping_cpu,
                ..conditions(&self.loads, self.recording, self.warm_up)
            },
            guest: self.guest.options(),
        };
        self.outlet.measure(Instrument::Interrupt(Box::new(request)), requirement)
    }
}
