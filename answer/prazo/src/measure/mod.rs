//! One run: an instrument measures on this machine or in a guest of the lab, into one run file.

mod document;
pub mod event;
pub mod interrupt;
mod latmon;
pub mod overheads;
mod timer;
mod xenomai;

pub use document::Measured;
pub use event::EventRequest;
pub use interrupt::InterruptRequest;
pub use latmon::LatmonRequest;
pub use overheads::{OverheadsRequest, measure_overheads};
pub use timer::TimerRequest;
pub use xenomai::XenomaiRequest;

use crate::error::Error;
use crate::evidence;
use crate::files::{default_run_file, make_parent, name_of, open};
use crate::guest;
use crate::progress::{Progress, Remark};
use crate::view::observed;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::session::{self, RecordedRun, Request};
use prazo_report::Evidence;
use prazo_run::plan::{Length, LoadPlan, Plan, Policy, Splitting, TimerMethod, WhenLate};
use prazo_run::source::Source;
use prazo_run::{Run, store};
use prazo_study::GuestRequest;
use prazo_study::engine::is_elsewhere;
use prazo_verdict::{Outcome, Requirement};
use std::path::{Path, PathBuf};

/// What is measured, against which requirement, and into which file.
#[derive(Clone, Debug)]
pub struct MeasureRequest {
    /// What measures, and how it is set.
    pub instrument: Instrument,
    /// What the run is judged by; `None` judges nothing.
    pub requirement: Option<Requirement>,
    /// The run file, which must not exist; `None` is a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// The command that repeats it, which the run file keeps.
    pub command: String,
}

/// What measures.
#[derive(Clone, Debug)]
pub enum Instrument {
    /// Threads that wait for timers.
    Timer(Box<TimerRequest>),
    /// The kernel module that raises an interrupt line.
    Interrupt(Box<InterruptRequest>),
    /// A task that waits for another station's frames.
    Event(Box<EventRequest>),
    /// A board that measures this machine from outside.
    Latmon(LatmonRequest),
    /// The tool of a Xenomai core.
    Xenomai(XenomaiRequest),
}

/// How long a run warms up, what disturbs it, and what it keeps, whichever probe measures.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Time before what is measured; its samples are labelled warm-up and left out of the figures.
    pub warm_up: Duration,
    /// The processor of the recording thread; `None` is one that is not measured, where there is one.
    pub housekeeping_cpu: Option<u32>,
    /// What disturbs the machine meanwhile.
    pub loads: Vec<LoadPlan>,
    /// How long the loads run before measuring starts.
    pub lead_in: Duration,
    /// Seeds the loads' rhythms and every jitter.
    pub seed: u64,
    /// Keep every sample in the run file.
    pub raw: bool,
    /// Hold `/dev/cpu_dma_latency` at zero while measuring.
    pub hold_dma_latency: bool,
    /// Latencies up to this are kept exactly; beyond it they are counted, and the worst listed.
    pub histogram_bound: Duration,
}

/// A run, and what is found in it.
#[derive(Debug)]
pub struct MeasureAnswer {
    /// The run with its figures; a verdict where a requirement was given.
    pub evidence: Evidence,
    /// The file that holds all of the run.
    pub file: PathBuf,
}

impl MeasureAnswer {
    /// What scripts read.
    pub fn document(&self) -> Measured<'_> {
        Measured::of(&self.evidence.runs[0], &self.file, self.evidence.verdict.as_ref())
    }

    /// The verdict's outcome; pass where nothing was to be judged.
    pub fn outcome(&self) -> Outcome {
        self.evidence.verdict.as_ref().map_or(Outcome::Pass, |verdict| verdict.outcome)
    }
}

/// Measures one run, and judges it where a requirement was given.
///
/// # Errors
/// The request cannot be served on this machine, or the system refused what measuring needs. A run that could only not be
/// written to its end is an answer: its file is another, and a remark says so.
pub fn measure(request: &MeasureRequest, progress: &mut dyn Progress) -> Result<MeasureAnswer, Error> {
    let wanted = request.file.clone().unwrap_or_else(|| default_run_file(request.instrument.name()));
    let target = Target { file: &wanted, command: &request.command };
    let deadline = request.requirement.map(|requirement| requirement.deadline);
    let RecordedRun { run, file } = match &request.instrument {
        Instrument::Timer(timer) => timer.measure(&target, deadline, progress),
        Instrument::Interrupt(interrupt) => interrupt.measure(&target, deadline, progress),
        Instrument::Event(event) => event.measure(&target, deadline, progress),
        Instrument::Latmon(board) => board.measure(&target, progress),
        Instrument::Xenomai(tool) => tool.measure(&target, progress),
    }?;
    let file = if is_elsewhere(&file, &wanted) { file } else { wanted.clone() };
    if file != wanted {
        progress.remark(&Remark::KeptElsewhere { wanted: wanted.clone(), file: file.clone() });
    }
    let evidence = evidence::of_runs(&name_of(&wanted), vec![run], request.requirement, &request.command);
    Ok(MeasureAnswer { evidence, file })
}

impl Instrument {
    fn name(&self) -> &'static str {
        match self {
            Self::Timer(_) => "timer",
            Self::Interrupt(_) => "interrupt",
            Self::Event(_) => "event",
            Self::Latmon(_) => "latmon",
            Self::Xenomai(_) => "xenomai",
        }
    }
}

impl Conditions {
    /// A plan under these conditions that measures nothing yet: its threads and what only some probes know are the caller's.
    fn plan(&self, source: Source, policy: Policy, length: Length) -> Plan {
        Plan {
            source,
            split: Splitting::Off,
            method: TimerMethod::ClockNanosleep,
            policy,
            when_late: WhenLate::Skip,
            threads: Vec::new(),
            length,
            warm_up: self.warm_up,
            lead_in: if self.loads.is_empty() { Duration::ZERO } else { self.lead_in },
            loads: self.loads.clone(),
            deadline: None,
            stop_above: None,
            looks_for: None,
            housekeeping_cpu: self.housekeeping_cpu,
            raw: self.raw,
            hold_dma_latency: self.hold_dma_latency,
            timer_slack: None,
            histogram_bound: self.histogram_bound,
            beside_pid: None,
            seed: self.seed,
            workloads: Vec::new(),
        }
    }
}

/// Where a run goes.
struct Target<'a> {
    file: &'a Path,
    command: &'a str,
}

impl Target<'_> {
    fn request(&self, plan: Plan) -> Request<'_> {
        Request { plan, file: self.file, name: name_of(self.file), command: self.command.to_owned() }
    }

    /// Executes a plan on this machine.
    fn execute(&self, plan: Plan, title: &str, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
        let (request, stop) = (self.request(plan), progress.stop().map_err(Error::failed)?);
        let measured = observed(progress, title, |view| session::execute(&request, &Root::system(), view, &stop));
        measured.map_err(|error| Error::blaming(error.is_usage(), error))
    }

    /// Executes a plan in a guest; `limit` is the elapsed time after which the guest is ended.
    fn execute_in(
        &self,
        platform: &Platform,
        plan: Plan,
        limit: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let (name, command) = (name_of(self.file), self.command.to_owned());
        let request = GuestRequest { platform: platform.clone(), plan, file: self.file, name, command, limit };
        guest::measure(&request, progress)
    }

    /// Keeps a run that something else measured.
    fn keep(&self, run: Run) -> Result<RecordedRun, Error> {
        let run = Run { name: name_of(self.file), command: self.command.to_owned(), ..run };
        make_parent(self.file)?;
        store::save(&run, self.file).map_err(Error::failed)?;
        Ok(RecordedRun { run: open(self.file)?, file: self.file.to_owned() })
    }
}

/// The processors that can be measured: those that this process may use, or all of a guest's.
fn processors(guest: Option<&Platform>) -> Result<CpuSet, Error> {
    match guest {
        Some(platform) => guest::processors(platform),
        None => Ok(Topology::read(&Root::system()).map_err(Error::failed)?.allowed),
    }
}
