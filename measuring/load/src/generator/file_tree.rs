//! The prepared tree walked and searched, from disk and from caches in turn.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read};
use std::path::Path;

use prazo_sys::files::forget_cached;

use super::super::numbers::Numbers;
use super::tree;
use super::workers::Endless;

/// The first of so many passes reads each file from disk, the others from the kernel's caches.
const PASSES_FROM_DISK: u64 = 2;

/// Searches for ever.
pub(super) fn search(seed: u64, worker: u32) -> Endless {
    let mut numbers = Numbers::of_worker(seed, worker);
    let mut bytes = Vec::new();
    let mut found = 0;
    for pass in 0u64.. {
        for folder in tree::folders(&mut numbers) {
            found += search_folder(Path::new(&folder), pass % PASSES_FROM_DISK == 0, &mut bytes)?;
        }
        black_box(found);
    }
    unreachable!("passes have no end")
}

/// How many files of a folder contain the word.
fn search_folder(folder: &Path, from_disk: bool, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !fs::symlink_metadata(&path)?.is_file() {
            continue;
        }
        let mut file = File::open(&path)?;
        if from_disk {
            forget_cached(&file)?;
        }
        bytes.clear();
        file.read_to_end(bytes)?;
        found += usize::from(contains(bytes));
    }
    Ok(found)
}

fn contains(bytes: &[u8]) -> bool {
    bytes.windows(tree::SOUGHT.len()).any(|part| part == tree::SOUGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_the_word_are_found_and_folders_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("one", "to include it"), ("two", "includ"), ("three", "include")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::create_dir(folder.path().join("inner")).unwrap();
        for from_disk in [true, false] {
            assert_eq!(search_folder(folder.path(), from_disk, &mut Vec::new()).unwrap(), 2);
        }
    }
}
