//! Which crate uses which, from cargo's own metadata.

use super::architecture::Architecture;
use cargo_metadata::{DependencyKind, MetadataCommand, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

/// The workspaces of the project, from its root.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "scheduling/kernel/Cargo.toml"];

/// A crate of ours.
#[derive(Debug)]
pub(super) struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, from the root.
    pub folder: String,
    /// The folders of our crates that it uses, development dependencies apart.
    pub uses: BTreeSet<String>,
    /// The first files of its library and programs.
    pub entries: Vec<PathBuf>,
}

/// All crates of the project.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>, Box<dyn Error>> {
    let mut found = vec![];
    for manifest in MANIFESTS {
        let metadata = MetadataCommand::new().manifest_path(root.join(manifest)).no_deps().exec()?;
        found.extend(metadata.packages);
    }
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let folder = |package: &cargo_metadata::Package| {
        relative(package.manifest_path.parent().expect("a manifest lies in a folder").as_std_path())
    };
    let folders: BTreeMap<String, String> =
        found.iter().map(|package| (package.name.to_string(), folder(package))).collect();
    let one = |package: &cargo_metadata::Package| {
        let product = package.dependencies.iter().filter(|used| used.kind != DependencyKind::Development);
        // A library that Python loads has kinds of its own.
        let is_entry = |target: &&Target| target.is_lib() || target.is_rlib() || target.is_cdylib() || target.is_bin();
        let targets = package.targets.iter().filter(is_entry);
        Package {
            name: package.name.to_string(),
            folder: folder(package),
            uses: product.filter_map(|used| folders.get(&used.name).cloned()).collect(),
            entries: targets.map(|target| target.src_path.clone().into_std_path_buf()).collect(),
        }
    };
    Ok(found.iter().map(one).collect())
}

/// Crates without a room or not named after their folder, and arrows that no row allows.
pub(super) fn faults(architecture: &Architecture, packages: &[Package]) -> Vec<String> {
    let homeless = packages.iter().filter(|package| !architecture.has_room(&package.folder));
    let homeless = homeless.map(|package| format!("{} has no row in the table of rooms", package.folder));
    let arrow = |package: &Package, used: &String| format!("{} uses {used}", package.folder);
    let stray = packages.iter().flat_map(|package| {
        let stray = package.uses.iter().filter(|used| !architecture.allows(&package.folder, used));
        stray.map(move |used| arrow(package, used))
    });
    let misnamed = packages.iter().filter(|package| {
        let folder = package.folder.rsplit('/').next().unwrap_or_default();
        package.name != folder && package.name != format!("prazo-{folder}")
    });
    let misnamed = misnamed.map(|package| format!("{} is the name of the crate in {}", package.name, package.folder));
    homeless.chain(stray).chain(misnamed).collect()
}
