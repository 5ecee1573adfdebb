//! The caller's [`Progress`] while a study measures: one caller, several threads that report.

use crate::progress::{Count, Progress, Remark};
use prazo_core::text::counted;
use prazo_probe::Observer;
use prazo_probe::session::{RecordedRun, SessionError};
use prazo_study::cell_measurer::{RunsDone, Viewer};
use prazo_study::measure::{Doing, StudyStep};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The progress, taken by one thread at a time.
pub(crate) struct Shared<'a> {
    progress: Mutex<&'a mut dyn Progress>,
    /// By reason, what failed for it: the first run is announced at once, the others are counted.
    failures: Mutex<BTreeMap<String, Failures>>,
}

/// The runs that failed for one reason.
struct Failures {
    first: String,
    others: u64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(progress: &'a mut dyn Progress) -> Self {
        Self { progress: Mutex::new(progress), failures: Mutex::default() }
    }

    /// A remark on a step, where there is one to make.
    pub(crate) fn announce(&self, step: &StudyStep) {
        if let Some(text) = announced(step, &mut taken(&self.failures)) {
            taken(&self.progress).remark(&Remark::Text(text));
        }
    }

    /// Says of each reason how many more runs failed for it, once all runs are done.
    pub(crate) fn finish(&self) {
        let repeated: Vec<String> = taken(&self.failures).values().filter_map(repeated).collect();
        repeated.into_iter().for_each(|text| taken(&self.progress).remark(&Remark::Text(text)));
    }
}

fn repeated(failures: &Failures) -> Option<String> {
    let (others, first) = (failures.others, &failures.first);
    let verb = if others == 1 { "was" } else { "were" };
    (others > 0).then(|| format!("{} {verb} not measured, for the same reason as {first}", counted(others, "more run")))
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
fn announced(step: &StudyStep, failures: &mut BTreeMap<String, Failures>) -> Option<String> {
    let cell = &step.cell;
    match &step.doing {
        Doing::Failed(why) => match failures.get_mut(why) {
            Some(known) => {
                known.others += 1;
                None
            }
            None => {
                failures.insert(why.clone(), Failures { first: cell.clone(), others: 0 });
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
    fn what_several_runs_lack_is_told_once_with_their_number() {
        let mut failures = BTreeMap::new();
        let mut told = |cell: &str, why: &str| {
            let (cell, doing) = (cell.to_owned(), Doing::Failed(why.to_owned()));
            let remaining = Duration::ZERO;
            let step = StudyStep {
                cell,
                repeat: 1,
                number: 1,
                of: 9,
                on: None,
                every_cpu: false,
                station: None,
                doing,
                remaining,
                later: 0,
            };
            announced(&step, &mut failures)
        };
        assert_eq!(told("a.idle.fifo", "no agent").unwrap(), "a.idle.fifo: no agent");
        assert_eq!(told("a.idle.fifo", "no agent"), None);
        assert_eq!(told("b.idle.fifo", "no kernel").unwrap(), "b.idle.fifo: no kernel");
        assert_eq!(told("c.idle.fifo", "no agent"), None);
        let repeated: Vec<String> = failures.values().filter_map(repeated).collect();
        assert_eq!(repeated, ["2 more runs were not measured, for the same reason as a.idle.fifo"]);
    }
}
