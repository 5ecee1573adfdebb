//! The caller's [`Progress`] while a study measures: one caller, several threads that report.

use crate::progress::{Count, Progress, Remark};
use prazo_probe::Observer;
use prazo_probe::session::{RecordedRun, SessionError};
use prazo_study::engine::{RunsDone, Viewer};
use prazo_study::measure::{Doing, Step};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The progress, taken by one thread at a time.
pub(crate) struct Shared<'a> {
    progress: Mutex<&'a mut dyn Progress>,
    /// The reasons for failed cells, each with the first cell that failed for it; later cells with the same reason are not announced.
    failures: Mutex<BTreeMap<String, String>>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(progress: &'a mut dyn Progress) -> Self {
        Self { progress: Mutex::new(progress), failures: Mutex::default() }
    }

    /// A remark on a step, where there is one to make.
    pub(crate) fn announce(&self, step: &Step) {
        if let Some(text) = announced(step, &mut taken(&self.failures)) {
            taken(&self.progress).remark(&Remark::Text(text));
        }
    }
}

// A thread that panicked while it reported left nothing half done that matters here.
fn taken<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Viewer for Shared<'_> {
    fn observe(
        &self,
        title: &str,
        measure: &mut dyn FnMut(&mut dyn Observer) -> Result<RecordedRun, SessionError>,
    ) -> Result<RecordedRun, SessionError> {
        observed(&mut **taken(&self.progress), title, measure)
    }

    fn line(&self, line: &str) {
        taken(&self.progress).remark(&Remark::Text(line.to_owned()));
    }

    fn runs_begin(&self, study: &str) {
        taken(&self.progress).stage(study);
    }

    fn runs_done(&self, runs: &RunsDone) {
        let (done, total, elapsed) = (runs.done as u64, runs.of as u64, Some(runs.elapsed));
        taken(&self.progress).count(&Count { parts: "runs", done, found: 0, total, left: runs.left, elapsed });
    }
}

/// Measures under the caller's eyes: a stage with this title, its progress once a second, and its end.
pub(crate) fn observed<T>(progress: &mut dyn Progress, title: &str, measure: impl FnOnce(&mut dyn Observer) -> T) -> T {
    progress.stage(title);
    let result = measure(&mut Eyes(progress));
    progress.measured();
    result
}

struct Eyes<'a>(&'a mut dyn Progress);

impl Observer for Eyes<'_> {
    fn progress(&mut self, progress: &prazo_probe::Progress) {
        self.0.measuring(progress);
    }
}

/// A remark on a step that nobody observes while it is measured; `None` where there is nothing to say.
fn announced(step: &Step, failures: &mut BTreeMap<String, String>) -> Option<String> {
    let cell = &step.cell;
    match &step.doing {
        Doing::Failed(why) => match failures.get(why) {
            Some(first) if first == cell => Some(format!("{cell}: another run was not measured, for the same reason")),
            Some(first) => Some(format!("{cell}: not measured, for the same reason as {first}")),
            None => {
                failures.insert(why.clone(), cell.clone());
                Some(format!("{cell}: {why}"))
            }
        },
        Doing::Reusing => Some(format!("{cell}: the run exists already")),
        Doing::Outdated(what) => Some(format!("{cell}: measured again, since this changed: {what}")),
        Doing::Measuring | Doing::Importing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;

    #[test]
    fn what_several_cells_lack_is_told_once() {
        let mut failures = BTreeMap::new();
        let mut told = |cell: &str, why: &str| {
            let (cell, doing) = (cell.to_owned(), Doing::Failed(why.to_owned()));
            let remaining = Duration::ZERO;
            let step =
                Step { cell, repeat: 1, number: 1, of: 9, on: None, every_cpu: false, station: None, doing, remaining };
            announced(&step, &mut failures).unwrap()
        };
        assert_eq!(told("a.idle.fifo", "no agent"), "a.idle.fifo: no agent");
        assert_eq!(told("a.idle.fifo", "no agent"), "a.idle.fifo: another run was not measured, for the same reason");
        assert_eq!(told("b.idle.fifo", "no kernel"), "b.idle.fifo: no kernel");
        assert_eq!(told("c.idle.fifo", "no agent"), "c.idle.fifo: not measured, for the same reason as a.idle.fifo");
    }
}
