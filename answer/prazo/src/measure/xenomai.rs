//! A Xenomai core's own tool, run and read.

use super::target::Target;
use crate::error::Error;
use crate::progress::Progress;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_probe::session::RecordedRun;
use prazo_probe::xenomai::{self, Context, Tool};
use prazo_run::Run;
use std::path::PathBuf;

/// What a tool is to measure.
#[derive(Clone, Debug)]
pub struct XenomaiRequest {
    /// With which tool; `None` is the core's own.
    pub tool: Option<Tool>,
    /// Where the measured code runs.
    pub context: Context,
    /// Distance of two activations, in whole microseconds.
    pub period: Duration,
    /// How long to measure, in whole seconds.
    pub length: Duration,
    /// Real-time priority, 1 to 99.
    pub priority: u8,
    /// The processor.
    pub cpu: u32,
    /// The root of the system's files.
    pub root: PathBuf,
}

impl XenomaiRequest {
    pub(super) fn measure(&self, target: &Target<'_>, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
        let Self { tool, context, period, length, priority, cpu, .. } = *self;
        let stop = progress.stop().map_err(Error::failed)?;
        let platform_before = Some(capture(&Root::system()));
        let request = xenomai::XenomaiRequest { tool, period, length, priority, cpu, context };
        let measured = xenomai::measure(&self.root, request, &stop);
        let run = measured.map_err(|error| Error::blaming(error.is_usage(), error))?;
        target.keep(Run { platform_before, platform_after: Some(capture(&Root::system())), ..run })
    }
}
