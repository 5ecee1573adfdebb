//! The measured costs as texts: an `Overheads` table for the analysis, and every figure for plots.
//!
//! A table's counts are tasks that share a ready queue, as the analysis asks for them: of 125 threads on four queues each
//! queue has up to 32. It never falls: an amount is at least that of fewer tasks.

use super::bench::Bench;
use super::figures::Figures;
use super::measured::MeasuredThreads;
use super::piece::BootKind;
use prazo_core::overheads::OverheadField;
use prazo_lab::Emulator;
use prazo_run::run::Quantity;
use prazo_stats::overheads::Statistic;
use std::fmt::Write;

/// The overheads that the analysis knows, each with the quantity that is charged for it.
///
/// The switch is that of two threads: it holds the whole way from one thread to the other, whereas the one in place leaves
/// out what stands before and behind it. A release is charged for each job.
const CHARGED: [(OverheadField, Quantity); 3] = [
    (OverheadField::Release, Quantity::ReleaseOverheadPerJob),
    (OverheadField::Scheduling, Quantity::SchedulingOverhead),
    (OverheadField::ContextSwitch, Quantity::ContextSwitchOfPair),
];

/// What stands behind samples of boots of `kind`, in one line.
pub(super) fn origin(bench: &Bench, emulator: &Emulator, kind: BootKind) -> String {
    let (shape, processors, time) = (&bench.shape, bench.processors(), bench.machine(kind).time);
    let version = emulator.version();
    format!("prazo kernel {}, {shape} on {processors} processors, {version}, time {time}", bench.kernel)
}

/// The `Overheads` table of one shape; `measured` ascends in the number of threads.
pub(super) fn overheads(bench: &Bench, origin: &str, measured: &[MeasuredThreads], statistic: Statistic) -> String {
    let mut text = format!(
        "# Written by `cargo xtask kernel overheads`. Each point is [number of tasks that share a ready queue, amount].\n\
         name = \"prazo kernel, {}, {}\"\n\
         note = \"one-shot timers: no tick is charged; IPI latency and event latency were not measured\"\n\
         source = \"{origin}\"\nstatistic = \"{}\"\n",
        bench.shape,
        statistic.name(),
        statistic.name()
    );
    for (key, quantity) in CHARGED {
        let points = points(bench, measured, quantity, statistic);
        let samples = points.iter().map(|point| point.2).min().unwrap_or(0);
        let list: Vec<String> =
            points.iter().map(|(tasks, tenths, _)| format!("[{tasks}, \"{}\"]", ns(*tenths))).collect();
        if !list.is_empty() {
            let _ = write!(text, "\n# {quantity}; at least this many samples at each point.\n");
            let _ = write!(text, "[{key}]\nlinear = [{}]\nsamples = {samples}\n", list.join(", "));
        }
    }
    text
}

/// Tasks of a queue, amount in tenths of a nanosecond, samples.
fn points(bench: &Bench, measured: &[MeasuredThreads], of: Quantity, statistic: Statistic) -> Vec<(u32, u64, u64)> {
    let mut least = 0;
    let mut points: Vec<(u32, u64, u64)> = Vec::new();
    for (threads, figures) in figures_of(measured, of) {
        least = statistic.of(figures.max_ns, figures.mean_ns).max(least);
        let tasks = threads.div_ceil(bench.clusters.len() as u32);
        // Two numbers of threads may be one number of tasks in a queue: the larger amount stands.
        points.pop_if(|last| last.0 == tasks);
        points.push((tasks, least, figures.count));
    }
    points
}

fn figures_of(measured: &[MeasuredThreads], of: Quantity) -> impl Iterator<Item = (u32, Figures)> + '_ {
    measured.iter().filter_map(move |one| Some((one.threads, Figures::of(&one.costs.get(&of)?.histogram())?)))
}

fn ns(tenths: u64) -> String {
    if tenths.is_multiple_of(10) { format!("{}ns", tenths / 10) } else { format!("{}.{}ns", tenths / 10, tenths % 10) }
}

/// Every figure of one shape, by number of threads: `[[measured]]` tables.
pub(super) fn figures(bench: &Bench, emulator: &Emulator, measured: &[MeasuredThreads]) -> String {
    let mut text = String::new();
    for &quantity in Quantity::VALUES {
        let rows: Vec<String> =
            figures_of(measured, quantity).map(|(threads, figures)| row(threads, &figures)).collect();
        if !rows.is_empty() {
            let (shape, rows) = (&bench.shape, rows.join(",\n"));
            let kind = if quantity == Quantity::IpiLatency { BootKind::FreeRunning } else { BootKind::OneShot };
            let (quantity, origin) = (quantity.name(), origin(bench, emulator, kind));
            let head = format!("[[measured]]\nshape = \"{shape}\"\nquantity = \"{quantity}\"\nsource = \"{origin}\"");
            let _ = write!(text, "{head}\npoints = [\n{rows},\n]\n\n");
        }
    }
    text
}

fn row(threads: u32, figures: &Figures) -> String {
    let Figures { count, max_ns, mean_ns, median_ns, max_less_8_ns, max_less_1_percent_ns } = figures;
    format!(
        "  {{ threads = {threads}, count = {count}, max_ns = {max_ns}, mean_ns = {mean_ns:.1}, median_ns = {median_ns}, \
         max_less_8_ns = {max_less_8_ns}, max_less_1_percent_ns = {max_less_1_percent_ns} }}"
    )
}
