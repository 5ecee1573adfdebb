//! What a guest's console is good for in a sentence: its last lines, without what would act on a terminal or break a line.

/// The last lines that say something, in one line.
pub(crate) fn last_lines(console: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(console);
    let lines: Vec<String> = text.lines().map(plain).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].join(" | ")
}

/// A line without escape sequences; other control characters become blanks.
pub(crate) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next_if_eq(&'[').is_some() => {
                // Parameters up to the letter that says what is asked.
                let _ = letters.find(|letter| ('@'..='~').contains(letter));
            }
            '\u{1b}' => drop(letters.next()),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_that_say_something_are_told_in_one() {
        assert_eq!(last_lines(b"1\n2\n\n  \n3 \n", 2), "2 | 3");
        assert_eq!(last_lines(b"", 2), "");
    }

    #[test]
    fn what_acts_on_a_terminal_is_gone_and_what_it_says_stays() {
        assert_eq!(plain("\u{1b}[1;31mBUG\u{1b}[0m: \u{7}late\u{1b}c\rover"), "BUG:  late over");
        assert_eq!(plain("\u{1b}[2J\u{1b}["), "");
        assert_eq!(plain("\u{9b}31m"), "31m", "the other form of an escape, too");
    }
}
