//! The plain progress: one line that rewrites itself on a terminal, one line every ten seconds in a log.

use super::figures::{left, served, summary};
use super::fitting::shortened;
use crate::note::{note, width};
use prazo_core::text::grouped;
use prazo_core::time::Wait;
use prazo_probe::{Observer, Progress};
use prazo_report::terminal::watched::us;
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
            let width = self.rewrites.then(width).flatten();
            let _ = write!(std::io::stderr(), "{start}{}{end}", text(&self.title, progress, width));
            let _ = std::io::stderr().flush();
        }
    }
}

/// The whole line, or on a narrow terminal, which could not rewrite it, the longest form that fits.
fn text(title: &str, progress: &Progress, width: Option<usize>) -> String {
    let counted = served(progress.counted);
    let served: u64 = progress.cpus.iter().map(|cpu| cpu.served).sum();
    let skipped: u64 = progress.cpus.iter().map(|cpu| cpu.skipped).sum();
    let worst = progress.cpus.iter().filter_map(|cpu| cpu.max_ns).max();
    let (phase, elapsed, left) = (progress.phase.name(), Wait(progress.elapsed), left(progress));
    let (served, skipped, max) = (grouped(served), grouped(skipped), us(worst));
    let forms = [
        format!("{title}: {phase}, {elapsed}, {left}; {counted} {served}, skipped {skipped}, max {max} µs"),
        format!("{title}: {phase}, {elapsed}, {left}; max {max} µs"),
        format!("{phase}, {elapsed}, {left}; max {max} µs"),
        format!("{phase}, {elapsed}, {left}"),
    ];
    let fits = |form: &&String| width.is_none_or(|width| form.chars().count() < width);
    match forms.iter().find(fits) {
        Some(form) => form.clone(),
        None => shortened(&forms[3], width.unwrap_or(1).saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_probe::{Counted, CpuProgress, Phase};

    #[test]
    fn a_line_that_is_rewritten_fits_its_terminal() {
        let cpu = CpuProgress { served: 1_234_567, skipped: 89, max_ns: Some(35_012_400), ..CpuProgress::default() };
        let progress = Progress {
            elapsed: Duration::from_s(3),
            total: Duration::from_s(62),
            left_in_all: None,
            counted: Counted::Activations,
            phase: Phase::Measuring,
            cpus: vec![cpu],
            recent: prazo_run::Histogram::new(),
            is_asked_for: false,
        };
        let at = |width| text("timer, clock-nanosleep, fifo", &progress, width);
        assert_eq!(
            at(None),
            "timer, clock-nanosleep, fifo: measuring, 3 s, 59 s left; served 1,234,567, skipped 89, max 35,012.4 µs"
        );
        assert_eq!(at(Some(80)), "timer, clock-nanosleep, fifo: measuring, 3 s, 59 s left; max 35,012.4 µs");
        assert_eq!(at(Some(60)), "measuring, 3 s, 59 s left; max 35,012.4 µs");
        assert_eq!([at(Some(30)), at(Some(12))], ["measuring, 3 s, 59 s left", "measuring,…"]);
    }
}
