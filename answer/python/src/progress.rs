//! Progress for a Python function, and the stop that a signal asks for.

use crate::interrupt::LOOK;
use prazo::{Count, Progress, Stop};
use pyo3::prelude::*;
use std::io;
use std::time::Instant;

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
