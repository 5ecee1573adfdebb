//! Files that were cut, edited, mangled or made to hurt: a run or a typed error, never a panic, never without bound.
//!
//! tests/foreign holds one small, complete file of each format; the tests below break them in every way they can.

use prazo_run::import::{self, Format, ImportError, Options, Problem};
use prazo_run::run::{Ending, Quantity};
use prazo_run::{Run, Severity};
use proptest::prelude::*;
use std::path::Path;

/// Every sample with its name.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<_> = entries.map(|path| (name_of(&path), std::fs::read(&path).unwrap())).collect();
    samples.push(("samples.raw".into(), raw_samples()));
    samples.sort();
    samples
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Three records of two processors, as jitterdebugger writes them.
fn raw_samples() -> Vec<u8> {
    let record = |cpu: u32, ns: i64, latency: u64| {
        let mut bytes = cpu.to_le_bytes().to_vec();
        bytes.extend(1_754i64.to_le_bytes());
        bytes.extend(ns.to_le_bytes());
        bytes.extend(latency.to_le_bytes());
        bytes
    };
    [record(0, 931_000_000, 18), record(0, 931_995_000, 13), record(1, 931_500_000, 4_000)].concat()
}

fn sample(name: &str) -> Vec<u8> {
    samples().into_iter().find(|(known, _)| known == name).unwrap().1
}

fn read_as(bytes: &[u8], name: &str, options: &Options) -> Result<Run, ImportError> {
    import::read_bytes(bytes, Path::new(name), options).map(|mut runs| runs.remove(0))
}

fn read(name: &str) -> Run {
    read_as(&sample(name), name, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// What must hold of whatever comes out of whatever went in.
fn is_sound(result: &Result<Run, ImportError>) {
    match result {
        Err(error) => assert!(error.to_string().starts_with("mangled") && error.to_string().len() < 1_000, "{error}"),
        Ok(run) => {
            assert!(!run.series.is_empty());
            for series in &run.series {
                let held = series.histogram.total();
                assert_eq!(held + series.activations.lost, series.activations.served, "{series:?}");
                if let (Some(due), Some(skipped)) = (series.activations.due, series.activations.skipped) {
                    assert_eq!(due, series.activations.served + skipped);
                }
            }
        }
    }
}

#[test]
fn every_sample_is_recognised_and_read() {
    for (name, bytes) in samples() {
        let run = read_as(&bytes, &name, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        assert!(!run.series.is_empty(), "{name}");
        assert!(!run.has_caveat("stated-figures-disagree"), "{name}: {:?}", run.caveats);
    }
}

#[test]
fn every_format_has_a_sample() {
    for &format in Format::VALUES {
        let stated = Options { format: Some(format), ..Options::default() };
        let is_recognised =
            |(name, bytes): &(String, Vec<u8>)| read_as(bytes, name, &stated).is_ok_and(|run| run == read(name));
        assert!(samples().iter().any(is_recognised), "{format}");
    }
}

#[test]
fn a_file_cut_anywhere_is_read_or_refused() {
    for (name, bytes) in samples() {
        for end in 0..bytes.len() {
            is_sound(&read_as(&bytes[..end], &format!("mangled-{name}"), &Options::default()));
        }
    }
}

#[test]
fn any_number_may_be_any_other() {
    let hostile =
        ["-1", "0", "18446744073709551615", "99999999999999999999999", "-9223372036854775808", "1e999", "NaN", "", "é"];
    for (name, bytes) in samples().into_iter().filter(|(name, _)| name != "samples.raw") {
        let text = String::from_utf8(bytes).unwrap();
        for (start, end) in numbers(&text) {
            for number in hostile.into_iter().chain(["9999999999999", "1000000000000000"]) {
                let mangled = format!("{}{number}{}", &text[..start], &text[end..]);
                is_sound(&read_as(mangled.as_bytes(), &format!("mangled-{name}"), &Options::default()));
            }
        }
    }
}

/// Where the runs of digits stand.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let starts =
        (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit()));
    starts
        .map(|start| (start, start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count()))
        .collect()
}

#[test]
fn any_line_may_be_there_twice_or_not_at_all() {
    for (name, bytes) in samples().into_iter().filter(|(name, _)| name != "samples.raw") {
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for index in 0..lines.len() {
            for times in [0, 2] {
                let mut mangled = lines[..index].to_vec();
                mangled.extend(vec![lines[index]; times]);
                mangled.extend(&lines[index + 1..]);
                is_sound(&read_as(mangled.join("\r\n").as_bytes(), &format!("mangled-{name}"), &Options::default()));
            }
        }
    }
}

#[test]
fn any_file_may_be_called_any_format() {
    for (name, bytes) in samples() {
        for &format in Format::VALUES {
            let options = Options { format: Some(format), ..Options::default() };
            is_sound(&read_as(&bytes, &format!("mangled-{name}"), &options));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mangled_files_never_panic(
        which in any::<prop::sample::Index>(),
        format in prop::option::of(any::<prop::sample::Index>()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..6)), 1..6),
        period_ns in prop::option::of(any::<u64>()),
        duration_ns in prop::option::of(any::<u64>()),
        resolution_ns in prop::option::of(any::<u64>()),
    ) {
        let samples = samples();
        let (name, mut bytes) = which.get(&samples).clone();
        for (from, to, with) in edits {
            let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            bytes.splice(from.min(to)..from.max(to).min(from.min(to) + 40), with);
        }
        let formats = Format::VALUES;
        let duration = |ns: Option<u64>| ns.map(prazo_core::time::Duration::from_ns);
        let options = Options {
            format: format.map(|format| *format.get(formats)),
            label: None,
            period: duration(period_ns),
            duration: duration(duration_ns),
            resolution: duration(resolution_ns),
            hz: period_ns,
            ..Options::default()
        };
        is_sound(&read_as(&bytes, &format!("mangled-{name}"), &options));
    }
}

#[test]
fn an_error_names_file_line_and_what_to_do() {
    let mangled = String::from_utf8(sample("cyclictest-old.txt")).unwrap().replace("000003 000004", "000003 -4");
    let error = read_as(mangled.as_bytes(), "old.txt", &Options::default()).unwrap_err();
    assert_eq!(error.line, Some(6));
    let message = error.to_string();
    let found = "old.txt, line 6 has \"-4\" instead of the threads' counts";
    assert!(message.starts_with(found) && message.contains("unedited"), "{message}");
}

#[test]
fn a_truncated_histogram_names_the_line_that_is_missing() {
    let text = String::from_utf8(sample("cyclictest-old.txt")).unwrap();
    let end = text.find("# Total").unwrap();
    let error = read_as(&text.as_bytes()[..end], "old.txt", &Options::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::Truncated { wanted: "the line `# Total:`" }), "{error}");
    let end = text.find("4749366").unwrap();
    let error = read_as(&text.as_bytes()[..end], "old.txt", &Options::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::Truncated { wanted: "the cycle numbers of all overflows" }), "{error}");
}

#[test]
fn rows_that_do_not_add_up_contradict_their_total() {
    let text = String::from_utf8(sample("cyclictest-old.txt")).unwrap().replace("000003 000004", "000003 000005");
    let message = read_as(text.as_bytes(), "old.txt", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("a total of 6, but its rows add up to 7"), "{message}");
}

#[test]
fn what_is_no_file_of_results_is_refused_with_a_reason() {
    let options = Options::default();
    let folder = tempfile::tempdir().unwrap();
    let message = |path: &Path| import::read(path, &options).unwrap_err().to_string();
    assert!(message(folder.path()).contains("not a regular file"));
    assert!(message(Path::new("/dev/zero")).contains("not a regular file"));
    assert!(message(&folder.path().join("absent")).contains("cannot be read"));
    let file = folder.path().join("large.txt");
    std::fs::File::create(&file).unwrap().set_len(import::FILE_BYTES_MAX + 1).unwrap();
    assert!(message(&file).contains("larger than 1073741824 bytes"));
    std::fs::write(&file, "").unwrap();
    assert!(message(&file).contains("is empty"));
    std::fs::write(&file, [0u8, 1, 2, 255]).unwrap();
    assert!(message(&file).contains("no format that prazo recognises"));
}

/// A sparse file of a gigabyte takes no disk and no memory: its zeros are one line that is too long.
#[test]
fn a_gigabyte_without_a_line_is_refused_at_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zeros.txt");
    std::fs::File::create(&file).unwrap().set_len(import::FILE_BYTES_MAX).unwrap();
    let options = Options { format: Some(Format::CyclictestHistogram), ..Options::default() };
    let error = import::read(&file, &options).unwrap_err();
    assert!(matches!(error.problem, Problem::TooMuch { .. }), "{error}");
    let options = Options { format: Some(Format::CyclictestJson), ..Options::default() };
    let error = import::read(&file, &options).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { limit: import::HELD_BYTES_MAX }), "{error}");
}

#[test]
fn json_with_a_key_twice_is_refused() {
    let text = String::from_utf8(sample("cyclictest.json")).unwrap().replace("\"4\": 2", "\"3\": 2");
    let message = read_as(text.as_bytes(), "x.json", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("the key 3 occurs twice") && message.contains("line 12"), "{message}");
}

#[test]
fn more_samples_than_cycles_contradict() {
    let text = String::from_utf8(sample("cyclictest.json")).unwrap().replace("\"cycles\": 7", "\"cycles\": 5");
    let message = read_as(text.as_bytes(), "x.json", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("5 cycles, but 6 samples"), "{message}");
}

#[test]
fn deeply_nested_json_is_refused() {
    let text = format!("{{\"cmdline\": \"cyclictest\", \"thread\": {}", "[".repeat(100_000));
    assert!(matches!(read_as(text.as_bytes(), "x", &Options::default()).unwrap_err().problem, Problem::Json(_)));
}

#[test]
fn an_old_histogram_has_policy_and_thread_line() {
    let run = read("cyclictest-old.txt");
    let facts = run.platform_before.as_ref().unwrap();
    assert_eq!((facts.get("import.policy"), facts.get("import.priority")), (Some("fifo"), Some("99")));
    assert_eq!(run.series[0].activations.served, 8);
    assert!(!run.has_caveat("xenomai-thread-line-disagrees"), "a line printed while running may lag behind");
}

/// Without -q the thread lines fill more than the beginning that decides about the format.
#[test]
fn a_histogram_behind_many_thread_lines_is_found() {
    let text = String::from_utf8(sample("cyclictest-old.txt")).unwrap();
    let line = text.lines().nth(2).unwrap();
    let long = text.replace(line, &format!("{line}\n").repeat(2_000));
    assert_eq!(long.find("# Histogram").map(|at| at > 1 << 16), Some(true));
    let run = read_as(long.as_bytes(), "cyclictest-old.txt", &Options::default()).unwrap();
    assert_eq!(format!("{run:?}"), format!("{:?}", read("cyclictest-old.txt")));
}

#[test]
fn a_thread_that_may_move_has_no_processor() {
    let text = String::from_utf8(sample("cyclictest.json")).unwrap().replace("\"cpu\": 2", "\"cpu\": -1");
    assert_eq!(read_as(text.as_bytes(), "x.json", &Options::default()).unwrap().series[0].cpu, None);
}

/// A starved thread has a mean of 0/0, which makes the file no JSON.
#[test]
fn a_thread_that_never_woke_up_is_named_and_costs_only_itself() {
    let starved = r#""thread": { "1": { "cycles": 0, "min": 1000000, "max": 0, "avg": -nan, "cpu": 3, "node": 0 },"#;
    let text = String::from_utf8(sample("cyclictest.json")).unwrap().replace("\"thread\": {", starved);
    let run = read_as(text.as_bytes(), "x.json", &Options::default()).unwrap();
    assert_eq!(run.series.len(), 1);
    assert!(run.has_caveat("thread-without-samples"));
    let text = String::from_utf8(sample("cyclictest-garbage.txt")).unwrap().replace("C:   5000", "C:      0");
    assert!(read_as(text.as_bytes(), "x", &Options::default()).unwrap().has_caveat("thread-without-samples"));
}

#[test]
fn a_sum_column_is_no_thread() {
    let run = read("cyclictest-sum.txt");
    assert_eq!(run.series.len(), 2);
    assert_eq!(run.series[1].histogram.total(), 5);
    let text = String::from_utf8(sample("cyclictest-sum.txt")).unwrap().replace("000001	000001", "000001	000002");
    let message = read_as(text.as_bytes(), "x", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("the sum column has 7 samples, but the other columns have 6"), "{message}");
}

#[test]
fn garbage_of_one_thread_leaves_the_other() {
    let run = read("cyclictest-garbage.txt");
    assert_eq!(run.series.len(), 1);
    assert_eq!(run.series[0].activations.served, 3_333);
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "cyclictest-garbage-refused").unwrap();
    assert!(caveat.what.contains("Avg:-9223372036854775808") && caveat.severity == Severity::High, "{caveat:?}");
    let alone: Vec<_> =
        sample("cyclictest-garbage.txt").split(|byte| *byte == b'\n').take(2).collect::<Vec<_>>().join(&b'\n');
    let message = read_as(&alone, "x", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("no sample") && message.contains("18446744073709551612"), "{message}");
}

#[test]
fn garbage_in_a_histograms_footer_costs_that_figure_alone() {
    let text = String::from_utf8(sample("cyclictest-old.txt"))
        .unwrap()
        .replace("# Avg Latencies: 00016", "# Avg Latencies: -9223372036854775808");
    let run = read_as(text.as_bytes(), "x", &Options::default()).unwrap();
    let stated = run.series[0].stated.unwrap();
    assert_eq!((stated.mean_ns, stated.max_ns), (None, Some(67_000)));
    assert!(run.has_caveat("cyclictest-garbage-refused"));
}

#[test]
fn a_threshold_ends_a_cyclictest_run() {
    let run = read("cyclictest.json");
    assert_eq!(run.ending, Ending::Threshold { cpu: 2, latency_ns: 612_000 });
    assert_eq!((run.series[0].histogram.overflow(), run.series[0].cpu), (1, Some(2)));
    assert_eq!(run.series[0].activations.skipped, None, "it did not last as long as asked");
    assert_eq!(run.platform_before.unwrap().get("kernel.realtime"), Some("1"));
}

#[test]
fn jumped_cycle_numbers_are_lost_samples() {
    let run = read("cyclictest-verbose.txt");
    let counts: Vec<_> = run.series.iter().map(|series| (series.activations.served, series.activations.lost)).collect();
    assert_eq!(counts, [(5, 2), (1, 0)]);
    assert!(run.has_caveat("samples-missing"));
}

#[test]
fn jitterdebugger_in_nanoseconds() {
    let run = read("jitterdebugger.json");
    assert_eq!(run.series[0].histogram.cells().collect::<Vec<_>>(), [(11_000, 9), (12_500, 2)]);
    assert_eq!(run.series[0].histogram.overflow(), 1);
}

#[test]
fn raw_samples_are_worst_first_with_the_time_they_were_due() {
    let run = read("samples.raw");
    let worst: Vec<_> =
        run.series[0].worst.iter().map(|worst| (worst.latency_ns, worst.at_ns, worst.activation)).collect();
    assert_eq!(worst, [(18_000, 0, 0), (13_000, 1_000_000, 1)]);
    assert_eq!((run.series[1].cpu, run.series[1].worst[0].latency_ns), (Some(1), 4_000_000));
    let mut cut = sample("samples.raw");
    cut.pop();
    let error = read_as(&cut, "samples.raw", &Options::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::Truncated { .. }), "{error}");
}

#[test]
fn rtla_with_user_threads_and_a_second_summary() {
    let run = read("timerlat-all.txt");
    let kinds: Vec<_> =
        run.series.iter().map(|series| (series.quantity, series.stated.unwrap().max_ns.unwrap())).collect();
    assert_eq!(kinds, [(Quantity::InterruptLatency, 6_000), (Quantity::ResponseLatency, 21_000)]);
    assert_eq!(run.ending, Ending::Threshold { cpu: 0, latency_ns: 21_000 });
}

#[test]
fn oslat_with_fewer_buckets_and_a_failure() {
    let run = read("oslat.json");
    assert_eq!((run.series[0].histogram.in_range(), run.series[0].histogram.overflow()), (99, 1));
    assert!(run.has_caveat("run-ended-early"));
}

#[test]
fn xenomai_tells_overruns_mode_switches_and_an_early_end() {
    let run = read("xenomai-latency.txt");
    assert_eq!(run.series[0].histogram.cells().collect::<Vec<_>>(), [(0, 120), (2_000, 9_800), (3_000, 80)]);
    assert_eq!((run.series[0].activations.due, run.series[0].activations.skipped), (Some(10_007), Some(7)));
    assert_eq!(run.severity(), Some(Severity::Fatal), "mode switches");
    for id in ["mode-switches", "overruns", "run-ended-early", "gravity"] {
        assert!(run.has_caveat(id), "{id}");
    }
    assert!(!run.has_caveat("sign-folded"));
}

#[test]
fn the_last_bucket_of_a_gnuplot_file_catches_what_lies_beyond() {
    let run = read("xenomai.gnuplot.txt");
    assert_eq!(run.series[0].histogram.cells().collect::<Vec<_>>(), [(1_000, 4_997)]);
    assert_eq!(run.series[0].histogram.overflow(), 2);
}

#[test]
fn latmus_without_a_last_line_ended_early() {
    let run = read("latmus.txt");
    assert_eq!((run.series[0].cpu, run.series[0].activations.skipped), (Some(3), Some(1)));
    let stated = run.series[0].stated.unwrap();
    assert_eq!((stated.min_ns, stated.mean_ns, stated.max_ns), (Some(913), None, Some(8_898)));
    assert!(run.has_caveat("run-ended-early") && !run.has_caveat("cpu-not-isolated"));
}

#[test]
fn latmus_outliers_are_overflow() {
    let run = read("latmus.gnuplot.txt");
    assert_eq!((run.series[0].histogram.in_range(), run.series[0].histogram.overflow()), (4_998, 2));
    assert_eq!(run.series[0].quantity, Quantity::InterruptLatency);
    assert!(run.has_caveat("mode-switches") && run.has_caveat("overruns"));
}

#[test]
fn negative_slack_is_a_miss() {
    let run = read("rt-app.log");
    let activations = run.series[0].activations;
    assert_eq!((activations.served, activations.missed), (3, Some(1)));
    assert_eq!(run.series[0].worst[0].latency_ns, 31_000);
}

#[test]
fn a_sparse_table_of_two_threads_equals_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("results-3.8.13+-fifo-setitimer.txt");
    std::fs::write(&original, sample("cyclictest-sum.txt")).unwrap();
    let sparse = import::sparse::from_cyclictest(&original, "made up\nfor tests").unwrap();
    assert!(
        sparse.contains("# origin: made up for tests\n") && sparse.contains("latency_us,count_0,count_1\n8,3,2\n")
            || sparse.contains("7,0,1\n8,3,2\n")
    );
    let (mut from_text, mut from_sparse) = (
        import::read(&original, &Options::default()).unwrap().remove(0),
        read_as(sparse.as_bytes(), "x.csv", &Options::default()).unwrap(),
    );
    (from_text.origin, from_sparse.origin) = Default::default();
    assert_eq!(format!("{from_text:#?}"), format!("{from_sparse:#?}"));
}
