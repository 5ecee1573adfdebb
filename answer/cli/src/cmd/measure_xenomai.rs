//! `prazo measure xenomai`: the co-kernel's own tool, run and read.

use super::measure::Outlet;
use super::measure_latmon::keep;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use clap::ValueEnum;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_probe::StopFlag;
use prazo_probe::session::RecordedRun;
use prazo_probe::xenomai::{self, Context, Tool, XenomaiRequest};
use prazo_run::Run;
use std::path::{Path, PathBuf};

/// A Xenomai core's own tool on this machine: latency (Cobalt, Mercury), latmus (EVL) or its cyclictest.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure xenomai                               the core's own tool, a user task at 1 kHz for 30 s
  prazo measure xenomai --context handler -c 1        the timer's handler on processor 1
  prazo measure xenomai --tool cyclictest -D 10m      what all platforms have")]
pub(super) struct Xenomai {
    /// With which tool [default: the core's own]
    #[arg(long, value_enum, value_name = "TOOL")]
    tool: Option<ToolFlag>,
    /// Where the measured code runs
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = ContextFlag::User)]
    context: ContextFlag,
    /// Distance of two activations, in whole microseconds
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// How long to measure, in whole seconds
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s")]
    duration: Duration,
    /// Real-time priority, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 98)]
    priority: u8,
    /// The processor
    #[arg(long, short, value_name = "CPU", default_value_t = 0)]
    cpu: u32,
    /// The root of the system's files, for a copied tree
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    root: PathBuf,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

/// Tools.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ToolFlag {
    /// Xenomai 3's own.
    Latency,
    /// EVL's own.
    Latmus,
    /// Xenomai's build of cyclictest.
    Cyclictest,
}

/// Places of the measured code.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ContextFlag {
    /// A task in user space.
    User,
    /// A task in the kernel.
    Kernel,
    /// The timer's handler.
    Handler,
}

impl Xenomai {
    /// Measures.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        self.outlet.finish("xenomai", requirement, |file| self.measure(file))
    }

    fn measure(&self, file: &Path) -> Result<RecordedRun, Failure> {
        let Self { period, duration: length, priority, cpu, .. } = *self;
        let tool = self.tool.map(Tool::from);
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let asked = XenomaiRequest { tool, period, length, priority, cpu, context: self.context.into() };
        let before = capture(&Root::system());
        let measured = xenomai::measure(&self.root, asked, stop);
        let run =
            measured.map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })?;
        let after = Some(capture(&Root::system()));
        keep(Run { platform_before: Some(before), platform_after: after, ..run }, file)
    }
}

impl From<ToolFlag> for Tool {
    fn from(flag: ToolFlag) -> Self {
        match flag {
            ToolFlag::Latency => Self::Latency,
            ToolFlag::Latmus => Self::Latmus,
            ToolFlag::Cyclictest => Self::Cyclictest,
        }
    }
}

impl From<ContextFlag> for Context {
    fn from(flag: ContextFlag) -> Self {
        match flag {
            ContextFlag::User => Self::User,
            ContextFlag::Kernel => Self::Kernel,
            ContextFlag::Handler => Self::Handler,
        }
    }
}
