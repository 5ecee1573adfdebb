//! The arrows between the crates are those of the design: data flows one way, and the wings do not lean on each other.

use std::collections::{BTreeMap, BTreeSet};

/// Each room with the rooms it may use directly; what those may use, it may use too.
const ARROWS: &[(&str, &[&str])] = &[
    ("prazo-core", &[]),
    ("prazo-scenario", &["prazo-core"]),
    ("prazo-analysis", &["prazo-scenario"]),
    ("prazo-checker", &["prazo-core"]),
    ("prazo-sim", &["prazo-core", "prazo-scenario"]),
    ("prazo-abi", &[]),
    ("prazo-platform", &["prazo-core"]),
    ("prazo-run", &["prazo-platform"]),
    ("prazo-probe", &["prazo-platform", "prazo-run", "prazo-abi", "prazo-deploy"]),
    ("prazo-stats", &["prazo-run"]),
    ("prazo-cost", &["prazo-platform"]),
    ("prazo-deploy", &["prazo-core", "prazo-platform"]),
    ("prazo-lab", &["prazo-platform"]),
    ("prazo-verdict", &["prazo-stats", "prazo-analysis"]),
    ("prazo-agent", &["prazo-probe", "prazo-cost", "prazo-deploy"]),
    ("prazo-study", &["prazo-lab", "prazo-probe", "prazo-cost", "prazo-verdict"]),
    ("prazo-experiment", &["prazo-verdict"]),
    ("prazo-report", &["prazo-study", "prazo-verdict", "prazo-stats", "prazo-run", "prazo-core"]),
    (
        "prazo",
        &[
            "prazo-study",
            "prazo-experiment",
            "prazo-report",
            "prazo-probe",
            "prazo-verdict",
            "prazo-checker",
            "prazo-lab",
            "prazo-sim",
            "prazo-cost",
            "prazo-deploy",
        ],
    ),
    ("prazo-testing", &[]),
    ("prazo-cli", &["prazo"]),
    ("xtask", &["prazo-cli"]),
];

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn crates_depend_only_along_the_designs_arrows() {
    for (package, used) in workspace_dependencies() {
        let allowed = reachable(&package);
        let stray: Vec<_> = used.difference(&allowed).collect();
        assert!(stray.is_empty(), "{package} uses {stray:?}, which is against the design's arrows");
    }
}

#[test]
fn every_package_has_its_place_in_the_arrows() {
    let placed: BTreeSet<&str> = ARROWS.iter().map(|(package, _)| *package).collect();
    for package in workspace_dependencies().keys() {
        assert!(placed.contains(package.as_str()), "{package} has no place in the design's arrows");
    }
}

#[test]
fn core_depends_on_nothing() {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let core = metadata.packages.iter().find(|package| package.name.as_str() == "prazo-core").expect("core exists");
    let normal: Vec<_> = core
        .dependencies
        .iter()
        .filter(|d| d.kind == cargo_metadata::DependencyKind::Normal)
        .map(|d| &d.name)
        .collect();
    assert!(normal.is_empty(), "core uses {normal:?}");
}

#[test]
fn packages_are_named_after_their_folders() {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().and_then(|path| path.file_name()).expect("a folder");
        assert!(package.name.as_str() == folder || package.name.as_str() == format!("prazo-{folder}"), "{folder}");
    }
}

/// Each package of the workspace with the workspace's packages it uses, development dependencies apart.
fn workspace_dependencies() -> Graph {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let ours: BTreeSet<String> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let used = |package: &cargo_metadata::Package| {
        let kinds = package.dependencies.iter().filter(|d| d.kind != cargo_metadata::DependencyKind::Development);
        kinds.map(|d| d.name.clone()).filter(|name| ours.contains(name)).collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), used(package))).collect()
}

fn reachable(package: &str) -> BTreeSet<String> {
    let direct = ARROWS.iter().find(|(name, _)| *name == package).map_or(&[][..], |(_, uses)| uses);
    direct.iter().flat_map(|name| reachable(name).into_iter().chain([(*name).to_owned()])).collect()
}
