//! How much room a text takes on a terminal, and texts cut and wrapped to the room there is.
//!
//! Room is counted in columns, not in characters: an ideograph takes two, a combining mark none.

use prazo_core::text::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes.
pub(super) fn columns_of(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` with blanks behind it up to `width` columns.
pub(super) fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns_of(text))))
}

/// `text` with blanks before it up to `width` columns.
pub(super) fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns_of(text))))
}

/// `text` on one line of at most `width` columns; what was cut off shows as an ellipsis.
pub(super) fn cut(text: &str, width: usize) -> String {
    let text = printable(text).to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    if columns_of(&text) <= width {
        return text;
    }
    let (head, _) = split(&text, width.saturating_sub(1));
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '(']))
}

/// The part of `text` that fits into `width` columns, and the rest.
pub(super) fn split(text: &str, width: usize) -> (&str, &str) {
    let mut taken = 0;
    let beyond = text.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > width
    });
    text.split_at(beyond.map_or(text.len(), |(at, _)| at))
}

/// The lines of [`wrapped`].
pub(super) fn lines(text: &str, width: usize) -> Vec<String> {
    wrapped(text, width, "").lines().map(str::to_owned).collect()
}

/// Words in lines of at most `width`, the later ones behind `indent`; ends with a line end.
pub(super) fn wrapped(text: &str, width: usize, indent: &str) -> String {
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
        assert_eq!(left("板", 4), "板  ");
        assert_eq!(cut("板板板板", 5), "板板…");
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(split("e\u{301}e", 1), ("e\u{301}", "e"));
    }
}
