//! Emulator, kernels, headers and agent into the cache.

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::{Progress, Remark};
use prazo_lab::{Architecture, Cache, Emulator, Fetch, LabError, Part, Platform, agent};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is fetched beside the emulator, unless it is there.
#[derive(Clone, Debug, Default)]
pub struct FetchRequest {
    /// Another Debian archive than deb.debian.org.
    pub mirror: Option<String>,
    /// The platforms to fetch for, by name or file; none: all built-in ones of the architectures.
    pub only: Vec<String>,
    /// Another release of the kernels, instead of the one that the lab pins; then [`Self::only`] is empty.
    pub release: Option<String>,
    /// The processors of the built-in platforms to fetch for; none: x86-64.
    pub architectures: Vec<Architecture>,
    /// The kernels of these platforms.
    pub kernels: bool,
    /// What modules for them are built with, and the modules.
    pub headers: bool,
    /// The program that guests run, built where prazo's sources are.
    pub agent: bool,
    /// GRUB's tools, which make bootable discs.
    pub disc: bool,
}

/// An emulator that the lab can start, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Fetched {
    /// Program file of the emulator.
    pub program: String,
    /// Version that the emulator prints.
    pub version: String,
    /// Whether the emulator is from the packages that the lab pins, so that its boots repeat on other machines.
    pub pinned: bool,
}

impl Fetched {
    pub(super) fn of(emulator: &Emulator) -> Self {
        let program = emulator.program().display().to_string();
        Self { program, version: emulator.version().to_owned(), pinned: emulator.is_pinned() }
    }
}

impl std::fmt::Display for Fetched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let note = if self.pinned { "" } else { ", not from the pinned packages" };
        write!(f, "{} ({}{note})", self.version, self.program)
    }
}

impl FetchRequest {
    fn platforms(&self) -> Result<Vec<Platform>, LabError> {
        let default = [Architecture::default()];
        if let Some(version) = &self.release {
            let architectures = if self.architectures.is_empty() { &default[..] } else { &self.architectures };
            return Platform::of_release(version, architectures);
        }
        match (&self.only[..], &self.architectures[..]) {
            ([], []) => Ok(Platform::builtin_on(&default)),
            ([], architectures) => Ok(Platform::builtin_on(architectures)),
            (names, _) => names.iter().map(|name| Platform::find(name)).collect(),
        }
    }

    fn parts(&self) -> Vec<Part> {
        let wanted = [
            (Part::Emulators, true),
            (Part::Kernels, self.kernels),
            (Part::Headers, self.headers),
            (Part::DiscTools, self.disc),
        ];
        wanted.into_iter().filter_map(|(part, is_wanted)| is_wanted.then_some(part)).collect()
    }
}

/// Fetches what is not in the cache.
///
/// # Errors
/// A platform is not known, the archive cannot be reached, what came is not what was expected, or something cannot be built.
pub fn fetch(request: &FetchRequest, progress: &mut dyn Progress) -> Result<Fetched, Error> {
    fetch_parts(request, progress).map_err(lab_error)
}

fn fetch_parts(request: &FetchRequest, progress: &mut dyn Progress) -> Result<Fetched, LabError> {
    let platforms = request.platforms()?;
    let fetch = Fetch { mirror: request.mirror.clone(), platforms, ..Fetch::new(Cache::of_user()?) };
    let parts = request.parts();
    let missing = fetch.missing(&parts)?;
    if !missing.is_empty() {
        progress.remark(&Remark::Text(download(&missing)));
    }
    let announce = &mut |step: prazo_lab::Progress<'_>| progress.fetching(step);
    fetch.parts(&parts, announce)?;
    if request.headers {
        fetch.modules(announce)?;
    }
    let emulator = fetch.emulator(announce)?;
    for (platform, recipe) in fetch.platforms.iter().filter_map(|one| Some((one, one.recipe()?))) {
        if platform.image(&fetch.cache).is_ok() {
            continue;
        }
        let name = &platform.name;
        let text = format!("lab:{name} has a kernel that is built from sources; run `prazo lab build {recipe}`");
        progress.remark(&Remark::Text(text));
    }
    if request.agent {
        build_agents(&fetch.architectures()?, progress)?;
    }
    Ok(Fetched::of(&emulator))
}

/// `downloading 174 MB: qemu-10.0.2 (33 MB), linux-6.1.0-50 (141 MB)`
fn download(missing: &[(String, u32)]) -> String {
    let total: u32 = missing.iter().map(|(_, size)| size).sum();
    let sets: Vec<_> = missing.iter().map(|(set, size)| format!("{set} ({size} MB)")).collect();
    format!("downloading {total} MB: {}", sets.join(", "))
}

/// What guests run is no package: it is inside this program, or it is built where the sources are.
fn build_agents(wanted: &BTreeSet<Architecture>, progress: &mut dyn Progress) -> Result<(), LabError> {
    if wanted.iter().all(|one| agent::inside::has(*one)) {
        return Ok(());
    }
    let Some(sources) = agent::build::sources() else {
        progress.remark(&Remark::Text(
            "cannot build the guest agent: there is no source tree next to this binary, or you do not own it; \
             build the agent with `cargo xtask agent`, or set PRAZO_AGENT to the file of an agent"
                .into(),
        ));
        return Ok(());
    };
    let mut say = |line: &str| progress.remark(&Remark::Text(format!("    {line}")));
    wanted.iter().try_for_each(|one| agent::build::build(&sources, *one, &mut say))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str], architectures: &[Architecture]) -> Vec<String> {
        let only = only.iter().map(|name| (*name).to_owned()).collect();
        let request = FetchRequest { only, architectures: architectures.to_vec(), ..FetchRequest::default() };
        request.platforms().unwrap().into_iter().map(|platform| platform.name).collect()
    }

    #[test]
    fn platforms_are_those_named_or_those_of_the_processors() {
        assert_eq!(names(&["rt-full", "arm64-rt"], &[]), ["rt-full", "arm64-rt"]);
        assert_eq!(names(&[], &[Architecture::Aarch64]), ["arm64-standard", "arm64-rt"]);
        assert_eq!(
            names(&[], &[Architecture::Armv7l]),
            ["armv7-standard", "armv7-rt", "armv7-a9-standard", "armv7-a9-rt"]
        );
        assert_eq!(names(&[], &[Architecture::Riscv64]), ["riscv64-standard", "riscv64-rt"]);
        assert_eq!(names(&[], &[Architecture::Ppc64le]), ["ppc64le-standard"]);
        assert_eq!(names(&[], &[]), names(&[], &[Architecture::X86_64]));
        assert_eq!(names(&[], Architecture::VALUES).len(), Platform::builtin().len());
    }

    #[test]
    fn a_download_is_announced_with_its_size() {
        let missing = [("qemu-10.0.2".to_owned(), 33), ("linux-6.1.0-50".to_owned(), 141)];
        assert_eq!(download(&missing), "downloading 174 MB: qemu-10.0.2 (33 MB), linux-6.1.0-50 (141 MB)");
    }
}
