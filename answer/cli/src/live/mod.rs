//! What a user sees while measuring: the live view on a terminal, a plain line elsewhere.
//!
//! Both are called by the recording thread, on the housekeeping processor, once a second; neither touches a measured one.

mod line;
mod screen;

use prazo_core::text::printable;
use prazo_core::time::Duration;
use prazo_probe::{Observer, Progress};
use std::io::{self, IsTerminal};

/// The view that fits: the live one on a terminal, plain lines elsewhere or where asked for.
///
/// The terminal is put back when it is dropped.
pub(crate) enum View {
    /// The whole terminal.
    Screen(Box<Screen>),
    /// A line.
    Line(line::Line),
}

impl View {
    /// Opens it under a title.
    pub(crate) fn open(plain: bool, title: &str) -> Self {
        let (title, is_terminal) = (&printable(title).to_string(), io::stderr().is_terminal());
        match (!plain && is_terminal).then(|| Screen::open(title)).and_then(Result::ok) {
            Some(screen) => Self::Screen(Box::new(screen)),
            None => Self::Line(line::Line::new(title, is_terminal)),
        }
    }
}

impl Observer for View {
    fn progress(&mut self, progress: &Progress) {
        match self {
            Self::Screen(screen) => screen.progress(progress),
            Self::Line(line) => line.progress(progress),
        }
    }
}

/// Calls `work` with the view that fits.
pub(crate) fn with_view<T>(plain: bool, title: &str, work: impl FnOnce(&mut dyn Observer) -> T) -> T {
    work(&mut View::open(plain, title))
}

pub(crate) use screen::Screen;

/// The live view for those who draw it themselves; `None` where standard error is no terminal.
pub(crate) fn screen(title: &str) -> Option<Screen> {
    let title = &printable(title).to_string();
    io::stderr().is_terminal().then(|| Screen::open(title)).and_then(Result::ok)
}

/// Time left of what is planned.
fn time_left(progress: &Progress) -> Duration {
    Duration::from_ns(progress.total.as_ns().saturating_sub(progress.elapsed.as_ns()))
}

/// Share done, between 0 and 1.
fn share_done(progress: &Progress) -> f64 {
    if progress.total.is_zero() {
        return 0.0;
    }
    (progress.elapsed.as_s_f64() / progress.total.as_s_f64()).clamp(0.0, 1.0)
}

/// A latency in microseconds with one decimal, or a dash.
fn us(ns: Option<i64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3))
}

#[cfg(test)]
mod tests {
    use super::us;

    #[test]
    fn what_was_not_seen_is_a_dash() {
        assert_eq!(us(None), "-");
        assert_eq!(us(Some(12_345)), "12.3");
    }
}
