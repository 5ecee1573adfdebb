//! Where something runs if not on this machine: a virtual platform of the lab, chosen by name or by its kernel.

use crate::error::Error;
use crate::progress::{GuestProgress, Progress, Remark};
use prazo_core::cpu::{CpuSet, ParseCpuSetError};
use prazo_core::time::Duration;
use prazo_lab::{GuestLook, Lab, LabError, Machine, Platform};
use prazo_probe::session::RecordedRun;
use prazo_run::Run;
use prazo_study::GuestRequest;
use prazo_study::LAB;
use prazo_study::guest::GuestError;
use prazo_study::task_sets::{self, TaskSetsRequest};
use std::path::{Path, PathBuf};

/// Which virtual platform to measure on; all `None` is this machine.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "flags", derive(clap::Args), command(next_help_heading = "Virtual machine"))]
pub struct GuestOptions {
    /// Platform of the lab, such as lab:rt-full
    ///
    /// Give lab:NAME, as `prazo lab list` shows it, or lab:FILE.toml. The default is this machine.
    #[cfg_attr(feature = "flags", arg(long, value_name = "PLATFORM"))]
    pub platform: Option<String>,
    /// Linux image to boot as the platform
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", conflicts_with = "platform", hide_short_help = true))]
    pub kernel: Option<PathBuf>,
    /// Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", hide_short_help = true))]
    pub initrd: Option<PathBuf>,
    /// Additional parameters on the guest kernel's command line
    #[cfg_attr(feature = "flags", arg(long, value_name = "TEXT", allow_hyphen_values = true, hide_short_help = true))]
    pub append: Option<String>,
    /// Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured second]
    #[cfg_attr(feature = "flags", arg(long, value_name = "TIME", hide_short_help = true))]
    pub timeout: Option<Duration>,
}

impl GuestOptions {
    /// True where no virtual platform is named.
    pub fn is_this_machine(&self) -> bool {
        self.platform.is_none() && self.kernel.is_none() && self.append.is_none() && self.initrd.is_none()
    }

    /// The platform; `None` is this machine.
    pub fn resolve(&self) -> Result<Option<Platform>, Error> {
        let found = match (&self.platform, &self.kernel) {
            (Some(name), _) => Some(named(name)?),
            (None, Some(kernel)) => Some(Platform::given(kernel.clone(), None)),
            (None, None) => None,
        };
        let found = match (found, &self.initrd) {
            (Some(platform), Some(initrd)) => Some(platform.with_initrd(readable(initrd)?)),
            (None, Some(_)) => {
                return Err(Error::field("initrd", "an initramfs applies only to a guest")
                    .with_remedy("name a guest with --platform or --kernel"));
            }
            (found, None) => found,
        };
        match (found, &self.append) {
            (None, Some(_)) => Err(Error::field("append", "additional parameters apply only to the kernel of a guest")
                .with_remedy("name a guest with --platform or --kernel")),
            (found, append) => Ok(found.map(|platform| with_words(platform, append.as_deref().unwrap_or_default()))),
        }
    }
}

/// A file that cannot be read is refused before anything starts.
fn readable(file: &Path) -> Result<PathBuf, Error> {
    let opened = std::fs::File::open(file).and_then(|file| file.metadata()).map(|data| data.is_file());
    let why = match opened {
        Ok(true) => return Ok(file.to_owned()),
        Ok(false) => "it is not a file".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Error::field("initrd", format!("cannot read {}: {why}", file.display()))
        .with_remedy("give a cpio archive, which may be compressed"))
}

fn named(name: &str) -> Result<Platform, Error> {
    let Some(name) = name.strip_prefix(LAB) else {
        return Err(Error::field("platform", format!("'{name}' is not a platform of the lab"))
            .with_remedy(format!("write {LAB}NAME; `prazo lab list` shows the names of the platforms")));
    };
    Platform::find(name).map_err(lab_error)
}

fn with_words(mut platform: Platform, words: &str) -> Platform {
    platform.words.extend(words.split_whitespace().map(str::to_owned));
    platform
}

/// A machine or platform that cannot be is the request's fault, all else the world's.
pub fn lab_error(error: LabError) -> Error {
    match error {
        LabError::Machine { .. } | LabError::NoMachine { .. } => Error::refused(error),
        LabError::Platform { .. }
        | LabError::NoPlatform { .. }
        | LabError::Recipe { .. }
        | LabError::NoRecipe { .. }
        | LabError::NoSeries { .. }
        | LabError::NoRelease { .. } => Error::refused(error),
        other => Error::failed(other),
    }
}

/// What a guest could not do: by the request's fault, by the caller's wish, or by the world's.
pub fn guest_error(error: GuestError) -> Error {
    match error {
        stopped if stopped.is_interrupted() => Error::Interrupted,
        refused if refused.is_usage() => Error::refused(refused),
        failed => Error::failed(failed),
    }
}

/// The machine for `processors` of them: the one named, else one of the lab's, with as many.
pub(crate) fn machine(platform: &Platform, name: Option<&str>, processors: u32) -> Result<Machine, Error> {
    let machine = match (name, processors) {
        (Some(name), _) => Machine::find(name),
        (None, 1) => platform.machine(),
        (None, 2..=4) => Machine::find("linux-4"),
        (None, _) => Machine::find("linux-8"),
    };
    machine.and_then(|machine| machine.with_processors(processors)).map_err(lab_error)
}

/// Runs task sets in a guest.
pub(crate) fn run_task_sets(request: &TaskSetsRequest<'_>, progress: &mut dyn Progress) -> Result<Run, Error> {
    let lab = Lab::find().map_err(lab_error)?;
    progress.remark(&Remark::OnGuest { platform: request.platform.name.clone(), does: "running" });
    let (name, does) = (&request.platform.name, "running the task sets");
    let ran = task_sets::run(request, &lab, &mut |look| shown(progress, name, does, look));
    progress.measured();
    ran.map_err(guest_error)
}

/// Shows how far a guest is. An interrupt ends this process, and the kernel ends the guest with it.
fn shown(progress: &mut dyn Progress, name: &str, does: &'static str, look: GuestLook) -> bool {
    progress.guest(&GuestProgress {
        name: format!("{LAB}{name}"),
        does: if look.is_up { does } else { "booting" },
        elapsed: Duration::from(look.elapsed),
        limit: Duration::from(look.limit),
    });
    false
}

/// Measures a plan in a guest.
pub(crate) fn measure(request: &GuestRequest<'_>, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
    let lab = Lab::find().map_err(lab_error)?;
    progress.remark(&Remark::OnGuest { platform: request.platform.name.clone(), does: "measuring" });
    let name = &request.platform.name;
    let measured =
        prazo_study::guest::measure_watched(request, &lab, &mut |look| shown(progress, name, "measuring", look));
    progress.measured();
    let run = measured.map_err(guest_error)?;
    Ok(RecordedRun { run, file: request.file.to_owned(), trace: None })
}

/// The processors of a platform's machine.
pub(crate) fn processors(platform: &Platform) -> Result<CpuSet, Error> {
    let count = platform.machine().map_err(lab_error)?.processors;
    format!("0-{}", count - 1).parse().map_err(|error: ParseCpuSetError| Error::refused(error))
}
