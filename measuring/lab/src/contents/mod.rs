//! What a set of the cache holds, so that a byte that changed since is found before anything of the set is used.
//!
//! ```text
//! SET/contents.list    the checksum of every file and the target of every link, made when the set was whole
//! SET/contents.seen    checksum over size, times and inode of every file when its bytes were last compared
//! ```
//! Writing to a file changes its inode's change time, which no program can set. So where `contents.seen` still holds, no file is
//! read. The list lies beside what it lists: it shows damage, and not who made it.

mod list;

pub(crate) use list::{Entry, List, is_set};

use crate::checksum::{of_file, sha256};
use crate::error::LabError;
use crate::whole;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const LIST: &str = "contents.list";
const SEEN: &str = "contents.seen";

/// Lists what a set's folder holds now; without this, [`check`] refuses it. While it is made it may have another name.
pub(crate) fn seal(folder: &Path, set: &str) -> Result<(), LabError> {
    let mut list = List::default();
    gather(set, folder, folder, &mut list)?;
    keep(folder, &list)
}

/// Writes a list that is known to hold for a set's folder.
pub(crate) fn keep(folder: &Path, list: &List) -> Result<(), LabError> {
    let failed = || LabError::system(format!("write {}", folder.join(LIST).display()));
    whole::write(&folder.join(LIST), list.text().as_bytes(), 0o644).map_err(failed())?;
    remember(folder, &looked_at(folder, list).map_err(damaged(folder))?);
    Ok(())
}

/// A set's list; an error says what differs from it: the first file or link.
pub(crate) fn check(folder: &Path) -> Result<List, LabError> {
    let none = |_| damaged(folder)(format!("the folder has no {LIST}"));
    let list = List::parse(&fs::read_to_string(folder.join(LIST)).map_err(none)?).map_err(damaged(folder))?;
    let seen = fs::read_to_string(folder.join(SEEN)).unwrap_or_default();
    let looks = looked_at(folder, &list).map_err(damaged(folder))?;
    if looks != seen {
        list.0.iter().try_for_each(|(path, wanted)| compare(folder, path, wanted).map_err(damaged(folder)))?;
        // As they looked before they were compared: a file that changes meanwhile is compared again next time.
        remember(folder, &looks);
    }
    Ok(list)
}

fn damaged(folder: &Path) -> impl Fn(String) -> LabError {
    move |why| LabError::Damaged { folder: folder.to_owned(), why, command: "prazo lab fetch".into() }
}

/// Where an entry of a set is: its path in the list begins with the set's name.
fn place(folder: &Path, path: &str) -> PathBuf {
    folder.join(path.split_once('/').map_or(path, |(_, below)| below))
}

/// Remembers how files look whose bytes were compared; where that cannot be written, the next check reads them again.
fn remember(folder: &Path, looks: &str) {
    let _ = whole::write(&folder.join(SEEN), looks.as_bytes(), 0o644);
}

/// A checksum over what the file system says of every entry, without reading any.
fn looked_at(folder: &Path, list: &List) -> Result<String, String> {
    let mut all = String::new();
    for path in list.0.keys() {
        let data = look(&place(folder, path), path)?;
        let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()];
        all.push_str(&format!("{path} {} {} {} {times:?}\n", data.dev(), data.ino(), data.size()));
    }
    Ok(sha256(all.as_bytes()))
}

fn look(file: &Path, path: &str) -> Result<Metadata, String> {
    fs::symlink_metadata(file).map_err(|error| format!("{path} cannot be read: {error}"))
}

fn compare(folder: &Path, path: &str, wanted: &Entry) -> Result<(), String> {
    let file = place(folder, path);
    let found = entry_of(&file, &look(&file, path)?).map_err(|error| error.to_string())?;
    match (&found, wanted) {
        _ if found == *wanted => Ok(()),
        (Entry::File { sha256: found, .. }, Entry::File { sha256: wanted, .. }) if found != wanted => {
            Err(format!("the checksum of {path} is {found}, not {wanted}"))
        }
        _ => Err(format!("the type, target or permission of {path} has changed since the fetch")),
    }
}

/// What a path is. Targets of links that are no text never equal a listed one.
fn entry_of(path: &Path, data: &Metadata) -> Result<Entry, LabError> {
    if data.is_symlink() {
        let target = fs::read_link(path).map_err(LabError::system(format!("read {}", path.display())))?;
        return Ok(Entry::Link { target: target.to_string_lossy().into_owned() });
    }
    Ok(Entry::File { sha256: of_file(path)?, is_program: data.permissions().mode() & 0o100 != 0 })
}

fn gather(set: &str, top: &Path, folder: &Path, list: &mut List) -> Result<(), LabError> {
    let failed = |path: &Path| LabError::system(format!("read {}", path.display()));
    for path in fs::read_dir(folder).map_err(failed(folder))?.flatten().map(|entry| entry.path()) {
        let data = fs::symlink_metadata(&path).map_err(failed(&path))?;
        if data.is_dir() {
            gather(set, top, &path, list)?;
        } else if let Some(name) = listed_name(set, top, &path)? {
            let entry = entry_of(&path, &data)?;
            // Packages have links that lead to where they would be installed: of no use here, and none leaves its set.
            if !matches!(&entry, Entry::Link { target } if !list::stays(&name, target)) {
                list.0.insert(name, entry);
            }
        }
    }
    Ok(())
}

/// The path below the cache; `None` for the two files that are about the set.
fn listed_name(set: &str, top: &Path, path: &Path) -> Result<Option<String>, LabError> {
    let below = path.strip_prefix(top).expect("it was found there");
    if below == Path::new(LIST) || below == Path::new(SEEN) {
        return Ok(None);
    }
    let text = below.to_str().filter(|text| !text.contains(['\t', '\n']));
    let odd = || std::io::Error::other("the file's name is not UTF-8 or contains a tab or a line break");
    let failed = LabError::system(format!("list {}", path.display()));
    text.map(|text| Some(format!("{set}/{text}"))).ok_or_else(odd).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A sealed set with a program, a file and a link.
    fn set() -> (tempfile::TempDir, PathBuf) {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("tool-1.0");
        fs::create_dir_all(folder.join("usr")).unwrap();
        fs::write(folder.join("usr/tool"), [7; 3000]).unwrap();
        fs::write(folder.join("usr/data"), "data").unwrap();
        symlink("tool", folder.join("usr/name")).unwrap();
        symlink("/usr/src/elsewhere", folder.join("usr/outside")).unwrap();
        seal(&folder, "tool-1.0").unwrap();
        (desk, folder)
    }

    fn why(folder: &Path) -> String {
        check(folder).unwrap_err().to_string()
    }

    #[test]
    fn a_set_that_nobody_touched_holds() {
        let (_desk, folder) = set();
        assert_eq!(check(&folder).unwrap().0.len(), 3, "the link that leads out is not listed");
        fs::remove_file(folder.join(SEEN)).unwrap();
        check(&folder).unwrap();
        assert!(folder.join(SEEN).is_file(), "what was compared is remembered");
    }

    /// Size and modification time as they were: the change time betrays it.
    #[test]
    fn one_changed_byte_is_found_and_named_with_both_checksums() {
        let (_desk, folder) = set();
        let file = folder.join("usr/tool");
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        let mut bytes = fs::read(&file).unwrap();
        bytes[1500] ^= 1;
        fs::write(&file, &bytes).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        let message = why(&folder);
        for part in ["tool-1.0/usr/tool", &sha256(&bytes), &sha256(&[7; 3000]), "prazo lab fetch"] {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(why(&folder), message, "it is not remembered as compared");
    }

    #[test]
    fn what_is_missing_or_of_another_kind_is_named() {
        let (_desk, folder) = set();
        fs::remove_file(folder.join("usr/name")).unwrap();
        assert!(why(&folder).contains("tool-1.0/usr/name"), "{}", why(&folder));
        symlink("data", folder.join("usr/name")).unwrap();
        assert!(why(&folder).contains("the type, target or permission of"), "{}", why(&folder));
        fs::remove_file(folder.join(LIST)).unwrap();
        assert!(why(&folder).contains("no contents.list"), "{}", why(&folder));
    }

    #[test]
    fn a_copy_is_compared_once_and_holds() {
        let (desk, folder) = set();
        let copy = desk.path().join("copy");
        fs::create_dir(&copy).unwrap();
        fs::rename(&folder, copy.join("tool-1.0")).unwrap();
        fs::write(copy.join("tool-1.0/usr/data"), "data").unwrap();
        check(&copy.join("tool-1.0")).unwrap();
    }
}
