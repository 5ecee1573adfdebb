//! `prazo measure xenomai`: the co-kernel's own tool, run and read.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::flags::{Word, words};
use prazo::measure::{Instrument, XenomaiRequest};
use prazo_core::time::Duration;
use prazo_probe::xenomai::{Context, Tool};
use std::path::PathBuf;

/// Measure with a Xenomai tool: latency (Cobalt, Mercury), latmus (EVL) or cyclictest
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure xenomai                           a user task at 1 kHz for 30 s
  prazo measure xenomai --context handler -c 1    the timer handler
  prazo measure xenomai --tool cyclictest -D 10m  available on all platforms")]
pub(crate) struct Xenomai {
    /// Tool to run [default: that of the installed core]
    #[arg(long, value_name = "TOOL", value_parser = words(TOOLS))]
    tool: Option<Tool>,
    /// Context of the measured code
    #[arg(long, value_name = "CONTEXT", default_value = "user", value_parser = words(CONTEXTS))]
    context: Context,
    /// Period, in whole µs
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// Duration of the measurement, in whole seconds
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s")]
    duration: Duration,
    /// Real-time priority, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 98)]
    priority: u8,
    /// Processor to measure
    #[arg(long, short, value_name = "CPU", default_value_t = 0)]
    cpu: u32,
    /// Root folder of a copied system
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    root: PathBuf,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

const TOOLS: &[Word<Tool>] = &[
    ("latency", "Xenomai 3", Tool::Latency),
    ("latmus", "EVL", Tool::Latmus),
    ("cyclictest", "Xenomai's build of cyclictest", Tool::Cyclictest),
];

const CONTEXTS: &[Word<Context>] = &[
    ("user", "A task in user space", Context::User),
    ("kernel", "A task in the kernel", Context::Kernel),
    ("handler", "The timer handler", Context::Handler),
];

impl Xenomai {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let Self { tool, context, period, duration: length, priority, cpu, root, .. } = self;
        let request = XenomaiRequest { tool, context, period, length, priority, cpu, root };
        self.outlet.measure(Instrument::Xenomai(request), requirement)
    }
}
