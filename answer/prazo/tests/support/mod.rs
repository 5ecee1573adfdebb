//! A progress that keeps what it hears.

use prazo::{Count, Progress, Remark, Stop};
use std::io;

/// Everything that was reported, in order.
#[derive(Default)]
pub(crate) struct Recorded {
    /// Names of stages.
    pub stages: Vec<String>,
    /// Counts.
    pub counts: Vec<Count>,
    /// Remarks.
    pub remarks: Vec<Remark>,
}

impl Progress for Recorded {
    fn stage(&mut self, name: &str) {
        self.stages.push(name.to_owned());
    }

    fn count(&mut self, count: &Count) {
        self.counts.push(*count);
    }

    fn remark(&mut self, remark: &Remark) {
        self.remarks.push(remark.clone());
    }

    fn stop(&mut self) -> io::Result<Stop> {
        Stop::new()
    }
}
