//! Collects the facts of a machine, theme by theme.

use super::{Fact, Fingerprint};
use crate::root::{Reading, Root};
use std::collections::BTreeMap;

/// Reads every fact; one that cannot be read is in the result without a value. Takes some milliseconds, most of them for
/// the kernel's configuration and the list of processes.
pub fn capture(root: &Root) -> Fingerprint {
    let mut facts = Facts { root, facts: BTreeMap::new() };
    super::kernel::add(&mut facts);
    super::xenomai::add(&mut facts);
    super::cpu::add(&mut facts);
    super::clock::add(&mut facts);
    super::power::add(&mut facts);
    super::memory::add(&mut facts);
    super::system::add(&mut facts);
    super::limits::add(&mut facts);
    super::now::add(&mut facts);
    Fingerprint { facts: facts.facts }
}

/// Facts while they are being collected.
pub(super) struct Facts<'a> {
    pub root: &'a Root,
    facts: BTreeMap<String, Fact>,
}

impl Facts<'_> {
    /// A file's whole text, lines joined with `; `.
    pub(super) fn file(&mut self, name: &str, path: &str) {
        let text = self.root.read(path).map(|text| one_line(&text));
        let text = text.map(|text| if text.is_empty() { "(empty)".to_owned() } else { text });
        self.put(name, path, text);
    }

    /// The files named in a list of names and paths.
    pub(super) fn files(&mut self, list: &[(&str, &str)]) {
        for (name, path) in list {
            self.file(name, path);
        }
    }

    /// A part of a file's text, found by `pick`.
    pub(super) fn picked(&mut self, name: &str, path: &str, pick: impl Fn(&str) -> Option<String>) {
        let found = self.root.read(path);
        match found.map(|text| pick(&text)) {
            Ok(Some(value)) => self.put(name, path, Ok(value)),
            Ok(None) => self.missing(name, &format!("{path}: the file does not contain this value")),
            Err(error) => self.missing(name, &error.to_string()),
        }
    }

    /// A value that was read from `source`, or the reason why not.
    pub(super) fn put(&mut self, name: &str, source: &str, value: Reading) {
        match value {
            Ok(value) => self.insert(name, Fact { value: Some(value), source: source.to_owned() }),
            Err(error) => self.missing(name, &error.to_string()),
        }
    }

    /// A fact without a value.
    pub(super) fn missing(&mut self, name: &str, why: &str) {
        self.insert(name, Fact { value: None, source: why.to_owned() });
    }

    fn insert(&mut self, name: &str, fact: Fact) {
        self.facts.insert(name.to_owned(), fact);
    }
}

/// Lines joined with `; `, runs of white space made one space.
pub(super) fn one_line(text: &str) -> String {
    let tidy = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(tidy).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
