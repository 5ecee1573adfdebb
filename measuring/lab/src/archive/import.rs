//! Into the cache: the list first, then entry by entry what it says, beside the cache's sets; whole, they are put in place.

use super::zstd::Zstd;
use super::{Carried, LIST, refused};
use crate::contents::{self, Entry, List};
use crate::error::LabError;
use crate::fetch::{Cache, Packages, Progress};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tar::{Archive, EntryType};

/// Where an archive is unpacked until it is whole, beside the sets.
const UNPACKED: &str = "fetching-import";

/// The longest list that is read: an archive may be anybody's.
const LIST_BYTES_MAX: u64 = 64 << 20;

impl Cache {
    /// Takes every set out of an archive that is not there yet. After an error the cache is what it was.
    pub fn import(&self, file: &Path, say: &mut dyn FnMut(Progress<'_>)) -> Result<Carried, LabError> {
        let archive = File::open(file).map_err(LabError::system(format!("read {}", file.display())))?;
        let _lock = self.lock()?;
        let place = Unpacked::new(self.folder().join(UNPACKED))?;
        say(Progress::Step(1, 1, "unpacking and checking"));
        let (zstd, output) = Zstd::unpacking(archive)?;
        let unpacked = unpack(output, &place.0, say);
        let is_packed_right = zstd.end();
        let (list, bytes) = unpacked.map_err(|why| refused(file, why))?;
        if !is_packed_right {
            return Err(refused(file, "the archive is damaged or truncated"));
        }
        let sets = list.sets();
        for set in &sets {
            if let Some(package) = Packages::unlike_known(set, &place.0.join(set))? {
                let why = format!(
                    "the set {set} contains another version of {package} than this version of prazo expects; export the archive again with this version of prazo"
                );
                return Err(refused(file, why));
            }
        }
        let (there, new): (Vec<_>, Vec<_>) = sets.into_iter().partition(|set| self.folder().join(set).exists());
        let mut entries = 0;
        for set in &new {
            let (into, of_set) = (self.folder().join(set), list.of(set));
            entries += of_set.0.len() as u64;
            contents::keep(&place.0.join(set), &of_set)?;
            fs::rename(place.0.join(set), &into).map_err(LabError::system(format!("make {}", into.display())))?;
        }
        let bytes: u64 = new.iter().filter_map(|set| bytes.get(set)).sum();
        Ok(Carried { sets: new, there, entries, bytes, sha256: list.sha256() })
    }
}

/// A folder that goes with this value; one that an earlier attempt left goes first.
struct Unpacked(PathBuf);

impl Unpacked {
    fn new(folder: PathBuf) -> Result<Self, LabError> {
        let unpacked = Self(folder);
        unpacked.remove();
        fs::create_dir_all(&unpacked.0).map_err(LabError::system(format!("make {}", unpacked.0.display())))?;
        Ok(unpacked)
    }

    fn remove(&self) {
        // The next attempt removes it again, and says so where it cannot.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Unpacks what the list says and nothing else; the bytes of the files of each set.
fn unpack(
    from: impl Read,
    into: &Path,
    say: &mut dyn FnMut(Progress<'_>),
) -> Result<(List, BTreeMap<String, u64>), String> {
    let mut archive = Archive::new(from);
    let mut entries = archive.entries().map_err(broken)?;
    let first = entries.next().ok_or("the file is empty or not an archive of `prazo lab export`")?.map_err(broken)?;
    let list = read_list(first)?;
    list.check()?;
    let (mut bytes, mut done) = (BTreeMap::<String, u64>::new(), 0);
    for (path, wanted) in &list.0 {
        let mut found = entries.next().ok_or("the archive is truncated")?.map_err(broken)?;
        if found.path_bytes() != path.as_bytes() {
            return Err(format!(
                "the archive contains '{}' at the place where its list of contents names {path}",
                String::from_utf8_lossy(&found.path_bytes())
            ));
        }
        let added = put(&mut found, wanted, &into.join(path)).map_err(|why| format!("{path}: {why}"))?;
        let set = path.split('/').next().unwrap_or_default();
        *bytes.entry(set.to_owned()).or_default() += added;
        done += 1;
        say(Progress::Part(done, list.0.len() as u64));
    }
    if let Some(more) = entries.next() {
        let more = more.map_err(broken)?;
        let path = String::from_utf8_lossy(&more.path_bytes()).into_owned();
        return Err(format!("the archive contains '{path}', which is not in its list of contents"));
    }
    // What fills the last block up; zstd would fail at a pipe that nobody reads to its end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    Ok((list, bytes))
}

fn read_list<R: Read>(entry: tar::Entry<'_, R>) -> Result<List, String> {
    if entry.path_bytes() != LIST.as_bytes() {
        return Err(
            "the file is not an archive of `prazo lab export`: it does not begin with its list of contents".into()
        );
    }
    let mut text = String::new();
    entry.take(LIST_BYTES_MAX).read_to_string(&mut text).map_err(broken)?;
    List::parse(&text)
}

fn broken(error: io::Error) -> String {
    format!("the file is damaged or not an archive of `prazo lab export`: {error}")
}

/// Makes one entry, which must be what the list says; the bytes of a file.
fn put<R: Read>(found: &mut tar::Entry<'_, R>, wanted: &Entry, place: &Path) -> Result<u64, String> {
    let folder = place.parent().expect("it is below a set's folder");
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    match (wanted, found.header().entry_type()) {
        (Entry::Link { target }, EntryType::Symlink) => {
            let says = found.link_name_bytes().map(|name| name.into_owned());
            if says.as_deref() != Some(target.as_bytes()) {
                return Err("the link's target differs from the list of contents".into());
            }
            std::os::unix::fs::symlink(target, place).map(|()| 0).map_err(|error| error.to_string())
        }
        (Entry::File { sha256, is_program }, EntryType::Regular) => {
            let (bytes, sum) = copy(found, place, *is_program).map_err(|error| error.to_string())?;
            if &sum == sha256 { Ok(bytes) } else { Err(format!("the file's checksum is {sum}, not {sha256}")) }
        }
        _ => Err("the entry's type (file or link) differs from the list of contents".into()),
    }
}

/// Writes a new file; its size and its checksum.
fn copy(from: &mut impl Read, place: &Path, is_program: bool) -> io::Result<(u64, String)> {
    let mode = if is_program { 0o755 } else { 0o644 };
    let mut file = File::options().write(true).create_new(true).mode(mode).open(place)?;
    let (mut sum, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; 64 << 10]);
    loop {
        match from.read(&mut piece)? {
            0 => return Ok((bytes, crate::checksum::hexadecimal(&sum.finalize()))),
            count => {
                sum.update(&piece[..count]);
                file.write_all(&piece[..count])?;
                bytes += count as u64;
            }
        }
    }
}
