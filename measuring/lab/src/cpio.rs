//! An initramfs as bytes: the "newc" form of cpio, uncompressed, the same bytes for the same content.
//!
//! Entries are sorted by path, so that a folder comes before what is in it; times, owners and inode numbers say nothing of
//! the machine that packed it. The form is that of the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.

use std::collections::BTreeMap;

/// An archive that is being filled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    entries: BTreeMap<String, Entry>,
}

/// One path of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    File {
        content: Vec<u8>,
        executable: bool,
    },
    /// A character device with its numbers.
    Device {
        major: u32,
        minor: u32,
    },
}

const ALIGNMENT: usize = 4;
const LAST: &str = "TRAILER!!!";

impl Archive {
    /// An archive with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder, and those that it is in.
    pub fn folder(&mut self, path: &str) {
        self.parents(path);
        self.entries.entry(plain(path)).or_insert(Entry::Folder);
    }

    /// Adds a file; one of the same path is replaced.
    pub fn file(&mut self, path: &str, content: Vec<u8>, executable: bool) {
        self.parents(path);
        self.entries.insert(plain(path), Entry::File { content, executable });
    }

    /// Adds a character device.
    pub fn device(&mut self, path: &str, major: u32, minor: u32) {
        self.parents(path);
        self.entries.insert(plain(path), Entry::Device { major, minor });
    }

    /// True if something is there under this path.
    pub fn has(&self, path: &str) -> bool {
        self.entries.contains_key(&plain(path))
    }

    /// The archive as the kernel takes it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (number, (path, entry)) in self.entries.iter().enumerate() {
            entry.write(number as u32 + 1, path, &mut bytes);
        }
        Header::default().write(LAST, &[], &mut bytes);
        bytes
    }

    fn parents(&mut self, path: &str) {
        let path = plain(path);
        for (at, _) in path.match_indices('/') {
            self.entries.entry(path[..at].to_owned()).or_insert(Entry::Folder);
        }
    }
}

/// Paths in an archive begin without a slash.
fn plain(path: &str) -> String {
    path.trim_matches('/').to_owned()
}

impl Entry {
    fn write(&self, inode: u32, path: &str, bytes: &mut Vec<u8>) {
        let header = |mode| Header { inode, mode, links: 1, ..Header::default() };
        match self {
            Self::Folder => Header { links: 2, ..header(0o040_755) }.write(path, &[], bytes),
            Self::File { content, executable } => {
                header(if *executable { 0o100_755 } else { 0o100_644 }).write(path, content, bytes);
            }
            Self::Device { major, minor } => {
                Header { device: (*major, *minor), ..header(0o020_600) }.write(path, &[], bytes);
            }
        }
    }
}

/// What differs between entries; everything else is zero.
#[derive(Default)]
struct Header {
    inode: u32,
    mode: u32,
    links: u32,
    device: (u32, u32),
}

impl Header {
    /// Thirteen numbers of eight hexadecimal digits behind the magic, then the name and the content, each padded.
    fn write(&self, name: &str, content: &[u8], bytes: &mut Vec<u8>) {
        let sizes = (content.len() as u32, name.len() as u32 + 1);
        let (major, minor) = self.device;
        let numbers = [self.inode, self.mode, 0, 0, self.links, 0, sizes.0, 0, 0, major, minor, sizes.1, 0];
        bytes.extend_from_slice(b"070701");
        numbers.iter().for_each(|number| bytes.extend_from_slice(format!("{number:08x}").as_bytes()));
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        pad(bytes);
        bytes.extend_from_slice(content);
        pad(bytes);
    }
}

/// Zeros up to the next multiple of four.
pub(crate) fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, OrSkipped, or_skip};
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn archive() -> Archive {
        let mut archive = Archive::new();
        archive.file("/usr/bin/tool", b"#!/bin/sh\n".to_vec(), true);
        archive.file("prazo/order.json", b"{}".to_vec(), false);
        archive.device("/dev/console", 5, 1);
        archive.folder("proc");
        archive
    }

    #[test]
    fn the_same_content_is_the_same_bytes_in_whatever_order_it_came() {
        let mut other = Archive::new();
        other.folder("proc");
        other.device("/dev/console", 5, 1);
        other.file("prazo/order.json", b"{}".to_vec(), false);
        other.file("/usr/bin/tool", b"#!/bin/sh\n".to_vec(), true);
        assert_eq!(archive().bytes(), other.bytes());
        assert_eq!(archive().bytes().len() % ALIGNMENT, 0);
    }

    #[test]
    fn a_folder_comes_before_what_is_in_it() {
        let names: Vec<_> = archive().entries.keys().cloned().collect();
        let at = |name: &str| names.iter().position(|found| found == name).unwrap();
        assert!(at("usr") < at("usr/bin") && at("usr/bin") < at("usr/bin/tool"));
        assert!(archive().has("/usr/bin") && !archive().has("/usr/lib"));
    }

    /// cpio(1) is the twin that reads it.
    #[test]
    fn cpio_reads_it() {
        let started = Command::new("cpio")
            .args(["--list", "--verbose", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut cpio = or_skip!(started.or_skipped(Need::Program("cpio")));
        cpio.stdin.take().unwrap().write_all(&archive().bytes()).unwrap();
        let output = cpio.wait_with_output().unwrap();
        let listed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{listed}");
        for line in ["-rwxr-xr-x", "crw-------", "5,   1", "prazo/order.json", "Jan  1  1970"] {
            assert!(listed.contains(line), "{line} is not in\n{listed}");
        }
    }
}
