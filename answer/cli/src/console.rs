//! What the library reports while it works, on standard error; and Ctrl-C as the wish to stop.

use crate::gauge::Gauge;
use crate::live::{View, shortened};
use crate::note::width;
use crate::out;
use prazo::{Count, GuestProgress, Progress, Remark, Stop};
use prazo_core::text::{grouped, printable};
use prazo_core::time::Wait;
use prazo_probe::Observer;
use std::io::{self, IsTerminal, Write};

/// Standard error: one progress line that rewrites itself on a terminal; in a log, a line for each twentieth of the way.
pub(crate) struct Console {
    stage: String,
    /// True where another program shows the progress: each count is a line of JSON.
    is_for_program: bool,
    rewrites: bool,
    /// The twentieth that was printed last.
    printed: Option<u64>,
    /// True while the cursor stands behind a progress line.
    is_within_line: bool,
    /// One progress line instead of the live view of a measurement.
    is_plain: bool,
    /// The view of the measurement under way.
    view: Option<View>,
    /// How far the lab's work is.
    gauge: Option<Gauge>,
    /// What was shown last of a guest.
    guest: String,
}

/// The variable by which Python's package requests progress that it can show as a bar.
const PROGRESS: &str = "PRAZO_PROGRESS";

impl Default for Console {
    fn default() -> Self {
        let rewrites = io::stderr().is_terminal();
        Self {
            stage: String::new(),
            is_for_program: std::env::var_os(PROGRESS).is_some_and(|form| form == "json"),
            rewrites,
            printed: None,
            is_within_line: false,
            is_plain: false,
            view: None,
            gauge: None,
            guest: String::new(),
        }
    }
}

impl Console {
    /// With the live view of measurements, or one line each where `is_plain`.
    pub(crate) fn live(is_plain: bool) -> Self {
        let mut console = Self::default();
        console.is_plain = is_plain;
        console
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            // A closed standard error is no reason to stop.
            let _ = writeln!(io::stderr());
        }
    }

    fn wipe_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Progress for Console {
    fn stage(&mut self, name: &str) {
        self.end_line();
        (self.stage, self.printed) = (printable(name).to_string(), None);
    }

    fn count(&mut self, count: &Count) {
        if self.is_for_program {
            let Count { parts, done, total, .. } = *count;
            let line = serde_json::json!({ "progress": { "parts": parts, "done": done, "total": total } });
            // Progress is for looking at; a closed standard error is no reason to stop.
            let _ = writeln!(io::stderr(), "{line}");
            return;
        }
        let twentieth = count.done * 20 / count.total.max(1);
        if !self.rewrites && self.printed.replace(twentieth) == Some(twentieth) {
            return;
        }
        let (start, end) = if self.rewrites { ("\r\x1b[K", "") } else { ("", "\n") };
        let left = match (count.left, count.elapsed) {
            (Some(left), _) => format!(", {} left", Wait(left)),
            (None, Some(elapsed)) => format!(", {} elapsed", Wait(elapsed)),
            (None, None) => String::new(),
        };
        let [done, total] = [count.done, count.total].map(grouped);
        let found = match count.found {
            0 => String::new(),
            found => format!(", {} of them done by an earlier command", grouped(found)),
        };
        let line = format!("{}: {done} of {total} {}{found}{left}", self.stage, count.parts);
        let line = if self.rewrites { within_a_line(&line) } else { line };
        // Progress is for looking at; a closed standard error is no reason to stop.
        let _ = write!(io::stderr(), "{start}{line}{end}");
        let _ = io::stderr().flush();
        self.is_within_line = self.rewrites;
    }

    fn measuring(&mut self, progress: &prazo_probe::Progress) {
        let (is_plain, stage) = (self.is_plain, &self.stage);
        self.view.get_or_insert_with(|| View::open(is_plain, stage)).progress(progress);
    }

    fn measured(&mut self) {
        self.view = None;
        if !std::mem::take(&mut self.guest).is_empty() {
            self.wipe_line();
        }
    }

    /// On a terminal alone, and each second anew.
    fn guest(&mut self, guest: &GuestProgress) {
        if !self.rewrites {
            return;
        }
        let text = of_guest(guest, width());
        if text != self.guest {
            let _ = write!(io::stderr(), "\r\x1b[K{}", within_a_line(&text));
            let _ = io::stderr().flush();
            (self.guest, self.is_within_line) = (text, true);
        }
    }

    fn fetching(&mut self, progress: prazo_lab::Progress<'_>) {
        self.gauge.get_or_insert_with(Gauge::new).show(progress);
    }

    fn remark(&mut self, remark: &Remark) {
        // The next count comes behind it.
        self.wipe_line();
        out::note(remark);
    }

    fn stop(&mut self) -> io::Result<Stop> {
        Stop::on_interrupt()
    }
}

/// How far a guest is; without its time limit where a terminal has no room for that.
fn of_guest(guest: &GuestProgress, width: Option<usize>) -> String {
    let whole = printable(&guest.to_string()).to_string();
    let GuestProgress { name, does, elapsed, .. } = guest;
    match width {
        Some(width) if whole.chars().count() >= width => {
            format!("{}: {does}, {} elapsed", printable(name), Wait(*elapsed))
        }
        _ => whole,
    }
}

/// What a terminal can rewrite: a longer text would begin a second line.
pub(crate) fn within_a_line(text: &str) -> String {
    width().map_or_else(|| text.to_owned(), |width| shortened(text, width.saturating_sub(1)))
}

impl Drop for Console {
    fn drop(&mut self) {
        self.end_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;

    #[test]
    fn a_guest_loses_its_limit_on_a_narrow_terminal_and_no_figure_a_digit() {
        let name = "lab:standard-full".to_owned();
        let guest =
            GuestProgress { name, does: "booting", elapsed: Duration::from_s(13), limit: Duration::from_s(420) };
        let whole = "lab:standard-full: booting, 13 s elapsed, time limit 7 min 00 s";
        assert_eq!([of_guest(&guest, None), of_guest(&guest, Some(80))], [whole, whole]);
        assert_eq!(of_guest(&guest, Some(60)), "lab:standard-full: booting, 13 s elapsed");
    }
}
