//! Progress for a Python function, and the stop that a signal asks for.

use prazo::{Count, Progress, Stop};
use pyo3::prelude::*;
use std::io;
use std::time::{Duration, Instant};

/// How often the interpreter is asked whether a signal came.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Counts for a callback, and looks for signals while it counts.
pub(crate) struct Reported<'a> {
    callback: Option<&'a Py<PyAny>>,
    stop: Option<Stop>,
    looked: Instant,
    /// What the callback or a signal's handler raised.
    pub(crate) raised: Option<PyErr>,
}

impl<'a> Reported<'a> {
    /// Nothing is heard without a callback; signals are.
    pub(crate) fn new(callback: Option<&'a Py<PyAny>>) -> Self {
        Self { callback, stop: None, looked: Instant::now(), raised: None }
    }

    fn look(&mut self, done: u64, total: u64) {
        self.looked = Instant::now();
        let heard = Python::attach(|python| {
            python.check_signals()?;
            self.callback.map_or(Ok(()), |callback| callback.call1(python, (done, total)).map(drop))
        });
        if let Err(error) = heard {
            self.raised.get_or_insert(error);
            if let Some(stop) = &self.stop {
                stop.stop();
            }
        }
    }
}

impl Reported<'_> {
    /// Looks for signals and reports so much done; what was raised is the error.
    pub(crate) fn heard(&mut self, done: usize, total: usize) -> PyResult<()> {
        self.look(done as u64, total as u64);
        self.raised.take().map_or(Ok(()), Err)
    }

    /// The same where the last look was [`LOOK`] ago, or all is done.
    pub(crate) fn heard_if_due(&mut self, done: usize, total: usize) -> PyResult<()> {
        if self.looked.elapsed() >= LOOK || (done == total && total > 0) { self.heard(done, total) } else { Ok(()) }
    }
}

impl Progress for Reported<'_> {
    fn count(&mut self, count: &Count) {
        if self.looked.elapsed() >= LOOK || count.done == count.total {
            self.look(count.done, count.total);
        }
    }

    fn stop(&mut self) -> io::Result<Stop> {
        let stop = Stop::new()?;
        self.stop = Some(stop.clone());
        Ok(stop)
    }
}
