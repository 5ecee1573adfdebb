//! `prazo lab fetch`: emulator, kernels and headers into the cache.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::one_of;
use crate::out;
use prazo::lab::{FetchRequest, fetch};
use prazo_lab::Architecture;

/// Where from.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Debian archive to use instead of deb.debian.org
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Do not fetch this part; repeat the flag to omit several parts
    #[arg(long, value_enum, value_name = "WHAT")]
    without: Vec<Part>,
    /// Fetch only what these platforms need, for example rt-full,arm64-rt
    ///
    /// The default is all built-in platforms of --architecture. `prazo lab list` shows the names of the platforms.
    #[arg(long, value_name = "PLATFORM", value_delimiter = ',', conflicts_with = "architecture")]
    only: Vec<String>,
    /// Fetch this release of the kernels instead of the built-in one, for example 6.12.90 or 6.1.0-57
    ///
    /// The platforms are then called rt-full-6.12.90 and so on. prazo knows no checksums of these packages; apt checks only the
    /// archive's signature. Debian's archive keeps only some releases.
    #[arg(long, value_name = "VERSION", conflicts_with = "only")]
    release: Option<String>,
    /// Fetch what all built-in platforms of this processor architecture need
    #[arg(long, value_delimiter = ',', value_parser = one_of::<Architecture>(Architecture::NAMES), default_value = "x86_64")]
    architecture: Vec<Architecture>,
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
    /// Kernels of the platforms: 141 MB (6.1) and 212 MB (6.12) for x86_64, 81 to 184 MB for another architecture
    Kernels,
    /// Kernel headers and the modules built with them: 24 MB (6.1), 28 MB (6.12)
    Headers,
    /// Agent: the measuring program that guests run; built from prazo's sources in two minutes, unless this prazo contains it
    Agent,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let has = |part| !self.without.contains(&part);
        let request = FetchRequest {
            kernels: has(Part::Kernels),
            headers: has(Part::Headers),
            agent: has(Part::Agent),
            only: self.only,
            release: self.release,
            architectures: self.architecture,
            disc: self.disc,
            mirror: self.mirror,
        };
        let fetched = fetch(&request, &mut Console::default())?;
        out::answer(self.json, &fetched)?;
        Ok(Exit::Pass)
    }
}
