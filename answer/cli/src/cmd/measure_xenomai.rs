//! `prazo measure xenomai`: the co-kernel's own tool, run and read.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::{Meaning, named};
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, XenomaiRequest};
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::plan::{Length, Plan, Policy, ThreadPlan};
use prazo_run::source::{Source, XenomaiContext, XenomaiSource, XenomaiTool};
use std::path::PathBuf;

/// Measure with a Xenomai tool: latency (Cobalt, Mercury), latmus (EVL) or cyclictest
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure xenomai                           a user task at 1 kHz for 30 s
  prazo measure xenomai --context handler -c 1    the timer handler
  prazo measure xenomai --tool cyclictest -D 10m  available on all platforms
  prazo measure xenomai --load udp-flood --deadline 200us
  prazo measure xenomai --platform lab:FILE.toml  in a guest (docs/xenomai.md)")]
pub(crate) struct Xenomai {
    /// Tool to run [default: the tool of the installed Xenomai core]
    #[arg(long, value_name = "TOOL", value_parser = named(XenomaiTool::name, TOOLS))]
    tool: Option<XenomaiTool>,
    /// Context of the measured code
    #[arg(long, value_name = "CONTEXT", default_value = "user", value_parser = named(XenomaiContext::name, CONTEXTS))]
    context: XenomaiContext,
    /// Period of the activations, in whole µs
    #[arg(long, short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    period: Duration,
    /// Duration of the measurement, in whole seconds
    #[arg(long, short = 'D', value_name = "TIME", default_value_t = defaults::DURATION)]
    duration: Duration,
    /// Real-time priority of the task, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 98)]
    priority: u8,
    /// Processor to measure
    #[arg(long, short, value_name = "CPU", default_value_t = 0)]
    cpu: u32,
    /// Root folder of a copied system
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    root: PathBuf,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestOptions,
    #[command(flatten)]
    outlet: Outlet,
}

const TOOLS: &[Meaning<XenomaiTool>] = &[
    (XenomaiTool::Latency, "Xenomai 3"),
    (XenomaiTool::Latmus, "EVL"),
    (XenomaiTool::Cyclictest, "Xenomai's build of cyclictest"),
];

const CONTEXTS: &[Meaning<XenomaiContext>] = &[
    (XenomaiContext::User, "A task in user space"),
    (XenomaiContext::Kernel, "A task in the kernel"),
    (XenomaiContext::Handler, "The timer handler"),
];

impl Xenomai {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = XenomaiRequest { plan: self.plan(), guest: self.guest, root: self.root };
        self.outlet.measure(Instrument::Xenomai(Box::new(request)), requirement)
    }

    fn plan(&self) -> Plan {
        let source = Source::Xenomai(XenomaiSource { tool: self.tool, context: self.context });
        let thread = ThreadPlan { cpu: self.cpu, period: self.period, phase: Duration::ZERO };
        let length = Length::Duration { length: self.duration };
        let plan = Plan::new(source, Policy::Fifo { priority: self.priority }, vec![thread], length);
        self.loads.beside(plan)
    }
}
