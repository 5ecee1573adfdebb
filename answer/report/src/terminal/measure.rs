//! How much room a text takes on a terminal, and texts wrapped to the room there is.
//!
//! Room is counted in columns, not in characters: an ideograph takes two, a combining mark none.

use prazo_core::text::printable;
use unicode_width::UnicodeWidthStr;

/// The columns that a text takes.
pub(super) fn columns_of(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` with blanks before it up to `width` columns.
pub(super) fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns_of(text))))
}

/// Words in lines of at most `width`, the later ones behind `indent`; ends with a line end.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let first = printable(text).to_string();
    let mut line: String = first.chars().take_while(|c| *c == ' ').collect();
    let mut lines = Vec::new();
    for word in first.split_whitespace() {
        let fits = columns_of(&line) + 1 + columns_of(word) <= width;
        if !fits && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_behind_their_indent() {
        assert_eq!(wrapped("- one two three", 9, "  "), "- one two\n  three\n");
        assert_eq!(wrapped("unbreakable", 4, ""), "unbreakable\n");
    }

    #[test]
    fn room_is_counted_in_columns() {
        assert_eq!(right("38.44 µs", 10), "  38.44 µs");
        assert_eq!(right("板", 4), "  板");
    }
}
