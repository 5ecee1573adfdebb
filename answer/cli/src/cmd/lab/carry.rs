//! `prazo lab export` and `prazo lab import`: the cache as one file, for machines that have no way to the archives.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{self, Moved};
use prazo_core::text::counted;
use std::path::PathBuf;

/// The file.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Archive, compressed by zstd, such as lab.tar.zst
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Out of the cache.
    pub(crate) fn export(self) -> Result<Exit, Failure> {
        self.print(&lab::export(&self.file, &mut Console::default())?, "exported")
    }

    /// Into the cache.
    pub(crate) fn import(self) -> Result<Exit, Failure> {
        self.print(&lab::import(&self.file, &mut Console::default())?, "imported")
    }

    fn print(&self, moved: &Moved, verb: &str) -> Result<Exit, Failure> {
        if self.json {
            out::json(moved)?;
            return Ok(Exit::Pass);
        }
        for set in &moved.sets {
            out::text_line(&format!("{verb} {set}"))?;
        }
        for set in &moved.there {
            out::text_line(&format!("{set} was already in the cache"))?;
        }
        let megabytes = moved.bytes / 1_000_000;
        out::text_line(&format!(
            "{}, {megabytes} MB, checksum of the list {}",
            counted(moved.entries, "file"),
            moved.sha256
        ))?;
        Ok(Exit::Pass)
    }
}
