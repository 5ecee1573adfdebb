//! A TCP stream over loopback: netperf's TCP_STREAM in Marsal 2013, here by iperf3.

use super::kind::{Scene, Workload, always, nothing, words};
use prazo_platform::foreign_programs::IPERF3;

pub(super) const WORKLOAD: Workload = Workload {
    name: "net-stream",
    what: "Sends a TCP stream over loopback: system calls, copies and network softirqs. Measures the sender.",
    source: "Marsal 2013: netperf",
    unit: "megabytes",
    first_size: 64,
    programs: &[IPERF3],
    prepare: nothing,
    server,
    check: always,
    command,
};

fn server(scene: &Scene) -> Vec<String> {
    words(&format!("iperf3 --server --bind 127.0.0.1 --port {} --interval 0", scene.port))
}

fn command(scene: &Scene, size: u64) -> Vec<String> {
    words(&format!("iperf3 --client 127.0.0.1 --port {} --interval 0 --bytes {size}M", scene.port))
}
