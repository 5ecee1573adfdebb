//! A plan on a platform of the lab: into the guest as text, out of it as a run file, which then says where it was won.

use crate::needs;
use prazo_core::time::Duration;
use prazo_lab::machine::Time;
use prazo_lab::{GuestAnswer, GuestJob, GuestLook, Lab, LabError, Machine, Platform};
use prazo_platform::fingerprint::Fingerprint;
use prazo_probe::guest_request::AgentRequest;
use prazo_run::source::{HandlerPlace, Source};
use prazo_run::store::{self, Amendment, StoreError};
use prazo_run::{Caveat, Plan, Run, Severity};
use prazo_sys::clock;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What shall be measured in which guest.
#[derive(Clone, Debug)]
pub struct GuestRequest<'a> {
    /// The platform.
    pub platform: Platform,
    /// What shall be measured there; its seed is also the machine's.
    pub plan: Plan,
    /// The run file, which must not exist yet.
    pub file: &'a Path,
    /// The run's name.
    pub name: String,
    /// The command line that repeats it.
    pub command: String,
    /// How long the guest may take in wall time; `None` is [`usual_limit`].
    pub limit: Option<Duration>,
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum GuestError {
    /// The lab could not, or the guest did not.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// What the guest brought back is no run, or could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run file could not be written.
    #[error("cannot write {file}: {source}")]
    Write {
        /// The file.
        file: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl GuestError {
    /// True where the user asked for something that cannot be.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Lab(error) => {
                use LabError::{
                    ForeignProgram, NoFlood, NoHeaders, NoHeadersOfRelease, NoKernel, NoLine, NoPlatform, NoRecipe,
                    NoSecondCard, Platform, Recipe, Refused,
                };
                let of_platform = matches!(
                    error,
                    Platform { .. }
                        | NoPlatform { .. }
                        | Recipe { .. }
                        | NoRecipe { .. }
                        | NoLine { .. }
                        | NoHeaders { .. }
                        | NoHeadersOfRelease { .. }
                );
                let of_plan = matches!(error, Refused { .. } | ForeignProgram { .. });
                of_platform || of_plan || matches!(error, NoSecondCard { .. } | NoFlood { .. } | NoKernel { .. })
            }
            Self::Write { source, .. } => source.kind() == std::io::ErrorKind::AlreadyExists,
            Self::Store(_) => false,
        }
    }

    /// True where the guest itself failed, or what it brought back is no run: a repetition ends alike on every machine. Everything
    /// else, such as a full disk, is a matter of this machine.
    pub fn is_of_guest(&self) -> bool {
        use StoreError::{
            Damaged, Database, Exists, FarReaching, Full, InUse, Io, Locked, NotARun, Removed, Unstorable, Version,
        };
        match self {
            Self::Lab(error) => matches!(error, LabError::NoAnswer { .. }),
            Self::Store(NotARun { .. } | Version { .. } | Damaged { .. } | Unstorable { .. } | FarReaching { .. }) => {
                true
            }
            Self::Store(
                Io { .. }
                | Exists { .. }
                | InUse { .. }
                | Full { .. }
                | Locked { .. }
                | Removed { .. }
                | Database { .. },
            )
            | Self::Write { .. } => false,
        }
    }

    /// True where the user wanted to stop.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Lab(LabError::Stopped))
    }
}

/// The platform's machine as a plan has it: what a plan seeds, the emulator is seeded with too.
pub fn machine(platform: &Platform, plan: &Plan) -> Result<Machine, LabError> {
    // A seed has 53 bits, the emulator's 32: those that change from one to the next are kept.
    Ok(platform.machine()?.with_seed((plan.seed & u64::from(u32::MAX)) as u32))
}

/// Five minutes for the boot, and a minute for each second of the guest's: a busy host shall not end a run that only
/// takes long, and a guest that hangs shall not hold up a study for ever.
pub fn usual_limit(plan: &Plan) -> std::time::Duration {
    let measured = std::time::Duration::from_nanos(crate::matrix::takes(plan).as_ns());
    std::time::Duration::from_secs(300) + 60 * measured
}

/// Measures, and gives the finished run back as it is in its file. After an error, no file is left.
pub fn measure(request: &GuestRequest<'_>, lab: &Lab, stop: &dyn Fn() -> bool) -> Result<Run, GuestError> {
    measure_watched(request, lab, &mut |_| stop())
}

/// The same; `look` hears how far the guest is, and returns true to end it.
pub fn measure_watched(
    request: &GuestRequest<'_>,
    lab: &Lab,
    look: &mut dyn FnMut(GuestLook) -> bool,
) -> Result<Run, GuestError> {
    // The host's: the guest's clock begins in the year 2000, so that it can be repeated.
    let (job, started_at_unix_ns) = (job(request, lab)?, clock::unix_ns());
    let brought = job.run(lab, look)?;
    let name = Named { name: request.name.clone(), command: request.command.clone(), started_at_unix_ns };
    kept(request.file, brought, &job.machine, name)
}

/// What only the host knows of a run.
pub(crate) struct Named {
    pub name: String,
    pub command: String,
    pub started_at_unix_ns: Option<i64>,
}

/// Writes what a guest brought to a new file, with what its host knows of it; after an error, no file is left.
pub(crate) fn kept(file: &Path, brought: GuestAnswer, machine: &Machine, named: Named) -> Result<Run, GuestError> {
    write(file, &brought.file)?;
    let of_machine = std::iter::once(no_hardwares_time(machine.time)).chain(takes_turns(machine));
    let caveats = of_machine.chain(brought.note.map(busy)).collect();
    let Named { name, command, started_at_unix_ns } = named;
    let amendment = Amendment { name, command, caveats, facts: brought.facts, started_at_unix_ns };
    let run = store::amend(file, &amendment).and_then(|()| store::open(file));
    run.map_err(|error| {
        // It was made above, and holds nothing that opens.
        let _ = std::fs::remove_file(file);
        error.into()
    })
}

/// What decides trajectories now, platform by platform; the same question is answered once, since it reads whole files.
#[derive(Debug, Default)]
pub struct Conditions {
    known: BTreeMap<String, Option<Fingerprint>>,
}

impl Conditions {
    /// As facts `lab.…`; `None` where nothing can be measured in this lab now.
    pub fn of(&mut self, platform: &Platform, plan: &Plan, lab: &Lab) -> Option<Fingerprint> {
        let (name, command, limit) = (String::new(), String::new(), None);
        let request =
            GuestRequest { platform: platform.clone(), plan: plan.clone(), file: Path::new(""), name, command, limit };
        self.of_job(job(&request, lab).ok()?, lab)
    }

    /// The same of a job.
    pub(crate) fn of_job(&mut self, job: GuestJob, lab: &Lab) -> Option<Fingerprint> {
        let asked = GuestJob { request: String::new(), machine: job.machine.clone().with_seed(0), ..job.clone() };
        self.known.entry(format!("{asked:?}")).or_insert_with(|| job.conditions(lab).ok()).clone()
    }
}

pub(crate) fn job(request: &GuestRequest<'_>, lab: &Lab) -> Result<GuestJob, GuestError> {
    let plan = as_the_platform_has_it(&request.plan, &request.platform);
    let limit = request.limit.map(|limit| std::time::Duration::from_nanos(limit.as_ns()));
    let machine = machine(&request.platform, &request.plan)?;
    needs::check_cards(&request.plan, &machine)?;
    Ok(GuestJob {
        machine,
        programs: needs::foreign_programs(&request.plan),
        drivers: needs::drivers(&request.plan),
        modules: modules(request, lab)?,
        limit: limit.unwrap_or_else(|| usual_limit(&request.plan)),
        ..GuestJob::new(request.platform.clone(), AgentRequest::Plan(Box::new(plan)).to_json())?
    })
}

/// Where the platform's measured line is not threaded, a handler's place that is left to the kernel is the interrupt.
fn as_the_platform_has_it(plan: &Plan, platform: &Platform) -> Plan {
    let mut plan = plan.clone();
    match &mut plan.source {
        Source::Interrupt(line) if !platform.line_threaded && line.handler == HandlerPlace::Kernel => {
            line.handler = HandlerPlace::Hard;
        }
        _ => {}
    }
    plan
}

/// An interrupt line is raised by the module.
fn modules(request: &GuestRequest<'_>, lab: &Lab) -> Result<Vec<(PathBuf, String)>, LabError> {
    match request.plan.source {
        Source::Interrupt(_) => Ok(vec![(lab.irqlat(&request.platform)?, String::new())]),
        Source::Timer
        | Source::Event(_)
        | Source::Wakeup(_)
        | Source::Noise(_)
        | Source::Overheads(_)
        | Source::Xenomai(_)
        | Source::Watch(_) => Ok(Vec::new()),
    }
}

pub(crate) fn no_hardwares_time(time: Time) -> Caveat {
    match time {
        Time::Counted { shift } => Caveat::new(
            "counted-time",
            Severity::High,
            format!(
                "the guest runs on counted time: each instruction takes {} ns, and nothing else takes time",
                1 << shift
            ),
            "use the figures to rank platforms, to explain mechanisms and to find regressions; measure latencies on \
             real hardware",
        ),
        Time::Free => Caveat::new(
            "emulated-time",
            Severity::High,
            "the guest ran on an emulated processor under the host's clock: the host's load affects every figure"
                .to_owned(),
            "use the figures only to rank platforms; measure latencies on real hardware",
        ),
    }
}

/// Under counted time several processors are there for order and logic.
fn takes_turns(machine: &Machine) -> Option<Caveat> {
    let takes_turns = matches!(machine.time, Time::Counted { .. }) && machine.processors > 1;
    takes_turns.then(|| {
        Caveat::new(
            "emulator-takes-turns",
            Severity::High,
            format!(
                "the guest's {} processors take turns on one thread of the emulator, so a latency between two \
                 processors is mostly the length of a turn",
                machine.processors
            ),
            "measure latencies with one processor; use several only to check program logic and the order of events",
        )
    })
}

pub(crate) fn busy(note: String) -> Caveat {
    let remedy = "give the guest's kernel more time to finish its start with a longer warm-up (--warm-up, or warm_up of a study's probe)";
    Caveat::new("guest-busy", Severity::Medium, note, remedy)
}

/// Writes a new file; after an error, no part of it is left.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), GuestError> {
    let made = File::create_new(file).map_err(|error| cannot_write(file, error))?;
    fill(made, file, bytes)
}

fn fill(mut made: File, file: &Path, bytes: &[u8]) -> Result<(), GuestError> {
    made.write_all(bytes).map_err(|error| {
        // It was made for these bytes. What cannot be removed fails to open, because it is truncated.
        let _ = std::fs::remove_file(file);
        cannot_write(file, error)
    })
}

fn cannot_write(file: &Path, source: std::io::Error) -> GuestError {
    GuestError::Write { file: file.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_a_matter_of_this_machine_and_leaves_no_part_of_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.prazo");
        std::fs::write(&file, "a part").unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let error = fill(full, &file, b"a run").unwrap_err();
        assert!(!error.is_of_guest() && !file.exists(), "{error}");
        let (path, doing) = (file.clone(), "write");
        assert!(!GuestError::from(StoreError::Full { path, doing }).is_of_guest());
    }

    #[test]
    fn a_guest_that_fails_does_so_on_every_machine() {
        let (platform, why, console) = ("lab:a".to_owned(), "the guest's kernel panicked".to_owned(), String::new());
        let panicked = LabError::NoAnswer { platform: platform.clone(), why: why.clone(), console: console.clone() };
        let killed = LabError::Emulator { platform, why, console };
        let damaged = StoreError::Damaged { path: "run.prazo".into(), what: "no samples".into() };
        let of_guest = [GuestError::from(panicked).is_of_guest(), GuestError::from(damaged).is_of_guest()];
        assert_eq!((of_guest, GuestError::from(killed).is_of_guest()), ([true; 2], false));
        assert!(!GuestError::from(LabError::Stopped).is_of_guest());
    }

    #[test]
    fn several_processors_under_counted_time_are_told_and_those_on_the_hosts_clock_are_not() {
        let told = |name: &str| takes_turns(&Machine::find(name).unwrap()).is_some();
        assert_eq!(["linux-1", "counted-4", "linux-2-free"].map(told), [false, true, false]);
    }
}
