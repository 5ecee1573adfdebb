//! Writes a synthetic run through the real writer, as fast as it goes, and says what it cost.
//!
//! `cargo run --release -p prazo-run --example synthetic -- --hours 24 --hz 1000 --cpus 2 OUT.prazo`

#[path = "../tests/support/synthetic.rs"]
mod synthetic;

use prazo_core::time::Duration;
use prazo_run::run::Ending;
use prazo_run::store::{Closing, Recorded, StoreError, Writer};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use synthetic::Shape;

const USAGE: &str = "usage: synthetic [--hours N | --seconds N] [--hz N] [--cpus N] [--seed N] [--raw] OUT.prazo";

fn main() -> ExitCode {
    let Some((shape, seed, out)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match write(shape, seed, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(4)
        }
    }
}

fn arguments() -> Option<(Shape, u64, PathBuf)> {
    let mut shape = Shape { hz: 1_000, cpus: 2, seconds: 3_600, warm_up_s: 0, raw: false };
    let (mut seed, mut out) = (1, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse::<u32>().ok();
        match word.as_str() {
            "--hours" => shape.seconds = number()?.checked_mul(3_600)?,
            "--seconds" => shape.seconds = number()?,
            "--hz" => shape.hz = number().filter(|hz| (1..=1_000_000).contains(hz))?,
            "--cpus" => shape.cpus = number()?,
            "--seed" => seed = u64::from(number()?),
            "--raw" => shape.raw = true,
            name if !name.starts_with('-') => out = Some(PathBuf::from(name)),
            _ => return None,
        }
    }
    Some((shape, seed, out?))
}

fn write(shape: Shape, seed: u64, out: &Path) -> Result<(), StoreError> {
    let started = Instant::now();
    let mut writer = Writer::create(out, &shape.opening(Vec::new()))?;
    let mut sources = shape.sources(seed);
    let (mut due, mut resident) = (0, Vec::new());
    for at_s in 0..shape.seconds {
        let batch: Vec<_> = sources.iter_mut().map(|source| source.second(at_s)).collect();
        due += batch.iter().map(|second| second.samples.len() as u64 + second.skipped).sum::<u64>();
        if let Recorded::Waiting { why, .. } = writer.append(&batch) {
            eprintln!("{why}");
        }
        if at_s % (shape.seconds / 5).max(1) == 0 {
            resident.push(resident_kb());
        }
    }
    let elapsed = Some(Duration::from_s(u64::from(shape.seconds)));
    let finished = writer.finish(&Closing { ending: Ending::Complete, elapsed, ..Closing::default() })?;
    let bytes = std::fs::metadata(&finished.path).map_or(0, |meta| meta.len());
    println!(
        "{due} activations in {:.1} s; {bytes} bytes; resident after each fifth {resident:?} kB",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Resident memory of this process, from /proc/self/status.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}
