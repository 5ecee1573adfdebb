//! The first hundred bytes of a run file, looked at before SQLite sees it, so that what is no run is refused by name.

use super::error::StoreError;
use super::schema::{APPLICATION_ID, SCHEMA_VERSION};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const BYTES: usize = 100;

/// The last bytes of a rollback journal that names further files, which SQLite would go and look for.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// True if a write-ahead log may stand beside the file: the run was not closed.
    pub logs_ahead: bool,
    /// How long the file is, by its own account.
    bytes: u64,
}

impl Header {
    /// Refuses a file that was cut off: SQLite itself reads what is missing of the last page as zeros.
    pub(super) fn require_whole(self, path: &Path) -> Result<(), StoreError> {
        let found = path.metadata().map_err(|source| StoreError::io(path, "read the size of the file", source))?.len();
        if found < self.bytes {
            return Err(StoreError::damaged(path, format!("the file ends after {found} of {} bytes", self.bytes)));
        }
        Ok(())
    }
}

/// Reads and checks the header.
pub(super) fn read(path: &Path) -> Result<Header, StoreError> {
    let mut bytes = Vec::with_capacity(BYTES);
    if path.is_dir() {
        let runs = path.join("*.prazo");
        return Err(StoreError::not_a_run(path, format!("this is a folder; name its runs, as in {}", runs.display())));
    }
    let file = File::open(path).map_err(|source| StoreError::io(path, "open the file", source))?;
    file.take(BYTES as u64).read_to_end(&mut bytes).map_err(|source| StoreError::io(path, "read the file", source))?;
    parse(path, &bytes)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Header, StoreError> {
    if bytes.is_empty() {
        return Err(StoreError::not_a_run(path, "the file is empty"));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(StoreError::not_a_run(path, "the file is not an SQLite database"));
    }
    if bytes.len() < BYTES {
        return Err(StoreError::damaged(path, format!("the file ends after {} bytes", bytes.len())));
    }
    let application = number(bytes, 68);
    if application != APPLICATION_ID {
        let what = format!("the database has the application id {application:#010x}, which is not that of prazo");
        return Err(StoreError::not_a_run(path, what));
    }
    match number(bytes, 60) {
        1..=SCHEMA_VERSION => Ok(Header { logs_ahead: bytes[18] == 2 || bytes[19] == 2, bytes: length(bytes) }),
        found => Err(StoreError::Version { path: path.to_owned(), found, known: SCHEMA_VERSION }),
    }
}

/// Page size times number of pages; a page size of 1 stands for 65,536.
fn length(bytes: &[u8]) -> u64 {
    let page = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    page * u64::from(number(bytes, 28))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Refuses a rollback journal that names further files: prazo never writes one, and SQLite may delete what it names.
pub(super) fn refuse_far_reaching(path: &Path, journal: &Path) -> Result<(), StoreError> {
    let Ok(mut file) = File::open(journal) else { return Ok(()) };
    let mut tail = [0; 8];
    let read = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut tail));
    if read.is_ok() && tail == JOURNAL_MAGIC {
        return Err(StoreError::FarReaching { path: path.to_owned(), journal: journal.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(edit: impl FnOnce(&mut Vec<u8>)) -> Result<Header, StoreError> {
        let mut bytes = MAGIC.to_vec();
        bytes.resize(BYTES, 0);
        bytes[60..64].copy_from_slice(&SCHEMA_VERSION.to_be_bytes());
        bytes[68..72].copy_from_slice(&APPLICATION_ID.to_be_bytes());
        edit(&mut bytes);
        parse(Path::new("a.prazo"), &bytes)
    }

    #[test]
    fn a_run_file_is_recognised_with_and_without_its_log() {
        assert!(!header(|_| ()).unwrap().logs_ahead);
        assert!(header(|bytes| bytes[18] = 2).unwrap().logs_ahead);
    }

    #[test]
    fn what_is_no_run_file_is_refused_by_name() {
        let text = |edit: fn(&mut Vec<u8>)| header(edit).unwrap_err().to_string();
        assert_eq!(
            text(|bytes| bytes.clear()),
            "a.prazo: not a prazo run file: the file is empty; to read another tool's output, use `prazo import`"
        );
        assert!(text(|bytes| bytes[0] = b'#').contains("not an SQLite database"));
        assert!(text(|bytes| bytes.truncate(50)).contains("ends after 50 bytes"));
        assert!(text(|bytes| bytes[68] = 0).contains("the database has the application id 0x00525a4f"));
        assert!(text(|bytes| bytes[63] = 9).contains("its schema version is 9; this prazo reads version 3 and older"));
    }

    #[test]
    fn a_file_that_was_cut_off_is_refused_with_both_lengths() {
        let header = header(|bytes| {
            bytes[16] = 0x10;
            bytes[31] = 2;
        })
        .unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(8_192).unwrap();
        assert!(header.require_whole(file.path()).is_ok());
        file.as_file().set_len(8_191).unwrap();
        assert!(header.require_whole(file.path()).unwrap_err().to_string().contains("8191 of 8192 bytes"));
    }

    #[test]
    fn a_journal_that_names_other_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("a.prazo-journal");
        std::fs::write(&journal, [[1; 8], JOURNAL_MAGIC].concat()).unwrap();
        let refusal = refuse_far_reaching(Path::new("a.prazo"), &journal).unwrap_err().to_string();
        assert!(refusal.ends_with("when it opens this one; remove the journal"), "{refusal}");
        assert!(refusal.contains("a.prazo-journal names other files") && !refusal.contains("copy"), "{refusal}");
        std::fs::write(&journal, [JOURNAL_MAGIC, [1; 8]].concat()).unwrap();
        assert!(refuse_far_reaching(Path::new("a.prazo"), &journal).is_ok());
        assert!(refuse_far_reaching(Path::new("a.prazo"), Path::new("/nonexistent")).is_ok());
    }
}
