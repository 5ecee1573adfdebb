//! Workloads in Linux guests of the lab: the same seed gives the same accounts, to the last instruction.
//!
//! It takes the fetched kernels and the built agent (`./test` has both); without, it says so and shows nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod lab_support;
mod support;

use prazo_lab::{Cache, Fetch, Lab, Part};
use prazo_run::Run;
use prazo_run::run::Ending;
use prazo_run::workload::WorkloadRecord;
use prazo_study::guest::{self, GuestRequest};
use prazo_study::{CellSource, RemoteTarget, Study, matrix};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use std::path::Path;

const STUDY: &str = r#"
[study]
name = "small"
title = "One small workload"
question = "Does it repeat itself?"
seed = 11
[[platform]]
id = "none"
on = "lab:standard-none"
[[platform]]
id = "rt"
on = "lab:rt-full"
[[workload]]
name = "scheduler"
size = 2
[[workload]]
name = "archive"
size = 1
[[probe]]
id = "fifo"
policy = "fifo"
period = "500us"
[[measure]]
platforms = ["none"]
workloads = ["scheduler"]
[[measure]]
platforms = ["rt"]
workloads = ["scheduler", "archive"]
probes = ["fifo"]
"#;

/// Everything that guests take; a skip where something is missing and cannot be fetched.
fn lab() -> Result<Lab, Skipped> {
    lab_support::emulator()?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    fetch().and_then(|()| Lab::find()).or_skipped(Need::Lab)
}

/// The first run of a cell of [`STUDY`].
fn measured(lab: &Lab, cell: &str, file: &Path) -> Run {
    let study = Study::parse("small.toml", STUDY).unwrap();
    let found = matrix::cells(&study, &support::here()).into_iter().find(|found| found.id == cell).unwrap();
    let CellSource::Measure { on: Some(RemoteTarget::Guest(platform)), mut plans, .. } = found.source else {
        panic!("{found:?}")
    };
    let (plan, name) = (plans.swap_remove(0), file.file_stem().unwrap().to_string_lossy().into_owned());
    let request = GuestRequest { platform, plan, file, name, command: "a test".into(), limit: None };
    guest::measure(&request, lab, &|| false).unwrap_or_else(|error| panic!("{cell}: {error}"))
}

/// Both at the same time, so that neither has the host for itself.
fn twice(lab: &Lab, cell: &str) -> [Run; 2] {
    let folder = tempfile::tempdir().unwrap();
    let files = ["one.prazo", "other.prazo"].map(|file| folder.path().join(file));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| measured(lab, cell, &files[1]));
        [measured(lab, cell, &files[0]), other.join().unwrap()]
    })
}

#[test]
fn the_same_seed_gives_the_same_accounts_alone_and_beside_a_probe() {
    let lab = or_skip!(lab());
    for cell in ["none.cost.alone", "rt.cost.fifo"] {
        let [one, other] = twice(&lab, cell);
        eprintln!("{cell}: {:?}", one.workloads);
        let workload = &one.workloads[0];
        assert_eq!((workload.name.as_str(), workload.size), ("scheduler", 2));
        assert_eq!(workload.get("processes"), Some(41), "hackbench and its 40");
        let missing = |name: &&&str| workload.get(name).is_none();
        let wanted =
            ["wall_ns", "user_ns", "run_queue_wait_ns", "blocked_ns", "io_wait_ns", "voluntary_switches", "busy_ns"];
        assert_eq!(wanted.iter().find(missing), None, "{:?}", workload.figures);
        let (executed, busy) = (workload.executed_ns().unwrap(), workload.get("busy_ns").unwrap());
        assert!(busy >= executed, "the guest ran {busy} ns, of which {executed} were the command's");
        assert_eq!(one.workloads, other.workloads, "{cell}");
        assert_eq!(one.ending, Ending::Complete);
        assert_eq!(one.series.is_empty(), cell == "none.cost.alone");
        assert_eq!(one.series, other.series, "{cell}");
        one.workloads.get(1).inspect(|archive| nothing_of_ours_holds_up(archive));
    }
}

/// Three processes that only compute: what the guest idled meanwhile, they were made to wait. Under PREEMPT_RT event
/// counters would do that at the end of each.
fn nothing_of_ours_holds_up(archive: &WorkloadRecord) {
    let (wall_ns, busy_ns) = (archive.get("wall_ns").unwrap(), archive.get("busy_ns").unwrap());
    let idle_ns = wall_ns.saturating_sub(busy_ns);
    assert_eq!(archive.get("processes"), Some(3), "{archive:?}");
    assert!(idle_ns * 10 < wall_ns, "the guest idled {idle_ns} ns of {wall_ns} ns");
    assert_eq!(archive.get("migrations"), None, "nothing is counted in guests");
}
