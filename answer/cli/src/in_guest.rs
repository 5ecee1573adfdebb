//! A plan in a guest of the lab, for the commands that otherwise measure on this machine.

use crate::cmd::lab_failure;
use crate::exit::Failure;
use crate::out;
use prazo_core::cpu::CpuSet;
use prazo_lab::{Lab, Platform};
use prazo_probe::session::RecordedRun;
use prazo_study::guest::{self, GuestRequest};

/// The processors of a platform's machine.
pub(crate) fn processors(platform: &Platform) -> Result<CpuSet, Failure> {
    let count = platform.machine().map_err(lab_failure)?.processors;
    format!("0-{}", count - 1).parse().map_err(Failure::usage)
}

/// Measures there. An interrupt ends this program, and the kernel ends the guest with it.
pub(crate) fn measure(request: &GuestRequest<'_>) -> Result<RecordedRun, Failure> {
    let lab = Lab::find().map_err(lab_failure)?;
    out::note(format_args!(
        "measuring on lab:{}; counted time may pass more slowly or faster than yours",
        request.platform.name
    ));
    guest::measure(request, &lab, &|| false)
        .map(|run| RecordedRun { run, file: request.file.to_owned() })
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
}
