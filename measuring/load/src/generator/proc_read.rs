//! The machine's /proc read once, as monitors do; the folder where this starts is that /proc.

use std::fs::{self, File};
use std::io::{self, Read};

/// What is read of the machine; a kernel without one of them has the others.
const OF_THE_MACHINE: [&str; 6] = ["interrupts", "softirqs", "stat", "meminfo", "vmstat", "slabinfo"];
/// What is read of each process.
const OF_A_PROCESS: [&str; 4] = ["stat", "status", "cmdline", "maps"];

/// Reads it all.
pub(super) fn read_once() -> io::Result<()> {
    let entries = fs::read_dir(".")?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut processes: Vec<u32> = entries.filter_map(|name| name.parse().ok()).collect();
    processes.sort_unstable();
    let of_processes = OF_A_PROCESS.iter().flat_map(|file| processes.iter().map(move |pid| format!("{pid}/{file}")));
    let mut bytes = vec![0; 128 << 10];
    OF_THE_MACHINE.iter().map(|file| (*file).to_owned()).chain(of_processes).for_each(|file| read(&file, &mut bytes));
    Ok(())
}

/// A process that ends while it is read, or that this user may not read, is left out.
fn read(file: &str, bytes: &mut [u8]) {
    let Ok(mut file) = File::open(file) else { return };
    while matches!(file.read(bytes), Ok(1..)) {}
}
