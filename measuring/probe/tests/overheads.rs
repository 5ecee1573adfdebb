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
use prazo_testing::{Skipped, or_skip};

/// Three tasks on processor 0 for a short time, with this for the machine's files.
fn measured(root: &Root, kinds: &[Quantity]) -> Result<Run, Skipped> {
    measured_for(Duration::from_ms(200), root, kinds)
}

fn measured_for(length: Duration, root: &Root, kinds: &[Quantity]) -> Result<Run, Skipped> {
    let folder = tempfile::tempdir().unwrap();
    let draw = Draw {
        tasks: 3,
        by_deadline: false,
        cpus: vec![0],
        shape: TaskAffinity::Global,
        length,
        warm_up: Duration::ZERO,
        kinds: kinds.to_vec(),
        working_sets_kib: Vec::new(),
        seed: 1,
    };
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
