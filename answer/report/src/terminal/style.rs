//! How a terminal is used: its width, its colours, headings.

use super::measure::columns_of;
use crate::view::Tone;
use prazo_core::text::printable;

/// How the terminal shall be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns; narrower than 40 is taken as 40.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to print everything; else a screenful.
    pub details: bool,
    /// Whether a terminal shows it, which breaks lines that are too long: there, tables lose columns, whose names are listed.
    pub is_terminal: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 100, colour: false, details: false, is_terminal: false }
    }
}

/// A heading on a line of its own.
pub(super) fn heading(heading: &str, style: &Style) -> String {
    let heading = printable(heading).to_string();
    match style.colour {
        true => format!("\x1b[1m{heading}\x1b[0m\n"),
        false => format!("{heading}\n{}\n", "-".repeat(columns_of(&heading))),
    }
}

/// A text in the colour of its tone, where colours are asked for.
pub(super) fn paint(text: &str, tone: Tone, style: &Style) -> String {
    let code = match tone {
        _ if !style.colour => return text.to_owned(),
        Tone::Plain | Tone::Code => return text.to_owned(),
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Unsure => "33",
        Tone::Quiet => "2",
    };
    let line_end = if text.ends_with('\n') { "\n" } else { "" };
    format!("\x1b[{code}m{}\x1b[0m{line_end}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_comes_only_when_asked_for() {
        let style = Style { colour: true, ..Style::default() };
        assert_eq!(paint("x", Tone::Bad, &style), "\x1b[31mx\x1b[0m");
        assert_eq!(paint("x", Tone::Bad, &Style::default()), "x");
    }
}
