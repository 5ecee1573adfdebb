//! Whole runs of the overheads probe where a kernel hides what it does; the tasks run all the same.

mod common;

use common::in_real_time;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_probe::overheads::Draw;
use prazo_probe::session::{Request, SessionError, execute};
use prazo_probe::timer::{StopFlag, Unobserved};
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_run::source::TaskAffinity;
use prazo_sys::deadline_bandwidth::wait_before_reading;
use prazo_sys::scheduling::{SCHED_DEADLINE, SchedAttr, set_attributes, usable_cpus};
use prazo_testing::{Need, Skipped, or_skip, skip};

/// Three tasks on processor 0 for a short time, with this for the machine's files.
fn measured(root: &Root, kinds: &[Quantity]) -> Result<Run, Skipped> {
    measured_for(Duration::from_ms(200), root, kinds)
}

fn measured_for(length: Duration, root: &Root, kinds: &[Quantity]) -> Result<Run, Skipped> {
    drawn(&draw(length, kinds), root)
}

fn draw(length: Duration, kinds: &[Quantity]) -> Draw {
    Draw {
        tasks: 3,
        by_deadline: false,
        cpus: vec![0],
        shape: TaskAffinity::Global,
        length,
        warm_up: Duration::ZERO,
        kinds: kinds.to_vec(),
        working_sets_kib: Vec::new(),
        seed: 1,
    }
}

fn drawn(draw: &Draw, root: &Root) -> Result<Run, Skipped> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("overheads.prazo");
    let request = Request { plan: draw.plan(), file: &file, name: "overheads".into(), command: "test".into() };
    match execute(&request, root, &mut Unobserved, &StopFlag::new().unwrap()) {
        Err(SessionError::Probe(error)) => in_real_time(Err(error)),
        recorded => Ok(recorded.unwrap().run),
    }
}

#[test]
fn under_a_kernel_without_btf_no_kind_has_figures_and_each_says_why() {
    let tree = tempfile::tempdir().unwrap();
    let run = or_skip!(measured(&Root::at(tree.path()), &[Quantity::ReleaseOverhead, Quantity::TickOverhead]));
    let traced = run.overheads.as_ref().expect("it was asked for");
    for kind in [Quantity::ReleaseOverhead, Quantity::TickOverhead, Quantity::SchedulingOverhead] {
        let reason = traced.kind(kind).and_then(|kind| kind.untraced.clone()).expect("a reason");
        assert!(!reason.is_empty());
        assert_eq!(run.of(kind).map(|series| series.histogram.total()).sum::<u64>(), 0, "{kind:?}");
    }
    let caveat = run.caveats.iter().find(|caveat| caveat.id == "not-traced").expect("it says so");
    assert!(caveat.remedy.contains("CONFIG_DEBUG_INFO_BTF"), "{caveat:?}");
    let jobs = run.of(Quantity::ResponseLatency).next().expect("the tasks' own series");
    assert!(jobs.histogram.total() > 0 && traced.jobs_served == jobs.histogram.total());
}

#[test]
fn an_untraced_run_claims_nothing_of_the_kernel() {
    let run = or_skip!(measured(&Root::system(), &[]));
    assert!(run.overheads.is_none() && !run.has_caveat("not-traced") && !run.has_caveat("tracing-cost"));
    assert!(run.of(Quantity::ResponseLatency).next().is_some_and(|series| series.histogram.total() > 0));
}

/// Threads of this process under SCHED_FIFO.
fn real_time_threads() -> Vec<String> {
    let is_fifo = |id: &String| {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(38)) == Some("1")
    };
    let entries = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_fifo).collect()
}

#[test]
fn a_policy_that_is_taken_from_a_task_is_a_caveat_with_its_time() {
    let taken = std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_secs(1));
        for id in real_time_threads() {
            // One that ended meanwhile has nothing to be taken.
            let _ = std::process::Command::new("chrt").args(["-o", "-p", "0", &id]).status();
        }
    });
    let run = or_skip!(measured_for(Duration::from_s(2), &Root::system(), &[]));
    taken.join().unwrap();
    let caveat =
        run.caveats.iter().find(|caveat| caveat.id == "policy-changed").unwrap_or_else(|| panic!("{:?}", run.caveats));
    assert!(caveat.what.contains("the policy of task ") && caveat.what.contains("after the start"), "{}", caveat.what);
}

/// Reading its limits makes a newer kernel count the bandwidth of deadline threads anew, and each run reads them as it ends.
#[test]
fn deadline_tasks_are_admitted_again_when_those_of_a_run_have_just_ended() {
    let cpus: Vec<u32> = usable_cpus().unwrap().iter().map(|cpu| cpu.number()).collect();
    let draw = Draw { tasks: 5, by_deadline: true, cpus, ..draw(Duration::from_ms(200), &[]) };
    or_skip!(drawn(&draw, &Root::system()));
    for _ in 0..3 {
        assert!(drawn(&draw, &Root::system()).is_ok(), "refused");
    }
}

#[test]
fn a_deadline_thread_is_admitted_although_reading_the_limit_lost_count() {
    const PERIOD: std::time::Duration = std::time::Duration::from_millis(40);
    // Computes for half of its budget and ends.
    let compute = || {
        let ended = std::thread::spawn(|| {
            let [runtime_ns, period_ns] = [PERIOD / 2, PERIOD].map(|time| time.as_nanos() as u64);
            let attr = SchedAttr {
                policy: SCHED_DEADLINE,
                runtime_ns,
                deadline_ns: period_ns,
                period_ns,
                ..SchedAttr::default()
            };
            let answer = set_attributes(&attr);
            let begin = std::time::Instant::now();
            while answer.is_ok() && begin.elapsed() < PERIOD / 4 {}
            answer
        });
        ended.join().unwrap()
    };
    if let Err(error) = compute() {
        skip!(Need::DeadlineAdmission, "{error}");
    }
    for _ in 0..4 {
        std::fs::read("/proc/sys/kernel/sched_rt_runtime_us").unwrap();
        // Until the bandwidth of the thread that ended is subtracted.
        std::thread::sleep(PERIOD);
        compute().expect("it is admitted");
    }
    let wait = |path: &str| {
        let begin = std::time::Instant::now();
        wait_before_reading(std::path::Path::new(path));
        begin.elapsed()
    };
    assert!(wait("/proc/sys/kernel/sched_rr_timeslice_ms") < PERIOD / 2, "nothing is counted anew");
    // Another test of this process may read the file first, and wait instead.
    let waits = |_| compute().is_ok() && wait("/proc/sys/kernel/sched_rt_period_us") >= PERIOD;
    assert!((0..3).any(waits), "it waits for a period");
}
