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
    /// When it last looked; the first count is heard at once.
    looked: Option<Instant>,
    /// What the callback or a signal's handler raised.
    pub(crate) raised: Option<PyErr>,
}

impl<'a> Reported<'a> {
    /// Nothing is heard without a callback; signals are.
    pub(crate) fn new(callback: Option<&'a Py<PyAny>>) -> Self {
        Self { callback, stop: None, looked: None, raised: None }
    }

    fn is_due(&self) -> bool {
        self.looked.is_none_or(|looked| looked.elapsed() >= LOOK)
    }

    fn look(&mut self, done: u64, total: u64) {
        self.looked = Some(Instant::now());
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
        if self.is_due() || (done == total && total > 0) { self.heard(done, total) } else { Ok(()) }
    }
}

impl Progress for Reported<'_> {
    fn count(&mut self, count: &Count) {
        if self.is_due() || count.done == count.total {
            self.look(count.done, count.total);
        }
    }

    /// One stop, however often it is asked for, so that what was raised before ends all of the work.
    fn stop(&mut self) -> io::Result<Stop> {
        let stop = self.stop.clone().map_or_else(Stop::new, Ok)?;
        if self.raised.is_some() {
            stop.stop();
        }
        self.stop = Some(stop.clone());
        Ok(stop)
    }
}
