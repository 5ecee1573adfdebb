//! The plain progress: one line that rewrites itself on a terminal, one line every ten seconds in a log.

use super::figures::{summary, time_left, us};
use crate::note::note;
use prazo_core::time::Wait;
use prazo_probe::{Observer, Progress};
use std::io::Write;

/// Prints progress to standard error.
pub(crate) struct Line {
    title: String,
    rewrites: bool,
    rounds: u64,
}

/// In a log, one line for this many rounds of a second.
const ROUNDS_A_LINE: u64 = 10;

impl Line {
    /// A line that rewrites itself, or a new one every ten seconds.
    pub(crate) fn new(title: &str, rewrites: bool) -> Self {
        Self { title: title.to_owned(), rewrites, rounds: 0 }
    }

    /// Makes room for lines that stay.
    fn wipe(&self) {
        if self.rewrites && self.rounds > 0 {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Line {
    /// Leaves the last line standing.
    fn drop(&mut self) {
        if self.rewrites && self.rounds > 0 {
            let _ = writeln!(std::io::stderr());
        }
    }
}

impl Observer for Line {
    fn progress(&mut self, progress: &Progress) {
        if progress.is_asked_for {
            self.wipe();
            summary(progress).iter().for_each(note);
            if !self.rewrites {
                return;
            }
        }
        let due = self.rewrites || self.rounds.is_multiple_of(ROUNDS_A_LINE);
        self.rounds += 1;
        if due {
            let (start, end) = if self.rewrites { ("\r\x1b[K", "") } else { ("", "\n") };
            // Progress is for looking at; a closed standard error is no reason to stop measuring.
            let _ = write!(std::io::stderr(), "{start}{}{end}", text(&self.title, progress));
            let _ = std::io::stderr().flush();
        }
    }
}

fn text(title: &str, progress: &Progress) -> String {
    let served: u64 = progress.cpus.iter().map(|cpu| cpu.served).sum();
    let skipped: u64 = progress.cpus.iter().map(|cpu| cpu.skipped).sum();
    let worst = progress.cpus.iter().filter_map(|cpu| cpu.max_ns).max();
    format!(
        "{title}: {}, {}, {} left; served {served}, skipped {skipped}, max {} µs",
        progress.phase.name(),
        Wait(progress.elapsed),
        Wait(time_left(progress)),
        us(worst)
    )
}
