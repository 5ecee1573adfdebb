//! Requests and responses over one TCP connection: netperf's TCP_RR in papers/003, here by redis' benchmark.
//!
//! netperf is not free software in Debian, and the free programs of its kind run for a time, not for a number of requests.

use super::program::{REDIS_BENCHMARK, REDIS_SERVER};
use super::{Scene, Workload, nothing, words};

pub(super) const WORKLOAD: Workload = Workload {
    name: "net-request",
    what: "One request after the other over one TCP connection: wake-ups, switches and short packets; the client's side is costed.",
    source: "papers/003: netperf",
    unit: "requests",
    first_size: 2_000,
    programs: &[REDIS_BENCHMARK, REDIS_SERVER],
    prepare: nothing,
    server,
    command,
};

fn server(scene: &Scene) -> Vec<String> {
    let mut server = words(&format!("redis-server --bind 127.0.0.1 --port {} --appendonly no --save", scene.port));
    // An empty word: nothing is ever written to disk.
    server.push(String::new());
    server
}

fn command(scene: &Scene, size: u64) -> Vec<String> {
    words(&format!("redis-benchmark -h 127.0.0.1 -p {} -c 1 -n {size} -t ping_mbulk -q", scene.port))
}
