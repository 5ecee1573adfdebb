//! One run: an instrument measures on this machine or in a guest of the lab, into one run file.

mod document;
pub mod event;
mod in_turn;
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

pub use document::MeasureDocument;
pub use event::EventRequest;
pub use in_turn::{InTurn, InTurnRequest, measure_in_turn};
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
use crate::files::{default_run_file, name_of};
use crate::progress::{FileKind, Progress, Remark};
use crate::report_content;
use prazo_probe::session::RecordedRun;
use prazo_report::ReportContent;
use prazo_run::source::WakeMethod;
use prazo_study::cell_measurer::is_elsewhere;
use prazo_verdict::{Outcome, Requirement};
use std::path::PathBuf;
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
    pub content: ReportContent,
    /// The file that holds all of the run.
    pub file: PathBuf,
}

impl MeasureAnswer {
    /// What scripts read.
    pub fn document(&self) -> MeasureDocument<'_> {
        MeasureDocument::of(&self.content.runs[0], &self.file, self.content.verdict.as_ref())
    }

    /// The verdict's outcome; pass where nothing was to be judged.
    pub fn outcome(&self) -> Outcome {
        self.content.verdict.as_ref().map_or(Outcome::Pass, |verdict| verdict.outcome)
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
    let content = report_content::of_runs(&name_of(&wanted), vec![run], request.requirement, &request.command);
    Ok(MeasureAnswer { content, file })
}

impl WakeupRequest {
    /// The same by each method that only wakes, with the method's name; priority inheritance applies where there is a
    /// mutex. A move to another processor is another quantity, and in no common table.
    pub fn by_each_method(&self) -> Vec<(&'static str, Instrument)> {
        let by = |method: &WakeMethod| {
            let (method, inherit) = (*method, self.inherit && method.has_mutex());
            (method.name(), Instrument::Wakeup(Box::new(Self { method, inherit, ..self.clone() })))
        };
        WakeMethod::VALUES.iter().filter(|method| !method.moves()).map(by).collect()
    }
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
