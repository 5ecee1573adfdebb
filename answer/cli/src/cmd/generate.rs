//! `prazo generate`: manual pages and completions from the one list of flags, and the schemas of what `--json` prints.

use super::{Command, schema};
use crate::exit::{Exit, Failure};
use clap::CommandFactory;
use std::path::PathBuf;

/// Manual pages, shell completions and schemas.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
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
    /// Writes them.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.what {
            What::Man { folder } => manual_pages(&folder)?,
            What::Schema { folder } => schema::write_all(&folder)?,
            What::Completions { shell } => {
                clap_complete::generate(shell, &mut Command::command(), "prazo", &mut std::io::stdout());
            }
        }
        Ok(Exit::Pass)
    }
}

fn manual_pages(folder: &std::path::Path) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::world(format!("cannot write manual pages to {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Command::command(), folder).map_err(failed)
}
