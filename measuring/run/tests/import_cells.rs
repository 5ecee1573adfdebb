//! Histograms whose cells the file does not explain, and histograms without a sample.

use prazo_core::time::Duration;
use prazo_run::import::{self, Options};
use prazo_run::run::Ending;
use prazo_run::{Run, Series};
use std::path::Path;

/// As `latency -h -B 200 -H 50` of Xenomai 3.3.1 prints: cells of 200 ns, of which the last holds everything beyond.
const CELLS_OF_200_NS: &str = include_str!("cells/xenomai-latency-b200.txt");

fn read(text: &str, resolution: Option<Duration>) -> Run {
    let options = Options { resolution, ..Options::default() };
    import::read_bytes(text.as_bytes(), Path::new("a.txt"), &options).unwrap().remove(0)
}

fn one(run: &Run) -> &Series {
    assert_eq!(run.series.len(), 1);
    &run.series[0]
}

fn disagreement(run: &Run) -> Option<&str> {
    run.caveats.iter().find(|caveat| caveat.id == "stated-figures-disagree").map(|caveat| caveat.what.as_str())
}

#[test]
fn cells_that_cannot_be_a_microsecond_wide_are_not_guessed() {
    let run = read(CELLS_OF_200_NS, None);
    let message = disagreement(&run).unwrap();
    assert!(message.contains("only cell widths from 174 to 207 ns fit"), "{message}");
    assert!(one(&run).histogram.is_empty() && !run.has_caveat("no-histogram"));
    let stated = one(&run).stated.unwrap();
    assert_eq!((stated.count, stated.mean_ns, stated.max_ns), (Some(1_999), Some(-1_037.0), Some(12_377)));
    assert_eq!((one(&run).activations.served, one(&run).activations.lost), (1_999, 1_999));
}

#[test]
fn the_width_is_the_callers_or_that_of_the_command_line_in_the_file() {
    let logged = format!("$ latency -h -B 200 -H 50 -T 2\n{CELLS_OF_200_NS}");
    for run in [read(CELLS_OF_200_NS, Some(Duration::from_ns(200))), read(&logged, None)] {
        assert_eq!(one(&run).histogram.cells().collect::<Vec<_>>(), [(1_000, 1_998)]);
        assert_eq!((one(&run).histogram.overflow(), one(&run).resolution), (1, Duration::from_ns(200)));
        assert_eq!(disagreement(&run), None);
        assert!(run.has_caveat("overflow-without-values") && run.has_caveat("sign-folded"));
    }
}

#[test]
fn a_width_that_the_figures_rule_out_is_used_and_said_to_disagree() {
    let run = read(CELLS_OF_200_NS, Some(Duration::from_us(1)));
    assert!(
        disagreement(&run)
            .unwrap()
            .contains("a cell width of 1000 ns was given, but only cell widths from 174 to 207 ns fit")
    );
}

#[test]
fn a_run_that_its_limit_ended_says_so() {
    let run = read(&format!("{CELLS_OF_200_NS}latency: Maximum latency exceeded\n"), None);
    assert!(run.has_caveat("maximum-latency-exceeded") && !run.has_caveat("lines-not-read"));
    assert_eq!(run.ending, Ending::Interrupted);
}

#[test]
fn every_line_that_the_format_does_not_define_is_counted() {
    let what = |text: &str| {
        let run = read(text, None);
        run.caveats.iter().find(|caveat| caveat.id == "lines-not-read").map(|caveat| caveat.what.clone())
    };
    let noise: String = (0..5).map(|number| format!("noise {number}\n")).collect();
    assert!(what(&format!("{noise}{CELLS_OF_200_NS}")).unwrap().contains("ignored 5 lines"));
    let message = import::read_bytes(
        format!("== Sampling period: 100 us\n{noise}").as_bytes(),
        Path::new("a.txt"),
        &Options::default(),
    )
    .unwrap_err()
    .to_string();
    assert!(message.contains("the tool printed: noise 0; noise 1; noise 2; and 2 more lines"), "{message}");
}

/// No disturbance at all is the best that these tools can find.
#[test]
fn a_histogram_without_a_sample_is_a_result() {
    let osnoise = "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:05\n\
                   Index   CPU-000   CPU-001\nover:         0         0\ncount:        0         0\n\
                   min:          -         -\navg:          -         -\nmax:          -         -\n";
    let run = read(osnoise, None);
    assert_eq!(
        run.series.iter().map(|series| (series.cpu, series.activations.served)).collect::<Vec<_>>(),
        [(Some(0), 0), (Some(1), 0)]
    );
    let cyclictest = "# Histogram\n000000 000000\n000001 000000\n# Total: 000000000\n# Min Latencies: 00000\n\
                      # Avg Latencies: 00000\n# Max Latencies: 00000\n# Histogram Overflows: 00000\n";
    let run = read(cyclictest, None);
    assert!(one(&run).histogram.is_empty() && run.has_caveat("thread-without-samples"));
}
