//! What a user sees while measuring: the live view on a terminal, a plain line elsewhere.
//!
//! Both are called by the recording thread, on the housekeeping processor, once a second; neither touches a measured one.

mod line;
mod screen;

use prazo_core::text::printable;
use prazo_core::time::Duration;
use prazo_probe::{Observer, Progress};
use std::io::IsTerminal;

/// Calls `work` with the view that fits: the live one on a terminal, plain lines elsewhere or where asked for.
///
/// The terminal is put back on every way out of `work`.
pub fn with_view<T>(plain: bool, title: &str, work: impl FnOnce(&mut dyn Observer) -> T) -> T {
    let title = &printable(title).to_string();
    let wants_screen = !plain && std::io::stderr().is_terminal();
    match wants_screen.then(|| screen::Screen::open(title)).and_then(Result::ok) {
        Some(mut screen) => work(&mut screen),
        None => {
            let mut line = line::Line::new(title, std::io::stderr().is_terminal());
            let result = work(&mut line);
            line.end();
            result
        }
    }
}

pub use screen::Screen;

/// The live view for those who draw it themselves; `None` where standard error is no terminal.
pub fn screen(title: &str) -> Option<Screen> {
    let title = &printable(title).to_string();
    std::io::stderr().is_terminal().then(|| Screen::open(title)).and_then(Result::ok)
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

/// `2 h 03 min`, `1 min 30 s`, `12 s`.
pub fn spoken(time: Duration) -> String {
    let seconds = time.as_ns().div_ceil(1_000_000_000);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// A latency in microseconds with one decimal, or a dash.
fn us(ns: Option<i64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3))
}

#[cfg(test)]
mod tests {
    use super::{spoken, us};
    use prazo_core::time::Duration;

    #[test]
    fn remaining_time_is_rounded_up() {
        assert_eq!(spoken(Duration::from_ms(11_200)), "12 s");
        assert_eq!(spoken(Duration::from_s(90)), "1 min 30 s");
        assert_eq!(spoken(Duration::from_s(7_380)), "2 h 03 min");
    }

    #[test]
    fn what_was_not_seen_is_a_dash() {
        assert_eq!(us(None), "-");
        assert_eq!(us(Some(12_345)), "12.3");
    }
}
