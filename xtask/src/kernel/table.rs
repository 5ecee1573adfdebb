//! Task tables on their way to the kernel: made, and kept beside it under a name of their own, so that a command repeats.

use super::configuration::Configuration;
use prazo_scenario::binary::{self, TaskRecord};
use std::path::{Path, PathBuf};

/// `records` for the shape of `configuration`.
pub(super) fn bytes(records: &[TaskRecord], configuration: &Configuration) -> Result<Vec<u8>, String> {
    let (processors, queues) = (configuration.processors() as u16, configuration.clusters.len() as u16);
    binary::bytes(processors, queues, records).map_err(|refused| refused.to_string())
}

/// Writes `table` into the folder of `kernel`, named by its checksum; where it is.
///
/// Another chore may write the same at the same time, so it is complete before it has its name.
pub(super) fn keep(kernel: &Path, table: &[u8]) -> Result<PathBuf, String> {
    let folder = kernel.with_file_name("tables");
    let checksum = table.last_chunk::<4>().copied().map_or(0, u32::from_le_bytes);
    let file = folder.join(format!("{checksum:08x}.table"));
    let write = || {
        std::fs::create_dir_all(&folder)?;
        let mut unnamed = tempfile::NamedTempFile::new_in(&folder)?;
        std::io::Write::write_all(&mut unnamed, table)?;
        unnamed.persist(&file).map_err(|error| error.error)
    };
    write().map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}
