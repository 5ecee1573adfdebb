//! ARCHITECTURE.md's tables, read: the rooms with what they may use, the circles that still stand, and where a change goes.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

/// What the document says.
#[derive(Debug, Default)]
pub(super) struct Architecture {
    /// Its rooms, in its order.
    pub rooms: Vec<Room>,
    /// Circles that are allowed for now.
    pub circles: Vec<Circle>,
    /// Where changes go.
    pub changes: Vec<Change>,
    /// Where each kind of caveat is found.
    pub caveats: Vec<Change>,
}

/// A folder, and what its crate may use.
#[derive(Debug)]
pub(super) struct Room {
    /// From the project's root, without a slash at its end.
    pub folder: String,
    /// What it is, as it stands there.
    pub text: String,
    uses: Uses,
}

#[derive(Debug)]
enum Uses {
    /// It is no crate, or one of which nothing is said.
    Unsaid,
    Everything,
    /// Rooms by the last part of their folder.
    Rooms(BTreeSet<String>),
}

/// Modules of a crate that use one another.
#[derive(Debug)]
pub(super) struct Circle {
    /// The crate's folder.
    pub folder: String,
    modules: BTreeSet<String>,
}

impl Circle {
    /// True where every module is listed, or lies in one that is.
    pub(super) fn covers(&self, modules: &[String]) -> bool {
        let is_in = |module: &str, listed: &str| {
            module.strip_prefix(listed).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        modules.iter().all(|module| self.modules.iter().any(|listed| is_in(module, listed)))
    }
}

/// A row of "Where does a change go?", or of the places of caveats.
#[derive(Debug)]
pub(super) struct Change {
    /// What is added, or what shows the threat.
    pub what: String,
    /// What is touched, as it stands there.
    pub touch: String,
}

const ROOMS: [&str; 3] = ["room", "what it is", "what it may use"];
const CHANGES: [&str; 2] = ["to add", "touch"];
const CAVEATS: [&str; 2] = ["what shows the threat", "place"];
const CIRCLES: [&str; 2] = ["crate", "modules that use one another"];

impl Architecture {
    /// Reads the document of the project at `root`.
    pub(super) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        Self::parse(&std::fs::read_to_string(root.join("ARCHITECTURE.md"))?)
    }

    pub(super) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let rooms = table(text, &ROOMS).ok_or("ARCHITECTURE.md has no table of rooms")?;
        let changes = table(text, &CHANGES).ok_or("ARCHITECTURE.md does not say where a change goes")?;
        let caveats = table(text, &CAVEATS).ok_or("ARCHITECTURE.md does not say where a caveat is found")?;
        let circles = table(text, &CIRCLES).unwrap_or_default();
        let read = Self {
            rooms: rooms.iter().map(|row| room(&row[0], &row[1], &row[2])).collect(),
            changes: changes.into_iter().map(change).collect(),
            caveats: caveats.into_iter().map(change).collect(),
            circles: circles.iter().map(|row| circle(&row[0], &row[1])).collect(),
        };
        read.check()?;
        Ok(read)
    }

    /// Every name that a room may use is a room.
    fn check(&self) -> Result<(), Box<dyn Error>> {
        let known = self.folders_by_name();
        for room in &self.rooms {
            if let Uses::Rooms(names) = &room.uses
                && let Some(name) = names.iter().find(|name| !known.contains_key(name.as_str()))
            {
                return Err(format!("ARCHITECTURE.md: {} may use '{name}', which is no room", room.folder).into());
            }
        }
        Ok(())
    }

    fn folders_by_name(&self) -> BTreeMap<&str, &Room> {
        self.rooms.iter().map(|room| (last(&room.folder), room)).collect()
    }

    /// True where the crate in `folder` may use the one in `used`, directly or because what it may use may.
    pub(super) fn allows(&self, folder: &str, used: &str) -> bool {
        let by_name = self.folders_by_name();
        let mut seen = BTreeSet::new();
        let mut open = vec![last(folder)];
        while let Some(name) = open.pop() {
            match by_name.get(name).map(|room| &room.uses) {
                Some(Uses::Everything) => return true,
                Some(Uses::Rooms(names)) => {
                    if names.contains(last(used)) {
                        return true;
                    }
                    open.extend(names.iter().map(String::as_str).filter(|name| seen.insert(*name)));
                }
                _ => {}
            }
        }
        false
    }

    /// True where the document has this folder.
    pub(super) fn has_room(&self, folder: &str) -> bool {
        self.rooms.iter().any(|room| room.folder == folder)
    }
}

fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn room(folder: &str, text: &str, uses: &str) -> Room {
    let uses = match uses {
        "" => Uses::Unsaid,
        "everything" => Uses::Everything,
        "nothing" => Uses::Rooms(BTreeSet::new()),
        names => Uses::Rooms(names.split(',').map(|name| name.trim().to_owned()).collect()),
    };
    Room { folder: plain(folder).trim_end_matches('/').to_owned(), text: text.to_owned(), uses }
}

fn change(row: Vec<String>) -> Change {
    Change { what: row[0].clone(), touch: row[1].clone() }
}

fn circle(folder: &str, modules: &str) -> Circle {
    Circle { folder: plain(folder), modules: modules.split(',').map(|name| plain(name.trim())).collect() }
}

/// Without the marks of code.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// The rows of the table with this head.
fn table(text: &str, head: &[&str]) -> Option<Vec<Vec<String>>> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let mut lines = text.lines().skip_while(|line| cells(line).is_none_or(|row| row != head));
    lines.next()?;
    let rows = lines.skip(1).map_while(cells);
    Some(rows.filter(|row| row.len() == head.len()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "| room | what it is | what it may use |\n|---|---|---|\n| `a/core` | x | nothing |\n| `a/run` | x | core |\n\
         | `b/cli` | x | run |\n| `docs` | x | |\n\n| to add | touch |\n|---|---|\n| a load | `a/run` |\n\n\
         | what shows the threat | place |\n|---|---|\n| the file | `a/run/store.rs` |\n";

    #[test]
    fn what_a_used_crate_may_use_is_allowed_and_nothing_else() {
        let read = Architecture::parse(TEXT).unwrap();
        assert!(read.allows("a/run", "a/core") && read.allows("b/cli", "a/core"));
        assert!(!read.allows("a/core", "a/run") && !read.allows("a/run", "b/cli") && !read.allows("docs", "a/core"));
        assert_eq!((&*read.changes[0].what, &*read.caveats[0].touch), ("a load", "`a/run/store.rs`"));
        assert_eq!((&*read.rooms[0].folder, &*read.rooms[0].text), ("a/core", "x"));
    }

    #[test]
    fn a_listed_module_stands_for_those_in_it() {
        let circle = circle("`a/run`", "`import`, `(root)`");
        assert!(circle.covers(&["import".into(), "import::text".into(), "(root)".into()]));
        assert!(!circle.covers(&["import".into(), "imports".into()]));
    }

    #[test]
    fn a_name_that_is_no_room_is_refused() {
        let error = Architecture::parse(&TEXT.replace("| run |", "| rum |")).unwrap_err();
        assert_eq!(error.to_string(), "ARCHITECTURE.md: b/cli may use 'rum', which is no room");
    }
}
