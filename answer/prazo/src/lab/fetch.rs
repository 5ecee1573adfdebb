//! Emulator, kernels, headers and agent into the cache.

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::{Progress, Remark};
use prazo_lab::{Architecture, Cache, Emulator, Fetch, agent};
use schemars::JsonSchema;
use serde::Serialize;

/// What is fetched beside the emulator, unless it is there.
#[derive(Clone, Debug, Default)]
pub struct FetchRequest {
    /// Another Debian archive than deb.debian.org.
    pub mirror: Option<String>,
    /// The kernels of the built-in platforms.
    pub kernels: bool,
    /// What modules for them are built with, and the modules.
    pub headers: bool,
    /// The program that guests run, built where prazo's sources are.
    pub agent: bool,
    /// Also emulator, kernels and agent of the 64-bit Arm platforms.
    pub arm64: bool,
    /// GRUB's tools, which make bootable discs.
    pub disc: bool,
}

/// An emulator that starts, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Fetched {
    /// Its program.
    pub program: String,
    /// Version that it prints.
    pub version: String,
    /// Whether it is the pinned one, so that its boots repeat elsewhere.
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
        let note = if self.pinned { "" } else { ", not the pinned one" };
        write!(f, "{} ({}{note})", self.version, self.program)
    }
}

/// Fetches what is not in the cache.
///
/// # Errors
/// The archive cannot be reached, what came is not what was expected, or something cannot be built.
pub fn fetch(request: &FetchRequest, progress: &mut dyn Progress) -> Result<Fetched, Error> {
    let cache = Cache::of_user().map_err(lab_error)?;
    let fetch = Fetch { cache, mirror: request.mirror.clone() };
    let announce = &mut |step: prazo_lab::Progress<'_>| progress.fetching(step);
    let emulator = fetch.emulator(announce).map_err(lab_error)?;
    if request.kernels {
        fetch.kernels(announce).map_err(lab_error)?;
    }
    if request.headers {
        fetch.headers(announce).map_err(lab_error)?;
        fetch.modules(announce).map_err(lab_error)?;
    }
    if request.disc {
        fetch.disc_tools(announce).map_err(lab_error)?;
    }
    if request.arm64 {
        fetch.arm64(announce).map_err(lab_error)?;
    }
    if request.agent {
        build_agents(request.arm64, progress)?;
    }
    Ok(Fetched::of(&emulator))
}

/// What guests run is no package: it is inside this program, or it is built where the sources are.
fn build_agents(arm64: bool, progress: &mut dyn Progress) -> Result<(), Error> {
    let wanted: Vec<_> = Architecture::ALL.into_iter().filter(|one| arm64 || *one == Architecture::X86_64).collect();
    if wanted.iter().all(|one| agent::inside::has(*one)) {
        return Ok(());
    }
    let Some(sources) = agent::build::sources() else {
        progress.remark(&Remark::Text(
            "cannot build the guest agent: no source tree next to this binary, or not owned by you; build it with `cargo xtask agent`, or name one in PRAZO_AGENT"
                .into(),
        ));
        return Ok(());
    };
    let mut say = |line: &str| progress.remark(&Remark::Text(format!("    {line}")));
    wanted.into_iter().try_for_each(|one| agent::build::build(&sources, one, &mut say)).map_err(lab_error)
}
