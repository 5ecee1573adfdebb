//! What a set or an archive of sets holds, line by line: the kind of an entry, its checksum or target, its path.
//!
//! ```text
//! file     5e52...    linux-6.12.95/boot/vmlinuz-6.12.95+deb12-amd64
//! program  4a6b...    qemu-10.0.2/usr/bin/qemu-system-x86_64
//! link     libz.so.1.2.13  qemu-10.0.2/lib/x86_64-linux-gnu/libz.so.1
//! ```
//! with one tab between them. [`List::check`] is what keeps an archive inside of the cache.

use crate::checksum::sha256;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file, by its checksum.
    File { sha256: String, is_program: bool },
    /// A symbolic link.
    Link { target: String },
}

/// All entries by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List(pub BTreeMap<String, Entry>);

impl List {
    /// The text that goes into an archive.
    pub(crate) fn text(&self) -> String {
        let line = |(path, entry): (&String, &Entry)| match entry {
            Entry::File { sha256, is_program } => {
                format!("{}\t{sha256}\t{path}\n", if *is_program { "program" } else { "file" })
            }
            Entry::Link { target } => format!("link\t{target}\t{path}\n"),
        };
        self.0.iter().map(line).collect()
    }

    /// The checksum of that text.
    pub(crate) fn sha256(&self) -> String {
        sha256(self.text().as_bytes())
    }

    /// Reads such a text; an error names the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut list = Self::default();
        for line in text.lines() {
            let invalid = || format!("the list of contents has the invalid line '{line}'");
            let (path, entry) = parsed(line).ok_or_else(invalid)?;
            if list.0.insert(path.clone(), entry).is_some() {
                return Err(format!("the list of contents names {path} twice"));
            }
        }
        Ok(list)
    }

    /// What it says of one set.
    pub(crate) fn of(&self, set: &str) -> Self {
        let of_set = |path: &str| path.split('/').next() == Some(set);
        Self(
            self.0.iter().filter(|(path, _)| of_set(path)).map(|(path, entry)| (path.clone(), entry.clone())).collect(),
        )
    }

    /// The sets: the first parts of the paths.
    pub(crate) fn sets(&self) -> Vec<String> {
        let mut sets: Vec<_> = self.0.keys().filter_map(|path| path.split('/').next()).map(str::to_owned).collect();
        sets.dedup();
        sets
    }

    /// Every path lies in a set's folder and behind no link, and no link leads out of its set.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (path, entry) in &self.0 {
            if !is_inside(path) || self.is_behind_a_link(path) {
                return Err(format!(
                    "the archive would write to '{path}', which is not in the folder of a package set"
                ));
            }
            if let Entry::Link { target } = entry
                && !stays(path, target)
            {
                return Err(format!("the link '{path}' points to '{target}', which is outside its package set"));
            }
        }
        Ok(())
    }

    fn is_behind_a_link(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.into_iter().any(|folder| self.0.contains_key(folder))
    }
}

fn parsed(line: &str) -> Option<(String, Entry)> {
    let (kind, rest) = line.split_once('\t')?;
    let (value, path) = rest.split_once('\t')?;
    let entry = match kind {
        "file" | "program" => Entry::File { sha256: value.to_owned(), is_program: kind == "program" },
        "link" => Entry::Link { target: value.to_owned() },
        _ => return None,
    };
    Some((path.to_owned(), entry))
}

/// `SET/a/b`: nothing but names, at least one behind the set's.
fn is_inside(path: &str) -> bool {
    let names = path.split('/');
    let is_name = |name: &str| !name.is_empty() && name != "." && name != "..";
    is_set(path.split('/').next().unwrap_or_default()) && names.clone().count() > 1 && names.clone().all(is_name)
}

/// Sets are named by a word with a version; what the cache itself needs is none.
pub(crate) fn is_set(name: &str) -> bool {
    let is_word = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.+".contains(c));
    is_word
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.contains('-')
        && !name.starts_with("fetching-")
}

/// True where a link leads no higher than its set: steps up first, no more than there are folders, and names behind them. A
/// step up behind a name could lead anywhere, since the name may be another link's.
pub(crate) fn stays(path: &str, target: &str) -> bool {
    let folders_below_set = path.matches('/').count() - 1;
    let steps: Vec<_> = Path::new(target).components().collect();
    let up = steps.iter().take_while(|step| matches!(step, Component::ParentDir)).count();
    let is_name = |step: &Component<'_>| matches!(step, Component::Normal(_) | Component::CurDir);
    !target.is_empty() && up <= folders_below_set && steps[up..].iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Entry {
        Entry::File { sha256: sha256(b""), is_program: false }
    }

    fn link(target: &str) -> Entry {
        Entry::Link { target: target.into() }
    }

    fn list(entries: &[(&str, Entry)]) -> List {
        List(entries.iter().map(|(path, entry)| ((*path).to_owned(), entry.clone())).collect())
    }

    #[test]
    fn a_list_survives_its_text() {
        let program = Entry::File { sha256: sha256(b"a"), is_program: true };
        let list = list(&[("a-1/b", file()), ("a-1/c d", program), ("b-2/e/f", link("../g"))]);
        assert_eq!(List::parse(&list.text()).unwrap(), list);
        assert_eq!(list.sets(), ["a-1", "b-2"]);
        assert!(List::parse("socket\t0\ta-1/b\n").unwrap_err().contains("socket"));
        assert!(List::parse("file\t0\ta-1/b\nfile\t1\ta-1/b\n").unwrap_err().contains("twice"));
    }

    #[test]
    fn a_path_that_leads_out_of_a_set_is_refused() {
        for path in
            ["/etc/passwd", "../a-1/b", "a-1/../b-2/c", "a-1/./b", "a-1//b", "a-1", "lock", "fetching-a-1/b", "A-1/b"]
        {
            assert!(list(&[(path, file())]).check().is_err(), "{path}");
        }
        assert!(list(&[("a-1/b/c", file())]).check().is_ok());
    }

    #[test]
    fn a_link_that_leads_out_of_its_set_and_a_path_behind_a_link_are_refused() {
        for target in ["/etc", "../../b-2", "../..", "c/../../..", ""] {
            assert!(list(&[("a-1/b/c", link(target))]).check().unwrap_err().contains("a-1/b/c"), "{target}");
        }
        assert!(list(&[("a-1/b/c", link("../d/e"))]).check().is_ok());
        assert!(list(&[("a-1/b", link("c")), ("a-1/b/d", file())]).check().is_err());
    }
}
