//! The end of a watch as people read it.

use super::document::Watched;
use prazo_report::terminal::{InWords, Words, watched};

impl InWords for Watched {
    fn write(&self, to: &mut Words<'_>) {
        to.block(&watched::tasks(&self.tasks, to.style));
        to.lines(watched::worst_jobs(&self.tasks).iter().map(|line| format!("worst job of {line}")));
        to.lines(self.remarks.iter().map(|remark| format!("- {remark}")));
        to.lines(self.reasons.iter().map(watched::reason));
        to.line(format_args!("{}: {}", self.name, self.outcome.name().to_uppercase()));
    }
}
