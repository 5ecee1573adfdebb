//! A table that was read: checked once and whole, so that going through its tasks cannot fail.

use super::fault::TableError;
use super::record::TaskRecord;
use super::{CHECKSUM, HEAD, MAGIC, RECORD, VERSION, bytes_at, checksum};

/// A checked table over the bytes that it was read from.
#[derive(Clone, Copy, Debug)]
pub struct TaskTable<'a> {
    processors: u16,
    queues: u16,
    records: &'a [u8],
}

impl<'a> TaskTable<'a> {
    /// Checks all of `bytes`, which must be one table and nothing else.
    pub fn read(bytes: &'a [u8]) -> Result<Self, TableError> {
        let (head, records) = envelope(bytes)?;
        let [processors, queues] = [16, 18].map(|at| u16::from_le_bytes(bytes_at(head, at)));
        if queues == 0 || processors < queues {
            return Err(TableError::Shape { processors, queues });
        }
        if u32::from_le_bytes(bytes_at(head, 20)) != 0 {
            return Err(TableError::Reserved);
        }
        let table = Self { processors, queues, records };
        for (number, task) in (0..).zip(table.read_tasks()) {
            task.map_err(|fault| TableError::Task(number, fault))?;
        }
        if records.is_empty() { Err(TableError::NoTask) } else { Ok(table) }
    }

    /// How many processors the shape has that the table is for.
    pub fn processors(&self) -> usize {
        usize::from(self.processors)
    }

    /// How many queues that shape has.
    pub fn queues(&self) -> usize {
        usize::from(self.queues)
    }

    /// The tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = TaskRecord> + use<'a> {
        self.read_tasks().map(|task| task.expect("the table was checked when it was read"))
    }

    fn read_tasks(&self) -> impl Iterator<Item = Result<TaskRecord, super::Fault>> + use<'a> {
        let queues = self.queues;
        self.records.chunks_exact(RECORD).map(move |bytes| TaskRecord::read(bytes, queues))
    }
}

/// Head and records, once it is sure that they are what was sent.
fn envelope(bytes: &[u8]) -> Result<(&[u8], &[u8]), TableError> {
    let found = bytes.len() as u64;
    if !bytes.starts_with(&MAGIC) {
        return Err(TableError::Magic);
    }
    let Some((head, rest)) = bytes.split_at_checked(HEAD) else {
        return Err(TableError::Length { expected: (HEAD + CHECKSUM) as u64, found });
    };
    let [version, size] = [8, 10].map(|at| u16::from_le_bytes(bytes_at(head, at)));
    if version != VERSION {
        return Err(TableError::Version(version));
    }
    if usize::from(size) != RECORD {
        return Err(TableError::RecordSize(size));
    }
    let count = u64::from(u32::from_le_bytes(bytes_at(head, 12)));
    let expected = (HEAD + CHECKSUM) as u64 + count * RECORD as u64;
    if expected != found {
        return Err(TableError::Length { expected, found });
    }
    let (records, stated) = rest.split_at(rest.len() - CHECKSUM);
    let (stated, sum) = (u32::from_le_bytes(bytes_at(stated, 0)), checksum::of(&bytes[..bytes.len() - CHECKSUM]));
    if stated == sum { Ok((head, records)) } else { Err(TableError::Checksum { stated, found: sum }) }
}
