//! One run of a core's own tool: started, watched once a tenth of a second, ended by its id, and read.

use super::accounts::{ThreadAccount, accounts};
use super::core::{Core, recognise};
use super::error::XenomaiError;
use super::tool::{Context, Parameters, Tool};
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_engine::StopFlag;
use prazo_run::import::{self, Options};
use prazo_run::run::Origin;
use prazo_run::{Caveat, Run, Severity};
use prazo_sys::containment::tie_to_caller;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// What a tool may take longer than it was asked to.
const GRACE_S: u64 = 15;
/// How often it is looked at.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);
/// The most that is read of what it prints.
const BYTES_MAX: u64 = 16 << 20;

/// What shall be measured.
#[derive(Clone, Copy, Debug)]
pub struct XenomaiRequest {
    /// With which tool; `None` is the core's own.
    pub tool: Option<Tool>,
    /// Period of the activations.
    pub period: Duration,
    /// How long.
    pub length: Duration,
    /// Real-time priority.
    pub priority: u8,
    /// The processor.
    pub cpu: u32,
    /// Where the measured code runs.
    pub context: Context,
}

/// Measures on the core under `root`.
pub fn measure(root: &Path, request: XenomaiRequest, stop: &StopFlag) -> Result<Run, XenomaiError> {
    let core = recognise(root).ok_or(XenomaiError::NoCore)?;
    let tool = request.tool.unwrap_or(Tool::of(&core));
    let arguments = tool.arguments(&core, parameters(request)?)?;
    let mut running = Running::start(tool.find(root)?, &arguments)?;
    let seen = running.watch(root, parameters(request)?.length_s + GRACE_S, stop)?;
    let text = running.printed()?;
    let options = Options { format: Some(tool.format()), period: Some(request.period), ..Options::default() };
    let read = import::read_bytes(text.as_bytes(), Path::new(tool.program()), &options);
    let mut run = read.map_err(XenomaiError::Garbage)?.remove(0);
    run.origin =
        Origin::Imported { tool: tool.program().into(), file: format!("{} {}", tool.program(), arguments.join(" ")) };
    run.caveats.extend(caveats(&core, &seen, &run));
    Ok(run)
}

fn parameters(request: XenomaiRequest) -> Result<Parameters, XenomaiError> {
    let XenomaiRequest { period, length, priority, cpu, context, .. } = request;
    let wrong = |what: &str| Err(XenomaiError::Parameter(what.into()));
    if period.as_ns() < 1_000 || !period.as_ns().is_multiple_of(1_000) {
        return wrong("Xenomai's tools take --period in whole µs; give at least 1us");
    }
    if length.as_ns() < 1_000_000_000 {
        return wrong("Xenomai's tools take --duration in whole seconds; give at least 1s");
    }
    if !(1..=99).contains(&priority) {
        return wrong("give a --priority from 1 to 99");
    }
    Ok(Parameters { period, length_s: length.as_ns() / 1_000_000_000, priority, cpu, context })
}

/// A tool that runs; dropped, it is ended.
struct Running {
    program: PathBuf,
    child: Child,
    printed: File,
    words: File,
}

/// What Cobalt's accounts said of a thread of the tool, when it was last seen.
type ThreadAccounts = BTreeMap<u32, ThreadAccount>;

impl Running {
    fn start(program: PathBuf, arguments: &[String]) -> Result<Self, XenomaiError> {
        let failed = |source| XenomaiError::Run { program: program.display().to_string(), source };
        let (printed, words) = (unnamed().map_err(failed)?, unnamed().map_err(failed)?);
        let mut command = Command::new(&program);
        command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        command.stdout(printed.try_clone().map_err(failed)?).stderr(words.try_clone().map_err(failed)?);
        let child = tie_to_caller(&mut command).spawn().map_err(failed)?;
        Ok(Self { program, child, printed, words })
    }

    /// Until it has ended well; its threads are looked at meanwhile, since they are gone afterwards.
    fn watch(&mut self, root: &Path, limit_s: u64, stop: &StopFlag) -> Result<ThreadAccounts, XenomaiError> {
        let (begun, mut seen) = (Instant::now(), ThreadAccounts::new());
        loop {
            let ended = self.child.try_wait().map_err(|source| self.failed(source))?;
            match ended {
                Some(status) if status.success() => return Ok(seen),
                Some(status) => {
                    let words = [self.words()?, self.printed()?].concat();
                    let status = status.to_string();
                    return Err(XenomaiError::Refused { program: self.name(), status, words: last_line(&words) });
                }
                None if stop.is_set() => return Err(XenomaiError::Interrupted),
                None if begun.elapsed().as_secs() >= limit_s => {
                    return Err(XenomaiError::Hung { program: self.name(), limit: Duration::from_s(limit_s) });
                }
                None => {}
            }
            look(root, self.child.id(), &mut seen);
            std::thread::sleep(LOOK);
        }
    }

    fn name(&self) -> String {
        self.program.display().to_string()
    }

    fn failed(&self, source: io::Error) -> XenomaiError {
        XenomaiError::Run { program: self.name(), source }
    }

    fn printed(&self) -> Result<String, XenomaiError> {
        whole(&self.printed).map_err(|source| self.failed(source))
    }

    fn words(&self) -> Result<String, XenomaiError> {
        whole(&self.words).map_err(|source| self.failed(source))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file without a name, so that nothing is left of it.
fn unnamed() -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_TMPFILE).open(std::env::temp_dir())
}

fn whole(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn last_line(text: &str) -> String {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it printed nothing").to_owned()
}

/// Notes the accounts of the tool's own threads.
fn look(root: &Path, process_id: u32, seen: &mut ThreadAccounts) {
    let Ok(text) = std::fs::read_to_string(root.join("proc/xenomai/sched/acct")) else { return };
    let is_ours = |thread: &ThreadAccount| root.join(format!("proc/{process_id}/task/{}", thread.thread_id)).exists();
    seen.extend(accounts(&text).into_iter().filter(is_ours).map(|thread| (thread.thread_id, thread)));
}

fn caveats(core: &Core, seen: &ThreadAccounts, run: &Run) -> Vec<Caveat> {
    [gravity(core, run), mode_switches(seen, run)].into_iter().flatten().collect()
}

/// `gravity`, where the reader of the tool's format did not say so: cyclictest prints nothing of it.
fn gravity(core: &Core, run: &Run) -> Option<Caveat> {
    let early = match core {
        Core::Mercury => return None,
        Core::Cobalt { gravity_ns: Some(gravity_ns), .. } => format!("{gravity_ns} ns"),
        Core::Cobalt { gravity_ns: None, .. } | Core::Evl => "a calibrated time".into(),
    };
    (!run.caveats.iter().any(|caveat| caveat.id == GRAVITY)).then(|| {
        Caveat::new(
            GRAVITY,
            Severity::Medium,
            format!(
                "{} programs its timer {early} early (gravity), so that its minima and means cannot be compared with \
                 those of Linux",
                core.name()
            ),
            "compare only maxima and the spread",
        )
    })
}

/// `mode-switches`: the tool's thread fell back to Linux while it measured. The first switch is its start.
fn mode_switches(seen: &ThreadAccounts, run: &Run) -> Option<Caveat> {
    let fell: Vec<String> = seen
        .values()
        .filter(|thread| thread.priority > 0 && thread.mode_switches > 1)
        .map(|thread| format!("{} ({})", thread.name, counted(thread.mode_switches, "switch")))
        .collect();
    (!fell.is_empty() && !run.caveats.iter().any(|caveat| caveat.id == MODE_SWITCHES)).then(|| {
        Caveat::new(
            MODE_SWITCHES,
            Severity::Fatal,
            format!("threads of the tool switched between the co-kernel and Linux during the run: {}", fell.join(", ")),
            "samples after such a switch belong to Linux, not to the co-kernel; find the cause (a Linux system call, a \
             page fault) and measure again",
        )
    })
}

/// As the importers call them.
const GRAVITY: &str = "gravity";
const MODE_SWITCHES: &str = "mode-switches";
