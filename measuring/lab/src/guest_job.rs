//! One job for a guest: a request goes in, a run file comes back, with everything that decided its trajectory.
//!
//! The initramfs and the answer are files without names, handed to the emulator as open descriptors, so that nothing of a
//! job is left, however it ends. The crate knows neither plans nor runs: a request is text, an answer is bytes.

use crate::answer;
use crate::architecture::Architecture;
use crate::boot::{Boot, BootOutcome, Medium};
use crate::command_line::{InputLog, Wiring};
use crate::console::{last_lines, plain};
use crate::emulator::Emulator;
use crate::ending::GuestEnding;
use crate::error::LabError;
use crate::facts;
use crate::fetch::Cache;
use crate::guest::{Guest, GuestLook, Watch};
use crate::initramfs::Initramfs;
use crate::machine::Machine;
use crate::modules::Module;
use crate::observer::{self, Observer};
use crate::platform::Platform;
use crate::{agent, irqlat};
use prazo_abi::guest::Answer;
use prazo_platform::fingerprint::Fingerprint;
use prazo_sys::child as sys;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{OwnedFd, RawFd};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The descriptors under which the emulator finds what it is handed.
const ANSWER: RawFd = 100;
const INITRAMFS: RawFd = 101;
/// The log of its inputs.
const LOG: RawFd = 103;
/// The first of its wires to other guests.
const WIRE: RawFd = 110;

/// How much of a console is told where there is no answer.
const LAST_LINES: usize = 6;

/// What carries jobs out: emulator, kernels and agent.
#[derive(Clone, Debug)]
pub struct Lab {
    emulator: Emulator,
    cache: Cache,
    agent: PathBuf,
}

/// One request to one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestJob {
    /// Where to.
    pub platform: Platform,
    /// On which machine: the platform's, perhaps with another seed.
    pub machine: Machine,
    /// What the agent is asked, as JSON.
    pub request: String,
    /// Programs of this system's that the guest shall have.
    pub programs: Vec<String>,
    /// Drivers of the guest's kernel that the agent shall load, each perhaps with parameters behind blanks; a user's kernel has them built in, or in its own initramfs.
    pub drivers: Vec<String>,
    /// Modules that were built for the guest's kernel, each with its parameters, loaded behind the drivers.
    pub modules: Vec<(PathBuf, String)>,
    /// How long it may take in wall time.
    pub limit: Duration,
}

/// A guest's ends of its wires to others, one for each of its cards.
#[derive(Debug)]
pub(crate) struct Wires {
    /// Which of the guests it is, from 0.
    pub guest: u8,
    /// The ends.
    pub ends: Vec<OwnedFd>,
}

/// What a job came back with.
#[derive(Clone, Debug)]
pub struct GuestAnswer {
    /// The run file, as the guest wrote it.
    pub file: Vec<u8>,
    /// What the guest says to threaten it.
    pub note: Option<String>,
    /// What decided the guest's trajectory, as facts `lab.…`.
    pub facts: Fingerprint,
    /// How the boot went.
    pub ended: BootOutcome,
}

/// A boot that is ready to start.
struct Prepared {
    command: Command,
    /// Where the answer will be.
    sent: File,
    facts: Fingerprint,
}

impl Lab {
    /// The cache of this user, with emulator and agent for the default architecture.
    pub fn find() -> Result<Self, LabError> {
        let agent = agent::find(Architecture::default())?;
        Ok(Self { emulator: Emulator::find()?, cache: Cache::of_user()?, agent })
    }

    /// Whether emulator and agent for an architecture are there.
    pub fn can_run(&self, architecture: Architecture) -> Result<(), LabError> {
        self.equipped_for(architecture).map(drop)
    }

    /// The same with emulator and agent for another architecture.
    fn equipped_for(&self, architecture: Architecture) -> Result<Self, LabError> {
        if architecture == Architecture::default() {
            return Ok(self.clone());
        }
        let (emulator, agent) = (Emulator::find_for(architecture)?, agent::find(architecture)?);
        Ok(Self { emulator, agent, cache: self.cache.clone() })
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The module irqlat for a platform's kernel: from the cache, or built now.
    pub fn irqlat(&self, platform: &Platform) -> Result<PathBuf, LabError> {
        irqlat::for_platform(platform, &self.cache)
    }
}

impl GuestJob {
    /// A request alone, on the platform's own machine, with a minute and a half for it.
    pub fn new(platform: Platform, request: String) -> Result<Self, LabError> {
        let (machine, limit) = (platform.machine()?, Duration::from_secs(90));
        Ok(Self { platform, machine, request, programs: Vec::new(), drivers: Vec::new(), modules: Vec::new(), limit })
    }

    /// Carries it out; `look` is told all the while how far the guest is, and true once it shall be ended.
    pub fn run(&self, lab: &Lab, look: &mut dyn FnMut(GuestLook) -> bool) -> Result<GuestAnswer, LabError> {
        self.run_wired(lab, None, look)
    }

    /// As [`GuestJob::run`]; with wires, each of the guest's cards hangs on one of them, whose other end another guest holds.
    pub(crate) fn run_wired(
        &self,
        lab: &Lab,
        wires: Option<Wires>,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<GuestAnswer, LabError> {
        self.run_with(lab, wires, None, look)?.0
    }

    /// As [`GuestJob::run`], while an observer looks on; with the file that it wrote.
    pub(crate) fn run_observed(
        &self,
        lab: &Lab,
        observer: &Observer,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<(GuestAnswer, File), LabError> {
        let (answer, recorded) = self.run_with(lab, None, Some(observer), look)?;
        let mut recorded = recorded.expect("an observer has a file");
        observer.check(&mut recorded)?;
        Ok((answer?, recorded))
    }

    fn run_with(
        &self,
        lab: &Lab,
        wires: Option<Wires>,
        observer: Option<&Observer>,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<(Result<GuestAnswer, LabError>, Option<File>), LabError> {
        let mut prepared = self.prepared(lab, wires, InputLog::Discarded)?;
        let recorded = observer.map(|observer| observer.attach(&mut prepared.command)).transpose()?;
        let bytes_max = observer.map_or(Boot::CONSOLE_MAX, |_| observer::BYTES_MAX);
        Ok((self.run_prepared(prepared, bytes_max, look)?, recorded))
    }

    /// As [`GuestJob::run`], while the emulator writes its log to a file without a name.
    pub(crate) fn run_logged(
        &self,
        lab: &Lab,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<(GuestAnswer, File), LabError> {
        let log = nameless()?;
        let prepared = self.logged(lab, InputLog::Recorded(LOG), &log)?;
        Ok((self.run_prepared(prepared, observer::BYTES_MAX, look)??, log))
    }

    /// The command of a boot that repeats the log in a file.
    pub(crate) fn replayed(&self, lab: &Lab, log: &File) -> Result<Command, LabError> {
        Ok(self.logged(lab, InputLog::Replayed(LOG), log)?.command)
    }

    fn logged(&self, lab: &Lab, words: InputLog, log: &File) -> Result<Prepared, LabError> {
        let mut prepared = self.prepared(lab, None, words)?;
        let handed = log.try_clone().and_then(|log| sys::hand_over(&mut prepared.command, log, LOG));
        handed.map_err(LabError::system("open the log of a guest"))?;
        Ok(prepared)
    }

    fn run_prepared(
        &self,
        mut prepared: Prepared,
        bytes_max: u64,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<Result<GuestAnswer, LabError>, LabError> {
        let mut watch = Watch { console: &mut |_| {}, look };
        let ended = Guest::start(prepared.command, bytes_max)?.see_end(self.limit, &mut watch)?;
        let answer = read(&mut prepared.sent).map(|bytes| answer::parse(&bytes))?;
        if answer.is_err() {
            takes_more(&mut prepared.sent)?;
        }
        Ok(self.judged(answer, ended, prepared.facts))
    }

    fn prepared(&self, lab: &Lab, wires: Option<Wires>, log: InputLog) -> Result<Prepared, LabError> {
        let lab = &lab.equipped_for(self.machine.architecture)?;
        let files = self.platform.boot_files(&lab.cache)?;
        File::open(&files.kernel).map_err(LabError::system(format!("read the kernel {}", files.kernel.display())))?;
        let modules = self.modules(&lab.cache)?;
        let content = self.content(lab, &modules)?;
        let initramfs = content.bytes()?;
        let words = self.platform.command_line(self.machine.architecture);
        let facts = facts::Trajectory {
            job: self,
            lab: &lab.emulator,
            agent: &lab.agent,
            files: &files,
            content: &content,
            initramfs: &initramfs,
            words: &words,
        }
        .facts()?;
        let sent = nameless()?;
        let mut command = lab.emulator.boot(&self.machine, &medium(files.started, words), &wiring(wires.as_ref()), log);
        for (number, wire) in (WIRE..).zip(wires.into_iter().flat_map(|wires| wires.ends)) {
            sys::hand_over(&mut command, wire.into(), number)
                .map_err(LabError::system("connect a guest to its network link"))?;
        }
        if let Some(file) = &files.device_tree {
            command.arg("-dtb").arg(file);
        }
        command.arg("-serial").arg(format!("file:{}", sys::handed_path(ANSWER)));
        command.args(self.machine.architecture.second_port().into_iter().flat_map(|port| ["-device", port]));
        let handed = sys::hand_over(&mut command, written(&initramfs)?, INITRAMFS);
        handed.map_err(LabError::system("open the initramfs of a guest"))?;
        let handed = sent.try_clone().and_then(|sent| sys::hand_over(&mut command, sent, ANSWER));
        handed.map_err(LabError::system("open the serial port of a guest"))?;
        Ok(Prepared { command, sent, facts })
    }

    /// What would decide the trajectory of a guest that went now.
    pub fn trajectory(&self, lab: &Lab) -> Result<Fingerprint, LabError> {
        let lab = &lab.equipped_for(self.machine.architecture)?;
        let files = self.platform.boot_files(&lab.cache)?;
        let modules = self.modules(&lab.cache)?;
        let content = self.content(lab, &modules)?;
        facts::Trajectory {
            job: self,
            lab: &lab.emulator,
            agent: &lab.agent,
            files: &files,
            content: &content,
            initramfs: &content.bytes()?,
            words: &self.platform.command_line(self.machine.architecture),
        }
        .facts()
    }

    /// What would decide the trajectory of a guest that went now, but for its request and its seed: what the facts of an earlier
    /// run are held against.
    pub fn conditions(&self, lab: &Lab) -> Result<Fingerprint, LabError> {
        let lab = &lab.equipped_for(self.machine.architecture)?;
        let files = self.platform.boot_files(&lab.cache)?;
        let modules = self.modules(&lab.cache)?;
        let trajectory = facts::Trajectory {
            job: self,
            lab: &lab.emulator,
            agent: &lab.agent,
            files: &files,
            content: &self.content(lab, &modules)?,
            initramfs: &[],
            words: &self.platform.command_line(self.machine.architecture),
        };
        let mut facts = trajectory.facts()?;
        facts.facts.retain(|name, _| !facts::OF_THE_REQUEST.contains(&name.as_str()));
        Ok(facts)
    }

    fn content<'a>(&'a self, lab: &'a Lab, modules: &'a [Module]) -> Result<Initramfs<'a>, LabError> {
        if let (false, Some(program)) = (self.machine.architecture.is_hosts(), self.programs.first()) {
            let (platform, program) = (format!("lab:{}", self.platform.name), program.clone());
            return Err(LabError::ForeignProgram { platform, program, architecture: self.machine.architecture });
        }
        let (base, programs) = (self.platform.initrd(), &self.programs);
        Ok(Initramfs { agent: &lab.agent, request: &self.request, base, programs, modules })
    }

    pub(crate) fn modules(&self, cache: &Cache) -> Result<Vec<Module>, LabError> {
        let drivers = self.platform.kernel_modules(cache)?.map_or(Ok(Vec::new()), |all| all.closure(&self.drivers))?;
        let own = self.platform.modules.iter().map(|own| Module::built(&own.file, &own.parameters));
        let built = self.modules.iter().map(|(file, parameters)| Module::built(file, parameters));
        drivers.into_iter().map(Ok).chain(own).chain(built).collect()
    }

    /// A whole answer counts, whatever became of the guest behind it.
    fn judged(
        &self,
        answer: Result<Answer, String>,
        ended: BootOutcome,
        facts: Fingerprint,
    ) -> Result<GuestAnswer, LabError> {
        let platform = || format!("lab:{}", self.platform.name);
        let console = || last_lines(&ended.console, LAST_LINES);
        if ended.ending == GuestEnding::Stopped {
            return Err(LabError::Stopped);
        }
        match answer {
            Ok(Answer::Measured { file, note }) => Ok(GuestAnswer { file, note, facts, ended }),
            Ok(Answer::Refused(why)) => Err(LabError::Refused { platform: platform(), why }),
            Ok(Answer::Failed(why)) => Err(LabError::NoAnswer { platform: platform(), why, console: console() }),
            Err(wrong) => {
                let why = format!("{} after {:.0} s; {wrong}", ended_how(&ended), ended.elapsed.as_secs_f64());
                match ended.ending {
                    GuestEnding::Emulator { .. } => {
                        Err(LabError::Emulator { platform: platform(), why, console: console() })
                    }
                    _ => Err(LabError::NoAnswer { platform: platform(), why, console: console() }),
                }
            }
        }
    }
}

/// A panic ends as a reset does; the console tells the two apart, and why.
fn ended_how(ended: &BootOutcome) -> String {
    let console = String::from_utf8_lossy(&ended.console);
    let panic = console.lines().find_map(|line| line.split_once("Kernel panic - not syncing: "));
    match panic {
        Some((_, why)) => format!("the guest's kernel panicked ({})", plain(why)),
        None => ended.ending.to_string(),
    }
}

fn wiring(wires: Option<&Wires>) -> Wiring {
    let sockets =
        |wires: &Wires| Wiring::Sockets { guest: wires.guest, ends: (WIRE..).take(wires.ends.len()).collect() };
    wires.map_or(Wiring::Hub, sockets)
}

fn medium(kernel: PathBuf, words: String) -> Medium {
    Medium::Kernel { file: kernel, append: Some(words), initrd: Some(sys::handed_path(INITRAMFS).into()) }
}

fn nameless() -> Result<File, LabError> {
    let folder = std::env::temp_dir();
    let what = format!("make a temporary file for a guest in {} (set TMPDIR to use another folder)", folder.display());
    tempfile::tempfile().map_err(LabError::system(what))
}

fn written(bytes: &[u8]) -> Result<File, LabError> {
    let mut file = nameless()?;
    let folder = std::env::temp_dir();
    let what = format!(
        "write the initramfs of a guest to a temporary file in {} (set TMPDIR to use another folder)",
        folder.display()
    );
    file.write_all(bytes).map_err(LabError::system(what))?;
    Ok(file)
}

fn read(file: &mut File) -> Result<Vec<u8>, LabError> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(LabError::system("read the answer of a guest"))
}

/// An error where an answer may be cut off because its file could not grow: the emulator does not report a full disk.
fn takes_more(file: &mut File) -> Result<(), LabError> {
    let folder = std::env::temp_dir();
    let what = format!(
        "write the answer of a guest to a temporary file in {} (set TMPDIR to use another folder)",
        folder.display()
    );
    file.write_all(&[0; 4096]).map_err(LabError::system(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(ending: GuestEnding, console: &str) -> BootOutcome {
        let console = console.as_bytes().to_vec();
        BootOutcome { ending, console, elapsed: Duration::from_secs(7), pid: 1, command: String::new() }
    }

    fn job() -> GuestJob {
        let platform = Platform::find("standard-none").unwrap();
        GuestJob::new(platform, String::new()).unwrap()
    }

    #[test]
    fn a_panic_is_called_so_with_the_last_lines_of_the_console() {
        let console = "1\n2\n3\n4\n5\n6\n\nKernel panic - not syncing: Fatal exception\n";
        let answer = answer::parse(b"");
        let error =
            job().judged(answer, ended(GuestEnding::Off, console), Fingerprint::default()).unwrap_err().to_string();
        assert!(
            error
                .contains("lab:standard-none did not measure: the guest's kernel panicked (Fatal exception) after 7 s"),
            "{error}"
        );
        assert!(error.ends_with("2 | 3 | 4 | 5 | 6 | Kernel panic - not syncing: Fatal exception"), "{error}");
    }

    #[test]
    fn an_emulator_that_somebody_ended_is_no_guest_without_an_answer() {
        let killed = GuestEnding::Emulator { reason: "ended by signal 9".into() };
        let error = job().judged(answer::parse(b""), ended(killed, ""), Fingerprint::default()).unwrap_err();
        assert!(matches!(error, LabError::Emulator { .. }) && error.to_string().contains("signal 9"), "{error}");
    }

    #[test]
    fn an_answer_that_a_full_disk_cut_off_is_an_error_of_this_machine() {
        takes_more(&mut nameless().unwrap()).unwrap();
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let error = takes_more(&mut full).unwrap_err().to_string();
        assert!(error.contains("No space left") && error.contains("TMPDIR"), "{error}");
    }

    #[test]
    fn a_guest_at_its_limit_without_a_word_is_told_without_a_console() {
        let error =
            job().judged(answer::parse(b""), ended(GuestEnding::Limit, ""), Fingerprint::default()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("time limit") && message.ends_with("the guest ended without an answer"), "{message}");
    }

    #[test]
    fn a_refused_plan_is_told_as_the_users() {
        let refused = Ok(Answer::Refused("cpu 3 is not there".into()));
        let error = job().judged(refused, ended(GuestEnding::Off, ""), Fingerprint::default()).unwrap_err();
        assert!(matches!(error, LabError::Refused { .. }) && error.to_string().contains("cpu 3"), "{error}");
    }
}
