//! The known word that a misspelt one was probably meant to be.

/// The known word with the fewest typing slips from `word`; `None` if even that one looks nothing like it.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Words longer than any key are no slip of the finger, and comparing them would take quadratic time.
    if word.chars().count() > 64 {
        return None;
    }
    let (slips, best) = known.into_iter().map(|candidate| (slips(word, candidate), candidate)).min()?;
    (slips * 2 <= word.chars().count().max(2)).then_some(best)
}

/// `write 'period'`, or, where nothing is near, the list of what may be written.
pub(crate) fn remedy(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(best) => format!("did you mean '{best}'?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// Letters to insert, delete, replace or swap with the next on the way from one word to the other (Damerau 1964).
fn slips(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            rows[i][j] = match (i, j) {
                (0, many) | (many, 0) => many,
                _ => {
                    let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                    let swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
                    let swapped = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                    replaced.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
                }
            };
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["cost", "period", "deadline"];
        assert_eq!(nearest("perod", known), Some("period"));
        assert_eq!(nearest("dedaline", known), Some("deadline"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!((slips("kitten", "sitting"), slips("efd", "edf"), slips("", "ab")), (3, 1, 2));
    }
}
