//! Whole runs of the wake-up probe, mostly under `other`, so that they need no privilege; nothing here asks how fast.

mod common;

use common::{Kept, has_two_processors, in_real_time, plan};
use prazo_core::time::Duration;
use prazo_engine::{Measured, Observer, Outlets, ProbeError, Progress, StopFlag, Surroundings, Unobserved};
use prazo_probe::wakeup::Pairs;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Ending, Quantity};
use prazo_run::source::{Source, WakeMethod, WakerCpu, WakeupSource};
use prazo_testing::or_skip;

const METHODS: [WakeMethod; 9] = [
    WakeMethod::Futex,
    WakeMethod::Mutex,
    WakeMethod::Condvar,
    WakeMethod::Semaphore,
    WakeMethod::SysvSemaphore,
    WakeMethod::Mqueue,
    WakeMethod::Pipe,
    WakeMethod::Eventfd,
    WakeMethod::Signal,
];

/// Those, and the method that moves the thread where there is a processor to move to.
fn methods() -> Vec<WakeMethod> {
    METHODS.into_iter().chain(has_two_processors().then_some(WakeMethod::Migrate)).collect()
}

fn woken_by(method: WakeMethod, waker_cpu: WakerCpu) -> WakeupSource {
    WakeupSource { method, inherit: false, waker_cpu, waker_policy: Policy::Other }
}

fn run(plan: &Plan, source: &WakeupSource) -> Result<(Measured, Kept), ProbeError> {
    run_until(plan, source, &mut Unobserved, &StopFlag::new().unwrap())
}

fn run_until(
    plan: &Plan,
    source: &WakeupSource,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<(Measured, Kept), ProbeError> {
    let plan = Plan { source: Source::Wakeup(source.clone()), ..plan.clone() };
    let (mut kept, pairs) = (Kept::default(), Pairs::new(source).unwrap());
    let outlets = Outlets { sink: &mut kept, observer, stop };
    let measured = prazo_engine::measure(&Surroundings::default(), &plan, &pairs, outlets)?;
    Ok((measured, kept))
}

/// Due activations; each was served, skipped or outstanding, and none is later than its own stamp.
#[track_caller]
fn due(measured: &Measured, kept: &Kept) -> u64 {
    let activations = measured.series[0].activations;
    let (due, skipped) = (activations.due.unwrap(), activations.skipped.unwrap());
    assert_eq!(due, activations.served + skipped + activations.outstanding);
    assert_eq!(kept.samples[0].len() as u64, activations.served);
    assert!(kept.samples[0].iter().all(|(_, latency_ns)| *latency_ns >= 0), "a thread ran before it was woken");
    assert!(kept.samples[0].is_sorted_by_key(|(number, _)| *number));
    due
}

#[test]
fn every_method_accounts_for_every_wake() {
    let places: &[WakerCpu] = if has_two_processors() { &[WakerCpu::Same, WakerCpu::Other] } else { &[WakerCpu::Same] };
    for (method, place) in methods().iter().flat_map(|method| places.iter().map(move |place| (*method, *place))) {
        let plan = Plan { length: Length::Duration { length: Duration::from_ms(400) }, ..plan(&[0]) };
        let (measured, kept) = run(&plan, &woken_by(method, place)).unwrap();
        assert_eq!(due(&measured, &kept), 400, "{method:?} {place:?}: a grid of 1 ms has 400 points in 0.4 s");
        assert_eq!(measured.ending, Ending::Complete);
        let knobs =
            measured.tunables.iter().filter(|record| record.knob.contains("wakes the measured thread on processor 0"));
        assert_eq!(knobs.count(), 2, "place and policy of the waking thread");
    }
}

#[test]
fn a_count_is_served_exactly_by_every_method() {
    for method in methods() {
        let plan = Plan { length: Length::Activations { count: 77 }, ..plan(&[0]) };
        let (measured, kept) = run(&plan, &woken_by(method, WakerCpu::Same)).unwrap();
        assert_eq!(measured.series[0].activations.served, 77, "{method:?}");
        assert!(due(&measured, &kept) >= 77);
    }
}

#[test]
fn a_period_that_nobody_keeps_skips_and_counts() {
    let mut plan = Plan { length: Length::Duration { length: Duration::from_ms(200) }, ..plan(&[0]) };
    plan.threads[0].period = Duration::from_us(1);
    for method in [WakeMethod::Futex, WakeMethod::Mutex, WakeMethod::Signal] {
        let (measured, kept) = run(&plan, &woken_by(method, WakerCpu::Same)).unwrap();
        assert_eq!(due(&measured, &kept), 200_000, "{method:?}");
        assert!(measured.caveats.iter().any(|caveat| caveat.id == "wakes-skipped"), "{method:?}");
        assert!(measured.caveats.iter().any(|caveat| caveat.id == "period-too-short"), "{method:?}");
    }
}

/// Stops a run as soon as it reports progress, as Ctrl-C does.
struct StopAtOnce<'a>(&'a StopFlag);

impl Observer for StopAtOnce<'_> {
    fn progress(&mut self, _progress: &Progress) {
        self.0.stop();
    }
}

#[test]
fn a_stop_ends_every_method_long_before_the_next_wake() {
    let mut plan = Plan { length: Length::Duration { length: Duration::from_s(3_600) }, ..plan(&[0]) };
    plan.threads[0].period = Duration::from_s(600);
    for method in methods() {
        let stop = StopFlag::new().unwrap();
        let source = woken_by(method, WakerCpu::Same);
        let (measured, kept) = run_until(&plan, &source, &mut StopAtOnce(&stop), &stop).unwrap();
        assert_eq!(measured.ending, Ending::Interrupted, "{method:?}");
        assert!(kept.samples.is_empty() || due(&measured, &kept) == 1, "{method:?}: the next is due in ten minutes");
    }
}

#[test]
fn a_threshold_ends_every_method() {
    for method in methods() {
        let plan = Plan { stop_above: Some(Duration::from_ns(1)), ..plan(&[0]) };
        let (measured, kept) = run(&plan, &woken_by(method, WakerCpu::Same)).unwrap();
        assert!(matches!(measured.ending, Ending::Threshold { cpu: 0, .. }), "{method:?}: {:?}", measured.ending);
        due(&measured, &kept);
    }
}

#[test]
fn pairs_on_two_processors_wake_across_with_inheritance() {
    or_skip!(common::two_processors());
    let plan =
        Plan { policy: Policy::Fifo { priority: 2 }, length: Length::Activations { count: 300 }, ..plan(&[0, 1]) };
    for method in [WakeMethod::Mutex, WakeMethod::Condvar] {
        let waker_policy = Policy::Fifo { priority: 1 };
        let source = WakeupSource { inherit: true, waker_policy, ..woken_by(method, WakerCpu::Other) };
        let (measured, kept) = or_skip!(in_real_time(run(&plan, &source)));
        due(&measured, &kept);
        assert_eq!(measured.series[1].activations.served, 300, "{method:?}");
        let place = measured.tunables.iter().find(|record| {
            record.knob.contains("sched_setaffinity of the thread that wakes the measured thread on processor 0")
        });
        assert_eq!(place.unwrap().effective.as_deref(), Some("1"), "{method:?}");
    }
}

#[test]
fn a_thread_that_moves_itself_has_no_changed_affinity() {
    or_skip!(common::two_processors());
    let plan = Plan { length: Length::Duration { length: Duration::from_ms(1_500) }, ..plan(&[0, 1]) };
    let (measured, kept) = run(&plan, &woken_by(WakeMethod::Migrate, WakerCpu::Same)).unwrap();
    due(&measured, &kept);
    assert_eq!(Source::Wakeup(woken_by(WakeMethod::Migrate, WakerCpu::Same)).quantity(), Quantity::MigrationLatency);
    assert!(measured.series.iter().all(|series| series.activations.served > 0));
    let ids: Vec<&str> = measured.caveats.iter().map(|caveat| caveat.id.as_str()).collect();
    assert!(!ids.contains(&"affinity-changed"), "{ids:?}");
}

#[test]
fn the_scheduler_pushes_a_thread_whose_processor_is_taken_needs_root() {
    or_skip!(common::two_processors());
    let mut plan =
        Plan { policy: Policy::Fifo { priority: 2 }, length: Length::Activations { count: 200 }, ..plan(&[0, 1]) };
    plan.threads[1].phase = Duration::from_us(500);
    let source =
        WakeupSource { waker_policy: Policy::Fifo { priority: 3 }, ..woken_by(WakeMethod::Push, WakerCpu::Same) };
    let (measured, kept) = or_skip!(in_real_time(run(&plan, &source)));
    due(&measured, &kept);
    assert!(measured.series.iter().all(|series| series.activations.served == 200));
    let ids: Vec<&str> = measured.caveats.iter().map(|caveat| caveat.id.as_str()).collect();
    assert!(!ids.contains(&"affinity-changed"), "{ids:?}");
}
