//! Senders and receivers that wake each other: hackbench, as in Marsal 2013.

use super::kind::{Scene, Workload, always, no_server, nothing, words};
use prazo_platform::foreign_programs::HACKBENCH;

pub(super) const WORKLOAD: Workload = Workload {
    name: "scheduler",
    what: "Runs 40 processes that send each other small messages: wake-ups, switches and locks in the kernel.",
    source: "Marsal 2013: hackbench",
    unit: "messages from each sender to each receiver",
    first_size: 50,
    programs: &[HACKBENCH],
    prepare: nothing,
    server: no_server,
    check: always,
    command,
};

fn command(_: &Scene, size: u64) -> Vec<String> {
    words(&format!("hackbench --groups 1 --fds 20 --datasize 100 --loops {size}"))
}
