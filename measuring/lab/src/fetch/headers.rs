//! Headers as they were unpacked: their makefiles name each other by the place that the package would install them to,
//! and are led to where they are instead, wherever that is.

use crate::error::LabError;
use crate::unpacked_packages::Tree;
use std::path::{Path, PathBuf};

/// Where the packages would put them.
const INSTALLED: &str = "/usr/src/";
/// The folder above the makefile that is being read.
const HERE: &str = "$(dir $(lastword $(MAKEFILE_LIST)))../";

/// Every makefile is settled, or becomes so; at least one must be there.
pub(super) fn settled(tree: &Tree) -> Result<(), LabError> {
    let all = makefiles(&tree.path("usr/src"))?;
    let answer = "the folder contains no kernel headers";
    let none = || LabError::Unusable { program: tree.path("usr/src"), answer: answer.into() };
    if all.is_empty() { Err(none()) } else { all.iter().try_for_each(|file| settle(file)) }
}

fn makefiles(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let entries = std::fs::read_dir(folder).map_err(LabError::system(format!("read {}", folder.display())))?;
    let of_flavour = |path: &PathBuf| path.to_string_lossy().ends_with("-amd64");
    let files = entries.flatten().map(|entry| entry.path()).filter(of_flavour).map(|folder| folder.join("Makefile"));
    Ok(files.filter(|file| file.is_file()).collect())
}

fn settle(file: &Path) -> Result<(), LabError> {
    let failed = || LabError::system(format!("adapt the paths in {}", file.display()));
    let text = std::fs::read_to_string(file).map_err(failed())?;
    if text.contains(INSTALLED) {
        std::fs::write(file, text.replace(INSTALLED, HERE)).map_err(failed())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, OrSkipped, or_skip};

    #[test]
    fn a_makefile_finds_the_common_one_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::at(folder.path().to_owned());
        assert!(settled(&tree).is_err());
        let (own, common) =
            (tree.path("usr/src/linux-headers-6.1-amd64"), tree.path("usr/src/linux-headers-6.1-common"));
        [&own, &common].iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        std::fs::write(own.join("Makefile"), "include /usr/src/linux-headers-6.1-common/Makefile\n").unwrap();
        std::fs::write(common.join("Makefile"), "all: ; @echo found\n").unwrap();
        settled(&tree).unwrap();
        let made = std::process::Command::new("make").arg("-C").arg(&own).output();
        let made = or_skip!(made.or_skipped(Need::Program("make")));
        assert!(String::from_utf8_lossy(&made.stdout).contains("found"), "{made:?}");
    }
}
