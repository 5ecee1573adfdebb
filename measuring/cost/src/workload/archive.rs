//! A generated folder of files, packed and compressed.

use super::data;
use super::kind::{Scene, Workload, always, no_server, words};
use prazo_platform::foreign_programs::{GZIP, TAR};
use std::io;

pub(super) const WORKLOAD: Workload = Workload {
    name: "archive",
    what: "Packs files of 64 KiB with tar and compresses them with gzip through a pipe: reads, computation and \
           switches between two processes.",
    source: "Blaess 2014: tar and bzip2 of a file tree",
    unit: "files of 64 KiB",
    first_size: 20,
    programs: &[TAR, GZIP],
    prepare,
    server: no_server,
    check: always,
    command,
};

/// tar packs a whole folder, so each size has one of its own.
fn prepare(scene: &Scene, size: u64) -> io::Result<()> {
    data::files(&scene.work.join(folder(size)), "text", size, 64 << 10)
}

fn folder(size: u64) -> String {
    format!("tree{size}")
}

fn command(_: &Scene, size: u64) -> Vec<String> {
    words(&format!("tar --create --gzip --file=archive.tar.gz {}", folder(size)))
}
