//! The places that ARCHITECTURE.md puts between backticks: paths and names of a change or a caveat, and what is in a room.

use super::architecture::{Change, Room};
use proc_macro2::Ident;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{ImplItemConst, ImplItemFn, Item, Variant};

/// A path from the root, or a name that the path before it must define.
pub(super) fn of(change: &Change) -> Vec<String> {
    marked(&change.touch).map(str::to_owned).collect()
}

/// What stands between backticks.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Files and folders of a room's description that are neither in the room, nor among its sources, nor in the project. Code
/// with a blank is no place.
pub(super) fn faults_of_room(root: &Path, room: &Room) -> Vec<String> {
    let folder = root.join(&room.folder);
    let is_there = |place: &str| {
        let below = [folder.clone(), folder.join("src"), root.to_owned()];
        below.iter().any(|at| at.join(place).exists() || at.join(format!("{place}.rs")).exists())
    };
    let places = marked(&room.text).filter(|place| !place.contains(' '));
    let missing = places.filter(|place| !is_there(place));
    missing.map(|place| format!("the room {} describes {place}, which is not there", room.folder)).collect()
}

/// Places that are not there.
pub(super) fn faults(root: &Path, change: &Change) -> Vec<String> {
    let missing = |place: String| format!("'{}' goes to {place}, which is not there", change.what);
    let mut faults = vec![];
    let (mut folder, mut file) = (String::new(), String::new());
    for place in of(change) {
        if place.contains('/') {
            if !root.join(&place).exists() {
                faults.push(missing(place.clone()));
            }
            folder = if place.ends_with('/') { place.clone() } else { parent(&place) };
            file = place;
        } else if place.contains('.') {
            // A file of the folder that was named last.
            file = format!("{folder}{place}");
            if !root.join(&file).exists() {
                faults.push(missing(file.clone()));
            }
        } else if !defines(root, &file, &place) {
            faults.push(missing(format!("{place} in {file}")));
        }
    }
    if of(change).is_empty() {
        faults.push(format!("'{}' names no place", change.what));
    }
    faults
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
}

/// Whether an item of this name was seen: mentioning or re-exporting it is not defining it.
struct Definition<'a> {
    name: &'a str,
    is_seen: bool,
}

impl Definition<'_> {
    fn look(&mut self, ident: &Ident) {
        self.is_seen |= ident == self.name;
    }
}

impl Visit<'_> for Definition<'_> {
    fn visit_item(&mut self, item: &Item) {
        match item {
            Item::Const(one) => self.look(&one.ident),
            Item::Enum(one) => self.look(&one.ident),
            Item::Fn(one) => self.look(&one.sig.ident),
            Item::Macro(one) => one.ident.iter().for_each(|ident| self.look(ident)),
            Item::Mod(one) => self.look(&one.ident),
            Item::Static(one) => self.look(&one.ident),
            Item::Struct(one) => self.look(&one.ident),
            Item::Trait(one) => self.look(&one.ident),
            Item::Type(one) => self.look(&one.ident),
            Item::Union(one) => self.look(&one.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_variant(&mut self, variant: &Variant) {
        self.look(&variant.ident);
    }

    fn visit_impl_item_fn(&mut self, method: &ImplItemFn) {
        self.look(&method.sig.ident);
    }

    fn visit_impl_item_const(&mut self, constant: &ImplItemConst) {
        self.look(&constant.ident);
    }
}

/// True where the Rust file defines an item, a method or a variant of this name, or the folder's `mod.rs` does.
fn defines(root: &Path, file: &str, name: &str) -> bool {
    let path = if file.ends_with('/') { format!("{file}mod.rs") } else { file.to_owned() };
    let Ok(text) = std::fs::read_to_string(root.join(path)) else { return false };
    let Ok(parsed) = syn::parse_file(&text) else { return text.contains(name) };
    let mut definition = Definition { name, is_seen: false };
    definition.visit_file(&parsed);
    definition.is_seen
}

#[cfg(test)]
mod tests {
    use super::super::architecture::Architecture;
    use super::*;

    #[test]
    fn a_place_that_is_gone_and_a_name_that_is_gone_are_named() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        std::fs::write(root.path().join("a/b/mod.rs"), "enum Kind { One }").unwrap();
        let row = |touch: &str| Change { what: "a thing".into(), touch: touch.into() };
        assert!(faults(root.path(), &row("a file in `a/b/`, a line in its `mod.rs` (`Kind`)")).is_empty());
        assert_eq!(faults(root.path(), &row("`a/c/`")), ["'a thing' goes to a/c/, which is not there"]);
        assert_eq!(faults(root.path(), &row("`a/b/mod.rs` (`Two`)")).len(), 1);
        assert_eq!(faults(root.path(), &row("somewhere")), ["'a thing' names no place"]);
    }

    #[test]
    fn a_room_that_describes_what_is_gone_is_named() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/run/src/store")).unwrap();
        std::fs::write(root.path().join("a/run/src/plan.rs"), "").unwrap();
        let text = "| room | what it is | what it may use |\n|---|---|---|\n\
                    | `a/run` | `store/` keeps, `plan` says, `watch/` sees, `import a` ([more](docs/x.md)); `a/run` | nothing |\n\n\
                    | to add | touch |\n|---|---|\n\n| what shows the threat | place |\n|---|---|\n";
        let architecture = Architecture::parse(text).unwrap();
        let faults = faults_of_room(root.path(), &architecture.rooms[0]);
        assert_eq!(faults, ["the room a/run describes watch/, which is not there"]);
    }

    #[test]
    fn an_item_is_where_it_is_defined_and_not_where_it_is_mentioned() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a")).unwrap();
        let own = "pub use order::Work; mod order; const ALL: [Work; 1] = [Work::One]; enum Own { First { field: u8 } }
                   impl Own { const LAST: u8 = 1; fn name(&self) -> Work { second() } }";
        std::fs::write(root.path().join("a/mod.rs"), own).unwrap();
        for name in ["order", "ALL", "Own", "First", "LAST", "name"] {
            assert!(defines(root.path(), "a/", name), "{name}");
        }
        for name in ["Work", "One", "field", "second"] {
            assert!(!defines(root.path(), "a/mod.rs", name), "{name}");
        }
    }
}
