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

/// Words in lines of at most `width`, the later ones behind `indent`; ends with a line end. A row of a table keeps its columns:
/// the text in the last of two or three columns wraps within its column, and a row of more columns does not wrap.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let whole = printable(text).to_string();
    if columns_of(&whole) <= width || is_row(&whole) {
        return whole + "\n";
    }
    let (head, words) = whole.split_at(last_column(&whole, width));
    let own = " ".repeat(columns_of(head));
    let indent = if head.trim().is_empty() { indent } else { own.as_str() };
    let (mut line, mut lines, mut is_begun) = (head.to_owned(), Vec::new(), false);
    for word in words.split_whitespace() {
        let fits = columns_of(&line) + 1 + columns_of(word) <= width;
        if !fits && is_begun {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            is_begun = !indent.trim().is_empty();
        }
        if is_begun {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

/// Where the last column of a row begins, or the text of a line that is no row. A column that begins beyond the middle of the
/// terminal leaves too little room for its words: such a line wraps as a text does.
fn last_column(line: &str, width: usize) -> usize {
    let start = line.len() - line.trim_start().len();
    let Some(gap) = line.trim_end().rfind("  ").filter(|gap| *gap > start) else { return start };
    let column = gap + "  ".len();
    if columns_of(&line[..column]) <= width / 2 { column } else { start }
}

/// A row of at least four columns, with two blanks or more between them.
fn is_row(line: &str) -> bool {
    line.trim().split("  ").filter(|column| !column.trim().is_empty()).count() >= 4
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
    fn rows_of_tables_keep_their_columns() {
        assert_eq!(wrapped("run  count  min µs  mean µs", 9, ""), "run  count  min µs  mean µs\n");
        assert_eq!(wrapped("  a b", 9, ""), "  a b\n");
    }

    #[test]
    fn the_last_of_few_columns_wraps_within_its_column() {
        let row = "scheduler   Schedule by priority.";
        assert_eq!(wrapped(row, 26, ""), "scheduler   Schedule by\n            priority.\n");
        let row = "idle.fifo  failed    another run was not measured";
        assert_eq!(wrapped(row, 43, ""), "idle.fifo  failed    another run was not\n                     measured\n");
        // A column without room for words is no column to keep.
        assert_eq!(wrapped("a name that is long  and more", 22, " "), "a name that is long\n and more\n");
    }

    #[test]
    fn room_is_counted_in_columns() {
        assert_eq!(right("38.44 µs", 10), "  38.44 µs");
        assert_eq!(right("板", 4), "  板");
    }
}
