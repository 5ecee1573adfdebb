//! `prazo lab`: deterministic virtual machines.

mod boot;
mod bound;
mod build;
mod carry;
mod explain;
mod fetch;
mod hunt;
mod list;
mod prune;
mod try_boot;

use crate::exit::{Exit, Failure};

/// Fetch, build, list and boot deterministic virtual machines; explain, search and bound their latencies
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo lab fetch                            emulator and kernels, once
  prazo lab build riscv64-rt                 a kernel that Debian does not have
  prazo lab list                             the machines and platforms
  prazo lab prune --dry-run                  what the cache no longer needs
  prazo measure timer --platform lab:rt-full -D 10s
  prazo lab explain run.prazo --worst 3
  prazo lab hunt --platform lab:standard-full --load compile --budget 24 -o hunt
  prazo lab boot --kernel kernel.elf --machine counted-1

Latencies under counted time are counts of instructions, not times of real hardware.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Fetch the emulator, kernels and headers into a cache folder
    Fetch(fetch::Args),
    /// Build a platform's kernel from Debian's sources
    Build(build::Args),
    /// Pack the cache into one file, for another machine
    Export(carry::Args),
    /// Unpack a file of `prazo lab export` into the cache, and verify its checksums
    Import(carry::Args),
    /// List the machines, the platforms and the emulator
    List(list::Args),
    /// Remove unused files from the cache, such as package sets of other versions and remains of interrupted work
    Prune(prune::Args),
    /// Boot a machine and print its console
    ///
    /// Exit status: 0 the guest powered off or wrote 16 (success) to the exit device, 1 it ended otherwise, 3 it was
    /// terminated at its timeout, 4 it could not be booted.
    Boot(boot::Args),
    /// Explain why the worst activations of a run were late
    ///
    /// Exit status: 0 explained, 2 the run cannot be repeated, 4 a boot did not repeat the run, or the lab failed.
    Explain(explain::Args),
    /// Search for the boot with the largest latency, and test which loads cause it
    ///
    /// Exit status: 0 the search ended, 2 the request is invalid, 4 no boot measured anything, or the lab failed.
    Hunt(hunt::Args),
    /// Bound latencies from observed sections with IRQs or preemption off
    ///
    /// Exit status: 0 there is a bound, 2 a run cannot be repeated, 3 interrupts can take all processor time, 4 a boot
    /// differed from its run, or the lab failed.
    Bound(bound::Args),
    /// Run one boot of a hunt that another machine requested
    #[command(hide = true)]
    TryBoot(try_boot::Args),
}

impl Args {
    /// Fetches, carries, lists, prunes, boots, explains, searches or bounds.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::Fetch(args) => args.run(),
            Action::Build(args) => args.run(),
            Action::Export(args) => args.export(),
            Action::Import(args) => args.import(),
            Action::List(args) => args.run(),
            Action::Prune(args) => args.run(),
            Action::Boot(args) => args.run(),
            Action::Explain(args) => args.run(),
            Action::Hunt(args) => args.run(),
            Action::Bound(args) => args.run(),
            Action::TryBoot(args) => args.run(),
        }
    }
}
