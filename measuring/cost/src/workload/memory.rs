//! Memory written, read and mapped anew: stress's vm workers in Marsal 2013, by stress-ng.

use super::kind::{Scene, Workload, always, no_server, nothing, words};
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const WORKLOAD: Workload = Workload {
    name: "memory",
    what: "Maps, writes and reads 64 MiB repeatedly: page faults and caches.",
    source: "Marsal 2013: stress",
    unit: "bogo operations",
    first_size: 10,
    programs: &[STRESS_NG],
    prepare: nothing,
    server: no_server,
    check: always,
    command,
};

fn command(_: &Scene, size: u64) -> Vec<String> {
    words(&format!("stress-ng --vm 1 --vm-bytes 64m --vm-method write64 --vm-ops {size} --seed 1 --quiet"))
}
