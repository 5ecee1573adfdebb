//! `prazo lab fetch`: emulator, kernels and headers into the cache.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{FetchRequest, fetch};

/// Where from.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Debian archive to use instead of deb.debian.org
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Omit this part; give it several times to omit several
    #[arg(long, value_enum, value_name = "WHAT")]
    without: Vec<Part>,
    /// Also fetch the emulator and kernels of the 64-bit Arm platforms (194 MB)
    #[arg(long)]
    arm64: bool,
    /// Also fetch GRUB's tools, which make bootable discs
    #[arg(long)]
    disc: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What there is to fetch beside the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Kernels of the built-in platforms: 350 MB
    Kernels,
    /// Kernel headers and the modules built with them: 52 MB
    Headers,
    /// Agent: the program that guests run, built from prazo's sources in two minutes
    Agent,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let has = |part| !self.without.contains(&part);
        let request = FetchRequest {
            kernels: has(Part::Kernels),
            headers: has(Part::Headers),
            agent: has(Part::Agent),
            arm64: self.arm64,
            disc: self.disc,
            mirror: self.mirror,
        };
        let fetched = fetch(&request, &mut Console::default())?;
        out::answer(self.json, &fetched)?;
        Ok(Exit::Pass)
    }
}
