//! Every export against a run with something of everything, and against the shape of the tools' own files.

mod support;

use prazo_core::text::acts;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::export::{self, ExportError, Format};
use prazo_run::run::{Activations, Quantity, Second, StatedFigures, WorstSample};
use prazo_run::watched::SeriesThread;
use prazo_run::workload::{WorkloadFigure, WorkloadRecord};
use prazo_run::{Caveat, Histogram, Run, Series, Severity};
use prazo_testing::data;
use proptest::prelude::*;

fn exported(run: &Run, format: Format) -> String {
    let mut out = Vec::new();
    export::write(run, format, None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn histogram(cells: &[(i64, u64)], overflow: u64) -> Histogram {
    let mut histogram = Histogram::new();
    cells.iter().for_each(|(latency_ns, count)| histogram.add(*latency_ns, *count));
    histogram.add_overflow(overflow);
    histogram
}

fn worst(latency_ns: i64, activation: u64) -> WorstSample {
    WorstSample { at_ns: activation as i64 * 1_000_000, latency_ns, activation }
}

/// Two processors; the first with one listed overflow, the second with two of which nobody knows the values.
fn example() -> Run {
    let first = Series {
        cpu: Some(0),
        period: Some(Duration::from_ms(1)),
        resolution: Duration::from_ns(1),
        activations: Activations { due: Some(12), served: 10, skipped: Some(1), outstanding: 1, ..Default::default() },
        histogram: histogram(&[(1_200, 6), (1_900, 2), (2_000, 1)], 1),
        warm_up: histogram(&[(9_000, 1)], 0),
        timeline: vec![Second { at_s: 0, count: 10, skipped: 1, min_ns: Some(1_200), sum_ns: 9, ..Second::default() }],
        worst: vec![worst(70_000, 7), worst(2_000, 2)],
        ..Series::default()
    };
    let second = Series {
        cpu: Some(1),
        activations: Activations { served: 5, ..Activations::default() },
        histogram: histogram(&[(3_000, 3)], 2),
        stated: Some(StatedFigures { max_ns: Some(99_000), mean_ns: Some(12_340.0), ..StatedFigures::default() }),
        ..Series::default()
    };
    let fact = |value: &str| Fact { value: Some(value.into()), source: "uname".into() };
    let facts = [("kernel.release".into(), fact("6.12")), ("kernel.version".into(), fact("#1 SMP PREEMPT_RT"))];
    Run {
        name: "a<b>\"c\"&\n".into(),
        command: "prazo measure timer \"x\"".into(),
        started_at_unix_ns: Some(1_795_228_055_000_000_000),
        elapsed: Some(Duration::from_s(2)),
        platform_before: Some(Fingerprint { facts: facts.into_iter().collect() }),
        series: vec![first, second],
        workloads: vec![WorkloadRecord {
            name: "archive".into(),
            size: 3,
            unit: "files".into(),
            figures: vec![WorkloadFigure {
                name: "migrations".into(),
                value: None,
                source: None,
                leaves_out: None,
                reason: Some("not counted".into()),
            }],
        }],
        caveats: vec![Caveat::new("recorder-late", Severity::Medium, "Late.", "Wait.")],
        ..Run::default()
    }
}

#[test]
fn csv_has_every_cell_and_the_overflow_without_a_latency() {
    let rows = exported(&example(), Format::Csv);
    assert_eq!(
        rows,
        "cpu,quantity,warm_up,latency_ns,count\n\
         0,response-latency,false,1200,6\n0,response-latency,false,1900,2\n0,response-latency,false,2000,1\n\
         0,response-latency,false,,1\n0,response-latency,true,9000,1\n\
         1,response-latency,false,3000,3\n1,response-latency,false,,2\n"
    );
    let seconds = exported(&example(), Format::TimelineCsv);
    assert!(seconds.ends_with("sum_ns\n0,response-latency,0,false,10,1,0,0,1200,,9\n"), "{seconds}");
}

#[test]
fn json_holds_every_count_and_null_for_what_is_not_known() {
    let document: serde_json::Value = serde_json::from_str(&exported(&example(), Format::Json)).unwrap();
    assert_eq!(document["format"], "prazo-run-1");
    assert_eq!(document["series"][0]["histogram"]["cells"][1], serde_json::json!([1900, 2]));
    assert_eq!(document["series"][1]["activations"]["skipped"], serde_json::Value::Null);
    assert_eq!(document["plan"], serde_json::Value::Null);
    let migrations = &document["workloads"][0]["figures"][0];
    assert_eq!((&migrations["value"], migrations["reason"].as_str()), (&serde_json::Value::Null, Some("not counted")));
}

#[test]
fn cyclictest_json_floors_to_microseconds_and_leaves_the_overflow_to_the_cycles() {
    let text = exported(&example(), Format::CyclictestJson);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["cmdline:"], "prazo measure timer \"x\"");
    assert_eq!(document["start_time"], "Sat, 21 Nov 2026 02:27:35 +0000");
    assert_eq!(document["end_time"], "Sat, 21 Nov 2026 02:27:37 +0000");
    assert_eq!(document["sysinfo"]["realtime"], 1);
    assert_eq!(document["resolution_in_ns"], 0);
    let first = &document["thread"]["0"];
    assert_eq!(first["histogram"], serde_json::json!({"1": 8, "2": 1}));
    assert_eq!((&first["cycles"], &first["min"], &first["max"]), (&10.into(), &1.into(), &70.into()));
    assert!(text.contains("\"avg\": 8.00,"), "(8 x 1 + 2 + 70) / 10 us: {text}");
    assert!(text.contains("\"avg\": 12.34,"), "stated, since the overflow has no values: {text}");
}

/// The keys in order, with their indentation and without their values: what a reader goes by.
fn shape(json: &str) -> Vec<String> {
    let is_cell = |line: &&str| !line.trim_start_matches([' ', '"']).starts_with(|c: char| c.is_ascii_digit());
    json.lines().filter(is_cell).map(|line| line.split_inclusive("\": ").next().unwrap().to_owned()).collect()
}

#[test]
fn cyclictest_json_has_the_shape_of_cyclictests_own() {
    let own = data::text("tools/cyclictest/two-threads.json");
    assert_eq!(shape(&exported(&example(), Format::CyclictestJson)), shape(&own));
}

#[test]
fn cyclictest_histogram_has_a_row_a_microsecond_and_a_column_a_thread() {
    assert_eq!(
        exported(&example(), Format::CyclictestHistogram),
        "# Histogram\n000000 000000\t000000\n000001 000008\t000000\n000002 000001\t000000\n000003 000000\t000003\n\
         # Total: 000000009 000000003\n# Min Latencies: 00001 00003\n# Avg Latencies: 00008 00012\n\
         # Max Latencies: 00070 00099\n# Histogram Overflows: 00001 00002\n# Histogram Overflow at cycle number:\n\
         # Thread 0: 00007\n# Thread 1:  # 00002 others\n\n"
    );
}

#[test]
fn cyclictests_formats_refuse_what_they_cannot_say() {
    let refused = |edit: fn(&mut Run)| {
        let mut run = example();
        edit(&mut run);
        let error = export::write(&run, Format::CyclictestJson, None, &mut Vec::new()).unwrap_err();
        assert!(matches!(error, ExportError::Unfit { .. }));
        error.to_string()
    };
    assert!(refused(|run| run.series[0].histogram.add(-1_500, 1)).contains("negative latencies (-1500 ns)"));
    assert!(
        refused(|run| run.series[1].stated = None).contains("the latencies above the histogram's bound are unknown")
    );
    let noise = refused(|run| run.series.iter_mut().for_each(|series| series.quantity = Quantity::Noise));
    assert!(noise.contains("no response latencies; export it as json or csv"), "{noise}");
}

#[test]
fn hgrm_ends_at_the_maximum_and_says_what_it_does_not_know() {
    let text = exported(&example(), Format::Hgrm);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]);
    assert_eq!(rows[2], ["1.200", "0.000000000000", "6", "1.00"]);
    assert!(text.contains("      99.000 1.000000000000         15\n"), "{text}");
    assert!(text.contains("#[Mean    =          NaN, "), "a value is not known: {text}");
    assert!(text.ends_with("#[1 value above the histogram's bound, of unknown size]\n"));
}

#[test]
fn hgrm_agrees_with_counting() {
    let cells: Vec<(i64, u64)> = (1..=1_000).map(|us| (us * 1_000, 1)).collect();
    let series = Series { histogram: histogram(&cells, 0), ..Series::default() };
    let text = exported(&Run { series: vec![series], ..Run::default() }, Format::Hgrm);
    for line in text.lines().skip(2).filter(|line| !line.starts_with('#')) {
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let obvious = (numbers[1] * 1_000.0).ceil().max(1.0);
        assert_eq!((numbers[0], numbers[2]), (obvious, obvious), "{line}");
    }
    assert!(
        text.contains(
            "    1000.000 1.000000000000       1000\n#[Mean    =      500.500, StdDeviation   =      288.819]"
        )
    );
}

#[test]
fn openmetrics_counts_upwards_and_escapes_labels() {
    let text = exported(&example(), Format::Openmetrics);
    let labels = "run=\"a<b>\\\"c\\\"&\\n\",cpu=\"0\",quantity=\"response-latency\"";
    let bucket = |le: &str, count: u64| format!("prazo_latency_seconds_bucket{{{labels},le=\"{le}\"}} {count}\n");
    for (le, count) in [("0.000001", 0), ("0.000002", 9), ("0.00005", 9), ("0.0001", 10), ("10", 10), ("+Inf", 10)] {
        assert!(text.contains(&bucket(le, count)), "{le} {count}\n{text}");
    }
    assert!(text.contains(&format!("prazo_latency_seconds_sum{{{labels}}} 0.000083\n")), "{text}");
    assert!(!text.contains("_sum{run=\"a<b>\\\"c\\\"&\\n\",cpu=\"1\""), "a sum without all values is no sum");
    assert!(text.contains(&format!("prazo_activations_total{{{labels},outcome=\"due\"}} 12\n")));
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn openmetrics_writes_out_what_would_act_on_a_terminal() {
    let mut run = example();
    run.name = "a\u{9b}31m".into();
    let name = "\u{1b}[2J\u{202e}".into();
    run.series[0].thread = Some(SeriesThread { thread_id: 815, name, ..SeriesThread::default() });
    let text = exported(&run, Format::Openmetrics);
    assert!(!text.contains(|c| c != '\n' && acts(c)), "{text:?}");
    let labels = r#"{run="a\\u{9b}31m",cpu="0",thread="815 \\u{1b}[2J\\u{202e}",quantity="response-latency"}"#;
    assert!(text.contains(labels), "{text}");
    assert!(text.contains(r#"prazo_caveats{run="a\\u{9b}31m",id="#), "{text}");
}

#[test]
fn junit_fails_a_miss_and_never_passes_what_it_does_not_know() {
    let junit = |deadline_us: u64, edit: fn(&mut Run)| {
        let mut run = example();
        edit(&mut run);
        let mut out = Vec::new();
        export::write(&run, Format::Junit, Some(Duration::from_us(deadline_us)), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let head = |text: &str| text.lines().nth(1).unwrap().to_owned();
    let missed = junit(50, |_| ());
    assert!(missed.contains("name=\"a&lt;b&gt;&quot;c&quot;&amp;&#10;\""), "{missed}");
    assert!(head(&missed).contains("tests=\"2\" failures=\"1\" errors=\"1\" skipped=\"0\""), "{missed}");
    assert!(missed.contains("1 of 10 samples above 50us, 1 activation skipped; maximum 70us"), "{missed}");
    let met = junit(100, |run| {
        run.series.truncate(1);
        run.series[0].activations.skipped = Some(0);
    });
    assert!(
        met.contains("<system-out>none of 10 samples above 100us, 0 activations skipped; maximum 70us</system-out>"),
        "{met}"
    );
    let skipped = junit(100, |_| ());
    let failure =
        "<failure type=\"activations-skipped\" message=\"none of 10 samples above 100us, but 1 activation skipped";
    assert!(skipped.contains(failure), "{skipped}");
    let implied = junit(100, |run| {
        run.series.truncate(1);
        run.series[0].activations = Activations { due: None, skipped: None, ..run.series[0].activations };
        run.series[0].period = Some(Duration::from_us(30));
    });
    let undecided = "<error type=\"undecided\" message=\"none of 10 samples above 100us, but up to 2 activations \
                     skipped (estimated from the latencies), each of which would count as missed; maximum 70us\"/>";
    assert!(implied.contains(undecided) && head(&implied).contains("errors=\"1\""), "{implied}");
    let unknown = junit(100, |run| {
        run.series.truncate(1);
        run.series[0].activations = Activations { due: None, skipped: None, ..run.series[0].activations };
        run.series[0].period = None;
    });
    assert!(unknown.contains("an unknown number of activations skipped") && !unknown.contains("0 act"), "{unknown}");
    let fatal = junit(100, |run| run.caveats[0].severity = Severity::Fatal);
    assert!(head(&fatal).contains("errors=\"2\""), "{fatal}");
    let empty = junit(100, |run| run.series[1] = Series::default());
    assert!(empty.contains("message=\"no samples\""), "{empty}");
    let not_asked = exported(&example(), Format::Junit);
    assert!(head(&not_asked).contains("skipped=\"2\""), "{not_asked}");
}

#[test]
fn parquet_is_written_or_says_how_to_get_it() {
    let mut out = Vec::new();
    match export::write(&example(), Format::Parquet, None, &mut out) {
        Ok(()) => assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1")),
        Err(error) => assert!(matches!(error, ExportError::NotBuilt("parquet")), "{error}"),
    }
    assert!(ExportError::NotBuilt("parquet").to_string().contains("--features parquet"));
}

#[test]
fn an_output_that_refuses_is_an_error() {
    let full = export::write(&example(), Format::Json, None, &mut [0u8; 10].as_mut_slice());
    assert!(matches!(full, Err(ExportError::Io(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_run_is_exported_or_refused_but_never_panics(run in support::any_run()) {
        for format in Format::VALUES {
            let _ = export::write(&run, *format, None, &mut Vec::new());
        }
        prop_assert!(export::write(&run, Format::Junit, Some(Duration::from_us(10)), &mut Vec::new()).is_ok());
    }
}
