//! Machines that we do not have, built from short descriptions in tests/fixtures.
//!
//! A description is a list of files: `/path: text` for one line, `/path:` and indented lines for more, `/path -> target`
//! for a link, `/path/` for a folder, `denied /path` for what may not be read, `process PID NAME POLICY PRIORITY`, and
//! `cpus N: /path{}: text` for a file of each of N processors.

use prazo_platform::Root;
use std::path::{Path, PathBuf};

pub(crate) struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn build(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(file(&format!("{name}.machine"))).unwrap();
        let mut open: Option<PathBuf> = None;
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            match (line.strip_prefix("  "), &open) {
                (Some(text), Some(path)) => append(path, text),
                (Some(_), None) => panic!("{name}: an indented line belongs to no file: {line}"),
                (None, _) => open = entry(folder.path(), line),
            }
        }
        Self { folder }
    }

    pub(crate) fn root(&self) -> Root {
        Root::at(self.folder.path())
    }
}

/// A file beside the descriptions.
pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Makes what one line describes; the file that indented lines go to.
fn entry(folder: &Path, line: &str) -> Option<PathBuf> {
    if let Some(path) = line.strip_prefix("denied ") {
        append(&folder.join(prazo_platform::root::DENIED_LIST), path);
        return None;
    }
    if let Some(process) = line.strip_prefix("process ") {
        return add_process(folder, process);
    }
    if let Some(rest) = line.strip_prefix("cpus ") {
        let (count, line) = rest.split_once(": ").unwrap();
        (0..count.parse().unwrap()).for_each(|n: u32| drop(entry(folder, &line.replace("{}", &n.to_string()))));
        return None;
    }
    if let Some((path, target)) = line.split_once(" -> ") {
        std::os::unix::fs::symlink(target, parent_made(folder, path)).unwrap();
        return None;
    }
    if let Some(path) = line.strip_suffix('/').filter(|path| !path.contains(": ")) {
        std::fs::create_dir_all(parent_made(folder, path)).unwrap();
        return None;
    }
    let (path, text) = line
        .split_once(": ")
        .or_else(|| Some((line.strip_suffix(':')?, "")))
        .unwrap_or_else(|| panic!("no file, link or folder: {line}"));
    let path = parent_made(folder, path);
    std::fs::write(&path, "").unwrap();
    if !text.trim().is_empty() {
        append(&path, text.trim());
    }
    Some(path)
}

fn add_process(folder: &Path, words: &str) -> Option<PathBuf> {
    let words: Vec<&str> = words.split(' ').collect();
    let [pid, name, policy, priority] = words[..] else { panic!("PID NAME POLICY PRIORITY: {words:?}") };
    let zeros = ["0"; 18].join(" ");
    let more = ["0"; 17].join(" ");
    let stat = format!("{pid} ({name}) S {zeros} 77 {more} {priority} {policy} 0");
    for path in [format!("/proc/{pid}/stat"), format!("/proc/{pid}/task/{pid}/stat")] {
        append(&parent_made(folder, &path), &stat);
    }
    append(&parent_made(folder, &format!("/proc/{pid}/comm")), name);
    std::fs::create_dir_all(folder.join(format!("proc/{pid}/fd"))).unwrap();
    None
}

fn parent_made(folder: &Path, path: &str) -> PathBuf {
    let path = folder.join(path.strip_prefix('/').unwrap_or_else(|| panic!("a path begins with /: {path}")));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}

fn append(path: &Path, line: &str) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}
