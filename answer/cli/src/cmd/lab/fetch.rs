//! `prazo lab fetch`: emulator, kernels and headers into the cache.

use super::{failure, progress::Gauge};
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_lab::{Architecture, Cache, Emulator, Fetch, agent};
use schemars::JsonSchema;
use serde::Serialize;

/// Where from.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Another Debian archive than deb.debian.org
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Leave this out; may be given twice, for the emulator alone
    #[arg(long, value_enum, value_name = "WHAT")]
    without: Vec<What>,
    /// Also emulator and kernels of the 64-bit Arm platforms: 194 MB; their agent takes a cross compiler
    #[arg(long)]
    arm64: bool,
    /// Also GRUB's tools, which make bootable discs
    #[arg(long)]
    disc: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What there is to fetch beside the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// The kernels of the built-in platforms: 350 MB.
    Kernels,
    /// What modules for them are built with, and the modules: 52 MB.
    Headers,
    /// The program that guests run, built where prazo's sources are: two minutes the first time.
    Agent,
}

/// An emulator that starts, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Fetched {
    /// Its program.
    program: String,
    /// What it says of its version.
    version: String,
    /// Whether it is the one that this lab was made with, so that its boots repeat elsewhere.
    pinned: bool,
}

impl Fetched {
    pub(crate) fn of(emulator: &Emulator) -> Self {
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

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let cache = Cache::of_user().map_err(failure)?;
        let fetch = Fetch { cache, mirror: self.mirror };
        let announce = &mut Gauge::new().teller();
        let emulator = fetch.emulator(announce).map_err(failure)?;
        if !self.without.contains(&What::Kernels) {
            fetch.kernels(announce).map_err(failure)?;
        }
        if !self.without.contains(&What::Headers) {
            fetch.headers(announce).map_err(failure)?;
            fetch.modules(announce).map_err(failure)?;
        }
        if self.disc {
            fetch.disc_tools(announce).map_err(failure)?;
        }
        if self.arm64 {
            fetch.arm64(announce).map_err(failure)?;
        }
        if !self.without.contains(&What::Agent) {
            build_agents(self.arm64)?;
        }
        let fetched = Fetched::of(&emulator);
        if self.json {
            out::json(&fetched)?;
        } else {
            out::text(&fetched.to_string())?;
        }
        Ok(Exit::Pass)
    }
}

/// What guests run is no package: it is built, where the sources are.
fn build_agents(arm64: bool) -> Result<(), Failure> {
    let Some(sources) = agent::build::sources() else {
        out::note(
            "the sources of this prazo are not around it, or not yours, so that the guests' agent is not built: `cargo xtask agent` in them builds it, PRAZO_AGENT names one",
        );
        return Ok(());
    };
    let wanted = Architecture::ALL.into_iter().filter(|one| arm64 || *one == Architecture::X86_64);
    let mut say = |line: &str| out::note(format_args!("    {line}"));
    wanted.into_iter().try_for_each(|one| agent::build::build(&sources, one, &mut say)).map_err(failure)
}
