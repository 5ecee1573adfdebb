//! `prazo lab export` and `prazo lab import`: the cache as one file, for machines that have no way to the archives.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab;
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
        let moved = lab::export(&self.file, &mut Console::default())?;
        out::answer(self.json, &moved)?;
        Ok(Exit::Pass)
    }

    /// Into the cache.
    pub(crate) fn import(self) -> Result<Exit, Failure> {
        let moved = lab::import(&self.file, &mut Console::default())?;
        out::answer(self.json, &moved)?;
        Ok(Exit::Pass)
    }
}
