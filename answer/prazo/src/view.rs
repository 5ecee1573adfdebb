//! The caller's [`Progress`] while a study measures: one caller, several threads that report.

use crate::progress::{Progress, Remark};
use prazo_probe::Observer;
use prazo_probe::session::{RecordedRun, SessionError};
use prazo_study::engine::Viewer;
use prazo_study::measure::{Doing, Step};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The progress, taken by one thread at a time.
pub(crate) struct Shared<'a>(Mutex<&'a mut dyn Progress>);

impl<'a> Shared<'a> {
    pub(crate) fn new(progress: &'a mut dyn Progress) -> Self {
        Self(Mutex::new(progress))
    }

    /// A remark on a step, where there is one to make.
    pub(crate) fn announce(&self, step: &Step) {
        if let Some(remark) = announced(step) {
            self.taken().remark(&remark);
        }
    }

    // A thread that panicked while it reported left nothing half done that matters here.
    fn taken(&self) -> MutexGuard<'_, &'a mut dyn Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Viewer for Shared<'_> {
    fn observe(
        &self,
        title: &str,
        measure: &mut dyn FnMut(&mut dyn Observer) -> Result<RecordedRun, SessionError>,
    ) -> Result<RecordedRun, SessionError> {
        observed(&mut **self.taken(), title, measure)
    }

    fn line(&self, line: &str) {
        self.taken().remark(&Remark::Text(line.to_owned()));
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
fn announced(step: &Step) -> Option<Remark> {
    let text = match &step.doing {
        Doing::Failed(why) => format!("{}: {why}", step.cell),
        Doing::Reusing => format!("{}: exists already", step.cell),
        Doing::Outdated(what) => format!("{}: measured again, since this changed: {what}", step.cell),
        Doing::Measuring | Doing::Importing => return None,
    };
    Some(Remark::Text(text))
}
