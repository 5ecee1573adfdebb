//! Unsafe code stands where ARCHITECTURE.md allows it, and each place says in a sentence why it is sound.
//!
//! Read from the sources, so that the kernel counts too, which is built for another target than the rest.

use std::path::{Path, PathBuf};

/// Folders and files, from the root, that may hold unsafe code. The example runs on a bare board, whose registers it writes to.
const ALLOWED: &[&str] = &["scheduling/kernel/src/arch/", "measuring/sys/", "kmod/", "examples/serial-rtic/"];
/// What holds no sources of ours.
const FOREIGN: &[&str] = &["target", "node_modules", ".git"];

/// A line that opens something unsafe.
struct UnsafePlace {
    file: String,
    line: usize,
    is_explained: bool,
}

#[test]
fn every_unsafe_place_says_why_it_is_sound() {
    let places = places();
    assert!(places.len() > 100, "{} unsafe places: the search has lost its way", places.len());
    let silent: Vec<String> = places
        .iter()
        .filter(|place| !place.is_explained)
        .map(|place| format!("{}:{}", place.file, place.line))
        .collect();
    assert!(silent.is_empty(), "without SAFETY: {silent:#?}");
    println!("{} unsafe places, each with its sentence", places.len());
}

#[test]
fn unsafe_code_stands_where_the_architecture_allows_it() {
    let is_test_of_measuring = |file: &str| file.starts_with("measuring/") && file.contains("/tests/");
    let is_allowed = |file: &str| ALLOWED.iter().any(|place| file.starts_with(place)) || is_test_of_measuring(file);
    let stray: Vec<String> = places().into_iter().map(|place| place.file).filter(|file| !is_allowed(file)).collect();
    assert!(stray.is_empty(), "unsafe code in {stray:?}");
}

#[test]
fn a_place_without_its_sentence_is_seen() {
    let explained = "// SAFETY: it is.\nlet a =\n    unsafe { f() };\nlet b = unsafe { g() };\n";
    let found: Vec<bool> = places_in("x.rs", explained).iter().map(|place| place.is_explained).collect();
    assert_eq!(found, [true, false], "the sentence stands above the statement, and for one statement only");
    let functions = "/// Does.\n///\n/// # Safety\n/// Once.\n#[inline]\nunsafe fn f() {}\nunsafe impl Sync for T {}\n";
    let found: Vec<bool> = places_in("x.rs", functions).iter().map(|place| place.is_explained).collect();
    assert_eq!(found, [true, false]);
    assert!(places_in("x.rs", "// unsafe\nlet text = \"unsafe\"; #![forbid(unsafe_code)]\n").is_empty());
}

fn places() -> Vec<UnsafePlace> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![];
    collect(&root, &mut files);
    files.iter().flat_map(|file| places_in(&relative(&root, file), &std::fs::read_to_string(file).unwrap())).collect()
}

fn relative(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap().to_string_lossy().into_owned()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let is_foreign = FOREIGN.iter().any(|foreign| name == *foreign);
        if path.is_dir() && !is_foreign && !path.is_symlink() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn places_in(file: &str, text: &str) -> Vec<UnsafePlace> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let opens = |(index, line): (usize, &&str)| is_unsafe(line).then_some(index);
    let place =
        |index| UnsafePlace { file: file.to_owned(), line: index + 1, is_explained: is_explained(&lines[..index]) };
    lines.iter().enumerate().filter_map(opens).map(place).collect()
}

/// True for the keyword itself: not in a comment, not in a text, not as part of another word or as an attribute.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let outside_texts: String = code.split('"').step_by(2).collect();
    let is_word = |word: &str| word == "unsafe";
    let words = outside_texts.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    !code.starts_with("#") && words.into_iter().any(is_word)
}

/// True if the comment or the attributes right above the statement that continues after `before` say why.
fn is_explained(before: &[&str]) -> bool {
    let is_remark = |line: &&&str| line.starts_with("//") || line.starts_with("#[");
    let continues = |line: &&&str| !line.is_empty() && !line.ends_with([';', '{', '}']) && !is_remark(line);
    let statement = before.iter().rev().take_while(continues).count();
    let above = &before[..before.len() - statement];
    let says = |line: &&str| line.contains("SAFETY:") || line.contains("# Safety");
    above.iter().rev().take_while(is_remark).any(says)
}
