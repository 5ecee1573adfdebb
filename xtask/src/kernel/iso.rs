//! `cargo xtask kernel iso`: the kernel on a bootable disc, for real machines and for the lab.

use super::build::KernelShape;
use super::session::announce;
use super::table;
use super::tasks::{Reading, Tasks};
use prazo_lab::{Cache, Disc, DiscTools, Fetch, LabError};
use std::path::PathBuf;

/// What to put on the disc.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    shape: KernelShape,
    /// The kernel's words, as `kernel run` gives them
    #[arg(long, value_name = "TEXT", default_value = "scenario")]
    words: String,
    /// A task set's file, which the kernel is handed beside its words
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// The image
    #[arg(long, short, value_name = "FILE", default_value = "prazo-kernel.iso")]
    out: PathBuf,
}

impl Args {
    /// Builds the kernel and the image, and prints where that is.
    pub(super) fn run(self) -> Result<(), String> {
        let configuration = self.shape.configuration()?;
        let kernel = self.shape.build()?;
        let table = |file: &PathBuf| {
            let tasks = Tasks::of_file(file, &self.reading, &configuration)?;
            table::keep(&kernel, &table::bytes(&tasks.records(), &configuration)?)
        };
        let disc = Disc { file: self.scenario.as_ref().map(table).transpose()?, kernel, words: self.words };
        let tools = tools().map_err(|error| error.to_string())?;
        tools.make(&disc, &self.out).map_err(|error| error.to_string())?;
        println!("{}", self.out.display());
        Ok(())
    }
}

/// GRUB's tools, fetched where they are missing; nothing is installed.
fn tools() -> Result<DiscTools, LabError> {
    match DiscTools::find() {
        Err(LabError::NotFetched { .. }) => Fetch::new(Cache::of_user()?).disc_tools(&mut announce),
        found => found,
    }
}
