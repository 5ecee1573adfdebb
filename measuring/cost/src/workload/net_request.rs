//! Requests and responses over one TCP connection: netperf's TCP_RR in Marsal 2013, here by redis' benchmark.
//!
//! netperf is not free software in Debian, and the free programs of its kind run for a time, not for a number of requests.

use super::kind::{Scene, Workload, always, words};
use prazo_platform::foreign_programs::{REDIS_BENCHMARK, REDIS_SERVER};
use std::io;

pub(super) const WORKLOAD: Workload = Workload {
    name: "net-request",
    what: "Sends one request after the other over one TCP connection: wake-ups, switches and short packets. Measures \
           the client.",
    source: "Marsal 2013: netperf",
    unit: "requests",
    first_size: 2_000,
    programs: &[REDIS_BENCHMARK, REDIS_SERVER],
    prepare,
    server,
    check: always,
    command,
};

/// Whoever else finds the port can have it answer, and nothing more: it writes nothing, and takes no command but the client's
/// PING and the question for settings that the client begins with.
fn prepare(scene: &Scene, _: u64) -> io::Result<()> {
    let port = scene.port;
    let configuration = format!(
        "bind 127.0.0.1\nport {port}\nappendonly no\nsave \"\"\nuser default on nopass resetkeys resetchannels -@all +ping +config|get\n"
    );
    std::fs::write(scene.work.join(CONFIGURATION), configuration)
}

const CONFIGURATION: &str = "redis.conf";

fn server(_: &Scene) -> Vec<String> {
    words(&format!("redis-server {CONFIGURATION}"))
}

fn command(scene: &Scene, size: u64) -> Vec<String> {
    words(&format!("redis-benchmark -h 127.0.0.1 -p {} -c 1 -n {size} -t ping_mbulk -q", scene.port))
}
