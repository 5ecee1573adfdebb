//! The columns of a live table that find room: whole ones, so that no figure loses a digit; the others are named.

use ratatui::layout::Size;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
pub(crate) const GAP: u16 = 2;

/// Which columns are shown, and how wide each is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fitting {
    /// The columns shown, by their place in the header, ascending.
    pub(crate) shown: Vec<usize>,
    /// The width of each of them.
    pub(crate) widths: Vec<u16>,
    /// The names of the others.
    pub(crate) hidden: Vec<&'static str>,
}

/// The columns of these cells that fit into a width. What is `expendable` goes first, in that order.
pub(crate) fn fitting(header: &[&'static str], rows: &[Vec<String>], expendable: &[usize], width: u16) -> Fitting {
    let wide = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
        u16::try_from(cells.chain([header[at].width()]).max().unwrap_or(0)).unwrap_or(u16::MAX)
    };
    let mut shown: Vec<usize> = (0..header.len()).collect();
    let needed =
        |shown: &[usize]| shown.iter().map(|at| u32::from(wide(*at) + GAP)).sum::<u32>().saturating_sub(GAP.into());
    for lost in expendable {
        if needed(&shown) <= width.into() {
            break;
        }
        shown.retain(|at| at != lost);
    }
    let hidden = (0..header.len()).filter(|at| !shown.contains(at)).map(|at| header[at]).collect();
    Fitting { widths: shown.iter().map(|at| wide(*at)).collect(), shown, hidden }
}

/// Fits rows above a last line that names what found no room: the longer that line, the fewer rows, and the more it names.
///
/// `fit` is given the last line's height and answers with what it fitted and the line's text. The height comes back with them.
pub(crate) fn above_last_line<T>(size: Size, fit: impl Fn(u16) -> (T, String)) -> (T, String, u16) {
    let mut height = 1;
    loop {
        let (fitted, text) = fit(height);
        match lines(&text, size.width) {
            needed if needed > height && height < size.height => height = needed,
            _ => return (fitted, text, height),
        }
    }
}

/// The rows that find room: those with the largest keys where not all do, in their order.
pub(crate) fn largest<T, K: Ord>(rows: &[T], room: usize, key: impl Fn(&T) -> K) -> Vec<&T> {
    let mut chosen: Vec<(usize, &T)> = rows.iter().enumerate().collect();
    chosen.sort_by_key(|(_, row)| std::cmp::Reverse(key(row)));
    chosen.truncate(room);
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, row)| row).collect()
}

/// The texts that find room as they are, each on lines of its own, and how many do not. The first one is shortened where it
/// finds none.
pub(crate) fn whole_texts(texts: Vec<String>, width: u16, height: u16) -> (Vec<String>, usize) {
    let (all, mut left, mut shown) = (texts.len(), height, Vec::new());
    for text in texts {
        let needed = lines(&text, width);
        if needed > left && shown.is_empty() {
            // A line broken between words holds a word less than its width.
            let room = usize::from(width) * usize::from(height) * 3 / 4;
            return (vec![shortened(&text, room.max(1))], all - 1);
        }
        if needed > left {
            break;
        }
        left -= needed;
        shown.push(text);
    }
    let hidden = all - shown.len();
    (shown, hidden)
}

/// How many lines a text takes that is broken between words.
fn lines(text: &str, width: u16) -> u16 {
    let room = usize::from(width.max(1));
    let (mut lines, mut used) = (1, 0);
    for wide in text.split(' ').map(UnicodeWidthStr::width) {
        if used > 0 && used + 1 + wide > room {
            (lines, used) = (lines + 1, wide);
        } else {
            used += wide + usize::from(used > 0);
        }
    }
    lines
}

/// Text that fits into a width, with an ellipsis where it was cut.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_columns_go_and_are_named() {
        let rows = vec![vec!["0".to_owned(), "123,456,789".to_owned(), "7".to_owned()]];
        let all = fitting(&["cpu", "served", "lost"], &rows, &[2, 1], 80);
        assert_eq!((all.shown, all.hidden), (vec![0, 1, 2], vec![]));
        let narrow = fitting(&["cpu", "served", "lost"], &rows, &[2, 1], 16);
        assert_eq!((narrow.shown, narrow.widths, narrow.hidden), (vec![0, 1], vec![3, 11], vec!["lost"]));
    }

    #[test]
    fn texts_are_shown_whole_or_counted() {
        let texts = || vec!["one two three".to_owned(), "four five".to_owned(), "six".to_owned()];
        assert_eq!(whole_texts(texts(), 8, 9), (texts(), 0));
        assert_eq!(whole_texts(texts(), 8, 4), (texts()[..2].to_vec(), 1));
        assert_eq!(whole_texts(texts(), 8, 3), (texts()[..1].to_vec(), 2));
        assert_eq!(whole_texts(texts(), 8, 1), (vec!["one t…".to_owned()], 2));
        assert_eq!(whole_texts(Vec::new(), 8, 1), (Vec::new(), 0));
    }

    #[test]
    fn a_word_that_finds_no_room_takes_a_line() {
        assert_eq!([lines("", 5), lines("ab cd", 5), lines("ab cde", 5), lines("abc def g", 5)], [1, 1, 2, 2]);
    }

    #[test]
    fn a_last_line_that_grows_takes_rows_and_names_them() {
        let fit = |height: u16| {
            let room = usize::from(6 - height);
            (room, format!("hidden: {}", vec!["row"; 8 - room].join(" ")))
        };
        let (rows, text, height) = above_last_line(Size::new(16, 6), fit);
        assert_eq!((rows, height, lines(&text, 16)), (4, 2, 2), "{text}");
    }

    #[test]
    fn the_largest_rows_stay_in_their_order() {
        assert_eq!(largest(&[3, 9, 1, 7], 2, |row| *row), [&9, &7]);
        assert_eq!(largest(&[3, 9], 5, |row| *row), [&3, &9]);
    }

    #[test]
    fn a_cut_is_seen() {
        assert_eq!(shortened("timer, fifo", 20), "timer, fifo");
        assert_eq!(shortened("timer, fifo", 8), "timer, …");
    }
}
