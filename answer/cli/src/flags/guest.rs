//! The flags that choose a virtual platform instead of this machine.

use prazo::guest::GuestOptions;
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Where to measure, if not here.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Virtual machine")]
pub(crate) struct GuestFlags {
    /// Platform of the lab, such as lab:rt-full
    ///
    /// lab:NAME (`prazo lab list`) or lab:FILE.toml; the default is this machine.
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Linux image to boot as the platform
    #[arg(long, value_name = "FILE", conflicts_with = "platform", hide_short_help = true)]
    kernel: Option<PathBuf>,
    /// Initramfs for that image; the lab adds its own files
    #[arg(long, value_name = "FILE", requires = "kernel", hide_short_help = true)]
    initrd: Option<PathBuf>,
    /// Additional words on the guest kernel's command line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, hide_short_help = true)]
    append: Option<String>,
    /// Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured second]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    timeout: Option<Duration>,
}

impl GuestFlags {
    /// As the library takes it.
    pub(crate) fn options(&self) -> GuestOptions {
        let Self { platform, kernel, initrd, append, timeout } = self.clone();
        GuestOptions { platform, kernel, initrd, append, timeout }
    }
}
