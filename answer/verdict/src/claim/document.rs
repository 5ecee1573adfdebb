//! A TOML document that makes claims, while it is read: offsets become lines and keys, names are checked.

use prazo_core::hash::fnv1a;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::collections::BTreeSet;

/// A document that cannot be used: where, what was found, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {problem}; {remedy}")]
pub struct DocumentError {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from one.
    pub line: usize,
    /// The key on that line.
    pub key: String,
    /// What was found.
    pub problem: String,
    /// What to write instead.
    pub remedy: String,
}

/// "choose one of ..." for a remedy.
pub fn choose<'a>(ids: impl IntoIterator<Item = &'a String>) -> String {
    let ids: Vec<&str> = ids.into_iter().map(String::as_str).collect();
    if ids.is_empty() {
        "this file defines no names to choose from; define one first".into()
    } else {
        format!("choose one of {}", ids.join(", "))
    }
}

/// A document's name and text.
pub struct Document<'a> {
    /// The file as it was named.
    pub file: &'a str,
    /// Its content.
    pub text: &'a str,
}

impl Document<'_> {
    /// True where the document says of itself that it is an experiment, which has a `kind`, and no study, which has none.
    pub fn is_experiment(&self) -> bool {
        #[derive(Deserialize)]
        struct Kind {
            kind: Option<toml::Value>,
        }
        toml::from_str::<Kind>(self.text).is_ok_and(|found| found.kind.is_some())
    }

    /// An error at a byte offset.
    pub fn error(&self, at: usize, problem: &str, remedy: &str) -> DocumentError {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        DocumentError {
            file: self.file.to_owned(),
            line: line + 1,
            key: self.key(line),
            problem: problem.to_owned(),
            remedy: remedy.to_owned(),
        }
    }

    /// The key that a line, counted from zero, belongs to: its own, or in a list over several lines the one that opened it.
    fn key(&self, line: usize) -> String {
        let lines: Vec<&str> = self.text.lines().take(line + 1).collect();
        let named = lines
            .iter()
            .rev()
            .map(|line| line.trim())
            .find(|line| line.contains('=') && !line.starts_with(['"', '{', '#']) || line.starts_with('['));
        let key = named.map_or("", |line| line.split('=').next().unwrap_or(line).trim());
        if key.is_empty() { "(top)".into() } else { key.to_owned() }
    }

    /// The error of a document that is no TOML, or has other keys than are known.
    pub fn of_toml(&self, error: &toml::de::Error) -> DocumentError {
        let at = error.span().map_or(0, |span| span.start);
        match error.message().trim() {
            // What the parser says of a `check` with two keys names neither the key nor the cause.
            several if several.contains("exactly 1 element") => self.error(
                at,
                "a claim needs exactly one kind of check",
                "write one kind of check, and spell it the same on each of its lines",
            ),
            message => self.error(at, message, "docs/studies.md lists every key with its format"),
        }
    }

    /// The error of a file that cannot be read.
    pub fn unreadable(&self, error: &std::io::Error) -> DocumentError {
        self.error(
            0,
            &format!("the file cannot be read: {error}"),
            "name a readable TOML file of a study or experiment",
        )
    }

    /// Ids must be able to name files, and be unique.
    pub fn ids<'a>(
        &self,
        what: &str,
        ids: impl IntoIterator<Item = &'a toml::Spanned<String>>,
    ) -> Result<(), DocumentError> {
        let mut seen = BTreeSet::new();
        for id in ids {
            let (at, id) = (id.span().start, id.get_ref());
            if !is_id(id) {
                return Err(self.error(
                    at,
                    &format!("'{id}' cannot name a {what}"),
                    "use at most 100 letters, digits, '.', '_', '+' and '-', beginning with a letter or digit",
                ));
            }
            if !seen.insert(id) {
                return Err(self.error(at, &format!("the {what} '{id}' is defined twice"), "rename one of them"));
            }
        }
        Ok(())
    }
}

/// True for an id that can be a file's name on every system: it begins with a letter or digit and goes on with those, `.`,
/// `_`, `+` and `-`, a hundred at most.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    text.len() <= 100 && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

/// A digest of a table's text (FNV-1a, 64 bits): tells a changed file from the same one; it is no defence against a forger.
pub fn digest(bytes: &[u8]) -> String {
    format!("fnv1a-{:016x}", fnv1a(bytes))
}

/// A name as a claim writes it, with its place in the document, so that an error can point at it.
#[derive(Clone, Debug)]
pub struct Name {
    /// The id of a cell, a curve or a line.
    pub id: String,
    /// Byte offset in the document.
    pub at: usize,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<String>::deserialize(deserializer)?;
        Ok(Self { at: spanned.span().start, id: spanned.into_inner() })
    }
}

/// At least one name.
pub fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Name>, D::Error> {
    let names = Vec::<Name>::deserialize(deserializer)?;
    if names.is_empty() {
        return Err(D::Error::custom("the list of names is empty; a claim needs at least one name"));
    }
    Ok(names)
}

/// A factor, share or number of hours that must not be negative.
pub fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("expected a number of at least 0, got {value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_fnv1a() {
        assert_eq!(digest(b""), "fnv1a-cbf29ce484222325");
        assert_eq!(digest(b"a"), "fnv1a-af63dc4c8601ec8c");
    }

    #[test]
    fn an_id_that_names_no_file_or_is_defined_twice_is_an_error_at_its_line() {
        #[derive(Deserialize)]
        struct Ids {
            ids: Vec<toml::Spanned<String>>,
        }
        let check = |text: &str| {
            let ids = toml::from_str::<Ids>(text).unwrap().ids;
            Document { file: "s.toml", text }.ids("cell", &ids).map_err(|error| error.to_string())
        };
        for text in ["ids = []", "ids = ['a']", "ids = ['b', 'a', 'B']"] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let form = "use at most 100 letters, digits, '.', '_', '+' and '-', beginning with a letter or digit";
        let cases = [
            ("ids = ['a b']", format!("s.toml:1: ids: 'a b' cannot name a cell; {form}")),
            ("\nids = [\n  'a',\n  '',\n]", format!("s.toml:4: ids: '' cannot name a cell; {form}")),
            ("\nids = ['a', 'b', 'a']", "s.toml:2: ids: the cell 'a' is defined twice; rename one of them".into()),
        ];
        for (text, wanted) in cases {
            assert_eq!(check(text), Err(wanted), "{text}");
        }
    }

    #[test]
    fn an_id_has_1_to_100_characters_and_begins_with_a_letter_or_digit() {
        let longest = "a".repeat(100);
        assert!([longest.as_str(), "a", "7", "6.1-rt_x86+debug"].into_iter().all(is_id));
        let longer = "a".repeat(101);
        assert!(![longer.as_str(), "", ".a", "-a", "_a", "+a", "a/b", "a b", "µ"].into_iter().any(is_id));
    }

    #[test]
    fn a_list_of_names_is_not_empty_and_each_name_knows_its_place() {
        #[derive(Deserialize)]
        struct Cells {
            #[serde(deserialize_with = "names")]
            cells: Vec<Name>,
        }
        let places = |text: &str| {
            let found = toml::from_str::<Cells>(text).map_err(|error| error.message().to_owned())?;
            Ok::<_, String>(found.cells.into_iter().map(|name| (name.id, name.at)).collect::<Vec<_>>())
        };
        assert_eq!(places("cells = ['a']"), Ok(vec![("a".into(), 9)]));
        assert_eq!(places("cells = ['a', 'b']"), Ok(vec![("a".into(), 9), ("b".into(), 14)]));
        assert!(places("cells = []").unwrap_err().contains("the list of names is empty"));
    }

    #[test]
    fn a_factor_is_finite_and_at_least_0() {
        #[derive(Deserialize)]
        struct Check {
            #[serde(deserialize_with = "not_negative")]
            factor: f64,
        }
        let read = |number: &str| {
            let found = toml::from_str::<Check>(&format!("factor = {number}"));
            found.map(|check| check.factor).map_err(|error| error.message().to_owned())
        };
        for (number, wanted) in [("0.0", 0.0), ("-0.0", 0.0), ("5e-324", 5e-324), ("1.5", 1.5)] {
            assert_eq!(read(number), Ok(wanted), "{number}");
        }
        for number in ["-5e-324", "-1.0", "inf", "nan"] {
            assert!(read(number).unwrap_err().contains("expected a number of at least 0"), "{number}");
        }
    }
}
