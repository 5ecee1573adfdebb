//! What a user sees while measuring: the live view on a terminal, a plain line elsewhere.
//!
//! Both are called by the recording thread, on the housekeeping processor, once a second; neither touches a measured one.

mod figures;
mod fitting;
mod line;
mod screen;

use prazo_core::text::printable;
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

pub(crate) use fitting::{GAP, above_last_line, fitting, largest, shortened, whole_texts};
pub(crate) use screen::Screen;

/// The live view for those who draw it themselves; `None` where standard error is no terminal.
pub(crate) fn screen(title: &str) -> Option<Screen> {
    let title = &printable(title).to_string();
    io::stderr().is_terminal().then(|| Screen::open(title)).and_then(Result::ok)
}
