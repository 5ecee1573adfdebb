//! A run file in another tool's format.

use crate::error::Error;
use crate::files;
use prazo_core::time::Duration;
use prazo_run::export::{self, Format};
use std::path::Path;

/// The bytes of a run in this format; misses are those of `deadline`, or of the run's own.
///
/// # Errors
/// The run cannot be opened, or lacks what the format needs.
pub fn export(run: &Path, format: Format, deadline: Option<Duration>) -> Result<Vec<u8>, Error> {
    let (run, mut bytes) = (prazo_stats::under(files::open(run)?, deadline), Vec::new());
    export::write_under(&run, format, deadline, &mut bytes).map_err(Error::failed)?;
    Ok(bytes)
}
