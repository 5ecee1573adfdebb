//! What the module has is what its types say.

use std::collections::BTreeSet;
use std::path::Path;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_function_of_the_module_has_its_types() {
    let module = text("src/lib.rs");
    let added: BTreeSet<&str> = module
        .lines()
        .filter_map(|line| line.split_once("wrap_pyfunction!(")?.1.split_once(',')?.0.rsplit("::").next())
        .collect();
    let stubs = text("prazo/_prazo.pyi");
    let typed: BTreeSet<&str> =
        stubs.lines().filter_map(|line| line.strip_prefix("def ")?.split_once('(').map(|(name, _)| name)).collect();
    assert!(added.len() > 10, "{added:?}");
    assert_eq!(added, typed);
}
