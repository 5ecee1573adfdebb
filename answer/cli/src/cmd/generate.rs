//! `prazo generate`: manual pages and completions from the one list of flags, and the schemas of what `--json` prints.

use crate::exit::{Exit, Failure};
use crate::out;
use clap::Command;
use prazo::schema;
use std::path::PathBuf;

/// Generate manual pages, shell completions and JSON schemas
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo generate man man                        then: man -l man/prazo.1
  prazo generate completions bash > prazo.bash")]
pub(crate) struct Args {
    #[command(subcommand)]
    kind: Generated,
}

#[derive(clap::Subcommand, Debug)]
enum Generated {
    /// Write manual pages to a folder, one for each command
    Man {
        /// Folder for the manual pages, created if necessary
        folder: PathBuf,
    },
    /// Print the completions of a shell
    Completions {
        /// Shell that will use the completions
        shell: clap_complete::Shell,
    },
    /// Write the JSON schemas of all --json output to a folder
    Schema {
        /// Folder for the schemas, created if necessary
        folder: PathBuf,
    },
}

impl Args {
    /// Writes them; `command` is the list of all flags.
    pub(crate) fn run(self, mut command: Command) -> Result<Exit, Failure> {
        match self.kind {
            Generated::Man { folder } => manual_pages(command, &folder)?,
            Generated::Schema { folder } => schema::write_all(&folder)?,
            Generated::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command, "prazo", &mut script);
                out::bytes(&script)?;
            }
        }
        Ok(Exit::Pass)
    }
}

fn manual_pages(command: Command, folder: &std::path::Path) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::world(format!("cannot write manual pages to {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)
}
