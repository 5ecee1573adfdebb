//! How far the lab's long work is: its steps, what comes, and on a terminal the share done and the time left.

use crate::out;
use prazo_core::time::{Duration, Wait};
use prazo_lab::Progress;
use std::io::{IsTerminal, Write};
use std::time::Instant;

/// The line that is written over and over on a terminal is at most so often.
const EVERY: std::time::Duration = std::time::Duration::from_millis(250);

/// What was shown so far.
pub(super) struct Gauge {
    on_terminal: bool,
    /// When the step began, and when its share was shown last.
    begun: Instant,
    shown: Option<Instant>,
}

impl Gauge {
    pub(super) fn new() -> Self {
        Self { on_terminal: std::io::stderr().is_terminal(), begun: Instant::now(), shown: None }
    }

    /// What the lab is given to tell.
    pub(super) fn teller(mut self) -> impl FnMut(Progress<'_>) {
        move |progress| self.show(progress)
    }

    fn show(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Step(number, of, what) => {
                self.wipe();
                self.begun = Instant::now();
                out::note(format_args!("{number}/{of} {what}"));
            }
            Progress::Line(line) if line.starts_with("Get:") => {
                self.wipe();
                out::note(format_args!("    {line}"));
            }
            Progress::Line(_) => {}
            Progress::Built(what) => {
                self.wipe();
                out::note(what);
            }
            Progress::Part(done, total) => self.show_share(done, total),
        }
    }

    fn show_share(&mut self, done: u64, total: u64) {
        let is_due = self.shown.is_none_or(|shown| shown.elapsed() >= EVERY);
        if self.on_terminal && is_due && done < total {
            let _ = write!(std::io::stderr(), "\r    {}\x1b[K", share(done, total, self.begun.elapsed()));
            // A terminal that is gone is no reason to stop the work.
            let _ = std::io::stderr().flush();
            self.shown = Some(Instant::now());
        }
        if done >= total {
            self.wipe();
        }
    }

    /// Clears the share's line, so that a line of its own can follow.
    fn wipe(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// `37 %, 12 s left`; how long is left is not known before something came.
fn share(done: u64, total: u64, elapsed: std::time::Duration) -> String {
    let percent = done * 100 / total.max(1);
    if percent == 0 {
        return format!("{percent} %");
    }
    let left = elapsed.as_nanos() * u128::from(total - done) / u128::from(done);
    format!("{percent} %, {} left", Wait(Duration::from_ns(left as u64)))
}

#[cfg(test)]
mod tests {
    use super::share;
    use std::time::Duration;

    #[test]
    fn the_time_left_follows_from_what_came_so_far() {
        assert_eq!(share(1, 1_000, Duration::from_secs(1)), "0 %");
        assert_eq!(share(250, 1_000, Duration::from_secs(4)), "25 %, 12 s left");
        assert_eq!(share(999, 1_000, Duration::from_secs(999)), "99 %, 1 s left");
    }
}
