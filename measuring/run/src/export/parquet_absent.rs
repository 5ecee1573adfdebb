//! Stands in for Parquet in builds without it.

use super::{ExportError, Table};
use crate::Run;
use std::io::Write;

/// Says how to get it.
pub(super) fn write(_: &Run, _: Table, _: &mut dyn Write) -> Result<(), ExportError> {
    Err(ExportError::NotBuilt("parquet"))
}
