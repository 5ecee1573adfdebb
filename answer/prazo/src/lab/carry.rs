//! The cache as one file, for machines that cannot reach the archives.

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_core::text::{counted, printable};
use prazo_lab::{Cache, Carried};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// Result of an export or import of the lab's cache, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Moved {
    /// Sets of packages that were exported or imported.
    pub sets: Vec<String>,
    /// Sets of packages that were already in the cache and were left unchanged.
    pub there: Vec<String>,
    /// Number of files and links that were exported or imported.
    pub entries: u64,
    /// Size of the exported or imported files in bytes, unpacked.
    pub bytes: u64,
    /// SHA-256 checksum of the archive's list of all files and links; equal on both machines if all files and links are equal.
    pub sha256: String,
    #[serde(skip)]
    transfer: Transfer,
}

enum Transfer {
    Exported,
    Imported,
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.transfer {
            Transfer::Exported => "exported",
            Transfer::Imported => "imported",
        };
        self.sets.iter().try_for_each(|set| writeln!(f, "{verb} {}", printable(set)))?;
        self.there.iter().try_for_each(|set| writeln!(f, "{} was already in the cache", printable(set)))?;
        let (files, megabytes) = (counted(self.entries, "file"), self.bytes / 1_000_000);
        write!(f, "{files}, {megabytes} MB, checksum of the archive's file list {}", self.sha256)
    }
}

/// Packs the cache into a tar archive, packed by zstd.
///
/// # Errors
/// The cache is empty, or the file cannot be written.
pub fn export(file: &Path, progress: &mut dyn Progress) -> Result<Moved, Error> {
    let cache = Cache::of_user().map_err(lab_error)?;
    cache
        .export(file, &mut |step| progress.fetching(step))
        .map(|carried| Moved::of(carried, Transfer::Exported))
        .map_err(lab_error)
}

/// Takes what such an archive holds into the cache, checksums compared; what is there already is left alone.
///
/// # Errors
/// The archive cannot be read, is damaged, or does not fit on the disk.
pub fn import(file: &Path, progress: &mut dyn Progress) -> Result<Moved, Error> {
    let cache = Cache::of_user().map_err(lab_error)?;
    cache
        .import(file, &mut |step| progress.fetching(step))
        .map(|carried| Moved::of(carried, Transfer::Imported))
        .map_err(lab_error)
}

impl Moved {
    fn of(carried: Carried, transfer: Transfer) -> Self {
        let Carried { sets, there, entries, bytes, sha256 } = carried;
        Self { sets, there, entries, bytes, sha256, transfer }
    }
}
