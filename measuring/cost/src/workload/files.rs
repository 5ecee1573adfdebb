//! Reads and writes of a file: iozone's role in Marsal 2013, by fio.

use super::data;
use super::kind::{Scene, Workload, always, no_server, words};
use prazo_platform::foreign_programs::FIO;
use std::io;

pub(super) const WORKLOAD: Workload = Workload {
    name: "files",
    what: "Reads and writes 4 KiB at random places of a 64 MiB file and flushes after every 64 writes: file-system \
           code and waits for the device.",
    source: "Marsal 2013: iozone, here replaced by fio, because Debian does not count iozone as free software",
    unit: "blocks of 4 KiB",
    first_size: 1_000,
    programs: &[FIO],
    prepare,
    server: no_server,
    check: always,
    command,
};

/// The file is there before the first run, so that making it is in no account.
fn prepare(scene: &Scene, _: u64) -> io::Result<()> {
    let file = scene.work.join("file");
    if file.exists() { Ok(()) } else { std::fs::write(file, data::text(1 << 20, 0).repeat(64)) }
}

fn command(_: &Scene, size: u64) -> Vec<String> {
    let kilobytes = size.saturating_mul(4);
    words(&format!(
        "fio --name=files --filename=file --rw=randrw --rwmixread=50 --bs=4k --size=64m --io_size={kilobytes}k \
         --fsync=64 --ioengine=psync --randseed=1 --thread --output=/dev/null"
    ))
}
