//! The programs that generate loads, each with the Debian package that holds it.

use super::super::super::load_kind::Program;

const fn program(name: &'static str, package: &'static str, version: &'static str) -> Program {
    Program { name, package, version }
}

pub(super) const BZIP2: Program = program("bzip2", "bzip2", "--help");
pub(super) const CAT: Program = program("cat", "coreutils", "--version");
pub(super) const CC: Program = program("cc", "gcc", "--version");
pub(super) const DD: Program = program("dd", "coreutils", "--version");
pub(super) const FIND: Program = program("find", "findutils", "--version");
pub(super) const GREP: Program = program("grep", "grep", "--version");
pub(super) const HACKBENCH: Program = program("hackbench", "rt-tests", "--help");
pub(super) const IPERF3: Program = program("iperf3", "iperf3", "--version");
pub(super) const PING: Program = program("ping", "iputils-ping", "-V");
pub(super) const STRESS_NG: Program = program("stress-ng", "stress-ng", "--version");
pub(super) const TAR: Program = program("tar", "tar", "--version");
pub(super) const XARGS: Program = program("xargs", "findutils", "--version");
