//! One run: an instrument measures on this machine or in a guest of the lab, into one run file.

mod document;
pub mod event;
pub mod interrupt;
mod latmon;
mod noise;
pub mod overheads;
mod plan;
mod serial;
mod target;
mod timer;
mod wakeup;
mod xenomai;

pub use document::Measured;
pub use event::EventRequest;
pub use interrupt::InterruptRequest;
pub use latmon::LatmonRequest;
pub use noise::NoiseRequest;
pub use overheads::{OverheadsRequest, measure_overheads};
pub use plan::PlanRequest;
pub use serial::SerialRequest;
pub use timer::TimerRequest;
pub use wakeup::WakeupRequest;
pub use xenomai::XenomaiRequest;

use crate::error::Error;
use crate::evidence;
use crate::files::{default_run_file, name_of};
use crate::progress::{FileKind, Progress, Remark};
use prazo_probe::session::RecordedRun;
use prazo_report::Evidence;
use prazo_run::run::Ending;
use prazo_run::source::WakeMethod;
use prazo_study::engine::is_elsewhere;
use prazo_verdict::{Outcome, Requirement};
use std::path::{Path, PathBuf};
use target::Target;

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
    /// Threads that wake each other.
    Wakeup(Box<WakeupRequest>),
    /// Busy loops.
    Noise(Box<NoiseRequest>),
    /// A board that measures this machine from outside.
    Latmon(LatmonRequest),
    /// The tool of a Xenomai core.
    Xenomai(Box<XenomaiRequest>),
    /// A serial line over which a kernel sends its stamps.
    Serial(Box<SerialRequest>),
    /// What a plan in a file says.
    Plan(PlanRequest),
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
    let RecordedRun { run, file, trace } = match &request.instrument {
        Instrument::Timer(timer) => timer.measure(&target, deadline, progress),
        Instrument::Interrupt(interrupt) => interrupt.measure(&target, deadline, progress),
        Instrument::Event(event) => event.measure(&target, deadline, progress),
        Instrument::Wakeup(wakeup) => wakeup.measure(&target, deadline, progress),
        Instrument::Noise(noise) => noise.measure(&target, deadline, progress),
        Instrument::Latmon(board) => board.measure(&target, progress),
        Instrument::Xenomai(tool) => tool.measure(&target, deadline, progress),
        Instrument::Serial(line) => line.measure(&target, progress),
        Instrument::Plan(plan) => plan.measure(&target, deadline, progress),
    }?;
    let file = if is_elsewhere(&file, &wanted) { file } else { wanted.clone() };
    if file != wanted {
        progress.remark(&Remark::KeptElsewhere { wanted: wanted.clone(), file: file.clone() });
    }
    if let Some(trace) = trace {
        progress.remark(&Remark::Written { what: FileKind::Trace, file: trace });
    }
    let evidence = evidence::of_runs(&name_of(&wanted), vec![run], request.requirement, &request.command);
    Ok(MeasureAnswer { evidence, file })
}

impl WakeupRequest {
    /// The same by each method, with the method's name; priority inheritance applies where there is a mutex.
    pub fn by_each_method(&self) -> Vec<(&'static str, Instrument)> {
        let by = |method: &WakeMethod| {
            let (method, inherit) = (*method, self.inherit && method.has_mutex());
            (method.name(), Instrument::Wakeup(Box::new(Self { method, inherit, ..self.clone() })))
        };
        WakeMethod::VALUES.iter().map(by).collect()
    }
}

/// What is measured in turn.
#[derive(Clone, Debug)]
pub struct InTurnRequest {
    /// What measures, each with the word that its file's name ends with.
    pub instruments: Vec<(&'static str, Instrument)>,
    /// What the runs are judged by; `None` judges nothing.
    pub requirement: Option<Requirement>,
    /// The file whose name the files of all runs begin with; `None` is a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// The command that repeats them all.
    pub command: String,
}

/// Several runs that were measured in turn.
#[derive(Debug)]
pub struct InTurn {
    /// Each run, in the order in which they were measured.
    pub answers: Vec<MeasureAnswer>,
    /// All of them together; a verdict over all where a requirement was given.
    pub evidence: Evidence,
}

impl InTurn {
    /// What scripts read, one for each run.
    pub fn documents(&self) -> Vec<Measured<'_>> {
        self.answers.iter().map(MeasureAnswer::document).collect()
    }

    /// The verdict's outcome; pass where nothing was to be judged.
    pub fn outcome(&self) -> Outcome {
        self.evidence.verdict.as_ref().map_or(Outcome::Pass, |verdict| verdict.outcome)
    }
}

/// Measures one instrument after the other, each into a file of its own: that of the request, with the instrument's word behind
/// its name. A run that the user interrupts is the last.
///
/// # Errors
/// As [`measure`], for the first run that cannot be had; the files of those before it stay.
pub fn measure_in_turn(request: &InTurnRequest, progress: &mut dyn Progress) -> Result<InTurn, Error> {
    let name = request.instruments.first().map_or("run", |(_, first)| first.name());
    let wanted = request.file.clone().unwrap_or_else(|| default_run_file(name));
    let mut answers: Vec<MeasureAnswer> = Vec::new();
    for (word, instrument) in &request.instruments {
        let answer = measure(
            &MeasureRequest {
                instrument: instrument.clone(),
                requirement: request.requirement,
                file: Some(with_word(&wanted, word)),
                command: request.command.clone(),
            },
            progress,
        )?;
        let is_last = answer.evidence.runs[0].run.ending == Ending::Interrupted;
        answers.push(answer);
        if is_last {
            break;
        }
    }
    let runs = answers.iter().map(|answer| answer.evidence.runs[0].run.clone()).collect();
    let evidence = evidence::of_runs(&name_of(&wanted), runs, request.requirement, &request.command);
    Ok(InTurn { answers, evidence })
}

/// `wakes.prazo` with `futex` is `wakes-futex.prazo`.
fn with_word(file: &Path, word: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    file.with_file_name(format!("{stem}-{word}{extension}"))
}

impl Instrument {
    fn name(&self) -> &'static str {
        match self {
            Self::Timer(_) => "timer",
            Self::Interrupt(_) => "interrupt",
            Self::Event(_) => "event",
            Self::Wakeup(_) => "wakeup",
            Self::Noise(_) => "noise",
            Self::Latmon(_) => "latmon",
            Self::Xenomai(_) => "xenomai",
            Self::Serial(_) => "serial",
            Self::Plan(_) => "plan",
        }
    }
}
