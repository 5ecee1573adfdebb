//! The measured samples of one number of threads as a run file, which `prazo report` opens like any other.
//!
//! Each quantity is a series: its histogram, its worst samples, every sample, and a timeline in which each second stands for
//! one repetition, since the kernel keeps no instants.

use super::bench::Bench;
use super::measured::{Cost, MeasuredThreads};
use prazo_core::time::Duration;
use prazo_lab::Emulator;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::run::{Activations, Origin, Quantity, Second, Series, WORST_KEPT, WorstSample};
use prazo_run::store::{Sample, SecondOfSamples, save_with_samples};
use prazo_run::{Caveat, Run, Severity};
use std::path::Path;

/// What stands behind the samples.
pub(super) struct Source<'a> {
    /// The kernel and its machine.
    pub bench: &'a Bench,
    /// What booted it.
    pub emulator: &'a Emulator,
    /// The command line that makes these figures again.
    pub command: &'a str,
    /// How many seeds were drawn.
    pub seeds: u32,
}

/// Writes `measured` to a new file at `path`, in the place of an older one.
pub(super) fn write(source: &Source<'_>, measured: &MeasuredThreads, path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("cannot replace {}: {error}", path.display()));
        }
        _ => {}
    }
    let samples: Vec<SecondOfSamples> = measured.costs.values().enumerate().flat_map(seconds_of_samples).collect();
    save_with_samples(&run(source, measured), &samples, path).map_err(|error| error.to_string())
}

fn run(source: &Source<'_>, measured: &MeasuredThreads) -> Run {
    let platform = Some(fingerprint(source, measured));
    Run {
        name: format!("{}, {} threads", source.bench.shape, measured.threads),
        origin: Origin::Imported { tool: "prazo kernel".into(), file: "its serial console".into() },
        command: source.command.to_owned(),
        platform_before: platform.clone(),
        platform_after: platform,
        series: measured.costs.iter().map(|(quantity, cost)| series(*quantity, cost)).collect(),
        caveats: caveats(source, measured),
        ..Run::default()
    }
}

fn series(quantity: Quantity, cost: &Cost) -> Series {
    let histogram = cost.histogram();
    let served = histogram.total() + cost.lost;
    Series {
        quantity,
        resolution: Duration::from_ns(1),
        activations: Activations { served, lost: cost.lost, ..Activations::default() },
        histogram,
        timeline: cost.repetitions.iter().enumerate().map(second).collect(),
        worst: worst(cost),
        ..Series::default()
    }
}

fn second((at_s, samples): (usize, &Vec<u64>)) -> Second {
    Second {
        at_s: at_s as u32,
        count: samples.len() as u64,
        min_ns: samples.iter().min().map(|ns| *ns as i64),
        max_ns: samples.iter().max().map(|ns| *ns as i64),
        sum_ns: samples.iter().sum::<u64>() as i64,
        ..Second::default()
    }
}

/// Every sample of a cost with the second that stands for its repetition, numbered through.
fn each(cost: &Cost) -> impl Iterator<Item = (usize, Sample)> + '_ {
    let all = cost.repetitions.iter().enumerate().flat_map(|(at, samples)| samples.iter().map(move |ns| (at, *ns)));
    all.enumerate().map(|(number, (at, ns))| {
        (at, Sample { activation: number as u64, due_ns: at as i64 * 1_000_000_000, latency_ns: ns as i64 })
    })
}

fn seconds_of_samples((series, cost): (usize, &Cost)) -> Vec<SecondOfSamples> {
    let empty = |at| SecondOfSamples { series, at_s: at as u32, samples: Vec::new() };
    let mut seconds: Vec<SecondOfSamples> = (0..cost.repetitions.len()).map(empty).collect();
    each(cost).for_each(|(at, sample)| seconds[at].samples.push(sample));
    seconds
}

fn worst(cost: &Cost) -> Vec<WorstSample> {
    let place = |sample: Sample| {
        let Sample { activation, due_ns, latency_ns } = sample;
        WorstSample { at_ns: due_ns, latency_ns, activation }
    };
    let mut worst: Vec<WorstSample> = each(cost).map(|(_, sample)| place(sample)).collect();
    worst.sort_by_key(|sample| (std::cmp::Reverse(sample.latency_ns), sample.activation));
    worst.truncate(WORST_KEPT);
    worst
}

fn fingerprint(source: &Source<'_>, measured: &MeasuredThreads) -> Fingerprint {
    let Source { bench, emulator, .. } = source;
    let clusters: Vec<String> = bench.clusters.iter().map(u32::to_string).collect();
    let facts = [
        ("kernel.name", "prazo kernel".to_owned()),
        ("kernel.shape", bench.shape.clone()),
        ("kernel.digest", bench.kernel.clone()),
        ("kernel.processors_of_each_queue", clusters.join(", ")),
        ("machine.board", format!("{} with {} processors", bench.counted.board, bench.counted.processors)),
        ("machine.time", bench.counted.time.to_string()),
        ("machine.emulator", emulator.version().to_owned()),
        ("plan.threads", measured.threads.to_string()),
        ("plan.seeds", source.seeds.to_string()),
        ("plan.set", "periods uniform in 3 to 33 ms, offsets within the period, a body of 50 sums".to_owned()),
        ("jobs.due", measured.jobs.due.to_string()),
        ("jobs.released", measured.jobs.released.to_string()),
        ("jobs.due_at_tick", measured.jobs_at_tick.due.to_string()),
        ("jobs.released_at_tick", measured.jobs_at_tick.released.to_string()),
    ];
    let fact = |value: String| Fact { value: Some(value), source: "cargo xtask kernel overheads".into() };
    Fingerprint { facts: facts.into_iter().map(|(name, value)| (name.to_owned(), fact(value))).collect() }
}

fn caveats(source: &Source<'_>, measured: &MeasuredThreads) -> Vec<Caveat> {
    let mut caveats = vec![Caveat::new(
        "counted-time",
        Severity::Medium,
        format!("Time is {}: these are instructions, not what a hardware takes for them.", source.bench.counted.time),
        "Compare order and growth; take sizes from a real machine (`cargo xtask kernel iso`).",
    )];
    if source.bench.processors() > 1 {
        caveats.push(Caveat::new(
            "emulator-takes-turns",
            Severity::Medium,
            "The emulator runs one processor after the other: a wait for another processor, such as for a lock, lasts as \
             long as its turn, and raises maxima.",
            "Read medians, and maxima of one processor.",
        ));
    }
    let ipi = measured.costs.contains_key(&Quantity::IpiLatency);
    let ipi =
        ipi.then_some(("ipi-of-free-running-guest", "was measured under the host's clock, with the host's load in it"));
    let absent = ("ipi-not-measured", "was not measured: under counted time it is the emulator's turn");
    let (id, what) = ipi.unwrap_or(absent);
    caveats.push(Caveat::new(
        id,
        Severity::Info,
        format!("The latency of interrupts between processors {what}."),
        "Add --free-running on an idle host, or measure on a real machine.",
    ));
    let lost: u64 = measured.costs.values().map(|cost| cost.lost).sum();
    if lost > 0 {
        let what = format!("{lost} samples found no place in the kernel's memory; they are counted as lost.");
        caveats.push(Caveat::new("samples-lost", Severity::High, what, "Give a shorter --duration."));
    }
    caveats
}
