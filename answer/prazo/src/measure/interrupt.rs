//! Interrupt and activation latency through the module irqlat.

use super::target::{Target, processors};
use crate::error::Error;
use crate::guest::GuestOptions;
use crate::output::make_parent;
use crate::progress::Progress;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_lab::platform::Kernel;
use prazo_platform::kernel_module::{Build, LoadedModule, headers_of_running_kernel};
use prazo_platform::root::Root;
use prazo_platform::tunable::Journal;
use prazo_probe::session::RecordedRun;
use prazo_run::plan::{Plan, ThreadPlan};
use prazo_run::source::{InterruptSource, Source, Trigger};
use std::path::{Path, PathBuf};

/// An interrupt line that the module raises, and what waits behind it.
#[derive(Clone, Debug)]
pub struct InterruptRequest {
    /// The module irqlat.ko, or the folder of its source; it is loaded for the run. `None` uses the loaded one.
    pub module: Option<PathBuf>,
    /// The kernel's headers, for building the module; `None` is the running kernel's.
    pub headers: Option<PathBuf>,
    /// The line; the processor of its trigger is the next field's to say. In a guest, its own frames have the line's jitter.
    pub line: InterruptSource,
    /// The timer's processor; `None` is the measured one, or the first other where another shall raise it.
    pub trigger_cpu: Option<u32>,
    /// The measured processor; `None` is the first that this process, or the guest, may use.
    pub cpu: Option<u32>,
    /// Distance of two triggers.
    pub period: Duration,
    /// All else that is measured; its source and its thread follow from the fields above.
    pub plan: Plan,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
}

impl InterruptRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let guest = self.guest.resolve()?;
        let plan = Plan { deadline, ..self.planned(processors(guest.as_ref())?, guest.is_some())? };
        let guest = guest.map(|platform| with_module(platform, self.module.as_deref())).transpose()?;
        make_parent(target.file)?;
        if let Some(platform) = guest {
            return target.execute_in(&platform, plan, self.guest.timeout, progress);
        }
        let module = self.module.as_deref().map(|module| self.load(module)).transpose()?;
        let measured = target.execute(plan, &format!("interrupt, {}", self.line.device), progress);
        let removed = module.map_or(Ok(()), LoadedModule::remove);
        let run = measured?;
        removed.map_err(Error::failed).map(|()| run)
    }

    fn planned(&self, allowed: CpuSet, is_guest: bool) -> Result<Plan, Error> {
        let cpu = self.cpu.unwrap_or(allowed.first().number());
        let source = Source::Interrupt(self.source(cpu, allowed, is_guest)?);
        let threads = vec![ThreadPlan { cpu, period: self.period, phase: Duration::ZERO }];
        Ok(Plan { source, threads, ..self.plan.clone() })
    }

    /// Loads the module, built first where its source was given.
    fn load(&self, module: &Path) -> Result<LoadedModule, Error> {
        let journal = Journal::open(&Root::system()).map_err(Error::failed)?;
        if !module.is_dir() {
            return LoadedModule::load(&journal, module, "").map_err(Error::failed);
        }
        let folder = tempfile::tempdir().map_err(Error::failed)?;
        let file = self.build(module, folder.path())?;
        LoadedModule::load(&journal, &file, "").map_err(Error::failed)
    }

    /// The header that the module shares with prazo lies beside it in the repository.
    fn build(&self, source: &Path, folder: &Path) -> Result<PathBuf, Error> {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").map_err(Error::failed)?;
        let release = release.trim();
        let headers = self.headers.clone().unwrap_or_else(|| headers_of_running_kernel(release));
        let abi = source.join("../../measuring/abi/include").canonicalize().ok();
        let variables: Vec<(&str, &Path)> = abi.iter().map(|abi| ("ABI", abi.as_path())).collect();
        let build = Build { source, variables: &variables, headers: &headers, compiler: None, folder };
        build.run(release).map_err(Error::failed)
    }

    /// The source of a plan that measures on processor `cpu` of `allowed`.
    fn source(&self, cpu: u32, allowed: CpuSet, is_guest: bool) -> Result<InterruptSource, Error> {
        // Another station's frames have its jitter; a guest sends itself the frames that trigger.
        let is_of_station = self.line.trigger == Trigger::Frame && !is_guest;
        let jitter = if is_of_station { Duration::ZERO } else { self.line.jitter };
        Ok(InterruptSource { trigger_cpu: self.trigger_cpu(cpu, allowed)?, jitter, ..self.line.clone() })
    }

    fn trigger_cpu(&self, cpu: u32, allowed: CpuSet) -> Result<u32, Error> {
        match (self.trigger_cpu, self.line.trigger) {
            (Some(given), Trigger::OtherCpu) if given == cpu => Err(Error::field(
                "trigger_cpu",
                "this is the measured processor, and --trigger other-cpu needs a different one",
            )
            .with_value(given)
            .with_remedy("name another processor, or use --trigger hrtimer")),
            (Some(given), _) => Ok(given),
            (None, Trigger::OtherCpu) => {
                allowed.iter().map(|other| other.number()).find(|other| *other != cpu).ok_or_else(|| {
                    Error::field("trigger", "this trigger needs a second processor, and only one can be used")
                        .with_value("other-cpu")
                        .with_remedy("use --trigger hrtimer")
                })
            }
            (None, _) => Ok(cpu),
        }
    }
}

/// Gives a kernel of the caller's the module that was built for it; the lab's kernels have their own.
fn with_module(mut platform: Platform, module: Option<&Path>) -> Result<Platform, Error> {
    match (&mut platform.kernel, module) {
        (Kernel::Given { irqlat, .. }, Some(file)) => *irqlat = Some(file.to_owned()),
        (Kernel::Fetched { .. } | Kernel::Built { .. }, Some(_)) => {
            return Err(Error::field("module", "a module applies only to this machine or to your own --kernel")
                .with_remedy("leave out --module; the lab builds the module for its kernels"));
        }
        (_, None) => {}
    }
    Ok(platform)
}
