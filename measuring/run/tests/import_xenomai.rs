//! Real outputs of Xenomai's and EVL's tools: for each sample file, the facts that a person reads off it.

use prazo_core::time::Duration;
use prazo_run::import::{self, ImportError, Options};
use prazo_run::run::{Ending, Quantity};
use prazo_run::{Run, Series};
use prazo_testing::data;

fn try_read(part: &str) -> Result<Run, ImportError> {
    let file = data::path(&format!("xenomai/{part}"));
    import::read(&file, &Options::default()).map(|mut runs| runs.remove(0))
}

fn read(part: &str) -> Run {
    try_read(part).unwrap_or_else(|error| panic!("{error}"))
}

/// Stated minimum, mean and maximum in nanoseconds.
fn stated(run: &Run) -> (i64, f64, i64) {
    let stated = one(run).stated.unwrap();
    (stated.min_ns.unwrap(), stated.mean_ns.unwrap(), stated.max_ns.unwrap())
}

fn one(run: &Run) -> &Series {
    assert_eq!(run.series.len(), 1);
    &run.series[0]
}

fn fact<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.platform_before.as_ref()?.get(name)
}

#[test]
fn latency_in_its_three_modes() {
    let modes = [
        ("0", "periodic user-mode task", Quantity::ResponseLatency, (-1_069, -1_044.0, -1_006)),
        ("1", "in-kernel periodic task", Quantity::ResponseLatency, (-1_592, -1_577.0, -507)),
        ("2", "in-kernel timer handler", Quantity::InterruptLatency, (716, 721.0, 1_561)),
    ];
    for (mode, name, quantity, figures) in modes {
        let run = read(&format!("cobalt/latency-p-1000-T-10-t-{mode}.txt"));
        assert_eq!(stated(&run), figures);
        assert_eq!((one(&run).quantity, fact(&run, "import.mode")), (quantity, Some(name)));
        assert_eq!((one(&run).period, run.elapsed), (Some(Duration::from_ms(1)), Some(Duration::from_s(10))));
        assert_eq!(fact(&run, "import.priority"), Some("99"));
        assert!(run.has_caveat("gravity") && run.has_caveat("no-histogram"));
        assert!(!run.has_caveat("overruns") && !run.has_caveat("mode-switches"));
        assert_eq!(run.ending, Ending::Complete);
    }
}

#[test]
fn quiet_latency_has_its_last_line_alone() {
    let run = read("cobalt/latency-p-1000-T-5-q.txt");
    assert_eq!(stated(&run), (-1_053, -1_044.0, 39));
    assert_eq!(run.elapsed, Some(Duration::from_s(5)));
}

#[test]
fn latency_without_header_lines() {
    let run = read("cobalt/latency-l0.txt");
    assert_eq!(stated(&run), (-1_056, -1_045.0, -615));
    assert_eq!(one(&run).period, Some(Duration::from_ms(1)));
}

#[test]
fn latency_ended_by_sigint_has_a_last_line_like_any_other() {
    let run = read("cobalt/latency-sigint.txt");
    assert_eq!(stated(&run), (-1_052, -1_040.0, -621));
    assert_eq!((one(&run).period, run.elapsed), (Some(Duration::from_us(500)), Some(Duration::from_s(3))));
}

#[test]
fn a_bad_processor_is_said_as_the_tool_said_it() {
    let result = try_read("cobalt/latency-badcpu.txt");
    let message = result.unwrap_err().to_string();
    assert!(message.contains("latency: pthread_create(latency): Invalid argument"), "{message}");
}

#[test]
fn a_histogram_of_absolute_values_is_no_distribution_of_negative_ones() {
    let run = read("cobalt/latency-h-s-g.txt");
    let cells: Vec<_> = one(&run).histogram.cells().collect();
    assert_eq!(cells, [(0, 2), (1_000, 4_997)]);
    assert_eq!(stated(&run), (-1_053, -1_044.0, 48));
    assert!(run.has_caveat("sign-folded") && !run.has_caveat("no-histogram"));
}

const GUEST: &str = "xenomai/cobalt/guest-3.3.1-6.6.69/latency-t0-with-histogram.txt";

fn read_text(text: &str) -> Run {
    import::read_bytes(text.as_bytes(), std::path::Path::new("latency.txt"), &Options::default()).unwrap().remove(0)
}

#[test]
fn cells_shown_by_their_floor_say_so() {
    let run = read("cobalt/guest-3.3.1-6.6.69/latency-t0-with-histogram.txt");
    let cells: Vec<_> = one(&run).histogram.cells().collect();
    assert_eq!(cells, [(15_000, 4_942), (16_000, 52)], "a mean of 15.01 us");
    assert_eq!(stated(&run), (15_512, 15_750.0, 16_008));
    let floor = run.caveats.iter().find(|caveat| caveat.id == "values-rounded-down").unwrap();
    assert!(floor.what.contains("1us") && floor.severity == prazo_run::Severity::Info, "{}", floor.what);
    assert!(!run.has_caveat("stated-figures-disagree") && !run.has_caveat("last-second-not-stated"));
}

#[test]
fn the_last_part_of_a_second_is_in_the_histogram_alone_and_is_no_disagreement() {
    // One sample of the last part of a second at 31 us, which the line RTS does not have.
    let text = data::text(GUEST)
        .replace("|  16 - 17 |       52\n", "|  16 - 17 |       51\nHSD|    avg|  31 - 32 |        1\n");
    let run = read_text(&text);
    assert_eq!(one(&run).histogram.cells().next_back(), Some((31_000, 1)), "the width of its cells is still known");
    assert!(
        run.has_caveat("last-second-not-stated") && !run.has_caveat("stated-figures-disagree"),
        "{:?}",
        run.caveats
    );
    // More samples than fit into a second are no part of one.
    let text = data::text(GUEST).replace("|  16 - 17 |       52\n", "|  31 - 32 |     3000\n");
    assert!(!read_text(&text).has_caveat("last-second-not-stated"));
    assert!(read_text(&text).has_caveat("stated-figures-disagree"));
}

#[test]
fn the_gnuplot_file_of_the_same_run_loses_its_sentinels() {
    let run = read("cobalt/latency-g.gnuplot.txt");
    let cells: Vec<_> = one(&run).histogram.cells().collect();
    assert_eq!(cells, [(0, 2), (1_000, 4_997)], "as the text of the same run");
    assert_eq!(stated(&run), (-1_053, -1_044.0, 48));
    assert_eq!(one(&run).resolution, Duration::from_us(1));
    assert_eq!((one(&run).period, run.elapsed), (Some(Duration::from_ms(1)), Some(Duration::from_s(5))));
    assert_eq!(fact(&run, "kernel.release"), Some("6.6.69-xeno-ref"));
    assert_eq!(fact(&run, "import.mode"), Some("periodic user-mode task"));
    assert_eq!(fact(&run, "import.version"), Some("Xenomai/cobalt v3.3.1"));
    assert!(fact(&run, "cmdline").unwrap().contains("tsc=reliable"));
}

#[test]
fn mercury_counts_its_overruns() {
    let run = read("mercury/mercury-latency-p-1000-T-8-t-0.txt");
    assert_eq!(stated(&run), (14_139, 36_350.0, 16_785_255));
    assert_eq!(one(&run).activations.skipped, Some(38));
    assert!(run.has_caveat("overruns"));
}

#[test]
fn xenomais_cyclictest() {
    let run = read("cobalt/cyclictest-h60.txt");
    assert_eq!(run.series.len(), 2);
    assert_eq!(run.series[1].histogram.cells().collect::<Vec<_>>(), [(0, 3_000)]);
    let run = read("cobalt/cyclictest-q.txt");
    assert_eq!((one(&run).activations.served, stated(&run)), (5_000, (0, 0.0, 5_000)));
}

#[test]
fn latmus_in_a_user_thread_and_in_the_timer_handler() {
    let run = read("evl/latmus-m-u-p-1000-T-10-C-0.txt");
    assert_eq!(stated(&run), (-914, -905.0, -185));
    assert_eq!((one(&run).cpu, one(&run).quantity), (Some(0), Quantity::ResponseLatency));
    assert_eq!(fact(&run, "import.priority"), Some("98"));
    assert!(run.has_caveat("cpu-not-isolated") && run.has_caveat("gravity"));
    let run = read("evl/latmus-m-i-p-1000-T-5-C-0.txt");
    assert_eq!(stated(&run), (587, 595.0, 2_358));
    assert_eq!((one(&run).cpu, one(&run).quantity), (Some(0), Quantity::InterruptLatency));
}

#[test]
fn latmus_quiet_and_its_gnuplot_file() {
    let run = read("evl/latmus-q-g.txt");
    assert_eq!((stated(&run), one(&run).cpu), ((-914, -905.0, -57), Some(0)));
    let run = read("evl/latmus-g.gnuplot.txt");
    assert_eq!(stated(&run), (-914, -905.0, -57));
    assert_eq!(one(&run).histogram.cells().collect::<Vec<_>>(), [(0, 5_000)], "counts are not one too large here");
    assert_eq!((one(&run).period, run.elapsed), (Some(Duration::from_ms(1)), Some(Duration::from_s(5))));
    assert_eq!(fact(&run, "kernel.release"), Some("5.10.0-evl-ref"));
    assert_eq!(fact(&run, "evl.gravity_ns"), Some("0i 3000k 3000u"));
    for id in ["sign-folded", "cpu-not-isolated", "c-state-claim"] {
        assert!(run.has_caveat(id), "{id}");
    }
}

#[test]
fn files_that_are_no_measurement_are_unknown() {
    for part in ["cobalt/proc-latency.txt", "cobalt/uname.txt", "cobalt/proc-xenomai/sched/stat"] {
        let result = try_read(part);
        let message = result.unwrap_err().to_string();
        assert!(message.contains("no format that prazo recognises"), "{message}");
    }
}
