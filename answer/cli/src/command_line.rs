//! The command line that repeats this command, for run files and reports.

/// The command that this process was started with, as a shell would need it.
pub(crate) fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("prazo".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell would need it.
fn quoted(word: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--load=udp-flood=5e4".into()), "--load=udp-flood=5e4");
        assert_eq!(quoted("a b".into()), "'a b'");
        assert_eq!(quoted("it's".into()), r"'it'\''s'");
    }
}
