//! Where the time of the latencies went: parts, what could not be split, and the causes of the worst.

use super::{Cell, Section, Table, Tone};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_core::text::counted;
use prazo_run::Series;
use prazo_run::run::Quantity;
use prazo_run::split::{SampleExplanation, SplitCounts, Unsplit};
use prazo_stats::PartSummary;

/// How many causes a report lists.
const CAUSES_SHOWN: usize = 12;

/// Which parts of a frame's way come before its receive stamp.
const FRAMES: &str = "Frames: thread start and receive path precede the receive stamp, so the latency from that \
                      stamp to the task does not include them.";

/// The tables of parts and causes; nothing where no run was split. The parts of gaps are told with the time that they lost.
pub fn section(content: &ReportContent) -> Section {
    Section::new("parts", "Parts of the latency").show(causes(content)).show(parts(content)).show(counts(content))
}

fn parts(content: &ReportContent) -> Table {
    let columns = ["Run", "Part", "#Count", "#Min", "#Mean", "#SD", "#Median", "#p99.9", "#Max observed"];
    let runs = content.runs.iter().filter(|run| run.run.noise.is_none());
    let parts: Vec<(&str, PartSummary)> = runs
        .flat_map(|run| prazo_stats::parts(&run.run).into_iter().map(move |part| (run.run.name.as_str(), part)))
        .collect();
    let has_frames = parts.iter().any(|(_, part)| part.quantity == Quantity::ReceivePath);
    Table::new("Parts of the response latency, all processors together", &columns)
        .with(parts.iter().map(|(run, part)| part_row(run, part)))
        .note("Interrupt latency ends at the handler's first stamp; activation latency is handling + wake-up + own stamp.")
        .note("Means of timer slack, interrupt and activation latency add up; maxima come from different activations.")
        .note(if has_frames { FRAMES } else { "" })
}

fn part_row(run: &str, part: &PartSummary) -> Vec<Cell> {
    vec![
        run.into(),
        words::quantity(part.quantity).into(),
        Cell::count(Some(part.count)),
        Cell::latency(part.min_ns),
        Cell::mean(part.mean_ns),
        Cell::mean(part.sd_ns),
        Cell::latency(part.median_ns),
        Cell::latency(part.p999_ns),
        Cell::latency(part.max_ns),
    ]
}

/// Every series that was split, with its run.
fn split(content: &ReportContent) -> impl Iterator<Item = (&RunEvidence, &Series, &prazo_run::split::Split)> {
    let all = content.runs.iter().flat_map(|run| run.run.series.iter().map(move |series| (run, series)));
    all.filter_map(|(run, series)| Some((run, series, series.split.as_deref()?)))
}

fn counts(content: &ReportContent) -> Table {
    let columns = ["Run", "Processor", "Split by", "#Split", "#Never slept", "#Not split", "Why not"];
    let rows = split(content).map(|(run, series, split)| count_row(run, series, &split.counts));
    Table::new("What was split", &columns)
        .with(rows)
        .note("An activation whose due instant had passed never slept, so there is nothing to split. served = split + never slept + not split.")
        .folded()
}

fn count_row(run: &RunEvidence, series: &Series, counts: &SplitCounts) -> Vec<Cell> {
    let why: Vec<String> =
        counts.unsplit.iter().map(|(why, count)| format!("{} {}", words::count(*count), reason(*why))).collect();
    vec![
        run.run.name.as_str().into(),
        words::carrier_of(series).into(),
        counts.by.name().into(),
        Cell::count(Some(counts.split)),
        Cell::count(Some(counts.never_slept)),
        Cell::count(Some(counts.unsplit_total())),
        match why.is_empty() {
            true => Cell::toned(words::ABSENT, Tone::Quiet),
            false => why.join(", ").into(),
        },
    ]
}

const fn reason(why: Unsplit) -> &'static str {
    match why {
        Unsplit::NoStamps => "without stamps",
        Unsplit::RingFull => "with the tracer's ring buffer full",
        Unsplit::Hidden => "woken while the kernel ran a thread that it does not trace",
        Unsplit::OtherWakeUp => "woken by something other than the expected event",
        Unsplit::OutOfOrder => "with stamps out of order",
        Unsplit::SampleLost => "whose sample was lost",
        Unsplit::NotCounted => "whose reason was not kept",
    }
}

/// The worst explained samples of all runs, worst first.
pub fn worst_causes(content: &ReportContent) -> Vec<(&RunEvidence, &Series, &SampleExplanation)> {
    let mut all: Vec<_> = split(content)
        .flat_map(|(run, series, split)| split.causes.iter().map(move |cause| (run, series, cause)))
        .collect();
    all.sort_by_key(|(.., cause)| std::cmp::Reverse(cause.sample.latency_ns));
    all
}

fn causes(content: &ReportContent) -> Table {
    let all = worst_causes(content);
    let rows = all.iter().take(CAUSES_SHOWN).map(|(run, series, cause)| {
        let at = format!("{} s", words::decimals(cause.sample.at_ns as f64 / 1e9, 3));
        let (name, cpu) = (run.run.name.as_str().into(), words::carrier_of(series).into());
        vec![name, cpu, at.into(), cause.sentence.as_str().into()]
    });
    let shown = all.len().min(CAUSES_SHOWN);
    Table::new(
        format!("Events around the {shown} worst of {}", counted(all.len() as u64, "explained latency")),
        &["Run", "Processor", "#Due at, since the run's start", "Causes"],
    )
    .with(rows)
    .note("Shares below 5 % of a latency are omitted; the run file contains them all.")
    .folded()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::run::WorstSample;
    use prazo_run::split::{Share, Split, Splitter, Taker};
    use prazo_run::{Histogram, Run};

    const SENTENCE: &str = "413 us: 380 us softirq NET_RX on cpu 1 (eth0), 21 us kworker/1:1 not preempted";

    fn part(quantity: Quantity, value_ns: i64) -> Series {
        let mut histogram = Histogram::new();
        histogram.add(value_ns, 990);
        Series { cpu: Some(1), quantity, histogram, ..Series::default() }
    }

    fn evidence(split: Option<Split>) -> ReportContent {
        let whole = Series { split: split.map(Box::new), ..part(Quantity::ResponseLatency, 9_000) };
        let run = Run { name: "one".into(), series: vec![whole], ..Run::default() };
        let summary = prazo_stats::summarise(&run);
        ReportContent {
            runs: vec![RunEvidence { run, summary, misses: None, is_control: false }],
            ..ReportContent::default()
        }
    }

    fn split() -> Split {
        let share = Share { taker: Taker::Softirq, name: "NET_RX (eth0)".into(), cpu: 1, length_ns: 380_000 };
        Split {
            counts: SplitCounts {
                by: Splitter::Bpf,
                split: 990,
                never_slept: 7,
                unsplit: [(Unsplit::OtherWakeUp, 3)].into(),
            },
            parts: vec![part(Quantity::InterruptLatency, 2_000), part(Quantity::ActivationLatency, 7_000)],
            causes: vec![SampleExplanation {
                sample: WorstSample { at_ns: 5_000_000, latency_ns: 413_000, activation: 5 },
                sentence: SENTENCE.into(),
                shares: vec![share],
            }],
        }
    }

    fn texts(section: &Section) -> Vec<Vec<String>> {
        let rows = section.tables.iter().flat_map(|table| &table.rows);
        rows.map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect()
    }

    #[test]
    fn a_split_run_shows_its_causes_its_parts_and_what_was_not_split() {
        let texts = texts(&section(&evidence(Some(split()))));
        assert_eq!(texts[0][3], SENTENCE);
        assert_eq!([texts[1][1].as_str(), &texts[2][1]], ["interrupt latency", "activation latency"]);
        assert_eq!(texts[3][3..], ["990", "7", "3", "3 woken by something other than the expected event"]);
    }

    #[test]
    fn the_note_about_frames_is_below_rows_of_frames_only() {
        let notes = |split: Split| -> Vec<String> {
            section(&evidence(Some(split))).tables.into_iter().flat_map(|table| table.notes).collect()
        };
        let has_note = |split: Split| notes(split).iter().any(|note| note.as_str() == FRAMES);
        assert!(!has_note(split()));
        let mut of_frames = split();
        of_frames.parts.push(part(Quantity::ReceivePath, 4_000));
        assert!(has_note(of_frames));
    }

    #[test]
    fn a_run_that_was_not_split_has_no_such_section() {
        assert!(section(&evidence(None)).tables.is_empty());
    }

    #[test]
    fn the_parts_are_drawn_over_the_whole() {
        let lines = |evidence: &ReportContent| -> Vec<String> {
            crate::chart::line::lines(evidence).into_iter().map(|line| line.label).collect()
        };
        assert_eq!(lines(&evidence(Some(split()))), ["one", "part: interrupt latency", "part: activation latency"]);
        assert_eq!(lines(&evidence(None)), ["one"]);
    }
}
