//! The words of `--vs`: split as a shell would split plain words, with `{}` standing for the command.

/// Splits at blanks outside quotes; no variables, no patterns, since no shell shall be part of what is costed.
pub(crate) fn split(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (vec![], None::<String>, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("the quote {open} is not closed")),
        None if words.is_empty() => Err("the command is empty".into()),
        None => Ok(words),
    }
}

/// A setting applied to a command: each word `{}` becomes the command's words. Without one it is a command of its own.
pub(crate) fn applied(setting: &[String], command: &[String]) -> Vec<String> {
    let one = |word: &String| if word == "{}" { command.to_vec() } else { vec![word.clone()] };
    setting.iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_quotes_keep_blanks() {
        assert_eq!(split("nice -n 5 {}").unwrap(), ["nice", "-n", "5", "{}"]);
        assert_eq!(split(r#" sh -c 'a "b" c' "" "#).unwrap(), ["sh", "-c", r#"a "b" c"#, ""]);
        assert!(split("sh -c 'a").unwrap_err().contains("not closed"));
        assert!(split("  ").is_err());
    }

    #[test]
    fn a_setting_takes_the_command_in() {
        let command = ["make".to_owned(), "-j4".to_owned()];
        assert_eq!(applied(&split("nice {}").unwrap(), &command), ["nice", "make", "-j4"]);
        assert_eq!(applied(&split("true").unwrap(), &command), ["true"]);
    }
}
