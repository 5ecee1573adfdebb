//! `prazo measure interrupt`: interrupt and activation latency through the module irqlat.

use super::files;
use super::measure::{Outlet, refused};
use crate::exit::{Exit, Failure};
use crate::flags::guest::{GuestFlags, with_module};
use crate::flags::interrupt::LineFlags;
use crate::flags::load::LoadFlags;
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use crate::{in_guest, live};
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::kernel_module::{Build, LoadedModule, headers_of_running_kernel};
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_platform::tunable::Journal;
use prazo_probe::StopFlag;
use prazo_probe::session::{self, RecordedRun, Request};
use prazo_run::plan::{Length, Plan, Policy, Splitting, ThreadPlan, TimerMethod, WhenLate};
use prazo_run::source::{InterruptSource, Source};
use prazo_study::GuestRequest;
use std::path::{Path, PathBuf};

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
pub(super) struct Interrupt {
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
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let deadline = requirement.map(|requirement| requirement.deadline);
        self.outlet.finish("interrupt", requirement, |file| self.measure(file, deadline))
    }

    fn measure(&self, file: &Path, deadline: Option<Duration>) -> Result<RecordedRun, Failure> {
        if let Some(platform) = self.guest.platform()? {
            return self.measure_in(platform, file, deadline);
        }
        let root = Root::system();
        let topology = Topology::read(&root).map_err(Failure::world)?;
        let cpu = self.measured(topology.allowed);
        let plan = self.plan(cpu, self.line.source(cpu, numbers(&topology.allowed))?, deadline);
        files::make_parent(file)?;
        let module = self.module.as_deref().map(|module| self.load(module)).transpose()?;
        let request = Request { plan, file, name: files::name_of(file), command: super::command_line() };
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let title = format!("interrupt, {}", self.line.device);
        let measured = live::with_view(self.outlet.plain, &title, |view| session::execute(&request, &root, view, stop));
        let removed = module.map_or(Ok(()), LoadedModule::remove);
        let run = measured.map_err(refused)?;
        removed.map_err(Failure::world).map(|()| run)
    }

    /// In a guest, whose module the lab builds.
    fn measure_in(&self, platform: Platform, file: &Path, deadline: Option<Duration>) -> Result<RecordedRun, Failure> {
        let allowed = in_guest::processors(&platform)?;
        let cpu = self.measured(allowed);
        let plan = self.plan(cpu, self.line.source_in_guest(cpu, numbers(&allowed))?, deadline);
        let platform = with_module(platform, self.module.as_deref())?;
        files::make_parent(file)?;
        let (name, command, limit) = (files::name_of(file), super::command_line(), self.guest.limit);
        in_guest::measure(&GuestRequest { platform, plan, file, name, command, limit })
    }

    fn measured(&self, allowed: CpuSet) -> u32 {
        self.cpu.unwrap_or(allowed.first().number())
    }

    fn plan(&self, cpu: u32, source: InterruptSource, deadline: Option<Duration>) -> Plan {
        Plan {
            source: Source::Interrupt(source),
            split: Splitting::Off,
            method: TimerMethod::ClockNanosleep,
            policy: Policy::Fifo { priority: self.priority },
            when_late: WhenLate::Skip,
            threads: vec![ThreadPlan { cpu, period: self.period, phase: Duration::ZERO }],
            length: self
                .duration
                .map_or(Length::Activations { count: self.count }, |length| Length::Duration { length }),
            warm_up: self.warm_up,
            lead_in: if self.loads.loads.is_empty() { Duration::ZERO } else { self.loads.lead_in },
            loads: self.loads.plans(),
            deadline,
            stop_above: None,
            looks_for: None,
            housekeeping_cpu: self.housekeeping_cpu,
            raw: self.recording.raw,
            hold_dma_latency: !self.recording.no_dma_latency,
            timer_slack: None,
            histogram_bound: self.recording.histogram_bound,
            beside_pid: None,
            seed: self.loads.seed,
            workloads: Vec::new(),
        }
    }

    /// Loads the module, built first where its source was given.
    fn load(&self, module: &Path) -> Result<LoadedModule, Failure> {
        let journal = Journal::open(&Root::system()).map_err(Failure::world)?;
        if !module.is_dir() {
            return LoadedModule::load(&journal, module, "").map_err(Failure::world);
        }
        let folder = tempfile::tempdir().map_err(Failure::world)?;
        let file = self.build(module, folder.path())?;
        LoadedModule::load(&journal, &file, "").map_err(Failure::world)
    }

    /// The header that the module shares with prazo lies beside it in the repository.
    fn build(&self, source: &Path, folder: &Path) -> Result<PathBuf, Failure> {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").map_err(Failure::world)?;
        let release = release.trim();
        let headers = self.headers.clone().unwrap_or_else(|| headers_of_running_kernel(release));
        let abi = source.join("../../measuring/abi/include").canonicalize().ok();
        let variables: Vec<(&str, &Path)> = abi.iter().map(|abi| ("ABI", abi.as_path())).collect();
        let build = Build { source, variables: &variables, headers: &headers, compiler: None, folder };
        build.run(release).map_err(Failure::world)
    }
}

fn numbers(of: &CpuSet) -> impl Iterator<Item = u32> {
    of.iter().map(|cpu| cpu.number())
}
