//! Files that prazo writes for its caller: whole or not at all, never through a link, and over an older one only with --force.
//!
//! A file is written beside its place under a name of its own and then renamed: who runs prazo as root in a folder of
//! somebody else's cannot be made to write elsewhere, and an interrupted command leaves the older file.

use crate::error::Error;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

static FORCE: AtomicBool = AtomicBool::new(false);

/// Whether files that are there may be overwritten, in all of this process; by default they may not.
pub fn set_force(force: bool) {
    FORCE.store(force, Ordering::Relaxed);
}

/// Refuses a place that is taken; for commands that work long before they write.
pub fn free(file: &Path) -> Result<(), Error> {
    place(file).map(drop)
}

/// Writes one file of the user's choice, in a folder that is made for it.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    stream(file, |out| out.write_all(bytes.as_ref()))
}

/// Writes one file of the user's choice piece by piece.
pub fn stream(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    make_parent(file)?;
    let place = place(file)?;
    finish(file, &place, write)
}

/// Writes a file of the command's own into a folder of its own, over the one that an earlier run of it left there.
pub fn replace(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    make_parent(file)?;
    finish(file, &Place::Over, |out| out.write_all(bytes.as_ref()))
}

/// Makes the folder that `file` shall lie in.
pub fn make_parent(file: &Path) -> Result<(), Error> {
    match file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => make_folder(parent),
        None => Ok(()),
    }
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> Result<(), Error> {
    let failed = |error| {
        let attempt = format!("cannot create the folder {}", folder.display());
        Error::failed(error).attempting(attempt).with_remedy("choose another folder")
    };
    std::fs::create_dir_all(folder).map_err(failed)
}

/// How a file comes to its place.
#[derive(Debug)]
enum Place {
    /// There must not be one.
    New,
    /// One that is there goes.
    Over,
    /// A device or a pipe takes the bytes as they come.
    Open(File),
}

fn place(file: &Path) -> Result<Place, Error> {
    let Ok(found) = std::fs::symlink_metadata(file) else { return Ok(Place::New) };
    let kind = found.file_type();
    if kind.is_fifo() || kind.is_char_device() || is_own_stream(file) {
        return opened(file).map(Place::Open);
    }
    if !kind.is_file() && !kind.is_symlink() {
        return Err(Error::refused("this is not a file").with_value(file.display()).with_remedy("name another file"));
    }
    match FORCE.load(Ordering::Relaxed) {
        true => Ok(Place::Over),
        false => Err(exists(file)),
    }
}

fn exists(file: &Path) -> Error {
    Error::refused("the file exists already")
        .with_value(file.display())
        .with_remedy("name another file, or overwrite it with --force")
}

/// `/dev/stdout` and its like are links to what this process was given.
fn is_own_stream(file: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr"].iter().any(|stream| file == Path::new(stream))
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| file.parent() == Some(Path::new(folder)))
}

/// A link that took the device's place meanwhile leads to nothing that is written.
fn opened(file: &Path) -> Result<File, Error> {
    let failed = |error| failed(file, error);
    let opened = OpenOptions::new().append(true).open(file).map_err(failed)?;
    let kind = opened.metadata().map_err(failed)?.file_type();
    let may = kind.is_fifo() || kind.is_char_device() || kind.is_socket() || is_own_stream(file);
    may.then_some(opened).ok_or_else(|| exists(file))
}

fn finish(file: &Path, place: &Place, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let failed = |error: io::Error| failed(file, error);
    if let Place::Open(device) = place {
        let mut out = BufWriter::new(device);
        return write(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    let folder =
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(PathBuf::from("."), Path::to_owned);
    let mut beside = tempfile::Builder::new()
        .prefix(".prazo-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(failed)?;
    let mut out = BufWriter::new(beside.as_file_mut());
    write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    let kept = match place {
        Place::Over => beside.persist(file),
        _ => beside.persist_noclobber(file),
    };
    match kept {
        Ok(_) => Ok(()),
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(file)),
        Err(refused) => Err(failed(refused.error)),
    }
}

fn failed(file: &Path, error: io::Error) -> Error {
    Error::failed(error).attempting(format!("cannot write {}", file.display())).with_remedy("name another file")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything in one test: --force is the process'.
    #[test]
    fn a_file_is_replaced_only_by_force_and_a_link_is_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [file, victim, link] = ["a.txt", "victim", "link"].map(|name| folder.path().join(name));
        write(&file, "one").unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o600, 0o600);
        assert!(matches!(write(&file, "two"), Err(Error::Refused(refusal)) if refusal.to_string().contains("--force")));
        assert!(free(&file).is_err() && free(&victim).is_ok());
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        assert!(write(&link, "two").is_err() && !victim.exists(), "a link that leads nowhere is taken, too");
        assert!(matches!(write(folder.path(), "two"), Err(Error::Refused(_))));
        write(Path::new("/dev/null"), "two").unwrap();
        assert!(stream(&folder.path().join("cut"), |_| Err(io::Error::other("full"))).is_err());
        set_force(true);
        write(&file, "two").unwrap();
        write(&link, "three").unwrap();
        set_force(false);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert!(!victim.exists() && std::fs::symlink_metadata(&link).unwrap().is_file(), "the link itself went");
        replace(&file, "four").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "four");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left of what failed");
    }
}
