//! Folders as tar archives, over the connection.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Writes everything in a folder; links and what is no file or folder stay out.
pub(crate) fn pack(folder: &Path, to: impl Write) -> io::Result<()> {
    let mut archive = tar::Builder::new(to);
    archive.follow_symlinks(false);
    add(&mut archive, folder, Path::new(""))?;
    archive.into_inner()?.flush()
}

fn add(archive: &mut tar::Builder<impl Write>, folder: &Path, name: &Path) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name, kind) = (entry.path(), name.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            archive.append_dir(&name, &path)?;
            add(archive, &path, &name)?;
        } else if kind.is_file() {
            archive.append_path_with_name(&path, &name)?;
        }
    }
    Ok(())
}

/// Writes files under names of their own.
pub(crate) fn pack_files(files: &[(PathBuf, String)], to: impl Write) -> io::Result<()> {
    let mut archive = tar::Builder::new(to);
    for (file, name) in files {
        archive.append_path_with_name(file, name)?;
    }
    archive.into_inner()?.flush()
}

/// Writes an archive's files and folders into a folder, and returns the files. An archive cannot write outside of it.
pub(crate) fn unpack(folder: &Path, from: impl Read) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in tar::Archive::new(from).entries()? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_dir()) {
            continue;
        }
        let name = entry.path()?.into_owned();
        if !entry.unpack_in(folder)? {
            let name = name.display();
            return Err(io::Error::other(format!("the archive's file {name} would be unpacked outside the folder")));
        }
        if kind.is_file() {
            files.push(name);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_comes_back_as_it_was_without_its_links() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(one.path().join("results")).unwrap();
        std::fs::write(one.path().join("results/a.prazo"), b"run").unwrap();
        std::fs::write(one.path().join("b.json"), b"{}").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", one.path().join("link")).unwrap();
        let mut archive = Vec::new();
        pack(one.path(), &mut archive).unwrap();
        let files = unpack(other.path(), &archive[..]).unwrap();
        assert_eq!(files, [PathBuf::from("b.json"), PathBuf::from("results/a.prazo")]);
        assert_eq!(std::fs::read(other.path().join("results/a.prazo")).unwrap(), b"run");
    }

    #[test]
    fn a_hostile_archive_writes_nothing_outside() {
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        let name = b"../outside";
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
        header.set_cksum();
        let mut archive = tar::Builder::new(Vec::new());
        archive.append(&header, &b"x"[..]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        assert!(unpack(&inner, &archive.into_inner().unwrap()[..]).is_err());
        assert!(!folder.path().join("outside").exists());
    }
}
