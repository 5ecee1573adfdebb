//! The flags that choose a virtual platform instead of this machine.

use crate::exit::Failure;
use prazo::guest::GuestOptions;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_lab::platform::Kernel;
use std::path::{Path, PathBuf};

/// Where to measure, if not here.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "In a virtual machine")]
pub(crate) struct GuestFlags {
    /// A platform of the lab: lab:NAME (`prazo lab list`) or lab:FILE.toml [default: this machine]
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// A Linux image of yours as the platform
    #[arg(long, value_name = "FILE", conflicts_with = "platform")]
    kernel: Option<PathBuf>,
    /// An initramfs of yours for it; the lab adds its own files
    #[arg(long, value_name = "FILE", requires = "kernel")]
    initrd: Option<PathBuf>,
    /// More words on the guest kernel's command line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    append: Option<String>,
    /// Wall time after which the guest is ended [default: 5m, and a minute for each second that it measures]
    #[arg(long, value_name = "TIME")]
    pub limit: Option<Duration>,
}

impl GuestFlags {
    /// As the library takes it.
    pub(crate) fn options(&self) -> GuestOptions {
        let Self { platform, kernel, initrd, append, limit } = self.clone();
        GuestOptions { platform, kernel, initrd, append, limit }
    }

    /// The platform; `None` is this machine.
    pub(crate) fn platform(&self) -> Result<Option<Platform>, Failure> {
        Ok(self.options().resolve()?)
    }
}

/// Gives a kernel of the user's the module that was built for it; the lab's kernels have their own.
pub(crate) fn with_module(mut platform: Platform, module: Option<&Path>) -> Result<Platform, Failure> {
    match (&mut platform.kernel, module) {
        (Kernel::Given { irqlat, .. }, Some(file)) => *irqlat = Some(file.to_owned()),
        (Kernel::Fetched { .. }, Some(_)) => {
            return Err(Failure::usage("--module is for this machine or a --kernel of yours: the lab builds its own"));
        }
        (_, None) => {}
    }
    Ok(platform)
}
