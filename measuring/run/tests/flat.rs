//! An hour of two processors at 1 kHz through the writer: the file grows in proportion, the memory does not grow.

#[allow(dead_code)] // Each program of tests needs a part of it.
#[path = "support/synthetic.rs"]
mod synthetic;

use prazo_run::store::{self, Closing, Recorded, Writer};
use std::path::Path;
use synthetic::Shape;

const SHAPE: Shape = Shape { hz: 1_000, cpus: 2, seconds: 3_600, warm_up_s: 0, raw: false };

/// Resident memory in kilobytes.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Writes the run; returns the resident memory after each tenth.
fn write(path: &Path, shape: Shape) -> Vec<u64> {
    let mut writer = Writer::create(path, &shape.opening(Vec::new())).unwrap();
    let mut sources = shape.sources(1);
    let mut resident = Vec::new();
    for at_s in 0..shape.seconds {
        let batch: Vec<_> = sources.iter_mut().map(|source| source.second(at_s)).collect();
        assert!(matches!(writer.append(&batch), Recorded::Stored));
        if at_s % (shape.seconds / 10) == shape.seconds / 10 - 1 {
            resident.push(resident_kb());
        }
    }
    writer.finish(&Closing::default()).unwrap();
    resident
}

#[test]
fn an_hour_takes_little_disk_and_no_more_memory_than_its_first_tenths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hour.prazo");
    let resident = write(&path, SHAPE);
    let bytes = std::fs::metadata(&path).unwrap().len();
    eprintln!("{bytes} bytes, resident {resident:?} kB");
    // The page cache of 8 MB fills up; beyond that nothing may grow.
    assert!(resident[9] < resident[1] + 10_000, "{resident:?}");
    // Of the 50 MB that a day may take: an hour's share, and the blocks, which are at most a thousand however long the run.
    let blocks: u64 = store::open(&path).unwrap().series.iter().flat_map(|series| &series.blocks).map(|_| 1_000).sum();
    assert!(bytes < 50_000_000 / 24 + blocks, "{bytes} bytes with {blocks} of blocks");
}

#[test]
fn twice_the_seconds_take_at_most_twice_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let size = |seconds| {
        let path = folder.path().join(format!("{seconds}.prazo"));
        write(&path, Shape { seconds, ..SHAPE });
        std::fs::metadata(&path).unwrap().len()
    };
    let (half, whole) = (size(300), size(600));
    assert!(whole < 2 * half, "{half} and {whole} bytes");
}
