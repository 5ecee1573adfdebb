//! What the library reports while it works, on standard error; and Ctrl-C as the wish to stop.

use prazo::{Count, Progress, Remark, Stop};
use prazo_report::terminal::safe;
use std::io::{self, IsTerminal, Write};

/// Standard error: one progress line that rewrites itself on a terminal; in a log, a line for each twentieth of the way.
pub struct Console {
    stage: String,
    rewrites: bool,
    /// The twentieth that was printed last.
    printed: Option<u64>,
    /// True while the cursor stands behind a progress line.
    is_within_line: bool,
}

impl Default for Console {
    fn default() -> Self {
        let rewrites = io::stderr().is_terminal();
        Self { stage: String::new(), rewrites, printed: None, is_within_line: false }
    }
}

impl Console {
    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            eprintln!();
        }
    }
}

impl Progress for Console {
    fn stage(&mut self, name: &str) {
        self.end_line();
        (self.stage, self.printed) = (name.to_owned(), None);
    }

    fn count(&mut self, count: &Count) {
        let twentieth = count.done * 20 / count.total.max(1);
        if !self.rewrites && self.printed.replace(twentieth) == Some(twentieth) {
            return;
        }
        let (start, end) = if self.rewrites { ("\r\x1b[K", "") } else { ("", "\n") };
        let left =
            count.left.map_or_else(String::new, |left| format!(", {} s left", left.as_ns().div_ceil(1_000_000_000)));
        let Count { done, total, found, .. } = count;
        // Progress is for looking at; a closed standard error is no reason to stop.
        let _ = write!(io::stderr(), "{start}{}: {done} of {total} chunks, {found} found{left}{end}", self.stage);
        let _ = io::stderr().flush();
        self.is_within_line = self.rewrites;
    }

    fn remark(&mut self, remark: &Remark) {
        self.end_line();
        eprintln!("{}", safe(&remark.to_string()));
    }

    fn stop(&mut self) -> io::Result<Stop> {
        Stop::on_interrupt()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.end_line();
    }
}
