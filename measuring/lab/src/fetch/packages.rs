//! Sets of Debian packages, as data: the emulator, kernels, headers, and what makes discs; one file each.

use crate::architecture::Architecture;
use crate::kernel_release;
use serde::Deserialize;

/// Behind the name of a suite and of Debian's archive: the security updates, which have releases that the other suites lack.
const SECURITY: &str = "-security";

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

    /// The kernels in a folder, of another release of a known set's series. The archive's signature vouches for them: they have no
    /// checksum here. `None` where no known set is of that series.
    pub(crate) fn other_release(architecture: Architecture, folder: &str) -> Option<Self> {
        let (name, version) =
            kernel_release::split(folder).filter(|(_, version)| kernel_release::is_version(version))?;
        let is_of_series = |known: &Self| {
            known.name == name && kernel_release::series(&known.version) == kernel_release::series(version)
        };
        let known = Self::kernels(architecture).into_iter().find(is_of_series)?;
        let package = |pinned: &Pinned| {
            let name = kernel_release::replaced(&pinned.name, &known.version, version)?;
            Some(format!("{name}:{}", known.architecture))
        };
        Some(Self {
            version: version.to_owned(),
            suites: known
                .suites
                .iter()
                .cloned()
                .chain(known.suites.first().map(|suite| format!("{suite}{SECURITY}")))
                .collect(),
            libraries: known.pinned.iter().map(package).collect::<Option<_>>()?,
            pinned: Vec::new(),
            ..known
        })
    }

    /// What modules for them are built with.
    pub(crate) fn headers(architecture: Architecture) -> Vec<Self> {
        architecture.header_packages().iter().map(|text| Self::read(text)).collect()
    }

    /// What makes bootable discs.
    pub(crate) fn grub() -> Self {
        Self::read(include_str!("grub.toml"))
    }

    /// The sets of an architecture.
    pub(super) fn of(architecture: Architecture) -> Vec<Self> {
        [vec![Self::emulator(architecture)], Self::kernels(architecture), Self::headers(architecture)].concat()
    }

    /// What `prazo lab fetch` is told so that it fetches the set in this folder.
    pub(super) fn fetch_flag(folder: &str) -> String {
        if Self::grub().folder() == folder {
            return " --disc".into();
        }
        let is_other = |one: &&Architecture| Self::other_release(**one, folder).is_some();
        let has_it = |one: &&Architecture| Self::of(**one).iter().any(|packages| packages.folder() == folder);
        let known = Architecture::VALUES.iter().find(has_it).map(|one| one.fetch_flag());
        known.unwrap_or_else(|| {
            let other = Architecture::VALUES.iter().find(is_other).zip(kernel_release::split(folder));
            other.map_or_else(String::new, |(one, (_, version))| format!(" --release {version}{}", one.fetch_flag()))
        })
    }

    /// True for the folder of another release of a known set's series, for whatever architecture.
    pub(crate) fn is_other_release(folder: &str) -> bool {
        Architecture::VALUES.iter().any(|one| Self::other_release(*one, folder).is_some())
    }

    /// The same from another archive, which need not have the security updates beside it.
    pub(crate) fn at_mirror(mut self, mirror: &str) -> Self {
        self.mirror = mirror.to_owned();
        self.suites.retain(|suite| !suite.ends_with(SECURITY));
        self
    }

    /// True where the lab knows the headers that belong to the kernels in a folder.
    pub(crate) fn has_headers(kernels: &str) -> bool {
        let folder = Self::headers_folder(kernels);
        Architecture::VALUES.iter().any(|one| Self::headers(*one).iter().any(|packages| packages.folder() == folder))
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
        // Debian keeps its security updates in an archive of their own, next to the main one.
        let mirror = |suite: &String| {
            let own = if suite.ends_with(SECURITY) { SECURITY } else { "" };
            format!("{}{own}", self.mirror.trim_end_matches('/'))
        };
        let line = |suite: &String| format!("deb [signed-by={}] {} {suite} main\n", self.keyring, mirror(suite));
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
    fn another_release_is_taken_from_the_archives_as_it_is_there() {
        let packages = Packages::other_release(Architecture::X86_64, "linux-6.12.117").unwrap();
        assert_eq!(
            packages.wanted(),
            ["linux-image-6.12.117+deb12-amd64:amd64", "linux-image-6.12.117+deb12-rt-amd64:amd64"]
        );
        assert!(packages.sources().contains("http://deb.debian.org/debian-security bookworm-security main"));
        assert_eq!(packages.folder(), "linux-6.12.117");
        assert_eq!(Packages::fetch_flag("linux-6.12.117"), " --release 6.12.117");
        let arm = Packages::other_release(Architecture::Aarch64, "linux-arm64-6.12.90").unwrap();
        assert_eq!(arm.wanted(), ["linux-image-6.12.90+deb12-arm64:arm64", "linux-image-6.12.90+deb12-rt-arm64:arm64"]);
        assert_eq!(Packages::fetch_flag("linux-arm64-6.12.90"), " --release 6.12.90 --architecture aarch64");
        let riscv = Packages::other_release(Architecture::Riscv64, "linux-riscv64-6.12.107").unwrap();
        assert!(riscv.sources().contains("/debian-security trixie-security main"), "{}", riscv.sources());
        assert!(!packages.at_mirror("http://m/debian").sources().contains("security"));
        assert_eq!(Packages::other_release(Architecture::X86_64, "linux-7.0.1"), None);
        assert_eq!(Packages::other_release(Architecture::X86_64, "linux-own"), None);
    }

    #[test]
    fn pinned_packages_are_asked_for_by_version() {
        let wanted = Packages::emulator(Architecture::X86_64).wanted();
        assert!(wanted.contains(&"seabios:amd64=1.16.3-2~bpo12+1".to_owned()) && wanted.contains(&"zlib1g".to_owned()));
    }
}
