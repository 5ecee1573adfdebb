//! A plan in a guest of the lab, for the commands that otherwise measure on this machine.

use crate::cmd::lab_failure;
use crate::exit::Failure;
use prazo_core::cpu::CpuSet;
use prazo_lab::{Lab, Machine, Platform};
use prazo_probe::session::RecordedRun;
use prazo_run::Run;
use prazo_study::guest::{self, GuestRequest};
use prazo_study::task_sets::{self, TaskSetsRequest};

/// The machine for `processors` of them: the one named, else one of the lab's, with as many.
pub fn machine(platform: &Platform, name: Option<&str>, processors: u32) -> Result<Machine, Failure> {
    let machine = match (name, processors) {
        (Some(name), _) => Machine::find(name),
        (None, 1) => platform.machine(),
        (None, 2..=4) => Machine::find("linux-4"),
        (None, _) => Machine::find("linux-8"),
    };
    machine.and_then(|machine| machine.with_processors(processors)).map_err(lab_failure)
}

/// Runs task sets there.
pub fn run_task_sets(request: &TaskSetsRequest<'_>) -> Result<Run, Failure> {
    let lab = Lab::find().map_err(lab_failure)?;
    eprintln!("running on lab:{}; counted time may pass more slowly or faster than yours", request.platform.name);
    task_sets::run(request, &lab, &|| false)
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
}

/// The processors of a platform's machine.
pub fn processors(platform: &Platform) -> Result<CpuSet, Failure> {
    let count = platform.machine().map_err(lab_failure)?.processors;
    format!("0-{}", count - 1).parse().map_err(Failure::usage)
}

/// Measures there. An interrupt ends this program, and the kernel ends the guest with it.
pub fn measure(request: &GuestRequest<'_>) -> Result<RecordedRun, Failure> {
    let lab = Lab::find().map_err(lab_failure)?;
    eprintln!("measuring on lab:{}; counted time may pass more slowly or faster than yours", request.platform.name);
    guest::measure(request, &lab, &|| false)
        .map(|run| RecordedRun { run, file: request.file.to_owned() })
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
}
