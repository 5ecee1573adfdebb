//! Everything that this lab keeps in its cache: what it fetches, and what it builds from sources.

use super::packages::Packages;
use super::recipe::{self, Recipe};
use crate::architecture::Architecture;

/// All sets of packages.
pub(crate) fn sets() -> Vec<Packages> {
    let fetched = Architecture::VALUES.iter().flat_map(|&one| Packages::of(one)).chain([Packages::grub()]);
    fetched.chain(Recipe::builtin().into_iter().map(|recipe| recipe.source)).collect()
}

/// The command that makes what is in this folder of the cache.
pub(crate) fn command(folder: &str) -> String {
    let makes = |recipe: &Recipe| recipe.folder() == folder || recipe.source.folder() == folder;
    match Recipe::builtin().iter().find(|recipe| makes(recipe)) {
        Some(recipe) => format!("prazo lab build {}", recipe.name),
        None if folder.starts_with(recipe::FOLDER) => "prazo lab build RECIPE.toml".into(),
        None => format!("prazo lab fetch{}", Packages::fetch_flag(folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_signed() {
        for packages in sets() {
            assert_eq!(packages.sources().matches("[signed-by=/usr/share/keyrings/").count(), packages.suites.len());
        }
    }

    #[test]
    fn a_kernel_and_its_sources_come_by_building() {
        let recipe = Recipe::find("riscv64-rt").unwrap();
        assert_eq!(command(&recipe.folder()), "prazo lab build riscv64-rt");
        assert_eq!(command(&recipe.source.folder()), "prazo lab build riscv64-rt");
        assert_eq!(command("built-mine-6.12.117-0123456789abcdef"), "prazo lab build RECIPE.toml");
        assert_eq!(command("linux-riscv64-6.12.117"), "prazo lab fetch --architecture riscv64");
    }
}
