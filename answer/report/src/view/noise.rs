//! What busy loops lost to gaps: how much, and to whom.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_core::time::Duration;
use prazo_stats::noise::{Lost, LostInAll, LostTo, lost_in_all, lost_to};

/// The tables of lost time; nothing where no loop looked for gaps.
pub fn section(content: &ReportContent) -> Section {
    Section::new("noise", "Time lost to noise").show(by_processor(content)).show(by_taker(content))
}

fn by_processor(content: &ReportContent) -> Table {
    let columns = [
        "Run",
        "Processor",
        "#Observed",
        "#Windows",
        "#Gaps",
        "#Time lost",
        "#Share lost",
        "#Longest gap",
        "#SMIs",
        "#Stolen",
    ];
    let of_run = |run: &RunEvidence| -> Vec<_> {
        prazo_stats::noise::lost(&run.run).iter().map(|lost| processor(&run.run.name, lost)).collect()
    };
    let unknown = content.runs.iter().filter_map(|run| {
        let why = run.run.noise.as_ref()?.smis_unknown.as_ref()?;
        Some(format!("{}: system-management interrupts (SMIs) were not counted: {why}.", run.run.name))
    });
    Table::new("Time that the loops observed, and time that they lost", &columns)
        .with(content.runs.iter().flat_map(of_run))
        .note("A gap is a time between two readings of the clock that is longer than the threshold; shorter ones are not counted.")
        .note("Stolen: time that the hypervisor took during the whole run. The kernel reports it in steps of 10 ms.")
        .notes(unknown)
}

fn processor(run: &str, lost: &Lost) -> Vec<Cell> {
    let observed = &lost.observed;
    let time = |ns: Option<u64>| ns.map_or_else(Cell::absent, |ns| words::length(Duration::from_ns(ns)).into());
    vec![
        run.into(),
        observed.cpu.to_string().into(),
        time(Some(observed.observed.as_ns())),
        windows(observed.windows, observed.windows_missed).into(),
        Cell::count(Some(lost.gaps)),
        time(lost.lost_ns),
        Cell::share(lost.share),
        Cell::latency(lost.longest_ns),
        Cell::count(observed.smis),
        time(observed.stolen_ns),
    ]
}

fn windows(served: u64, missed: u64) -> String {
    match missed {
        0 => words::count(served),
        _ => format!("{} ({} missed)", words::count(served), words::count(missed)),
    }
}

fn by_taker(content: &ReportContent) -> Table {
    let columns = ["Run", "Taken by", "#Gaps", "#Time lost", "#Share of the observed time", "#Most in one gap"];
    let of_run = |run: &RunEvidence| -> Vec<_> {
        let parts = lost_to(&run.run);
        let parts = parts.iter().map(|lost| taker(&run.run.name, lost));
        lost_in_all(&run.run).iter().map(|all| whole(&run.run.name, all)).chain(parts).collect()
    };
    let is_split = content.runs.iter().any(|run| !lost_to(&run.run).is_empty());
    Table::new("Time lost to each source of noise, all processors together", &columns)
        .with(content.runs.iter().flat_map(of_run))
        .notes(OF_PARTS.into_iter().filter(|_| is_split).map(str::to_owned))
}

/// What must be known of the parts of gaps.
const OF_PARTS: [&str; 2] = [
    "Times are net of nesting: an interrupt within a softirq counts as interrupt only. The times add up to the gaps that were split.",
    "Not recorded: firmware, the hypervisor, exceptions, and the entry and exit of interrupts.",
];

/// The row of all gaps, above those of their parts.
fn whole(run: &str, all: &LostInAll) -> Vec<Cell> {
    vec![
        run.into(),
        "all".into(),
        Cell::count(Some(all.gaps)),
        all.lost_ns.map_or_else(Cell::absent, |ns| words::length(Duration::from_ns(ns)).into()),
        Cell::share(all.share),
        Cell::latency(all.longest_ns),
    ]
}

fn taker(run: &str, lost: &LostTo) -> Vec<Cell> {
    vec![
        run.into(),
        words::quantity(lost.quantity).into(),
        Cell::count(Some(lost.gaps)),
        words::length(Duration::from_ns(lost.lost_ns)).into(),
        Cell::share(Some(lost.share)),
        Cell::latency(lost.longest_ns),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::noise::{Observed, ObservedCpu};
    use prazo_run::run::{Activations, Quantity, Second};
    use prazo_run::split::{Split, SplitCounts, Splitter};
    use prazo_run::{Histogram, Run, Series};

    fn series(quantity: Quantity, value_ns: i64) -> Series {
        let mut histogram = Histogram::new();
        histogram.add(value_ns, 4);
        let activations = Activations { served: 4, ..Activations::default() };
        let timeline = vec![Second { count: 4, sum_ns: 4 * value_ns, ..Second::default() }];
        Series { cpu: Some(1), quantity, histogram, activations, timeline, ..Series::default() }
    }

    fn evidence(noise: Option<Observed>) -> ReportContent {
        let counts = SplitCounts { by: Splitter::Bpf, split: 4, never_slept: 0, unsplit: Default::default() };
        let parts = vec![series(Quantity::NoiseSoftirq, 20_000), series(Quantity::NoiseUnrecorded, 5_000)];
        let split = Some(Box::new(Split { counts, parts, causes: Vec::new() }));
        let whole = Series { split, ..series(Quantity::Noise, 25_000) };
        let run = Run { name: "one".into(), series: vec![whole], noise, ..Run::default() };
        let summary = prazo_stats::summarise(&run);
        ReportContent {
            runs: vec![RunEvidence { run, summary, misses: None, is_control: false }],
            ..ReportContent::default()
        }
    }

    #[test]
    fn lost_time_stands_beside_what_was_observed_and_by_whom_it_was_taken() {
        let cpu = ObservedCpu {
            cpu: 1,
            observed: Duration::from_ms(10),
            windows: 3,
            windows_missed: 1,
            ..ObservedCpu::default()
        };
        let noise = Observed { cpus: vec![cpu], smis_unknown: Some("only processors of Intel count them".into()) };
        let section = section(&evidence(Some(noise)));
        let texts = |table: usize| -> Vec<Vec<String>> {
            let rows = section.tables[table].rows.iter();
            rows.map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect()
        };
        assert_eq!(texts(0)[0][3..5], ["3 (1 missed)", "4"]);
        assert_eq!(texts(0)[0][8], words::ABSENT, "a count that is not known is not 0");
        assert!(section.tables[0].notes.iter().any(|note| note.contains("only processors of Intel")));
        assert_eq!(texts(1)[0][1..5], ["all", "4", "100 µs", "1 %"], "the whole stands above its parts");
        assert_eq!([texts(1)[1][1].as_str(), texts(1)[2][1].as_str()], ["noise by softirqs", "noise not recorded"]);
    }

    #[test]
    fn gaps_that_were_not_split_have_a_total_without_notes_on_parts() {
        let cpu = ObservedCpu { cpu: 1, observed: Duration::from_ms(10), ..ObservedCpu::default() };
        let mut evidence = evidence(Some(Observed { cpus: vec![cpu], smis_unknown: None }));
        evidence.runs[0].run.series[0].split = None;
        let section = section(&evidence);
        assert_eq!((section.tables[1].rows.len(), section.tables[1].notes.len()), (1, 0));
    }

    #[test]
    fn a_run_of_another_kind_has_no_such_section() {
        assert!(section(&evidence(None)).tables.is_empty());
    }
}
