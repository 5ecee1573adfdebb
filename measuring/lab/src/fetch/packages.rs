//! Sets of Debian packages, as data: the emulator, kernels, headers, and what makes discs; one file each.

use crate::architecture::Architecture;
use serde::Deserialize;

/// What is fetched, and from where.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packages {
    /// What it is for; with the version it names the folder in the cache.
    pub name: String,
    /// What `--version` must say.
    pub version: String,
    /// Size of its packages together, in MB.
    pub download_mb: u32,
    /// The archive.
    pub mirror: String,
    /// Its parts.
    pub suites: Vec<String>,
    /// The keys that its lists must be signed with.
    pub keyring: String,
    /// What the pinned packages run on, as Debian calls it; amd64 unless said.
    #[serde(default = "amd64")]
    pub architecture: String,
    /// Taken as the archive has them.
    pub libraries: Vec<String>,
    /// Taken in this version only.
    pub pinned: Vec<Pinned>,
}

fn amd64() -> String {
    "amd64".into()
}

/// A package that decides a guest's trajectory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pinned {
    /// Its name.
    pub name: String,
    /// Debian's version.
    pub version: String,
    /// The checksum of its file.
    pub sha256: String,
}

impl Packages {
    fn read(text: &str) -> Self {
        toml::from_str(text).expect("all sets are tested")
    }

    /// The emulator for an architecture; the libraries of all are in the default's.
    pub(crate) fn emulator(architecture: Architecture) -> Self {
        Self::read(architecture.emulator_packages())
    }

    /// The kernels of an architecture's built-in platforms.
    pub(crate) fn kernels(architecture: Architecture) -> Vec<Self> {
        architecture.kernel_packages().iter().map(|text| Self::read(text)).collect()
    }

    /// What modules for them are built with.
    pub(crate) fn headers(architecture: Architecture) -> Vec<Self> {
        architecture.header_packages().iter().map(|text| Self::read(text)).collect()
    }

    /// What makes bootable discs.
    pub(crate) fn grub() -> Self {
        Self::read(include_str!("grub.toml"))
    }

    fn of(architecture: Architecture) -> Vec<Self> {
        [vec![Self::emulator(architecture)], Self::kernels(architecture), Self::headers(architecture)].concat()
    }

    /// All sets.
    pub(crate) fn all() -> Vec<Self> {
        Architecture::VALUES.iter().flat_map(|&one| Self::of(one)).chain([Self::grub()]).collect()
    }

    /// What `prazo lab fetch` is told so that it fetches the set in this folder.
    pub(crate) fn fetch_flag(folder: &str) -> String {
        if Self::grub().folder() == folder {
            return " --disc".into();
        }
        let has_it = |one: &&Architecture| Self::of(**one).iter().any(|packages| packages.folder() == folder);
        Architecture::VALUES.iter().find(has_it).map_or_else(String::new, |one| one.fetch_flag())
    }

    /// The folder of the headers that belong to the kernels in a folder: they have its version.
    pub(crate) fn headers_folder(kernels: &str) -> String {
        format!("headers-{}", kernels.trim_start_matches("linux-"))
    }

    /// The folder in the cache.
    pub(crate) fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// The sources in apt's one-line form.
    pub(crate) fn sources(&self) -> String {
        let line = |suite: &String| format!("deb [signed-by={}] {} {suite} main\n", self.keyring, self.mirror);
        self.suites.iter().map(line).collect()
    }

    /// What `apt-get download` is to take.
    pub(crate) fn wanted(&self) -> Vec<String> {
        let pinned = self.pinned.iter().map(|one| format!("{}:{}={}", one.name, self.architecture, one.version));
        pinned.chain(self.libraries.iter().cloned()).collect()
    }

    /// The pinned package that a downloaded file holds, if any.
    pub(crate) fn pinned_in(&self, file: &str) -> Option<&Pinned> {
        self.pinned.iter().find(|package| file.split('_').next() == Some(&package.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_packages_are_the_version_that_the_lab_asks_for() {
        let packages = Packages::emulator(Architecture::X86_64);
        let emulator = packages.pinned_in("qemu-system-x86_1%3a10.0.2+ds-2_amd64.deb").unwrap();
        assert!(emulator.version.contains(&packages.version));
        assert!(packages.pinned.iter().all(|package| package.sha256.len() == 64));
        assert_eq!(packages.pinned_in("qemu-system-x86-extra_1_amd64.deb"), None);
    }

    #[test]
    fn every_source_is_signed() {
        for packages in Packages::all() {
            assert_eq!(packages.sources().matches("[signed-by=/usr/share/keyrings/").count(), packages.suites.len());
        }
    }

    #[test]
    fn pinned_packages_are_asked_for_by_version() {
        let wanted = Packages::emulator(Architecture::X86_64).wanted();
        assert!(wanted.contains(&"seabios:amd64=1.16.3-2~bpo12+1".to_owned()) && wanted.contains(&"zlib1g".to_owned()));
    }
}
