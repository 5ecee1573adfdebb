//! Made-up evidence for tests and the demonstration: every case a report must survive.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod costs;
mod figures;
mod rows;

use figures::Chance;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_platform::tunable::TunableRecord;
use prazo_report::{ReportContent, RunEvidence};
use prazo_run::histogram::Histogram;
use prazo_run::plan::{Length, Plan, Policy, ThreadPlan};
use prazo_run::run::{Activations, Ending, LoadRecord, Origin, Second, StatedFigures, WorstSample};
use prazo_run::source::Source;
use prazo_run::{Caveat, Run, Series, Severity};
use prazo_verdict::Outcome;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(crate) const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{1b}[31m'\"`|&{{ 7*7 }}";

/// The evidence of a named case.
pub(crate) fn case(name: &str, files: &[PathBuf]) -> Option<ReportContent> {
    Some(match name {
        "pass" => machine(Outcome::Pass),
        "fail" => machine(Outcome::Fail),
        "inconclusive" => machine(Outcome::Inconclusive),
        "hostile" => hostile(),
        "empty" => empty(),
        "long" => long(),
        "negative" => negative(),
        "study" => study(),
        "compare" => compared(),
        "cost" => ReportContent { costs: vec![costs::costs()], ..study() },
        "import" => import(files),
        _ => return None,
    })
}

/// An evaluation of this machine: fifo and other, without and with loads.
pub(crate) fn machine(outcome: Outcome) -> ReportContent {
    let mut runs = vec![
        run("fifo-idle", Shape { seconds: 90, loaded: false, fifo: true, seed: 1 }),
        run("fifo-load", Shape { seconds: 180, loaded: true, fifo: true, seed: 2 }),
        run("other-idle", Shape { seconds: 60, loaded: false, fifo: false, seed: 3 }),
        run("other-load", Shape { seconds: 120, loaded: true, fifo: false, seed: 4 }),
    ];
    runs[1].caveats.push(rows::steal());
    runs[1].series[0].split = Some(Box::new(rows::split()));
    runs[3].ending = Ending::Interrupted;
    ReportContent {
        title: "Evaluation of a made-up board".into(),
        verdict: Some(rows::verdict(outcome)),
        runs: runs.into_iter().map(|run| control(with_figures(run, Some(1_000_000)))).collect(),
        comparisons: vec![rows::comparison("fifo-load", "other-load")],
        readiness: rows::readiness(),
        claims: rows::claims(),
        command: "prazo evaluate --deadline 1ms --kind firm".into(),
        made_at: "2026-11-21 07:00 UTC".into(),
        ..ReportContent::default()
    }
}

/// Two of its runs compared, and nothing judged.
fn compared() -> ReportContent {
    let mut evidence = machine(Outcome::Pass);
    evidence.runs.retain(|run| run.run.name.ends_with("load"));
    evidence.runs.iter_mut().for_each(|run| run.is_control = false);
    let title = "comparison".into();
    ReportContent { title, verdict: None, claims: Vec::new(), readiness: Vec::new(), is_comparison: true, ..evidence }
}

/// The runs under `other` are there to compare with.
fn control(run: RunEvidence) -> RunEvidence {
    RunEvidence { is_control: run.run.name.starts_with("other"), ..run }
}

/// A study of twelve cells without a requirement: only its claims are judged.
pub(crate) fn study() -> ReportContent {
    let mut runs = Vec::new();
    for (kernel, seed) in [("standard", 20), ("rt", 30)] {
        for (fifo, policy) in [(true, "fifo"), (true, "rr"), (false, "other")] {
            for (loaded, load) in [(false, "idle"), (true, "loaded")] {
                let shape = Shape { seconds: 12, loaded, fifo, seed: seed + runs.len() as u64 };
                runs.push(run(&format!("{kernel}.{policy}.{load}"), shape));
            }
        }
    }
    ReportContent {
        title: "Two kernels, three policies".into(),
        runs: runs.into_iter().map(|run| with_figures(run, None)).collect(),
        claims: rows::claims(),
        command: "prazo study run two-kernels".into(),
        ..ReportContent::default()
    }
}

/// Names and texts that try to leave their place.
pub(crate) fn hostile() -> ReportContent {
    let mut evidence = machine(Outcome::Fail);
    evidence.title = HOSTILE.into();
    evidence.command = format!("prazo evaluate '{HOSTILE}'");
    for run in &mut evidence.runs {
        run.run.name = format!("{}{HOSTILE}", run.run.name);
        run.run.caveats.push(Caveat::new(HOSTILE, Severity::Fatal, HOSTILE, HOSTILE));
        run.run.loads.iter_mut().for_each(|load| load.name = HOSTILE.into());
    }
    evidence.claims.iter_mut().for_each(|claim| claim.text = HOSTILE.into());
    evidence.readiness.iter_mut().for_each(|row| row.found = HOSTILE.into());
    evidence
}

/// A run without a sample, and nothing judged.
pub(crate) fn empty() -> ReportContent {
    let run = Run { name: "nothing".into(), ending: Ending::Died, ..Run::default() };
    ReportContent {
        title: "A run that died at once".into(),
        runs: vec![with_figures(run, None)],
        ..ReportContent::default()
    }
}

/// Xenomai's early timers.
pub(crate) fn negative() -> ReportContent {
    let mut chance = Chance::new(7);
    let mut series = Series {
        cpu: Some(0),
        period: Some(Duration::from_us(100)),
        resolution: Duration::from_ns(1),
        ..Series::default()
    };
    for _ in 0..200_000 {
        series.histogram.add(chance.latency(1_900, 0.35, 1e-4) - 2_400, 1);
    }
    series.activations = Activations { served: series.histogram.total(), ..Activations::default() };
    let origin = Origin::Imported { tool: "xenomai-latency".into(), file: "latency.txt".into() };
    let run = Run { name: "xenomai user task".into(), origin, series: vec![series], ..Run::default() };
    ReportContent { title: "Xenomai latency".into(), runs: vec![with_figures(run, None)], ..ReportContent::default() }
}

/// 27.8 hours at 1 kHz: 10^8 activations on each of two processors.
pub(crate) fn long() -> ReportContent {
    let mut run = base("long", &Shape { seconds: 100_000, loaded: true, fifo: true, seed: 9 });
    run.series = [0, 1].map(|cpu| long_series(cpu, 100_000)).into();
    let on = |start: u32| (f64::from(start), f64::from(start) + 20.0);
    run.loads.iter_mut().for_each(|load| load.on_s = (0..100_000).step_by(30).map(on).collect());
    let mut evidence = machine(Outcome::Pass);
    evidence.title = "A hundred million activations".into();
    evidence.runs = vec![with_figures(run, Some(1_000_000))];
    evidence.comparisons.clear();
    evidence
}

fn long_series(cpu: u32, seconds: u32) -> Series {
    let mut chance = Chance::new(u64::from(cpu) + 90);
    let mut series = Series {
        cpu: Some(cpu),
        period: Some(Duration::from_ms(1)),
        resolution: Duration::from_ns(1),
        ..Series::default()
    };
    for at_s in 0..seconds {
        let samples: Vec<i64> = (0..20).map(|_| chance.latency(23_000, 0.3, 1e-3)).collect();
        samples.iter().for_each(|ns| series.histogram.add(*ns, 50));
        series.timeline.push(second(at_s, &samples, 50));
    }
    let served = series.histogram.total();
    series.activations =
        Activations { due: Some(served), served, skipped: Some(0), missed: Some(0), ..Activations::default() };
    series
}

fn second(at_s: u32, samples: &[i64], weight: u64) -> Second {
    Second {
        at_s,
        warm_up: at_s < 5,
        count: samples.len() as u64 * weight,
        missed: samples.iter().filter(|ns| **ns > 1_000_000).count() as u64,
        min_ns: samples.iter().min().copied(),
        max_ns: samples.iter().max().copied(),
        sum_ns: samples.iter().sum::<i64>() * weight as i64,
        ..Second::default()
    }
}

/// How a made-up run looks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    seconds: u32,
    loaded: bool,
    fifo: bool,
    seed: u64,
}

fn run(name: &str, shape: Shape) -> Run {
    /// The series of each shape: half a million samples, which most tests of a program ask for again.
    static MADE: Mutex<BTreeMap<Shape, Vec<Series>>> = Mutex::new(BTreeMap::new());
    let mut run = base(name, &shape);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let make = |shape: &Shape| [0, 1].map(|cpu| series(cpu, shape, &run.loads)).into();
    run.series = made.entry(shape).or_insert_with_key(make).clone();
    run
}

fn base(name: &str, shape: &Shape) -> Run {
    let mut caveats = Vec::new();
    if !shape.fifo {
        caveats.push(rows::not_real_time());
    }
    Run {
        name: name.into(),
        origin: Origin::Synthetic,
        plan: Some(plan(shape)),
        command: format!(
            "prazo measure timer --policy {} --duration {}s",
            if shape.fifo { "fifo" } else { "other" },
            shape.seconds
        ),
        elapsed: Some(Duration::from_s(shape.seconds.into())),
        platform_before: Some(platform("6.1.0-44-amd64", "acpi-cpufreq")),
        platform_after: Some(platform("6.1.0-44-amd64", "schedutil")),
        loads: if shape.loaded { loads(shape) } else { Vec::new() },
        tunables: vec![TunableRecord {
            knob: "/dev/cpu_dma_latency".into(),
            before: Some("2000000000".into()),
            requested: "0".into(),
            effective: Some("0".into()),
            restored: true,
        }],
        recorder_delay_max: Some(Duration::from_us(412)),
        caveats,
        ..Run::default()
    }
}

fn plan(shape: &Shape) -> Plan {
    let policy = if shape.fifo { Policy::Fifo { priority: 95 } } else { Policy::Other };
    let threads = [0, 1].map(|cpu| ThreadPlan { cpu, period: Duration::from_ms(1), phase: Duration::ZERO });
    let length = Length::Duration { length: Duration::from_s(shape.seconds.into()) };
    Plan {
        warm_up: Duration::from_s(5),
        lead_in: Duration::from_s(2),
        deadline: Some(Duration::from_ms(1)),
        looks_for: Some(Duration::from_ms(1)),
        seed: shape.seed,
        ..Plan::new(Source::Timer, policy, threads.into(), length)
    }
}

fn platform(kernel: &str, governor: &str) -> Fingerprint {
    let fact = |value: &str, source: &str| Fact { value: Some(value.into()), source: source.into() };
    let facts = [
        ("cpu.model", fact("Made-up Core at 2 GHz", "/proc/cpuinfo")),
        ("cpu.governor", fact(governor, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        ("kernel.release", fact(kernel, "uname -r")),
        ("dmi.board", Fact { value: None, source: "/sys/class/dmi/id/board_name: No such file or directory".into() }),
    ];
    Fingerprint { facts: facts.map(|(name, fact)| (name.to_owned(), fact)).into() }
}

fn loads(shape: &Shape) -> Vec<LoadRecord> {
    let on = |cycle: u32, length: u32| {
        (0..shape.seconds)
            .step_by(cycle as usize)
            .map(|start| (f64::from(start), f64::from((start + length).min(shape.seconds))))
            .collect()
    };
    let load = |name: &str, unit: &str, asked: Option<f64>, reached: Option<f64>, note: &str, on_s| LoadRecord {
        name: name.into(),
        generator: format!("{name} 1.2.3"),
        unit: unit.into(),
        asked,
        reached,
        note: note.into(),
        on_s,
        contained: "namespaces".into(),
    };
    vec![
        load("udp-flood", "packets/s", Some(50_000.0), Some(48_712.4), "counted by the receiver", on(30, 20)),
        load("disk-read", "MB/s", None, Some(312.71), "from /proc/PID/io", on(37, 17)),
        load("scheduler", "messages/s", None, None, "hackbench prints no rate", on(31, 22)),
    ]
}

fn series(cpu: u32, shape: &Shape, loads: &[LoadRecord]) -> Series {
    let mut chance = Chance::new(shape.seed * 10 + u64::from(cpu));
    let mut series = Series {
        cpu: Some(cpu),
        period: Some(Duration::from_ms(1)),
        resolution: Duration::from_ns(1),
        ..Series::default()
    };
    for at_s in 0..shape.seconds {
        let busy = loads
            .iter()
            .filter(|load| load.on_s.iter().any(|(a, b)| *a <= f64::from(at_s) && f64::from(at_s) < *b))
            .count();
        let samples: Vec<i64> = (0..1_000).map(|_| sample(&mut chance, shape, busy)).collect();
        add_second(&mut series, at_s, &samples);
    }
    finish(&mut series);
    series
}

fn sample(chance: &mut Chance, shape: &Shape, busy: usize) -> i64 {
    let typical = if shape.fifo { 9_000 } else { 58_000 } + 4_000 * busy as i64;
    let spread = 0.25 + 0.12 * busy as f64;
    let stalls = if shape.fifo { 2e-6 } else { 2e-4 } * (1 + 4 * busy) as f64;
    chance.latency(typical, spread, stalls)
}

fn add_second(series: &mut Series, at_s: u32, samples: &[i64]) {
    let mut second = second(at_s, samples, 1);
    second.skipped = samples.iter().map(|ns| ((ns - 1).max(0) / 1_000_000) as u64).sum();
    series.timeline.push(second);
    if second.warm_up {
        samples.iter().for_each(|ns| series.warm_up.add(*ns, 1));
        return;
    }
    for (at, ns) in samples.iter().enumerate() {
        series.histogram.add(*ns, 1);
        let at_ns = i64::from(at_s) * 1_000_000_000 + at as i64 * 1_000_000;
        series.worst.push(WorstSample { at_ns, latency_ns: *ns, activation: (at_ns / 1_000_000) as u64 });
    }
    series.worst.sort_by_key(|worst| std::cmp::Reverse(worst.latency_ns));
    series.worst.truncate(100);
}

fn finish(series: &mut Series) {
    let measured = || series.timeline.iter().filter(|second| !second.warm_up);
    let served = series.histogram.total();
    let skipped: u64 = measured().map(|second| second.skipped).sum();
    series.activations = Activations {
        due: Some(served + skipped),
        served,
        skipped: Some(skipped),
        missed: Some(measured().map(|second| second.missed).sum()),
        ..Activations::default()
    };
}

/// Real cyclictest histograms, by a few lines that know only their shape.
pub(crate) fn import(files: &[PathBuf]) -> ReportContent {
    let runs = files.iter().map(|file| with_figures(cyclictest(file), Some(200_000))).collect();
    ReportContent {
        title: "Raspberry Pi, 18 hours a kernel (Blaess 2014)".into(),
        verdict: Some(rows::verdict_200us()),
        runs,
        command: "prazo study show blaess-2014".into(),
        ..ReportContent::default()
    }
}

fn cyclictest(file: &Path) -> Run {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut histogram = Histogram::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split_whitespace().filter_map(|field| field.parse::<u64>().ok());
        if let (Some(us), Some(count)) = (fields.next(), fields.next()) {
            histogram.add(us as i64 * 1_000, count);
        }
    }
    let stated = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<i64>().ok());
    histogram.add_overflow(stated("# Histogram Overflows:").unwrap_or(0) as u64);
    let name = file.file_stem().map(|stem| stem.to_string_lossy().replace("results-", "")).unwrap_or_default();
    let activations = Activations { served: histogram.total(), ..Activations::default() };
    let stated = StatedFigures {
        count: stated("# Total:").map(|count| count as u64),
        min_ns: stated("# Min Latencies:").map(|us| us * 1_000),
        mean_ns: stated("# Avg Latencies:").map(|us| us as f64 * 1_000.0),
        max_ns: stated("# Max Latencies:").map(|us| us * 1_000),
    };
    let (period, resolution) = (Some(Duration::from_ms(1)), Duration::from_us(1));
    let series = Series { period, resolution, activations, histogram, stated: Some(stated), ..Series::default() };
    let origin = Origin::Imported {
        tool: "cyclictest".into(),
        file: file.file_name().unwrap_or_default().to_string_lossy().into(),
    };
    Run { name, origin, series: vec![series], ..Run::default() }
}

fn with_figures(run: Run, deadline_ns: Option<i64>) -> RunEvidence {
    RunEvidence::of(run, deadline_ns.map(|deadline| Duration::from_ns(deadline as u64)))
}
