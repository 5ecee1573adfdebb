//! Sets of Debian packages, as data: the emulator, kernels, headers, and what makes discs; one file each.

use serde::Deserialize;

/// What is fetched, and from where.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packages {
    /// What it is for; with the version it names the folder in the cache.
    pub name: String,
    /// What `--version` must say.
    pub version: String,
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
    /// The emulator of this lab.
    pub(crate) fn qemu() -> Self {
        toml::from_str(include_str!("qemu.toml")).expect("qemu.toml is tested")
    }

    /// The emulator's sister for 64-bit Arm; libraries and firmware it shares.
    pub(crate) fn qemu_arm64() -> Self {
        toml::from_str(include_str!("qemu-arm64.toml")).expect("qemu-arm64.toml is tested")
    }

    /// The kernels of the 64-bit Arm platforms.
    pub(crate) fn arm64_kernels() -> Self {
        toml::from_str(include_str!("linux-arm64-6.12.toml")).expect("linux-arm64-6.12.toml is tested")
    }

    /// What makes bootable discs.
    pub(crate) fn grub() -> Self {
        toml::from_str(include_str!("grub.toml")).expect("grub.toml is tested")
    }

    /// The kernels of the built-in platforms.
    pub(crate) fn kernels() -> Vec<Self> {
        let read = |text| toml::from_str(text).expect("linux-*.toml are tested");
        [include_str!("linux-6.1.toml"), include_str!("linux-6.12.toml")].map(read).into()
    }

    /// All sets.
    pub(crate) fn all() -> Vec<Self> {
        let single = vec![Self::qemu(), Self::qemu_arm64(), Self::arm64_kernels(), Self::grub()];
        [single, Self::kernels(), Self::headers()].concat()
    }

    /// What modules for them are built with.
    pub(crate) fn headers() -> Vec<Self> {
        let read = |text| toml::from_str(text).expect("headers-*.toml are tested");
        [include_str!("headers-6.1.toml"), include_str!("headers-6.12.toml")].map(read).into()
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
        let packages = Packages::qemu();
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
        let wanted = Packages::qemu().wanted();
        assert!(wanted.contains(&"seabios:amd64=1.16.3-2~bpo12+1".to_owned()) && wanted.contains(&"zlib1g".to_owned()));
    }
}
