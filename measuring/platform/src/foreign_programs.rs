//! The programs of others that make a load or do a workload's work, each with the Debian package that holds it.
//!
//! Where they are is found by [`crate::programs`]; what they are started with is a load's or a workload's own.

/// A program of others that prazo starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name, to be found in the search path.
    pub name: &'static str,
    /// The Debian package that holds it.
    pub package: &'static str,
    /// The argument that makes it print its version.
    pub version: &'static str,
}

const fn program(name: &'static str, package: &'static str, version: &'static str) -> Program {
    Program { name, package, version }
}

/// ApacheBench, a client of web servers.
pub const AB: Program = program("ab", "apache2-utils", "-V");
/// A compressor that works its processor hard.
pub const BZIP2: Program = program("bzip2", "bzip2", "--help");
/// Reads files.
pub const CAT: Program = program("cat", "coreutils", "--version");
/// A C compiler.
pub const CC: Program = program("cc", "gcc", "--version");
/// Copies blocks.
pub const DD: Program = program("dd", "coreutils", "--version");
/// Walks folders.
pub const FIND: Program = program("find", "findutils", "--version");
/// Reads and writes files by many patterns.
pub const FIO: Program = program("fio", "fio", "--version");
/// Searches text.
pub const GREP: Program = program("grep", "grep", "--version");
/// A compressor.
pub const GZIP: Program = program("gzip", "gzip", "--version");
/// Messages between many processes.
pub const HACKBENCH: Program = program("hackbench", "rt-tests", "--help");
/// Streams and packets between two network addresses.
pub const IPERF3: Program = program("iperf3", "iperf3", "--version");
/// Starts compilers.
pub const MAKE: Program = program("make", "make", "--version");
/// A web server.
pub const NGINX: Program = program("nginx", "nginx-light", "-v");
/// Priority inversions between real-time threads.
pub const PI_STRESS: Program = program("pi_stress", "rt-tests", "--version");
/// Sends echo requests.
pub const PING: Program = program("ping", "iputils-ping", "-V");
/// A client of Redis.
pub const REDIS_BENCHMARK: Program = program("redis-benchmark", "redis-tools", "--version");
/// A server of keys and values.
pub const REDIS_SERVER: Program = program("redis-server", "redis-server", "--version");
/// Works one part of a machine at a time.
pub const STRESS_NG: Program = program("stress-ng", "stress-ng", "--version");
/// Archives folders.
pub const TAR: Program = program("tar", "tar", "--version");
/// Starts a program for each line.
pub const XARGS: Program = program("xargs", "findutils", "--version");
