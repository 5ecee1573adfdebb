//! `prazo generate`: manual pages and completions from the one list of flags, and the schemas of what `--json` prints.

use super::schema;
use crate::exit::{Exit, Failure};
use crate::out;
use clap::Command;
use std::path::PathBuf;

/// Manual pages, shell completions and schemas.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    kind: Generated,
}

#[derive(clap::Subcommand, Debug)]
enum Generated {
    /// Manual pages, one for each command, into a folder
    Man {
        /// The folder, made if it is not there
        folder: PathBuf,
    },
    /// Completions of one shell, on standard output
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// JSON schemas of what the commands print with --json, one file for each, into a folder
    Schema {
        /// The folder, made if it is not there
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
