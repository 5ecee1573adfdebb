//! Short-lived processes that read many small files, compute and write one: what a build of many files is to the kernel.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io;
use std::process::{Command, Stdio};

use prazo_sys::child::tie_to_caller;
use prazo_sys::memory::PrivateMemory;

use super::super::load_kind::OWN_PROGRAM;
use super::super::numbers::Numbers;
use super::request::{Work, arguments};
use super::tree;
use super::workers::Endless;

/// Headers that a unit reads.
const FILES_OF_UNIT: usize = 48;
/// Memory that a unit fills, page by page, as a compiler does with what it builds.
const UNIT_BYTES: usize = 6 << 20;
/// Steps of computing, as a compiler optimises.
const STEPS: u64 = 1_000_000;
const OBJECT_BYTES: usize = 24 << 10;

/// The files that a unit reads.
fn files(seed: u64, unit: u64) -> impl Iterator<Item = u32> {
    let mut numbers = Numbers::numbered(seed, "unit", unit);
    std::iter::repeat_with(move || numbers.below(u64::from(tree::FILES)) as u32).take(FILES_OF_UNIT)
}

/// Compiles one unit after the other, for ever.
pub(super) fn compile(seed: u64, worker: u32) -> Endless {
    let mut units = Numbers::of_worker(seed, worker);
    loop {
        let work = Work::CompileUnit { unit: units.next(), object: format!("object-{worker}") };
        let mut command = Command::new(OWN_PROGRAM);
        command.args(arguments(seed, work)).stdin(Stdio::null());
        let status = tie_to_caller(&mut command).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("a compiler process ended with {status}")));
        }
    }
}

/// Compiles a unit.
pub(super) fn unit(seed: u64, unit: u64, object: &str) -> io::Result<()> {
    let mut counts = BTreeMap::new();
    for file in files(seed, unit) {
        let text = fs::read(tree::name(file))?;
        for word in text.split(u8::is_ascii_whitespace) {
            *counts.entry(word.to_vec()).or_insert(0u64) += 1;
        }
    }
    let mut memory = PrivateMemory::new(UNIT_BYTES)?;
    let words = memory.words();
    let distance = PrivateMemory::page_bytes() / size_of::<u64>();
    words.iter_mut().step_by(distance).zip(1..).for_each(|(word, page)| *word = page);
    let length = words.len() as u64;
    let mut place = counts.values().fold(unit, |sum, count| sum.wrapping_mul(31).wrapping_add(*count));
    for _ in 0..STEPS {
        place = place.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(words[(place % length) as usize]);
    }
    fs::write(object, vec![black_box(place) as u8; OBJECT_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_what_a_unit_reads() {
        let of = |seed, unit| files(seed, unit).collect::<Vec<_>>();
        assert_eq!(of(1, 5).len(), FILES_OF_UNIT);
        assert_eq!(of(1, 5), of(1, 5));
        assert_ne!(of(1, 5), of(1, 6));
        assert_ne!(of(1, 5), of(2, 5));
    }
}
