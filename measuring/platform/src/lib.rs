//! The machine under test: fingerprint, readiness, topology, tunables.
//!
//! Everything that is read comes through a [`root::Root`], so that a copied `/proc` and `/sys` tree of another machine
//! can be examined as well as this one.
#![forbid(unsafe_code)]

pub mod as_text;
pub mod cgroup;
pub mod cmdline;
pub mod co_kernel;
pub mod cpumask;
mod descendants;
pub mod fingerprint;
pub mod foreign_programs;
pub mod kernel_config;
pub mod kernel_module;
mod kernel_release;
pub mod perf_counter;
pub mod policy;
pub mod preemption;
pub mod proc_stat;
pub mod process;
mod program_version;
pub mod programs;
pub mod readiness;
pub mod root;
pub mod root_domain;
pub mod serde_duration;
pub mod severity;
pub mod topology;
pub mod tracefs;
#[cfg(test)]
mod tree_of_files;
pub mod tunable;
pub mod tune;
pub mod virtualisation;

pub use descendants::descendants;
pub use kernel_release::has_fair_server;
pub use program_version::program_version;
pub use root::Root;
pub use severity::Severity;
pub use topology::Topology;
