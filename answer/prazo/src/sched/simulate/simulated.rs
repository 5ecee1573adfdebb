//! One task set simulated, with its schedule as files where they are wanted.

use super::document::{self, Simulated};
use super::files::ScheduleFiles;
use super::options::SimulationOptions;
use super::run;
use crate::error::Error;
use crate::progress::Progress;
use crate::sched::options::TaskSet;
use prazo_verdict::Outcome;
use std::fmt;

/// Which set, simulated how, and where its schedule goes.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// Who schedules, what varies, and for how long.
    pub options: SimulationOptions,
    /// Where the schedule goes.
    pub schedule: ScheduleFiles,
}

/// What happened; displays as the lines that a person reads.
pub struct SimulateAnswer {
    /// What scripts read.
    pub document: Simulated,
    /// Who shares a queue, in words.
    pub shape: String,
}

/// Simulates the set.
pub fn simulate(request: &SimulateRequest, _progress: &mut dyn Progress) -> Result<SimulateAnswer, Error> {
    request.options.check()?;
    let simulated = run::run(request.tasks.read().map_err(Error::refused)?, &request.options)?;
    request.schedule.write(&simulated)?;
    let document = Simulated::new(request.tasks.title(), &simulated);
    Ok(SimulateAnswer { document, shape: simulated.shape() })
}

impl SimulateAnswer {
    /// Fail where a deadline was missed.
    pub fn outcome(&self) -> Outcome {
        if self.document.misses == 0 { Outcome::Pass } else { Outcome::Fail }
    }
}

impl fmt::Display for SimulateAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&document::text(&self.document, &self.shape))
    }
}
