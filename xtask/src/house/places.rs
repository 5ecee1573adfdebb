//! The places of a change: the paths and names that a row of "Where does a change go?" puts between backticks.

use super::architecture::Change;
use std::path::Path;
use syn::visit::Visit;

/// A path from the root, or a name that the path before it must define.
pub(super) fn of(change: &Change) -> Vec<String> {
    change.touch.split('`').skip(1).step_by(2).map(str::to_owned).collect()
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

/// True where the Rust file defines an item of this name, or the folder's `mod.rs` does.
fn defines(root: &Path, file: &str, name: &str) -> bool {
    struct Names<'a>(&'a str, bool);
    impl Visit<'_> for Names<'_> {
        fn visit_ident(&mut self, ident: &proc_macro2::Ident) {
            self.1 |= ident == self.0;
        }
    }
    let path = if file.ends_with('/') { format!("{file}mod.rs") } else { file.to_owned() };
    let Ok(text) = std::fs::read_to_string(root.join(path)) else { return false };
    let Ok(parsed) = syn::parse_file(&text) else { return text.contains(name) };
    let mut names = Names(name, false);
    names.visit_file(&parsed);
    names.1
}

#[cfg(test)]
mod tests {
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
}
