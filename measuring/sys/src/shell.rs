//! Words as a POSIX shell reads them.

/// One word, in quotes where a shell would change it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Words as one line.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--load=udp-flood=5e4"), "--load=udp-flood=5e4");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        let nasty = ["", "a;b", "$(x)", "\"", "it's", "new\nline", "*", "~"];
        let printed =
            std::process::Command::new("sh").args(["-c", &format!("printf '%s\\0' {}", line(nasty))]).output().unwrap();
        let read: Vec<&str> = std::str::from_utf8(&printed.stdout).unwrap().split_terminator('\0').collect();
        assert_eq!(read, nasty);
    }
}
