//! Chores of the project that are no tests: benchmarks against other tools, the bare-metal kernel, files that are generated.

mod agent;
mod bench_cost;
mod bench_probe;
mod dist;
mod docs_figures;
mod false_alarms;
mod house;
mod hunts;
mod kernel;
mod linux_edf;
mod overheads_cost;
mod package;
mod python;
mod reference;
mod root;
mod run_files;
mod split_cost;
mod tail;
mod wheel;
mod words;

use clap::Parser;
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Time `prazo cost` next to the command run plain, in interleaved pairs
    BenchCost(bench_cost::Args),
    /// Measure prazo's timer probe next to cyclictest, in interleaved pairs
    BenchProbe(bench_probe::Args),
    /// Build the program that the lab's Linux guests run, static and the same from whatever folder
    Agent(agent::Args),
    /// Measure figures of the book again and write them into its pages
    DocsFigures(docs_figures::Args),
    /// Build prazo as one static program for each processor
    Dist(dist::Args),
    /// Pack what `dist` built: .deb, .rpm, the group's set-up, the module's sources, the boards' programs
    Package(package::Args),
    /// Pack the wheel for Python: the module, its package and the program of `dist`
    Wheel(wheel::Args),
    /// Count in the lab what splitting adds to a wake-up, in instructions
    SplitCost(split_cost::Args),
    /// Count in the lab what tracing overheads adds to a job's way, in instructions
    OverheadsCost(overheads_cost::Args),
    /// Run proven and missing task sets on Linux in the lab, and hold what they do against what was claimed
    LinuxEdf(linux_edf::Args),
    /// Score how often the gate and the history report a movement between runs of one kernel
    FalseAlarms(false_alarms::Args),
    /// Print lines, arrows and circles of the code, and check them against ARCHITECTURE.md
    House(house::Args),
    /// Compare hunts of the lab that differ only in method and seed
    Hunts(hunts::Args),
    /// Check every text that a person reads, and write docs/words.txt
    Words(words::Args),
    /// Print the Python module with a function for each command of prazo
    Python,
    /// Write the book's pages of commands, checks, loads and workloads
    Reference(reference::Args),
    /// Score how often extrapolated quantiles hold what long runs show
    Tail(tail::Args),
    /// Build the bare-metal kernel, run it in the lab, or make a bootable disc of it
    Kernel(kernel::Args),
}

fn main() -> ExitCode {
    let result = match Chore::parse() {
        Chore::Agent(args) => args.run(),
        Chore::BenchCost(args) => args.run(),
        Chore::BenchProbe(args) => args.run(),
        Chore::Dist(args) => args.run(),
        Chore::DocsFigures(args) => args.run(),
        Chore::FalseAlarms(args) => args.run(),
        Chore::House(args) => args.run().map_err(|error| error.to_string()),
        Chore::Hunts(args) => args.run(),
        Chore::Kernel(args) => args.run(),
        Chore::LinuxEdf(args) => args.run(),
        Chore::Package(args) => args.run(),
        Chore::Python => python::print(),
        Chore::Reference(args) => args.run(),
        Chore::SplitCost(args) => args.run(),
        Chore::OverheadsCost(args) => args.run(),
        Chore::Tail(args) => args.run(),
        Chore::Wheel(args) => args.run(),
        Chore::Words(args) => args.run().map_err(|error| error.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
