//! Whole runs of the noise probe, under `other` so that they leave the machine to others; nothing here asks how quiet it is.

mod common;

use common::plan;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_platform::policy::{Policy, grant};
use prazo_platform::root::Root;
use prazo_probe::session::{Request, execute};
use prazo_probe::{Observer, Progress, StopFlag};
use prazo_run::plan::{Length, Splitting};
use prazo_run::run::{Ending, Quantity};
use prazo_run::source::{NoiseSource, Source};
use prazo_run::split::{SampleExplanation, Taker};
use prazo_run::{Plan, Run};
use prazo_sys::{clock, scheduling};
use prazo_testing::{Need, Skipped, or_skip, skipped};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};

fn noise_plan(threshold: Duration, runtime: Duration, length: Duration) -> Plan {
    let mut plan = Plan {
        source: Source::Noise(NoiseSource { threshold, runtime }),
        length: Length::Duration { length },
        ..plan(&[0])
    };
    plan.threads[0].period = Duration::from_ms(100);
    plan
}

fn measured(plan: Plan, root: &Root) -> Run {
    measured_until(plan, root, &mut prazo_engine::Unobserved, &StopFlag::new().unwrap())
}

fn measured_until(plan: Plan, root: &Root, observer: &mut dyn Observer, stop: &StopFlag) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noise.prazo");
    let request = Request { plan, file: &file, name: "noise".into(), command: "test".into() };
    execute(&request, root, observer, stop).unwrap().run
}

/// The run with its gaps split, unless this user, kernel or build cannot, which is said loudly.
fn split(plan: Plan) -> Result<Run, Skipped> {
    let run = measured(Plan { split: Splitting::Causes, ..plan }, &Root::system());
    match run.caveats.iter().find(|caveat| caveat.id == "not-split") {
        Some(caveat) => Err(skipped(Need::Tracing, &caveat.what)),
        None => Ok(run),
    }
}

fn causes(run: &Run) -> &[SampleExplanation] {
    &run.series[0].split.as_deref().expect("the gaps are split").causes
}

fn sum_ns(series: &prazo_run::Series) -> i128 {
    series.histogram.cells().map(|(value, count)| i128::from(value) * i128::from(count)).sum()
}

#[test]
fn what_was_observed_is_no_longer_than_the_windows_and_no_shorter_than_the_gaps() {
    let (ms, us) = (Duration::from_ms, Duration::from_us);
    let plan = Plan { split: Splitting::Off, ..noise_plan(us(1), ms(20), ms(1_000)) };
    let run = measured(plan, &Root::system());
    let [observed] = run.noise.as_ref().unwrap().cpus[..] else { panic!("{:?}", run.noise) };
    let windows = observed.windows + observed.windows_missed;
    assert_eq!(windows, 10, "ten windows begin in a second: {observed:?}");
    let [series] = &run.series[..] else { panic!("without a split there is one series") };
    assert_eq!((series.quantity, series.period, series.activations.skipped), (Quantity::Noise, None, Some(0)));
    assert!(series.histogram.cells().all(|(gap_ns, _)| gap_ns > 1_000), "no gap is shorter than the threshold");
    let lost = prazo_stats::noise::lost(&run)[0];
    // A window may end within a gap, which is observed to its end.
    let longest = lost.longest_ns.unwrap_or(0).unsigned_abs();
    assert!(observed.observed.as_ns() <= windows * (20_000_000 + longest), "{lost:?}");
    assert!(lost.lost_ns.unwrap() <= observed.observed.as_ns() && observed.reads > 1_000, "{lost:?}");
    assert!(run.probe_cost.is_none() && !run.has_caveat("probe-cost") && !run.has_caveat("preempted"));
}

#[test]
fn without_bpf_there_are_gaps_and_the_run_says_what_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    let plan = noise_plan(Duration::from_us(1), Duration::from_ms(50), Duration::from_ms(300));
    let run = measured(Plan { split: Splitting::Causes, ..plan }, &Root::at(empty.path()));
    assert_eq!(run.series.len(), 1);
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "not-split").expect("it is a caveat");
    assert!(caveat.what.starts_with("the causes of the gaps are unknown"), "{}", caveat.what);
    assert!(prazo_stats::noise::lost_to(&run).is_empty());
    assert_eq!(prazo_stats::noise::lost(&run).len(), 1);
}

#[test]
fn the_parts_of_every_gap_add_up_to_it_and_ticks_are_interrupts() {
    let run = or_skip!(split(noise_plan(Duration::from_us(1), Duration::from_ms(100), Duration::from_ms(600))));
    let (series, split) = (&run.series[0], run.series[0].split.as_deref().unwrap());
    assert_eq!(split.counts.served(), series.activations.served, "{:?}", split.counts);
    assert_eq!(split.parts.iter().map(|part| part.quantity).collect::<Vec<_>>(), prazo_trace::noise::PARTS);
    if split.counts.unsplit_total() == 0 && split.parts.iter().all(|part| part.histogram.overflow() == 0) {
        assert_eq!(split.parts.iter().map(sum_ns).sum::<i128>(), sum_ns(series));
    }
    for cause in &split.causes {
        assert_eq!(cause.shares.iter().map(|share| share.length_ns).sum::<i64>(), cause.sample.latency_ns);
    }
    // A busy processor has ticks, at 100 Hz at the least.
    let interrupts =
        prazo_stats::noise::lost_to(&run).into_iter().find(|lost| lost.quantity == Quantity::NoiseInterrupt);
    assert!(interrupts.is_some_and(|lost| lost.gaps >= 10), "{:?}", prazo_stats::noise::lost_to(&run));
}

/// How long the planted thread keeps the processor each time.
const PLANTED_NS: u64 = 3_000_000;

/// Spins above the loop, on its processor, with a sleep before each time, until it is told to end; answers the shortest time.
fn plant(is_over: &Arc<AtomicBool>) -> Result<JoinHandle<u64>, Skipped> {
    let is_over = is_over.clone();
    let (tell, told) = channel();
    let spin = move || {
        let placed = scheduling::set_affinity(&CpuSet::only(Cpu::new(0).unwrap()));
        let granted = grant(Policy::Fifo { priority: 10 }, 0).map(drop);
        let refused = placed.err().map(|error| error.to_string()).or(granted.err().map(|error| format!("{error:?}")));
        let is_refused = refused.is_some();
        let _ = tell.send(refused);
        if is_refused {
            return 0;
        }
        let mut shortest_ns = u64::MAX;
        while !is_over.load(Ordering::Relaxed) {
            let _ = clock::sleep_for(90_000_000);
            let begins_ns = clock::monotonic_ns();
            while clock::monotonic_ns() < begins_ns + PLANTED_NS {}
            shortest_ns = shortest_ns.min(clock::monotonic_ns() - begins_ns);
        }
        shortest_ns
    };
    let thread = Builder::new().name("planted".into()).spawn(spin).unwrap();
    match told.recv().unwrap() {
        None => Ok(thread),
        Some(refused) => Err(skipped(Need::RealTime, refused)),
    }
}

#[test]
fn a_planted_thread_is_found_with_its_name_and_its_length() {
    let is_over = Arc::default();
    let planted = or_skip!(plant(&is_over));
    let run = split(noise_plan(Duration::from_us(100), Duration::from_ms(100), Duration::from_ms(1_000)));
    is_over.store(true, Ordering::Relaxed);
    let shortest_ns = planted.join().unwrap() as i64;
    let run = or_skip!(run);
    let found: Vec<i64> = causes(&run)
        .iter()
        .flat_map(|cause| &cause.shares)
        .filter(|share| share.name == "planted" && share.taker == Taker::Thread)
        .map(|share| share.length_ns)
        .collect();
    // It ran about ten times; one longer gap may hold several of them, or the run's end cut one.
    assert!(found.len() >= 3, "{found:?}: {:?}", causes(&run));
    // Interrupts during a time are not the thread's.
    let whole = found.iter().filter(|length_ns| **length_ns * 10 >= shortest_ns * 8).count();
    assert!(whole * 2 >= found.len(), "{found:?} of {shortest_ns} ns");
    let longest_ns = run.series[0].worst[0].latency_ns;
    assert!(longest_ns >= shortest_ns, "the loop lost at least as long at one stretch: {longest_ns} of {shortest_ns}");
}

/// Stops a run as soon as it reports progress, as Ctrl-C does.
struct StopAtOnce<'a>(&'a StopFlag);

impl Observer for StopAtOnce<'_> {
    fn progress(&mut self, _progress: &Progress) {
        self.0.stop();
    }
}

#[test]
fn a_stop_and_a_threshold_end_a_loop() {
    let hour = noise_plan(Duration::from_us(1), Duration::from_ms(50), Duration::from_s(3_600));
    let stop = StopFlag::new().unwrap();
    let run = measured_until(hour.clone(), &Root::system(), &mut StopAtOnce(&stop), &stop);
    assert_eq!(run.ending, Ending::Interrupted);
    assert_eq!(run.series[0].activations.outstanding, 0, "nothing is due");
    // At the latest a tick is longer.
    let above = Plan { stop_above: Some(Duration::from_ns(1_001)), ..hour };
    let run = measured(above, &Root::system());
    assert!(matches!(run.ending, Ending::Threshold { cpu: 0, latency_ns: 1_002.. }), "{:?}", run.ending);
}

#[test]
fn a_real_time_loop_leaves_its_processor_to_others_in_each_period() {
    let plan = noise_plan(Duration::from_us(5), Duration::from_ms(10), Duration::from_ms(400));
    let plan = Plan { policy: Policy::Fifo { priority: 2 }, ..plan };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noise.prazo");
    let request = Request { plan, file: &file, name: "noise".into(), command: "test".into() };
    let stop = StopFlag::new().unwrap();
    let run = match execute(&request, &Root::system(), &mut prazo_engine::Unobserved, &stop) {
        Err(error) => or_skip!(Err::<Run, _>(skipped(Need::RealTime, error))),
        Ok(done) => done.run,
    };
    let observed = run.noise.unwrap().cpus[0];
    // Four windows of 10 ms, each at most by its last gap longer.
    let longest = run.series[0].worst.first().map_or(0, |worst| worst.latency_ns.unsigned_abs());
    assert!(observed.observed.as_ns() <= 4 * (10_000_000 + longest), "{observed:?}");
}
