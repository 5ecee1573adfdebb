//! Out of the cache: every set that is whole, listed first, then packed.

use super::zstd::Zstd;
use super::{Carried, LIST, refused};
use crate::contents::{self, Entry, List, is_set};
use crate::error::LabError;
use crate::fetch::{Cache, PACKAGES, Progress, known};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use tar::{Builder, EntryType, Header};

impl Cache {
    /// Writes every set of the cache to a new file. After an error, none is left.
    pub fn export(&self, file: &Path, say: &mut dyn FnMut(Progress<'_>)) -> Result<Carried, LabError> {
        let _lock = self.lock()?;
        let sets = self.whole_sets()?;
        say(Progress::Step(1, 2, "reading the cache"));
        let mut list = List::default();
        for set in &sets {
            let whole = contents::check(&self.folder().join(set));
            list.0.extend(whole.map_err(|error| error.made_with(known::command(set)))?.0);
        }
        let made = File::create_new(file).map_err(LabError::system(format!("make {}", file.display())))?;
        say(Progress::Step(2, 2, "packing the archive"));
        let packed = self.pack(&list, made, say).map_err(|why| refused(file, why));
        if packed.is_err() {
            // It was made above, and nobody can use it.
            let _ = fs::remove_file(file);
        }
        let (entries, sha256) = (list.0.len() as u64, list.sha256());
        Ok(Carried { sets, there: Vec::new(), entries, bytes: packed?, sha256 })
    }

    fn whole_sets(&self) -> Result<Vec<String>, LabError> {
        let entries =
            fs::read_dir(self.folder()).map_err(LabError::system(format!("read {}", self.folder().display())))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let is_whole = |name: &String| is_set(name) && self.folder().join(name).join(PACKAGES).is_file();
        let mut sets: Vec<_> = names.filter(is_whole).collect();
        sets.sort();
        let none = || LabError::NotFetched {
            what: "qemu".into(),
            folder: self.folder().to_owned(),
            command: "prazo lab fetch".into(),
        };
        if sets.is_empty() { Err(none()) } else { Ok(sets) }
    }

    /// Packs what is listed; the bytes of all files.
    fn pack(&self, list: &List, into: File, say: &mut dyn FnMut(Progress<'_>)) -> Result<u64, String> {
        let total = list.0.keys().map(|path| self.folder().join(path)).map(|file| size_of(&file)).sum();
        let (zstd, input) = Zstd::packing(into).map_err(|error| error.to_string())?;
        let mut archive = Builder::new(input);
        let text = list.text();
        append(&mut archive, LIST, text.len() as u64, false, text.as_bytes()).map_err(|error| error.to_string())?;
        let mut bytes = 0;
        for (path, entry) in &list.0 {
            let added = self.add(&mut archive, path, entry).map_err(|error| format!("{path}: {error}"))?;
            bytes += added;
            say(Progress::Part(bytes, total));
        }
        archive.into_inner().map(drop).map_err(|error| error.to_string())?;
        if zstd.end() { Ok(bytes) } else { Err("the program zstd failed; check that the disk is not full".into()) }
    }

    fn add<W: Write>(&self, archive: &mut Builder<W>, path: &str, entry: &Entry) -> std::io::Result<u64> {
        match entry {
            Entry::Link { target } => {
                let mut header = plain(EntryType::Symlink, 0, true);
                archive.append_link(&mut header, path, target).map(|()| 0)
            }
            Entry::File { is_program, .. } => {
                let file = File::open(self.folder().join(path))?;
                let bytes = file.metadata()?.len();
                append(archive, path, bytes, *is_program, file).map(|()| bytes)
            }
        }
    }
}

fn append(
    archive: &mut Builder<impl Write>,
    path: &str,
    bytes: u64,
    is_program: bool,
    from: impl std::io::Read,
) -> std::io::Result<()> {
    archive.append_data(&mut plain(EntryType::Regular, bytes, is_program), path, from)
}

/// A header that says nothing of this machine.
fn plain(kind: EntryType, bytes: u64, is_program: bool) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes);
    header.set_mode(if is_program { 0o755 } else { 0o644 });
    header.set_mtime(0);
    header
}

fn size_of(file: &Path) -> u64 {
    fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file).map_or(0, |data| data.len())
}
