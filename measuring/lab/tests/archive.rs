//! The cache as one file: what goes out comes in again, what is damaged or leads elsewhere does not, and nothing is left of it.

use prazo_lab::Cache;
use prazo_testing::{Skipped, or_skip, program};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a cache that holds one small set; a skip where there is no zstd.
fn desk() -> Result<(TempDir, Cache), Skipped> {
    program("zstd")?;
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().join("one")).unwrap();
    let set = cache.folder().join("tool-1.0");
    fs::create_dir_all(set.join("usr/bin")).unwrap();
    fs::write(set.join("usr/bin/tool"), [7; 300_000]).unwrap();
    fs::set_permissions(set.join("usr/bin/tool"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(set.join("packages.sha256"), "00  tool_1.0_amd64.deb\n").unwrap();
    symlink("tool", set.join("usr/bin/other-name")).unwrap();
    symlink("/usr/src/elsewhere", set.join("usr/outside")).unwrap();
    cache.seal("tool-1.0").unwrap();
    fs::create_dir_all(cache.folder().join("fetching-half-1/usr")).unwrap();
    Ok((desk, cache))
}

fn other(desk: &TempDir) -> Cache {
    Cache::at(desk.path().join("other")).unwrap()
}

/// Everything in a cache but its lock and when its files were last compared: paths, contents or targets, and who may execute it.
fn content(cache: &Cache) -> Vec<(PathBuf, Vec<u8>, bool)> {
    let mut all = Vec::new();
    gather(cache.folder(), cache.folder(), &mut all);
    all.sort();
    all
}

fn gather(top: &Path, folder: &Path, all: &mut Vec<(PathBuf, Vec<u8>, bool)>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.strip_prefix(top).unwrap().to_owned();
        if path.is_symlink() {
            all.push((name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(), false));
        } else if path.is_dir() {
            gather(top, &path, all);
        } else if name != Path::new("lock") && !name.ends_with("contents.seen") {
            let is_program = path.metadata().unwrap().permissions().mode() & 0o111 != 0;
            all.push((name, fs::read(&path).unwrap(), is_program));
        }
    }
}

/// What importing says, after which the other cache is empty.
fn refused(desk: &TempDir, file: &Path) -> String {
    let message = other(desk).import(file, &mut |_| {}).unwrap_err().to_string();
    let left: Vec<_> = fs::read_dir(other(desk).folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"], "{message}");
    message
}

#[test]
fn what_goes_out_comes_in_again_and_the_same_cache_makes_the_same_bytes() {
    let (desk, cache) = or_skip!(desk());
    let [one, two] = ["a.tar.zst", "b.tar.zst"].map(|name| desk.path().join(name));
    let exported = cache.export(&one, &mut |_| {}).unwrap();
    cache.export(&two, &mut |_| {}).unwrap();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
    assert_eq!((exported.sets.as_slice(), exported.entries), (&["tool-1.0".to_owned()][..], 3));
    let imported = other(&desk).import(&one, &mut |_| {}).unwrap();
    assert_eq!(imported, exported);
    // A link that leads out of its set is of no use anywhere.
    let kept: Vec<_> = content(&cache).into_iter().filter(|(path, ..)| !path.ends_with("outside")).collect();
    assert_eq!(content(&other(&desk)), kept);
    let again = other(&desk).import(&one, &mut |_| {}).unwrap();
    assert_eq!((again.sets.len(), again.there.as_slice()), (0, &["tool-1.0".to_owned()][..]));
    assert_eq!((again.entries, again.bytes), (0, 0), "nothing was imported");
    assert!(cache.export(&one, &mut |_| {}).is_err(), "a file that is there is not written over");
}

#[test]
fn a_set_with_a_changed_byte_does_not_go_out() {
    let (desk, cache) = or_skip!(desk());
    let mut bytes = [7; 300_000];
    bytes[150_000] = 8;
    fs::write(cache.folder().join("tool-1.0/usr/bin/tool"), bytes).unwrap();
    let file = desk.path().join("a.tar.zst");
    let message = cache.export(&file, &mut |_| {}).unwrap_err().to_string();
    assert!(message.contains("the checksum of tool-1.0/usr/bin/tool is") && !file.exists(), "{message}");
}

#[test]
fn a_set_of_another_version_does_not_come_in() {
    let (desk, cache) = or_skip!(desk());
    let set = cache.folder().join("qemu-10.0.2");
    fs::create_dir_all(&set).unwrap();
    fs::write(set.join("packages.sha256"), "00  qemu-system-x86_1_amd64.deb\n").unwrap();
    cache.seal("qemu-10.0.2").unwrap();
    let file = desk.path().join("a.tar.zst");
    cache.export(&file, &mut |_| {}).unwrap();
    let message = refused(&desk, &file);
    let why = "the set qemu-10.0.2 contains another version of qemu-system-x86 than this version of prazo expects; export the archive again";
    assert!(message.contains(why), "{message}");
}

#[test]
fn an_archive_that_was_cut_off_or_changed_leaves_nothing() {
    let (desk, cache) = or_skip!(desk());
    let file = desk.path().join("a.tar.zst");
    cache.export(&file, &mut |_| {}).unwrap();
    let whole = fs::read(&file).unwrap();
    for length in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..length]).unwrap();
        assert!(refused(&desk, &file).contains("a.tar.zst"), "cut off at {length}");
    }
    fs::write(&file, "no archive").unwrap();
    assert!(refused(&desk, &file).contains("archive"));
}

/// A file's content with the checksum that its list gives.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// An archive with this list and one file, packed by hand.
fn packed(desk: &TempDir, list: &str, path: &str, content: &[u8]) -> PathBuf {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in [("prazo-lab.list", list.as_bytes()), (path, content)] {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        archive.append(&header, content).unwrap();
    }
    let file = desk.path().join("hand.tar.zst");
    let into = fs::File::create(&file).unwrap();
    let mut zstd = Command::new("zstd").args(["-q", "-c"]).stdin(Stdio::piped()).stdout(into).spawn().unwrap();
    zstd.stdin.take().unwrap().write_all(&archive.into_inner().unwrap()).unwrap();
    assert!(zstd.wait().unwrap().success());
    file
}

#[test]
fn an_archive_that_leads_out_of_the_cache_is_refused() {
    let (desk, _) = or_skip!(desk());
    for path in ["../evil", "/tmp/evil", "tool-1.0/../../evil", "lock/evil", "evil"] {
        let file = packed(&desk, &format!("file\t{EMPTY}\t{path}\n"), path, b"");
        assert!(refused(&desk, &file).contains("not in the folder of a package set"), "{path}");
    }
    let through = format!("link\t/tmp\ttool-1.0/a\nfile\t{EMPTY}\ttool-1.0/a/evil\n");
    assert!(refused(&desk, &packed(&desk, &through, "tool-1.0/a/evil", b"")).contains("outside"));
    assert!(!desk.path().join("evil").exists());
}

#[test]
fn what_is_not_on_the_list_or_has_another_checksum_is_refused() {
    let (desk, _) = or_skip!(desk());
    let list = format!("file\t{EMPTY}\ttool-1.0/a\n");
    assert!(refused(&desk, &packed(&desk, &list, "tool-1.0/b", b"")).contains("tool-1.0/b"));
    assert!(refused(&desk, &packed(&desk, &list, "tool-1.0/a", b"full")).contains("checksum"));
    assert!(refused(&desk, &packed(&desk, "", "tool-1.0/a", b"")).contains("not in its list"));
}

#[test]
fn a_set_that_this_lab_knows_must_list_the_packages_that_it_knows() {
    let (desk, cache) = or_skip!(desk());
    fs::rename(cache.folder().join("tool-1.0"), cache.folder().join("linux-6.12.95")).unwrap();
    cache.seal("linux-6.12.95").unwrap();
    let file = desk.path().join("a.tar.zst");
    cache.export(&file, &mut |_| {}).unwrap();
    assert!(refused(&desk, &file).contains("contains another version of"));
}
