//! A table for the kernel to read.

use super::record::TaskRecord;
use super::{MAGIC, RECORD, TaskTable, VERSION, checksum, fault::TableError};

/// `tasks` as a table for a shape of so many processors and queues; refused, as its reader would, where a field cannot be.
pub fn bytes(processors: u16, queues: u16, tasks: &[TaskRecord]) -> Result<Vec<u8>, TableError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, RECORD as u16].map(u16::to_le_bytes).concat());
    bytes.extend((tasks.len() as u32).to_le_bytes());
    bytes.extend([processors, queues, 0, 0].map(u16::to_le_bytes).concat());
    tasks.iter().for_each(|task| bytes.extend(task.to_bytes()));
    bytes.extend(checksum::of(&bytes).to_le_bytes());
    TaskTable::read(&bytes)?;
    Ok(bytes)
}
