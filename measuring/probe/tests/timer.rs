//! Whole runs of the timer probe, mostly under `other`, so that they need no privilege; nothing here asks how fast.

mod common;

use common::{Kept, in_real_time, plan, probe};
use prazo_core::time::Duration;
use prazo_probe::timer::{
    Observer, Outlets, Phase, ProbeError, Progress, Sink, SinkError, StopFlag, Surroundings, Unobserved, measure,
    measure_in,
};
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy, TimerMethod, WhenLate};
use prazo_run::run::Ending;
use prazo_run::store::SeriesSecond;
use prazo_testing::or_skip;
use std::time::Instant;

fn lasting(length: Duration) -> Length {
    Length::Duration { length }
}

#[test]
fn every_method_accounts_for_every_activation() {
    for method in [TimerMethod::ClockNanosleep, TimerMethod::Nanosleep, TimerMethod::PosixTimer, TimerMethod::Timerfd] {
        let plan = Plan { method, length: lasting(Duration::from_ms(1_200)), ..plan(&[0]) };
        let (measured, kept) = probe(&plan).unwrap();
        let activations = measured.series[0].activations;
        let due = activations.due.unwrap();
        assert_eq!(due, activations.served + activations.skipped.unwrap() + activations.outstanding, "{method:?}");
        if method.has_due_grid() {
            assert_eq!(due, 1_200, "{method:?}: a grid of 1 ms has 1,200 points in 1.2 s");
        }
        assert_eq!(kept.samples[0].len() as u64, activations.served, "{method:?}");
        assert_eq!(measured.ending, Ending::Complete);
        assert_eq!(measured.caveats[0].id, "not-real-time", "{method:?}");
    }
}

#[test]
fn both_processors_are_measured_with_their_own_period_and_phase() {
    let mut plan = plan(&[0, 1]);
    or_skip!(common::two_processors());
    plan.threads[1].period = Duration::from_ms(2);
    plan.threads[1].phase = Duration::from_ms(500);
    let (measured, _) = probe(&plan).unwrap();
    let due: Vec<_> = measured.series.iter().map(|series| series.activations.due.unwrap()).collect();
    assert_eq!(due, [1_000, 250]);
    assert_eq!(measured.series[1].first_due.as_ns(), 500_000_000);
}

#[test]
fn a_count_is_served_exactly() {
    let plan = Plan { length: Length::Activations { count: 321 }, ..plan(&[0]) };
    let (measured, kept) = probe(&plan).unwrap();
    assert_eq!(measured.series[0].activations.served, 321);
    assert_eq!(kept.samples[0].len(), 321);
}

#[test]
fn a_count_is_served_exactly_behind_the_warm_up() {
    let warm_up = Duration::from_ms(300);
    let plan = Plan { length: Length::Activations { count: 321 }, warm_up, ..plan(&[0]) };
    let (measured, _) = probe(&plan).unwrap();
    assert_eq!(measured.series[0].activations.served, 321);
    let warm_up = measured.series[0].warm_up;
    assert_eq!(warm_up.due, Some(1_000), "the whole second that the warm-up lies in");
}

#[test]
fn catching_up_skips_nothing_and_numbers_every_activation() {
    for method in [TimerMethod::ClockNanosleep, TimerMethod::Timerfd, TimerMethod::PosixTimer] {
        let plan = Plan { method, when_late: WhenLate::CatchUp, ..plan(&[0]) };
        let (measured, kept) = probe(&plan).unwrap();
        assert_eq!(measured.series[0].activations.served, 1_000, "{method:?}");
        let numbers: Vec<u64> = kept.samples[0].iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (0..1_000).collect::<Vec<_>>(), "{method:?}");
    }
}

#[test]
fn a_period_too_short_is_told_and_still_adds_up() {
    for when_late in [WhenLate::Skip, WhenLate::CatchUp] {
        let mut plan = Plan { when_late, length: lasting(Duration::from_ms(200)), ..plan(&[0]) };
        plan.threads[0].period = Duration::from_us(10);
        let (measured, _) = probe(&plan).unwrap();
        let activations = measured.series[0].activations;
        assert_eq!(activations.due, Some(20_000), "{when_late:?}");
        assert_eq!(activations.served + activations.skipped.unwrap(), 20_000, "{when_late:?}");
        let is_told = measured.caveats.iter().any(|caveat| caveat.id == "period-too-short");
        assert_eq!(is_told, activations.skipped.unwrap() > activations.served, "{when_late:?}");
    }
}

#[test]
fn re_phasing_starts_a_new_grid_after_being_late() {
    let mut plan = Plan { when_late: WhenLate::RePhase, length: lasting(Duration::from_ms(300)), ..plan(&[0]) };
    plan.threads[0].period = Duration::from_us(20);
    let (measured, kept) = probe(&plan).unwrap();
    let activations = measured.series[0].activations;
    assert!(activations.served > 0 && activations.due.unwrap() <= 15_000);
    assert!(kept.samples[0].is_sorted_by(|a, b| a.0 < b.0), "numbers must rise across grids");
}

#[test]
fn everything_later_than_the_deadline_is_missed() {
    let (measured, _) = probe(&Plan { deadline: Some(Duration::from_ns(1)), ..plan(&[0]) }).unwrap();
    let activations = measured.series[0].activations;
    assert_eq!(activations.missed, Some(activations.served));
    let (measured, _) = probe(&plan(&[0])).unwrap();
    assert_eq!(measured.series[0].activations.missed, None, "without a deadline nothing is missed");
}

#[test]
fn the_duration_is_what_is_measured_and_the_warm_up_comes_before_it() {
    let plan = Plan { warm_up: Duration::from_ms(500), length: lasting(Duration::from_ms(500)), ..plan(&[0]) };
    let (measured, kept) = probe(&plan).unwrap();
    assert_eq!(measured.series[0].warm_up.due, Some(1_000), "the second partly inside the warm-up is warm-up");
    assert_eq!(measured.series[0].activations.due, Some(500));
    assert_eq!(kept.warm_up_seconds, [true, false]);
}

#[test]
fn a_threshold_ends_the_run_and_leaves_a_mark() {
    let tree = tempfile::tempdir().unwrap();
    let marker = tree.path().join("sys/kernel/tracing/trace_marker");
    std::fs::create_dir_all(marker.parent().unwrap()).unwrap();
    std::fs::write(&marker, "").unwrap();
    let plan = Plan { stop_above: Some(Duration::from_ns(1)), length: lasting(Duration::from_s(600)), ..plan(&[0]) };
    let (mut kept, stop) = (Kept::default(), StopFlag::new().unwrap());
    let outlets = Outlets { sink: &mut kept, observer: &mut Unobserved, stop: &stop };
    let measured = measure_in(&Surroundings::below(tree.path()), &plan, outlets).unwrap();
    let Ending::Threshold { cpu: 0, latency_ns } = measured.ending else { panic!("{:?}", measured.ending) };
    assert_eq!(kept.samples[0].last().unwrap().1, latency_ns, "the sample that crossed it is kept");
    let mark = std::fs::read_to_string(marker).unwrap();
    assert!(mark.contains(&format!("latency of {latency_ns} ns")), "{mark}");
    assert!(!measured.caveats.iter().any(|caveat| caveat.id == "no-trace-mark"));
    assert!(measured.caveats.iter().any(|caveat| caveat.id == "no-dma-latency"), "the tree has no /dev");
}

#[test]
fn the_user_can_stop_a_run_whatever_its_period() {
    for method in [TimerMethod::ClockNanosleep, TimerMethod::Nanosleep, TimerMethod::PosixTimer, TimerMethod::Timerfd] {
        let mut plan = Plan { method, length: lasting(Duration::from_s(100_000)), ..plan(&[0]) };
        plan.threads[0].period = Duration::from_s(3_600);
        plan.threads[0].phase = Duration::from_s(3_600);
        let (mut kept, stop) = (Kept::default(), StopFlag::new().unwrap());
        let measured = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(300));
                stop.stop();
            });
            measure(&plan, &mut kept, &mut Unobserved, &stop).unwrap()
        });
        assert_eq!(measured.ending, Ending::Interrupted, "{method:?}");
        assert_eq!(measured.series[0].activations.due, Some(0), "{method:?}");
    }
}

/// Fails on the first second, as a full disk does.
struct Full;

impl Sink for Full {
    fn second(&mut self, _batch: &SeriesSecond) -> Result<(), SinkError> {
        Err("no space left on device".into())
    }
}

#[test]
fn a_full_disk_stops_the_run_with_its_own_words() {
    let plan = Plan { length: lasting(Duration::from_s(600)), ..plan(&[0]) };
    let begun = Instant::now();
    let error = measure(&plan, &mut Full, &mut Unobserved, &StopFlag::new().unwrap()).unwrap_err();
    assert!(matches!(error, ProbeError::Sink(_)));
    assert!(error.to_string().contains("no space left on device"));
    assert!(begun.elapsed().as_secs() < 60, "the threads must not go on for ten minutes");
}

/// Keeps everything, and is slow once.
#[derive(Default)]
struct Slow(Kept);

impl Sink for Slow {
    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        if batch.at_s == 0 {
            std::thread::sleep(std::time::Duration::from_millis(2_200));
        }
        self.0.second(batch)
    }
}

#[test]
fn a_slow_disk_loses_nothing_and_the_delay_is_told() {
    let plan = Plan { length: lasting(Duration::from_s(4)), ..plan(&[0]) };
    let mut slow = Slow::default();
    let measured = measure(&plan, &mut slow, &mut Unobserved, &StopFlag::new().unwrap()).unwrap();
    let activations = measured.series[0].activations;
    assert_eq!((activations.due, activations.lost), (Some(4_000), 0));
    assert_eq!(slow.0.samples[0].len() as u64, activations.served);
    assert!(measured.recorder_delay_max > Duration::from_ms(200), "{}", measured.recorder_delay_max);
}

/// Notes what it was shown.
#[derive(Default)]
struct Watching(Vec<Progress>);

impl Observer for Watching {
    fn progress(&mut self, progress: &Progress) {
        self.0.push(progress.clone());
    }
}

#[test]
fn an_observer_sees_every_second_and_the_end() {
    let plan = Plan { length: lasting(Duration::from_ms(2_500)), ..plan(&[0]) };
    let (mut kept, mut watching) = (Kept::default(), Watching::default());
    let measured = measure(&plan, &mut kept, &mut watching, &StopFlag::new().unwrap()).unwrap();
    assert!(watching.0.len() >= 2);
    assert_eq!(watching.0[0].phase, Phase::Measuring);
    let last = watching.0.last().unwrap();
    let activations = measured.series[0].activations;
    assert_eq!((last.cpus[0].served, last.cpus[0].skipped), (activations.served, activations.skipped.unwrap()));
    assert_eq!(last.recent.total(), activations.served);
    assert!(last.cpus[0].min_ns <= last.cpus[0].last_ns && last.cpus[0].last_ns <= last.cpus[0].max_ns);
}

#[test]
fn timer_slack_is_set_read_back_and_recorded() {
    let plan = Plan { timer_slack: Some(Duration::from_us(7)), ..plan(&[0]) };
    let (measured, _) = probe(&plan).unwrap();
    let slack = measured.tunables.iter().find(|tunable| tunable.knob.contains("TIMERSLACK")).unwrap();
    assert_eq!((slack.requested.as_str(), slack.effective.as_deref()), ("7000 ns", Some("7000 ns")));
    let affinity = measured.tunables.iter().find(|tunable| tunable.knob.contains("thread on processor 0")).unwrap();
    assert_eq!(affinity.effective.as_deref(), Some("0"));
}

#[test]
fn a_processor_that_is_not_there_is_a_usage_error() {
    let error = probe(&plan(&[1_000])).unwrap_err();
    assert!(matches!(error, ProbeError::Plan(_)));
    assert!(error.to_string().starts_with("--cpus: processor 1000 does not exist"), "{error}");
}

#[test]
fn real_time_policies_are_granted_and_read_back_needs_root() {
    let deadline = Policy::Deadline { runtime: Duration::from_us(200) };
    for policy in [Policy::Fifo { priority: 5 }, Policy::Rr { priority: 5 }, deadline] {
        let plan = Plan { policy, ..plan(&[0]) };
        let (measured, _) = or_skip!(in_real_time(probe(&plan)));
        let granted = measured.tunables.iter().find(|tunable| tunable.knob.contains("sched_setattr")).unwrap();
        assert!(granted.effective.as_ref().unwrap().starts_with(policy.name()), "{granted:?}");
        assert!(!measured.caveats.iter().any(|caveat| caveat.id == "not-real-time"));
        assert_eq!(measured.series[0].activations.due, Some(1_000));
    }
}

/// A count that depends on no noise: faults inside the loop, and switches for each activation.
#[test]
fn the_loop_faults_never_and_blocks_at_most_once_an_activation_needs_root() {
    let plan = Plan { policy: Policy::Fifo { priority: 5 }, ..plan(&[0]) };
    let (measured, _) = or_skip!(in_real_time(probe(&plan)));
    let check = measured.self_checks[0];
    assert_eq!((check.minor_faults, check.major_faults), (0, 0));
    assert_eq!(check.waits, check.served, "one sleep call an activation");
    assert!(check.voluntary_switches <= check.served, "one voluntary switch an activation: {check:?}");
}

/// Sends SIGUSR1 to the measuring threads themselves, of which the kernel prefers the one that it is sent to.
struct Asks(Kept);

impl Sink for Asks {
    fn prepared(&mut self, thread_ids: &[i32], _start_ns: u64) {
        let thread_ids = thread_ids.to_vec();
        std::thread::spawn(move || {
            for _ in 0..20 {
                std::thread::sleep(std::time::Duration::from_millis(40));
                let ids: Vec<String> = thread_ids.iter().map(i32::to_string).collect();
                // A thread that has ended is not there to be asked.
                let _ = std::process::Command::new("kill").arg("-USR1").args(ids).status();
            }
        });
    }

    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        self.0.second(batch)
    }
}

#[derive(Default)]
struct AskedFor(u32);

impl Observer for AskedFor {
    fn progress(&mut self, progress: &Progress) {
        self.0 += u32::from(progress.is_asked_for);
    }
}

#[test]
fn who_asks_for_figures_interrupts_no_measuring_thread() {
    let (mut sink, mut observer) = (Asks(Kept::default()), AskedFor::default());
    let stop = StopFlag::on_interrupt().unwrap();
    let plan = Plan { length: lasting(Duration::from_s(1)), ..plan(&[0]) };
    let outlets = Outlets { sink: &mut sink, observer: &mut observer, stop };
    let measured = measure_in(&Surroundings::default(), &plan, outlets).unwrap();
    let check = &measured.self_checks[0];
    assert_eq!(check.waits, check.served, "a wait was interrupted");
    assert!(observer.0 > 3, "figures were shown {} times", observer.0);
    assert_eq!(measured.ending, Ending::Complete);
}
