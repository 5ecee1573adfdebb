//! Text of others (names of tasks, runs and hosts) in a form that cannot act on a terminal.
//!
//! A file may name a task `"\x1b[2J"`, or `"a\nPASS"`, or turn the direction of a line around. Whatever prints such a text
//! shows it through [`printable`], in Markdown through [`in_markdown`]; other formats with an escape of their own (JSON, the
//! labels of OpenMetrics) ask [`acts`] and escape.
//! Counts have their thousands apart ([`grouped`]), times in µs too ([`micros`]), and a noun behind a count agrees with it ([`counted`]).
//! It all stands in core because every crate that prints, the kernel among them, can use core.

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

/// `text` on one line, escaped so that Markdown shows it as it stands: it begins no element, link, emphasis, code, formula
/// or cell of a table.
pub const fn in_markdown(text: &str) -> InMarkdown<'_> {
    InMarkdown(text)
}

/// See [`in_markdown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InMarkdown<'a>(&'a str);

impl fmt::Display for InMarkdown<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => to.write_str("&amp;")?,
                '<' => to.write_str("&lt;")?,
                '>' => to.write_str("&gt;")?,
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => write!(to, "\\{c}")?,
                c if acts(c) => to.write_char(' ')?,
                c => to.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A count with its thousands apart: `7,199,932`.
pub const fn grouped(count: u64) -> Grouped {
    Grouped(count)
}

/// See [`grouped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut power = 1;
        while self.0 / power >= 1_000 {
            power *= 1_000;
        }
        write!(to, "{}", self.0 / power)?;
        while power > 1 {
            let rest = self.0 % power;
            power /= 1_000;
            write!(to, ",{:03}", rest / power)?;
        }
        Ok(())
    }
}

/// A time in µs with its thousands apart and the decimals that it has: `35,012.408`, `1,000`.
pub const fn micros(ns: u64) -> Micros {
    Micros(ns)
}

/// See [`micros`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (grouped(self.0 / 1_000), self.0 % 1_000);
        match rest {
            0 => write!(to, "{whole}"),
            _ if rest % 100 == 0 => write!(to, "{whole}.{}", rest / 100),
            _ if rest % 10 == 0 => write!(to, "{whole}.{:02}", rest / 10),
            _ => write!(to, "{whole}.{rest:03}"),
        }
    }
}

/// A time in µs with its thousands apart, rounded to one decimal: `35,012.4`.
pub const fn tenths_of_micros(ns: i64) -> TenthsOfMicros {
    TenthsOfMicros(ns)
}

/// See [`tenths_of_micros`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenthsOfMicros(i64);

impl fmt::Display for TenthsOfMicros {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Halves go away from zero, and what rounds to zero has no sign.
        let tenths = (self.0.unsigned_abs() + 50) / 100;
        let sign = if self.0 < 0 && tenths > 0 { "-" } else { "" };
        write!(to, "{sign}{}.{}", grouped(tenths / 10), tenths % 10)
    }
}

/// A count with its noun, in the singular for one: `1 sample`, `7,200 samples`.
pub const fn counted(count: u64, noun: &str) -> Counted<'_> {
    Counted(count, noun)
}

/// See [`counted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<'a>(u64, &'a str);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = *self;
        write!(to, "{} ", grouped(count))?;
        match (count, noun.strip_suffix('y')) {
            (1, _) => to.write_str(noun),
            (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => write!(to, "{stem}ies"),
            _ if noun.ends_with("ch") || noun.ends_with('s') => write!(to, "{noun}es"),
            _ => write!(to, "{noun}s"),
        }
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

    #[test]
    fn text_in_markdown_begins_no_markup_and_acts_on_no_terminal() {
        let text = "a|b `c` *d* _e_ [f](g) <h> & ~i~ $j$ \\ \u{1b}[2J\n\u{202e}k";
        let shown = r"a\|b \`c\` \*d\* \_e\_ \[f\](g) &lt;h&gt; &amp; \~i\~ \$j\$ \\  \[2J  k";
        assert_eq!(in_markdown(text).to_string(), shown);
        assert_eq!(in_markdown("p99.9 of 10 µs, 板").to_string(), "p99.9 of 10 µs, 板");
    }

    #[test]
    fn microseconds_have_the_decimals_that_they_have() {
        let shown = [0, 7, 1_000, 1_500, 20_120, 35_012_408, 1_000_000].map(|ns| micros(ns).to_string());
        assert_eq!(shown, ["0", "0.007", "1", "1.5", "20.12", "35,012.408", "1,000"]);
    }

    #[test]
    fn tenths_of_microseconds_are_rounded() {
        let shown = [0, -49, -50, 49, 50, 12_345, 35_012_408].map(|ns| tenths_of_micros(ns).to_string());
        assert_eq!(shown, ["0.0", "0.0", "-0.1", "0.0", "0.1", "12.3", "35,012.4"]);
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        let shown = [0, 999, 1_000, 43_200_000, u64::MAX].map(|count| grouped(count).to_string());
        assert_eq!(shown, ["0", "999", "1,000", "43,200,000", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn a_noun_agrees_with_its_count() {
        let shown = [(1, "sample"), (0, "sample"), (7_200, "latency"), (2, "switch"), (2, "delay"), (2, "loss")]
            .map(|(count, noun)| counted(count, noun).to_string());
        assert_eq!(shown, ["1 sample", "0 samples", "7,200 latencies", "2 switches", "2 delays", "2 losses"]);
    }
}
