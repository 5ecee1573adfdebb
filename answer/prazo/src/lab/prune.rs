//! What the lab's cache no longer needs.

use crate::error::Error;
use crate::guest::lab_error;
use prazo_core::text::counted;
use prazo_lab::{Cache, Stale};
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use schemars::JsonSchema;
use serde::Serialize;

/// What was removed from the lab's cache, or would be, as `--json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pruned {
    /// Whether the entries were removed; false with `--dry-run`.
    pub removed: bool,
    /// Folder of the cache.
    pub folder: String,
    /// Size of all entries together, in bytes.
    pub bytes: u64,
    /// The entries, by name.
    pub entries: Vec<PrunedEntry>,
}

/// One unused folder or file of the lab's cache.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PrunedEntry {
    /// Path of the entry in the cache.
    pub name: String,
    /// What the entry is: `set`, `work`, `module`, `plugin`, `agent`, `kernel` or `symbols`.
    pub kind: String,
    /// Size of the entry's files, in bytes.
    pub bytes: u64,
}

impl From<Stale> for PrunedEntry {
    fn from(stale: Stale) -> Self {
        Self { name: stale.name, kind: stale.kind.to_string(), bytes: stale.bytes }
    }
}

/// Removes from the cache what this prazo does not use, or only finds it.
///
/// # Errors
/// The cache cannot be read, or something in it cannot be removed.
pub fn prune(only_show: bool) -> Result<Pruned, Error> {
    let cache = Cache::of_user().map_err(lab_error)?;
    let found = if only_show { prazo_lab::stale(&cache) } else { prazo_lab::prune(&cache) }.map_err(lab_error)?;
    Ok(Pruned {
        removed: !only_show,
        folder: cache.folder().display().to_string(),
        bytes: found.iter().map(|one| one.bytes).sum(),
        entries: found.into_iter().map(PrunedEntry::from).collect(),
    })
}

impl InWords for Pruned {
    fn write(&self, to: &mut Words<'_>) {
        if self.entries.is_empty() {
            to.line(format_args!(
                "nothing to remove: everything in {} is in use or does not belong to prazo",
                self.folder
            ));
            return;
        }
        let row = |one: &PrunedEntry| {
            [one.name.as_str(), &one.kind, &megabytes(one.bytes)].map(Cell::from).into_iter().collect::<Vec<_>>()
        };
        to.table(&[Side::Left, Side::Left, Side::Right], &["entry", "kind", "MB"], self.entries.iter().map(row));
        let what =
            format!("{}, {} MB in {}", counted(self.entries.len() as u64, "entry"), megabytes(self.bytes), self.folder);
        let (does, then) =
            if self.removed { ("removed", "") } else { ("would remove", "; `prazo lab prune` removes them") };
        to.line(format_args!("{does} {what}{then}"));
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}
