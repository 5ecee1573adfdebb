//! `prazo lab fetch`: emulator, kernels and headers into the cache.

use super::failure;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_lab::{Cache, Emulator, Fetch, Progress};
use schemars::JsonSchema;
use serde::Serialize;

/// Where from.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Another Debian archive than deb.debian.org
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Leave this out; may be given twice, for the emulator alone
    #[arg(long, value_enum, value_name = "WHAT")]
    without: Vec<What>,
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
}

/// An emulator that starts, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Fetched {
    /// Its program.
    program: String,
    /// What it says of its version.
    version: String,
    /// Whether it is the one that this lab was made with, so that its boots repeat elsewhere.
    pinned: bool,
}

impl Fetched {
    pub fn of(emulator: &Emulator) -> Self {
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
    pub fn run(self) -> Result<Exit, Failure> {
        let cache = Cache::of_user().map_err(failure)?;
        let fetch = Fetch { cache, mirror: self.mirror };
        let emulator = fetch.emulator(&mut announce).map_err(failure)?;
        if !self.without.contains(&What::Kernels) {
            fetch.kernels(&mut announce).map_err(failure)?;
        }
        if !self.without.contains(&What::Headers) {
            fetch.headers(&mut announce).map_err(failure)?;
            fetch.modules(&mut announce).map_err(failure)?;
        }
        if self.disc {
            fetch.disc_tools(&mut announce).map_err(failure)?;
        }
        let fetched = Fetched::of(&emulator);
        if self.json {
            out::json(&fetched)?;
        } else {
            out::text_line(&fetched.to_string())?;
        }
        Ok(Exit::Pass)
    }
}

/// Steps, and the packages as they come.
fn announce(progress: Progress<'_>) {
    match progress {
        Progress::Step(number, of, what) => eprintln!("{number}/{of} {what}"),
        Progress::Line(line) if line.starts_with("Get:") => eprintln!("    {line}"),
        Progress::Line(_) => {}
        Progress::Built(what) => eprintln!("{what}"),
    }
}
