//! What a study needs of a measuring engine, and what it tells those who watch.

use crate::remote_target::RemoteTarget;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::{Plan, Run};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A measuring engine: executes a plan and leaves the run file behind.
pub trait Measure {
    /// Measures `plan` into the run file `into`, which does not exist yet, and gives the finished run back.
    fn measure(&mut self, plan: &Plan, into: &Path, step: &StudyStep) -> Result<Run, MeasureError>;

    /// What a guest would be measured under now, as facts `lab.…`: a run whose own differ answers another question. `None` where
    /// that is not known, so that what is there is taken as it is.
    fn conditions(&mut self, _plan: &Plan, _on: &Platform, _station: Option<&Platform>) -> Option<Fingerprint> {
        None
    }

    /// Measures in guests of counted time and on boards, whose figures no other work of this machine can change: an engine may
    /// take several at once. `done` hears of each, by its place, as it ends; once it breaks, no other is measured.
    fn measure_elsewhere(&mut self, works: &[PlannedRun], done: &mut Heard<'_>) {
        for (place, work) in works.iter().enumerate() {
            if done(place, self.measure(&work.plan, &work.into, &work.step)).is_break() {
                return;
            }
        }
    }
}

/// What hears of each run by its place, and says whether to go on.
pub type Heard<'a> = dyn FnMut(usize, Result<Run, MeasureError>) -> ControlFlow<()> + 'a;

/// One plan with the file that it is to be measured into.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// What shall be measured.
    pub plan: Plan,
    /// The run file, which does not exist yet.
    pub into: PathBuf,
    /// The step that it is.
    pub step: StudyStep,
}

/// Why a cell has no run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// This cell cannot be measured here; the study goes on with the next one.
    #[error("{0}")]
    Refused(String),
    /// The user wants to stop; the study stops, and goes on from here when it is run again.
    #[error("interrupted")]
    Interrupted,
}

/// One step of a study, for a progress line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyStep {
    /// The cell.
    pub cell: String,
    /// Which of its repeats, from one.
    pub repeat: usize,
    /// Which step this is, from one.
    pub number: usize,
    /// Of how many.
    pub of: usize,
    /// The guest or the board that it is measured on; `None` is this machine, or an import.
    pub on: Option<RemoteTarget>,
    /// Whether the plan's first thread stands for one on every processor of the board.
    pub every_cpu: bool,
    /// The platform of the lab that triggers and measures it from outside.
    pub station: Option<Platform>,
    /// What happens.
    pub doing: Doing,
    /// How long the study will still measure, this step included.
    pub remaining: Duration,
    /// How many steps after this one measure here.
    pub later: usize,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It is measured now.
    Measuring,
    /// Its file is imported now.
    Importing,
    /// A finished run of the same plan is there.
    Reusing,
    /// There is a finished run, which is set aside and measured anew, since this changed.
    Outdated(String),
    /// It failed, for this reason.
    Failed(String),
}
