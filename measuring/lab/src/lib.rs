//! Virtual platforms: machines kept as data, booted in one fixed QEMU, each within a limit.
//!
//! A fetched QEMU under instruction-counted time makes a boot repeatable: the same machine, kernel and seed give the same
//! console, however busy the host. Nothing is installed and nothing outlives the program that asked for it: the emulator lies
//! in a cache folder, a guest's files have no names, and the kernel ends a guest whose starter is gone.
//!
//! ```text
//! emulator (fetched or given) ─┐
//! machine (TOML) ──────────────┼─► Boot ─► Guest ─► BootOutcome: how, the console, how long
//! kernel or disc ──────────────┘
//!
//! platform (TOML): kernel, words, machine ─┐
//! agent, request (JSON), modules ─► initramfs ┼─► GuestJob ─► GuestAnswer: the run file, what decided its trajectory
//! several jobs, wires ──────────────────────── GuestGroup ─► Gathered
//! ```
#![forbid(unsafe_code)]

pub mod agent;
mod answer;
mod architecture;
mod archive;
mod boot;
mod build_folder;
pub mod calls;
mod checksum;
mod command_line;
mod console;
mod contents;
pub mod coverage;
mod cpio;
pub mod debugger;
mod disc;
pub mod emulator;
mod ending;
mod error;
mod facts;
mod fetch;
mod guest;
mod guest_group;
mod guest_job;
mod image;
mod initramfs;
mod irqlat;
mod kernel_build;
mod kernel_release;
pub mod machine;
mod modules;
mod observer;
pub mod own_kernel;
pub mod platform;
mod programs;
mod prune;
pub mod recording;
pub mod sections;
mod step;
mod unpacked;
mod unpacked_packages;
mod whole;

pub use architecture::Architecture;
pub use archive::Carried;
pub use boot::{Boot, BootOutcome, Medium};
pub use checksum::of_file as checksum_of_file;
pub use command_line::card_address;
pub use cpio::Archive;
pub use disc::{Disc, DiscTools};
pub use emulator::Emulator;
pub use ending::GuestEnding;
pub use error::LabError;
pub use fetch::{Cache, Fetch, Part, Progress, Recipe};
pub use guest::GuestLook;
pub use guest_group::{Companion, Gathered, GuestGroup};
pub use guest_job::{GuestAnswer, GuestJob, Lab};
pub use kernel_build::{BuiltKernel, build as build_kernel};
pub use machine::Machine;
pub use platform::Platform;
pub use programs::with_libraries;
pub use prune::{Stale, StaleKind, prune, stale};
