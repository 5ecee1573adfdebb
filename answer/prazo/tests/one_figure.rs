//! One run and one deadline have one figure, wherever it is shown: the report, its JSON, the screenful of `view`, a study's cells
//! and claims, a comparison and the exports. All of them are held against every sample written out and sorted.

use prazo::report_content;
use prazo_core::time::Duration;
use prazo_report::words::Unit;
use prazo_report::{json, markdown, terminal, words};
use prazo_run::export::{self, Format};
use prazo_run::run::{Activations, Block, Second, WORST_KEPT, WorstSample};
use prazo_run::{Histogram, Plan, Run, Series};
use prazo_stats::level::Level;
use prazo_stats::{Per, Summary, compare_all};
use prazo_study::result::CellState;
use prazo_study::{CellResult, CellSource, Evidence, Figures, Here, builtin, matrix};
use prazo_verdict::{Kind, Requirement};
use proptest::prelude::*;
use serde_json::Value;

const PERIOD_NS: i64 = 1_000_000;
const BOUND_NS: i64 = 2_000_000;
const WARM_UP_NS: i64 = 1_000_000_000;

/// What was really measured.
struct Truth {
    run: Run,
    /// Every latency of the figures, ascending.
    sorted: Vec<i64>,
    skipped: u64,
}

impl Truth {
    fn missed(&self, deadline: Duration) -> u64 {
        self.sorted.iter().filter(|ns| **ns > deadline.as_ns() as i64).count() as u64
    }

    fn quantile(&self, level: Level) -> Option<i64> {
        let rank = (level.as_f64() * self.sorted.len() as f64 - 1e-6).ceil() as usize;
        (self.sorted.len() - rank >= 10).then(|| self.sorted[rank - 1])
    }

    fn mean(&self) -> f64 {
        self.sorted.iter().map(|ns| *ns as f64).sum::<f64>() / self.sorted.len() as f64
    }

    fn max(&self) -> i64 {
        *self.sorted.last().unwrap()
    }
}

/// A cell of the built-in study and the first of its plans, which has a warm-up of a second.
fn cell() -> (prazo_study::Cell, Plan) {
    let here = Here { platform: None, cpus: "0-1".parse().unwrap(), housekeeping_cpu: None, deadline: None };
    let study = builtin::find("evaluate").unwrap();
    let cell = matrix::cells(&study, &here).swap_remove(0);
    let CellSource::Measure { plans, .. } = &cell.source else { panic!("{cell:?}") };
    let plan = plans[0].clone();
    assert_eq!(plan.warm_up.as_ns() as i64, WARM_UP_NS);
    (cell, plan)
}

/// A run of a few processors, `seconds` long: a common latency, bursts, and now and then a stall beyond the histogram's bound.
fn measured(seed: u64, own: Option<Duration>) -> Truth {
    let mut random = fastrand::Rng::with_seed(seed);
    let (seconds, cpus) = (random.u32(5..140), random.u32(1..4));
    let mut truth = Truth { run: Run::default(), sorted: Vec::new(), skipped: 0 };
    for cpu in 0..cpus {
        let series = series(cpu, seconds, own, &mut random, &mut truth);
        truth.run.series.push(series);
    }
    truth.sorted.sort_unstable();
    let histogram_bound = Duration::from_ns(BOUND_NS as u64);
    truth.run.plan = Some(Plan { deadline: own, histogram_bound, ..cell().1 });
    truth.run.name = "run".into();
    truth.run.elapsed = Some(Duration::from_s(seconds.into()));
    truth
}

fn series(cpu: u32, seconds: u32, own: Option<Duration>, random: &mut fastrand::Rng, truth: &mut Truth) -> Series {
    let mut series = Series { cpu: Some(cpu), period: Some(Duration::from_ns(PERIOD_NS as u64)), ..Series::default() };
    series.resolution = Duration::from_ns(1);
    let mut counted = Activations { skipped: Some(0), ..Activations::default() };
    // The worst of all lies in the warm-up: it is listed, and in no figure.
    let stall = 30 * PERIOD_NS + random.i64(0..PERIOD_NS);
    series.worst.push(WorstSample { at_ns: 5, latency_ns: stall, activation: 0 });
    let (mut missed, mut blocks) = (0, Vec::<Block>::new());
    for second in 1..=seconds {
        let mut line = Second { at_s: second, ..Second::default() };
        let noisy = random.u32(0..8) == 0;
        if (second - 1) % 10 == 0 {
            blocks.push(Block { from_s: second, length_s: 10, histogram: Histogram::new() });
        }
        for activation in 0..random.i64(20..60) {
            let latency_ns = match random.u32(0..1_000) {
                0 => random.i64(0..6 * PERIOD_NS),
                1..100 if noisy => random.i64(50_000..900_000),
                _ => random.i64(8_000..25_000),
            };
            let skipped = (latency_ns / PERIOD_NS) as u64;
            let at_ns = i64::from(second) * 1_000_000_000 + activation * PERIOD_NS;
            truth.sorted.push(latency_ns);
            truth.skipped += skipped;
            counted.served += 1;
            counted.skipped = counted.skipped.map(|sum| sum + skipped);
            let is_missed = own.is_some_and(|own| latency_ns > own.as_ns() as i64);
            missed += u64::from(is_missed);
            line.count += 1;
            line.skipped += skipped;
            line.missed += u64::from(is_missed);
            line.min_ns = Some(line.min_ns.map_or(latency_ns, |min| min.min(latency_ns)));
            line.max_ns = line.max_ns.max(Some(latency_ns));
            line.sum_ns += latency_ns;
            series.worst.push(WorstSample { at_ns, latency_ns, activation: counted.served });
            let block = &mut blocks.last_mut().unwrap().histogram;
            if latency_ns > BOUND_NS {
                series.histogram.add_overflow(1);
                block.add_overflow(1);
            } else {
                series.histogram.add(latency_ns, 1);
                block.add(latency_ns - latency_ns % 128, 1);
            }
        }
        series.timeline.push(line);
    }
    series.worst.sort_by_key(|sample| -sample.latency_ns);
    series.worst.truncate(WORST_KEPT);
    counted.due = counted.skipped.map(|skipped| counted.served + skipped);
    counted.missed = own.map(|_| missed);
    Series { activations: counted, blocks, ..series }
}

fn served(summaries: &[Summary]) -> &Summary {
    summaries.iter().rfind(|summary| summary.per == Per::ServedWakeUp).unwrap()
}

/// The cells of the first row of the table with this heading, as a report in Markdown has it.
fn row<'a>(report: &'a str, heading: &str) -> Vec<&'a str> {
    let table = &report[report.find(heading).unwrap_or_else(|| panic!("{heading}: {report}"))..];
    let row = table.lines().find(|line| line.starts_with("| run ")).unwrap();
    row.trim_matches('|').split('|').map(str::trim).collect()
}

fn exported(run: &Run, format: Format) -> String {
    let mut bytes = Vec::new();
    export::write(run, format, None, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A number that stands behind `key` in a text.
fn number(text: &str, key: &str) -> f64 {
    let rest = &text[text.find(key).unwrap_or_else(|| panic!("{key}: {text}")) + key.len()..];
    let end = rest.trim_start().find([',', ']', ' ', '\n']).unwrap();
    rest.trim_start()[..end].parse().unwrap()
}

/// As the screenful writes microseconds.
fn tenths(ns: i64) -> String {
    let tenths = (ns + 50) / 100;
    format!("{}.{}", words::count((tenths / 10) as u64), tenths % 10)
}

const LEVELS: [Level; 4] = [Level::nines(2), Level::nines(10), Level::nines(100), Level::nines(1_000)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A failure prints the seed of the run that it is about.
    #[test]
    fn one_run_and_one_deadline_have_one_figure_wherever_it_is_shown(
        seed: u64,
        own_us in prop::option::of(10u64..3_000),
        asked_us in prop::option::of(10u64..3_000),
    ) {
        let (own, asked) = (own_us.map(Duration::from_us), asked_us.map(Duration::from_us));
        let truth = measured(seed, own);
        let requirement = asked.map(|deadline| Requirement { deadline, kind: Kind::Firm, quantile: 0.999 });
        let found = report_content::of_runs("one", vec![truth.run.clone(), truth.run.clone()], requirement, "prazo");
        let summary = served(&found.runs[0].summary.summaries);
        let missed = asked.or(own).map(|deadline| truth.missed(deadline));

        // The figures themselves, against every sample.
        prop_assert_eq!((summary.count, summary.max_ns), (truth.sorted.len() as u64, Some(truth.max())));
        prop_assert!((summary.mean_ns.unwrap() - truth.mean()).abs() < 1e-6 * truth.mean());
        for level in LEVELS {
            let quantile = summary.quantiles.iter().find(|one| one.q == level.as_f64()).unwrap();
            prop_assert_eq!(quantile.value_ns, truth.quantile(level), "{}", level);
        }
        let counted = found.runs[0].misses.as_ref().map(|misses| (misses.missed, misses.undecided));
        prop_assert_eq!(counted, missed.map(|missed| (missed + truth.skipped, 0)));

        // `evaluate --json`, `report --json`.
        let printed: Value = serde_json::from_str(&json::render(&found)).unwrap();
        let run = &printed["runs"][0];
        prop_assert_eq!(&run["summaries"], &serde_json::to_value(&found.runs[0].summary.summaries).unwrap());
        prop_assert_eq!(&run["misses"], &serde_json::to_value(&found.runs[0].misses).unwrap());
        let of_series = run["series"].as_array().unwrap().iter().map(|one| one["activations"]["missed"].as_u64());
        prop_assert_eq!(of_series.sum::<Option<u64>>(), missed);

        // `report`: mean, quantiles and maximum of the table, and the misses.
        let report = markdown::render(&found);
        let (ends, moments) = ([summary.min_ns, summary.max_ns], [summary.mean_ns, summary.sd_ns]);
        let latencies = ends.into_iter().flatten().map(|ns| ns as f64).chain(moments.into_iter().flatten());
        let unit = Unit::of_all(latencies).unwrap();
        let cells = row(&report, &format!("Latencies per served wake-up, in {}", unit.name()));
        prop_assert_eq!(cells[3], unit.shown(summary.mean_ns.unwrap()));
        for quantile in summary.quantiles.iter().filter_map(|one| one.value_ns) {
            prop_assert!(cells.contains(&unit.shown(quantile as f64).as_str()), "{} in {:?}", quantile, cells);
        }
        prop_assert!(cells.contains(&unit.shown(truth.max() as f64).as_str()), "{:?}", cells);
        if let Some(missed) = missed {
            prop_assert_eq!(row(&report, "| Missed or skipped |")[3], words::count(missed + truth.skipped));
        }

        // `view`: the line of the screenful.
        let screen = terminal::render(&found, &terminal::Style { width: 160, ..terminal::Style::default() });
        let line = screen.lines().find(|line| line.trim_start().starts_with("run ") && !line.contains("p50")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let shown = |level| truth.quantile(level).map_or(words::ABSENT.to_owned(), tenths);
        prop_assert_eq!(words[3], shown(LEVELS[0]), "{}", line);
        prop_assert_eq!(words[5], shown(LEVELS[3]), "{}", line);
        prop_assert_eq!(words[6], tenths(truth.max()), "{}", line);
        prop_assert_eq!(words[7], missed.map_or(words::ABSENT.to_owned(), words::count), "{}", line);

        // `study`: the cell, its runs for themselves, and what claims ask.
        let figures = Figures::of(std::slice::from_ref(&truth.run), None);
        for (quantile, estimate) in summary.quantiles.iter().zip(figures.latencies.estimates(&Level::ALL)) {
            let value = estimate.as_ref().ok().and_then(|found| found.value.exact());
            let interval = estimate.as_ref().ok().and_then(prazo_stats::Estimate::interval_ns);
            prop_assert_eq!((quantile.value_ns, quantile.interval_ns), (value, interval), "{}", quantile.q);
        }
        let (cell, _) = cell();
        let mut of_study = Evidence::default();
        of_study.add(&cell, vec![truth.run.clone()]);
        let result = CellResult::of(&cell, CellState::Measured, None, vec![], &of_study);
        let alone = &result.seeds.as_ref().unwrap().runs[0];
        let of_cell = (result.count, result.mean_ns, result.median_ns, result.q999_ns, result.max_ns);
        let of_seed = (Some(alone.count), alone.mean_ns, alone.median_ns, alone.q999_ns, alone.max_ns);
        prop_assert_eq!(of_cell, of_seed);
        let by_level = |level| truth.quantile(level);
        prop_assert_eq!(of_cell, (Some(summary.count), summary.mean_ns, by_level(LEVELS[0]), by_level(LEVELS[3]), summary.max_ns));

        // `compare`.
        let compared = compare_all(&[&truth.run, &truth.run]);
        for one in compared[0].quantiles.iter().filter(|one| one.per == Per::ServedWakeUp) {
            let quantile = summary.quantiles.iter().find(|other| other.q == one.q).unwrap();
            prop_assert_eq!((one.reference_ns, one.other_ns), (quantile.value_ns, quantile.value_ns));
        }
        prop_assert_eq!(compared[0].maxima.reference_ns, summary.max_ns);

        // `export`.
        let of_deadline = prazo_stats::under(truth.run.clone(), asked);
        let hgrm = exported(&of_deadline, Format::Hgrm);
        prop_assert_eq!(number(&hgrm, "Total count    ="), summary.count as f64);
        prop_assert!((number(&hgrm, "#[Mean    =") - truth.mean() / 1e3).abs() < 1e-3, "{}", hgrm);
        prop_assert!((number(&hgrm, "StdDeviation   =") - summary.sd_ns.unwrap() / 1e3).abs() < 1e-3, "{}", hgrm);
        prop_assert!((number(&hgrm, "#[Max     =") - truth.max() as f64 / 1e3).abs() < 1e-3, "{}", hgrm);
        let metrics = exported(&of_deadline, Format::Openmetrics);
        let of = |key: &str| -> Vec<f64> {
            let lines = metrics.lines().filter(|line| line.contains(key) && !line.starts_with('#'));
            lines.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect()
        };
        let max = of("prazo_latency_max_seconds").into_iter().fold(0.0, f64::max);
        prop_assert!((max - truth.max() as f64 / 1e9).abs() < 1e-12, "{}", max);
        prop_assert_eq!(of("outcome=\"missed\"").iter().sum::<f64>(), missed.unwrap_or(0) as f64);
        let cyclictest: Value = serde_json::from_str(&exported(&of_deadline, Format::CyclictestJson)).unwrap();
        let threads = cyclictest["thread"].as_object().unwrap().values();
        prop_assert_eq!(threads.filter_map(|thread| thread["max"].as_i64()).max(), Some(truth.max() / 1_000));
    }
}
