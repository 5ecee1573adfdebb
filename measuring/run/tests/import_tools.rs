//! Real outputs of the other tools: for each sample file, the facts that a person reads off it.

use prazo_core::time::Duration;
use prazo_run::import::{self, Options};
use prazo_run::run::{Ending, Quantity};
use prazo_run::{Run, Series};
use prazo_testing::data;

fn read(part: &str) -> Run {
    let file = data::path(&format!("tools/{part}"));
    import::read(&file, &Options::default()).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn what<'a>(run: &'a Run, id: &str) -> &'a str {
    &run.caveats.iter().find(|caveat| caveat.id == id).unwrap_or_else(|| panic!("{id} in {:?}", run.caveats)).what
}

fn fact<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.platform_before.as_ref()?.get(name)
}

/// In-range samples, overflow, and the stated minimum and maximum in microseconds.
fn figures(series: &Series) -> (u64, u64, i64, i64) {
    let stated = series.stated.unwrap();
    let us = |ns: Option<i64>| ns.unwrap() / 1_000;
    (series.histogram.in_range(), series.histogram.overflow(), us(stated.min_ns), us(stated.max_ns))
}

fn mean_us(series: &Series) -> f64 {
    let sum: f64 = series.histogram.cells().map(|(value, count)| value as f64 * count as f64).sum();
    sum / 1e3 / series.histogram.in_range() as f64
}

#[test]
fn cyclictest_histfile() {
    let run = read("cyclictest/histfile.txt");
    assert_eq!(run.series.len(), 2);
    assert_eq!(figures(&run.series[0]), (1_998, 2, 11, 827));
    assert_eq!(figures(&run.series[1]), (1_983, 17, 7, 6_559));
    assert_eq!(run.series[1].activations.served, 2_000);
    assert_eq!(run.series[1].histogram.cells().next(), Some((7_000, 1)));
    assert!(what(&run, "overflow-without-values").contains("19 samples"));
    assert!(run.has_caveat("processor-unknown") && run.has_caveat("skipped-not-counted"));
}

#[test]
fn cyclictest_sum_column_of_one_thread_is_no_second_thread() {
    let run = read("cyclictest/sum-column.txt");
    assert_eq!(run.series.len(), 1);
    assert_eq!(figures(&run.series[0]), (996, 4, 11, 944));
}

#[test]
fn cyclictest_text_and_json_of_one_run_are_the_same_samples() {
    let (text, json) = (read("cyclictest/histogram-60000.txt"), read("cyclictest/histogram-60000.json"));
    assert_eq!(text.series[0].histogram, json.series[0].histogram);
    assert_eq!(figures(&json.series[0]), (100_000, 0, 8, 6_877));
    assert_eq!(text.series[0].stated.unwrap().mean_ns, Some(51_000.0));
    assert!((json.series[0].stated.unwrap().mean_ns.unwrap() - 51_170.0).abs() < 1e-6);
    assert!((mean_us(&json.series[0]) - 51.17).abs() < 0.01);
    assert_eq!((text.series[0].cpu, json.series[0].cpu), (None, Some(1)));
}

#[test]
fn cyclictest_json_tells_command_kernel_and_time() {
    let run = read("cyclictest/histogram-60000.json");
    assert!(run.command.starts_with("cyclictest -m -p95 -i200 -l100000"));
    assert_eq!(run.started_at_unix_ns, Some(1_795_228_156_000_000_000));
    assert_eq!(run.series[0].period, Some(Duration::from_us(200)));
    let facts =
        ["kernel.release", "kernel.realtime", "import.version", "import.policy", "import.priority", "import.method"];
    let message = facts.map(|name| fact(&run, name).unwrap());
    assert_eq!(message, ["6.18.44", "0", "2.40", "fifo", "95", "clock-nanosleep"]);
    assert_eq!(run.ending, Ending::Complete);
    assert_eq!(run.series[0].activations.skipped, None);
    assert!(
        what(&run, "skipped-not-counted").contains("0 to 15000 activations, estimated from the tool's clock"),
        "22 s hold 110000 periods, give or take"
    );
}

#[test]
fn cyclictest_json_in_nanoseconds() {
    let run = read("cyclictest/nanoseconds.json");
    let series = &run.series[0];
    assert_eq!(series.resolution, Duration::from_ns(1));
    assert_eq!(series.histogram.cells().next(), Some((9_225, 1)));
    assert_eq!(series.stated.unwrap().max_ns, Some(6_925_033));
    assert_eq!(series.histogram.total(), 100_000);
    assert!(series.histogram.overflow() > 0 && what(&run, "overflow-without-values").contains("200us"));
    assert!(!run.has_caveat("stated-figures-disagree"));
}

#[test]
fn cyclictest_json_stopped_by_its_duration_tells_what_it_skipped() {
    let run = read("cyclictest/stopped-by-duration.json");
    let activations = run.series[0].activations;
    assert_eq!((activations.due, activations.served, activations.skipped), (Some(25_000), 24_983, Some(17)));
    assert!(
        what(&run, "skipped-not-counted")
            .starts_with("the tool skipped 17 activations (in a run of 5s at a period of 200us)")
    );
    assert_eq!(run.ending, Ending::Complete);
}

#[test]
fn cyclictest_json_of_two_threads_has_its_overflow_by_subtraction() {
    let run = read("cyclictest/two-threads.json");
    assert_eq!(figures(&run.series[0]), (1_998, 2, 11, 827));
    assert_eq!(figures(&run.series[1]), (1_983, 17, 7, 6_559));
    assert_eq!((run.series[0].cpu, run.series[1].cpu), (Some(0), Some(1)));
    assert_eq!(run.series[1].period, Some(Duration::from_ms(1)), "no distance between threads with a histogram");
    assert!(what(&run, "overflow-without-values").contains("60us"));
}

#[test]
fn cyclictest_json_without_a_histogram_has_stated_figures_only() {
    let run = read("cyclictest/without-histogram.json");
    let figures = run.series.iter().map(figures).collect::<Vec<_>>();
    assert_eq!(figures, [(0, 0, 5, 2_727), (0, 0, 11, 3_020)]);
    assert!(run.has_caveat("no-histogram"), "{:?}", run.caveats);
    // The same with -h: every sample lies beyond the histogram, and none below the stated minimum.
    let text = std::fs::read_to_string(data::path("tools/cyclictest/without-histogram.json")).unwrap();
    let text = text.replace("-D 3 ", "-D 3 -h 4 ");
    let run = import::read_bytes(text.as_bytes(), "beyond.json".as_ref(), &Options::default()).unwrap().remove(0);
    assert_eq!(run.series[0].histogram.overflow(), 2_994);
    assert_eq!(prazo_run::overflow::floor_ns(&run, &run.series[0]), 5_000);
}

#[test]
fn a_compressed_file_is_refused_with_what_decompresses_it() {
    let of = |bytes: &[u8]| import::read_bytes(bytes, "a.json".as_ref(), &Options::default()).unwrap_err().to_string();
    assert!(of(b"\x1f\x8b\x08\0rest").contains("a compressed file; decompress it with gunzip first"));
    assert!(of(b"\x28\xb5\x2f\xfdrest").contains("unzstd"));
}

#[test]
fn cyclictest_verbose() {
    let run = read("cyclictest/verbose.txt");
    let series = &run.series[0];
    assert_eq!((series.histogram.total(), series.activations.served, series.activations.lost), (20, 20, 0));
    assert_eq!(series.period, Some(Duration::from_us(1_500)));
    let max = series.histogram.cells().next_back().unwrap();
    assert_eq!(max, (21_000, 1));
    assert!(!run.has_caveat("samples-missing") && !run.has_caveat("lines-not-read"));
}

#[test]
fn cyclictest_summary() {
    let run = read("cyclictest/summary.txt");
    let counts: Vec<_> =
        run.series.iter().map(|series| (series.activations.served, series.period.unwrap().as_ns())).collect();
    assert_eq!(counts, [(500, 1_000_000), (336, 1_500_000)]);
    assert_eq!(figures(&run.series[1]), (0, 0, 11, 26_119));
    assert_eq!(run.series[1].activations.lost, 336, "counted, and not in the file");
    assert!(run.has_caveat("no-histogram") && run.has_caveat("mean-truncated"));
}

#[test]
fn cyclictest_spikes() {
    let run = read("cyclictest/spike.txt");
    assert_eq!(figures(&run.series[0]), (0, 0, 8, 6_829));
    assert!(what(&run, "spikes-listed").contains("3 samples above the tool's threshold for spikes: 1150, 6829, 1193"));
}

#[test]
fn a_list_of_spikes_that_is_cut_says_how_many_more_there_are() {
    let text = std::fs::read_to_string(data::path("tools/cyclictest/spike.txt")).unwrap();
    let spike = text.lines().find(|line| line.contains("Spike:")).unwrap();
    let text = format!("{text}\n{}", format!("{spike}\n").repeat(20));
    let run =
        import::read_bytes(text.as_bytes(), std::path::Path::new("a.txt"), &Options::default()).unwrap().remove(0);
    assert!(what(&run, "spikes-listed").starts_with("the file lists 23 samples"));
    assert!(what(&run, "spikes-listed").ends_with(" and 7 more"), "{}", what(&run, "spikes-listed"));
}

#[test]
fn jitterdebugger_results() {
    let run = read("jitterdebugger/results.json");
    assert_eq!(run.series.len(), 2);
    assert_eq!(run.series[0].activations.served, 2_000);
    assert_eq!(figures(&run.series[0]), (1_994, 6, 11, 5_968));
    assert_eq!(figures(&run.series[1]), (2_000, 0, 11, 46));
    assert_eq!((run.series[1].cpu, run.series[1].activations.skipped), (Some(1), Some(0)));
    assert!(what(&run, "jitterdebugger-drops-from-1ms").contains("6 samples"));
    assert!((mean_us(&run.series[1]) - 13.38).abs() < 0.01);
}

#[test]
fn jitterdebugger_samples() {
    let run = read("jitterdebugger/samples.raw");
    let total: u64 = run.series.iter().map(|series| series.histogram.total()).sum();
    assert_eq!(total, 2_000);
    let first = &run.series[0];
    assert_eq!(first.cpu, Some(0));
    let worst = &first.worst;
    assert!(worst.windows(2).all(|pair| pair[0].latency_ns >= pair[1].latency_ns), "worst first");
    assert_eq!(first.histogram.cells().next_back().unwrap().0, worst[0].latency_ns);
    let start = worst.iter().find(|sample| sample.activation == 0).map_or(0, |sample| sample.at_ns);
    assert_eq!(start, 0, "the first activation is the origin of time");
    assert!(run.has_caveat("unit-assumed"));
}

#[test]
fn rtla_timerlat() {
    let run = read("rtla/timerlat-hist.txt");
    let kinds: Vec<_> = run.series.iter().map(|series| (series.cpu.unwrap(), series.quantity)).collect();
    let (irq, thread) = (Quantity::InterruptLatency, Quantity::ResponseLatency);
    assert_eq!(kinds, [(0, irq), (0, thread), (1, irq), (1, thread)]);
    assert_eq!(figures(&run.series[0]), (9_414 - 921, 921, 6, 361_439));
    assert_eq!(figures(&run.series[3]), (9_494 - 1_033, 1_033, 23, 361_994));
    assert_eq!(run.series[0].resolution, Duration::from_us(50));
    assert_eq!(run.series[0].histogram.cells().next(), Some((0, 3_105)));
    assert_eq!(run.elapsed, Some(Duration::from_s(15)));
    assert!(run.has_caveat("bucket-width-inferred") && !run.has_caveat("stated-figures-disagree"));
    assert_eq!(run.ending, Ending::Complete);
}

#[test]
fn rtla_timerlat_skips_and_does_not_count() {
    let file = data::path("tools/rtla/timerlat-hist.txt");
    let options = Options { period: Some(Duration::from_ms(1)), ..Options::default() };
    let run = import::read(&file, &options).unwrap().remove(0);
    let missing = (14_000 - 9_414) + (14_000 - 9_494);
    assert!(
        what(&run, "skipped-not-counted")
            .contains(&format!("{missing} to {} activations, estimated from the tool's clock", missing + 4_000))
    );
}

#[test]
fn rtla_timerlat_stopped_by_a_threshold() {
    let run = read("rtla/timerlat-hist-stopped.txt");
    assert_eq!(figures(&run.series[0]), (0, 1, 2_359, 2_359));
    assert_eq!(figures(&run.series[1]), (0, 1, 7_890, 7_890));
    assert_eq!(run.ending, Ending::Threshold { cpu: 0, latency_ns: 7_890_000 });
    assert!(run.has_caveat("run-ended-early") && run.has_caveat("lines-not-read"));
}

#[test]
fn rtla_osnoise() {
    let run = read("rtla/osnoise-hist.txt");
    assert_eq!(figures(&run.series[1]), (1_363 - 357, 357, 0, 44_300));
    assert!(run.series.iter().all(|series| series.quantity == Quantity::Noise));
    assert_eq!(run.series[0].resolution, Duration::from_us(100));
    assert!(run.has_caveat("iterations-not-activations"));
}

#[test]
fn oslat() {
    let run = read("oslat/oslat.json");
    let series = &run.series[0];
    assert_eq!((series.cpu, series.quantity), (Some(1), Quantity::Noise));
    assert_eq!(series.histogram.overflow(), 353, "the last bucket is 32 us and above");
    assert_eq!(series.histogram.cells().next(), Some((1_000, 122_916_769)));
    assert_eq!(series.stated.unwrap().max_ns, Some(4_066_000));
    assert_eq!(run.elapsed, Some(Duration::from_ms(2_998)));
    assert!(run.has_caveat("iterations-not-activations") && run.has_caveat("values-rounded-up"));
    assert!(!run.has_caveat("stated-figures-disagree"));
}

#[test]
fn rt_app_log() {
    let run = read("rt-app/rta-t0-0.log");
    let series = &run.series[0];
    assert_eq!((series.activations.served, series.activations.missed), (99, Some(0)));
    assert_eq!(series.period, Some(Duration::from_ms(10)));
    assert_eq!((fact(&run, "import.policy"), fact(&run, "import.priority")), (Some("fifo"), Some("10")));
    let worst = series.worst[0];
    assert_eq!(series.histogram.cells().next_back().unwrap().0, worst.latency_ns);
    assert!(run.elapsed.unwrap() > Duration::from_ms(900));
}

#[test]
fn a_workload_of_rt_app_is_refused_with_what_to_import() {
    let file = data::path("tools/rt-app/workload.json");
    let message = import::read(&file, &Options::default()).unwrap_err().to_string();
    assert!(message.contains("workload.json") && message.contains("import the log"), "{message}");
}

/// A file of LITMUS-RT's `ft2csv`; its counter increments 2.4 times in a nanosecond.
fn litmus(event: &str) -> Run {
    let name = format!("overheads_host=example_scheduler=GSN-EDF_trace=example_n=10_cpu=0_overhead={event}.csv");
    let options = Options { hz: Some(2_400_000_000), ..Options::default() };
    import::read(&data::path(&format!("tools/feather-trace/{name}")), &options).unwrap().remove(0)
}

#[test]
fn overheads_of_litmus_rt_have_their_event_and_number_of_tasks_from_the_file_s_name() {
    for (event, quantity, max_ns) in [
        ("RELEASE", Quantity::ReleaseOverhead, 3_030),
        ("SCHED", Quantity::SchedulingOverhead, 1_895),
        ("SCHED2", Quantity::SchedulingOverhead, 479),
        ("CXS", Quantity::ContextSwitchOverhead, 1_346),
        ("TICK", Quantity::TickOverhead, 973),
        ("SEND-RESCHED", Quantity::IpiLatency, 3_280),
        // The kernel stores nanoseconds here, and the counter's speed does not matter.
        ("RELEASE-LATENCY", Quantity::EventLatency, 4_446),
    ] {
        let run = litmus(event);
        let [series] = &run.series[..] else { panic!("one series") };
        assert_eq!((series.quantity, series.cpu, series.histogram.total()), (quantity, Some(0), 24), "{event}");
        assert_eq!(series.histogram.cells().next_back().unwrap().0, max_ns, "{event}");
        assert_eq!((fact(&run, "import.event"), fact(&run, "import.tasks")), (Some(event), Some("10")));
        assert_eq!(fact(&run, "import.system"), Some("LITMUS-RT, GSN-EDF, example"));
        assert!(what(&run, "feather-trace-discards").contains("interrupt"));
    }
}

#[test]
fn what_a_file_of_ft2csv_leaves_out_is_requested_and_what_it_cannot_hold_is_refused() {
    let given =
        Options { hz: Some(1_000_000_000), event: Some("cxs_start".into()), tasks: Some(3), ..Options::default() };
    let read = |text: &str, name: &str, options: &Options| {
        import::read_bytes(text.as_bytes(), std::path::Path::new(name), options).map(|mut runs| runs.remove(0))
    };
    let run = read("10, 30, 20\n", "a.csv", &given).unwrap();
    assert_eq!(run.series[0].quantity, Quantity::ContextSwitchOverhead);
    assert_eq!((fact(&run, "import.event"), fact(&run, "import.tasks")), (Some("CXS"), Some("3")));
    let refused = |text: &str, name: &str, options: &Options| read(text, name, options).unwrap_err().to_string();
    let nothing = Options::default();
    assert!(refused("10, 30, 20\n", "a.csv", &nothing).contains("--event"));
    assert!(refused("10, 30, 20\n", "a_overhead=CXS.csv", &nothing).contains("--hz"));
    let lock = refused("10, 30, 20\n", "a_overhead=LOCK.csv", &given_hz());
    assert!(lock.contains("LOCK") && lock.contains("SEND-RESCHED"), "{lock}");
    let wrong = refused("10, 30, 21\n", "a_overhead=CXS.csv", &given_hz());
    assert!(wrong.contains("not the time from stamp 10 to stamp 30"), "{wrong}");
    assert!(refused("10, 30, 20\nend\n", "a_overhead=CXS.csv", &given_hz()).contains("two stamps"));
    assert!(refused("1, 2, 1\n", "a_n=many_overhead=CXS.csv", &given_hz()).contains("number of tasks"));
}

fn given_hz() -> Options {
    Options { hz: Some(1_000_000_000), ..Options::default() }
}
