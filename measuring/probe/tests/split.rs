//! Whole runs whose latencies are split by BPF, where this user and kernel allow it; nothing here asks how fast.

mod common;

use common::plan;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_probe::session::{Request, execute};
use prazo_probe::timer::{StopFlag, Unobserved};
use prazo_run::plan::{Length, Policy, Splitting, TimerMethod, WhenLate};
use prazo_run::run::Quantity;
use prazo_run::{Caveat, Plan, Run, Series};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip, skip, skipped};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

fn measured(plan: Plan) -> Run {
    measured_below(&Root::system(), plan)
}

/// With this for the machine's files.
fn measured_below(root: &Root, plan: Plan) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("split.prazo");
    let request = Request { plan, file: &file, name: "split".into(), command: "test".into() };
    execute(&request, root, &mut Unobserved, &StopFlag::new().unwrap()).unwrap().run
}

/// The run, unless this user, kernel or build cannot split, which is said loudly.
fn split(plan: Plan) -> Result<Run, Skipped> {
    split_for(Duration::from_ms(700), plan)
}

fn split_for(length: Duration, plan: Plan) -> Result<Run, Skipped> {
    let run = measured(Plan { length: Length::Duration { length }, ..plan });
    match run.caveats.iter().find(|caveat| caveat.id == "not-split") {
        Some(caveat) => {
            assert!(run.series.iter().all(|series| series.split.is_none()), "what was not split claims nothing");
            Err(skipped(Need::Tracing, &caveat.what))
        }
        None => Ok(run),
    }
}

fn sum_ns(series: &Series) -> i128 {
    series.histogram.cells().map(|(value, count)| i128::from(value) * i128::from(count)).sum()
}

fn part(series: &Series, quantity: Quantity) -> &Series {
    let split = series.split.as_deref().expect("every series is split");
    split.parts.iter().find(|part| part.quantity == quantity).expect("the part is there")
}

/// Every activation is accounted for, and most were split.
fn assert_adds_up(series: &Series, what: &str) {
    let split = series.split.as_deref().expect("every series is split");
    assert_eq!(split.counts.served(), series.activations.served, "{what}: {:?}", split.counts);
    for part in &split.parts {
        assert_eq!(part.histogram.total(), split.counts.split, "{what}: {:?}", part.quantity);
    }
    assert!(split.counts.split > 0, "{what}: {:?}", split.counts);
}

#[test]
fn every_wake_up_of_every_method_is_split_or_counted() {
    for method in [TimerMethod::ClockNanosleep, TimerMethod::Nanosleep, TimerMethod::PosixTimer, TimerMethod::Timerfd] {
        let run = or_skip!(split(Plan { method, split: Splitting::Parts, ..plan(&[0]) }));
        assert_adds_up(&run.series[0], method.name());
        let counts = &run.series[0].split.as_deref().unwrap().counts;
        // A burst of foreign signals could explain a few; a method that is not understood would have them all.
        assert!(counts.unsplit_total() * 20 < counts.served(), "{}: {counts:?}", method.name());
    }
}

#[test]
fn the_parts_of_what_was_split_add_up_to_the_whole() {
    let bound = Plan { split: Splitting::Parts, when_late: WhenLate::Skip, ..plan(&[0]) };
    let run = or_skip!(split(bound));
    let series = &run.series[0];
    let (interrupt, activation) = (part(series, Quantity::InterruptLatency), part(series, Quantity::ActivationLatency));
    let inner = [Quantity::Handling, Quantity::WakeupLatency, Quantity::OwnStamp].map(|of| sum_ns(part(series, of)));
    assert_eq!(inner.iter().sum::<i128>(), sum_ns(activation));
    let whole = sum_ns(part(series, Quantity::TimerSlack)) + sum_ns(interrupt) + sum_ns(activation);
    if series.split.as_deref().unwrap().counts.split == series.activations.served {
        assert_eq!(whole, sum_ns(series));
    } else {
        assert!(whole < sum_ns(series));
    }
}

#[test]
fn an_ordinary_thread_has_its_slack_apart_and_a_real_time_one_has_none() {
    // A busy machine can keep an ordinary thread late for many milliseconds, in which it never sleeps and has no slack.
    let mut slack = Plan { timer_slack: Some(Duration::from_us(200)), split: Splitting::Parts, ..plan(&[0]) };
    slack.threads[0].period = Duration::from_ms(20);
    let run = or_skip!(split_for(Duration::from_s(3), slack));
    let slack = part(&run.series[0], Quantity::TimerSlack);
    let (largest_ns, _) = slack.histogram.cells().next_back().unwrap();
    assert_eq!(largest_ns, 200_000, "what the hardware timer was programmed for");
    let fifo = Plan { policy: Policy::Fifo { priority: 80 }, split: Splitting::Parts, ..plan(&[0]) };
    let run = or_skip!(split(fifo));
    let has_slack = |split: &prazo_run::split::Split| split.parts.iter().any(|p| p.quantity == Quantity::TimerSlack);
    assert!(!has_slack(run.series[0].split.as_deref().unwrap()));
}

#[test]
fn both_processors_carry_the_causes_of_their_worst() {
    or_skip!(common::two_processors());
    let run = or_skip!(split(Plan { split: Splitting::Causes, ..plan(&[0, 1]) }));
    for series in &run.series {
        assert_adds_up(series, "both");
        let causes = &series.split.as_deref().unwrap().causes;
        assert!(!causes.is_empty());
        let worst: Vec<_> = series.worst.iter().take(causes.len()).map(|worst| worst.latency_ns).collect();
        assert_eq!(causes.iter().map(|cause| cause.sample.latency_ns).collect::<Vec<_>>(), worst);
        for cause in causes {
            let taken: i64 = cause.shares.iter().map(|share| share.length_ns).sum();
            assert_eq!(taken, cause.sample.latency_ns, "{}", cause.sentence);
        }
        eprintln!("{}", causes[0].sentence);
    }
}

#[test]
fn under_a_kernel_that_does_not_describe_its_structures_the_run_is_whole_and_says_so() {
    let tree = tempfile::tempdir().unwrap();
    let length = Length::Duration { length: Duration::from_ms(200) };
    let run = measured_below(&Root::at(tree.path()), Plan { length, split: Splitting::Causes, ..plan(&[0]) });
    let why = run.caveats.iter().find(|caveat| caveat.id == "not-split").expect("it says that it was not split");
    assert!(why.remedy.contains("CONFIG_DEBUG_INFO_BTF") || why.remedy.contains("clang"), "{why:?}");
    assert!(run.series[0].activations.served > 0 && run.series[0].split.is_none());
    assert_eq!(run.series[0].histogram.total(), run.series[0].activations.served);
}

#[test]
fn a_run_that_asks_for_no_split_has_none() {
    let run = measured(plan(&[0]));
    assert!(run.series[0].split.is_none() && !run.has_caveat("split-cost") && !run.has_caveat("not-split"));
}

/// Measures in this process's place; its parent says as whom, and for how long.
#[test]
#[ignore = "started by the tests below, as a process of its own"]
fn a_run_in_a_process_of_its_own() {
    let seconds = std::env::var("PRAZO_SPLIT_SECONDS").map_or(1, |text| text.parse().unwrap());
    let length = Length::Duration { length: Duration::from_s(seconds) };
    let run = measured(Plan { length, split: Splitting::Causes, ..plan(&[0]) });
    for caveat in run.caveats.iter().filter(|caveat| caveat.id == "not-split") {
        println!("\nnot split, served {}: {}; {}", run.series[0].activations.served, caveat.what, caveat.remedy);
    }
}

fn in_a_process_of_its_own(seconds: u32) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_run_in_a_process_of_its_own", "--ignored", "--nocapture"]);
    command.env("PRAZO_SPLIT_SECONDS", seconds.to_string()).stdin(Stdio::null());
    command
}

#[test]
fn as_root_without_privileges_the_run_is_whole_and_says_that_it_was_not_split() {
    let output = in_a_process_of_its_own(1).uid(65_534).gid(65_534).output();
    let output = or_skip!(output.or_skipped(Need::Root));
    let printed = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    if complained.contains("Policy(Refusal") {
        // Whoever was made less important (nice) may not take that back without a privilege.
        skip!(Need::Root, "even the policy 'other' was refused to this user");
    }
    assert!(output.status.success(), "{printed}{complained}");
    let line = printed.lines().find(|line| line.starts_with("not split")).unwrap_or_else(|| panic!("{printed}"));
    assert!(!line.contains("served 0:"), "{line}");
    assert!(line.contains("as root") || line.contains("built without BPF"), "{line}");
}

/// The numbers of the programs that a process holds, as the kernel tells of its file descriptors.
fn programs_of(process: u32) -> BTreeSet<u32> {
    let Ok(folder) = std::fs::read_dir(format!("/proc/{process}/fdinfo")) else { return BTreeSet::new() };
    let texts = folder.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    let number = |text: String| text.lines().find_map(|line| line.strip_prefix("prog_id:")?.trim().parse().ok());
    texts.filter_map(number).collect()
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed().as_secs() < 60, "{what} within a minute");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_killed_run_leaves_no_program_in_the_kernel() {
    let _split = or_skip!(split(Plan { split: Splitting::Parts, ..plan(&[0]) }));
    let mut child = in_a_process_of_its_own(600).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Three of the split and at least six of the events.
    let programs = wait_for("the programs are attached", || Some(programs_of(child.id())).filter(|all| all.len() >= 9));
    let loaded = || -> BTreeSet<u32> {
        aya::programs::loaded_programs().filter_map(|program| program.ok().map(|program| program.id())).collect()
    };
    assert!(programs.is_subset(&loaded()));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the kernel drops them", || programs.is_disjoint(&loaded()).then_some(()));
}

/// Ended however the test ends.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_time_thread_that_runs_above_the_measuring_one_for_a_moment_is_named_needs_root() {
    // A few milliseconds, and it is gone: nobody who looks four times a second need see it.
    // It sleeps once, since it takes its policy while it runs, and is noted when a processor switches to it.
    const BURST: &str = "sleep 0.01; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done";
    // One burst after the other: on a busy machine nobody knows when the measuring begins, and what ran before is no news.
    let measuring = AtomicBool::new(true);
    let (run, bursts) = std::thread::scope(|scope| {
        let bursts = scope.spawn(|| {
            let mut bursts = vec![];
            while measuring.load(Ordering::Relaxed) {
                let words = ["-c", "0", "chrt", "-f", "99", "sh", "-c", BURST];
                bursts.push(Ended(Command::new("taskset").args(words).spawn().unwrap()));
                std::thread::sleep(std::time::Duration::from_millis(250));
            }
            bursts
        });
        let fifo = Plan { split: Splitting::Causes, policy: Policy::Fifo { priority: 10 }, ..plan(&[0]) };
        let run = split_for(Duration::from_s(3), fifo);
        measuring.store(false, Ordering::Relaxed);
        (run, bursts.join().unwrap())
    });
    let run = or_skip!(run);
    let named: Vec<String> =
        bursts.iter().map(|burst| format!("(thread {}), real-time priority 99", burst.0.id())).collect();
    let is_named = |caveat: &&Caveat| named.iter().any(|name| caveat.what.contains(name));
    let found = run.caveats.iter().filter(|caveat| caveat.id == "foreign-real-time-ran").find(is_named);
    let caveat = found.unwrap_or_else(|| panic!("none of {named:?}: {:?}", run.caveats));
    assert!(caveat.what.contains("first on processor 0, "), "{}", caveat.what);
}
