//! One run of a core's own tool: started with the plan's parameters, watched, and read.

use super::accounts::{ThreadAccount, accounts};
use super::error::XenomaiError;
use super::parameters::parameters;
use super::running::Running;
use super::switches::Switches;
use super::tool;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::{Duration, Instant};
use prazo_engine::{Counted, Observer, Phase, Progress, StopFlag, Surroundings, between_readings};
use prazo_platform::co_kernel::{Core, recognise};
use prazo_platform::root::Root;
use prazo_run::import::{self, Options};
use prazo_run::run::Origin;
use prazo_run::source::{XenomaiSource, XenomaiTool};
use prazo_run::{Caveat, Histogram, Plan, Run, Severity};
use prazo_sys::{clock, scheduling};
use std::path::Path;

/// What a tool may take longer than it was asked to.
const GRACE: Duration = Duration::from_s(15);

/// What a tool measured.
#[derive(Debug)]
pub struct ToolRun {
    /// Its series and its caveats; what the caller knows of the platform is not in it.
    pub run: Run,
    /// When the tool was started, on CLOCK_MONOTONIC.
    pub start: Instant,
}

/// Measures with the tool of the core that runs under `root`.
///
/// # Errors
/// There is no core or no tool, the tool cannot be asked this, or what it did is not a measurement.
pub fn measure(
    plan: &Plan,
    source: &XenomaiSource,
    root: &Root,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<ToolRun, XenomaiError> {
    let core = recognise(root).ok_or(XenomaiError::NoCore)?;
    let asked = parameters(plan, source, root)?;
    let tool = source.tool.unwrap_or(tool::tool_of(&core));
    let arguments = tool::arguments(tool, &core, asked)?;
    let length = Duration::from_s(asked.length_s);
    let _off = OffTheProcessor::move_away(asked.cpu, root)?;
    let start = Instant::from_ns(clock::monotonic_ns());
    let (mut switches, mut shown) = (Switches::of(length), None);
    let (printed, of_machine) = between_readings(&Surroundings::below(root.base()), &[asked.cpu], || {
        let mut running = Running::start(tool::find(tool, root.base())?, &arguments)?;
        let id = running.id();
        running.watch(length + GRACE, stop, &mut |elapsed| {
            switches.look(elapsed, accounts_of(root, id));
            let second = elapsed.as_ns() / 1_000_000_000;
            if shown.replace(second) != Some(second) {
                observer.progress(&progress(elapsed, length));
            }
        })?;
        running.printed()
    });
    let mut run = read(tool, &printed?, asked.period)?;
    let line = format!("{} {}", tool.name(), arguments.join(" "));
    run.origin = Origin::Imported { tool: format!("xenomai-{}", tool.name()), file: line };
    if let [series] = &mut run.series[..] {
        (series.cpu, series.period) = (Some(asked.cpu), Some(asked.period));
    }
    // `latency` counts the switches of its measuring thread itself, and EVL has no such account.
    let counted = matches!((&core, tool), (Core::Cobalt { .. }, XenomaiTool::Cyclictest));
    run.caveats.extend(switches.caveat().filter(|_| counted));
    if core == Core::Mercury {
        // The reader of the tool's lines cannot know that the core is Linux itself, whose timers are not early.
        run.caveats.retain(|caveat| caveat.id != GRAVITY);
    }
    run.caveats.extend(gravity(&core, &run));
    run.caveats.extend(of_machine);
    Ok(ToolRun { run, start })
}

fn read(tool: XenomaiTool, text: &str, period: Duration) -> Result<Run, XenomaiError> {
    let options = Options { format: Some(tool::format_of(tool)), period: Some(period), ..Options::default() };
    let runs = import::read_bytes(text.as_bytes(), Path::new(tool.name()), &options);
    Ok(runs.map_err(XenomaiError::Garbage)?.remove(0))
}

fn progress(elapsed: Duration, total: Duration) -> Progress {
    let phase = if elapsed < total { Phase::Measuring } else { Phase::Stopping };
    let (cpus, recent) = (Vec::new(), Histogram::new());
    let counted = Counted::Activations;
    Progress { elapsed, total, left_in_all: None, phase, counted, cpus, recent, is_asked_for: false }
}

/// The accounts of the process' own threads.
fn accounts_of(root: &Root, process_id: u32) -> impl Iterator<Item = ThreadAccount> {
    let text = root.read("/proc/xenomai/sched/acct").unwrap_or_default();
    let is_ours =
        move |thread: &ThreadAccount| root.base().join(format!("proc/{process_id}/task/{}", thread.thread_id)).exists();
    accounts(&text).into_iter().filter(is_ours)
}

/// Keeps this thread off the measured processor, where a co-kernel may leave Linux no time: the tool's limit must be kept.
struct OffTheProcessor {
    before: Option<CpuSet>,
}

impl OffTheProcessor {
    fn move_away(cpu: u32, root: &Root) -> Result<Self, XenomaiError> {
        let failed = |source| XenomaiError::Affinity { cpu, source };
        if !root.is_live() {
            return Ok(Self { before: None });
        }
        let before = scheduling::affinity().map_err(failed)?;
        let others = Cpu::new(cpu).and_then(|cpu| before.difference(CpuSet::only(cpu)));
        let Some(others) = others else { return Ok(Self { before: None }) };
        scheduling::set_affinity(&others).map_err(failed)?;
        Ok(Self { before: Some(before) })
    }
}

impl Drop for OffTheProcessor {
    fn drop(&mut self) {
        // The processors were this thread's before; where they are gone meanwhile, it stays on those that there are.
        let _ = self.before.map(|before| scheduling::set_affinity(&before));
    }
}

/// `gravity`, where the reader of the tool's format did not say so: cyclictest prints nothing of it.
fn gravity(core: &Core, run: &Run) -> Option<Caveat> {
    let early = match core {
        Core::Mercury => return None,
        Core::Cobalt { gravity_ns: Some(gravity_ns), .. } => format!("{gravity_ns} ns"),
        Core::Cobalt { gravity_ns: None, .. } | Core::Evl { .. } => "a calibrated time".into(),
    };
    (!run.has_caveat(GRAVITY)).then(|| {
        Caveat::new(
            GRAVITY,
            Severity::Medium,
            format!(
                "{} programs its timer early by {early} (gravity), so its minima and means cannot be compared \
                 with those of Linux",
                core.name()
            ),
            "compare only maxima with those of Linux, not minima or means",
        )
    })
}

/// As the importers call it.
const GRAVITY: &str = "gravity";
