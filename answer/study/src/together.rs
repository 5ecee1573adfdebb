//! The cells of a study that guests of counted time and boards measure: ahead of the others, as many at once as the engine likes.
//!
//! What else the host does changes nothing in them, so neither does their order; every other cell keeps its place (ABBA).

use crate::error::RunnerError;
use crate::gathered::Done;
use crate::measure::{Doing, Measure, MeasureError, PlannedRun, StudyStep};
use crate::runner::{Job, Runner, whole};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What became of jobs, by their place in the study's order; interrupted ones are not among them.
pub(crate) type Ahead = BTreeMap<usize, Done>;

/// A job that is handed to the engine.
struct Handed {
    number: usize,
    work: PlannedRun,
}

impl Runner<'_> {
    /// Measures what guests of counted time and boards can, and notes each as it ends.
    pub(crate) fn measure_elsewhere(
        &mut self,
        jobs: &[Job],
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<Ahead, RunnerError> {
        let mut ahead = Ahead::new();
        let handed = self.hand_over(jobs, &mut ahead)?;
        let works: Vec<PlannedRun> = handed.iter().map(|one| one.work.clone()).collect();
        let mut failed = None;
        measure.measure_elsewhere(&works, &mut |place, answer| {
            let Handed { number, work } = &handed[place];
            match self.settle(&jobs[*number], answer.and_then(whole)) {
                Ok(Some(done)) => {
                    tell_failure(&done, work, watch);
                    ahead.insert(*number, done);
                }
                Ok(None) => {}
                // What nobody can note down, nobody finds again.
                Err(error) => {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        failed.map_or(Ok(ahead), Err)
    }

    /// The jobs that nothing answers yet, with their places cleared.
    fn hand_over(&mut self, jobs: &[Job], ahead: &mut Ahead) -> Result<Vec<Handed>, RunnerError> {
        let mut handed = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            if !self.is_gated(job) || self.finished(job).is_some() {
                continue;
            }
            self.forget(job)?;
            match self.work(jobs, number) {
                Ok(work) => handed.push(Handed { number, work }),
                Err(wrong) => drop(self.settle(job, Err(wrong))?.map(|done| ahead.insert(number, done))),
            }
        }
        Ok(handed)
    }

    fn work(&mut self, jobs: &[Job], number: usize) -> Result<PlannedRun, MeasureError> {
        let step = StudyStep { doing: Doing::Measuring, ..self.step_of(jobs, number) };
        let into = self.clear(&jobs[number])?;
        let plan = self.plan(&jobs[number]).expect("a job elsewhere is measured").clone();
        Ok(PlannedRun { plan, into, step })
    }
}

fn tell_failure(done: &Done, work: &PlannedRun, watch: &mut dyn FnMut(&StudyStep)) {
    if let Err(reason) = &done.run {
        watch(&StudyStep { doing: Doing::Failed(reason.clone()), ..work.step.clone() });
    }
}
