//! A tree of small text files, the same for a seed on every machine: what a search, an archive and a compiler read.

use std::fs;
use std::io;
use std::path::Path;

use super::super::numbers::Numbers;

/// Its folder, inside the load's.
const FOLDER: &str = "tree";
const FOLDERS: u32 = 64;
const FILES_IN_FOLDER: u32 = 32;
const FILE_BYTES_MIN: usize = 1 << 10;
const FILE_BYTES_MAX: usize = 8 << 10;
/// What all files are cut from.
const TEXT_BYTES: usize = 256 << 10;

/// How many files there are.
pub(super) const FILES: u32 = FOLDERS * FILES_IN_FOLDER;
/// More than all files take on disk, in blocks of 4 KiB, in MB.
pub(in super::super) const DISK_MB_MAX: u32 = 20;

/// What a search looks for.
pub(super) const SOUGHT: &[u8] = b"include";
const WORDS: [&str; 16] = [
    "include", "static", "return", "struct", "while", "switch", "buffer", "length", "index", "value", "{", "}", "=",
    "+", "0", "1",
];

/// Makes the tree in a load's folder.
pub(in super::super) fn prepare(work: &Path, seed: u64) -> io::Result<()> {
    let mut numbers = Numbers::of(seed, FOLDER);
    let text = text(&mut numbers);
    (0..FOLDERS).try_for_each(|folder| fs::create_dir_all(work.join(folder_name(folder))))?;
    (0..FILES).try_for_each(|file| fs::write(work.join(name(file)), part(&text, &mut numbers)))
}

fn text(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = Vec::with_capacity(TEXT_BYTES + 16);
    while text.len() < TEXT_BYTES {
        text.extend(WORDS[numbers.below(WORDS.len() as u64) as usize].bytes());
        text.push(if numbers.below(8) == 0 { b'\n' } else { b' ' });
    }
    text
}

fn part<'a>(text: &'a [u8], numbers: &mut Numbers) -> &'a [u8] {
    let length = FILE_BYTES_MIN + numbers.below((FILE_BYTES_MAX - FILE_BYTES_MIN) as u64 + 1) as usize;
    let from = numbers.below((TEXT_BYTES - length) as u64) as usize;
    &text[from..from + length]
}

/// A folder's name, from the load's folder.
fn folder_name(folder: u32) -> String {
    format!("{FOLDER}/folder-{folder}")
}

/// All folders in an order that the numbers decide.
pub(super) fn folders(numbers: &mut Numbers) -> impl Iterator<Item = String> + use<> {
    numbers.shuffled(FOLDERS).into_iter().map(folder_name)
}

/// A file's name, from the load's folder.
pub(super) fn name(file: u32) -> String {
    format!("{}/file-{}.c", folder_name(file % FOLDERS), file / FOLDERS % FILES_IN_FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_decides_every_byte_of_the_tree_which_stays_inside_its_bound() {
        let trees = [1, 1, 2].map(|seed| {
            let folder = tempfile::tempdir().unwrap();
            prepare(folder.path(), seed).unwrap();
            (0..FILES).map(|file| fs::read(folder.path().join(name(file))).unwrap()).collect::<Vec<_>>()
        });
        assert!(trees[0] == trees[1] && trees[0] != trees[2]);
        let blocks: usize = trees[0].iter().map(|file| file.len().next_multiple_of(4096)).sum();
        assert!(blocks + 4096 * FOLDERS as usize <= DISK_MB_MAX as usize * 1_000_000, "{blocks}");
        let found = trees[0].iter().filter(|file| file.windows(SOUGHT.len()).any(|part| part == SOUGHT)).count();
        assert!(found > FILES as usize / 2, "{found}");
    }

    #[test]
    fn files_have_names_of_their_own() {
        assert_eq!((0..FILES).map(name).collect::<BTreeSet<_>>().len(), FILES as usize);
    }
}
