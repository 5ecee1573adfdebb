//! Files that appear whole or not at all, whoever reads them meanwhile and whenever the writer is killed.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Makes the folder, writes beside the place, and moves the file there.
pub(crate) fn write(place: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::create_dir_all(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(bytes)?;
    beside.as_file().set_permissions(Permissions::from_mode(mode))?;
    beside.persist(place).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_takes_the_place_of_an_earlier_one_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("made");
        let place = folder.join("kernel");
        write(&place, b"first", 0o644).unwrap();
        let mut earlier = fs::File::open(&place).unwrap();
        write(&place, b"second", 0o755).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"second");
        assert_eq!(io::read_to_string(&mut earlier).unwrap(), "first", "who reads it has all of it");
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}
