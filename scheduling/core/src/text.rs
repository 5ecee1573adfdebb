//! Text of others (names of tasks, runs and hosts) in a form that cannot act on a terminal.
//!
//! A file may name a task `"\x1b[2J"`, or `"a\nPASS"`, or turn the direction of a line around. Whatever prints such a text
//! shows it through [`printable`]; formats with an escape of their own (JSON, the labels of OpenMetrics) ask [`acts`] and escape.
//! It stands in core because every crate that prints, the kernel among them, can use core.

use core::fmt::{self, Write};

/// True for a character that acts on a terminal instead of being shown: control characters (line ends and tabs are among
/// them), Unicode's line and paragraph separators, and the marks that change the direction of the text behind them.
pub const fn acts(c: char) -> bool {
    // Unicode's control characters are exactly C0, delete and C1.
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` on one line, with a blank for each character that [`acts`].
pub const fn printable(text: &str) -> Printable<'_> {
    Printable(text)
}

/// See [`printable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    /// With a width, blanks follow up to so many characters, as for a `str`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pieces = self.0.split(acts);
        to.write_str(pieces.next().unwrap_or(""))?;
        for piece in pieces {
            to.write_char(' ')?;
            to.write_str(piece)?;
        }
        let missing = to.width().unwrap_or(0).saturating_sub(self.0.chars().count());
        (0..missing).try_for_each(|_| to.write_char(' '))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn characters_that_act_become_blanks_and_others_stay() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{202e}d\u{9b}2J\u{7f}").to_string(), "a [31mb c d 2J ");
        assert_eq!(
            printable("µs, 板, e\u{301}, \u{1f469}\u{200d}\u{1f4bb}").to_string(),
            "µs, 板, e\u{301}, \u{1f469}\u{200d}\u{1f4bb}"
        );
        assert_eq!(printable("").to_string(), "");
    }

    #[test]
    fn every_control_character_acts() {
        let all = || '\0'..=char::MAX;
        assert!(all().filter(|c| c.is_control()).all(acts));
        assert_eq!(all().filter(|c| acts(*c)).count(), 65 + 3 + 7 + 4);
    }

    #[test]
    fn a_width_pads_as_it_does_for_a_str() {
        assert_eq!(format!("{:5}|", printable("a\nb")), "a b  |");
        assert_eq!(format!("{:2}|", printable("abc")), "abc|");
    }
}
