//! Computing alone: stress's cpu workers in Marsal 2013, by stress-ng.

use super::kind::{Scene, Workload, always, no_server, nothing, words};
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const WORKLOAD: Workload = Workload {
    name: "processor",
    what: "Computes with integers in one thread without system calls: the cost of ticks and interrupts.",
    source: "Marsal 2013: stress",
    unit: "bogo operations",
    first_size: 20,
    programs: &[STRESS_NG],
    prepare: nothing,
    server: no_server,
    check: always,
    command,
};

fn command(_: &Scene, size: u64) -> Vec<String> {
    words(&format!("stress-ng --cpu 1 --cpu-method int64 --cpu-ops {size} --seed 1 --quiet"))
}
