//! A kernel's recipe as data: its sources, its processor, and the options that are on.

use super::packages::Packages;
use crate::architecture::Architecture;
use crate::checksum::{is_short, sha256};
use crate::error::LabError;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The recipes that prazo carries, one file each.
const BUILTIN: [&str; 1] = [include_str!("../../recipes/riscv64-rt.toml")];

/// What the folder of a built kernel begins with, in the cache.
pub(super) const FOLDER: &str = "built-";

/// The name of every package set with sources.
const SOURCES: &str = "linux-source";

/// What a kernel is built from and how.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name, which ends the kernel's release.
    pub name: String,
    /// Description of the kernel, in one line.
    pub text: String,
    /// The processor that it is built for.
    pub architecture: Architecture,
    /// About how many files are compiled, to show how far a build is.
    #[serde(default = "usual")]
    pub files: u32,
    /// Options of the kernel's configuration, as `NAME=value` without `CONFIG_`. All others are off, or as these need them.
    pub options: Vec<String>,
    /// The one package with the kernel's sources.
    pub(crate) source: Packages,
    /// Checksum of the recipe's text: another recipe is another kernel.
    #[serde(skip)]
    sum: String,
}

/// As many files as a kernel for the lab has, about.
fn usual() -> u32 {
    1400
}

impl Recipe {
    /// All built-in recipes.
    pub fn builtin() -> Vec<Self> {
        BUILTIN.iter().map(|text| Self::from_toml("built-in", text).expect("built-in recipes are tested")).collect()
    }

    /// A built-in recipe's name, or else a TOML file.
    ///
    /// # Errors
    /// There is neither, or the file is no recipe.
    pub fn find(name: &str) -> Result<Self, LabError> {
        let builtin = Self::builtin();
        if let Some(recipe) = builtin.iter().find(|recipe| recipe.name == name) {
            return Ok(recipe.clone());
        }
        if !Path::new(name).is_file() {
            let known: Vec<_> = builtin.iter().map(|recipe| recipe.name.as_str()).collect();
            return Err(LabError::NoRecipe { name: name.to_owned(), known: known.join(", ") });
        }
        let text = std::fs::read_to_string(name).map_err(LabError::system(format!("read {name}")))?;
        let recipe = Self::from_toml(name, &text)?;
        match builtin.iter().find(|one| one.name == recipe.name) {
            Some(one) => {
                let what = format!("name: '{}' is the name of a built-in recipe; choose another name", one.name);
                Err(LabError::Recipe { recipe: name.to_owned(), what })
            }
            None => Ok(recipe),
        }
    }

    /// Reads a recipe; `origin` is what an error calls it.
    pub(crate) fn from_toml(origin: &str, text: &str) -> Result<Self, LabError> {
        let refused = |what: String| LabError::Recipe { recipe: origin.to_owned(), what };
        let mut recipe: Self = toml::from_str(text).map_err(|error| refused(error.to_string()))?;
        recipe.check().map_err(refused)?;
        recipe.sum = sha256(text.as_bytes())[..16].to_owned();
        Ok(recipe)
    }

    /// Its name and the version of its sources become parts of folders' names and of a release.
    fn check(&self) -> Result<(), String> {
        let is_of = |text: &str, other: fn(char) -> bool| {
            let mut all = text.chars();
            (1..=24).contains(&text.len())
                && all.all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || other(one))
        };
        if !is_of(&self.name, |one| one == '-') {
            return Err(format!("name: '{}'; use up to 24 lowercase letters, digits and hyphens", self.name));
        }
        let version = &self.source.version;
        if !is_of(version, |one| ".~".contains(one)) || !version.starts_with(|one: char| one.is_ascii_digit()) {
            return Err(format!("source.version: '{version}'; give the kernel's version, for example 6.12.117"));
        }
        if self.source.name != SOURCES {
            return Err(format!("source.name: '{}'; write {SOURCES}", self.source.name));
        }
        if self.source.pinned.len() != 1 {
            let count = self.source.pinned.len();
            return Err(format!("source.pinned: {count} packages; name the one package with the sources"));
        }
        self.options.iter().try_for_each(|option| check_option(option))?;
        let name = |option: &String| option.split('=').next().unwrap_or_default().to_owned();
        let names: BTreeSet<_> = self.options.iter().map(name).collect();
        if names.len() == self.options.len() { Ok(()) } else { Err("options: one is given twice".into()) }
    }

    /// The kernel's release, as `uname -r` prints it.
    pub fn release(&self) -> String {
        format!("{}-{}", self.source.version, self.name)
    }

    /// The folder of the built kernel in the cache.
    pub fn folder(&self) -> String {
        format!("{}-{}-{}", Self::stem(&self.name), self.source.version, self.sum)
    }

    fn stem(name: &str) -> String {
        format!("{FOLDER}{name}")
    }

    /// True for the folder of a kernel that a recipe built, unless it is old.
    pub(crate) fn is_built(folder: &str) -> bool {
        folder.starts_with(FOLDER) && !Self::is_old(folder)
    }

    /// True for the folder of a kernel that a built-in recipe of another version built: `built-NAME-VERSION-SUM`.
    pub(crate) fn is_old(folder: &str) -> bool {
        let is_of = |recipe: &Self| {
            let rest = folder.strip_prefix(&Self::stem(&recipe.name)).and_then(|rest| rest.strip_prefix('-'));
            rest.and_then(|rest| rest.split_once('-')).is_some_and(|(_, sum)| is_short(sum))
        };
        Self::builtin().iter().any(|recipe| is_of(recipe) && recipe.folder() != folder)
    }
}

/// An option of Linux' configuration that is on, off or has a value. Modules are not built.
fn check_option(option: &str) -> Result<(), String> {
    let is_symbol = |name: &str| {
        !name.starts_with("CONFIG_")
            && !name.is_empty()
            && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    match option.split_once('=') {
        Some(("LOCALVERSION", _)) => Err("options: 'LOCALVERSION' is set by prazo, from the recipe's name".into()),
        Some((_, "m")) => Err(format!("options: '{option}'; modules are not built: write y")),
        Some((name, value)) if is_symbol(name) && !value.is_empty() => Ok(()),
        _ => Err(format!("options: '{option}'; write NAME=value without CONFIG_, for example PREEMPT_RT=y")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_recipes_are_sound_and_pinned() {
        for recipe in Recipe::builtin() {
            assert_eq!(Recipe::find(&recipe.name).unwrap(), recipe);
            assert_eq!(recipe.source.pinned.len(), 1, "{}", recipe.name);
            assert!(recipe.options.contains(&"BLK_DEV_INITRD=y".to_owned()));
        }
    }

    #[test]
    fn another_recipe_is_another_folder_and_the_old_one_is_known() {
        let [text] = BUILTIN;
        let (recipe, other) = (Recipe::from_toml("a", text).unwrap(), text.replace("\"SMP=y\",", ""));
        let other = Recipe::from_toml("b", &other).unwrap();
        assert_ne!(recipe.folder(), other.folder());
        assert!(Recipe::is_old(&other.folder()) && !Recipe::is_old(&recipe.folder()));
        for users in ["built-mine-6.12.117-0123456789abcdef", "built-riscv64-rt-mine-6.12.117-0123456789abcdef"] {
            assert!(!Recipe::is_old(users) && Recipe::is_built(users), "a user's is not prazo's to judge: {users}");
        }
        assert_eq!(recipe.release(), "6.12.117-riscv64-rt");
    }

    #[test]
    fn what_cannot_be_is_refused_by_field() {
        let wrong = [
            ("name = \"riscv64-rt\"", "name = \"a/b\"", "name: 'a/b'"),
            ("version = \"6.12.117\"", "version = \"\"", "source.version"),
            ("\"SMP=y\"", "\"CONFIG_SMP=y\"", "options: 'CONFIG_SMP=y'"),
            ("\"SMP=y\"", "\"SMP\"", "options: 'SMP'"),
            ("\"SMP=y\"", "\"SMP=m\"", "options: 'SMP=m'"),
            ("\"SMP=y\"", "\"MMU=y\"", "given twice"),
            ("\"SMP=y\"", "\"LOCALVERSION=x\"", "LOCALVERSION"),
            ("name = \"linux-source\"", "name = \"../linux\"", "source.name"),
            ("version = \"6.12.117\"", "version = \"6.12-1\"", "source.version: '6.12-1'"),
            ("files =", "fils =", "fils"),
            ("\"riscv64\"", "\"mips\"", "mips"),
        ];
        for (right, replaced, field) in wrong {
            let text = BUILTIN[0].replacen(right, replaced, 1);
            assert_ne!(text, BUILTIN[0], "{right}");
            let error = Recipe::from_toml("test", &text).unwrap_err().to_string();
            assert!(error.contains(field), "{replaced}: {error}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, BUILTIN[0]).unwrap();
        let error = Recipe::find(file.path().to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains("name: 'riscv64-rt' is the name of a built-in recipe"), "{error}");
        let error = Recipe::find("riscv-rt").unwrap_err().to_string();
        assert!(error.contains("riscv-rt") && error.contains("riscv64-rt"), "{error}");
    }
}
