//! The 19 files of the Article (GNU/Linux Magazine HS 75): their own lines, and what they hide.

use prazo_core::time::Duration;
use prazo_run::import::{self, Options, sparse};
use prazo_run::{Run, Series};
use prazo_testing::data;
use std::path::{Path, PathBuf};

/// The originals.
fn files() -> Vec<PathBuf> {
    data::files("blaess-2014")
}

fn read(file: &Path, options: &Options) -> Run {
    let mut runs = import::read(file, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn one(run: &Run) -> &Series {
    assert_eq!(run.series.len(), 1);
    &run.series[0]
}

/// Two hours at 1 kHz, as the Article's script asked for.
fn two_hours() -> Options {
    Options { period: Some(Duration::from_ms(1)), duration: Some(Duration::from_s(7_200)), ..Options::default() }
}

fn import(name: &str, options: &Options) -> Run {
    read(&data::path(&format!("blaess-2014/results-{name}.txt")), options)
}

/// The first number of the line that begins with `# KEY:`, found without the importer.
fn own_line(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: "))).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// The rows, found without the importer.
fn own_rows(text: &str) -> Vec<(i64, u64)> {
    let rows = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let numbers = rows.map(|line| line.split_once(' ').unwrap());
    numbers
        .map(|(latency, count)| (latency.parse::<i64>().unwrap() * 1_000, count.parse().unwrap()))
        .filter(|row| row.1 > 0)
        .collect()
}

#[test]
fn all_19_files_agree_with_their_own_lines() {
    let files = files();
    assert_eq!(files.len(), 19);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let run = read(file, &Options::default());
        let series = one(&run);
        let stated = series.stated.unwrap();
        assert_eq!(series.histogram.cells().collect::<Vec<_>>(), own_rows(&text), "{}", file.display());
        assert_eq!(series.histogram.in_range(), own_line(&text, "Total"));
        assert_eq!(series.histogram.overflow(), own_line(&text, "Histogram Overflows"));
        assert_eq!(stated.count, Some(series.histogram.total()));
        assert_eq!(stated.min_ns, Some(own_line(&text, "Min Latencies") as i64 * 1_000));
        assert_eq!(stated.mean_ns, Some(own_line(&text, "Avg Latencies") as f64 * 1e3));
        assert_eq!(stated.max_ns, Some(own_line(&text, "Max Latencies") as i64 * 1_000));
        assert_eq!(stated.min_ns, series.histogram.cells().next().map(|cell| cell.0));
        if series.histogram.overflow() == 0 {
            assert_eq!(stated.max_ns, series.histogram.cells().next_back().map(|cell| cell.0));
        }
    }
}

/// The tool's mean includes the overflows, whose values only it knew: it is the floor of something between the mean with
/// every overflow at the bound and the mean with every overflow at the maximum.
#[test]
fn the_stated_mean_is_the_floor_of_the_recomputed_one_in_18_files() {
    let files = files();
    let mut exact = 0;
    for file in files.iter().filter(|file| !file.to_string_lossy().contains("ipipe")) {
        let run = read(file, &Options::default());
        let series = one(&run);
        let sum: i64 = series.histogram.cells().map(|(value, count)| value / 1_000 * count as i64).sum();
        let (total, overflow) = (series.histogram.total() as i64, series.histogram.overflow() as i64);
        let max = series.stated.unwrap().max_ns.unwrap() / 1_000;
        let bounds = [(sum + overflow * 10_000) / total, (sum + overflow * max) / total];
        let stated = (series.stated.unwrap().mean_ns.unwrap() / 1e3) as i64;
        assert!(bounds[0] <= stated && stated <= bounds[1], "{}: {bounds:?} {stated}", file.display());
        exact += usize::from(bounds[0] == stated && bounds[1] == stated);
        assert!(!run.has_caveat("stated-figures-disagree") && run.has_caveat("mean-truncated"));
    }
    assert_eq!(exact, 18, "both bounds have the same floor in every file");
}

#[test]
fn xenomais_mean_is_half_of_what_its_histogram_says() {
    let run = import("3.8.13-ipipe+", &Options::default());
    let series = one(&run);
    let sum: i64 = series.histogram.cells().map(|(value, count)| value / 1_000 * count as i64).sum();
    assert_eq!(series.histogram.total(), 43_200_000);
    assert_eq!((sum / 43_200_000, sum / 86_400_000), (17, 8));
    assert_eq!(series.stated.unwrap().mean_ns, Some(8_000.0));
    assert_eq!(series.period, Some(Duration::from_ms(1)), "from its thread line");
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "xenomai-thread-line-disagrees").unwrap();
    for figure in ["86,400,000", "43,200,000", "17.073", "8.537"] {
        assert!(caveat.what.contains(figure), "{}", caveat.what);
    }
    assert!(run.has_caveat("gravity") && run.has_caveat("stated-figures-disagree"));
}

#[test]
fn clock_nanosleep_never_skipped_and_the_signal_mode_did() {
    for name in ["3.8.13+-fifo-clocknanosleep", "3.8.13+-other-clocknanosleep", "3.8.13-rt16+-rr-clocknanosleep"] {
        let run = import(name, &two_hours());
        let activations = one(&run).activations;
        assert_eq!((activations.due, activations.served, activations.skipped), (Some(7_200_000), 7_200_000, Some(0)));
        assert!(!run.has_caveat("skipped-not-counted"));
    }
    let run = import("3.8.13+-fifo-setitimer", &two_hours());
    let activations = one(&run).activations;
    assert_eq!((activations.due, activations.served, activations.skipped), (Some(7_200_000), 7_198_742, Some(1_258)));
    assert!(run.has_caveat("skipped-not-counted") && run.has_caveat("setitimer-label"));
}

#[test]
fn nanosleep_drifted_and_has_no_due_grid() {
    let run = import("3.8.13+-fifo-nanosleep", &two_hours());
    let activations = one(&run).activations;
    assert_eq!((activations.due, activations.skipped), (Some(6_846_166), Some(0)));
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "relative-sleep-drifts").unwrap();
    assert!(caveat.what.contains("353,834"), "{}", caveat.what);
}

#[test]
fn overflows_come_in_bursts_where_the_tool_caught_up() {
    let run = import("3.8.13+-other-clocknanosleep", &Options::default());
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "overflow-without-values").unwrap();
    assert!(caveat.what.contains("7 samples") && caveat.what.contains("in 1 burst"), "{}", caveat.what);
    assert!(caveat.what.contains("10ms") && caveat.what.contains("15.722ms"), "{}", caveat.what);
}

#[test]
fn the_name_tells_kernel_policy_and_method() {
    let run = import("3.8.13-rt16+-rr-clocknanosleep", &Options::default());
    let facts = run.platform_before.as_ref().unwrap();
    assert_eq!(facts.get("kernel.release"), Some("3.8.13-rt16+"));
    assert_eq!(facts.get("import.policy"), Some("rr"));
    assert_eq!(facts.get("import.method"), Some("clock-nanosleep"));
    assert_eq!(facts.get("import.dma_latency_us"), Some("0"));
    assert_eq!(run.name, "results-3.8.13-rt16+-rr-clocknanosleep");
    assert!(run.plan.is_none(), "nothing says what the loads were");
}

/// Everything but where it was read from.
fn comparable(mut run: Run) -> String {
    run.origin = Default::default();
    format!("{run:#?}")
}

#[test]
fn the_studys_sparse_tables_give_the_same_runs_as_the_originals() {
    let files = files();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/blaess-2014");
    for file in &files {
        let table = tables.join(file.with_extension("csv").file_name().unwrap());
        for options in [Options::default(), two_hours()] {
            assert_eq!(comparable(read(&table, &options)), comparable(read(file, &options)), "{}", table.display());
        }
    }
}

#[test]
fn the_studys_tables_stand_on_their_own() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/blaess-2014");
    let files = std::fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path());
    let runs: Vec<Run> = files
        .filter(|file| file.extension().is_some_and(|end| end == "csv"))
        .map(|file| read(&file, &two_hours()))
        .collect();
    let samples = |run: &Run| one(run).activations.served;
    assert_eq!(runs.len(), 19);
    assert_eq!(runs.iter().map(samples).sum::<u64>(), 169_432_000);
    let full = runs.iter().filter(|run| samples(run) == 7_200_000 && one(run).activations.skipped == Some(0));
    assert_eq!(full.count(), 6, "clock_nanosleep under three policies on two kernels");
    assert_eq!(runs.iter().filter(|run| run.has_caveat("relative-sleep-drifts")).count(), 6);
    assert_eq!(runs.iter().filter(|run| run.has_caveat("setitimer-label")).count(), 6);
    assert_eq!(runs.iter().filter(|run| run.has_caveat("xenomai-thread-line-disagrees")).count(), 1);
}

#[test]
fn the_studys_tables_are_what_the_generator_writes() {
    let files = files();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/blaess-2014");
    for file in &files {
        let table = std::fs::read_to_string(tables.join(file.with_extension("csv").file_name().unwrap())).unwrap();
        let origin = table.lines().nth(1).unwrap().strip_prefix("# origin: ").unwrap();
        assert_eq!(sparse::from_cyclictest(file, origin).unwrap(), table);
    }
}
