//! `prazo lab export` and `prazo lab import`: the cache as one file, for machines that have no way to the archives.

use super::{failure, progress::Gauge};
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_lab::{Cache, Carried};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The file.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A tar archive, packed by zstd: lab.tar.zst
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What went out or came in, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Moved {
    /// The sets that were carried.
    sets: Vec<String>,
    /// Those that were in the cache already, and were left alone.
    there: Vec<String>,
    /// Files and links.
    entries: u64,
    /// Bytes in the files, unpacked.
    bytes: u64,
    /// The checksum of the list of everything: equal on both sides where everything is equal.
    sha256: String,
}

impl Args {
    /// Out of the cache.
    pub(super) fn export(self) -> Result<Exit, Failure> {
        let cache = Cache::of_user().map_err(failure)?;
        let carried = cache.export(&self.file, &mut Gauge::new().teller()).map_err(failure)?;
        self.tell(carried, "exported")
    }

    /// Into the cache.
    pub(super) fn import(self) -> Result<Exit, Failure> {
        let cache = Cache::of_user().map_err(failure)?;
        let carried = cache.import(&self.file, &mut Gauge::new().teller()).map_err(failure)?;
        self.tell(carried, "imported")
    }

    fn tell(&self, carried: Carried, verb: &str) -> Result<Exit, Failure> {
        let Carried { sets, there, entries, bytes, sha256 } = carried;
        let moved = Moved { sets, there, entries, bytes, sha256 };
        if self.json {
            out::json(&moved)?;
            return Ok(Exit::Pass);
        }
        for set in &moved.sets {
            out::text_line(&format!("{verb} {set}"))?;
        }
        for set in &moved.there {
            out::text_line(&format!("{set} was there already"))?;
        }
        let megabytes = moved.bytes / 1_000_000;
        out::text_line(&format!("{} files, {megabytes} MB, checksum of the list {}", moved.entries, moved.sha256))?;
        Ok(Exit::Pass)
    }
}
